"""The settings of a vault: ``vaultkit.toml`` in its folder or beside it, or ``[tool.vaultkit]``."""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from vaultkit.read.note import Note, strings_of

#: The checks that a vault can choose, and the kinds of results of each.
CHECKS = {
    "code": ("block", "output"),
    "equations": ("equation", "shape"),
    "form": ("form",),
    "formulas": ("formula",),
    "links": ("link",),
    "mirrors": ("mirror",),
    # Stated numbers, words bound to code, and numbers asked for.
    "numbers": ("number", "sentence", "comparison", "prediction", "distractor"),
}
#: The checks that compare a note with the values that its code computes.
OF_CODE = ("equations", "numbers")
#: Ways to treat a link to a missing note.
UNWRITTEN = ("fail", "mark", "plain")
#: Ways to treat a statement that cannot be judged.
UNJUDGED = ("count", "fail", "fail-all")
#: Longest time limit of a block, in seconds.
_LONGEST_TIMEOUT = 3600
#: Possible files of the settings; the first one that exists is used.
FILES = ("vaultkit.toml", "../vaultkit.toml", "../pyproject.toml")


class OptionsError(ValueError):
    """Invalid settings. The message names the file and the valid values.

    Parameters
    ----------
    message
        The message.
    name
        The setting that is invalid, if it is a single one.
    path, line
        The file of the settings, and the line of the error in it.
    """

    def __init__(
        self, message: str, name: str = "", path: Path | None = None, line: int = 1
    ) -> None:
        super().__init__(message)
        self.name, self.path, self.line = name, path, line


@dataclass(frozen=True)
class Options:
    """The settings of a vault.

    Attributes
    ----------
    checks
        Which checks run: names of `CHECKS`.
    folders
        The checks of the notes in a folder, which replace these; the deepest folder decides. There
        may be none.
    without_code
        Whether equations and numbers are also judged in notes without code, and in notes whose code
        is a listing; see `vaultkit.checks.listings`.
    timeout
        The time limit of a block, in seconds.
    trials
        The number of trials on other numbers.
    unwritten
        How to treat a link to a missing note: one of `UNWRITTEN`.
    unjudged
        How to treat a statement that can neither be proven nor contradicted: one of `UNJUDGED`;
        only the last one includes sentences that compare in words alone.
    unpublished
        Folders and patterns of paths that are not published.
    html
        Whether raw HTML in a note is passed to the page.
    template
        The path of the template for new notes, from the vault's folder.
    every_digit
        Whether outputs must show all digits of their numbers, not rounded ones.
    preamble
        The path of a file with TeX commands for the formulas of all notes.
    properties
        Whether a page shows the properties of its note, except those that are settings.
    coloured
        Names of arrays that get a class of their own in code and formulas, so that a
        style sheet can colour them: ``vk-of-Q``.
    curly_quotes
        Whether straight quotation marks in text are shown as curly ones.
    """

    checks: tuple[str, ...] = tuple(CHECKS)
    folders: tuple[tuple[str, tuple[str, ...]], ...] = ()
    without_code: bool = False
    timeout: float = 10.0
    trials: int = 0
    unwritten: str = "fail"
    unjudged: str = "count"
    unpublished: tuple[str, ...] = ()
    html: bool = True
    template: str = ""
    every_digit: bool = False
    preamble: str = "preamble.sty"
    properties: bool = True
    coloured: tuple[str, ...] = ()
    curly_quotes: bool = False

    @classmethod
    def read(cls, root: Path) -> Options:
        """Read the settings of the vault in a folder.

        Raises
        ------
        OptionsError
            If they cannot be parsed, or a value is invalid.
        """
        for name in FILES:
            path = root / name
            if not path.is_file():
                continue
            text = ""
            try:
                text = path.read_text(encoding="utf-8-sig")
                table = tomllib.loads(text)
                if path.name == "pyproject.toml":
                    table = table.get("tool", {}).get("vaultkit", {})
                return cls.from_table(table)
            except (OSError, ValueError) as error:
                name = getattr(error, "name", "")
                where = path.resolve()
                line = _line_of(name, str(error), text)
                raise OptionsError(f"{where}: {error}", name, where, line) from error
        return cls()

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Options:
        """Return the options of a parsed TOML table.

        Raises
        ------
        OptionsError
            If a setting is unknown, or its value is invalid.
        """
        defaults = {field.name: field.default for field in fields(cls)}
        for name in table:
            if name not in defaults:
                raise OptionsError(_describe_unknown("setting", name, defaults), name)
        given = {name: _parse_setting(name, value, defaults[name]) for name, value in table.items()}
        options = cls(**given)
        for name, known_values in (("unwritten", UNWRITTEN), ("unjudged", UNJUDGED)):
            if (value := getattr(options, name)) not in known_values:
                raise OptionsError(_describe_unknown(name, value, known_values), name)
        if not 0 < options.timeout <= _LONGEST_TIMEOUT:
            why = f"timeout: seconds, more than 0 and at most {_LONGEST_TIMEOUT}"
            raise OptionsError(why, "timeout")
        return options

    @property
    def is_strict(self) -> bool:
        """Whether a statement that cannot be judged is a failure."""
        return self.unjudged != "count"

    @property
    def fails_words(self) -> bool:
        """Whether a sentence that compares in words alone is a failure, too."""
        return self.unjudged == "fail-all"

    def toml(self) -> str:
        """Return the settings as the text of ``vaultkit.toml``."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        folders = values.pop("folders")
        lines = [f"{name} = {json.dumps(value)}" for name, value in values.items()]
        lines += ["[folders]", *(f"{json.dumps(n)} = {json.dumps(v)}" for n, v in folders)]
        return "\n".join(lines) + "\n"

    def requests_checks(self, note: Note, path: str) -> bool:
        """Return whether the checks of a note were requested explicitly.

        If so, the note is checked even without code. ``path`` is relative to the vault's root.
        """
        return self.without_code or bool(self.requested_checks(note, path))

    def requested_checks(self, note: Note, path: str) -> Iterable[str] | None:
        """Return the names of the checks that a note, or else its folder, requests.

        The folder is the deepest one around the note that has a setting. None means that neither
        requests any, so that the checks of the vault apply; a folder may request no checks at all.
        ``path`` is the note's path relative to the vault's root.
        """
        deepest_first = sorted(self.folders, key=lambda folder: -folder[0].count("/"))
        of_folder = (names for folder, names in deepest_first if _is_below(path, folder))
        return strings_of(note.meta.get("checks")) or next(of_folder, None)

    def is_published(self, note: Note, path: str) -> bool:
        """Return whether a note is published; its properties or its path may exclude it."""
        published, draft = (note.meta.get(name) for name in ("publish", "draft"))
        hidden = _is_word_for(published, False) or _is_word_for(draft, True)
        return not hidden and self.is_public_path(path)

    def is_public_path(self, path: str) -> bool:
        """Return whether the settings allow a path to be published."""
        return not any(_is_below(path, name) or fnmatch(path, name) for name in self.unpublished)


def unknown_checks(note: Note) -> Iterator[str]:
    """Yield the unknown names among the checks that a note requests."""
    for name in strings_of(note.meta.get("checks")):
        if name not in CHECKS:
            yield f"front matter: {_describe_unknown('check', name, CHECKS)}"


def kinds_of_results(names: Iterable[str]) -> frozenset[str]:
    """Return the kinds of results of checks."""
    return frozenset(kind for name in names for kind in CHECKS[name])


def _line_of(name: str, message: str, text: str) -> int:
    """Return the line of an error in the text of settings; 1 if it is not known.

    The message of TOML names the line; else the invalid setting ``name`` is searched for.
    """
    if match := re.search(r"at line (\d+)", message):
        return int(match[1])
    # `name = …`, `"name" = …` or `[name]`; a folder may end in a slash.
    setting = re.compile(rf"\s*\[?\s*[\"']?{re.escape(name)}/?[\"']?\s*[=\]]")
    lines = enumerate(text.split("\n"), 1)
    return next((number for number, line in lines if name and setting.match(line)), 1)


def _parse_setting(name: str, value: Any, default: Any) -> Any:
    """Return the value of a setting in the type of its default.

    Raises
    ------
    OptionsError
        If it has another type.
    """
    if name == "folders":
        if not isinstance(value, dict):
            raise OptionsError('folders: a table of folder = ["check", …]', name)
        folders = value.items()
        if not all(folder.strip("/") for folder, _ in folders):
            why = "folders: the checks of the whole vault are set by `checks`"
            raise OptionsError(why, name)
        return tuple((folder.strip("/"), _parse_checks(names, folder)) for folder, names in folders)
    if name == "checks":
        return _parse_checks(value, name)
    if isinstance(default, tuple):
        if not _are_words(value):
            raise OptionsError(f"{name}: a list of words, not {value!r}", name)
        return tuple(value)
    if isinstance(default, float) and type(value) in (int, float):
        return float(value)
    if type(value) is not type(default):
        raise OptionsError(f"{name}: {type(default).__name__}, not {value!r}", name)
    return value


def _parse_checks(value: Any, setting: str) -> tuple[str, ...]:
    """Return the names of checks in a setting: one name, or a list of names."""
    names = [value] if isinstance(value, str) else value
    if not _are_words(names):
        raise OptionsError(f"a list of checks, not {value!r}", setting)
    for name in names:
        if name not in CHECKS:
            raise OptionsError(_describe_unknown("check", name, CHECKS), setting)
    return tuple(names)


def _are_words(value: Any) -> bool:
    """Return whether a value is a list of strings."""
    return isinstance(value, list | tuple) and all(isinstance(word, str) for word in value)


def _is_below(path: str, folder: str) -> bool:
    """Return whether a path is a folder or below it."""
    folder = folder.strip("/")
    return path == folder or path.startswith(f"{folder}/")


def _is_word_for(value: Any, truth: bool) -> bool:
    """Return whether the value of a property means ``truth``, as a Boolean or as a word.

    >>> _is_word_for("Yes", True), _is_word_for(False, False), _is_word_for("maybe", False)
    (True, True, False)
    """
    words = {True: ("true", "yes", "on"), False: ("false", "no", "off")}[truth]
    return value is truth or str(value).strip().lower() in words


def _describe_unknown(what: str, name: str, known: Iterable[str]) -> str:
    """Return the message that a name is not a known one.

    >>> _describe_unknown("check", "link", ["links", "code"])
    "check 'link' is not one of code, links; did you mean 'links'?"
    """
    near = difflib.get_close_matches(name, list(known), n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"{what} {name!r} is not one of {', '.join(sorted(known))}{hint}"
