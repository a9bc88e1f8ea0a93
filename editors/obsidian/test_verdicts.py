"""What a writer sees: badges, underlines, fixes, Reading view and the pane of failures."""

import shutil
import time
from pathlib import Path

from playwright.sync_api import Page
from window import (
    FILES,
    HERE,
    NOTE,
    badges,
    load,
    make_vault,
    picture,
    put_cursor,
    status,
    text_of,
    wait,
)

ROOT = HERE.parents[1]


def test_badges_underline_hover_and_undo(page: Page, vault: Path) -> None:
    load(page, vault)
    page.evaluate("one.open('Note.md')")
    wait(page, lambda: badges(page).count("✓") == 3, "the badges")
    # Also behind the drawn display.
    assert page.locator(".math-block + .checked-vault-badges").inner_text() == "✓"
    put_cursor(page, "$y = 6")
    began = time.monotonic()
    page.keyboard.type("1")
    wait(page, lambda: "✗ 6.5 ≠ 61.5" in badges(page), "the badge")
    print(f"contradicted after {time.monotonic() - began:.2f} s")
    wait(page, lambda: "2 of 3 notes fail" in status(page), "the status")
    assert page.locator(".checked-vault-underline.mod-error").inner_text() == "$y = 61.5$"
    assert page.locator(".checked-vault-mark.mod-fails").count() == 1
    page.locator(".checked-vault-underline").hover()
    hover = page.locator(".checked-vault-hover")
    hover.wait_for()
    assert "left 6.5, right 61.5" in hover.inner_text()
    picture(page, "contradicted")
    # The badge stays behind the drawn formula.
    put_cursor(page, "# Note")
    assert page.locator(".drawn ~ .checked-vault-badge.mod-fails").count() == 1
    picture(page, "live-preview")
    page.evaluate("commands.undo(one.leaves[0].editor)")
    wait(page, lambda: badges(page).count("✓") == 3, "the badges")
    assert page.locator(".checked-vault-underline").count() == 0


def test_badges_below_callouts_and_tables(page: Page, vault: Path) -> None:
    """Live Preview draws them as blocks, which hide what is in them."""
    code = NOTE[: NOTE.index("```text")].replace("y + 1\n", "")
    more = "> [!note] One\n> Here $y = 7$,\n> and $x = 3.25$.\n\n| a |\n|---|\n| $y = 8$ |\n| b |\n"
    (vault / "Note.md").write_text(code + more)
    load(page, vault)
    page.evaluate("one.open('Note.md')")
    wait(page, lambda: badges(page) == ["✗ 6.5 ≠ 7", "✗ 6.5 ≠ 8"], "the badges")
    above = "(one) => one.parentElement.previousElementSibling.textContent"
    both = page.locator(".checked-vault-badges.mod-block .checked-vault-badge")
    assert [both.nth(n).evaluate(above)[:5] for n in range(2)] == ["> and", "| b |"]


def test_emoji_and_several_changes_at_once(page: Page, vault: Path) -> None:
    load(page, vault)
    page.evaluate("one.open('Note.md')")
    wait(page, lambda: badges(page).count("✓") == 3, "the badges")
    page.evaluate(
        """() => {
            const { editor } = one.leaves[0];
            const places = [...editor.state.doc.toString().matchAll(/ \\$[^$]+\\$|\\n\\n/g)];
            editor.dispatch({ changes: places.map(({ 0: one, index }) => ({
                from: index, insert: one === '\\n\\n' ? '\\n' : '😀' })) });
        }"""
    )
    for letter in "𝛼ü漢":
        put_cursor(page, "# Note")
        page.keyboard.insert_text(letter)
    put_cursor(page, "$y = 6")
    page.keyboard.type("1")
    wait(page, lambda: "✗ 6.5 ≠ 61.5" in badges(page), "the badge")
    marked = page.locator(".checked-vault-underline.mod-error").all_inner_texts()
    assert "".join(marked).startswith("$y = 61.5"), marked
    # Edits anywhere, also several at a time: the server then has the text of the editor.
    page.evaluate(
        """() => {
            let seed = 7;
            const random = (most) => (seed = (seed * 16807) % 2147483647) % most;
            const { editor } = one.leaves[0];
            for (let round = 0; round < 200; round++) {
                const size = editor.state.doc.length;
                const ends = [random(size), random(size), random(size), random(size)];
                const [a, b, c, d] = ends.sort((one, other) => one - other);
                const insert = ['😀', 'a\\nb', '\\n\\n', '', '𝛼$'][random(5)];
                const short = (from, to) => ({ from, to: Math.min(to, from + 3), insert });
                editor.dispatch({ changes: a < b && b < c ? [short(a, b), short(c, d)] : [] });
            }
            const code = '# End\\n\\n```python\\nq = 4.0\\n```\\n\\nHere 😀 $q = 9$.\\n';
            editor.dispatch({ changes: { from: editor.state.doc.length,
                insert: '\\n```\\n\\n' + code } });
        }"""
    )
    if text_of(page).count("```") % 2:  # the edits have left a fence open
        page.evaluate("one.leaves[0].editor.dispatch({ changes: { from: 0, insert: '```\\n' } })")
    wait(page, lambda: "✗ 4 ≠ 9" in badges(page), "the badge")
    put_cursor(page, "$q = 9")
    assert "$q = 9$" in page.locator(".checked-vault-underline.mod-error").all_inner_texts()


def test_two_editors_of_a_note(page: Page, vault: Path) -> None:
    load(page, vault)
    page.evaluate("Promise.all([one.open('Note.md'), one.open('Note.md')])")
    wait(page, lambda: badges(page).count("✓") == 6, "the badges")
    put_cursor(page, "$y = 6")
    page.keyboard.type("1")
    # Obsidian repeats the change in the other editor.
    page.evaluate(
        """() => { const [{ editor: a }, { editor: b }] = one.leaves;
            b.dispatch({ changes: { from: 0, to: b.state.doc.length, insert: a.state.doc } }); }"""
    )
    wait(page, lambda: badges(page).count("✗ 6.5 ≠ 61.5") == 2, "the badges")
    page.evaluate("one.close(1)")
    page.keyboard.press("Backspace")
    wait(page, lambda: badges(page).count("✓") == 3, "the badges")


def test_fixes(page: Page, vault: Path) -> None:
    load(page, vault)
    page.evaluate("one.open('Note.md')")
    wait(page, lambda: badges(page).count("✓") == 3, "the badges")
    put_cursor(page, "```text\n7.5")
    page.keyboard.type("9")
    wait(page, lambda: "✗ 7.59 ≠ 7.5" in badges(page), "the badge of the output")
    picture(page, "output")
    put_cursor(page, "y + 1")  # in the code above it
    page.evaluate("one.run('write-output')")
    wait(page, lambda: text_of(page) == NOTE, "the output")
    put_cursor(page, "x is 3.2")
    page.evaluate("one.run('bind-number')")
    wait(page, lambda: "x is 3.25<!-- = x --> here" in text_of(page), "the binding")
    page.evaluate("commands.undo(one.leaves[0].editor)")
    wait(page, lambda: text_of(page) == NOTE, "undo")
    put_cursor(page, "See [[Other")
    page.keyboard.type("x")
    page.locator(".checked-vault-underline").first.wait_for()
    page.evaluate("one.run('fix')")
    page.locator(".suggestion", has_text="Link to 'Other'").click()
    wait(page, lambda: text_of(page) == NOTE, "the link")
    page.evaluate("one.run('write-output')")
    wait(page, lambda: "the real one" in page.evaluate("notices.join()"), "a notice")


def test_run_to_here(page: Page, vault: Path) -> None:
    (vault / "Note.md").write_text(NOTE + "\n```python\nx = x + 100\nx * 2\n```\n")
    load(page, vault, check="open")
    page.evaluate("one.open('Note.md')")
    wait(page, lambda: badges(page).count("✓") == 3, "the badges")
    put_cursor(page, "The double of")  # below the first block, above the second
    page.evaluate("one.run('run-to')")
    wait(page, lambda: "y: float\n6.5" in page.evaluate("notices.join()"), "the result")
    put_cursor(page, "x = x + 100")
    page.evaluate("one.run('run-to')")
    wait(page, lambda: "x: float\n103.25" in page.evaluate("notices.join()"), "the result")


def test_reading_view(page: Page, vault: Path) -> None:
    text = NOTE.replace("y = 6.5", "y = 61.5").replace("\n7.5\n", "\n7.9\n")
    (vault / "Note.md").write_text(text)
    (vault / "Note.md").write_text(text.replace("See [[Other]].", "Also $q$ and $y = 3$."))
    load(page, vault)
    page.evaluate("one.read('Note.md')")
    within = ".markdown-preview-view"
    expected = ["✗ 7.9 ≠ 7.5", "✓", "✗ 6.5 ≠ 61.5", "✓", "✗ 6.5 ≠ 3"]
    wait(page, lambda: badges(page, within) == expected, "the badges")
    assert page.locator(".math + .checked-vault-badge").count() == 4
    tooltip = page.locator(f"{within} .mod-fails").nth(1).get_attribute("aria-label")
    assert "left 6.5, right 61.5" in tooltip
    picture(page, "reading")
    # A change from outside.
    page.evaluate(
        """() => one.app.vault.process(one.app.vault.getFileByPath('Note.md'),
            (text) => text.replace('61.5', '6.55'))"""
    )
    wait(page, lambda: "✗ 6.5 ≠ 6.55" in badges(page, within), "the badge")


def test_the_pane_leads_to_notes_that_are_not_open(page: Page, vault: Path) -> None:
    load(page, vault)
    wait(page, lambda: "1 of 3 notes fails" in status(page), "the status")
    page.evaluate("one.plugin.statusBarItems__[0].click()")
    page.wait_for_timeout(100)
    page.evaluate("one.pane('checked-vault-failures')")
    pane = page.locator(".checked-vault-pane")
    wait(page, lambda: "$w = 2$ does not hold" in pane.inner_text(), "the failure")
    assert "1 of 3 notes fails" in pane.inner_text()
    picture(page, "pane")
    pane.get_by_role("button").click()
    wait(page, lambda: page.evaluate("one.app.workspace.getActiveFile()?.path") == "Wrong.md", "it")
    # It is mended on disk.
    (vault / "Wrong.md").write_text(FILES["Wrong.md"].replace("$w = 2$", "$w = 3$"))
    wait(page, lambda: "3 notes hold" in status(page), "the status")
    wait(page, lambda: "does not hold" not in pane.inner_text(), "the pane")


def test_a_rename_is_followed(page: Page, vault: Path) -> None:
    load(page, vault)
    page.evaluate("one.open('Wrong.md')")
    wait(page, lambda: "✗ 3 ≠ 2" in badges(page), "the badge")
    (vault / "Wrong.md").rename(vault / "Right.md")
    page.evaluate("one.app.vault.rename(one.app.vault.getFileByPath('Wrong.md'), 'Right.md')")
    put_cursor(page, "$w = ")
    page.keyboard.press("Delete")
    page.keyboard.type("3")
    wait(page, lambda: badges(page) == ["✓"], "the badge")
    wait(page, lambda: "3 notes hold" in status(page), "the status")


def test_a_digit_of_softmax(page: Page, tmp_path: Path) -> None:
    """In the vault of this repository, of which only open notes run."""
    notes = tmp_path / "vault/docs"
    for name in ("docs", "snippets", "figures"):
        shutil.copytree(ROOT / name, notes.parent / name)
    shutil.copy2(ROOT / "mkdocs.yml", notes.parent)
    make_vault(tmp_path / "made", {})
    shutil.move(tmp_path / "made/.venv", notes.parent / ".venv")
    load(page, notes, check="open")
    page.evaluate("one.open('Softmax.md')")
    put_cursor(page, r"\exp(x_1 - ")  # only what is in view is drawn
    wait(page, lambda: "✓" in " ".join(badges(page)), "the badges")
    began = time.monotonic()
    page.keyboard.type("2 ")
    wait(page, lambda: "✗ 2.71828 ≠ 1" in badges(page), "the badge")
    took = time.monotonic() - began
    print(f"contradicted after {took:.2f} s")
    page.locator(".checked-vault-underline.mod-error").first.hover()
    page.locator(".checked-vault-hover").wait_for()
    assert "left 2.71828, right 1" in page.locator(".checked-vault-hover").inner_text()
    picture(page, "softmax")
