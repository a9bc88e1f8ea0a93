"""Byte-pair encoding: pieces of text learned from how often neighbours occur together.

A piece is a `str` or a `bytes`, whichever one starts from; a pair of pieces merges into their sum.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import AnyStr

# GPT-2's rule: a word, a number or signs, each with the one space before it; other white space.
WORD = re.compile(r"'(?:[sdmt]|ll|ve|re)| ?[^\W\d_]+| ?\d+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+")


def split_text(text: str) -> list[str]:
    """Cut text into words, numbers and signs, each with the space before it.

    No merge crosses the border of two such parts. The rule is that of GPT-2's published code
    (Radford et al. 2019); signs such as ½ count as letters here, and as numbers there.

    Examples
    --------
    >>> split_text("It's 20 km, as  said.")
    ['It', "'s", ' 20', ' km', ',', ' as', ' ', ' said', '.']
    """
    return WORD.findall(text)


def pair_counts(
    words: Mapping[tuple[AnyStr, ...], int],
) -> Counter[tuple[AnyStr, AnyStr]]:
    """Count how often each pair of pieces occurs side by side.

    Parameters
    ----------
    words : the pieces of each word, and how often the word occurs

    Examples
    --------
    >>> pair_counts({("l", "o", "w"): 5, ("l", "o", "t"): 2})
    Counter({('l', 'o'): 7, ('o', 'w'): 5, ('o', 't'): 2})
    """
    counts = Counter()
    for pieces, count in words.items():
        for pair in pairwise(pieces):
            counts[pair] += count
    return counts


def merge_pair(pieces: Sequence[AnyStr], pair: tuple[AnyStr, AnyStr]) -> tuple[AnyStr, ...]:
    """Join the two pieces wherever they occur side by side, from left to right.

    Examples
    --------
    >>> merge_pair(("a", "a", "a", "b"), ("a", "a"))
    ('aa', 'a', 'b')
    """
    merged = []
    i = 0
    while i < len(pieces):
        found = tuple(pieces[i : i + 2]) == pair
        merged.append(pair[0] + pair[1] if found else pieces[i])
        i += 2 if found else 1
    return tuple(merged)


def learn_merges(
    words: Mapping[tuple[AnyStr, ...], int], num_merges: int
) -> list[tuple[AnyStr, AnyStr]]:
    """Join the most frequent pair, count again, and so on.

    Sennrich et al. 2016, algorithm 1. Of pairs that are equally frequent, the one that is met
    first goes first, as in the code printed there.

    Parameters
    ----------
    words : the pieces of each word, and how often the word occurs
    num_merges : int
        Fewer are returned if no pair is left.

    Returns
    -------
    The pairs, in the order in which they were joined

    Examples
    --------
    >>> learn_merges({tuple("low"): 5, tuple("lot"): 2}, 9)
    [('l', 'o'), ('lo', 'w'), ('lo', 't')]
    """
    words = dict(words)
    merges = []
    while len(merges) < num_merges and (counts := pair_counts(words)):
        best = max(counts, key=lambda pair: counts[pair])
        merges.append(best)
        joined = Counter()
        for pieces, count in words.items():
            joined[merge_pair(pieces, best)] += count
        words = dict(joined)
    return merges


def apply_merges(
    pieces: Sequence[AnyStr], merges: Sequence[tuple[AnyStr, AnyStr]]
) -> tuple[AnyStr, ...]:
    """Join the pieces of one word, with the merges in the order in which they were learned.

    Examples
    --------
    >>> apply_merges("lower", [("l", "o"), ("lo", "w"), ("e", "r")])
    ('low', 'er')
    """
    merged = tuple(pieces)
    for pair in merges:
        merged = merge_pair(merged, pair)
    return merged


def to_bytes(word: str) -> tuple[bytes, ...]:
    r"""Write a word as its bytes in UTF-8, each a piece by itself.

    Examples
    --------
    >>> to_bytes("né")
    (b'n', b'\xc3', b'\xa9')
    """
    return tuple(bytes([byte]) for byte in word.encode())


def learn_byte_pairs(text: str, num_merges: int) -> list[tuple[bytes, bytes]]:
    """Learn merges of bytes from a text.

    Examples
    --------
    >>> learn_byte_pairs("to be or not to be", 3)
    [(b't', b'o'), (b' ', b'b'), (b' b', b'e')]
    """
    return learn_merges(Counter(map(to_bytes, split_text(text))), num_merges)


def vocabulary_of(merges: Sequence[tuple[bytes, bytes]]) -> list[bytes]:
    r"""List all tokens; the place in the list is the token's number.

    The 256 bytes come first, then what each merge makes.

    Examples
    --------
    >>> vocabulary_of([(b"t", b"o"), (b" ", b"to")])[254:]
    [b'\xfe', b'\xff', b'to', b' to']
    """
    return [bytes([byte]) for byte in range(256)] + [first + second for first, second in merges]


def encode(text: str, merges: Sequence[tuple[bytes, bytes]]) -> list[int]:
    """Turn text into the numbers of its tokens.

    Every text can be encoded: what no merge joins stays a byte.

    Examples
    --------
    >>> encode("to be", [(b"t", b"o"), (b"b", b"e")])
    [256, 32, 257]
    """
    numbers = {}
    for number, token in enumerate(vocabulary_of(merges)):
        numbers.setdefault(token, number)  # two merges can make the same token
    return [
        numbers[piece]
        for word in split_text(text)
        for piece in apply_merges(to_bytes(word), merges)
    ]


def decode(numbers: Sequence[int], merges: Sequence[tuple[bytes, bytes]]) -> str:
    """Turn the numbers of tokens into text; undoes `encode`.

    Bytes that are not valid UTF-8 by themselves, such as a part of a letter, become �.

    Raises
    ------
    ValueError
        If a number belongs to no token.

    Examples
    --------
    >>> decode([256, 32, 257], [(b"t", b"o"), (b"b", b"e")])
    'to be'
    """
    tokens = vocabulary_of(merges)
    if numbers and not 0 <= min(numbers) <= max(numbers) < len(tokens):
        raise ValueError(f"a number is not between 0 and {len(tokens) - 1}")
    return b"".join(tokens[number] for number in numbers).decode(errors="replace")
