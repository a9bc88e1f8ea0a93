"""Two heads made by hand: in *today she sees him*, *sees* finds its subject and its object.

A verb looks for the subject form (she, he) with one head and for the object form (her, him) with
the other. The columns of each matrix are three for the first head, then three for the second.

>>> from snippets.multi_head import multi_head_attention
>>> _, alpha = multi_head_attention(X, X, X, weights, h, return_weights=True)
>>> alpha[:, 2].round(2)  # where sees reads: today, she, sees, him
array([[0.01, 0.97, 0.01, 0.01],
       [0.01, 0.01, 0.01, 0.97]])
"""

import numpy as np

from snippets.multi_head import MultiHeadWeights

features = ["female", "male", "verb", "subject form", "object form", "adverb"]
vocabulary = {
    "she": [1.0, 0.0, 0.0, 1.0, 0.0, 0.0],
    "her": [1.0, 0.0, 0.0, 0.0, 1.0, 0.0],
    "he": [0.0, 1.0, 0.0, 1.0, 0.0, 0.0],
    "him": [0.0, 1.0, 0.0, 0.0, 1.0, 0.0],
    "sees": [0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
    "today": [0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
}


def embed(sentence: str) -> np.ndarray:
    """Look up the vectors of a sentence.

    Raises
    ------
    KeyError
        If the vocabulary does not have a word.

    Examples
    --------
    >>> embed("he sees")
    array([[0., 1., 0., 1., 0., 0.],
           [0., 0., 1., 0., 0., 0.]])
    """
    return np.array([vocabulary[word] for word in sentence.split()])


tokens = ["today", "she", "sees", "him"]
X = embed("today she sees him")
h = 2

W_Q, W_K, W_V = np.zeros((3, 6, 6))
W_Q[2, [0, 3]] = 8.0  # a verb looks for something in both heads; 8 makes the weights sharp
W_K[3, 0] = 1.0  # head 1 finds the subject form
W_K[4, 3] = 1.0  # head 2 finds the object form
W_V[[0, 1, 2], [0, 1, 2]] = 1.0  # head 1 hands over female, male, verb
W_V[[0, 1, 2], [3, 4, 5]] = 1.0  # head 2 the same
W_O = np.eye(6)  # first what head 1 found, then what head 2 found
weights = MultiHeadWeights(W_Q, W_K, W_V, W_O)
