"""WordPiece: from text to the tokens that models of the family of BERT use."""

import unicodedata


def split_words(text: str) -> list[str]:
    """Cut text into words and punctuation marks, in lower case and without accents.

    The first step of BERT's uncased tokenizer (Devlin et al. 2018, in its published code).

    Examples
    --------
    >>> split_words("River bank's café!")
    ['river', 'bank', "'", 's', 'cafe', '!']
    """
    words = ""
    for character in unicodedata.normalize("NFD", text):  # NFD parts letters from accents
        category = unicodedata.category(character)
        if character in "\t\n\r":  # white space, though control characters
            words += " "
        elif _stands_alone(character):
            words += f" {character} "
        elif category != "Mn" and category[0] != "C" and character != "\ufffd":
            words += character.lower()  # neither accents nor control characters
    return words.split()


def _stands_alone(character: str) -> bool:
    """Return whether a character is a token by itself: punctuation, ASCII symbol or Chinese."""
    code = ord(character)
    if character.isascii():
        return 32 < code < 127 and not character.isalnum()
    chinese = [(0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2FA1F), (0xF900, 0xFAFF)]
    return unicodedata.category(character)[0] == "P" or any(a <= code <= b for a, b in chinese)


def word_pieces(word: str, vocabulary: dict[str, int]) -> list[str]:
    """Cut a word into the longest pieces that the vocabulary holds, from left to right.

    Pieces after the first start with ##. A word that can't be cut so is [UNK]
    (Wu et al. 2016, section 4.1; the greedy rule as in BERT).

    Examples
    --------
    >>> word_pieces("embeddings", {"em": 0, "##bed": 1, "##ding": 2, "##dings": 3})
    ['em', '##bed', '##dings']
    """
    pieces = []
    start = 0
    while start < len(word):
        prefix = "##" if start else ""
        for end in range(len(word), start, -1):
            if prefix + word[start:end] in vocabulary:
                break
        else:
            return ["[UNK]"]
        pieces.append(prefix + word[start:end])
        start = end
    return pieces
