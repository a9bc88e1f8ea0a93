r"""Changes one thing at a time in a vault, and reports what no check noticed.

``python -m vaultkit.mutants.notes docs --code snippets --tests tests/snippets``

Notes are changed in memory: a digit of an output or of a number in prose, a sign, exponent,
transpose, index, symbol or number of an equation, a dimension of a shape, the target of a link.
Code is changed in a copy of the tree: an operator, a constant, an axis. Nothing is written to the
working tree but the cache, which lets a run that was stopped go on.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import hashlib
import io
import json
import multiprocessing
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, astuple, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from vaultkit.checks import outputs
from vaultkit.checks.check import FAILS, Check
from vaultkit.inspect import Judges, Settings, inspect_text
from vaultkit.read.markdown import parse
from vaultkit.read.note import Block, Formula, Note
from vaultkit.read.syntax import QUANTITY
from vaultkit.read.vault import Vault
from vaultkit.run.session import NoteRun, Step
from vaultkit.site.mathematics import to_mathml
from vaultkit.tex import Membership, TexError
from vaultkit.tex import parse as parse_tex

#: What share of the mutants of a kind the checks must notice.
TARGETS = {"output": 1.0, "shape": 1.0, "link": 1.0, "number": 0.98, "equation": 0.95, "code": 0.95}
_SETTINGS = Settings(typeset=to_mathml)
KILLED, SURVIVED, SAME = "killed", "survived", "says the same"


@dataclass(frozen=True)
class Mutant:
    """One change: in a file, on a line, from one text to another at a place of the file."""

    kind: str
    path: str
    line: int
    start: int
    before: str
    after: str

    def apply(self, text: str) -> str:
        """Return the text of the file with the change."""
        assert text[self.start : self.start + len(self.before)] == self.before
        return text[: self.start] + self.after + text[self.start + len(self.before) :]

    def __str__(self) -> str:
        """Say where it is and what it changes."""
        before, after = (" ".join(t.split()) or "nothing" for t in (self.before, self.after))
        return f"{self.path}:{self.line}: {self.kind}: {before} → {after}"


# --- Changes of notes ---------------------------------------------------------------------------


def note_mutants(note: Note, name: str, rng: random.Random) -> Iterator[Mutant]:
    """Make every change of a note: one for each number, several for each formula and link."""
    text = "\n".join(note.lines) + "\n"
    starts = [0]
    for line in note.lines:
        starts.append(starts[-1] + len(line) + 1)
    make = partial(_mutant, text, name, starts)
    for block in note.blocks:
        if block.output:
            first, last = block.output.line, block.output.end - 1
            for found in outputs.NUMBER.finditer(text, starts[first], starts[last]):
                if found[0].lstrip("+-")[0].isdigit():
                    at = found.start() + _digit(found[0], rng)
                    yield make("output", at, text[at], _other_digit(text[at], rng))
    for quantity in note.quantities:
        if not quantity.given:
            at = text.find(quantity.text, starts[quantity.line - 1])
            if at >= 0 and QUANTITY.match(text, at):
                at += _digit(quantity.text, rng)
                yield make("number", at, text[at], _other_digit(text[at], rng))
    symbols = sorted(_symbols(note.formulas))
    place = 0
    for formula in note.formulas:
        place = text.find(formula.tex, max(place, starts[formula.line - 1]))
        if place < 0 or formula.not_run:
            place = starts[formula.line - 1]
            continue
        try:
            statements = parse_tex(formula.tex)
        except TexError:
            continue
        if statements:
            shapes = all(isinstance(statement, Membership) for statement in statements)
            kind = "shape" if shapes else "equation"
            for at, before, after in formula_changes(formula.tex, symbols, kind, rng):
                yield make(kind, place + at, before, after)
    for link in note.links:
        written = link.target or link.sub
        begin = starts[link.line - 1]
        opening = ("[[" if link.target else "[[#") if link.wiki else "]("
        for target in (written, written.replace(" ", "%20")):
            at = text.find(opening + target, begin) + len(opening)
            if written and at >= len(opening) and len(target) > 1:
                letter = at + rng.randrange(len(target))
                if text[letter].isalpha():
                    other = "" if rng.random() < 0.5 else "x" if text[letter] in "qQ" else "q"
                    yield make("link", letter, text[letter], other)
                break


def _mutant(
    text: str, name: str, starts: list[int], kind: str, at: int, before: str, after: str
) -> Mutant:
    line = int(np.searchsorted(starts, at, side="right"))
    assert text[at : at + len(before)] == before
    return Mutant(kind, name, line, at, before, after)


def _digit(number: str, rng: random.Random) -> int:
    mantissa = re.split("[eE×·%]", number)[0]
    return rng.choice([i for i, c in enumerate(mantissa) if c.isdigit()])


def _other_digit(digit: str, rng: random.Random) -> str:
    return rng.choice([d for d in "0123456789" if d != digit])


_SYMBOL = re.compile(
    r"\\text\{[^{}]+\}(?!\s*\()|\\(?:alpha|omega|sigma|mu|gamma|beta|theta)\b|"
    r"(?<![A-Za-z\\])[A-Za-z]_(?:\{\\text\{\w+\}\}|\{?[A-Z]\}?|k|v)(?![A-Za-z])|"
    r"(?<![A-Za-z\\{_^])[A-Zdhmnqkvxz](?![A-Za-z_])"
)


def _symbols(formulas: Iterable[Formula]) -> set[str]:
    spaced = (formula.tex.replace("^{", "^{ ") for formula in formulas)
    return {found[0] for tex in spaced for found in _SYMBOL.finditer(tex)}


def formula_changes(
    tex: str, symbols: list[str], kind: str, rng: random.Random
) -> Iterator[tuple[int, str, str]]:
    """Make the changes of a formula: where, what, and what comes in its place."""
    if kind == "shape":
        begin = tex.find(r"\mathbb{R}^{") + len(r"\mathbb{R}^{")
        for found in _SYMBOL.finditer(tex[begin:]):
            others = [s for s in symbols if s != found[0] and re.match(r"[dhmn]", s)]
            if others:
                yield begin + found.start(), found[0], rng.choice(others)
            yield begin + found.start(), found[0], f"2 {found[0]}"
        return
    for found in re.finditer(r"\^\{?\\top\}?|\^T", tex):
        yield found.start(), found[0], ""
    for found in re.finditer(r"(?<![{=(&^_,\s])\s*([+-])", tex):
        yield found.start(1), found[1], "-" if found[1] == "+" else "+"
    for found in re.finditer(r"\^\{?(\d)\}?(?!\))", tex):
        yield found.start(1), found[1], "3" if found[1] == "2" else "2"
    for found in re.finditer(r"\\sqrt(?=\{)", tex):
        yield found.start(), found[0], ""
    for found in re.finditer(r"_\{([a-z])([a-z])\}", tex):
        if found[1] != found[2]:
            yield found.start(1), found[1] + found[2], found[2] + found[1]
    for found in re.finditer(r"_\{[a-z]\s*=\s*(\d)\}", tex):
        yield found.start(1), found[1], str(int(found[1]) + 1)
    for found in re.finditer(r"(?<![\w^\\.{=])\d+(?:\.\d+)?(?![\w.])", tex):
        at = found.start() + _digit(found[0], rng)
        yield at, tex[at], _other_digit(tex[at], rng)
    for found in _SYMBOL.finditer(tex):
        others = [s for s in symbols if s != found[0]]
        if others:
            yield found.start(), found[0], rng.choice(others)


# --- Judging changes of notes -------------------------------------------------------------------


def judge_note(vault: Vault, note: Note, mutants: list[Mutant]) -> list[str]:
    """Tell of each change of a note whether a check notices it; the note runs but once.

    None of these changes touches code, so the blocks of all of them do the same.
    """
    text = "\n".join(note.lines) + "\n"
    original = _Witness(parse(text, note.path))
    changed = [_Witness(parse(mutant.apply(text), note.path)) for mutant in mutants]
    running = NoteRun(note, watchers=[w.look for w in (original, *changed)])
    running.finish()
    if original.notices(vault, running):
        raise ValueError(f"{note.path} fails as it is; mend it first")
    verdicts = []
    for mutant, witness in zip(mutants, changed, strict=True):
        noticed = witness.notices(vault, running) or len(witness.note.blocks) != len(note.blocks)
        if noticed:
            verdicts.append(KILLED)
        else:
            if mutant.kind == "link":  # by an alias, to the same note
                same = witness.leads(vault) == original.leads(vault)
            else:
                same = mutant.kind in ("equation", "shape") and witness.says_the_same(original)
            verdicts.append(SAME if same else SURVIVED)
    return verdicts


class _Witness:
    """The checks of one version of a note."""

    def __init__(self, note: Note) -> None:
        self.note = note
        self.judges = Judges(note)
        self.values: dict[str, Any] = {}

    def look(self, block: Block, steps: list[Step], variables: Mapping[str, Any]) -> None:
        self.judges.look(block, steps, variables)
        for name, value in variables.items():
            if isinstance(value, (int, float, np.ndarray, np.number)):
                self.values[name] = value

    def notices(self, vault: Vault, running: NoteRun) -> bool:
        return any(check.outcome == FAILS for check in self.checks(vault, running))

    def checks(self, vault: Vault, running: NoteRun) -> Iterator[Check]:
        """Find what there is to find, on one run for all versions."""
        yield from inspect_text(self.note, vault, _SETTINGS)
        yield from self.judges.check()
        for index, block in enumerate(self.note.blocks):
            shown = block.output.text if block.output else None
            steps = running.steps(index)
            if block.kind == "python":
                steps = [replace(step, shown=shown) for step in steps]
            yield from outputs.check(index, block, steps, 0.0)

    def leads(self, vault: Vault) -> list[Path]:
        """Find where the links of the note lead."""
        return [vault.find(link.target, self.note.path) for link in self.note.links]

    def says_the_same(self, original: _Witness) -> bool:
        """Tell whether a symbol gave way to another of the very same value: that is no error."""
        pairs = zip(original.judges.equations.claims, self.judges.equations.claims, strict=False)
        for old, new in pairs:
            if old.statement == new.statement or not old.verdict or not new.verdict:
                continue
            values = [self._bound(claim.verdict.bound) for claim in (old, new) if claim.verdict]
            if values[0] != values[1]:
                return False
        return len(original.judges.equations.claims) == len(self.judges.equations.claims)

    def _bound(self, names: tuple[str, ...]) -> list[bytes]:
        values = [np.asarray(self.values.get(told.split()[0], 0.0)) for told in names]
        return sorted({v.astype(float).tobytes() for v in values if v.dtype.kind in "biuf"})


def _judge(job: tuple[Path, str, list[Mutant]]) -> list[tuple[Mutant, str]]:
    root, name, mutants = job
    with contextlib.redirect_stdout(io.StringIO()):
        vault = _vault(root)
        verdicts = judge_note(vault, vault.notes[vault.root / name], mutants)
    return list(zip(mutants, verdicts, strict=True))


_vaults: dict[Path, Vault] = {}


def _vault(root: Path) -> Vault:
    if root not in _vaults:
        _vaults[root] = Vault(root)
    return _vaults[root]


# --- Changes of code ----------------------------------------------------------------------------

_OPERATORS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"),
    ast.MatMult: ("@", "*"), ast.Pow: ("**", "*"), ast.FloorDiv: ("//", "*"), ast.Mod: ("%", "*"),
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.And: ("and", "or"), ast.Or: ("or", "and"),
    ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"), ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
}  # fmt: skip


def code_mutants(source: str, name: str) -> Iterator[Mutant]:
    """Make the changes of a module: operators, constants, axes; no annotations, no messages."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def place(line: int, column: int) -> int:
        text = source[starts[line - 1] : starts[line]]
        return starts[line - 1] + len(text.encode()[:column].decode())

    tree = ast.parse(source)
    skipped = {id(inner) for node in ast.walk(tree) for inner in _not_code(node)}
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        pairs: list[tuple[ast.AST, ast.expr, ast.expr]] = []
        if isinstance(node, ast.BinOp):
            pairs = [(node.op, node.left, node.right)]
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            pairs = [(node.ops[0], node.left, node.comparators[0])]
        elif isinstance(node, ast.BoolOp):
            pairs = [(node.op, node.values[0], node.values[1])]
        for op, left, right in pairs:
            if type(op) not in _OPERATORS:
                continue
            before, after = _OPERATORS[type(op)]
            begin = place(left.end_lineno or 0, left.end_col_offset or 0)
            at = source.find(before, begin, place(right.lineno, right.col_offset))
            if at >= 0:
                yield Mutant("code", name, source.count("\n", 0, at) + 1, at, before, after)
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            at = place(node.lineno, node.col_offset)
            before = source[at : place(node.end_lineno or 0, node.end_col_offset or 0)]
            value = node.value
            after = str(not value) if isinstance(value, bool) else repr(value + 1)
            yield Mutant("code", name, node.lineno, at, before, after)


def _not_code(node: ast.AST) -> Iterator[ast.AST]:
    """Find what stands below a node, but is words or types."""
    match node:
        case ast.Raise() | ast.JoinedStr():
            yield from ast.walk(node)
        case ast.arg(annotation=annotation) | ast.AnnAssign(annotation=annotation) if annotation:
            yield from ast.walk(annotation)
        case ast.FunctionDef(returns=returns) if returns:
            yield from ast.walk(returns)


def _judge_code(job: tuple[Path, list[str], Mutant]) -> list[tuple[Mutant, str]]:
    tree, tests, mutant = job
    path = _copy(tree, tests) / mutant.path
    source = path.read_text(encoding="utf-8")
    path.write_text(mutant.apply(source), encoding="utf-8")
    try:
        return [(mutant, SURVIVED if _passes(_copy(tree, tests), tests) else KILLED)]
    finally:
        path.write_text(source, encoding="utf-8")


def _passes(folder: Path, tests: list[str]) -> bool:
    """Tell whether all tests pass; one that does not end in time does not."""
    for test in tests:
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", test]
        try:
            if subprocess.run(command, cwd=folder, capture_output=True, timeout=300).returncode:
                return False
        except subprocess.TimeoutExpired:
            return False
    return True


_copies: dict[Path, Path] = {}


def _copy(tree: Path, tests: list[str]) -> Path:
    """Return this worker's own copy of the tree, in which all is well."""
    if tree not in _copies:
        folder = Path(tempfile.mkdtemp(prefix="mutants-"))
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
            cwd=tree, capture_output=True, check=True, text=True,
        )  # fmt: skip
        for name in filter(None, listed.stdout.split("\0")):
            if (tree / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(tree / name, folder / name)
        if not _passes(folder, tests):
            raise ValueError(f"{' or '.join(tests)} fails as it is; mend it first")
        _copies[tree] = folder
    return _copies[tree]


# --- The whole ----------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> int:
    """Make all changes, judge them, report; return 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m vaultkit.mutants.notes")
    parser.add_argument("vault", type=Path)
    parser.add_argument("--code", nargs="*", default=[], help="folders or files of code to change")
    parser.add_argument("--tests", nargs="*", default=[], help="tests that may notice, with notes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--cache", type=Path, default=Path(".cache/vaultkit/mutants.json"))
    options = parser.parse_args(arguments)

    vault = Vault(options.vault)
    tree = Path.cwd()
    notes = [note for note in vault.notes.values() if note.path.suffix == ".md"]
    jobs: list[tuple[Callable[[Any], list[tuple[Mutant, str]]], Any, str]] = []
    for note in notes:
        name = vault.relative(note.path)
        rng = random.Random(f"{options.seed} {name}")
        mutants = list(note_mutants(note, name, rng))
        if mutants:
            jobs.append((_judge, (vault.root, name, mutants), _key(mutants, note.text)))
    for folder in options.code:
        files = sorted(Path(folder).rglob("*.py")) if Path(folder).is_dir() else [Path(folder)]
        for path in files:
            source = path.read_text(encoding="utf-8")
            for mutant in code_mutants(source, path.as_posix()):
                tests = [str(options.vault), *options.tests]
                jobs.append((_judge_code, (tree, tests, mutant), _key([mutant], source)))

    known = json.loads(options.cache.read_text()) if options.cache.is_file() else {}
    results: list[tuple[Mutant, str]] = []
    todo = []
    for job in jobs:
        if job[2] in known:
            results += [(Mutant(*row), verdict) for row, verdict in known[job[2]]]
        else:
            todo.append(job)
    options.cache.parent.mkdir(parents=True, exist_ok=True)
    with (
        multiprocessing.get_context("spawn").Pool(options.jobs) as pool,
        tqdm(total=len(jobs), initial=len(jobs) - len(todo), unit="job", leave=False) as bar,
    ):
        for key, found in pool.imap_unordered(_work, todo):
            results += found
            known[key] = [(list(astuple(mutant)), verdict) for mutant, verdict in found]
            options.cache.write_text(json.dumps(known))
            bar.update()
    return _report(results)


def _work(job: tuple[Callable[[Any], Any], Any, str]) -> tuple[str, list[tuple[Mutant, str]]]:
    function, arguments, key = job
    return key, function(arguments)


def _key(mutants: list[Mutant], text: str) -> str:
    told = json.dumps([asdict(mutant) for mutant in mutants]) + text
    return hashlib.sha256(told.encode()).hexdigest()


def _report(results: list[tuple[Mutant, str]]) -> int:
    missed = 0
    for kind, target in TARGETS.items():
        counts = Counter(verdict for mutant, verdict in results if mutant.kind == kind)
        meant = counts[KILLED] + counts[SURVIVED]
        if not meant:
            continue
        share = counts[KILLED] / meant
        verdict = "" if share >= target else f", short of {target:.0%}"
        same = f" ({counts[SAME]} said the same)" if counts[SAME] else ""
        print(f"{kind:9} {counts[KILLED]:5} of {meant:5} noticed: {share:.2%}{verdict}{same}")
        missed += share < target
    survivors = sorted((m for m, v in results if v == SURVIVED), key=lambda m: (m.path, m.line))
    for mutant in survivors:
        print(f"survived: {mutant}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
