"""Blocks that show a file: what of it they show, what is stale, and what would fix it."""

from pathlib import Path

import pytest

from vaultkit.checks import mirrors
from vaultkit.checks.check import FAILS, HOLDS, Check, Fix
from vaultkit.read.markdown import parse

LIBRARY = '''\
"""Doc."""

import os
import sys as system

# A remark.
@staticmethod
@classmethod
def f(x):
    """Say."""
    return (x,
            x)


class Thing:
    a = 1


size: int = 3
A = [1,
     2]  # why
print("x")
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lib.py").write_text(LIBRARY, encoding="utf-8")
    (tmp_path / "bad.py").write_text("def f(:\n", encoding="utf-8")
    (tmp_path / "docs").mkdir()
    return tmp_path


def found(folder: Path, code: str, title: str = "lib.py", before: str = "") -> list[Check]:
    return list(mirrors.check(parse(f'{before}```python title="{title}"\n{code}\n```\n'), folder))


@pytest.mark.parametrize(
    "code",
    [
        '"""Doc."""',
        "import os\nimport sys as system",
        "# A remark.\n@staticmethod\n@classmethod\ndef f(x):\n"
        '    """Say."""\n    return (x,\n            x)',
        "class Thing:\n    a = 1\n\n\nsize: int = 3   ",
        "A = [1,\n     2]  # why\n",
        "print('x')".replace("'", '"'),
    ],
)
def test_what_is_in_the_file_may_be_shown_in_pieces(folder: Path, code: str) -> None:
    assert found(folder, code, before="word\n\n") == [Check("mirror", 3, "lib.py", HOLDS)]


def stale(name: str, difference: list[str]) -> str:
    listed = "".join(f"\n    {line}" for line in ["--- the note", "+++ lib.py", *difference])
    return f"{name} differs from lib.py; --update copies it{listed}"


def test_what_is_stale_is_reported_with_what_it_should_be(folder: Path) -> None:
    code = (
        "import os\n\n@classmethod\ndef f(x):\n"
        '    """Say."""\n    return x\n\n\nsize: int = 4\nA = 3\nclass Thing:\n    a = 2'
    )
    f = ("@staticmethod", "@classmethod", "def f(x):", '    """Say."""', "    return (x,",
         "            x)")  # fmt: skip
    assert found(folder, code) == [
        Check(
            "mirror", 4, "lib.py", FAILS,
            stale("f", ["@@ -1 +1,2 @@", "+@staticmethod", " @classmethod", "@@ -3,2 +4,3 @@",
                        '     """Say."""', "-    return x", "+    return (x,", "+            x)"]),
            fix=Fix(4, 7, f),
        ),
        Check("mirror", 10, "lib.py", FAILS,
              stale("size", ["@@ -1 +1 @@", "-size: int = 4", "+size: int = 3"]),
              fix=Fix(10, 10, ("size: int = 3",))),
        Check("mirror", 11, "lib.py", FAILS,
              stale("A", ["@@ -1 +1,2 @@", "-A = 3", "+A = [1,", "+     2]  # why"]),
              fix=Fix(11, 11, ("A = [1,", "     2]  # why"))),
        Check("mirror", 12, "lib.py", FAILS,
              stale("Thing", ["@@ -1,2 +1,2 @@", " class Thing:", "-    a = 2", "+    a = 1"]),
              fix=Fix(12, 13, ("class Thing:", "    a = 1"))),
    ]  # fmt: skip


def test_only_what_is_near_a_difference_is_quoted(folder: Path) -> None:
    lines = [f"    {letter} = 1" for letter in "abcdefg"]
    (folder / "lib.py").write_text("\n".join(["def f():", *lines]), encoding="utf-8")
    code = "\n".join(["def f():", *lines]).replace("d = 1", "d = 2")
    (check,) = found(folder, code)
    assert check.why == stale(
        "f", ["@@ -4,3 +4,3 @@", "     c = 1", "-    d = 2", "+    d = 1", "     e = 1"]
    )


def test_a_fix_keeps_to_its_callout(folder: Path) -> None:
    note = parse('> ```python title="lib.py"\n> import os\n>\n> size: int = 4\n> ```\n')
    (check,) = mirrors.check(note, folder)
    assert check.fix == Fix(4, 4, ("> size: int = 3",))
    assert check.line == 4


def test_comments_between_statements_are_those_of_the_file(folder: Path) -> None:
    code = "# A remark.\nimport os\n\n  # Another.\n\nsize: int = 3  \n# why"
    assert found(folder, code) == [
        Check("mirror", 5, "lib.py", FAILS, "'# Another.' is not in lib.py"),
        Check("mirror", 8, "lib.py", FAILS, "'# why' is not in lib.py"),
    ]


@pytest.mark.parametrize(
    ("title", "code", "why"),
    [
        ("no.py", "x", "there is no such file beside the vault"),
        ("lib.py", "def ff(): ...", "lib.py has no 'ff'; did you mean 'f'?"),
        ("lib.py", "sizes = 4", "lib.py has no 'sizes'; did you mean 'size'?"),
        ("lib.py", "quite_different = 4", "lib.py has no 'quite_different'"),
        ("lib.py", "import  sis", "lib.py has no 'import sis'; did you mean 'import os'?"),
        ("lib.py", "def f(:", "invalid syntax (<unknown>, line 1)"),
        ("bad.py", "x", "invalid syntax (<unknown>, line 1)"),
    ],
)
def test_what_cannot_be_compared_fails(folder: Path, title: str, code: str, why: str) -> None:
    assert found(folder, code, title, before="word\n\n") == [
        Check("mirror", 3, title, FAILS, f'title="{title}": {why}')
    ]


def test_a_block_that_cannot_be_compared_does_not_hide_the_next(folder: Path) -> None:
    text = '```python title="{}"\n{}\n```\n\n'
    note = parse(text.format("no.py", "x") + text.format("lib.py", "import os"))
    assert [c.outcome for c in mirrors.check(note, folder)] == [FAILS, HOLDS]


def test_only_paths_of_python_files_are_shown(folder: Path) -> None:
    blocks = [
        "```python\nx\n```",
        '```python title="By hand"\nx\n```',
        '```python title="a\nx\n```',
    ]
    note = parse("\n\n".join([*blocks, '```python title="lib.py"\nimport os\n```\n']))
    assert [block.fence.line for block in mirrors.mirror_blocks(note)] == [13]
    assert mirrors.mirrored_files(note, folder) == {folder / "lib.py"}
    outside = parse('```python title="../lib.py"\nx\n```\n')
    assert mirrors.mirrored_files(outside, folder) == set()
