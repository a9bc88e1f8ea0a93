"""PyTorch's CPU random numbers without PyTorch, so that published prints can be redone.

Only the draws that the sources use belong here. The rules were measured against
torch 2.13.0; words come from the Mersenne Twister (Matsumoto and Nishimura 1998).
"""

import math

import numpy as np


class TorchRandom:
    """The numbers that PyTorch draws on a CPU after torch.manual_seed(seed).

    Calls continue one stream, as they do in PyTorch. All arrays are float32.

    Examples
    --------
    >>> random = TorchRandom(123)
    >>> random.rand(3, 2).round(4)
    array([[0.2961, 0.5166],
           [0.2517, 0.6886],
           [0.074 , 0.8665]], dtype=float32)
    """

    def __init__(self, seed: int) -> None:
        self._twister = np.random.RandomState(seed)
        self._spare: float | None = None  # a normal number computed but not yet asked for

    def rand(self, *shape: int) -> np.ndarray:
        """Draw from [0, 1), as torch.rand(*shape): the low 24 bits of one word a number."""
        words = self._words(math.prod(shape))
        return ((words & 0xFFFFFF) / 2**24).astype(np.float32).reshape(shape)

    def randn(self, *shape: int) -> np.ndarray:
        """Draw from N(0, 1), as torch.randn(*shape): fewer than 16 numbers come one by one."""
        count = math.prod(shape)
        if count < 16:
            numbers = np.array([self._normal() for _ in range(count)])
        else:
            numbers = self._normal_blocks(count)
        return numbers.astype(np.float32).reshape(shape)

    def linear(
        self, in_features: int, out_features: int, bias: bool = True
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Draw the parameters of torch.nn.Linear(in_features, out_features, bias).

        Uniform on ±1/√in_features, the weight first. Apply them as x @ weight.T + bias.

        Returns
        -------
        weight : (out_features, in_features)
        bias : (out_features,), or None if bias is False
        """
        bound = np.float32(1 / np.sqrt(in_features))
        weight = self.rand(out_features, in_features) * (2 * bound) - bound
        if not bias:
            return weight, None
        return weight, self.rand(out_features) * (2 * bound) - bound

    def _words(self, count: int) -> np.ndarray:
        """Take the next 32-bit words, shape (count,)."""
        return np.frombuffer(self._twister.bytes(4 * count), dtype="<u4")

    def _uniform53(self) -> float:
        """Draw from [0, 1): two words make 64 bits, of which the low 53 count."""
        high, low = (int(word) for word in self._words(2))
        return ((high << 32 | low) & (2**53 - 1)) / 2**53

    def _normal(self) -> float:
        """Draw one normal number; Box and Muller (1958) make two, the second is kept."""
        if self._spare is not None:
            number, self._spare = self._spare, None
            return number
        u1, u2 = self._uniform53(), self._uniform53()
        radius, angle = math.sqrt(-2 * math.log1p(-u2)), 2 * math.pi * u1
        self._spare = radius * math.sin(angle)
        return radius * math.cos(angle)

    def _normal_blocks(self, count: int) -> np.ndarray:
        """Draw normal numbers in blocks of 16, shape (count,).

        Box and Muller (1958) pair number j of a block with number j + 8. What is left
        after the last whole block is covered by a block of new words that ends the array.
        """
        uniform = self.rand(count)
        whole = count - count % 16
        numbers = np.empty(count, np.float32)
        numbers[:whole] = _box_muller(uniform[:whole])
        if whole < count:
            numbers[-16:] = _box_muller(self.rand(16))
        return numbers


def _box_muller(uniform: np.ndarray) -> np.ndarray:
    """Turn uniform numbers (a multiple of 16 of them) into as many normal ones."""
    blocks = uniform.reshape(-1, 2, 8)
    radius = np.sqrt(-2 * np.log(1 - blocks[:, 0]))
    angle = np.float32(2 * np.pi) * blocks[:, 1]
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).reshape(-1)
