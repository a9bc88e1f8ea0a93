"""The process of the server: permission, crashes, a missing command, its end."""

import os
import signal
import time
from pathlib import Path

from bridge import Bridge
from playwright.sync_api import Page
from window import (
    FILES,
    PATIENCE,
    alive,
    badges,
    descendants,
    load,
    make_vault,
    memory,
    picture,
    put_cursor,
    status,
    wait,
)


def test_nothing_runs_before_it_is_allowed(page: Page, bridge: Bridge, vault: Path) -> None:
    load(page, vault, allow=False)
    assert "runs its Python code" in page.locator(".modal").inner_text()
    assert f"{vault}/.venv/bin/python" in page.locator(".modal pre").inner_text()
    picture(page, "question")
    page.get_by_role("button", name="Not now").click()
    page.wait_for_timeout(300)
    assert not bridge.children
    assert "not checked" in status(page)
    page.evaluate("one.run('check')")
    page.get_by_role("button", name="Run and check").click()
    wait(page, lambda: "1 of 3 notes fails" in status(page), "the status")
    # It is remembered on this device, and only for this command.
    page.evaluate("one.run('restart')")
    wait(page, lambda: len(bridge.children) == 2, "a second server")
    page.evaluate("one.plugin.set({ environment: 'A=1' }).then(() => one.run('restart'))")
    page.locator(".modal").wait_for()
    assert "A=1" in page.locator(".modal pre").inner_text()
    page.get_by_role("button", name="Run and check").click()
    wait(page, lambda: len(bridge.children) == 3, "a third server")
    assert bridge.children[2].env["A"] == "1"


def test_a_killed_server_is_restarted(page: Page, bridge: Bridge, vault: Path) -> None:
    load(page, vault)
    page.evaluate("one.open('Note.md')")
    wait(page, lambda: badges(page).count("✓") == 3, "the badges")
    bridge.running[0].process.kill()
    wait(page, lambda: "⚠" in status(page), "the status")
    assert not badges(page)
    put_cursor(page, "$y = 6")
    page.keyboard.type("1")
    wait(page, lambda: "✗ 6.5 ≠ 61.5" in badges(page), "the badge")
    for count in (2, 3):
        bridge.running[0].process.kill()
        wait(page, lambda count=count: len(bridge.children) == count + 1, "another server")
        wait(page, lambda: "notes fail" in status(page), "the status")
    bridge.running[0].process.kill()
    wait(page, lambda: "again and again" in page.evaluate("notices.join()"), "a notice")
    page.wait_for_timeout(1500)
    assert not bridge.running
    page.evaluate("one.run('restart')")
    wait(page, lambda: "✗ 6.5 ≠ 61.5" in badges(page), "the badge")


def test_a_missing_command_and_a_silent_one(page: Page, bridge: Bridge, vault: Path) -> None:
    load(page, vault, command="/nowhere/python")
    told = lambda words: words in page.evaluate("notices.join()")  # noqa: E731
    wait(page, lambda: told("/nowhere/python is not there"), "a notice")
    assert "not checked" in status(page)
    page.evaluate("one.settingsTab()")
    picture(page, "settings")
    page.evaluate("one.plugin.set({ command: 'sleep 1000', patience: 1 })")
    page.evaluate("one.run('restart')")
    page.get_by_role("button", name="Run and check").click()
    wait(page, lambda: told("did not answer within 1 s"), "a notice")
    wait(page, lambda: not bridge.running, "its end")
    page.evaluate("one.plugin.set({ command: 'python3 -c 1/0', patience: 60 })")
    page.evaluate("one.run('restart')")
    page.get_by_role("button", name="Run and check").click()
    wait(page, lambda: told("ZeroDivisionError"), "a notice")
    count = len(bridge.children)
    page.wait_for_timeout(1500)
    assert len(bridge.children) == count  # it is not started again
    page.evaluate("one.plugin.set({ command: '' })")
    page.evaluate("one.run('restart')")
    page.get_by_role("button", name="Run and check").click()
    wait(page, lambda: "1 of 3 notes fails" in status(page), "the status")


def test_unload_leaves_nothing(page: Page, bridge: Bridge, vault: Path) -> None:
    before = page.locator("[class*=checked-vault]").count()
    load(page, vault)
    page.evaluate("Promise.all([one.open('Wrong.md'), one.read('Wrong.md')])")
    wait(page, lambda: "✗ 3 ≠ 2" in badges(page, ".markdown-preview-view"), "the badge")
    wait(page, lambda: "✗ 3 ≠ 2" in badges(page), "the badge")
    processes = descendants(bridge.running[0].process.pid)
    page.evaluate("one.unload()")
    assert page.locator("[class*=checked-vault]").count() == before == 0
    wait(page, lambda: not alive(processes), "the end of the processes")
    assert bridge.children[0].process.returncode == 0
    put_cursor(page, "$w = ")
    page.keyboard.type("1")
    page.wait_for_timeout(300)
    assert not badges(page)
    assert page.evaluate("one.app.workspace.getLeavesOfType('markdown').length") == 2


def test_typing_leaves_memory_and_processes(page: Page, bridge: Bridge, vault: Path) -> None:
    """For ``MINUTES``, here a fraction of one; the figures are those of the last sentence typed."""
    load(page, vault)
    page.evaluate("one.open('Note.md')")
    wait(page, lambda: badges(page).count("✓") == 3, "the badges")
    server = bridge.running[0].process.pid
    session = page.context.new_cdp_session(page)

    def type_and_delete() -> tuple[int, float, float]:
        put_cursor(page, "See [[Other]].")
        words = " Then $y = 9$, and `z` is 4.5."
        page.keyboard.type(words, delay=20)
        wait(page, lambda: "✗ 6.5 ≠ 9" in badges(page), "the badge")
        for _ in words:
            page.keyboard.press("Backspace")
        wait(page, lambda: badges(page).count("✓") == 3, "the badges")
        session.send("HeapProfiler.collectGarbage")
        heap = session.send("Runtime.getHeapUsage")["usedSize"] / 1e6
        family = descendants(server)
        return len(family), sum(map(memory, family)), heap

    for _ in range(5):  # until everything is imported
        type_and_delete()
    first = type_and_delete()
    end = time.monotonic() + 60 * float(os.environ.get("MINUTES", "0.1"))
    rounds, last = 0, first
    while time.monotonic() < end:
        rounds, last = rounds + 1, type_and_delete()
    print(f"\n{rounds} sentences; processes, MB of the server, MB of the page: {first} -> {last}")
    assert last[0] <= first[0] + 3  # copies of a note's process wait behind its blocks
    assert last[1] < 1.1 * first[1]
    assert last[2] < 1.1 * first[2] + 1


def test_the_server_ends_with_the_app(page: Page, bridge: Bridge, vault: Path) -> None:
    load(page, vault)
    wait(page, lambda: "1 of 3 notes fails" in status(page), "the status")
    processes = descendants(bridge.running[0].process.pid)
    page.goto("about:blank")
    end = time.monotonic() + PATIENCE
    while alive(processes):
        assert time.monotonic() < end
        time.sleep(0.05)
    assert bridge.children[0].process.returncode == 128 + signal.SIGTERM


def test_two_vaults(page: Page, bridge: Bridge, vault: Path, tmp_path: Path) -> None:
    other = make_vault(tmp_path / "other", {"Only.md": FILES["Other.md"].replace("5.0", "6.0")})
    load(page, vault)
    load(page, other, "two")
    wait(page, lambda: "1 of 3 notes fails" in status(page), "the status")
    wait(page, lambda: "1 of 1 note fails" in status(page, "two"), "the status")
    page.evaluate("two.unload()")
    wait(page, lambda: len(bridge.running) == 1, "one server")
    page.evaluate("one.open('Note.md')")
    wait(page, lambda: badges(page).count("✓") == 3, "the badges")
