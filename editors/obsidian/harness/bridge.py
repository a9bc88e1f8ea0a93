"""Serves the page of a test, and starts the processes that the plugin in it asks for."""

import base64
import json
import os
import queue
import signal
import subprocess
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class Child:
    """A process, with what happens in it as a queue of events."""

    def __init__(self, words: list[str], cwd: str, env: dict[str, str]) -> None:
        self.words, self.env = words, env
        self.process = subprocess.Popen(
            words, cwd=cwd, env={**os.environ, **env}, start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self.events: queue.Queue[list[Any]] = queue.Queue()
        streams = {"stdout": self.process.stdout, "stderr": self.process.stderr}
        self._threads = [
            threading.Thread(target=self._read, args=one, daemon=True) for one in streams.items()
        ]
        self._threads.append(threading.Thread(target=self._end, args=self._threads[:], daemon=True))
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        self.process.kill()
        for thread in self._threads:
            thread.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            with suppress(OSError):
                stream.close()  # type: ignore[union-attr]

    def _read(self, name: str, stream: Any) -> None:
        while chunk := stream.read1(65536):
            self.events.put([name, base64.b64encode(chunk).decode()])

    def _end(self, *reading: threading.Thread) -> None:
        code = self.process.wait()
        for thread in reading:
            thread.join()
        ended_by = signal.Signals(-code).name if code < 0 else None
        self.events.put(["close", None if code < 0 else code, ended_by])


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """Say nothing: a page that is closed waits no longer for what it asked for."""


class Bridge:
    """A server for a page and the processes that it starts."""

    def __init__(self, files: dict[str, Path | str]) -> None:
        self.children: list[Child] = []
        bridge = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                found = files.get(self.path)
                if self.path.startswith("/read/"):
                    child = bridge.children[int(self.path.rpartition("/")[2])]
                    self._answer(json.dumps(child.events.get()).encode(), "application/json")
                elif found is None:
                    self.send_error(404)
                else:
                    body = found.encode() if isinstance(found, str) else found.read_bytes()
                    kind = {".css": "text/css", ".js": "text/javascript"}
                    ending = Path(self.path).suffix
                    self._answer(body, kind.get(ending, "text/html") + "; charset=utf-8")

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                what, _, number = self.path[1:].partition("/")
                answer = json.dumps(getattr(bridge, what)(number, body))
                self._answer(answer.encode(), "application/json")

            def _answer(self, body: bytes, kind: str) -> None:
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._server = _Server(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        for child in self.children:
            child.close()
        self._server.shutdown()
        self._server.server_close()

    @property
    def running(self) -> list[Child]:
        return [child for child in self.children if child.process.poll() is None]

    # --- What the page asks

    def spawn(self, _: str, body: bytes) -> dict[str, Any]:
        asked = json.loads(body)
        try:
            self.children.append(Child(asked["words"], asked["cwd"], asked["env"]))
        except FileNotFoundError:
            return {"error": "ENOENT"}
        return {"id": len(self.children) - 1}

    def write(self, number: str, body: bytes) -> bool:
        stdin = self.children[int(number)].process.stdin
        assert stdin
        try:
            stdin.write(body)
            stdin.flush()
        except OSError:
            return False
        return True

    def kill(self, number: str, body: bytes) -> bool:
        self.children[int(number)].process.send_signal(signal.Signals[body.decode()])
        return True

    def exists(self, _: str, body: bytes) -> bool:
        return Path(body.decode()).exists()
