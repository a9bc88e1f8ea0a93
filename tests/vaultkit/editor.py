"""An editor that speaks the language server protocol over pipes, and has no other access."""

import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

#: Seconds to wait for an answer; a machine may be busy.
PATIENCE = 60.0

Message = dict[str, Any]


class Editor:
    def __init__(
        self, folder: Path, *arguments: str, encodings: list[str] | None = None, **greeting: Any
    ) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "vaultkit", "lsp", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
        )
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        #: The last diagnostics of each file, by path, with the version that they are about.
        self.published: dict[Path, Message] = {}
        self.said: list[str] = []
        #: The requests of the server, and the answers to them by their method.
        self.asked: list[Message] = []
        self.answers: dict[str, Any] = {}
        #: What it was given to show itself.
        self.messages: list[str] = []
        #: The last status of all notes of each folder, and the progress of checking them.
        self.statuses: dict[Path, str] = {}
        self.progress: list[Message] = []
        self._numbers = iter(range(1, 1_000_000))
        self._arrived: queue.Queue[Message] = queue.Queue()
        self._errors: list[bytes] = []
        self._threads = [
            threading.Thread(target=target, daemon=True) for target in (self._read, self._hear)
        ]
        for thread in self._threads:
            thread.start()
        try:
            self._greet({"positionEncodings": encodings} if encodings else {}, greeting)
        except BaseException:
            self.vanish()
            raise

    def _greet(self, general: Message, greeting: Message) -> None:
        capabilities = {
            "general": general,
            "workspace": {
                "applyEdit": True, "didChangeWatchedFiles": {"dynamicRegistration": True},
            },
            "textDocument": {"rename": {"prepareSupport": True}},
        }  # fmt: skip
        asked = {"processId": None, "rootUri": self.folder.as_uri(), "capabilities": capabilities}
        self.capabilities = self.request("initialize", **{**asked, **greeting})["capabilities"]
        self.notify("initialized")

    def __enter__(self) -> "Editor":
        return self

    def __exit__(self, *_: object) -> None:
        try:
            if self.process.poll() is None:
                self.request("shutdown", None)
                self.notify("exit", None)
                assert self.process.wait(PATIENCE) == 0, self.errors
        finally:
            self.vanish()
        assert "Traceback" not in self.errors, self.errors

    def vanish(self) -> None:
        """Exit without the protocol's messages."""
        with suppress(BrokenPipeError):
            self.process.stdin.close()  # type: ignore[union-attr]
        try:
            self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            self.process.wait()
            for thread in self._threads:
                thread.join(PATIENCE)
            self.process.stdout.close()  # type: ignore[union-attr]
            self.process.stderr.close()  # type: ignore[union-attr]

    @property
    def errors(self) -> str:
        return b"".join(self._errors).decode()

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    # --- What an editor does

    def open(self, name: str, text: str | None = None) -> None:
        if text is None:
            text = (self.folder / name).read_bytes().decode()
        # What arrives late, for a note that was closed, is of a version before.
        self.texts[name], self.versions[name] = text, self.versions.get(name, 0) + 1
        document = {"uri": self.uri(name), "languageId": "markdown"}
        document |= {"version": self.versions[name], "text": text}
        self.notify("textDocument/didOpen", textDocument=document)

    def close(self, name: str) -> None:
        del self.texts[name]
        self.published.pop(self.folder / name, None)
        self.notify("textDocument/didClose", textDocument={"uri": self.uri(name)})

    def begin_again(self, files: dict[str, str]) -> None:
        """Close all notes, and replace all files in the folder by these."""
        for name in self.texts:
            self.notify("textDocument/didClose", textDocument={"uri": self.uri(name)})
        there = [path.name for path in self.folder.iterdir() if path.is_file()]
        for name in {*there} - files.keys():
            (self.folder / name).unlink()
        for name, text in files.items():
            (self.folder / name).write_text(text)
        changes = [{"uri": self.uri(name), "type": 2 if name in files else 3}
                   for name in {*there, *files}]  # fmt: skip
        self.notify("workspace/didChangeWatchedFiles", changes=changes)
        self.request("workspace/symbol", query="")  # is answered when all that has been heard
        for forgotten in (self.texts, self.published, self.said):
            forgotten.clear()

    def type(self, name: str, old: str, new: str) -> None:
        """Replace the first occurrence of a text."""
        text = self.texts[name]
        at = text.index(old)
        where = {"start": self.position(text, at), "end": self.position(text, at + len(old))}
        self.texts[name] = text[:at] + new + text[at + len(old) :]
        self.change(name, [{"range": where, "text": new}])

    def change(self, name: str, changes: list[Message]) -> None:
        self.versions[name] += 1
        document = {"uri": self.uri(name), "version": self.versions[name]}
        self.notify("textDocument/didChange", textDocument=document, contentChanges=changes)

    def save(self, name: str) -> None:
        (self.folder / name).write_bytes(self.texts[name].encode())
        self.notify("textDocument/didSave", textDocument={"uri": self.uri(name)})

    def position(self, text: str, at: int) -> Message:
        before = text[:at].split("\n")
        return {"line": len(before) - 1, "character": len(before[-1].encode("utf-16-le")) // 2}

    def ask(self, what: str, name: str, words: str = "", by: int = 0, **more: Any) -> Any:
        """Send a request about the first occurrence of a text, or some characters after it."""
        where = {}
        if words:
            text = self.texts[name]
            where = {"position": self.position(text, text.index(words) + by)}
        return self.request(
            f"textDocument/{what}", textDocument={"uri": self.uri(name)}, **where, **more
        )

    def problems(
        self, name: str, until: Callable[[list[Message]], bool] = lambda _: True
    ) -> list[Message]:
        """Wait until the diagnostics of the present text of a note are the wanted ones."""
        path = self.folder / name
        end = time.monotonic() + PATIENCE
        while True:
            published = self.published.get(path)
            # What is published late of a note before it was opened has no version.
            version = self.versions.get(name) if name in self.texts else None
            of_now = published and published.get("version") == version
            if published and of_now and until(published["diagnostics"]):
                return published["diagnostics"]
            self._take(end - time.monotonic(), f"{published}")

    def wait_for(self, holds: Callable[[], bool]) -> None:
        """Take messages until a condition holds, asking now and then."""
        end = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < end, (self.statuses, self.published, self.errors)
            with suppress(AssertionError):
                self._take(0.05, "")

    def shown(self, name: str, problem: Message) -> str:
        """Return the text that a diagnostic marks."""
        lines = self.texts[name].split("\n")
        start, end = problem["range"]["start"], problem["range"]["end"]
        if start["line"] == end["line"]:
            units = lines[start["line"]].encode("utf-16-le")
            return units[2 * start["character"] : 2 * end["character"]].decode("utf-16-le")
        first = lines[start["line"]][start["character"] :]
        last = lines[end["line"]][: end["character"]]
        return "\n".join([first, *lines[start["line"] + 1 : end["line"]], last])

    # --- The protocol

    def request(self, method: str, *nothing: None, refused: bool = False, **params: Any) -> Any:
        number = next(self._numbers)
        message = {"jsonrpc": "2.0", "id": number, "method": method}
        self._send(message if nothing else {**message, "params": params})
        end = time.monotonic() + PATIENCE
        while True:
            answer = self._take(end - time.monotonic(), method)
            if answer.get("id") == number and "method" not in answer:
                assert ("error" in answer) == refused, (answer, self.errors)
                return answer.get("error" if refused else "result")

    def notify(self, method: str, *nothing: None, **params: Any) -> None:
        message: Message = {"jsonrpc": "2.0", "method": method}
        self._send(message if nothing else {**message, "params": params})

    def _send(self, message: Message) -> None:
        body = json.dumps(message).encode()
        assert self.process.stdin
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.process.stdin.flush()

    def _take(self, patience: float, what: str) -> Message:
        try:
            message = self._arrived.get(timeout=max(0.0, patience))
        except queue.Empty:
            raise AssertionError(f"waited in vain: {what}\n{self.errors}") from None
        if not message:
            raise AssertionError(f"the server has ended: {what}\n{self.errors}")
        match message.get("method"):
            case "textDocument/publishDiagnostics":
                params = message["params"]
                self.published[Path(_path(params["uri"]))] = params
            case "vaultkit/status":
                params = message["params"]
                self.statuses[Path(_path(params["folder"]))] = params["text"]
            case "vaultkit/message":
                self.messages.append(message["params"]["text"])
            case "$/progress":
                self.progress.append(message["params"]["value"])
            case "window/showMessage":
                self.said.append(message["params"]["message"])
            case None:
                pass
            case _ if "id" in message:
                self.asked.append(message)
                answer = self.answers.get(message["method"])
                if message["method"] == "workspace/applyEdit":
                    answer = {"applied": True}
                self._send({"jsonrpc": "2.0", "id": message["id"], "result": answer})
        return message

    def _read(self) -> None:
        out = self.process.stdout
        assert out
        while header := out.readline():
            length = int(header.split(b":")[1])
            while out.readline().strip():
                pass
            self._arrived.put(json.loads(out.read(length)))
        self._arrived.put({})

    def _hear(self) -> None:
        assert self.process.stderr
        self._errors.extend(self.process.stderr)


def _path(uri: str) -> str:
    from urllib.parse import unquote, urlparse

    return unquote(urlparse(uri).path)
