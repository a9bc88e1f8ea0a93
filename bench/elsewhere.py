"""The tests on other systems, on this machine: ``make elsewhere``.

A fresh clone of HEAD is set up with two Pythons of this machine, and in folders that Debian's
``debootstrap`` makes: one with a newer Python, one with the newest, and one for arm64, which QEMU
emulates. In each, ``pytest docs`` runs with every NumPy since 2.0 that has a wheel for its Python.
What came of it is printed as a table in Markdown. ``--only sid arm64`` picks systems.

The folders are kept outside the repository (``--cache``), and all that pytest printed with them.
What has to be mounted is mounted in a namespace of its own: it is gone when the command in it ends,
however that ends. Where packages come from is what apt and pip are set to here.
"""

import argparse
import contextlib
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"), "attention-vault/elsewhere")

#: The packages that a root needs besides Debian's smallest set.
PACKAGES = "python3,python3-venv,make,git"
#: What a root takes from this machine, where it is there: how to reach registries, and which.
BROUGHT = (
    *("/etc/resolv.conf", "/etc/hosts", "/etc/ssl/certs", "/etc/pip.conf"),
    *(str(Path.home() / name) for name in (".config/pip", ".pip")),
)
#: Run a command in a root. The shell stays its first process, which waits for those left behind.
ENTER = """
set -e
root=$1; shift
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
for path in $BROUGHT; do
  if test -d "$path"; then mkdir -p "$root$path"
  elif test -e "$path"; then mkdir -p "$root${path%/*}"; touch "$root$path"
  else continue; fi
  mount --bind "$path" "$root$path"
done
chroot "$root" env --chdir=/vault "$@" || exit $?
exit 0
"""
PRIVATE = ("unshare", "--mount", "--pid", "--fork", "--kill-child")
#: Variables of the caller that would have another meaning there.
UNSET = {"LC_ALL", "MAKEFLAGS", "MAKELEVEL", "MFLAGS", "PYTHONHOME", "PYTHONPATH", "TMPDIR"}

BINFMT = Path("/proc/sys/fs/binfmt_misc")
ARM64 = BINFMT / "qemu-aarch64"


@dataclass(frozen=True)
class System:
    """A system to test on: a Python of this machine, or a root that ``debootstrap`` creates."""

    name: str
    #: The release of Debian; empty for this machine.
    release: str = ""
    #: The processor that QEMU emulates; empty for this one.
    emulated: bool = False
    #: Whether the tests that run code also run there.
    code: bool = False

    @property
    def title(self) -> str:
        """The name of the system in the table."""
        where = f"Debian {self.release}" if self.release else "this machine"
        return f"{where}, arm64 emulated by QEMU" if self.emulated else where


SYSTEMS = (
    System("python3.11"),
    System("python3.12"),
    System("trixie", release="trixie"),
    System("sid", release="sid", code=True),
    System("arm64", release="trixie", emulated=True),
)


class Elsewhere:
    """A system with a fresh clone in it, set up."""

    def __init__(self, system: System, cache: Path) -> None:
        self.system = system
        self.folder = cache / system.name
        self.vault = self.folder / "vault"
        self.environment = {k: v for k, v in os.environ.items() if k not in UNSET}
        self.environment |= {"LANG": "C.UTF-8", "BROUGHT": " ".join(BROUGHT)}
        if system.release:
            self.environment["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
        if system.emulated:
            # QEMU's own processor has SVE, whose kernels in OpenBLAS compute wrong products there.
            self.environment["QEMU_CPU"] = "cortex-a72"

    def run(self, *command: str, log: str, **environment: str) -> str:
        """Run a command in the clone, and return its output, which is kept; it may fail."""
        if self.system.release:
            command = (*PRIVATE, "sh", "-c", ENTER, "sh", str(self.folder), *command)
        done = subprocess.run(
            command,
            cwd=self.vault,
            env=self.environment | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        printed = f"{done.stdout}\nended with {done.returncode}\n"
        (self.folder / f"{log}.log").write_text(printed, encoding="utf-8")
        return printed

    def must(self, *command: str, log: str) -> str:
        """Run a command in the clone that must succeed."""
        printed = self.run(*command, log=log)
        if not printed.endswith("ended with 0\n"):
            sys.exit(f"{self.system.name}: {' '.join(command)} failed\n{printed[-3000:]}")
        return printed

    def set_up(self) -> None:
        """Create what is missing: the root, the clone (always), and its packages."""
        if self.system.release and not self.folder.exists():
            bootstrap(self.system, self.folder)
        new = self.folder / "new"
        shutil.rmtree(new, ignore_errors=True)
        new.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            ["git", "-c", "advice.detachedHead=false", "clone", "--quiet", ROOT, new], check=True
        )
        with contextlib.suppress(FileNotFoundError):
            (self.vault / ".venv").rename(new / ".venv")
        shutil.rmtree(self.vault, ignore_errors=True)
        new.rename(self.vault)
        python = "python3" if self.system.release else interpreter(self.system.name)
        packages = ".venv/test" if self.system.code else ".venv/site"
        self.must("make", packages, f"PYTHON={python}", log="set-up")

    def numpys(self) -> list[str]:
        """Return the last version of each NumPy since 2.0; some have no wheel for this Python."""
        pip = (".venv/bin/pip", "index", "versions", "numpy")
        listed = re.search(r"Available versions: (.*)", self.must(*pip, log="numpy"))
        last: dict[tuple[int, int], str] = {}
        for version in listed[1].split(", ") if listed else ():
            major, minor = map(int, version.split(".")[:2])
            if major >= 2:
                last.setdefault((major, minor), version)  # the newest comes first
        return [last[key] for key in sorted(last)]

    def installed(self, numpy: str) -> bool:
        """Install a NumPy; return whether there is a wheel of it for this Python."""
        pip = (".venv/bin/pip", "install", "-q", "--only-binary=numpy", f"numpy=={numpy}")
        if "No matching distribution" in self.run(*pip, log="numpy"):
            return False
        self.must(*pip, log="numpy")
        return True

    def kernel(self) -> str:
        """Return OpenBLAS' name of its kernel for this processor."""
        python = (".venv/bin/python", "-c", "import numpy")
        log_text = self.run(*python, log="kernel", OPENBLAS_VERBOSE="2")
        found = re.search(r"Core: (\w+)", log_text)
        return found[1] if found else "?"

    def tests(self, *arguments: str, log: str) -> tuple[str, list[str], str]:
        """Return how many tests passed and failed, which failed, and the time."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        printed = self.run(".venv/bin/pytest", "-q", *arguments, log=log)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        failed = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", printed, re.MULTILINE)
        return counted(printed), failed, f"{seconds:.0f}"


def counted(printed: str) -> str:
    """Return pytest's last line, shortened, or how it ended instead."""
    lines = re.findall(r"^\d+ (?:passed|failed|skipped|error).* in [\d.]+s", printed, re.MULTILINE)
    if not lines:
        return printed.splitlines()[-1]
    counts = Counter({word: int(n) for n, word in re.findall(r"(\d+) ([a-z]+?)s?\b", lines[-1])})
    skipped = f", {counts['skipped']} skipped" if counts["skipped"] else ""
    return f"{counts['passed']} / {counts['failed'] + counts['error']}{skipped}"


def interpreter(name: str) -> str:
    """Return the path of a Python of this machine, also of one that only pyenv knows."""
    for version in ("", name.removeprefix("python")):
        environment = {**os.environ, **({"PYENV_VERSION": version} if version else {})}
        with contextlib.suppress(OSError, subprocess.CalledProcessError):
            return subprocess.run(
                [name, "-c", "import sys; print(sys.executable)"],
                env=environment,
                check=True,
                capture_output=True,
                text=True,
            ).stdout.strip()
    return ""


def mirror() -> list[str]:
    """Return the mirror that apt uses, if any; without one ``debootstrap`` has its own."""
    if not shutil.which("apt-get"):
        return []
    command = ["apt-get", "indextargets", "--format=$(REPO_URI)", "Label: Debian"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[:1]


def bootstrap(system: System, folder: Path) -> None:
    """Create a root with Debian's ``debootstrap``."""
    new = folder.with_suffix(".new")
    shutil.rmtree(new, ignore_errors=True)
    new.parent.mkdir(parents=True, exist_ok=True)
    options = ["--variant=minbase", f"--include={PACKAGES}"]
    if system.emulated:
        options.append("--arch=arm64")
    command = [*PRIVATE, "debootstrap", *options, system.release, str(new), *mirror()]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{system.name}: debootstrap failed\n{done.stdout[-3000:]}")
    new.rename(folder)


@contextlib.contextmanager
def emulation() -> Iterator[None]:
    """Let the kernel hand programs for arm64 to QEMU, and undo that afterwards."""
    if ARM64.exists():
        yield
        return
    mounted = (BINFMT / "status").exists()
    if not mounted:
        subprocess.run(["mount", "-t", "binfmt_misc", "binfmt_misc", BINFMT], check=True)
    try:
        subprocess.run(["update-binfmts", "--enable", "qemu-aarch64"], check=True)
        yield
    finally:
        subprocess.run(["update-binfmts", "--disable", "qemu-aarch64"], check=False)
        if not mounted:
            subprocess.run(["umount", BINFMT], check=False)


def missing(systems: list[System]) -> list[str]:
    """Return what these systems need that is missing here."""
    names = []
    if any(system.release for system in systems):
        if os.geteuid():
            names.append("root")
        names += [name for name in ("debootstrap", "unshare") if not shutil.which(name)]
    if any(system.emulated for system in systems) and not ARM64.exists():
        programs = {"qemu-aarch64-static": "qemu-user-static", "update-binfmts": "binfmt-support"}
        names += [package for name, package in programs.items() if not shutil.which(name)]
    return names


HEAD = (
    "| system | Python | NumPy | BLAS kernel | notes: passed / failed | seconds of processors "
    "| all but pages: passed / failed | seconds of processors |",
    "|---|---|---|---|---|---|---|---|",
)


def tried(there: Elsewhere) -> list[str]:
    """Set a system up, print its rows, and return the failures."""
    there.set_up()
    python = there.must(".venv/bin/python", "--version", log="python").split()[1]
    numpys, every = there.numpys(), []
    for numpy in numpys[-1:] if there.system.emulated else numpys:
        if not there.installed(numpy):
            continue
        kernel = there.kernel()
        notes, failed, seconds = there.tests("docs", log=f"notes-{numpy}")
        code, took = "", ""
        if there.system.code and numpy == numpys[-1]:
            code, more, took = there.tests("--all", "--ignore=tests/site", log=f"code-{numpy}")
            failed += [test for test in more if test not in failed]
        cells = (there.system.title, python, numpy, kernel, notes, seconds, code, took)
        print(f"| {' | '.join(cells)} |", flush=True)
        every += [f"{there.system.title}, NumPy {numpy}: {test}" for test in failed]
    return every


def main() -> None:
    """Set the systems up, run the tests, print the table."""
    parser = argparse.ArgumentParser(prog="make elsewhere", description=__doc__.split("\n", 1)[0])
    known = [system.name for system in SYSTEMS]
    parser.add_argument("--only", nargs="+", choices=known, default=known, help="these systems")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where roots are kept")
    options = parser.parse_args()
    systems = [system for system in SYSTEMS if system.name in options.only]
    if names := missing(systems):
        sys.exit(f"make elsewhere needs {', '.join(names)}; ONLY='python3.11 python3.12' does not.")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))

    with contextlib.ExitStack() as stack:
        if any(system.emulated for system in systems):
            stack.enter_context(emulation())
        print(*HEAD, sep="\n", flush=True)
        failed: list[str] = []
        for system in systems:
            if system.release or interpreter(system.name):
                failed += tried(Elsewhere(system, options.cache.resolve()))
            else:
                print(f"| {system.title} | {system.name} is not installed: not tried | | | | | | |")
    print("", *failed, sep="\n")


if __name__ == "__main__":
    main()
