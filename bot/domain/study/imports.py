"""Imported records: games played elsewhere, visible only to the person who imports them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from bot.domain.matches import Ending, Game, Result
from bot.domain.players import IMPORTED_IDS
from bot.domain.refusals import DomainError
from rules import Position, Record, RecordError, Side
from rules.record import text_of
from rules.text import gettext_noop

#: Maximum bytes of a file, characters of a record, and records read at once.
LARGEST_FILE, LONGEST_RECORD, MOST_AT_ONCE = 256 * 1024, 20_000, 20
#: Maximum imported records of a person.
MOST_IMPORTS = 200
#: Maximum characters of a player's name.
_LONGEST_NAME = 32


@dataclass(frozen=True, slots=True)
class Reading:
    """A record in a text, with its number from 1, and with its final position or the mistake in it."""

    number: int
    record: Record | None
    position: Position | None = None
    mistake: RecordError | None = None


def text_in(data: bytes) -> str:
    """The text in a file. Raises :class:`UnreadableFileError`."""
    try:
        return text_of(data)
    except UnicodeDecodeError:
        raise UnreadableFileError from None


def read_records(text: str) -> tuple[list[Reading], bool]:
    """The first records of a text, and whether more follow. Replays them: call it in a thread."""
    # Pasted text may contain lone surrogates, which cannot be stored.
    clean, found = text.encode(errors="replace").decode(), list[Reading]()
    for number, record in enumerate(Record.parse_each(clean), 1):
        if number > MOST_AT_ONCE:
            return found, True
        if isinstance(record, RecordError):
            found.append(Reading(number, None, mistake=record))
        elif len(str(record)) > LONGEST_RECORD:
            too_long = RecordError("it has more than {most} characters", most=LONGEST_RECORD)
            found.append(Reading(number, None, mistake=too_long))
        else:
            found.append(Reading(number, record, record.position()))
    return found, False


def names_in(record: Record, position: Position) -> tuple[str, str]:
    """The names of the opening player and the other, from the tags of their sides or ``First`` and ``Second``."""
    second = Side.SECOND if position.second_player is None else position.second_player
    tags = (position.sides[second.other].title(), "First"), (position.sides[second].title(), "Second")
    first, other = (record.tags.get(side) or record.tags.get(seat, "") for side, seat in tags)
    return _name(first), _name(other)


def result_in(record: Record, position: Position) -> Result:
    """The result by the rules or, if the position is not final, as the record states it."""
    won_by = {"1-0": Side.FIRST, "0-1": Side.SECOND}.get(record.result)
    second = Side.SECOND if position.second_player is None else position.second_player
    winner_id = None if won_by is None else IMPORTED_IDS[won_by is second]
    if position.outcome is not None:
        return Result(winner_id, Ending.RULES)
    if record.result == "*":
        return Result(None, Ending.UNFINISHED)
    fitting = (Ending.AGREEMENT,) if won_by is None else (Ending.RESIGNATION, Ending.TIME)
    said = record.tags.get("Termination")
    return Result(winner_id, next((ending for ending in fitting if ending == said), Ending.RECORD))


def digest_of(record: Record) -> str:
    """A hash that identifies a record."""
    return hashlib.blake2s(str(record).encode(), digest_size=16).hexdigest()


def _name(written: str) -> str:
    return "".join(filter(str.isprintable, written[:_LONGEST_NAME])).strip()


class UnreadableFileError(DomainError):
    template = gettext_noop("I cannot read this file. Records are plain text: save them as UTF-8, and try again.")


class LargeFileError(DomainError):
    template = gettext_noop("This is too much at once: a file may have at most {most} kB. Please split it.")

    def __init__(self) -> None:
        super().__init__(most=LARGEST_FILE // 1024)


class LostFileError(DomainError):
    template = gettext_noop("The file did not arrive in time. Please try again.")


class NothingToImportError(DomainError):
    template = gettext_noop(
        "There is nothing to import yet. Choose a text file with records, such as one downloaded from {replay}, or "
        "paste them."
    )


class NotImportedError(DomainError):
    template = gettext_noop("You have already deleted this record.")


def record_of(game: Game) -> Record:
    """The match as a record, finished or not; an imported record is unchanged.

    The players' tags are named after their sides, or ``First`` and ``Second`` before the choice. The first side comes
    first, since ``1-0`` means that it won. ``Termination`` is the reason by the rules or else the :class:`Ending`. The
    result is ``*`` for an abandoned match, and for a match that ended before the choice of sides; ``Winner`` then names
    the player. If tried turns end the game, the rules give the result.
    """
    match, position, imported = game.match, game.position, game.match.imported
    by_rules = "*" if position.outcome is None else Record.result_of(position.outcome.winner)
    if imported is not None:
        result = by_rules if match.result is None else imported.result
        return Record(match.ruleset, game.turns, result, dict(imported.tags))
    tags = {"Date": f"{match.started_at:%Y.%m.%d}"}
    players = sorted(match.players, key=lambda player: game.side_of(player.id) or Side.FIRST)
    for number, player in enumerate(players):
        side = game.side_of(player.id)
        tags[("First", "Second")[number] if side is None else position.sides[side].title()] = player.name
    if match.result is None:
        return Record(match.ruleset, game.turns, by_rules, tags)
    ending, winner_id, result = match.result.ending, match.result.winner_id, "*"
    tags["Termination"] = str(ending if position.outcome is None else position.outcome.reason)
    if winner_id is not None:
        won_by = game.side_of(winner_id)
        if won_by is None:
            tags["Winner"] = next(player.name for player in match.players if player.id == winner_id)
        else:
            result = Record.result_of(won_by)
    elif match.result.counts:
        result = Record.result_of(None)
    return Record(match.ruleset, game.turns, result, tags)
