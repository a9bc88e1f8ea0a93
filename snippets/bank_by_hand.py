"""Two heads made by hand: in *… wade in the river . the bank is*, *bank* finds *river*.

A word has five features. The first head looks for a place or for money, and hands over water and
money. The second looks for persons. Each entry of the matrices can be explained.

>>> dict(zip(tokens[5:7], alpha[BANK, 5:7].round(2).tolist()))
{'the': 0.0, 'river': 0.97}
>>> Z[BANK].round(2)  # water, money: the bank of a river
array([0.97, 0.  ])
"""

import numpy as np

from snippets.attention import attention_scores, attention_weights
from snippets.multi_head import MultiHeadWeights
from snippets.projection import project

features = ["place", "water", "money", "asks", "person"]
vocabulary = {
    "river": [1.0, 1.0, 0.0, 0.0, 0.0],
    "money": [0.0, 0.0, 1.0, 0.0, 0.0],
    "bank": [0.0, 1.0, 1.0, 1.0, 0.0],
    "wade": [0.0, 1.0, 0.0, 0.0, 0.0],
    "wades": [0.0, 1.0, 0.0, 0.0, 0.0],
    "Ada": [0.0, 0.0, 0.0, 0.0, 1.0],
    "Mia": [0.0, 0.0, 0.0, 0.0, 1.0],
    "Tom": [0.0, 0.0, 0.0, 0.0, 1.0],
    **{word: [0.0] * 5 for word in ("and", "in", "is", "lend", "the", ".")},
}


def embed(sentence: str) -> np.ndarray:
    """Look up the vectors of a sentence.

    Raises
    ------
    KeyError
        If the vocabulary does not have a word.

    Examples
    --------
    >>> embed("river bank")
    array([[1., 1., 0., 0., 0.],
           [0., 1., 1., 1., 0.]])
    """
    return np.array([vocabulary[word] for word in sentence.split()])


sentence = "Mia and Tom wade in the river . the bank is"
tokens = sentence.split()
BANK = tokens.index("bank")
X = embed(sentence)

# A row for each feature.
W_Q = np.array(
    [
        [0.0, 0.0],  # to be a place is not a reason to look for anything
        [0.0, 0.0],  # nor is water
        [0.0, 0.0],  # nor is money
        [8.0, 8.0],  # a word that asks looks for a place, and for money
        [0.0, 0.0],  # a person looks for nothing
    ]
)
W_K = np.array(
    [
        [1.0, 0.0],  # a place is found as a place
        [0.0, 0.0],  # water is not what is looked for
        [0.0, 1.0],  # money is found as money
        [0.0, -1.0],  # a word that asks is not to find itself
        [0.0, 0.0],  # a person is not found by this head
    ]
)
W_V = np.array(
    [
        [0.0, 0.0],  # that it is a place is not handed over
        [1.0, 0.0],  # water
        [0.0, 1.0],  # money
        [0.0, 0.0],  # that it asks is not handed over
        [0.0, 0.0],  # nor are persons
    ]
)
Q, K, V = project(X, W_Q), project(X, W_K), project(X, W_V)

n, d_model = X.shape
d_k, d_v = K.shape[1], V.shape[1]

S = attention_scores(Q, K)
scaled_scores = S / np.sqrt(d_k)
alpha = attention_weights(S, scale=1 / np.sqrt(d_k))
Z = alpha @ V

# The second head, in two columns more: who is there?
h = 2
_W_Q, _W_K, _W_V = np.zeros((3, d_model, d_k))
_W_Q[3, 0] = 8.0  # a word that asks looks for persons
_W_K[4, 0] = 1.0  # a person is found as a person
_W_V[4, 0] = 1.0  # and handed over as one; the second column is not used
_W_O = np.zeros((h * d_v, d_model))
_W_O[0, 1] = _W_O[1, 2] = _W_O[2, 4] = 1.0  # water, money, person go back where they belong
heads = MultiHeadWeights(
    np.hstack([W_Q, _W_Q]), np.hstack([W_K, _W_K]), np.hstack([W_V, _W_V]), _W_O
)

# The feed-forward layer after the heads: of the two meanings of a word that asks, one is left.
W_1 = np.array(
    [
        [0.0, 0.0],  # columns: more water than money? more money than water?
        [1.0, -1.0],
        [-1.0, 1.0],
        [4.0, 4.0],  # only a word that asks comes above 0 ...
        [0.0, 0.0],
    ]
)
b_1 = np.array([-4.0, -4.0])  # ... because every word has 4 taken away
W_2 = np.array(
    [
        [0.0, 0.0, -1.0, 0.0, 0.0],  # more water: take money away
        [0.0, -1.0, 0.0, 0.0, 0.0],  # more money: take water away
    ]
)
b_2 = np.zeros(d_model)
