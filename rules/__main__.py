"""The rules on the command line: ``python -m rules list``, ``play``, ``replay``, ``record``, ``engine``, ``connect``,
``arena``, ``diagram`` and ``new-game``."""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TextIO

import rules
from rules import new_game
from rules.errors import TurnError, UnknownRuleset
from rules.notation import plain
from rules.pages import as_example
from rules.position import Phase, Position, Ruleset
from rules.record import Record, RecordError, encoding_of
from rules.search import LEVELS, choose, connect, engine
from rules.search.players import player
from rules.search.workshop import arena
from rules.setups import SetupError, with_setup
from rules.side import Side

#: The exit status for wrong input.
WRONG = 2


def describe(position: Position, ply: int, turn: str | None, *, legal: bool) -> dict[str, Any]:
    """Return a position as a JSON object, as ``replay`` prints it."""
    game = position.ruleset.game
    described: dict[str, Any] = {
        "ply": ply,
        "turn": turn,
        "phase": str(position.phase),
        "to_play": None if position.to_play is None else game.sides[position.to_play],
        "cells": position.pieces(),
        "score": position.score(),
    }
    if (held := position.held()) is not None:
        described["held"] = held
    described["result"] = None
    if (outcome := position.outcome) is not None:
        winner = None if outcome.winner is None else game.sides[outcome.winner]
        described["result"] = {"winner": winner, "reason": outcome.reason}
    if legal and (position.lists_openings or position.phase is not Phase.OPENING):
        described["legal"] = sorted(position.legal_turns)
    return described


def replay(ruleset: Ruleset, lines: Iterable[str], *, legal: bool) -> int:
    """Print the start position and the position after each turn as JSON, up to the first refused turn."""
    position, ply = ruleset.start(), 0
    print(json.dumps(describe(position, ply, None, legal=legal)))
    for number, line in enumerate(lines, 1):
        typed = plain(line).strip()
        if not typed:
            continue
        try:
            turn = position.parse(typed)
            position, _ = position.play(turn)
        except TurnError as error:
            return refuse(f"line {number}: {typed}: {error}")
        ply += 1
        print(json.dumps(describe(position, ply, turn, legal=legal)))
    return 0


def record(text: str, *, positions: bool) -> int:
    """Check consecutive records, and print them in canonical form or their positions like :func:`replay`."""
    try:
        games = list(Record.parse_all(text))
    except RecordError as error:
        return refuse(str(error))
    if any(game.shortened for game in games):
        print("Comments, variations, signs such as ! and headings are left out.", file=sys.stderr)
    if positions:
        return max(replay(game.ruleset, game.turns, legal=False) for game in games)
    print(*games, sep="\n", end="")
    return 0


def refuse(reason: str) -> int:
    """Print a reason on one line of standard error, and return the exit status."""
    sys.stdout.flush()
    print("".join(character if character.isprintable() else "�" for character in reason), file=sys.stderr)
    return WRONG


def play(ruleset: Ruleset, lines: TextIO, level: int | None = None, *, second: bool = False) -> int:
    """Let two people play in the terminal or, with a ``level``, one person against the computer.

    The computer opens if the person is ``second``. An empty line or the end of the input stops the game.
    """
    if second and level is None:
        return refuse("--second lets the computer open, so it needs a --level")
    position, shown, seed = ruleset.start(), None, random.getrandbits(32)
    centre = position.board.name(position.board.centre)
    print(f"{ruleset.game.title} on size {ruleset.size}. Type a turn, or nothing to stop.")
    print("A cell has the letter at the foot of its column and the number at the left end")
    print(f"of its row, which slopes down to the right: {centre} is the centre.")
    print("? lists the legal turns, and a cell with ? those that begin there.")
    if level is None:
        print(f"Two people play. With --level {LEVELS[0]} to --level {LEVELS[-1]}, you play the computer.")
    else:
        print(f"You play the computer, level {level}.")
    while position.phase is not Phase.OVER:
        if position is not shown:
            shown = position
            print(f"\n{shown}\n")
        asked = {Phase.OPENING: "Opening", Phase.CHOICE: "Choice of side"}.get(
            position.phase, ruleset.game.sides[position.turn_of].title()
        )
        if level is not None and is_seconds_turn(position) is not second:
            print(f"{asked}, the computer: ", end="", flush=True)
            turn = choose(position, level, seed).turn
            print(turn)
            position, _ = position.play(turn)
            continue
        print(f"{asked}: ", end="", flush=True)
        typed = plain(lines.readline()).strip()
        if not typed:
            print("stopped")
            return 0
        try:
            if typed.endswith("?"):
                print(suggest(position, typed[:-1]))
            else:
                position, _ = position.play(typed)
        except TurnError as error:
            print(f"{typed}: {error}")
    assert position.outcome is not None
    winner = position.outcome.winner
    won = "A draw" if winner is None else f"{ruleset.game.sides[winner].title()} wins"
    points = f": {score(position)}" if position.score() else ""
    print(f"\n{position}\n\n{won} {position.reasons[position.outcome.reason]}{points}.")
    return 0


def is_seconds_turn(position: Position) -> bool:
    """Whether the second player is to play, who chooses a side after the opening."""
    if position.phase is Phase.PLAY:
        return position.turn_of is position.second_player
    return position.phase is Phase.CHOICE


def suggest(position: Position, begun: str) -> str:
    """List the legal turns, or the next elements of a begun turn. Raises :class:`TurnError` if no legal turn begins
    that way.
    """
    if not begun.strip() and (position.lists_openings or position.phase is not Phase.OPENING):
        return " ".join(position.legal_turns)
    draft = position.draft(begun)
    texts = [draft.text + element for element in draft.next]
    if not draft.text:
        return f"begin with: {' '.join(texts)}"
    return " ".join([draft.text, *texts] if draft.complete else texts)


def score(position: Position) -> str:
    """Return the score in words, such as ``black 12.5, white 9``."""
    scores = (
        f"{side} {' '.join(map(str, points)) if isinstance(points, list) else points}"
        for side, points in position.score().items()
    )
    return ", ".join(scores)


def match(options: argparse.Namespace, ruleset: Ruleset) -> int:
    """Let two computer players play a match."""
    if options.pairs < 1 or (options.processes is not None and options.processes < 1):
        return refuse("a match needs at least one pair of games and one process")
    try:
        for name in (options.a, options.b):
            player(name)
    except ValueError as error:
        return refuse(str(error))
    processes = options.processes or os.cpu_count() or 1
    try:
        arena.run((options.a, options.b), ruleset, options.pairs, options.seed, processes, sys.stdout, sys.stderr)
    except BrokenProcessPool:
        print("\nThe match is lost: one of its processes was killed, perhaps for lack of memory.", file=sys.stderr)
        return 1
    return 0


def join(options: argparse.Namespace) -> int:
    """Let a program play on Hexgrove."""
    strength = {"level": options.level} if options.simulations is None else {"simulations": options.simulations}
    try:
        connect.run(options.address, options.engine, strength, options.token_file)
    except connect.Stopped as stopped:
        return refuse(str(stopped))


def diagram(options: argparse.Namespace, empty: Ruleset | None) -> int:
    """Print the last position of a record or, with an ``empty`` board, that of a setup, in the form of rule pages."""
    source = " ".join(options.source)

    def draw(text: str) -> int:
        try:
            game = Record.parse(text) if empty is None else Record(with_setup(empty, text))
        except (RecordError, SetupError) as error:
            return refuse(str(error))
        print(as_example(game.ruleset, game.turns))
        return 0

    return draw(source) if empty is not None else with_lines(source, lambda lines: draw("".join(lines)))


def make_game(name: str) -> int:
    """Write the skeleton of a game, and print how to go on."""
    try:
        written = new_game.make(name)
    except ValueError as error:
        return refuse(str(error))
    print(*written, sep="\n")
    print(f"\npython -m rules play {name} plays it. How to go on: .github/CONTRIBUTING.md, “Add a game”.")
    return 0


def list_games() -> int:
    for game in rules.GAMES.values():
        sizes = ", ".join(f"{size}*" if size == game.default_size else str(size) for size in game.sizes)
        sides = " and ".join(game.sides[side] for side in Side)
        print(f"{game.name}: {sides}; sizes {sizes}; variants {', '.join(game.variants)}")
    print("* the default")
    return 0


def arguments_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m rules", description="Play, replay and check games by their rules.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="list the games with their sizes and variants")
    shape = argparse.ArgumentParser(add_help=False)
    shape.add_argument("--size", type=int, help="the cells on each side of the board")
    shape.add_argument("--variant", help="a variant of the rules")
    played = commands.add_parser("play", help="play a game in the terminal", parents=[shape])
    replayed = commands.add_parser("replay", help="print the positions of a game as JSON, one a line", parents=[shape])
    for subparser in (played, replayed):
        subparser.add_argument("game", help="the name of the game, such as dalen")
    played.add_argument("--level", type=int, choices=LEVELS, help="play against the computer, at this level")
    played.add_argument("--second", action="store_true", help="let the computer open, and choose a side")
    replayed.add_argument("--legal", action="store_true", help="add the legal turns of each position")
    replayed.add_argument("file", nargs="?", help="a file with the turns, one a line (default: standard input)")
    recorded = commands.add_parser("record", help="check the records of games and print them in canonical form")
    recorded.add_argument("file", help="a file with one record or several, or - for standard input")
    recorded.add_argument("--replay", action="store_true", help="print the positions instead, as replay does")
    commands.add_parser("engine", help="answer programs that ask for turns, in lines of JSON")
    connected = commands.add_parser("connect", help="let a program play on Hexgrove")
    connected.add_argument("address", help="that of the pages, such as https://games.example.org")
    connected.add_argument("--engine", metavar="COMMAND", required=True, help="what starts the program")
    connected.add_argument(
        "--token-file", metavar="FILE", help=f"where its token is (default: the variable {connect.TOKEN})"
    )
    strength = connected.add_mutually_exclusive_group()
    strength.add_argument("--level", type=int, choices=LEVELS, default=3, help="the level asked for (default: 3)")
    strength.add_argument("--simulations", type=int, help="the simulations asked for instead")
    arena_parser = commands.add_parser("arena", help="let computer players play a match", parents=[shape])
    arena_parser.add_argument("a", metavar="A", help="a player: random, greedy, uct:1000, search:100 or level:3")
    arena_parser.add_argument("b", metavar="B", help="its opponent")
    arena_parser.add_argument("--game", required=True, help="the name of the game, such as dalen")
    arena_parser.add_argument("--pairs", type=int, default=10, help="pairs of games, with sides swapped (default: 10)")
    arena_parser.add_argument("--seed", type=int, default=1, help="which openings and random numbers (default: 1)")
    arena_parser.add_argument("--processes", type=int, help="how many games at a time (default: one a core)")
    drawn = commands.add_parser("diagram", help="print a position as a page of rules shows it", parents=[shape])
    drawn.add_argument("--game", help="the name of the game of a setup, such as dalen")
    drawn.add_argument("source", nargs="+", help="a file with a record, or a setup, such as ●e5 ○d4 light, or e5 light")
    made = commands.add_parser("new-game", help="write the skeleton of a new game, in a clone")
    made.add_argument("name", help="its name, in small letters")
    return parser


def main(arguments: list[str] | None = None) -> int:
    parser = arguments_parser()
    # Before Python 3.12, a file after options is left over.
    options, more = parser.parse_known_args(arguments)
    if options.command == "replay" and options.file is None and len(more) == 1 and not more[0].startswith("-"):
        options.file = more.pop()
    if more:
        parser.error(f"unrecognized arguments: {' '.join(more)}")
    for stream, encoding in ((sys.stdin, "utf-8-sig"), (sys.stdout, "utf-8"), (sys.stderr, "utf-8")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=encoding, errors="replace")
    return carry_out(options, parser)


def carry_out(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Run the command that was asked for."""
    match options.command:
        case "list":
            return list_games()
        case "engine":
            return engine.run(sys.stdin.buffer, sys.stdout)
        case "connect":
            return join(options)
        case "new-game":
            return make_game(options.name)
        case "diagram" if options.game is None:
            if options.size or options.variant:
                parser.error("--size and --variant need --game; a record has its own")
            return diagram(options, None)
        case "record":
            return with_lines(options.file, lambda lines: record("".join(lines), positions=options.replay))
    try:
        ruleset = rules.ruleset(
            plain(options.game).strip().casefold(),
            options.size,
            options.variant,
            any_size=options.command in {"arena", "diagram"},
        )
    except UnknownRuleset as error:
        parser.error(str(error))
    if options.command == "play":
        return play(ruleset, sys.stdin, options.level, second=options.second)
    if options.command == "arena":
        return match(options, ruleset)
    if options.command == "diagram":
        return diagram(options, ruleset)
    return with_lines(options.file or "-", lambda lines: replay(ruleset, lines, legal=options.legal))


def with_lines(file: str, use: Callable[[Iterable[str]], int]) -> int:
    """Open a file as text, or standard input for ``-``."""
    if file == "-":
        return use(decoded(sys.stdin))
    try:
        with open(file, encoding="utf-8-sig", errors="replace") as lines:
            return use(decoded(lines))
    except OSError as error:
        return refuse(f"{file}: {error.strerror}")


def decoded(lines: TextIO) -> Iterator[str]:
    """The lines of a text in UTF-8 or UTF-16, according to its beginning."""
    if isinstance(lines, io.TextIOWrapper):
        buffer: Any = lines.buffer
        lines.reconfigure(encoding=encoding_of(buffer.peek()), errors="replace")
    yield from lines


def run() -> int:
    """Run the command line; the exit status is 1 after a broken pipe and 130 after Ctrl+C."""
    try:
        status = main()
        sys.stdout.flush()
    except KeyboardInterrupt:
        print()
        return 130
    except BrokenPipeError:
        # At exit, Python writes the rest of the output, which would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


if __name__ == "__main__":
    sys.exit(run())
