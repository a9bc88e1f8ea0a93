"""The vault's running example, computed once: six tokens, three features, two per head.

*Your journey starts with one step* (Raschka 2024, chapter 3). The vectors are given, the matrices
are the random ones of ``torch.manual_seed(123)``: nothing is trained here.

>>> Z[1].round(4)
array([0.3061, 0.821 ])
"""

import numpy as np

from snippets.attention import attention_scores, attention_weights
from snippets.projection import project
from snippets.torch_random import TorchRandom

tokens = ["Your", "journey", "starts", "with", "one", "step"]
X = np.array(
    [
        [0.43, 0.15, 0.89],
        [0.55, 0.87, 0.66],
        [0.57, 0.85, 0.64],
        [0.22, 0.58, 0.33],
        [0.77, 0.25, 0.10],
        [0.05, 0.80, 0.55],
    ]
)

n, d_model = X.shape
d_k = 2
d_v = 2

_rng = TorchRandom(123)
W_Q, W_K, W_V = _rng.rand(d_model, d_k), _rng.rand(d_model, d_k), _rng.rand(d_model, d_v)
Q, K, V = project(X, W_Q), project(X, W_K), project(X, W_V)

S = attention_scores(Q, K)
scaled_scores = S / np.sqrt(d_k)
alpha = attention_weights(S, scale=1 / np.sqrt(d_k))
Z = alpha @ V
