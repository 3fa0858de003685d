"""``python -m rules connect``: let a program that speaks the protocol of ``python -m rules engine`` play on Hexgrove.

One thread listens to the server's stream of events; the other answers challenges and plays the matches, one after
another. A stream begins with everything that waits, so nothing else is remembered. The README here describes the rest.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from http.client import HTTPException
from pathlib import Path
from typing import Any, NoReturn
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

#: The environment variable with the token, unless that is in a file. Other users could read it in a command line.
TOKEN = "HEXGROVE_TOKEN"
#: Seconds of silence after which a connection is lost, and seconds that an engine may think.
SILENCE, PATIENCE = 30.0, 900.0
#: Seconds before the first new attempt, maximum seconds before any, and maximum seconds that a server may ask for.
PAUSE, LONGEST_PAUSE, LONGEST_WAIT = 1.0, 60.0, 3600.0
#: Maximum bytes of a line from the server and from the engine, and of a token or an address.
EVENT, ANSWER, SECRET = 10_000_000, 100_000, 500
#: How often an engine is started for a request, and how many of its turns are tried on a board, at most.
STARTS, TRIES = 4, 3
#: The failures of a connection.
LOST = (OSError, HTTPException)

Object = dict[str, Any]


class Stopped(Exception):
    """The connection has ended; the message gives the reason in a sentence."""


def run(address: str, command: str, strength: Object, token_file: str | None) -> NoReturn:
    """Play until the end. Raises :class:`Stopped`."""
    server = Server(address, _token(token_file))
    with Engine(command, strength) as engine:
        Bridge(server, engine).play()


def _token(file: str | None) -> str:
    if file is None:
        token = os.environ.get(TOKEN, "")
    else:
        try:
            with Path(file).open(encoding="utf-8", errors="replace") as opened:
                token = opened.read(SECRET + 2)
        except OSError as error:
            raise Stopped(f"{file}: {error.strerror}") from error
    token = token.strip()
    if not token:
        raise Stopped(f"The token is missing: put it into the variable {TOKEN} or into a file for --token-file.")
    if len(token) > SECRET or not token.isascii() or not token.isprintable() or " " in token:
        raise Stopped("This is no token. Copy it again from /settings on Discord.")
    return token


def _say(text: str) -> None:
    print("".join(character if character.isprintable() else "�" for character in text), file=sys.stderr, flush=True)


def pauses() -> Iterator[float]:
    """Yield ever longer pauses. They are random, so that not all clients return at the same time."""
    longest = PAUSE
    while True:
        yield longest * random.uniform(0.5, 1)
        longest = min(2 * longest, LONGEST_PAUSE)


_ADDRESS = re.compile(r"(?P<scheme>https?)://(?P<host>[\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?(/[\w./~-]*)?", re.ASCII)


class _NoRedirects(HTTPRedirectHandler):
    """A handler that fails on redirections, because the token is for a single address."""

    def redirect_request(self, *_: object) -> None:
        return None


class Busy(Exception):
    """The server asks to wait for some seconds."""

    def __init__(self, seconds: float, reason: str) -> None:
        super().__init__(reason)
        self.seconds = seconds


class Full(Busy):
    """The server has reached another limit than that on requests, such as the one on running matches."""


class Server:
    """Hexgrove's API."""

    def __init__(self, address: str, token: str) -> None:
        parts = _ADDRESS.fullmatch(address[:SECRET])
        if parts is None:
            raise Stopped("The address is that of the pages, such as https://games.example.org.")
        if parts["scheme"] == "http" and parts["host"] not in {"localhost", "127.0.0.1", "[::1]"}:
            _say("Over http, others on the way can read the token. Use https if the server has it.")
        self._address = address.rstrip("/") + "/api/v1"
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._opener = build_opener(_NoRedirects)

    def post(self, path: str, body: Object) -> tuple[int, Object]:
        """Return the status and the answer. Raises :data:`LOST`, :class:`Busy` or :class:`Stopped`."""
        with self._open(path, json.dumps(body).encode()) as response:
            answer = _object(response.read(EVENT))
            if response.status == 200 and not answer:
                raise HTTPException("the answer is not JSON")
            return response.status, answer

    def events(self) -> Iterator[Object]:
        """Yield events until the connection is lost. Raises like :meth:`post`."""
        with self._open("/events") as response:
            if response.status != 200:
                raise Stopped(f"{self._address}/events answers with status {response.status}: no API for programs.")
            while line := response.readline(EVENT + 1):
                if len(line) > EVENT:
                    raise HTTPException("a line is too long")
                if line.strip():
                    yield _object(line)

    def _open(self, path: str, body: bytes | None = None) -> Any:
        request = Request(self._address + path, body, self._headers)  # noqa: S310 (the scheme has been checked)
        try:
            response = self._opener.open(request, timeout=SILENCE)
        except HTTPError as error:
            response = error
        if response.status < 500 and response.status not in {401, 408, 429}:
            return response
        with response:
            answer = _object(response.read(EVENT))
            if response.status == 401:
                raise Stopped(answer.get("message") or "The server does not know this token.")
            seconds = response.headers.get("Retry-After", "")
            if response.status == 429 or seconds:
                kind = Busy if answer.get("code") in {None, "too_many_requests", "starting"} else Full
                wait = min(float(seconds), LONGEST_WAIT) if seconds.isdecimal() else PAUSE
                raise kind(wait, answer.get("message") or "the server is busy")
            raise HTTPException(f"status {response.status}")


def _object(text: bytes) -> Object:
    """Read an answer; anything else, such as the page of a proxy, gives an empty object."""
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return answer if isinstance(answer, dict) else {}


class EngineRefusal(Exception):
    """The engine's reason for giving no turn."""


class Engine:
    """The process that chooses turns."""

    def __init__(self, command: str, strength: Object) -> None:
        try:
            # On Windows, a program is started with its whole command line.
            self._command = command if os.name == "nt" else shlex.split(command)
        except ValueError as error:
            raise Stopped(f"The engine could not be started: {error}") from error
        self._strength = strength
        self._process = self._start()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def turn(self, ruleset: Object, turns: list[str], **strength: int) -> str:
        """The engine's turn. Raises :class:`EngineRefusal`, or :class:`Stopped` if the engine dies repeatedly."""
        setup = {"setup": ruleset["setup"]} if ruleset["setup"] else {}
        seed = random.getrandbits(32)
        request = {key: ruleset[key] for key in ("game", "size", "variant")} | setup | {"turns": turns, "seed": seed}
        for number, pause in enumerate(pauses(), 1):
            match self._answer(request | (strength or self._strength)):
                case {"turn": str(turn)}:
                    return turn
                case {"error": str(reason)}:
                    raise EngineRefusal(reason)
            self._end()
            if number == STARTS:
                break
            _say("The engine has died or does not speak the protocol. It is started again.")
            time.sleep(pause)
            self._process = self._start()
        raise Stopped(
            f"The engine has died {STARTS} times in a row. Its matches go on as soon as you connect it again."
        )

    def _answer(self, request: Object) -> Object:
        given, answers = self._process.stdin, self._process.stdout
        assert given is not None
        assert answers is not None
        clock = threading.Timer(PATIENCE, self._process.kill)
        clock.start()
        try:
            given.write(json.dumps(request).encode() + b"\n")
            given.flush()
            line = answers.readline(ANSWER + 1)
        except OSError:
            return {}
        finally:
            clock.cancel()
        return _object(line) if line.endswith(b"\n") else {}

    def _start(self) -> subprocess.Popen[bytes]:
        # Ctrl+C is meant for this process, which then ends the engine; the engine must not see the token.
        environment = {key: value for key, value in os.environ.items() if key != TOKEN}
        try:
            return subprocess.Popen(  # noqa: S603 (the user's own command)
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment,
                start_new_session=True,
            )
        except (OSError, IndexError) as error:
            raise Stopped(f"The engine could not be started: {error}") from error

    def _end(self) -> None:
        """End the process: gently at first, by force if it does not obey."""
        process = self._process
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                assert pipe is not None
                pipe.close()
        for stop in (process.terminate, process.kill):
            try:
                process.wait(1)
            except subprocess.TimeoutExpired:
                stop()
        process.wait()


class Bridge:
    """The link between a server and an engine."""

    def __init__(self, server: Server, engine: Engine) -> None:
        self._server = server
        self._engine = engine
        self._challenges: dict[int, Object] = {}
        #: The matches by key; the match that has waited longest comes first.
        self._matches: dict[str, Object] = {}
        #: The proposals answered since the stream began.
        self._answers: set[int] = set()
        self._end: str | None = None
        self._news = threading.Condition()

    def play(self) -> NoReturn:
        """Answer and play until the end. Raises :class:`Stopped`."""
        threading.Thread(target=self._listen, daemon=True).start()
        try:
            while True:
                self._work()()
        except Stopped as stopped:
            self._stop(str(stopped))
            raise

    def _listen(self) -> None:
        """Listen to the stream, and reconnect after every loss."""
        waits = pauses()
        while self._end is None:
            pause, reason = next(waits), "the server has ended it"
            end = None
            try:
                for event in self._server.events():
                    waits = pauses()
                    if end := self._receive(event):
                        break
            except Busy as busy:
                reason, pause = str(busy), max(pause, busy.seconds)
            except LOST as lost:
                reason = str(lost) or type(lost).__name__
            except Stopped as stopped:
                end = str(stopped)
            except Exception as error:
                end = f"The server does not say what it should: {error!r}"
            if end is not None:
                self._stop(end)
            elif self._end is None:
                _say(f"No connection: {reason}. The next attempt is in {pause:.0f} seconds.")
                self._wait(pause)

    def _stop(self, end: str) -> None:
        with self._news:
            self._end = self._end or end
            self._news.notify_all()

    def _wait(self, seconds: float) -> None:
        """Wait for ``seconds``, or until the end."""
        with self._news:
            self._news.wait_for(lambda: self._end is not None, seconds)

    def _receive(self, event: Object) -> str | None:
        """Receive an event; return the reason if the stream has ended for good."""
        with self._news:
            match event.get("type"):
                case "state":
                    known, self._matches = self._matches, {}
                    for match in event["matches"]:
                        self._note(max(known.get(match["key"], match), match, key=lambda state: state["step"]))
                    self._challenges = {new["id"]: new for new in event["challenges"] if _is_ours(new)}
                    self._answers.clear()
                    _say(f"Connected as {event['program']['name']}.")
                case "challenge" if _is_ours(event["challenge"]):
                    self._challenges[event["challenge"]["id"]] = event["challenge"]
                case "challenge":
                    self._challenges.pop(event["challenge"]["id"], None)
                case "match":
                    self._note(event["match"])
                case "end" if event["code"] != "stopping":
                    return str(event["message"])
            self._news.notify()
        return None

    def _note(self, match: Object) -> None:
        """Keep the state of a match, unless a newer one is known."""
        known = self._matches.get(match["key"])
        if known is None or known["step"] <= match["step"]:
            self._matches.pop(match["key"], None)
            if match["result"] is None or match["proposals"]:
                self._matches[match["key"]] = match

    def _work(self) -> Callable[[], None]:
        """Wait for something to do, and return it: a challenge first, then a proposal, then a turn."""
        with self._news:
            while self._end is None:
                for challenge in self._challenges.values():
                    return partial(self._answer_challenge, challenge)
                for match in self._matches.values():
                    for proposal in match["proposals"]:
                        if proposal["by"] != match["you"] and proposal["id"] not in self._answers:
                            return partial(self._answer_proposal, match, proposal)
                for match in self._matches.values():
                    if match["your_turn"]:
                        return partial(self._play, self._matches.pop(match["key"]))
                self._news.wait()
            raise Stopped(self._end)

    def _answer_challenge(self, challenge: Object) -> None:
        """Accept a challenge if the engine knows the game, as a quick opening shows; decline if a limit refuses it."""
        path, ruleset = f"/challenges/{challenge['id']}", challenge["ruleset"]
        try:
            self._engine.turn(ruleset, [], simulations=1)
            self._accept(path)
            said = "accepted"
        except (EngineRefusal, Full) as refusal:
            self._post(path, {"answer": "decline"})
            said = f"declined: {refusal}"
        _say(f"Challenge of {challenge['other']['name']}, {ruleset['id']}: {said}")
        with self._news:
            self._challenges.pop(challenge["id"], None)

    def _accept(self, path: str) -> None:
        """Accept a challenge. Raises :class:`Full` if it cannot be accepted now."""
        status, answer = self._post(path, {"answer": "accept"})
        if status != 200:
            raise Full(0, answer.get("message") or f"status {status}")

    def _answer_proposal(self, match: Object, proposal: Object) -> None:
        """Accept everything but draws: the match is casual."""
        answer = "decline" if proposal["kind"] == "draw" else "accept"
        self._answers.add(proposal["id"])
        self._send(match, f"proposals/{proposal['id']}", {"answer": answer})
        _say(f"{match['key']}, {proposal['kind']}: {answer}")

    def _play(self, match: Object) -> None:
        """Play a turn; resign if the engine has none, so that the opponent need not wait."""
        reason = ""
        for _ in range(TRIES):
            try:
                turn = self._engine.turn(match["ruleset"], match["turns"])
            except EngineRefusal as refusal:
                reason = str(refusal)
                continue
            status, answer = self._send(match, "turns", {"step": match["step"], "turn": turn})
            said = "played" if status == 200 else answer.get("message") or f"status {status}"
            if status != 422:
                _say(f"{match['key']}, {turn}: {said}")
                return
            reason = f"{turn}: {said}"
        self._send(match, "resign", {})
        _say(f"{match['key']}: resigned, because the engine has no turn: {reason}")

    def _send(self, match: Object, path: str, body: Object) -> tuple[int, Object]:
        """Post about a match, and note its state afterwards."""
        status, answer = self._post(f"/matches/{match['key']}/{path}", body)
        now = answer if status == 200 else answer.get("match")
        with self._news:
            # Otherwise the refused turn would be repeated on the same board for ever.
            if now and (status == 200 or now["step"] > match["step"]):
                self._note(now)
        return status, answer

    def _post(self, path: str, body: Object) -> tuple[int, Object]:
        """Post until there is an answer. Raises :class:`Full` if a challenge would have to wait for a limit."""
        for pause in pauses():
            try:
                return self._server.post(path, body)
            except Busy as busy:
                if isinstance(busy, Full) and path.startswith("/challenges/"):
                    raise
                reason, seconds = str(busy), max(pause, busy.seconds)
            except LOST as lost:
                reason, seconds = str(lost), pause
            _say(f"No answer: {reason}. The next attempt is in {seconds:.0f} seconds.")
            self._wait(seconds)
            if self._end is not None:
                break
        raise Stopped(self._end)


def _is_ours(challenge: Object) -> bool:
    """Whether a challenge waits for the program's answer."""
    return (challenge["state"], challenge["direction"]) == ("open", "in")
