"""Cross-attention made by hand: *le chat noir* reads *the black cat.*, each word its translation.

The French words ask, the English ones are read. The order differs: *chat* comes before *noir*,
*black* before *cat*. A query and a key are two numbers, a direction in the plane for each
meaning.

>>> [(word, tokens_kv[j]) for word, j in zip(tokens, alpha.argmax(axis=-1))]
[('le', 'the'), ('chat', 'cat'), ('noir', 'black')]
>>> alpha.round(2)  # columns: the, black, cat, full stop
array([[1.  , 0.  , 0.  , 0.  ],
       [0.  , 0.01, 0.97, 0.01],
       [0.  , 0.97, 0.01, 0.01]])
"""

import numpy as np

from snippets.attention import attention_scores, attention_weights
from snippets.projection import project

features = ["article", "animal", "colour", "full stop", "French"]
tokens = ["le", "chat", "noir"]  # these ask
X = np.array(
    [
        [1.0, 0.0, 0.0, 0.0, 1.0],  # le
        [0.0, 1.0, 0.0, 0.0, 1.0],  # chat
        [0.0, 0.0, 1.0, 0.0, 1.0],  # noir
    ]
)
tokens_kv = ["the", "black", "cat", "."]  # these are read
X_kv = np.array(
    [
        [1.0, 0.0, 0.0, 0.0, 0.0],  # the
        [0.0, 0.0, 1.0, 0.0, 0.0],  # black
        [0.0, 1.0, 0.0, 0.0, 0.0],  # cat
        [0.0, 0.0, 0.0, 1.0, 0.0],  # the full stop
    ]
)
alignment = {"le": "the", "chat": "cat", "noir": "black"}

W_K = np.array(
    [
        [-1.0, -1.0],  # an article lies to the lower left
        [1.0, 0.0],  # an animal to the right
        [0.0, 1.0],  # a colour above
        [0.0, 0.0],  # a full stop at the origin: its score is 0 for every query
        [0.0, 0.0],  # the language makes no difference
    ]
)
W_Q = 6 * W_K  # look in the direction of the same meaning; 6 makes the weights sharp
W_V = np.eye(5)  # a word hands over all its features
Q, K, V = project(X, W_Q), project(X_kv, W_K), project(X_kv, W_V)

(n, d_model), m = X.shape, len(X_kv)
d_k, d_v = K.shape[1], V.shape[1]

S = attention_scores(Q, K)
scaled_scores = S / np.sqrt(d_k)
alpha = attention_weights(S, scale=1 / np.sqrt(d_k))
Z = alpha @ V
