"""``python -m rules connect``: a program plays whole games over HTTP, despite failures of the connection or itself."""

from __future__ import annotations

import json
import os
import queue
import random
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from rules import GAMES, Phase, Position, Ruleset, ruleset, with_setup
from rules.__main__ import main
from rules.example_program import answer as answer_to, choose
from rules.search import connect as connecting
from tests.support.sources import ROOT
from tests.support.thorough import covered

Object = dict[str, Any]
#: A reply to a request: status, headers and body.
Reply = tuple[int, dict[str, str], Object | bytes]
#: Ends the connection without an answer.
NOTHING: Reply = (0, {}, b"")
Connect = Callable[..., str]

#: The program that is shipped, and one that is never asked for a turn.
EXAMPLE = shlex.join([sys.executable, "-m", "rules.example_program"])
IDLE = shlex.join([sys.executable, "-S", "-c", "import sys; sys.stdin.read()"])
TOKEN = "a-secret"
STATE: Object = {"type": "state", "program": {"name": "⚙ Stony of Alice"}, "challenges": [], "matches": []}
END: Object = {"type": "end", "code": "taken_over", "message": "Another connection has this token now."}


class Match:
    """A match of the program, in the first seat, against a random opponent."""

    def __init__(self, key: str, rules_of: Ruleset) -> None:
        self.key = key
        self.rules_of = rules_of
        self.position: Position = rules_of.start()
        self.turns: list[str] = []
        self.proposals: list[Object] = []
        self.resigned = False

    @property
    def is_over(self) -> bool:
        return self.resigned or self.position.phase is Phase.OVER

    @property
    def is_ours(self) -> bool:
        position = self.position
        if position.phase is Phase.PLAY:
            return position.turn_of is not position.second_player
        return position.phase is Phase.OPENING

    def play(self, turn: str) -> None:
        self.turns.append(self.position.parse(turn))
        self.position, _ = self.position.play(turn)
        while not self.is_over and not self.is_ours:
            self.turns.append(choose(self.position))
            self.position, _ = self.position.play(self.turns[-1])

    def as_json(self) -> Object:
        return {
            "key": self.key,
            "ruleset": described(self.rules_of),
            "turns": list(self.turns),
            "step": len(self.turns),
            "you": 0,
            "your_turn": not self.is_over and self.is_ours,
            "proposals": list(self.proposals),
            "result": {"winner": 1} if self.is_over else None,
        }


def described(rules_of: Ruleset) -> Object:
    return {
        "id": rules_of.id,
        "game": rules_of.game.name,
        "size": rules_of.size,
        "variant": rules_of.variant,
        "setup": rules_of.setup,
    }


class Hexgrove:
    """A server on the loopback interface. ``reply`` may answer a request in its place."""

    def __init__(self, *matches: Match) -> None:
        self.matches = {match.key: match for match in matches}
        self.challenges: dict[int, Object] = {}
        self.requests: list[tuple[str, Object]] = []
        self.streams = 0
        self.reply: Callable[[str, Object], Reply | None] = lambda path, body: None
        #: The number of lines after which a stream is cut off.
        self.lines = 10**9
        self._events: queue.Queue[Object] = queue.Queue()
        self._lock = threading.Lock()
        hexgrove = self

        class Handler(BaseHTTPRequestHandler):
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                hexgrove.stream(self)

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                assert self.headers["Authorization"] == f"Bearer {TOKEN}"
                with hexgrove._lock:
                    path = self.path.removeprefix("/api/v1")
                    hexgrove.requests.append((path, body))
                    answer(self, hexgrove.reply(path, body) or hexgrove.handle(path, body))

            def log_message(self, *_: object) -> None:
                """Log nothing."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> Hexgrove:
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    def challenge(self, number: int, rules_of: Ruleset) -> None:
        self.challenges[number] = {
            "id": number,
            "state": "open",
            "direction": "in",
            "other": {"name": "Alice"},
            "ruleset": described(rules_of),
        }

    @property
    def is_done(self) -> bool:
        return bool(self.requests) and not self.challenges and all(match.is_over for match in self.matches.values())

    def say(self, event: Object) -> None:
        self._events.put(event)

    def stream(self, request: BaseHTTPRequestHandler) -> None:
        self.streams += 1
        early = self.reply("/events", {"stream": self.streams})
        if early is not None:
            return answer(request, early)
        request.send_response(200)
        request.end_headers()
        with self._lock:
            matches = [match.as_json() for match in self.matches.values() if not match.is_over]
            state = {**STATE, "challenges": list(self.challenges.values()), "matches": matches}
            mine: queue.Queue[Object] = queue.Queue()
            self._events = mine
            if self.is_done:
                self.say(END)
        for _ in range(self.lines):
            request.wfile.write(json.dumps(state).encode() + b"\n\n")
            state = mine.get()
        return None

    def handle(self, path: str, body: Object) -> Reply:
        _, kind, name, *action = path.split("/")
        if kind == "challenges":
            challenge = self.challenges.pop(int(name))
            if body["answer"] == "accept":
                ruleset_of = challenge["ruleset"]
                match = Match(name, ruleset(ruleset_of["game"], ruleset_of["size"]))
                self.matches[name] = match
                self.say({"type": "match", "match": match.as_json()})
            self.say({"type": "challenge", "challenge": {**challenge, "state": "closed"}})
            reply: Reply = 200, {}, challenge
        else:
            match = self.matches[name]
            if action == ["turns"]:
                reply = self._turn(match, body)
            elif action == ["resign"]:
                match.resigned = True
                reply = 200, {}, match.as_json()
            else:
                match.proposals.clear()
                reply = 200, {}, match.as_json()
            if reply[0] == 200:  # the stream sends only changed boards
                self.say({"type": "match", "match": match.as_json()})
        if self.is_done:
            self.say(END)
        return reply

    def _turn(self, match: Match, body: Object) -> Reply:
        step, turn = body["step"], body["turn"]
        if step == len(match.turns) and not match.is_over:
            if not match.position.is_legal(turn):
                return 422, {}, {"code": "illegal_turn", "message": "That is against the rules."}
            match.play(turn)
        elif match.turns[step : step + 1] != [turn]:
            return 409, {}, {"code": "moved_on", "message": "The board has moved on.", "match": match.as_json()}
        return 200, {}, match.as_json()


def answer(request: BaseHTTPRequestHandler, reply: Reply) -> None:
    status, headers, body = reply
    if reply is NOTHING:
        return
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    request.send_response(status)
    for name, value in {"Content-Length": str(len(text)), **headers}.items():
        request.send_header(name, value)
    request.end_headers()
    request.wfile.write(text)


def script(folder: Path, code: str) -> str:
    """The command of a short program that reads its requests as ``request``."""
    file = folder / "program.py"
    file.write_text(
        "import json, os, pathlib, sys\n"
        "def answer(request):\n    from rules import example_program\n    return example_program.answer(request)\n"
        "def say(**answer): print(json.dumps(answer), flush=True)\n"
        f"for line in sys.stdin:\n    request = json.loads(line)\n    {code}\n",
        encoding="utf-8",
    )
    return shlex.join([sys.executable, str(file)])


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connecting, "PAUSE", 0.01)
    monkeypatch.setenv(connecting.TOKEN, TOKEN)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


@pytest.fixture
def connect(capsys: pytest.CaptureFixture[str]) -> Connect:
    """Connect an engine until the server ends the connection, and return the output."""

    def run(hexgrove: Hexgrove, engine: str = EXAMPLE, *more: str) -> str:
        with hexgrove:
            assert main(["connect", hexgrove.address, "--engine", engine, *more]) == 2
        return capsys.readouterr().err

    return run


def small(game: str = "fiodar") -> Ruleset:
    return ruleset(game, GAMES[game].sizes[0])


@pytest.mark.parametrize("game", GAMES)
def test_the_example_plays_each_game_to_its_end(game: str) -> None:
    random.seed(1)
    position = small(game).start()
    while position.phase is not Phase.OVER:
        position, _ = position.play(choose(position))
    assert answer_to({"game": game, "turns": ["nonsense"]}).keys() == {"error"}


def test_whole_games_are_played_over_bad_connections(connect: Connect) -> None:
    hexgrove = Hexgrove()
    # No stream lasts, and four of seven turns get no good answer.
    hexgrove.lines = 5
    games = ("fiodar", "hedu")
    for number, game in enumerate(games):
        hexgrove.challenge(number, small(game))
    hexgrove.challenge(99, ruleset("hedu", 4, any_size=True))

    def reply(path: str, body: Object) -> Reply | None:
        if path.endswith("/turns"):
            match len(hexgrove.requests) % 7:
                case 3:
                    return NOTHING
                case 4:
                    return 429, {"Retry-After": "0"}, {"code": "of_another_kind"}
                case 5:
                    return 502, {}, b"<h1>Bad gateway</h1>"
                case 6:
                    hexgrove.handle(path, body)  # The turn is stored, but its answer is lost.
                    return NOTHING
        return None

    hexgrove.reply = reply
    written = connect(hexgrove)
    assert {match.rules_of for match in hexgrove.matches.values()} == set(map(small, games))
    assert all(match.position.phase is Phase.OVER for match in hexgrove.matches.values())
    assert "Challenge of Alice, hedu/1/4/standard: declined: Hedu is played on sizes 5, 7, not 4" in written
    assert hexgrove.streams > 5
    assert written.endswith(f"{END['message']}\n")


def test_a_silent_connection_is_dropped_and_reopened(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connecting, "SILENCE", 0.05)
    hexgrove = Hexgrove()
    hexgrove.reply = lambda path, body: (401, {}, {}) if body["stream"] == 3 else None
    written = connect(hexgrove, IDLE)
    assert hexgrove.streams == 3
    assert written.count("No connection: ") == 2


def test_a_turn_for_an_outdated_board_is_dropped_and_the_match_continues(connect: Connect) -> None:
    match = Match("m", small())
    hexgrove = Hexgrove(match)

    def reply(path: str, body: Object) -> Reply | None:
        if len(hexgrove.requests) == 1 and path.endswith("/turns"):
            match.play("e1" if body["turn"] != "e1" else "d1")
        return None

    hexgrove.reply = reply
    assert "The board has moved on." in connect(hexgrove)
    assert match.position.phase is Phase.OVER


def test_a_program_without_a_turn_resigns(connect: Connect, tmp_path: Path) -> None:
    refusing, wrong = Match("refusing", small()), Match("wrong", small("hedu"))
    program = script(tmp_path, "say(error='no idea') if request['game'] == 'fiodar' else say(turn='z99')")
    hexgrove = Hexgrove(refusing, wrong)
    written = connect(hexgrove, program)
    assert refusing.resigned
    assert wrong.resigned
    assert "refusing: resigned, because the engine has no turn: no idea" in written
    assert "wrong: resigned, because the engine has no turn: z99: That is against the rules." in written
    assert len(hexgrove.requests) == connecting.TRIES + 2


def test_a_program_that_dies_is_restarted(connect: Connect, tmp_path: Path) -> None:
    match = Match("m", small())
    runs = tmp_path / "runs"
    # First it writes nonsense, then it dies silently.
    program = script(
        tmp_path,
        f"run = pathlib.Path({str(runs)!r}); run.open('a').write('.');"
        " [lambda: print('Hello!', flush=True), os.abort][run.stat().st_size - 1]() if run.stat().st_size < 3"
        " else say(**answer(request))",
    )
    written = connect(Hexgrove(match), program)
    assert match.position.phase is Phase.OVER
    assert written.count("It is started again.") == 2
    assert not match.resigned


def test_a_program_that_keeps_dying_ends_the_connection(connect: Connect, tmp_path: Path) -> None:
    match = Match("m", small())
    written = connect(Hexgrove(match), script(tmp_path, "sys.exit()"))
    assert written.endswith("in a row. Its matches go on as soon as you connect it again.\n")
    assert written.count("It is started again.") == connecting.STARTS - 1
    assert match.turns == []


def test_a_program_that_thinks_forever_is_stopped(
    connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connecting, "PATIENCE", 0.05)
    monkeypatch.setattr(connecting, "STARTS", 2)
    written = connect(Hexgrove(Match("m", small())), script(tmp_path, "sys.stdin.readline()"))
    assert "The engine has died 2 times" in written


@pytest.mark.parametrize("status", [409, 429])
def test_a_challenge_beyond_the_limit_is_declined(connect: Connect, status: int) -> None:
    hexgrove = Hexgrove()
    hexgrove.challenge(1, small())

    def reply(path: str, body: Object) -> Reply | None:
        full: Object = {"code": "too_many_matches", "message": "You play 20 matches already."}
        return (status, {"Retry-After": "3600"}, full) if body.get("answer") == "accept" else None

    hexgrove.reply = reply
    assert "Challenge of Alice, fiodar/1/5/standard: declined: You play 20 matches already." in connect(hexgrove)
    assert hexgrove.matches == {}


def test_proposals_are_answered_and_draws_declined(connect: Connect) -> None:
    match = Match("m", small())
    match.proposals = [{"id": 7, "kind": "draw", "by": 1}, {"id": 8, "kind": "take-back", "by": 0}]
    hexgrove = Hexgrove(match)
    connect(hexgrove)
    assert hexgrove.requests[0] == ("/matches/m/proposals/7", {"answer": "decline"})
    assert not [path for path, _ in hexgrove.requests if path.endswith("/8")]


def test_the_program_gets_the_setup_and_the_strength_but_no_token(connect: Connect, tmp_path: Path) -> None:
    match = Match("m", with_setup(small(), "2"))
    seen = tmp_path / "seen"
    program = script(
        tmp_path,
        f"pathlib.Path({str(seen)!r}).write_text(json.dumps([request, {connecting.TOKEN!r} in os.environ]));"
        " say(**answer(request))",
    )
    connect(Hexgrove(match), program, "--simulations", "5")
    request, has_token = json.loads(seen.read_text())
    assert request.pop("seed") >= 0
    assert request == {
        "game": "fiodar",
        "size": 5,
        "variant": "standard",
        "setup": "2",
        "turns": match.turns[: len(request["turns"])],
        "simulations": 5,
    }
    assert has_token is False
    assert match.position.phase is Phase.OVER


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        ((401, {}, {"code": "unauthorized", "message": "Make a new token."}), "Make a new token."),
        ((401, {}, b"<h1>"), "The server does not know this token."),
        ((404, {}, b"<h1>"), "no API for programs"),
        ((302, {"Location": "https://example.org/"}, b""), "no API for programs"),
        ((200, {}, {"type": "state"}), "The server does not say what it should"),
    ],
)
def test_a_permanent_error_ends_the_connection(connect: Connect, reply: Reply, sentence: str) -> None:
    hexgrove = Hexgrove()
    hexgrove.reply = lambda path, body: reply
    assert sentence in connect(hexgrove, IDLE)
    assert hexgrove.streams == 1


def test_an_endless_line_is_not_read_to_its_end(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connecting, "EVENT", 1000)
    hexgrove = Hexgrove()
    hexgrove.reply = lambda path, body: (200, {}, b"x" * 5000) if body["stream"] == 1 else (401, {}, {})
    assert "No connection: a line is too long." in connect(hexgrove, IDLE)


def test_the_server_says_how_long_to_wait() -> None:
    hexgrove = Hexgrove()
    with hexgrove:
        server = connecting.Server(hexgrove.address, TOKEN)
        for header, seconds in (("7", 7), ("99999999", connecting.LONGEST_WAIT), ("soon", connecting.PAUSE)):
            reply: Reply = (429, {"Retry-After": header}, {})
            hexgrove.reply = partial(lambda reply, path, body: reply, reply)
            with pytest.raises(connecting.Busy) as busy:
                server.post("/challenges/1", {})
            assert busy.value.seconds == seconds


def test_pauses_grow_up_to_a_limit() -> None:
    pauses = [pause for pause, _ in zip(connecting.pauses(), range(30), strict=False)]
    assert all(pause <= connecting.PAUSE * 2**number for number, pause in enumerate(pauses))
    assert all(connecting.LONGEST_PAUSE / 2 <= pause <= connecting.LONGEST_PAUSE for pause in pauses[20:])
    assert len(set(pauses[20:])) == 10


CANNOT_BEGIN = [
    ("games.example.org", TOKEN, "The address is that of the pages"),
    ("ftp://games.example.org", TOKEN, "The address is that of the pages"),
    ("https://alice:secret@games.example.org", TOKEN, "The address is that of the pages"),
    ("https://[::1", TOKEN, "The address is that of the pages"),
    ("https://games.example.org:port", TOKEN, "The address is that of the pages"),
    ("https://games.example.org", "", "The token is missing"),
    ("https://games.example.org", "two words", "This is no token"),
    ("https://games.example.org", "x" * 501, "This is no token"),
    ("https://games.example.org", TOKEN, "The engine could not be started: "),
]


@pytest.mark.parametrize(("given", "in_file"), covered(CANNOT_BEGIN, [False, True]))
def test_connect_refuses_unusable_settings_with_a_reason(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    given: tuple[str, str, str],
    in_file: bool,
) -> None:
    address, token, sentence = given
    monkeypatch.setenv(connecting.TOKEN, "" if in_file else token)
    (tmp_path / "token").write_text(f"{token}\n", encoding="utf-8")
    more = ["--token-file", str(tmp_path / "token")] if in_file else []
    assert main(["connect", address, "--engine", "no-such-program", *more]) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="has no such pipes")
@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_ends_connect_and_its_program(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    os.mkfifo(file)
    # The program keeps thinking and does not notice that its output is closed.
    program = script(tmp_path, f"pathlib.Path({str(file)!r}).write_text(str(os.getpid())); os.read(os.pipe()[0], 1)")
    with Hexgrove(Match("m", small())) as hexgrove:
        process = subprocess.Popen(
            [sys.executable, "-m", "rules", "connect", hexgrove.address, "--engine", program],
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        assert process.stderr is not None
        assert process.stderr.readline() == "Connected as ⚙ Stony of Alice.\n"
        pid = int(file.read_text())
        process.send_signal(signal.SIGINT)
        _, written = process.communicate(timeout=30)
    assert (process.returncode, written) == (130, "")
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
