"""Whether a sentence is about the elements to which a comment binds it, or names other ones.

*Birch has 31.5 %* is not about ``share["Alder"]``, and *the first lap* not about ``laps[-1]``. A
*key* is the name of an element: a text that is a key of a dictionary, or beside the element of a
list. All functions return an empty text if they are in doubt.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from vaultkit.claims.bindings import Binding
from vaultkit.claims.clauses import clause_end
from vaultkit.claims.lexicon import Lexicon, alternatives, lexicon

#: How many words behind a comparison may name the other side if there is no *than*: *below A*.
_BESIDE = 2
#: Most words between a comment and *is*.
_BEFORE_IS = 3
#: The least letters of a key or variable that a sentence may name: shorter ones are in any text.
_NAME = 3
#: The letters of a longer key with which a word of the text must begin: *birches* are ``Birch``.
_BEGINNING = 4


class _Key(NamedTuple):
    """The key of an element, and those of all elements of its dictionary or list."""

    key: str
    every: tuple[str, ...]


def other_key(binding: Binding, variables: Mapping[str, Any]) -> str:
    """Return the key that a sentence names in place of the bound one.

    It is the subject of the clause, or it follows *than*, for the right side of a comparison. The
    sentence must not name the bound key at all.
    """
    words = lexicon(binding.language or "en")
    sides = [binding.tree]
    if isinstance(binding.tree, ast.Compare):
        sides = [binding.tree.left, binding.tree.comparators[0]]
    for side in sides:
        keys = {key for key in _keys(side, variables) if key is not None}
        if argument := _key_of_argument(side, binding.tree):
            keys.add(argument)
        if len(keys) != 1:
            continue
        key, every = keys.pop()
        if len(key) < _NAME or _names(_whole_sentence(binding), key, words):
            continue
        is_subject = side is sides[0]
        named = [
            other
            for other in every
            if other != key
            and len(other) >= _NAME
            and _is_in_place(binding, other, words, is_subject=is_subject)
        ]
        if len(named) == 1:
            return named[0]
    return ""


def other_quantity(binding: Binding, variables: Mapping[str, Any]) -> str:
    """Return the name of another quantity that a sentence gives a bound value.

    *The median is 5* is not about ``mean`` or ``np.mean(x)``, and *width is 5* not about ``depth``.
    It is the mean or median, or a variable with another value. The sentence must not name the
    bound quantity.
    """
    words = lexicon(binding.language or "en")
    clause, whole = _clause(binding, words).lower(), _whole_sentence(binding).lower()
    match binding.tree:
        case ast.Name(name) | ast.Call(ast.Attribute(_, name)) | ast.Call(ast.Name(name)):
            pass
        case _:
            return ""
    averages = {kind: words.words["labels"][kind] for kind in ("mean", "median")}
    bound = [kind for kind, names in averages.items() if name in names]
    stated = [kind for kind, names in averages.items() if _has_any(names, clause)]
    if bound and len(stated) == 1 and stated != bound:
        return "" if _has_any(averages[bound[0]], whole) else stated[0]
    if not isinstance(binding.tree, ast.Name) or len(name) < _NAME or _names(whole, name, words):
        return ""
    # *width is 5*, *width is about 5*, up to the comment
    being = words.pattern("grammar", "being")
    subject = re.search(rf"(?:^|\s)(\w+)\s{being}\s(?:\w+\s)?\S*\s*$", clause)
    other = subject[1] if subject else ""
    is_number = isinstance(variables.get(other), (int, float))
    return other if is_number and variables[other] != variables.get(name) else ""


def _has_any(words: Sequence[str], text: str) -> bool:
    """Return whether a text has one of some words."""
    return any(re.search(rf"\b{re.escape(word)}\b", text) for word in words)


def exchanged(binding: Binding, variables: Mapping[str, Any]) -> str:
    """Return the name of the right side of a comparison if the sentence has it on the left.

    *Lima is smaller than Oslo* contradicts ``cities["Oslo"] < cities["Lima"]``. Each side must have
    one name, and the sentence must have each on one side only.
    """
    match binding.tree:
        case ast.Compare(left, [ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()], [right]):
            left_name, right_name = (
                _name_of_side(side, binding.tree, variables) for side in (left, right)
            )
        case _:
            return ""
    words = lexicon(binding.language or "en")
    end = clause_end(words, "joining", "contrasting", marks=",;:(")
    behind = end.split(binding.words[binding.at :])[0]
    before_than, *after_than = words.regex(r"\b<binding.than>\b").split(behind)
    if not after_than:
        # *B sits below A*: the comment is behind *below*.
        before_than, after_than = "", [" ".join(behind.split()[:_BESIDE])]
    if not left_name or not right_name or len(after_than) != 1:
        return ""
    before, after = f"{_clause(binding, words)} {before_than}", after_than[0]
    are_turned = _names(before, right_name, words) and _names(after, left_name, words)
    is_ambiguous = _names(before, left_name, words) or _names(after, right_name, words)
    return right_name if are_turned and not is_ambiguous else ""


def _name_of_side(side: ast.expr, tree: ast.expr, variables: Mapping[str, Any]) -> str:
    """Return the key of the only element in a side of a comparison, or the variable that it is.

    The key may be an argument. The result is empty if there is none, or several. ``tree`` is the
    whole comparison.
    """
    if isinstance(side, ast.Name):
        return side.id if len(side.id) >= _NAME else ""
    keys = {found and found.key for found in _keys(side, variables)}
    if argument := _key_of_argument(side, tree):
        keys.add(argument.key)
    return (keys.pop() or "") if len(keys) == 1 else ""


def _is_in_place(binding: Binding, key: str, words: Lexicon, *, is_subject: bool) -> bool:
    """Return whether a key is the subject of the clause of a comment, or behind its *than*."""
    clause, behind = _clause(binding, words), binding.words[binding.at :]
    grammar = words.words["grammar"]
    article = rf"(?:{alternatives([*grammar['the'], *grammar['articles']])}\s+)?"
    name = rf"{article}{re.escape(key)}(?:{alternatives(grammar['plurals'])})?(?![\w-])"
    if not is_subject:
        than = words.pattern("grammar", "than")
        return bool(re.match(rf"[^,;:.]*?\b{than}\s+{name}", behind, re.IGNORECASE))
    if re.match(rf"\W*{name}", clause, re.IGNORECASE):
        return True
    # *The heaviest bird is the wren*, with the comment behind *heaviest*.
    being = words.pattern("grammar", "being")
    opens = re.fullmatch(rf"\W*{article}{re.escape(binding.text)}\W*", clause, re.IGNORECASE)
    return bool(
        opens and re.match(rf"(?:\s+\w+){{0,{_BEFORE_IS}}}\s+{being}\s+{name}", behind, re.I)
    )


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
    ordinal = _ordinal_of_place(binding, words)
    if not ordinal:
        return ""
    number = words.value("ordinals", ordinal)
    if number is None:  # *last*: only the first element surely is another one
        is_place = place != 0
    elif place < 0:  # counted from the end of a list of unknown length
        is_place = number > 1
    else:  # the first element may be number 0, before the first step
        is_place = number in (place + 1, place)
    return "" if is_place else ordinal


def _ordinal_of_place(binding: Binding, words: Lexicon) -> str:
    """Return the only ordinal in the clause of a comment; empty if there is none or several.

    It is *last* in *the last lap<!-- … -->* and in *4<!-- … --> comes last*.
    """
    ordinals, last = words.pattern("ordinals"), words.pattern("grammar", "last")
    clause = _clause(binding, words)
    if not re.search(r"[^\W\d_]", clause):
        # *The last lap, 52 s*, but not *3 comes first and 4 comes last*
        ahead = binding.words[: binding.at - len(clause)].rstrip()
        clause = ahead if ahead.endswith(",") else ""
    # *the first lap*, but not *the first third*
    before_noun = rf"\b({ordinals}|{last})\s+(?!{ordinals})[^\W\d]"
    if found := re.findall(before_noun, clause, re.IGNORECASE):
        return str(found[0]) if len(found) == 1 else ""
    comes = words.regex(rf"\s<places.comes>\s({ordinals}|{last})\b")
    match = comes.match(binding.words[binding.at :])
    return match[1] if match else ""


def _is_list(tree: ast.expr, variables: Mapping[str, Any]) -> bool:
    """Return whether an expression is a list or array: a variable, or a value of a dictionary."""
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


def _keys(tree: ast.expr, variables: Mapping[str, Any]) -> Iterator[_Key | None]:
    """Yield the keys of the elements in an expression; None for an element without a key."""
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(ast.Name(owner), index):
                yield _key_of_element(owner, index, variables)
            case ast.Subscript(ast.Subscript() | ast.Attribute()):
                continue  # in `share["Oak"][0]`, the inner element has the key
            case ast.Subscript():
                yield None


def _key_of_argument(side: ast.expr, tree: ast.expr) -> _Key | None:
    """Return the key to which a function is applied, the ``Oak`` of ``count("Oak")``.

    Return None for any other side. All texts of the whole comparison (``tree``) count as its
    ``every``.
    """
    texts = [node.value for node in ast.walk(tree)
             if isinstance(node, ast.Constant) and isinstance(node.value, str)]  # fmt: skip
    match side:
        case ast.Call(ast.Name(), [ast.Constant(str(key))]):
            return _Key(key, tuple(dict.fromkeys(texts)))
    return None


def _key_of_element(owner: str, index: ast.expr, variables: Mapping[str, Any]) -> _Key | None:
    """Return the key of an element of a variable; None if it has none.

    An element of a list has the text at its beginning, as in a list of pairs, or the text at its
    place in the only other list of as many texts.
    """
    value: Any = variables.get(owner)
    try:
        key = ast.literal_eval(index)
    except ValueError:
        return None
    if isinstance(value, Mapping):
        keys = tuple(one for one in value if isinstance(one, str))
        return _Key(key, keys) if isinstance(key, str) else None
    if type(key) is not int or not hasattr(value, "__len__") or not -len(value) <= key < len(value):
        return None
    firsts = [one[0] for one in value if isinstance(one, (tuple, list)) and one]
    if len(firsts) == len(value) and all(isinstance(one, str) for one in firsts):
        return _Key(firsts[key], tuple(firsts))
    beside = [
        tuple(one) for name, one in variables.items()
        if name != owner and isinstance(one, (list, tuple)) and len(one) == len(value)
        and all(isinstance(text, str) for text in one)
    ]  # fmt: skip
    # The same names in another order are the result of a sort; of others, either may be meant.
    texts = beside[0] if len({tuple(sorted(one)) for one in beside}) == 1 else ()
    return _Key(texts[key], texts) if texts else None


def _clause(binding: Binding, words: Lexicon) -> str:
    """Return the clause before a comment, from the binding before it on."""
    ahead = binding.words[: binding.at]
    if not ahead.strip():  # another comment is directly before this one
        ahead = binding.sentence
    return clause_end(words, "joining", "contrasting", marks=",;:").split(ahead)[-1]


def _whole_sentence(binding: Binding) -> str:
    """Return the text before the comment, and that from the binding before it on, behind it too."""
    return f"{binding.sentence} {binding.words}"


def _names(text: str, key: str, words: Lexicon) -> bool:
    """Return whether a text names a key, or has a word that begins like one of its words.

    A part of fewer letters than `_BEGINNING` must be a whole word of the text, perhaps in the
    plural, or the beginning of a weekday or month.

    >>> texts = "On Monday it rains", "the share of oaks", "the teams", "birches"
    >>> [_names(text, key, lexicon()) for text, key in zip(texts, ("Mon", "oak_2", "tea", "Birch"))]
    [True, True, False, True]
    """
    return any(
        re.search(_pattern_of_part(part, words), text.lower())
        for part in re.split(r"[\W_]+", key.lower())
        if part
    )


def _pattern_of_part(part: str, words: Lexicon) -> str:
    """Return a pattern of the words that name a part of a key."""
    if len(part) >= _BEGINNING:
        return rf"\b{re.escape(part[:_BEGINNING])}"
    dates = [*words.words["dates"]["weekdays"], *words.words["dates"]["months"]]
    names = [part, *(name for name in dates if len(part) >= _NAME and name.startswith(part))]
    plurals = alternatives(words.words["grammar"]["plurals"])
    return rf"\b{alternatives(names)}(?:{plurals})?(?![^\W_])"
