"""The playground as a process, and people on its Discord, who send the requests of its page without a browser."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http import HTTPStatus
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Self, TypeVar
from urllib.error import HTTPError
from urllib.request import Request, urlopen
from uuid import uuid4

from render import canvas
from tests.support.processes.bot_process import FORKS

_R = TypeVar("_R")

#: The maximum wait, generous for slow machines.
SECONDS = 60.0


def until(find: Callable[[], _R], what: str) -> _R:
    """Wait until ``find`` returns a true value, and return it."""
    ends = time.monotonic() + SECONDS
    while not (found := find()):
        assert time.monotonic() < ends, f"{what} never came"
        time.sleep(0.02)  # another process does the work
    return found


class Playground:
    """A playground process on a folder. It can reuse the ``port`` of a process that has ended."""

    def __init__(self, data: Path, port: int | None = None) -> None:
        said, says = FORKS.Pipe(duplex=False)
        self._process = FORKS.Process(target=_open, args=(data, port, says))
        self._process.start()
        says.close()
        self._output = os.fdopen(os.dup(said.fileno()))
        said.close()
        self.said = ""

    def __enter__(self) -> Self:
        with self._ending():
            while (address := re.search(r"http://\S+#\S+", self.said)) is None:
                line = self._output.readline()
                assert line, f"the playground ended without an address:\n{self.said}"
                self.said += line
        self.address = address[0]
        return self

    @contextmanager
    def _ending(self) -> Iterator[None]:
        """Kill a process that hangs, so that reading its output ends."""
        watchdog = threading.Timer(SECONDS, self._process.kill)
        watchdog.start()
        yield
        watchdog.cancel()

    def kill(self) -> None:
        """Kill the process without warning."""
        self._process.kill()
        self._process.join()

    def stop(self) -> None:
        """Close the playground as with Ctrl-C."""
        assert self._process.pid is not None
        os.kill(self._process.pid, signal.SIGINT)
        with self._ending():
            self.said += self._output.read()
            self._process.join()
        assert self._process.exitcode == 0, self.said
        assert self.said.endswith("The playground is closed.\n")

    def __exit__(self, *_exception: object) -> None:
        try:
            if self._process.is_alive() and _exception[0] is None:
                self.stop()
        finally:
            self.kill()
            self._output.close()
        assert "Traceback" not in self.said, self.said


def _open(data: Path, port: int | None, says: Connection) -> None:
    for stream in (1, 2):
        os.dup2(says.fileno(), stream)
    canvas.SCALE = 1  # no test looks at the pictures, and smooth edges are slow
    sys.argv = ["bot.playground", "--data", str(data), *(() if port is None else ("--port", str(port)))]
    from bot.playground import main  # including the playground's own dependencies

    sys.exit(main())


def two_free_ports() -> int:
    """The first of two consecutive free ports."""
    while True:
        with closing(socket.socket()) as found, closing(socket.socket()) as beside:
            found.bind(("127.0.0.1", 0))
            port: int = found.getsockname()[1]
            try:
                beside.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            return port


class Member:
    """A person on one of a playground's pages; by default, a member of its first server."""

    def __init__(self, playground: Playground, name: str, address: str = "") -> None:
        address, _, self._capability = (address or playground.address).partition("#")
        self._address = address.rstrip("/")
        self._context = ""
        self._sequence = 0
        page = self._send("/api/pages", {})
        self._context = page["context"]["id"]
        self.people = {viewer["name"]: viewer["id"] for viewer in page["viewers"]}
        self._act(kind="viewer", viewer_id=self.people[name])
        self._commands = {command["invocation"]: command for command in self._send("/api/commands")["entries"]}

    def run(self, name: str, **options: object) -> None:
        """Use a command."""
        command = self._commands[name]
        self._act(
            kind="run_command",
            command_id=command["commandId"],
            path=command["path"],
            schema_fingerprint=command["schemaFingerprint"],
            options=options,
        )

    def challenge(self, opponent: str, game: str, size: int) -> None:
        """Challenge a member to a match, and open it."""
        self.run("challenge", game=game, opponent=self.people[opponent], size=str(size), first="challenger")

    def press(self, label: str) -> None:
        """Press the newest button with that label."""

        def found() -> str | None:
            return next((part["control_key"] for part in reversed(self.parts(2)) if part["label"] == label), None)

        def pressed() -> dict[str, str]:
            key = str(until(found, f"a button {label!r}"))
            return {"control_key": key, "target_id": key.split(":")[1]}

        self._act(pressed, kind="click")

    def parts(self, kind: int) -> list[dict[str, Any]]:
        """The components of one type in all messages visible to this member, newest last."""
        self._act(kind="refresh")
        state = self._state()
        return [
            part
            for event in state["timeline"]
            for part in _parts(state["messages"][event]["components"])
            if part["type"] == kind
        ]

    @property
    def texts(self) -> list[str]:
        """The texts of messages."""
        return [part["content"] for part in self.parts(10)]

    @property
    def board(self) -> str:
        """The alternative text of the newest board."""
        pictures = self.parts(12)
        return pictures[-1]["items"][0]["description"] if pictures else ""

    def _state(self) -> Any:
        return self._send("/api/state")

    def _act(self, now: Callable[[], dict[str, Any]] = dict, **what: object) -> None:
        """Send an action, and repeat it while the playground is busy."""

        def done() -> bool:
            more, state = now(), self._state()
            envelope = {
                "protocol_version": 3,
                "sequence": self._sequence + 1,
                "request_id": str(uuid4()),
                "generation": state["context"]["generation"],
                "bot_generation": state["botGeneration"],
                "published_revision": state["publishedRevision"],
            }
            try:
                receipt = self._send("/api/action", {**envelope, **what, **more})
            except HTTPError as error:
                if error.code != HTTPStatus.BAD_REQUEST:
                    raise
                return False  # the simulated Discord waited in vain for a busy bot
            self._sequence = receipt["expectedSequence"]
            problems = {problem["code"] for problem in receipt["diagnostics"]}
            assert not receipt["rejected"] or problems <= {"busy", "stale-revision", "stale-context"}, receipt
            return not receipt["rejected"]

        until(done, str(what))

    def _send(self, path: str, body: object = None) -> Any:
        headers = {"X-Simcord-Capability": self._capability, "Content-Type": "application/json"}
        if self._context:
            headers["X-Simcord-Context"] = self._context
        data = None if body is None else json.dumps(body).encode()
        with urlopen(Request(self._address + path, data, headers), timeout=SECONDS) as answer:  # noqa: S310
            return json.load(answer)


def _parts(components: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The components of a message, including nested ones."""
    for component in components:
        yield component
        yield from _parts(component.get("components", []))
