"""The protocol for programs: ``python -m rules engine`` answers each line of JSON with one line (see the README
here)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO, TextIO

import rules
from rules import Phase, Position, SetupError, TurnError, UnknownRuleset
from rules.search.choice import choose
from rules.search.levels import NUMBERS, Level

#: Maximum bytes of a line, turns of a game, characters of a turn, and simulations for a turn.
LINE, TURNS, TURN, SIMULATIONS = 100_000, 5_000, 500, 100_000
_KEYS = {"game", "size", "variant", "setup", "turns", "level", "simulations", "seed"}


class BadRequest(ValueError):
    """A request that cannot be answered, with the reason in words."""


def run(requests: BinaryIO, answers: TextIO) -> int:
    """Answer requests until the input ends."""
    for line in lines(requests):
        if line is not None and not line.strip():
            continue
        try:
            answer = answer_to(line)
        except BadRequest as error:
            answer = {"error": str(error)}
        print(json.dumps(answer), file=answers, flush=True)
    return 0


def lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """Yield the lines of a stream, and None for a line that is too long, which is never held in memory as a whole."""
    while line := stream.readline(LINE + 1):
        if len(line) <= LINE or line.endswith(b"\n"):
            yield line
            continue
        while (rest := stream.readline(LINE)) and not rest.endswith(b"\n"):
            pass
        yield None


def answer_to(line: bytes | None) -> dict[str, Any]:
    """The answer to one request. Raises :class:`BadRequest`."""
    if line is None:
        raise BadRequest(f"the line has more than {LINE} bytes")
    try:
        request = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadRequest("the line is not JSON") from error
    if not isinstance(request, dict):
        raise BadRequest("the request is not an object")
    unknown = sorted(set(request) - _KEYS)
    if unknown:
        raise BadRequest(f"there is no key {_quote(unknown[0])}; the keys are {', '.join(sorted(_KEYS))}")
    position, level, seed = _position(request), _level(request), _number(request, "seed", 0, 0, 2**63 - 1)
    if position.phase is Phase.OVER:
        raise BadRequest("the game is over")
    choice = choose(position, level, seed)
    return {
        "turn": choice.turn,
        "value": round(choice.value, 4),
        "simulations": choice.simulations,
        "line": list(choice.line),
    }


def _position(request: dict[str, Any]) -> Position:
    game, variant, setup = request.get("game"), request.get("variant"), request.get("setup")
    if not isinstance(game, str):
        raise BadRequest("the key game, a text, is missing")
    if variant is not None and not isinstance(variant, str):
        raise BadRequest("the variant is a text")
    if setup is not None and not isinstance(setup, str):
        raise BadRequest("the setup is a text")
    size = None if request.get("size") is None else _number(request, "size", 0, 0, 99)
    turns = request.get("turns", [])
    if not isinstance(turns, list) or len(turns) > TURNS:
        raise BadRequest(f"the turns are a list of at most {TURNS} texts")
    try:
        ruleset = rules.ruleset(game[:50], size, None if variant is None else variant[:50], any_size=True)
        position = (rules.with_setup(ruleset, setup) if setup else ruleset).start()
    except (UnknownRuleset, SetupError) as error:
        raise BadRequest(str(error)) from error
    for number, turn in enumerate(turns, 1):
        if not isinstance(turn, str) or len(turn) > TURN:
            raise BadRequest(f"turn {number} is not a text of at most {TURN} characters")
        try:
            position = position.play(turn)[0]
        except TurnError as error:
            raise BadRequest(f"turn {number}, {_quote(turn)}: {error}") from error
    return position


def _level(request: dict[str, Any]) -> int | Level:
    if ("level" in request) == ("simulations" in request):
        raise BadRequest("a request has either a level or simulations")
    if "level" in request:
        return _number(request, "level", None, NUMBERS[0], NUMBERS[-1])
    return Level(_number(request, "simulations", None, 1, SIMULATIONS))


def _number(request: dict[str, Any], key: str, default: int | None, least: int, most: int) -> int:
    value = request.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise BadRequest(f"the value of {key} is a whole number from {least} to {most}")
    return value


def _quote(text: str) -> str:
    return f"“{text if len(text) <= 50 else text[:50] + '…'}”"
