"""The door to the command line: ``vaultkit check``, ``build``, ``lsp``, ``rename`` and others.

The exit code is 0 if nothing is wrong, 1 if something is wrong or the run was stopped, and 2 if the
command line names something that does not exist.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial, wraps
from pathlib import Path
from typing import Any

import click

from vaultkit import __version__, starter
from vaultkit.checks.check import EXCEPTED, FAILS, Fix
from vaultkit.doors.binding import bind
from vaultkit.doors.check_report import report, to_junit
from vaultkit.edit.annotate import Annotations, NotOursError
from vaultkit.edit.rename import Changes, RenameError, rename_heading, rename_note
from vaultkit.edit.text import text_with_edits
from vaultkit.english import count_in_words
from vaultkit.files import ChangedError, rewrite_text
from vaultkit.pipeline import baseline
from vaultkit.pipeline.changed import GitError, affected_notes, files_changed_since
from vaultkit.pipeline.inspect import Settings
from vaultkit.pipeline.ledger import Ledger, public_data
from vaultkit.pipeline.machines import MACHINES, Machines
from vaultkit.pipeline.process import Inspection
from vaultkit.pipeline.runner import Runner, workers_of
from vaultkit.pipeline.shards import Shard, ShardError
from vaultkit.pipeline.summary import VERDICTS
from vaultkit.pipeline.update import REWRITTEN, apply_edits, edits_of_mirrors
from vaultkit.read.graph import graph_of
from vaultkit.read.note import Note
from vaultkit.read.options import Options, OptionsError
from vaultkit.read.roots import vault_in, vault_of
from vaultkit.read.vault import Vault
from vaultkit.render.mathematics import to_mathml
from vaultkit.store import Store, store_beside
from vaultkit.workers.pool import Workers

#: Milliseconds after which `_watch` looks even if no file was reported as changed: it finds files
#: that were saved before the watcher had started.
_LOOK = 2000
#: Errors that are reported in one line, as wrong usage.
_REFUSALS = (
    OptionsError,
    GitError,
    starter.TakenError,
    baseline.BaselineError,
    NotOursError,
    RenameError,
    ShardError,
)


def _report_refusals(command: Callable[..., Any]) -> Callable[..., Any]:
    """Make a command report each of `_REFUSALS` in one line, as wrong usage, and exit with 2."""

    @wraps(command)
    def reporting(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except _REFUSALS as error:
            raise click.UsageError(str(error)) from error

    return reporting


def _or_here(_context: click.Context, _parameter: click.Parameter, path: Path | None) -> Path:
    """Return the path that an argument names; if none, the vault in or below this folder."""
    return path or vault_in(Path())


_folder = click.argument(
    "path",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    required=False,
    callback=_or_here,
)
_vault = click.option(
    "--vault",
    "path",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    callback=_or_here,
    help="The folder of notes; if none is named, the current folder, or the vault right below it.",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, epilog=__doc__)
@click.version_option(__version__)
def main() -> None:
    """Check what a vault of Markdown notes says, and make a site of it."""


@main.command()
@click.argument(
    "path", type=click.Path(exists=True, path_type=Path), required=False, callback=_or_here
)
@click.option("--note", "names", multiple=True, metavar="NAME", help="Check this note alone.")
@click.option("--update", is_flag=True, help="Rewrite stale outputs and mirrored code.")
@click.option(
    "--trials", type=int, metavar="N", help="Also judge equations on N other sets of numbers."
)
@click.option(
    "--machines",
    type=click.IntRange(1),
    is_flag=False,
    flag_value=len(MACHINES),
    metavar="N",
    help="Run the notes again as (N) other machines compute; a difference is a failure.",
)
@click.option(
    "--changed",
    is_flag=False,
    flag_value="HEAD",
    metavar="COMMIT",
    help="Check only notes that have changed since a commit (the last one), or their dependents.",
)
@click.option(
    "--shard", metavar="K/N", help="Check a share of the notes: the first of four is 1/4."
)
@click.option(
    "--baseline",
    "with_baseline",
    is_flag=True,
    help=f"Report only new failures. The first time, write all failures to {baseline.NAME}.",
)
@click.option("--known", is_flag=True, help="Do not run notes again whose results are still valid.")
@click.option("--unjudged", is_flag=True, help="List what is not judged, too.")
@click.option("--json", "as_json", is_flag=True, help="Print all checks as JSON.")
@click.option("--junit", type=click.Path(path_type=Path), help="Write a report for CI servers.")
@click.option("--watch", is_flag=True, help="After every save, check affected notes again.")
@click.option("--verbose", "-v", is_flag=True, help="Print all failures of each note.")
@click.option(
    "--annotate", metavar="FILE", help="Keep a note in the vault that lists all failures as links."
)
@click.pass_context
@_report_refusals
def check(
    context: click.Context,
    path: Path,
    names: tuple[str, ...],
    update: bool,
    trials: int | None,
    machines: int | None,
    changed: str | None,
    shard: str | None,
    with_baseline: bool,
    known: bool,
    unjudged: bool,
    as_json: bool,
    junit: Path | None,
    watch: bool,
    verbose: bool,
    annotate: str | None,
) -> None:
    """Check the notes below PATH, or the note PATH; their code runs in separate processes."""
    if machines and (update or watch):
        raise click.UsageError("--machines cannot be combined with --update or --watch")
    share = Shard.read(shard) if shard else None
    if share and watch:
        raise click.UsageError("--watch checks what was saved, whichever share it is in")
    vault = _read((path if path.is_dir() else vault_of(path)).resolve())
    chosen = _chosen_paths(vault, path, names)
    notes = list(vault.notes.values())
    if changed:
        notes = affected_notes(vault, files_changed_since(vault.root, changed))
    notes = _only_chosen(chosen, notes)
    if share:
        of_share = share.select(vault.notes)
        notes = [note for note in notes if note.path in of_share]
    annotations = Annotations(vault, annotate) if annotate else None
    if annotations:
        notes = [note for note in notes if note.path != annotations.path]
    is_first_check = not Ledger(vault).stamp.exists()
    again = not (watch or known)
    inspections = _inspect(vault, notes, trials, update, machines, again=again)
    if with_baseline:
        is_whole = chosen is None and not (changed or share)
        inspections = _except_known(vault, inspections, whole=is_whole)
    if junit:
        junit.write_bytes(to_junit(vault, inspections))
    if as_json:
        by_name = {
            vault.relative(inspection.note.path): inspection.checks for inspection in inspections
        }
        click.echo(json.dumps(public_data(by_name), ensure_ascii=False, indent=1))
    else:
        report(vault, inspections, path, verbose=verbose, unjudged=unjudged)
        if is_first_check:
            _say(f"\n{VERDICTS}")
    if annotations:
        annotations.update(
            vault, ((inspection.note, inspection.checks) for inspection in inspections)
        )
    if watch:
        # Ctrl+C is the usual way to end this.
        with suppress(KeyboardInterrupt):
            _watch(vault, trials, update, annotations, path, chosen)
    context.exit(int(_fails(inspections)))


main.add_command(bind)


@main.command()
@click.argument("others", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@_vault
@_report_refusals
def merge(others: tuple[Path, ...], path: Path) -> None:
    """Add the results of other machines to those of this one.

    OTHERS are their caches, each the file store.sqlite or its folder, .cache/vaultkit.
    """
    ledger = Ledger(_read(path.resolve()))
    for other in others:
        file = other / "store.sqlite" if other.is_dir() else other
        click.echo(f"{other}: {count_in_words(ledger.merge(Store(file)), 'note')}")


@main.command()
@_folder
@click.option("--site-dir", "-d", type=click.Path(path_type=Path), default="site")
@click.option("--strict", is_flag=True, help="Exit with 1 if there is a warning.")
@click.option("--zensical", is_flag=True, help="Build with Zensical instead of MkDocs.")
@_report_refusals
def build(path: Path, site_dir: Path, strict: bool, zensical: bool) -> None:
    """Build a site from the notes below PATH. A mkdocs.yml is used if there is one."""
    try:  # the packages that a site needs are optional
        if zensical:
            from vaultkit.doors.zensical_site import build_with_zensical as build_site
        else:
            from vaultkit.doors.site_builder import build_site
    except ImportError as error:
        raise click.UsageError(
            f'{error}; a site needs: pip install "checked-vault[site]"'
        ) from error
    problems = build_site(path, site_dir, strict)
    click.echo(f"{site_dir}: open {site_dir / 'index.html'}", err=True)
    sys.exit(int(bool(problems)))


@main.command()
@_folder
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@_report_refusals
def links(path: Path, as_json: bool) -> None:
    """Print the link structure of the notes below PATH: orphans, dead ends and the like."""
    findings = graph_of(Vault(path))
    if as_json:
        click.echo(json.dumps(findings.plain(), ensure_ascii=False, indent=1))
        return
    for title, rows in findings.sections():
        click.echo(f"{title}: {len(rows)}" if rows else f"{title}: none")
        for row in rows:
            click.echo(f"  {row}")


@main.command()
@click.argument("name")
@_vault
@_report_refusals
def new(name: str, path: Path) -> None:
    """Write a note called NAME that passes every check, as a template to be changed."""
    click.echo(starter.write(name, Vault(path)))


@main.command()
@click.argument("old")
@click.argument("new")
@click.option(
    "--redirect",
    is_flag=True,
    help="Keep the old address on the site, by the property aliases or old_headings.",
)
@_vault
@_report_refusals
def rename(old: str, new: str, redirect: bool, path: Path) -> None:
    """Rename the note OLD, or its heading OLD#HEADING, to NEW, and update all references.

    References are links, the navigation in mkdocs.yml, and drawings. If the note was renamed
    already, so that there is no OLD, only the references are updated.
    """
    vault = Vault(path)
    name, _, heading_text = old.partition("#")
    name = name.removesuffix(".md")
    if heading_text:
        note = _note_named(name, vault)
        heading = note.heading(heading_text)
        if heading is None:
            raise click.UsageError(f"{note.name!r} has no heading {heading_text!r}")
        changes = rename_heading(vault, note, heading, new, redirect)
    else:
        paths = [note.path for note in vault.notes.values() if note.name == name]
        # Without such a note, the references to its name are updated.
        changes = rename_note(vault, paths[0] if paths else name, new, redirect)
    _write(changes)
    click.echo(f"{changes.count} places changed in {len(changes.edits)} files", err=True)
    for place in changes.left:
        click.echo(
            f"{place}: this code contains {name!r}, as will the drawings that it makes", err=True
        )


@main.command()
@click.option(
    "--vault",
    "path",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder of notes. Default: found in the folder that the editor opens.",
)
@_report_refusals
def lsp(path: Path | None) -> None:
    """Start a language server on the standard streams, which checks notes while you type."""
    try:  # the packages that it needs are optional
        from vaultkit.doors.language_server import serve
    except ImportError as error:
        raise click.UsageError(
            f'{error}; an editor needs: pip install "checked-vault[lsp]"'
        ) from error
    serve(path)


def _write(changes: Changes) -> None:
    """Apply the changes of a rename to the files; print how many there are in each."""
    for path, edits in changes.edits.items():
        rewrite_text(path, partial(text_with_edits, edits=edits))
        click.echo(f"{path}: {len(edits)}")
    if changes.moved:
        old, new = changes.moved
        old.rename(new)


def _read(root: Path, options: Options | None = None) -> Vault:
    """Read a vault, with these settings or those of its files."""
    return Vault(root, store=store_beside(root), options=options)


def _note_named(name: str, vault: Vault) -> Note:
    """Return the note that a link to this name leads to; report wrong usage if there is none."""
    try:
        return vault.notes[vault.find(name, vault.root / "note")]
    except LookupError as error:
        raise click.UsageError(str(error)) from error


def _chosen_paths(vault: Vault, path: Path, names: Sequence[str]) -> set[Path] | None:
    """Return the paths of the notes that a command line names; None for all notes of the vault.

    None includes notes that do not exist yet, for ``--watch``.
    """
    if names:
        return {_note_named(name, vault).path for name in names}
    if path.is_dir():
        return None
    if path.resolve() not in vault.notes:
        raise click.UsageError(f"{path} is not a note of the vault {vault.root}")
    return {path.resolve()}


def _only_chosen(chosen: set[Path] | None, notes: list[Note]) -> list[Note]:
    """Return those notes that were chosen (see `_chosen_paths`), in the same order."""
    return notes if chosen is None else [note for note in notes if note.path in chosen]


def _inspect(
    vault: Vault, notes: Sequence[Note], trials: int | None, update: bool,
    machines: int | None = None, *, again: bool = True, workers: Workers | None = None,
) -> list[Inspection]:  # fmt: skip
    """Inspect notes and return the results; show progress, and record the results in the ledger.

    Parameters
    ----------
    vault, notes
        The vault, and the notes.
    trials
        On how many other sets of numbers equations are judged; None for the vault's setting.
    update
        Whether mirrored code and stale outputs are rewritten.
    machines
        On how many other machines the notes run, too.
    again
        Whether notes run although their results in the ledger are still valid.
    workers
        The processes that run the code, if they exist already.
    """
    rewritten = 0
    if update:
        # Before the code runs, since a block that mirrors a file runs, too.
        rewritten += sum(_apply(note, edits_of_mirrors(note, vault)) for note in notes)
        vault = _read(vault.root, vault.options)
        notes = [vault.notes[note.path] for note in notes]
    options = vault.options
    trials = options.trials if trials is None else trials
    ledger = Ledger(vault)
    settings = Settings(options.timeout, trials, to_mathml, outputs=bool(machines))
    runner = Runner(vault, settings, ledger=None if again else ledger, workers=workers)
    inspections: list[Inspection] = []
    try:
        runner.submit([(note, None) for note in notes])
        with click.progressbar(notes, label="checking", file=sys.stderr) as steps:
            for note in steps:
                inspection = runner.result(note)
                if update and (fixes := _rewrite_outputs(note, inspection)):
                    # Not recorded: these are the results of the text before the edits.
                    rewritten += len(fixes)
                    inspection = _except_rewritten(inspection, fixes)
                elif inspection.is_whole:
                    runner.record(inspection, ledger)
                inspections.append(inspection)
    finally:
        runner.close()
    if update:
        click.echo(f"{rewritten} rewritten: read the result", err=True)
    if machines:
        _compare_machines(Machines(vault, settings, machines, say=_say), inspections, ledger)
    return inspections


def _rewrite_outputs(note: Note, inspection: Inspection) -> list[Fix]:
    """Rewrite the stale outputs of a note; return the edits, none if they could not be made."""
    fixes = [check.fix for check in inspection.checks if check.fix and check.kind in REWRITTEN]
    return fixes if _apply(note, fixes) else []


def _except_rewritten(inspection: Inspection, fixes: Sequence[Fix]) -> Inspection:
    """Return the checks of a note, in which those that these edits have repaired are excepted."""
    checks = [
        replace(check, outcome=EXCEPTED, why="rewritten") if check.fix in fixes else check
        for check in inspection.checks
    ]
    return Inspection(inspection.note, checks)


def _compare_machines(
    machines: Machines, inspections: Sequence[Inspection], ledger: Ledger
) -> None:
    """Run notes again on other machines; add the differences to their inspections as failures."""
    runs = [inspection for inspection in inspections if inspection.note.blocks]
    machines.run(inspection.note for inspection in runs)
    for inspection in runs:
        differences = machines.differences(inspection)
        names = [] if differences else [trial.machine.name for trial in machines.tried]
        ledger.record_machines(inspection.note, names)
        inspection.checks += differences
    for trial in machines.trials:
        _say(f"machines: {trial}")


def _say(line: str) -> None:
    """Print a line that is not part of the results."""
    click.echo(line, err=True)


def _apply(note: Note, fixes: list[Fix]) -> int:
    """Rewrite parts of a note; return how many were rewritten."""
    if not fixes:
        return 0
    try:
        apply_edits(note, fixes)
    except (OSError, ValueError, ChangedError) as error:  # ValueError: it is no longer readable
        click.echo(f"{note.path}: not rewritten: {error}", err=True)
        return 0
    return len(fixes)


def _except_known(vault: Vault, inspections: list[Inspection], *, whole: bool) -> list[Inspection]:
    """Return the inspections with the failures of the baseline excepted.

    Without a baseline, first write one of all failures; for that, ``whole`` must say that all notes
    were inspected.
    """
    file = baseline.path_of(vault)
    known = baseline.read(vault)
    if known is None:
        if not whole:
            raise click.UsageError("write the baseline with all notes first")
        count = baseline.write(vault, inspections)
        _say(f"{file}: {count} failures noted")
        known = baseline.read(vault)
    inspections, gone = baseline.except_known(vault, inspections, known or Counter())
    if whole and gone:
        _say(f"failures of the baseline that no longer occur: {gone}; remove {file} to renew it")
    return inspections


def _fails(inspections: Sequence[Inspection]) -> bool:
    """Return whether any check of some inspections fails."""
    checks = (check for inspection in inspections for check in inspection.checks)
    return any(check.outcome == FAILS for check in checks)


def _watch(
    vault: Vault, trials: int | None, update: bool, annotations: Annotations | None, path: Path,
    chosen: set[Path] | None,
) -> None:  # fmt: skip
    """Check the chosen notes that each save affects, until the user stops it.

    ``chosen`` is that of `_chosen_paths`; the other parameters are those of `check`.
    """
    from watchfiles import watch

    _say("watching; stop with Ctrl+C")
    digests_before = _digests(vault)
    options, last_problem = vault.options, ""
    workers = workers_of(vault.root).begin(1)  # it prepares itself before the next save
    for changes in watch(
        vault.root.parent, raise_interrupt=False, rust_timeout=_LOOK, yield_on_timeout=True
    ):
        paths = {Path(name) for _, name in changes}
        if paths and all(_is_hidden(path, vault) for path in paths):
            continue
        options, problem = _options_of(vault.root, options)
        if problem and problem != last_problem:
            _say(f"{problem}; until this is corrected, the last valid settings apply")
        last_problem = problem
        vault = _read(vault.root, options)
        digests = _digests(vault)
        paths |= {path for path, _ in digests_before.items() ^ digests.items()}
        digests_before = digests
        # The note of all failures is written below: it must not start another round.
        if annotations:
            paths.discard(annotations.path)
        if not paths:
            continue
        notes = _only_chosen(chosen, affected_notes(vault, paths))
        if annotations:
            notes = [note for note in notes if note.path != annotations.path]
        inspections: list[Inspection] = []
        if notes:
            # It closes these workers; new ones prepare themselves before the next save.
            inspections = _inspect(vault, notes, trials, update, again=False, workers=workers)
            report(vault, inspections, path)
            workers = workers_of(vault.root).begin(1)
        if annotations:
            # Also without notes to check: a note that was removed has no failures.
            annotations.update(
                vault, ((inspection.note, inspection.checks) for inspection in inspections)
            )
    workers.close()


def _options_of(root: Path, last: Options) -> tuple[Options, str]:
    """Return the settings of a vault; if they are invalid, its last ones, and what is invalid."""
    try:
        return Options.read(root), ""
    except OptionsError as error:
        return last, str(error)


def _digests(vault: Vault) -> dict[Path, str]:
    """Return the fingerprint of the text of each note, by its path."""
    return {path: note.digest for path, note in vault.notes.items()}


def _is_hidden(path: Path, vault: Vault) -> bool:
    """Return whether a file is one that tools write: in a cache, or in the repository of git."""
    parts = path.relative_to(vault.root.parent).parts
    return any(part.startswith(".") or part == "__pycache__" for part in parts)
