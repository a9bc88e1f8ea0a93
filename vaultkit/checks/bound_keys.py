"""Whether a sentence is about the element to which a comment binds it, or names another one.

*Birch has 31.5 %* is not about ``share["Alder"]``, and *the first lap* not about ``laps[-1]``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

from vaultkit.claims.bindings import Binding
from vaultkit.claims.clauses import clause_end
from vaultkit.claims.lexicon import Lexicon, lexicon

#: Fewest letters of a key that is a name.
_NAME = 3


def other_key(binding: Binding, variables: Mapping[str, Any]) -> str:
    """Return the key that a sentence names as its subject in place of the bound one.

    The sentence must not name the bound key at all. Return an empty text if in doubt.
    """
    tree = binding.tree
    keys = set(_keys(tree.left if isinstance(tree, ast.Compare) else tree))
    if len(keys) != 1:
        return ""
    owner, key = keys.pop()
    words = lexicon(binding.language or "en")
    known = variables.get(owner)
    if not isinstance(known, Mapping) or len(key) < _NAME or _says(key, _whole(binding)):
        return ""
    clause = _clause(binding, words)
    article = words.pattern("grammar", "articles")
    others = [
        other for other in known
        if isinstance(other, str) and other != key and len(other) >= _NAME
        and re.match(rf"\W*(?:{article}\s+)?{re.escape(other)}(?!\w)", clause, re.IGNORECASE)
    ]  # fmt: skip
    return others[0] if len(others) == 1 else ""


def other_place(binding: Binding) -> str:
    """Return the ordinal of a sentence that is not the place of the bound largest or smallest.

    *The first lap was the longest* contradicts ``laps[-1] == max(laps)``.
    """
    match binding.tree:
        case ast.Compare(
            ast.Subscript(ast.Name(), index), [ast.Eq()],
            [ast.Call(ast.Name("max" | "min")) | ast.Call(ast.Attribute(_, "max" | "min"))],
        ):  # fmt: skip
            pass
        case _:
            return ""
    try:
        place = ast.literal_eval(index)
    except ValueError:
        return ""
    if not isinstance(place, int):
        return ""
    words = lexicon(binding.language or "en")
    ordinals, last = words.pattern("ordinals"), words.pattern("grammar", "last")
    found = re.findall(
        rf"\b({ordinals}|{last})\s+(?!{ordinals})[^\W\d]", _clause(binding, words), re.IGNORECASE
    )
    if len(found) != 1:
        return ""
    number = words.value("ordinals", found[0])
    if number is None:
        return "" if place < 0 else found[0] if place < 1 else ""
    # The first element may be number 0, before the first step.
    is_place = number in (place + 1, place) if place >= 0 else number > 1
    return "" if is_place else found[0]


def _keys(tree: ast.expr) -> Iterator[tuple[str, str]]:
    """Yield the dictionaries in an expression with the keys that select an element."""
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(ast.Name(owner), ast.Constant(str(key))):
                yield owner, key
            case ast.Subscript():
                yield "", ast.unparse(node)


def _clause(binding: Binding, words: Lexicon) -> str:
    """Return the clause before a comment, from the binding before it on."""
    ahead = binding.words[: binding.at]
    ahead = ahead if ahead.strip() else binding.sentence
    return clause_end(words, "joining", "contrasting", marks=",;:").split(ahead)[-1]


def _whole(binding: Binding) -> str:
    return f"{binding.sentence} {binding.words}"


def _says(key: str, text: str) -> bool:
    """Return whether a text says a key, or a word that begins with it, as Monday with ``Mon``."""
    parts = [part for part in re.split(r"[\W_]+", key.lower()) if part]
    return any(re.search(rf"\b{re.escape(part[:4])}", text.lower()) for part in parts)
