"""``make elsewhere`` without other systems: how it counts, and what it says that it needs."""

import os
import sys

import pytest

pytest.importorskip("resource")  # it is for Linux
from bench import elsewhere


@pytest.mark.parametrize(
    ("printed", "cell"),
    [
        ("1286 passed in 9.52s", "1286 / 0"),
        ("2 failed, 1284 passed in 65.10s (0:01:05)\n7 long tests were left out", "1284 / 2"),
        ("1 failed, 40 passed, 3 skipped, 2 errors in 7.00s", "40 / 3, 3 skipped"),
        ("2 failed, 8 passed in 1.0s of the tests that it runs\n1 passed in 2.00s", "1 / 0"),
        ("Fatal Python error: Segmentation fault\n\nended with -11", "ended with -11"),
    ],
)
def test_the_last_line_of_pytest_is_counted(printed: str, cell: str) -> None:
    assert elsewhere.counted(printed) == cell


def test_what_is_missing_is_said_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(os, "geteuid", lambda: 1000, raising=False)
    monkeypatch.setattr(elsewhere, "ARM64", elsewhere.ROOT / "nowhere")
    monkeypatch.setattr(sys, "argv", ["elsewhere"])
    with pytest.raises(SystemExit) as ended:
        elsewhere.main()
    message = str(ended.value)
    assert message.splitlines() == [message]
    for name in ("root", "debootstrap", "unshare", "qemu-user-static", "binfmt-support"):
        assert name in message
    assert capsys.readouterr().out == ""


def test_a_python_that_is_not_here_is_none() -> None:
    assert elsewhere.interpreter("python2.99") == ""
    assert elsewhere.interpreter(sys.executable) == sys.executable
