"""What the checks of a note rest on: the one rule of whether they are still true.

`rests_on` names everything that can change a check of a note, each with a function that returns
its present state, a *fact*. Checks are fresh as long as the `fingerprint` of all states is the
same. The names also show which notes a changed file affects (`vaultkit.pipeline.changed`).
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, partial
from importlib import metadata
from pathlib import Path

import numpy as np

from vaultkit.checks import cited, mirrors
from vaultkit.checks.listings import checks_of
from vaultkit.read.note import Note
from vaultkit.read.vault import BrokenLinkError, Vault
from vaultkit.store import code_digest, key_of

#: By its name, a function that returns the state of something.
Facts = Mapping[str, Callable[[], str]]
#: The name of a fact of notes with broken links.
BROKEN = "broken"
#: Matches an import: ``from a.b import c`` with *a*, or ``import a.b as d, e`` with the list of
#: modules. A session has ``>>>`` before it.
_IMPORT = re.compile(
    r"^[\s>]*(?:from[ \t]+(?P<package>\w+)|import[ \t]+(?P<modules>[^#\n]+))", re.MULTILINE
)
#: The name of a package in a requirement such as ``numpy>=2; python_version > "3"``.
_PACKAGE = re.compile(r"[\w.-]+")
#: What all results rest on.
_ENVIRONMENT: Facts = {
    "engine": lambda: code_digest(Path(__file__).parents[1]).hex(),
    "python": lambda: sys.version.split()[0],
    "numpy": lambda: str(np.__version__),
}


def rests_on(note: Note, vault: Vault, read: Iterable[Path] = ()) -> Facts:
    """Return everything that the checks of a note rest on.

    Parameters
    ----------
    note, vault
        The note, and its vault.
    read
        The files in or beside the vault that its code has read, modules included.

    Returns
    -------
    dict
        By name, a function that returns the present state. ``file:``, ``folder:`` and ``module:``
        name what its code uses, relative to the folder beside the vault; ``link:`` the files that
        it links to, relative to the vault; ``called:`` the names in its links, and its own.
    """
    facts: dict[str, Callable[[], str]] = {
        **_ENVIRONMENT,
        "note": lambda: note.digest,
        "options": partial(_state_of_options, note, vault),
    }
    beside = vault.root.parent
    files = files_of(note, vault, read)
    for path in files:
        facts[f"file:{relative_name(path, beside)}"] = partial(_digest_of_file, path)
        if path.parent != beside:  # files beside the vault change often
            facts[f"folder:{relative_name(path.parent, beside)}"] = partial(
                _names_in_folder, path.parent
            )
    sources = [block.fence.text for block in note.blocks]
    sources += [_read_text(path) for path in files if path.suffix == ".py"]
    for name in {name for source in sources for name in _imported_modules(source)}:
        facts[f"module:{name}"] = partial(_state_of_module, name, beside)
    for link in (*note.links, *vault.links_in_drawings(note)):
        called = f"called:{link.target.rpartition('/')[2].casefold()}"
        try:
            path = vault.find(link.target, note.path)
        except BrokenLinkError:
            facts[called] = facts[BROKEN] = str  # whose state is empty
            continue
        relative = vault.relative(path)
        facts[called] = partial(str, relative)  # another file of this name would get the link
        # Of another note, a link needs the headings and the marks of blocks; of another file, all.
        other = vault.notes.get(path)
        if other is None:
            facts[f"link:{relative}"] = partial(_digest_of_file, path)
        elif other.path != note.path:
            facts[f"link:{relative}"] = partial(getattr, other, "outline")
    for other in cited.quoted_notes(note, vault).values():
        facts[f"cited:{vault.relative(other.path)}"] = partial(cited.hash_of_numbers, other)
    # An alias that another note has is a failure.
    for name in {name.casefold() for name in (note.name, *note.aliases)}:
        others = [vault.relative(path) for path in vault.notes_by_name[name] if path != note.path]
        if others:
            facts[f"called:{name}"] = partial(repr, sorted(others))
    return facts


def rests_on_module(module: str, beside: Path) -> Facts:
    """Return everything that the values of a module rest on.

    Parameters
    ----------
    module, beside
        The name of the module, and the folder that contains it.

    Returns
    -------
    dict
        As for `rests_on`: all files of the modules in the folder that are imported, with the data
        that lie among them, and the versions of installed packages.
    """
    facts = dict(_ENVIRONMENT)
    waiting = [module.partition(".")[0]]
    for name in waiting:  # which grows in the loop
        is_engine = name == __name__.partition(".")[0]  # a fact of the environment
        if f"module:{name}" in facts or is_engine:
            continue
        facts[f"module:{name}"] = partial(_state_of_module, name, beside)
        for path in (beside / f"{name}.py", *(beside / name).rglob("*")):
            if path.is_file() and path.parent.name != "__pycache__":
                facts[f"file:{relative_name(path, beside)}"] = partial(_digest_of_file, path)
                waiting += _imported_modules(_read_text(path)) if path.suffix == ".py" else ()
    return facts


def files_of(note: Note, vault: Vault, read: Iterable[Path]) -> set[Path]:
    """Return the files that the code of a note has read, and those that its blocks show."""
    return {*read, *mirrors.mirrored_files(note, vault.root.parent)}


def fingerprint(facts: Facts) -> bytes:
    """Return the fingerprint of the present state of everything that checks rest on."""
    states = {name: state() for name, state in facts.items()}
    return key_of(sorted(states.items()))


def relative_name(path: Path, folder: Path) -> str:
    """Return the path of a file relative to a folder, with forward slashes."""
    return path.relative_to(folder).as_posix()


def uses_local_modules(facts: Facts) -> bool:
    """Return whether code imports or shows modules beside the vault."""
    if any(name.startswith("file:") for name in facts):
        return True
    modules = [state for name, state in facts.items() if name.startswith("module:")]
    return any(not state().startswith(_NOT_LOCAL) for state in modules)


def _state_of_options(note: Note, vault: Vault) -> str:
    """Return the settings that decide about the checks of a note, and the checks, as a text."""
    options, path = vault.options, vault.relative(note.path)
    return repr((
        sorted(checks_of(note, options, path)),
        options.requests_checks(note, path),
        options.every_digit, options.timeout, options.trials,
        options.unwritten, options.unjudged, vault.preamble,
    ))  # fmt: skip


def _imported_modules(source: str) -> Iterator[str]:
    r"""Yield the first names of the modules that a source imports.

    >>> list(_imported_modules("import a.b as c, d  # e\nfrom f.g import h\n>>> import i"))
    ['a', 'd', 'f', 'i']
    """
    for found in _IMPORT.finditer(source):
        for name in (found["package"] or found["modules"]).split(","):
            if first := re.match(r"\s*(\w+)", name):
                yield first[1]


#: The state of a module that is neither a folder nor a file beside the vault.
_NOT_LOCAL = "00"


def _state_of_module(name: str, beside: Path) -> str:
    """Return whether a module is a folder or a file beside the vault, else its version.

    The state is two digits, and for an installed package the versions: ``10`` for a folder, ``01``
    for a file, ``00[('numpy', '2.3.0')]``.
    """
    local = f"{(beside / name).is_dir():d}{(beside / f'{name}.py').is_file():d}"
    is_installed = local == _NOT_LOCAL and name not in sys.stdlib_module_names
    return local + (_versions(name) if is_installed else "")


@cache
def _versions(name: str) -> str:
    """Return the versions of an installed package and of all that it requires, as a text.

    The version of a required package that is not installed is empty.
    """
    versions: dict[str, str] = {}
    waiting = [name] if _is_in_own_distribution(name) else [*_distributions().get(name, ())]
    while waiting:
        package = waiting.pop()
        if package not in versions:
            versions[package] = ""
            with suppress(metadata.PackageNotFoundError):
                distribution = metadata.distribution(package)
                versions[package] = distribution.version
                # Those of an extra, `pytest; extra == "test"`, are optional.
                required = (text for text in distribution.requires or () if "extra" not in text)
                waiting += [word[0] for text in required if (word := _PACKAGE.match(text))]
    return repr(sorted(versions.items()))


def _is_in_own_distribution(name: str) -> bool:
    """Return whether a package is in the distribution of the same name, as most are."""
    with suppress(metadata.PackageNotFoundError):
        return any(path.parts[0] == name for path in metadata.distribution(name).files or ())
    return False


@cache
def _distributions() -> Mapping[str, list[str]]:
    """Return which distributions provide each package; reading them takes a third of a second."""
    return metadata.packages_distributions()


def _digest_of_file(path: Path) -> str:
    """Return the digest of a file; empty if it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def _read_text(path: Path) -> str:
    """Return the text of a file; empty if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _names_in_folder(folder: Path) -> str:
    """Return the names in a folder as one text; empty if it cannot be read."""
    try:
        return repr(sorted({path.name for path in folder.iterdir()} - {"__pycache__"}))
    except OSError:
        return ""
