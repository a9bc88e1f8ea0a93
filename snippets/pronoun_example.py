"""A head made by hand: in *Mary saw Tom and she waved*, *she* finds *Mary*.

A word has four features. A query and a key are two numbers, the first for being a name, the
second for gender; a value is three numbers. Each entry of the matrices can be explained.

>>> dict(zip(tokens, alpha[4].round(2).tolist()))
{'Mary': 0.98, 'saw': 0.0, 'Tom': 0.0, 'and': 0.0, 'she': 0.0, 'waved': 0.0}
>>> Z[4].round(2)  # she has become a name that is female
array([0.99, 0.99, 0.  ])
"""

import numpy as np

from snippets.attention import attention_scores, attention_weights
from snippets.projection import project

features = ["name", "pronoun", "female", "male"]
vocabulary = {
    "Mary": [1.0, 0.0, 1.0, 0.0],
    "Tom": [1.0, 0.0, 0.0, 1.0],
    "she": [0.0, 1.0, 1.0, 0.0],
    "he": [0.0, 1.0, 0.0, 1.0],
    "saw": [0.0, 0.0, 0.0, 0.0],
    "and": [0.0, 0.0, 0.0, 0.0],
    "waved": [0.0, 0.0, 0.0, 0.0],
}
tokens = ["Mary", "saw", "Tom", "and", "she", "waved"]
X = np.array([vocabulary[token] for token in tokens])

W_Q = np.array(
    [
        [0.0, 0.0],  # to be a name is not a reason to look for anything
        [4.0, 0.0],  # a pronoun looks for a name
        [0.0, 4.0],  # what is female looks for what is female
        [0.0, -4.0],  # what is male looks for what is male
    ]
)
W_K = np.array(
    [
        [1.0, 0.0],  # a name is found as a name
        [-1.0, 0.0],  # a pronoun is the opposite of what a pronoun looks for
        [0.0, 1.0],  # what is female is found as female
        [0.0, -1.0],  # what is male is found as male
    ]
)
W_V = np.array(
    [
        [1.0, 0.0, 0.0],  # a name hands over that it is one
        [0.0, 0.0, 0.0],  # a pronoun does not hand over that it is one
        [0.0, 1.0, 0.0],  # female
        [0.0, 0.0, 1.0],  # male
    ]
)
Q, K, V = project(X, W_Q), project(X, W_K), project(X, W_V)

n, d_model = X.shape
d_k, d_v = K.shape[1], V.shape[1]

S = attention_scores(Q, K)
scaled_scores = S / np.sqrt(d_k)
alpha = attention_weights(S, scale=1 / np.sqrt(d_k))
Z = alpha @ V
