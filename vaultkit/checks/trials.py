"""Judges the equations and shapes of a note again, on runs with other numbers.

A statement that holds in every trial holds in general (`GENERAL`), others on this page (`HERE`).
Every second trial also changes sizes. Not all sizes can change at once, since some arrays are
written out, and some sizes are products of others. So all are changed together first; if the note
raises an error then, one by one and in pairs.

A *claim* is a statement of a formula; a *trial* is a run of the note on one set of other numbers
(a `Variation`); a *size* is a variable that is the length of an axis, or that a claim names as one.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeGuard

from vaultkit.checks.bindings import Bindings
from vaultkit.checks.equations import Claim, Equations
from vaultkit.checks.observed_shapes import ObservedShapes
from vaultkit.checks.shapes import Shapes
from vaultkit.read.note import Note
from vaultkit.run.session import NoteRun
from vaultkit.run.variation import (
    DOUBLED,
    GROWN,
    Variation,
    functions_of,
    sizes_of,
    varied_modules,
)
from vaultkit.tex.tree import Membership, Node, Reduce, Subscript, Symbol, walk

#: Most pairs of sizes that are tried.
_MOST_PAIRS = 24


def try_others(
    note: Note,
    versions: Sequence[Equations],
    count: int,
    *,
    shapes: Sequence[Shapes] = (),
    sentences: Sequence[Bindings] = (),
    root: Path,
    timeout: float,
    broken: Collection[int] = (),
    beat: Callable[[int, float], None] = lambda _index, _seconds: None,
) -> None:
    """Run a note on other numbers, and store the results in its claims and shapes.

    Parameters
    ----------
    note
        The note.
    versions
        The judged equations of the note, and of variants that differ only in equations.
    count
        The number of sets of other numbers.
    shapes
        The shapes of the note, and of variants that differ only in shapes.
    sentences
        The words of the note that are bound to code.
    root
        The folder whose modules also get other numbers.
    timeout
        The time limit of a block, in seconds.
    broken
        The blocks that raise an error on the note's own numbers.
    beat
        Called before each block with its index and its time limit in seconds.
    """
    if count <= 0:
        return
    trials = _Trials(note, versions, shapes, sentences, root, timeout, broken, beat)
    for trial in range(1, count + 1):
        trials.make(trial)
    trials.store_results()


@dataclass
class _Run:
    """A run of the note on other numbers.

    Attributes
    ----------
    variation
        How its numbers differ from those of the note.
    versions
        The equations, judged on this run: copies of those of `_Trials.versions`.
    end
        The index of a block that raised an error, after which nothing was judged; None if the run
        came to its end.
    """

    variation: Variation
    versions: list[Equations]
    end: int | None = None

    @property
    def is_whole(self) -> bool:
        """Return whether the run came to its end."""
        return self.end is None


class _Trials:
    """Runs a note on other numbers, and compares what its claims say on each run.

    The parameters are those of `try_others`.
    """

    def __init__(
        self, note: Note, versions: Sequence[Equations], shapes: Sequence[Shapes],
        sentences: Sequence[Bindings], root: Path,
        timeout: float, broken: Collection[int], beat: Callable[[int, float], None],
    ) -> None:  # fmt: skip
        self.note = note
        self.versions = versions
        self.shapes = shapes
        self.sentences = sentences
        self.root = root
        self.timeout = timeout
        self.broken = broken
        self.beat = beat
        self.runs: list[_Run] = []
        stated = {n for v in versions for c in v.claims for n in _names(c) & v.sizes}
        stated |= {name for own in shapes for name in own.size_names()}
        stated |= {n for bound in sentences for v in versions for n in bound.names() & v.sizes}
        sources = [block.fence.text for block in note.blocks]
        factors, written = sizes_of(sources, stated)
        equal = {
            name
            for _, _, claim in self.claims()
            for size in {claim.sizes.get(name) for name in _names(claim)} - {None}
            for name in written
            if claim.sizes.get(name) == size
        }
        #: The sizes in statements, those equal to one of them, and those that may change with them.
        self.sizes = sorted(stated | factors | equal)
        self.partners = sorted(written.difference(self.sizes))
        self.functions = frozenset(functions_of(sources))
        #: Whether the note runs with other values of named floats, and with other data.
        self.numbers = self.data = True
        #: The changes of sizes with which the note runs without an error.
        self.fitting: list[Variation] = []

    def make(self, trial: int) -> None:
        """Run the note once on other numbers: with other sizes in every second trial."""
        plain = Variation(trial, numbers=self.numbers, functions=self.functions)
        if trial == 2 and self.search(plain):
            return
        if trial % 2 == 0 and self.fitting:
            # Which sizes fit does not depend on the values, so each fitting change is used in turn.
            turn = self.fitting[(trial // 2 - 1) % len(self.fitting)]
            if self.run(replace(turn, trial=trial)):
                return
        # Other data may be indices or lengths; if the note raises an error, only numbers change.
        if self.data and self.numbers:
            self.data = self.run(replace(plain, data=True))
            if self.data:
                return
        if not self.run(plain) and self.numbers:
            self.numbers = False
            self.run(replace(plain, numbers=False))

    def search(self, plain: Variation) -> bool:
        """Find the changes of sizes that let the note run; return whether there are any.

        All sizes are changed at once; if the note does not run so, each is changed alone, then in a
        pair with another one; at last, all grow.
        """

        def fits(names: Collection[str], place: int | None = None) -> bool:
            """Return whether the note runs to the end with changed sizes; if so, record the change.

            ``place`` is the kind of change, the same for all sizes; None: a different one for each.
            """
            places = {
                name: rank if place is None else place for rank, name in enumerate(sorted(names))
            }
            changed = replace(plain, places=places)
            if names and self.run(changed):
                self.fitting.append(changed)
                return True
            return False

        if self.sizes and not fits(self.sizes):
            fits_alone = {
                name: fits([name]) for name in self.sizes if name in self.unchanged_sizes()
            }
            stuck = [name for name, does_fit in fits_alone.items() if not does_fit]
            # Begin with pairs of which neither can change alone.
            others = sorted(
                {*self.sizes, *self.partners}, key=lambda name: fits_alone.get(name, True)
            )
            pairs = {frozenset((name, other)): None for name in stuck for other in others}
            for pair in itertools.islice((p for p in pairs if len(p) == 2), _MOST_PAIRS):
                if self.unchanged_sizes().intersection(pair):
                    fits(pair, DOUBLED)
        # At last, with literal arrays that are longer: along one axis only if that is not enough.
        all_sizes = dict.fromkeys((*self.sizes, *self.partners), GROWN)
        has_grown = False
        for grows, places in (("all", all_sizes), ("columns", {}), ("rows", {})):
            if not has_grown or self.unchanged_sizes():
                has_grown |= self.run(replace(plain, places=places, grows=grows))
        return bool(self.fitting)

    def unchanged_sizes(self) -> set[str]:
        """Return the sizes that no run has changed yet, or not independently of others."""
        unchanged = set()
        for version, index, claim in self.claims():
            runs = self.judged(version, index, to_the_end=True)
            kept = self.unvaried(claim, runs, lengths=True)
            sizes = {claim.sizes.get(name) for name in kept} - {None}
            unchanged |= kept | {name for name in self.sizes if claim.sizes.get(name) in sizes}
        changed = {name for variation in self.fitting for name in variation.places}
        for stated in self.shapes:
            unchanged |= stated.size_names() - changed
        return unchanged

    def run(self, variation: Variation) -> bool:
        """Run the note on other numbers; return whether it runs to the end."""
        copies = [Equations(version.note, version.macros) for version in self.versions]
        observed = ObservedShapes(self.note)
        shapes, bindings = Shapes(observed), Bindings(self.note)
        run = _Run(variation, copies)
        observers: list[Any] = [*copies]
        observers += [observed, shapes] if self.shapes else []
        observers += [bindings] if self.sentences else []
        session = NoteRun(self.note, self.timeout, variation.rewrite, beat=self.beat)
        shapes.call = bindings.call = session.call
        for equations in copies:
            equations.call = session.call
            equations.expressions = []  # expressions without a relation state nothing
        with varied_modules(self.root, variation):
            for index, block in enumerate(self.note.blocks):
                steps = session.steps(index)
                if any(step.error for step in steps) and index not in self.broken:
                    run.end = index
                    break
                with session.calls_undone_together():
                    for observer in observers:
                        observer.observe(block, steps, session.namespace)
        self.runs.append(run)
        # Longer arrays are not those of which the text states a length.
        if run.is_whole and not variation.grows:
            for stated in self.shapes:
                stated.compare(shapes)
            for sentence in self.sentences:
                sentence.compare(bindings)
        return run.is_whole

    def claims(self) -> Iterator[tuple[int, int, Claim]]:
        """Yield the claims that hold, with the index of their version and their index in it."""
        for version, equations in enumerate(self.versions):
            for index, claim in enumerate(equations.claims):
                if claim.verdict and claim.verdict.holds:
                    yield version, index, claim

    def judged(self, version: int, index: int, *, to_the_end: bool) -> list[tuple[_Run, Claim]]:
        """Return the runs that judge a claim, each with its judged copy of the claim.

        ``to_the_end``: those that came to their end or left all sizes as they are; else, the
        others. A run with longer arrays counts against a claim only if the claim follows its sizes,
        and one with other data only if it came to its end.
        """
        claim = self.versions[version].claims[index]
        copies = [(run, run.versions[version].claims[index]) for run in self.runs]
        return [
            (run, other)
            for run, other in copies
            if other.verdict and (run.is_whole or not run.variation.places) == to_the_end
            if not run.variation.grows or other.verdict.holds or _goes_by_sizes(claim, other)
            if run.is_whole or not run.variation.data
        ]

    def store_results(self) -> None:
        """Store the results of all runs in the claims."""
        for version, index, claim in self.claims():
            runs = self.judged(version, index, to_the_end=True)
            unvaried = self.unvaried(claim, runs)
            if unvaried:  # a run that broke off behind the claim may have changed them
                broken_off = self.judged(version, index, to_the_end=False)
                runs += _furthest_runs(claim, unvaried, broken_off)
            claim.tried = len({run.variation.trial for run, _ in runs})
            claim.pinned = self.unvaried(claim, runs)
            sizes = claim.values.keys() & claim.sizes.keys()
            grown = [r for r in self.runs if r.variation.grows and (r.is_whole or not sizes)]
            if any(run.versions[version].claims[index].fails for run in grown):
                # The claim may depend on the number of elements that are written out, and be no
                # law.
                claim.pinned |= {"lengths"}
            failed = next((o.verdict for _, o in runs if o.verdict and o.fails), None)
            if failed and not claim.counterexample:
                claim.counterexample = f"{failed.why}\n  with {'; '.join(failed.bound)}"

    def unvaried(
        self, claim: Claim, runs: Sequence[tuple[_Run, Claim]], *, lengths: bool = False
    ) -> set[str]:
        """Return the variables of a claim that no run has changed.

        These include a size that equals another one in all runs, since a claim may contain one in
        place of the other. A size that is only a length, and has no second name, is included only
        with ``lengths``.
        """
        others = [other for _, other in runs]
        kept = {
            name
            for name, value in claim.values.items()
            if all(other.values.get(name) == value for other in others)
        }
        arrays = {name for name, value in claim.values.items() if value[0]}
        if isinstance(claim.statement, Membership) or arrays - kept:
            kept -= arrays  # only the sizes of a shape count
        unvaried = kept if lengths else kept - _length_names(claim)
        for name in claim.values.keys() & claim.sizes.keys() - unvaried:
            size = claim.sizes[name]
            for equal in (n for n in self.sizes if claim.sizes.get(n) == size and n != name):
                differ = any(o.sizes.get(name) != o.sizes.get(equal) for o in others)
                if not differ and not any(_must_be_equal(name, equal, claim, r) for r in self.runs):
                    unvaried.add(name)
        return unvaried


def _must_be_equal(name: str, other: str, claim: Claim, run: _Run) -> bool:
    """Return whether two sizes are equal in a run whose variation makes them different."""
    places = run.variation.places
    if name in places and places[name] == places.get(other):
        return False
    return any(
        c.formula == claim.formula
        and c.sizes.get(name, 0) == c.sizes.get(other) != claim.sizes[name]
        for version in run.versions
        for c in version.claims
    )


def _furthest_runs(
    claim: Claim, unvaried: Collection[str], runs: Sequence[tuple[_Run, Claim]]
) -> list[tuple[_Run, Claim]]:
    """Return the runs that get furthest, among those that raise an error after a claim.

    Only runs that change a size in ``unvaried`` count, if the axes of the claim's arrays follow
    that size.
    """
    found: list[tuple[_Run, Claim]] = []
    for name in sorted(unvaried):
        changed = [(r, o) for r, o in runs if o.values.get(name) != claim.values[name]]
        furthest = max((run.end or 0 for run, _ in changed), default=0)
        found += [
            (run, other)
            for run, other in changed
            if run.end == furthest and _goes_by_sizes(claim, other)
        ]
    return [pair for index, pair in enumerate(found) if pair not in found[:index]]  # each once


def _goes_by_sizes(claim: Claim, other: Claim) -> bool:
    """Return whether the axes of a claim's arrays have changed with the sizes of equal length.

    ``other`` is the copy of the claim that was judged on other numbers.
    """
    unlike = {  # of each axis, its length, and the opposite of whether it has changed
        (before, before == after)
        for name, (shape, _) in claim.values.items()
        for before, after in zip(shape, other.values.get(name, (shape,))[0], strict=False)
    }
    sizes = {
        (claim.sizes[name], claim.sizes[name] != other.sizes.get(name))
        for name in claim.values.keys() & claim.sizes.keys()
    }
    is_computed = other.verdict and (other.verdict.holds or other.verdict.left)
    has_changed = any(changed for _, changed in sizes)
    return has_changed and not unlike & sizes and bool(is_computed)


def _length_names(claim: Claim) -> set[str]:
    """Return the sizes in a claim that are only lengths of axes or bounds of sums."""
    counted = [n for node in walk(claim.statement) for n in _size_names(node)]
    names = Counter(node.name for node in walk(claim.statement) if _is_name(node))
    # A name that occurs elsewhere, too, is a number as well.
    return {name for name, count in Counter(counted).items() if count == names[name]}


def _size_names(node: Node) -> list[str]:
    """Return the names of a node that are only sizes: those above Σ, and m and n in ℝᵐˣⁿ."""
    match node:
        case Membership(dims=dims) if dims:
            return [dim.name for dim in dims if _is_name(dim)]
        case Reduce(high=high) if _is_name(high):
            return [high.name]
    return []


def _is_name(node: object) -> TypeGuard[Symbol | Subscript]:
    return isinstance(node, (Symbol, Subscript))


def _names(claim: Claim) -> set[str]:
    return {node.name for node in walk(claim.statement) if _is_name(node)}
