"""The Markdown side under one name, for any host of Python-Markdown."""

from pathlib import Path

import pytest
from markdown import Markdown

from vaultkit.render.host import EXTENSIONS


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "A.md").write_text("# A\n\nSee [[B]].\n")
    (folder / "B.md").write_text("---\naliases: [Bee]\n---\n# B\n\n## C d\n")
    return folder


def rendered(docs: Path, text: str, **options: object) -> str:
    options = {"docs_dir": str(docs), "note": str(docs / "B.md"), **options}
    return Markdown(extensions=["vaultkit"], extension_configs={"vaultkit": options}).convert(text)


def test_one_name_reads_a_note_as_obsidian_does(docs: Path) -> None:
    page = rendered(
        docs,
        "# B\n\n[[A]] [[Bee#C d]] ==m== %%c%% $x^2$\n\n> [!tip]- Fold\n> ```python\n> 1\n> ```\n\n"
        "## C d\n\n- [ ] task\n\n| a |\n|---|\n| [[A\\|b]] |\n",
    )
    assert '<a class="wikilink" href="A.md">A</a>' in page
    assert 'href="#c-d"' in page
    assert "<mark>m</mark>" in page
    assert "%%" not in page
    assert "<math" in page
    assert '<details class="tip">' in page
    assert 'class="language-python highlight"' in page or "highlight" in page
    assert 'href="A.md">b</a>' in page
    assert "Linked from" in page


def test_its_parts_can_be_set(docs: Path) -> None:
    parts = {"toc": {"permalink": False}}
    page = rendered(docs, "# B\n\n## C\n", parts=parts, backlinks=False)
    assert "headerlink" not in page
    assert "Linked from" not in page


def test_zensical_says_where_the_vault_and_the_page_are(docs: Path) -> None:
    """As its `rendering_context` does it, in 0.0.73."""

    class Context:
        class page:  # noqa: N801
            path = "sub/S.md"

        config = {"docs_dir": str(docs)}  # noqa: RUF012

        def run(self, lines: list[str]) -> list[str]:
            return lines

    (docs / "sub").mkdir()
    (docs / "sub" / "S.md").write_text("# S\n")
    md = Markdown(extensions=["vaultkit"])
    md.preprocessors.register(Context(), "rendering_context", 0)
    assert 'href="../A.md"' in md.convert("[[A]]")


def test_vaultkits_own_part_comes_last() -> None:
    assert [name.startswith("vaultkit.") for name in EXTENSIONS] == [False, False, True]


@pytest.mark.parametrize("language", ["dataview", "dataviewjs", "base", "query", "tasks"])
def test_what_only_obsidian_computes_says_so(docs: Path, language: str) -> None:
    page = rendered(docs, f"# B\n\n```{language}\nTABLE x < 2\n```\n")
    assert '<details class="info vk-computed">' in page
    assert "computed in Obsidian alone" in page
    assert "TABLE x &lt; 2" in page
