"""A save writes the pages that it touches, and no others; the site is what it would be else."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.vaultkit.edited_site import SITE, Edit, files_below, make_vault, replaced
from tests.vaultkit.test_written_pages import CODE, Server
from vaultkit.checks.check import Check
from vaultkit.pipeline.ledger import Ledger
from vaultkit.read.vault import Vault

pytestmark = pytest.mark.usefixtures("same_parts")

TAGGED = SITE.replace("[search, vaultkit]", "[search, tags, vaultkit]")
SETTINGS = f"{TAGGED}nav: [index.md, Tern.md, Barn Owl.md, Sea/Gull.md]\n"


def record(docs: Path) -> None:
    """Put down what was found in a note, as checks that run beside the server do."""
    vault = Vault(docs)
    gull = vault.notes[docs.resolve() / "Sea" / "Gull.md"]
    Ledger(vault).record(gull, [Check("link", 3, "[[Tern]]")])


#: Edits that the pages of some notes alone show, and the notes that these are.
ALONE: dict[str, tuple[Edit, set[str]]] = {
    "nothing": (lambda _: None, set()),
    "the time of a file": (lambda docs: (docs / "Tern.md").touch(), set()),
    "words of a page": (replaced("Sea/Gull.md", "cries", "cries there"), {"sea/gull"}),
    "words that others embed": (
        replaced("Tern.md", "flies far", "flies far in winter"),
        {"tern", ""},
    ),
    "words that others quote": (
        replaced("Barn Owl.md", "Unlike a", "As no"),
        {"barn-owl", "tern"},
    ),
    "a link that is gone": (
        replaced("Barn Owl.md", "a [[Tern]]", "others"),
        {"barn-owl", "tern"},
    ),
    "a link that is new": (
        replaced("Sea/Gull.md", "cries.", "cries. A [[Barn Owl]] is there."),
        {"sea/gull", "barn-owl"},
    ),
    "a name without a link": (
        replaced("Sea/Gull.md", "It cries.", "It cries. No sea swallow is there."),
        {"sea/gull", "tern"},
    ),
    "a name that is new": (
        replaced("Sea/Gull.md", "It cries.", "It cries. No tyto alba is there."),
        {"sea/gull", "barn-owl"},
    ),
    "a line above a link": (replaced("Barn Owl.md", "Unlike", "\nUnlike"), set()),
    "what was found in a note": (record, {"sea/gull"}),
}
#: Edits of which more may show.
WHOLE: dict[str, Edit] = {
    "a title": replaced("Tern.md", "# Tern", "# Common Tern"),
    "how a title is set": replaced("Sea/Gull.md", "# Gull", "# *Gull*"),
    "a heading": replaced("Tern.md", "## In", "## Out of"),
    "an alias": replaced("Tern.md", "Sea swallow", "Kip"),
    "a property": replaced("Tern.md", "---\naliases", "---\nstatus: new\naliases"),
    "a tag": replaced("Sea/Gull.md", "It cries.", "It cries. #bird"),
    "a letter that no font has yet": replaced("Sea/Gull.md", "It cries.", "Σ cries."),
    "a sign that no formula had yet": replaced("Sea/Gull.md", "It cries.", "It is $\\Sigma$."),
    "a drawing": replaced("wing.svg", "<g/>", "<path/>"),
    "a note that is new": lambda docs: (docs / "Auk.md").write_text("# Auk\n"),
    "a note that is gone": lambda docs: (docs / "Sea" / "Gull.md").unlink(),
    "a setting of the site": lambda docs: (docs.parent / "mkdocs.yml").write_text(
        f"{SETTINGS}copyright: B\n"
    ),
    "a setting of the vault": lambda docs: (docs / "vaultkit.toml").write_text(
        'unwritten = "mark"\n'
    ),
    "where lines end on a page": replaced("Sea/Gull.md", "It cries.", "It cries.\nIt cries."),
    "the way through the notes": replaced(
        "Sea/Gull.md", "It cries.", "It cries, [[Tern]], [[Barn Owl]]."
    ),
}


#: Those that a short run tries: one of each sort.
FEW = {
    "a title", "an alias", "a letter that no font has yet", "a drawing", "a note that is gone",
    "a setting of the site",
}  # fmt: skip

#: Letters that the fonts hold then, whatever a sentence loses.
HERON = """# Heron

The quick brown fox jumps over the lazy dog: UABNFGHTI, 3 1.5 $x^2$.

```
* + - = "
```
"""


def serve(tmp_path: Path, settings: str = TAGGED) -> tuple[Path, Server]:
    docs = make_vault(tmp_path / "vault")
    (docs / "Heron.md").write_text(HERON)
    (docs.parent / "hook.py").write_text("")
    (docs.parent / "mkdocs.yml").write_text(settings)
    server = Server(docs.parent, "served")
    server.build()
    return docs, server


def pages(site: Path) -> Iterator[tuple[str, Path]]:
    for path in site.rglob("index.html"):
        yield path.parent.relative_to(site).as_posix().removeprefix("."), path


def assert_is_as_if_new(vault: Path) -> None:
    Server(vault, "new").build()
    assert files_below(vault / "served") == files_below(vault / "new")


@pytest.mark.parametrize("what", ALONE)
def test_a_save_writes_the_pages_that_show_it(what: str, tmp_path: Path) -> None:
    docs, server = serve(tmp_path)
    before = {name: path.read_bytes() for name, path in pages(server.site)}
    edit, changed = ALONE[what]
    edit(docs)
    server.build()
    assert server.wholes == 1
    after = {name: path.read_bytes() for name, path in pages(server.site)}
    assert {name for name in after if after[name] != before[name]} == changed
    assert_is_as_if_new(docs.parent)


@pytest.mark.parametrize(
    "what", [pytest.param(what, marks=() if what in FEW else pytest.mark.long) for what in WHOLE]
)
def test_what_may_show_elsewhere_builds_the_whole_site(what: str, tmp_path: Path) -> None:
    docs, server = serve(tmp_path, SETTINGS)
    WHOLE[what](docs)
    server.build()
    assert server.wholes == 2
    assert_is_as_if_new(docs.parent)


@pytest.mark.parametrize(("words", "wholes"), [("It *is* [[Tern]].", 1), ("![[wing.svg]]", 2)])
def test_what_only_a_hidden_note_showed_may_be_shown_by_another(
    words: str, wholes: int, tmp_path: Path
) -> None:
    docs, server = serve(tmp_path)
    (docs / "index.md").write_text("# Birds\n\nThe sea.\n")
    (docs / "Barn Owl.md").write_text("---\npublish: false\n---\n# Barn Owl\n\n![[wing.svg]]\n")
    (docs / "Sea" / "Gull.md").write_text("# Gull\n\nIt is [[Tern]].\n")
    server.build()
    assert not (server.site / "wing.svg").exists()
    before = server.wholes
    replaced("Sea/Gull.md", "It is [[Tern]].", words)(docs)
    server.build()
    assert server.wholes - before == wholes - 1
    assert (server.site / "wing.svg").exists() == (wholes == 2)
    assert_is_as_if_new(docs.parent)


@pytest.mark.parametrize(
    "settings",
    [
        SITE.replace("[search, vaultkit]", "[search, typeset, vaultkit]"),
        f"{SITE}strict: true\n",
        f"{SITE}hooks: [hook.py]\n",
        f"{SITE}watch: [.]\n",
    ],
)
def test_where_others_may_show_anything_the_whole_site_is_built(
    settings: str, tmp_path: Path
) -> None:
    docs, server = serve(tmp_path, settings)
    replaced("Sea/Gull.md", "cries", "cries there")(docs)
    server.build()
    assert server.wholes == 2


def test_a_page_that_is_again_as_the_last_build_left_it_is_written(tmp_path: Path) -> None:
    docs, server = serve(tmp_path)
    replaced("Sea/Gull.md", "cries", "cries there")(docs)
    server.build()
    replaced("Sea/Gull.md", "cries there", "cries")(docs)
    replaced("wing.svg", "<g/>", "<path/>")(docs)
    server.build()
    assert server.wholes == 2
    assert_is_as_if_new(docs.parent)


def test_the_page_of_all_checks_counts_those_of_a_note_that_was_checked(tmp_path: Path) -> None:
    docs, server = serve(tmp_path)
    (docs / "Checks.md").write_text("# Checks\n\n<!-- ledger -->\n")
    server.build()
    record(docs)
    server.build()
    assert server.wholes == 2
    assert_is_as_if_new(docs.parent)


@pytest.mark.long
def test_what_is_saved_is_checked_where_that_is_asked_for(tmp_path: Path) -> None:
    docs, server = serve(tmp_path, SITE.replace("vaultkit]", "{vaultkit: {check_saved: true}}]"))
    gull = docs / "Sea" / "Gull.md"
    replaced("Sea/Gull.md", "It cries.", f"It cries.\n{CODE}")(docs)
    server.build()
    for shown, told in ("3", "1 check fails"), ("2", "1 block checked"):
        gull.write_text(f"# Gull\n\nIt cries.\n{CODE}".replace("\n2\n", f"\n{shown}\n"))
        server.build()
        assert told in (server.site / "sea" / "gull" / "index.html").read_text("utf-8")
    assert server.wholes == 1


def test_a_save_during_a_build_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    docs, server = serve(tmp_path)
    assert server.plugin
    was = server.plugin.on_post_build

    def saves(**given: object) -> None:
        replaced("wing.svg", "<g/>", "<path/>")(docs)
        was(**given)  # type: ignore[arg-type]

    replaced("Tern.md", "# Tern", "# Common Tern")(docs)
    events = server.plugin
    monkeypatch.setattr(type(events), "on_post_build", lambda _self, **given: saves(**given))
    server.build()
    monkeypatch.undo()
    server.build()
    assert_is_as_if_new(docs.parent)


WORDS = re.findall(
    r"\S+",
    "tern Barn_Owl [[Tern]] [[Gull|it]] [[Tyto_alba]] ![[Gull]] *far* sea_swallow [[Heron]] $x^2$ "
    "![[wing.svg]] [[Tern#In_flight]] flies ##_In_flight 1.5",
)


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.long) for n in (1, 2))])
def test_whatever_is_saved_the_site_is_as_if_it_were_new(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    docs, server = serve(tmp_path, TAGGED if seed % 2 else SETTINGS)
    notes = ["index.md", "Tern.md", "Barn Owl.md", "Sea/Gull.md"]
    edits = 12
    for number in range(edits):
        path = docs / chance.choice(notes)
        lines = path.read_text("utf-8").split("\n")
        at = chance.randrange(5, len(lines) + 1) if len(lines) > 5 else len(lines)
        said = " ".join(chance.choice(WORDS).replace("_", " ") for _ in range(4))
        lines[at:at] = ["", f"It is {said} there.", ""]
        if chance.random() < 0.3 and len(lines) > 12:
            del lines[8:11]
        path.write_text("\n".join(lines), "utf-8")
        server.build()
        if number % 4 == 3:
            assert_is_as_if_new(docs.parent)
    assert server.wholes < edits
