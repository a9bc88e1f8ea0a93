"""Whether a sentence is about the elements to which a comment binds it, or names other ones.

*Birch has 31.5 %* is not about ``share["Alder"]``, and *the first lap* not about ``laps[-1]``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vaultkit.claims.bindings import Binding
from vaultkit.claims.clauses import clause_end
from vaultkit.claims.lexicon import Lexicon, alternatives, lexicon

#: How many words behind a comparison the other side is, without *than*.
_BESIDE = 2
#: Fewest letters of a key that is a name.
_NAME = 3


def other_key(binding: Binding, variables: Mapping[str, Any]) -> str:
    """Return the key that a sentence names in place of the bound one.

    It is the subject of the clause, or it follows *than*. The sentence must not name the bound key
    at all. Return an empty text if in doubt. An element of a list has the key that a list of texts
    of the same length has at its place.
    """
    words = lexicon(binding.language or "en")
    sides = [binding.tree]
    if isinstance(binding.tree, ast.Compare):
        sides = [binding.tree.left, *binding.tree.comparators[:1]]
    for n, side in enumerate(sides):
        labels = {label for label in _labels(side, variables) if label is not None}
        labels |= set(_arguments(side, binding.tree))
        if len(labels) != 1:
            continue
        key, known = labels.pop()
        if len(key) < _NAME or _says(key, _whole(binding)):
            continue
        others = [one for one in known if one != key and len(one) >= _NAME]
        said = [other for other in others if _is_named(binding, other, words, is_subject=not n)]
        if len(said) == 1:
            return said[0]
    return ""


def other_quantity(binding: Binding, variables: Mapping[str, Any]) -> str:
    """Return the name of another quantity that a sentence gives a bound value.

    *The median is 5* is not about ``mean`` or ``np.mean(x)``. It is the name of a variable with
    another value, or of another function of the same kind; the sentence must not say the own one.
    """
    words = lexicon(binding.language or "en")
    clause, whole = _clause(binding, words).lower(), _whole(binding).lower()
    match binding.tree:
        case ast.Name(name) | ast.Call(ast.Attribute(_, name)) | ast.Call(ast.Name(name)):
            pass
        case _:
            return ""
    known = [kind for kind in ("mean", "median") if _says_any(words.words["labels"][kind], clause)]
    own = [kind for kind in ("mean", "median") if name in words.words["labels"][kind]]
    if own and len(known) == 1 and known != own:
        return "" if _says_any(words.words["labels"][own[0]], whole) else known[0]
    if not isinstance(binding.tree, ast.Name) or len(name) < _NAME or _says(name, whole):
        return ""
    being = words.pattern("grammar", "being")
    subject = re.search(rf"(?:^|\s)(\w+)\s{being}\s(?:\w+\s)?\S*\s*$", clause)
    other = subject[1] if subject else ""
    is_number = isinstance(variables.get(other), (int, float))
    return other if is_number and variables[other] != variables.get(name) else ""


def _says_any(words: Sequence[str], text: str) -> bool:
    return any(re.search(rf"\b{re.escape(word)}\b", text) for word in words)


def exchanged(binding: Binding, variables: Mapping[str, Any]) -> str:
    """Return the name of the right side of a comparison if the sentence has it on the left.

    *Lima is smaller than Oslo* contradicts ``cities["Oslo"] < cities["Lima"]``. Return an empty
    text if in doubt: each side must have one name, and the sentence must have each on one side.
    """
    match binding.tree:
        case ast.Compare(left, [ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()], [right]):
            names = _name_of_side(left, variables), _name_of_side(right, variables)
        case _:
            return ""
    one, other = names
    words = lexicon(binding.language or "en")
    behind = clause_end(words, "joining", "contrasting", marks=",;:(").split(
        binding.words[binding.at :]
    )[0]
    parts = words.regex(r"\b<binding.than>\b").split(behind)
    if len(parts) == 1:
        # *B sits below A*
        parts = ["", " ".join(behind.split()[:_BESIDE])]
    if not one or not other or len(parts) != 2:
        return ""
    before = f"{_clause(binding, words)} {parts[0]}"
    is_turned = _says(other, before) and _says(one, parts[1])
    return other if is_turned and not _says(one, before) and not _says(other, parts[1]) else ""


def _name_of_side(tree: ast.expr, variables: Mapping[str, Any]) -> str:
    """Return the key of the only element in an expression, or the variable that it is."""
    if isinstance(tree, ast.Name):
        return tree.id if len(tree.id) >= _NAME else ""
    labels = {label and label[0] for label in _labels(tree, variables)}
    return (labels.pop() or "") if len(labels) == 1 else ""


def _is_named(binding: Binding, key: str, words: Lexicon, *, is_subject: bool) -> bool:
    """Return whether a key is the subject of the clause of a comment, or the other side."""
    clause, behind = _clause(binding, words), binding.words[binding.at :]
    grammar = words.words["grammar"]
    article = rf"(?:{alternatives([*grammar['the'], *grammar['articles']])}\s+)?"
    own = rf"{article}{re.escape(key)}(?:{alternatives(grammar['plurals'])})?(?!\w)"
    if not is_subject:
        than = words.pattern("grammar", "than")
        return bool(re.match(rf"[^,;:.]*?\b{than}\s+{own}", behind, re.IGNORECASE))
    if re.match(rf"\W*{own}", clause, re.IGNORECASE):
        return True
    # *The heaviest bird is the wren*.
    being = words.pattern("grammar", "being")
    opens = re.fullmatch(rf"\W*{article}{re.escape(binding.text)}\W*", clause, re.IGNORECASE)
    return bool(opens and re.match(rf"(?:\s+\w+){{0,3}}\s+{being}\s+{own}", behind, re.IGNORECASE))


def other_place(binding: Binding, variables: Mapping[str, Any]) -> str:
    """Return the ordinal of a sentence that is not the place of the bound element.

    *The first lap was the longest* contradicts ``laps[-1] == max(laps)``, and *the last lap took
    52 s* contradicts ``laps[0]``.
    """
    match binding.tree:
        case ast.Subscript(owner, index):
            pass
        case ast.BoolOp(ast.And(), [_, ast.Compare(ast.Subscript(owner, index), [_], [_])]):
            pass
        case ast.Compare(
            ast.Subscript(owner, index), [ast.Eq()],
            [ast.Call(ast.Name("max" | "min")) | ast.Call(ast.Attribute(_, "max" | "min"))],
        ):  # fmt: skip
            pass
        case _:
            return ""
    try:
        place = ast.literal_eval(index)
    except ValueError:
        return ""
    if not isinstance(place, int) or not _is_list(owner, variables):
        return ""
    words = lexicon(binding.language or "en")
    ordinals, last = words.pattern("ordinals"), words.pattern("grammar", "last")
    clause = _clause(binding, words)
    if not re.search(r"[^\W\d_]", clause):
        # *The last lap, 52 s*, but not *3 comes first and 4 comes last*
        ahead = binding.words[: binding.at - len(clause)].rstrip()
        clause = ahead if ahead.endswith(",") else ""
    found = re.findall(rf"\b({ordinals}|{last})\s+(?!{ordinals})[^\W\d]", clause, re.IGNORECASE)
    if not found:
        # *4 comes last*
        behind = binding.words[binding.at :]
        comes = words.regex(rf"\s<places.comes>\s({ordinals}|{last})\b")
        found = [own[1]] if (own := comes.match(behind)) else []
    if len(found) != 1:
        return ""
    number = words.value("ordinals", found[0])
    if number is None:
        return "" if place < 0 else found[0] if place < 1 else ""
    # The first element may be number 0, before the first step.
    is_place = number in (place + 1, place) if place >= 0 else number > 1
    return "" if is_place else found[0]


def _is_list(tree: ast.expr, variables: Mapping[str, Any]) -> bool:
    """Return whether an expression is a list or array: a variable, or an element of one."""
    match tree:
        case ast.Name(name):
            value = variables.get(name)
        case ast.Subscript(ast.Name(name), ast.Constant(key)) if isinstance(
            variables.get(name), dict
        ):
            value = variables[name].get(key)
        case _:
            return False
    return hasattr(value, "__getitem__") and not isinstance(value, (Mapping, str))


#: A key, and all keys of its dictionary.
_Label = tuple[str, tuple[str, ...]]


def _labels(tree: ast.expr, variables: Mapping[str, Any]) -> Iterator[_Label | None]:
    """Yield the names of the elements in an expression; None for one without a name."""
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(ast.Name(owner), index):
                yield _label(variables.get(owner), owner, index, variables)
            case ast.Subscript(ast.Subscript() | ast.Attribute()):
                continue  # a part of an element has the name of the element
            case ast.Subscript():
                yield None


def _arguments(side: ast.expr, tree: ast.expr) -> Iterator[_Label]:
    """Yield the only text to which a function is applied, with all texts of an expression."""
    texts = [node.value for node in ast.walk(tree)
             if isinstance(node, ast.Constant) and isinstance(node.value, str)]  # fmt: skip
    match side:
        case ast.Call(ast.Name(), [ast.Constant(str(key))]):
            yield key, tuple(dict.fromkeys(texts))


def _label(value: Any, owner: str, index: ast.expr, variables: Mapping[str, Any]) -> _Label | None:
    """Return the name of an element of a dictionary or list, with those of all its elements."""
    try:
        key = ast.literal_eval(index)
    except ValueError:
        return None
    if isinstance(value, Mapping):
        known = tuple(one for one in value if isinstance(one, str))
        return (key, known) if isinstance(key, str) else None
    if type(key) is not int or not hasattr(value, "__len__") or not -len(value) <= key < len(value):
        return None
    firsts = [one[0] for one in value if isinstance(one, (tuple, list)) and one]
    if len(firsts) == len(value) and all(isinstance(one, str) for one in firsts):
        return firsts[key], tuple(firsts)
    beside = [
        tuple(one) for name, one in variables.items()
        if name != owner and isinstance(one, (list, tuple)) and len(one) == len(value)
        and all(isinstance(text, str) for text in one)
    ]  # fmt: skip
    # The same names in another order are the result of a sort; of others, either may be meant.
    texts = beside[0] if len({tuple(sorted(one)) for one in beside}) == 1 else ()
    return (texts[key], texts) if texts else None


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
