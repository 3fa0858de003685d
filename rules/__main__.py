"""The rules on the command line: ``python -m rules list``, ``play`` and ``replay``."""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections.abc import Iterable
from typing import Any, TextIO

import rules
from rules.game import Phase, Position, Ruleset, Side, TurnError, UnknownRuleset


def describe(position: Position, ply: int, turn: str | None, *, legal: bool) -> dict[str, Any]:
    """A position as an object of the replay interface."""
    game = position.ruleset.game
    outcome = position.outcome
    described: dict[str, Any] = {
        "ply": ply,
        "turn": turn,
        "phase": str(position.phase),
        "to_play": None if position.to_play is None else game.sides[position.to_play],
        "cells": position.pieces(),
        "score": position.score(),
        "result": None,
    }
    held = position.held()
    if held is not None:
        described["held"] = held
    if outcome is not None:
        winner = None if outcome.winner is None else game.sides[outcome.winner]
        described["result"] = {"winner": winner, "reason": str(outcome.reason)}
    if legal:
        described["legal"] = sorted(position.legal_turns)
    return described


def replay(ruleset: Ruleset, lines: Iterable[str], *, legal: bool) -> int:
    """Prints the start and the position after each line's turn as JSON; the exit status is 2 after a refused turn."""
    position, ply = ruleset.start(), 0
    print(json.dumps(describe(position, ply, None, legal=legal)))
    for number, line in enumerate(lines, 1):
        typed = line.strip()
        if not typed:
            continue
        try:
            turn = position.parse(typed)
            position, _ = position.play(turn)
        except TurnError as error:
            sys.stdout.flush()
            print(f"line {number}: {typed}: {error}", file=sys.stderr)
            return 2
        ply += 1
        print(json.dumps(describe(position, ply, turn, legal=legal)))
    return 0


def play(ruleset: Ruleset, lines: TextIO) -> int:
    """Lets two people play in the terminal; an empty line or the end of the input stops."""
    position = ruleset.start()
    print(f"{ruleset.game.title} on size {ruleset.size}. Type a turn, ? for the legal ones, or nothing to stop.")
    while position.phase is not Phase.OVER:
        print(f"\n{position}\n")
        asked = {Phase.OPENING: "Opening", Phase.CHOICE: "Choice of side"}.get(
            position.phase, ruleset.game.sides[position.turn_of].title()
        )
        print(f"{asked}: ", end="", flush=True)
        typed = lines.readline().strip()
        if not typed:
            print("stopped")
            return 0
        if typed == "?":
            print(" ".join(position.legal_turns))
            continue
        try:
            position, _ = position.play(typed)
        except TurnError as error:
            print(f"{typed}: {error}")
    print(f"\n{position}\n")
    assert position.outcome is not None
    winner = position.outcome.winner
    won = "A draw" if winner is None else f"{ruleset.game.sides[winner].title()} wins"
    print(f"{won} by {position.outcome.reason}.")
    return 0


def list_games() -> int:
    for game in rules.GAMES.values():
        sizes = ", ".join(f"{size}*" if size == game.default_size else str(size) for size in game.sizes)
        sides = " and ".join(game.sides[side] for side in Side)
        print(f"{game.name}: {sides}; sizes {sizes}; variants {', '.join(game.variants)}")
    print("* the default")
    return 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m rules", description="The rules of the games.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="the games with their sizes and variants")
    for command, explained in (
        ("play", "play in the terminal"),
        ("replay", "print the positions of a list of turns as JSON"),
    ):
        subparser = commands.add_parser(command, help=explained)
        subparser.add_argument("game")
        subparser.add_argument("--size", type=int)
        subparser.add_argument("--variant")
        if command == "replay":
            subparser.add_argument("--legal", action="store_true", help="list the legal turns of each position")
            subparser.add_argument("file", nargs="?", help="the turns, one a line (default: standard input)")
    # Before Python 3.12 a file that comes after options is left over.
    options, more = parser.parse_known_args(arguments)
    if options.command == "replay" and options.file is None and len(more) == 1 and not more[0].startswith("-"):
        options.file = more.pop()
    if more:
        parser.error(f"unrecognized arguments: {' '.join(more)}")
    if options.command == "list":
        return list_games()
    try:
        ruleset = rules.ruleset(options.game, options.size, options.variant)
    except UnknownRuleset as error:
        parser.error(str(error))
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
    if options.command == "play":
        return play(ruleset, sys.stdin)
    if options.file is None:
        return replay(ruleset, sys.stdin, legal=options.legal)
    try:
        with open(options.file, encoding="utf-8", errors="replace") as lines:
            return replay(ruleset, lines, legal=options.legal)
    except OSError as error:
        parser.error(f"{options.file}: {error.strerror}")


if __name__ == "__main__":
    sys.exit(main())
