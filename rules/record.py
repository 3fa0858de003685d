"""Records of games as text, similar to PGN: tags, numbered turns and the result.

::

    [Game "dalen"]
    [Size "7"]
    [Variant "standard"]
    [Dark "Alice"]
    [Result "*"]

    1. g7 2. light 3. e5 *

The opening and the choice of side are numbered like other turns; numbers may be omitted. The result is ``1-0`` (the
first side won), ``0-1``, ``1/2-1/2`` or ``*`` (not finished). Text in braces, and from a semicolon to the end of the
line, is a comment; comments may stand between any two tags or turns and are not kept. All tags are kept; the tag
``Setup`` has a beginning other than the empty board (:mod:`rules.setups`). In the values of tags, a backslash escapes
quotes and backslashes, line breaks are written ``\\n`` and ``\\r``, and other control characters as numbers such as
``\\u001b``. Records may follow each other in one text.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rules.errors import Refusal, TurnError, UnknownRuleset
from rules.games import GAMES, ruleset
from rules.position import Position, Ruleset
from rules.setups import SetupError, with_setup
from rules.side import Side
from rules.text import Text, gettext_noop

# A turn may have spaces around "-", "+", "*" and ","; a "*" without a cell after it is a result. A comment without an
# end is one token up to the next record: looking for the end of each brace would take long.
_TOKEN = re.compile(
    r"""
      (?P<tag> \[ [ \t]* (?P<name> \w+ ) [ \t]+ " (?P<value> [^"\\\n]* (?: \\. [^"\\\n]* )* ) " [ \t]* \] )
    | (?P<comment> \{ [^}]* \} | ; [^\n]* )
    | (?P<number> [0-9]+ \.+ )
    | (?P<result> (?: 1-0 | 0-1 | 1/2-1/2 | \* ) (?! [^\s{};] ) )
    | (?P<turn> [^\s{};\[]+ (?: (?: (?<=[-+*,]) \s+ (?=[A-Za-z]) | \s+ (?=[-+*,]\s*[A-Za-z]) ) [^\s{};\[]+ )* )
    | (?P<wrong> \{ [^}]*? (?= \n \[ [ \t]* Game | \Z ) | \S )
    """,
    re.VERBOSE,
)
_WRONG = {
    "[": gettext_noop('a tag is written [Name "value"]'),
    "{": gettext_noop("this comment has no closing brace"),
    "}": gettext_noop("this closing brace ends no comment"),
}
_RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
_OWN_TAGS = ("Game", "Size", "Variant", "Setup", "Result")
_ESCAPES = str.maketrans({'"': r"\"", "\\": r"\\", "\n": r"\n", "\r": r"\r"})
_UNESCAPES = {"n": "\n", "r": "\r"}
#: Control characters, line breaks and marks that change the direction of writing: a terminal would obey them.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_ESCAPED = re.compile(r"\\(u[0-9a-f]{4}|.)")


class RecordError(Refusal):
    """A mistake in a record, with its line."""


@dataclass(frozen=True)
class Record:
    """A written game: its ruleset, turns, result and other tags, such as the players."""

    ruleset: Ruleset
    turns: tuple[str, ...] = ()
    result: str = "*"
    tags: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def result_of(winner: Side | None) -> str:
        """Return the notation of a result; the winner is None for a draw."""
        return {Side.FIRST: "1-0", Side.SECOND: "0-1", None: "1/2-1/2"}[winner]

    def position(self) -> Position:
        """Return the position after the last turn."""
        return self.ruleset.replay(self.turns)

    def __str__(self) -> str:
        tags = {
            "Game": self.ruleset.game.name,
            "Size": str(self.ruleset.size),
            "Variant": self.ruleset.variant,
            **({"Setup": self.ruleset.setup} if self.ruleset.setup else {}),
            **self.tags,
            "Result": self.result,
        }
        lines = (f'[{tag} "{_escaped(value)}"]' for tag, value in tags.items())
        turns = " ".join([*(f"{number}. {turn}" for number, turn in enumerate(self.turns, 1)), self.result])
        return "\n".join([*lines, "", *textwrap.wrap(turns, 100, break_long_words=False, break_on_hyphens=False), ""])

    @classmethod
    def parse(cls, text: str) -> Record:
        """Read the record of one game and play it through. Raises :class:`RecordError`."""
        first, *others = _split(text)
        if others:
            tag, (_, line) = next(iter(others[0].tags.items()))
            raise RecordError(
                "line {line}: the tag {tag} comes after the turns; a record holds one game", line=line, tag=tag
            )
        return cls._replay(first)

    @classmethod
    def parse_all(cls, text: str) -> Iterator[Record]:
        """Read one or more consecutive records and play them through.

        Raises :class:`RecordError` at the first mistake.
        """
        return map(cls._replay, _split(text))

    @classmethod
    def parse_each(cls, text: str) -> Iterator[Record | RecordError]:
        """Like :meth:`parse_all`, but yield a mistake in place of its record, and go on after it."""
        for raw in _read(text):
            try:
                yield cls._replay(raw)
            except RecordError as error:
                yield error

    @classmethod
    def _replay(cls, raw: _RawRecord | RecordError) -> Record:
        if isinstance(raw, RecordError):
            raise raw
        tags, turns, result = raw
        shape = _ruleset(tags)
        position, played = shape.start(), []
        for number, (typed, line) in enumerate(turns, 1):
            try:
                turn = position.parse(typed)
                position, _ = position.play(turn)
            except TurnError as error:
                raise RecordError(
                    "line {line}, turn {number}, {turn}: {reason}",
                    line=line,
                    number=number,
                    turn=_quote(typed),
                    reason=error.text,
                ) from error
            played.append(turn)
        others = {tag: value for tag, (value, _) in tags.items() if tag not in _OWN_TAGS}
        return cls(shape, tuple(played), _result(tags.get("Result"), result, position), others)


class _Word(NamedTuple):
    """A part of a record, and its line."""

    text: str
    line: int


class _RawRecord(NamedTuple):
    """The tags of a record, its turns as typed, and the result after them."""

    tags: dict[str, _Word]
    turns: list[_Word]
    result: _Word | None


def _tokens(text: str) -> Iterator[tuple[re.Match[str], int]]:
    """The tags, turns and results of records, and other characters, each with its line."""
    line, counted = 1, 0
    for found in _TOKEN.finditer(text):
        line += text.count("\n", counted, found.start())
        counted = found.start()
        if found.lastgroup not in ("comment", "number"):
            yield found, line


def _split(text: str) -> Iterator[_RawRecord]:
    """Split a text into records. Raises :class:`RecordError` at the first mistake."""
    for each in _read(text):
        if isinstance(each, RecordError):
            raise each
        yield each


def _read(text: str) -> Iterator[_RawRecord | RecordError]:
    """Split a text into records: a tag after turns or a result begins another one.

    After a mistake, the next record begins with its tag ``Game``.
    """
    record, skipped = _RawRecord({}, [], None), 0
    for found, line in _tokens(re.sub(r"\r\n?", "\n", text.removeprefix("\ufeff"))):
        if skipped and found.lastgroup == "tag" and found["name"] == "Game":
            skipped -= 1
        if skipped:
            skipped = 1 if found.lastgroup == "result" else skipped
            continue
        if found.lastgroup == "tag" and (record.turns or record.result):
            yield record
            record = _RawRecord({}, [], None)
        try:
            record = _extend(record, found, line)
        except RecordError as error:
            yield error
            # The wrong record's own tag may still follow.
            skipped = 1 if "Game" in record.tags or record.turns or record.result else 2
            record = _RawRecord({}, [], None)
    if not skipped:
        yield record


def _extend(record: _RawRecord, found: re.Match[str], line: int) -> _RawRecord:
    """A record with another tag, turn or result. Raises :class:`RecordError`."""
    if found.lastgroup == "wrong":
        raise RecordError("line {line}: {problem}", line=line, problem=Text(_WRONG[found[0][0]]))
    if found.lastgroup == "tag":
        name = found["name"]
        if name in record.tags:
            raise RecordError("line {line}: the tag {tag} appears twice", line=line, tag=name)
        record.tags[name] = _Word(_unescaped(found["value"]), line)
        return record
    if record.result is not None:
        raise RecordError(
            "line {line}: “{text}” follows the result, {result}",
            line=line,
            text=_quote(found[0]),
            result=record.result.text,
        )
    if found.lastgroup == "turn":
        record.turns.append(_Word(found[0], line))
        return record
    return record._replace(result=_Word(found[0], line))


def _ruleset(tags: dict[str, _Word]) -> Ruleset:
    if "Game" not in tags:
        line = next((word.line for word in tags.values()), 1)
        games = ", ".join(GAMES)
        raise RecordError("line {line}: the tag Game is missing; it names the game: {games}", line=line, games=games)
    # Games may continue from lessons, which have small boards.
    shape: dict[str, Any] = {"any_size": "Setup" in tags}
    for tag in ("Game", "Size", "Variant"):
        if tag not in tags:
            continue
        value, line = tags[tag]
        if tag == "Size" and not (value.isascii() and value.isdecimal() and len(value) < 10):
            raise RecordError("line {line}: the size “{size}” is not a number", line=line, size=_quote(value))
        shape[tag.lower()] = int(value) if tag == "Size" else value
        try:
            ruleset(**shape)
        except UnknownRuleset as error:
            raise RecordError("line {line}: {problem}", line=line, problem=error.text) from error
    found = ruleset(**shape)
    if "Setup" not in tags:
        return found
    setup, line = tags["Setup"]
    try:
        return with_setup(found, setup)
    except SetupError as error:
        raise RecordError("line {line}: {problem}", line=line, problem=error.text) from error


def _result(tag: _Word | None, behind_turns: _Word | None, position: Position) -> str:
    """The result of a record: after the turns, in the tag or, if it is in neither, that of the position."""
    if tag is not None and tag.text not in _RESULTS:
        raise RecordError(
            "line {line}: “{text}” is not a result; the results are {results}",
            line=tag.line,
            text=_quote(tag.text),
            results=", ".join(_RESULTS),
        )
    if tag is not None and behind_turns is not None and tag.text != behind_turns.text:
        raise RecordError(
            "line {line}: the result is {result} after the turns, but {tag} in the tag",
            line=behind_turns.line,
            result=behind_turns.text,
            tag=tag.text,
        )
    ended = None if position.outcome is None else Record.result_of(position.outcome.winner)
    given = behind_turns or tag
    if given is None:
        return ended or "*"
    if position.outcome is not None and given.text != ended:
        raise RecordError(
            "line {line}: the result is {result}, but the turns end {ended} by {reason}",
            line=given.line,
            result=given.text,
            ended=ended,
            reason=Text(position.reasons[position.outcome.reason]),
        )
    return given.text


def _escaped(value: str) -> str:
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", value.translate(_ESCAPES))


def _unescaped(written: str) -> str:

    def character(escape: re.Match[str]) -> str:
        name = escape[1]
        # A lone surrogate is not a character.
        return chr(int(name[1:], 16)).encode(errors="replace").decode() if len(name) > 1 else _UNESCAPES.get(name, name)

    return _ESCAPED.sub(character, written)


def _quote(text: str) -> str:
    """A quotation for a message: on one line, and short."""
    text = " ".join(text[:60].split())
    return text if len(text) <= 40 else text[:40] + "…"
