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
line, is a comment; comments may stand between any two tags or turns. Comments, variations in parentheses, signs such as
``!`` and ``$1``, and headings before a record or after its end are left out, and :attr:`Record.shortened` says so. The
fences of a block of code do not matter. All tags are kept; the tag ``Setup`` has a beginning other than the empty board
(:mod:`rules.setups`). In the values of tags, a backslash escapes quotes and backslashes, line breaks are written
``\\n`` and ``\\r``, and other control characters as numbers such as ``\\u001b``. A text may contain several records.
"""

from __future__ import annotations

import codecs
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rules.errors import Refusal, TurnError, UnknownRuleset
from rules.games import GAMES, ruleset
from rules.notation import INVISIBLE, plain, with_names
from rules.position import Position, Ruleset
from rules.setups import SetupError, with_setup
from rules.side import Side
from rules.text import Text, gettext_noop

_GAP = rf"[ \t\xa0\u2000-\u200a\u202f\u3000{INVISIBLE}]*+"
# Quantifiers are possessive, and a comment without an end is one token up to the next record: trying each way to divide
# a text, or looking for the end of each brace, would take long.
_TAG = rf"""
    \[ {_GAP} (?P<name> \w++ ) {_GAP}
    (?: " (?P<value> [^"\\\n]*+ (?: \\. [^"\\\n]*+ )*+ ) " | [“”„‟] (?P<curled> [^“”„‟\n]*+ ) [“”„‟] ) {_GAP} \]
"""
_PARTS = re.compile(rf"(?P<tag> {_TAG} ) | [^\[]++ | \[", re.VERBOSE)
# A turn may have spaces around "-", "+", "*" and ","; a "*" without a cell after it is a result.
_TOKEN = re.compile(
    rf"""
      (?P<tag> {_TAG} )
    | (?P<comment> \{{ [^}}]* \}} | ; [^\n]* )
    | (?P<number> [0-9]+ \.+ )
    | (?P<fence> `++ (?: [\w+-]*+ [ \t]*+ (?= \n ) )? )
    | (?P<sign> [!?]++ | \$ [0-9]*+ )
    | (?P<variation> [()] )
    | (?P<result> (?: 1-0 | 0-1 | 1/2-1/2 | \* ) (?! [^\s{{}};()!?$`\[] ) )
    | (?P<turn>
        [^\s{{}};()!?$`\[]+
        (?: (?: (?<=[-+*,]) \s+ (?=[A-Za-z]) | \s+ (?=[-+*,]\s*[A-Za-z]) ) [^\s{{}};()!?$`\[]+ )*
      )
    | (?P<wrong> \{{ [^}}]*? (?= \n \[ {_GAP} (?i:game) | \Z ) | \S )
    """,
    re.VERBOSE,
)
_TAG_BEGUN = re.compile(rf'\[ {_GAP} (?: (?i:game)\b | \w++ {_GAP} ["“”„‟] )', re.VERBOSE)
_WRONG = {
    "[": gettext_noop('a tag is written [Name "value"]'),
    "{": gettext_noop("this comment has no closing brace"),
    "}": gettext_noop("this closing brace ends no comment"),
    "(": gettext_noop("this variation has no closing parenthesis"),
    ")": gettext_noop("this closing parenthesis ends no variation"),
}
_SIDES = "|".join(sorted({side for game in GAMES.values() for side in game.sides}))
#: Turns and results, as opposed to a heading.
_TURNS = re.compile(
    rf"""
    (?= .* [a-z*] | [01]-[01] | 1/2-1/2 )
    (?: [\s\d.+*,/`!?$-] | \b [a-z]{{1,2}} \d{{1,2}} | \b (?: pass | {_SIDES} ) \b )++
    """,
    re.VERBOSE | re.IGNORECASE,
)
_RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
_OWN_TAGS = ("Game", "Size", "Variant", "Setup", "Result")
_ESCAPES = str.maketrans({'"': r"\"", "\\": r"\\", "\n": r"\n", "\r": r"\r"})
_UNESCAPES = {"n": "\n", "r": "\r"}
#: Control characters, line breaks and marks that change the direction of writing, which a terminal would obey.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_ESCAPED = re.compile(r"\\(u[0-9a-f]{4}|.)")


class RecordError(Refusal):
    """A mistake in a record, with its line."""


@dataclass(frozen=True)
class Record:
    """A written game: its ruleset, turns, result and other tags, such as the players.

    It is ``shortened`` if the text that it was read from has comments, variations, signs or headings.
    """

    ruleset: Ruleset
    turns: tuple[str, ...] = ()
    result: str = "*"
    tags: dict[str, str] = field(default_factory=dict)
    shortened: bool = field(default=False, compare=False)

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
                "line {line}: the tag {tag} comes after the turns; a record holds one match", line=line, tag=tag
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
        """Like :meth:`parse_all`, but yield a mistake in place of its record, and continue after it."""
        for raw in _read(text):
            try:
                yield cls._replay(raw)
            except RecordError as error:
                yield error

    @classmethod
    def _replay(cls, raw: _RawRecord | RecordError) -> Record:
        if isinstance(raw, RecordError):
            raise raw
        shape = _ruleset(raw.tags)
        position, played = shape.start(), []
        for number, (typed, line) in enumerate(raw.turns, 1):
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
        others = {tag: value for tag, (value, _) in raw.tags.items() if tag not in _OWN_TAGS}
        result = _result(raw.tags.get("Result"), raw.result, position)
        return cls(shape, tuple(played), result, others, raw.shortened)


class _Word(NamedTuple):
    """A part of a record, and its line."""

    text: str
    line: int


@dataclass
class _RawRecord:
    """The tags of a record, its turns as typed, and the result after them.

    It has ``opened`` variations without an end, each with its line, and is ``fenced`` behind the fence after its turns.
    """

    tags: dict[str, _Word] = field(default_factory=dict)
    turns: list[_Word] = field(default_factory=list)
    result: _Word | None = None
    opened: list[int] = field(default_factory=list)
    fenced: bool = False
    shortened: bool = False

    @property
    def may_have_heading(self) -> bool:
        """Whether other text may follow: nothing of the record has been read, or all of it."""
        return self.fenced or self.result is not None or not (self.tags or self.turns)

    def checked(self) -> _RawRecord | RecordError:
        """The record, or the mistake that a variation has no end."""
        return _wrong("(", self.opened[-1]) if self.opened else self


def text_of(data: bytes) -> str:
    """The text in a file, in UTF-8 or in UTF-16, even without a byte order mark. Raises ``UnicodeDecodeError``."""
    encoding = encoding_of(data)
    # A joined file in UTF-16 may have half a character at its end.
    return (data.removesuffix(b"\x1a") if "16" in encoding and len(data) % 2 else data).decode(encoding)


def encoding_of(data: bytes) -> str:
    """The encoding of a text that consists mostly of plain letters."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    nulls = data[1::2].count(0), data[::2].count(0)
    if max(nulls) * 4 > len(data):
        return "utf-16-le" if nulls[0] > nulls[1] else "utf-16-be"
    return "utf-8-sig"


def _tokens(text: str) -> Iterator[tuple[re.Match[str], int]]:
    """The parts of records, each with its line."""
    line, counted = 1, 0
    for found in _TOKEN.finditer(text):
        line += text.count("\n", counted, found.start())
        counted = found.start()
        if found.lastgroup != "number":
            yield found, line


def _split(text: str) -> Iterator[_RawRecord]:
    """Split a text into records. Raises :class:`RecordError` at the first mistake."""
    for found in _read(text):
        if isinstance(found, RecordError):
            raise found
        yield found


def _read(text: str) -> Iterator[_RawRecord | RecordError]:
    """Split a text into records: a tag after turns or a result begins another one.

    After a mistake, the next record begins with its tag ``Game``.
    """
    text = _PARTS.sub(lambda part: part[0] if part["tag"] else plain(part[0]), re.sub(r"\r\n?", "\n", text))
    record, skipped, judged_to, is_heading = _RawRecord(), 0, 0, False
    for found, line in _tokens(text):
        is_tag = found.lastgroup == "tag"
        begins = is_tag and _name(found) == "Game"
        if skipped and begins:
            skipped -= 1
        if skipped:
            skipped = 1 if found.lastgroup == "result" else skipped
            continue
        if is_tag and (begins or not record.opened) and (record.turns or record.result):
            yield record.checked()
            record = _RawRecord()
        elif record.may_have_heading and found.lastgroup not in ("tag", "comment", "fence"):
            if found.start() >= judged_to:
                judged_to = _line_end(found)
                is_heading = _is_heading(found, judged_to)
            if is_heading:
                record.shortened = True
                continue
        try:
            _extend(record, found, line)
        except RecordError as error:
            yield error
            # The wrong record's own tag may still follow.
            skipped = 1 if "Game" in record.tags or record.turns or record.result else 2
            record = _RawRecord()
    if not skipped:
        yield record.checked()


def _is_heading(found: re.Match[str], line_end: int) -> bool:
    """Whether the line continues, from this part on, with other text rather than with turns or a tag."""
    if _TAG_BEGUN.match(found.string, found.start()):
        return False
    return not _TURNS.fullmatch(found.string, found.start(), line_end)


def _line_end(found: re.Match[str]) -> int:
    end = found.string.find("\n", found.start())
    return len(found.string) if end < 0 else end


def _extend(record: _RawRecord, found: re.Match[str], line: int) -> None:
    """Add another part to a record. Raises :class:`RecordError`."""
    kind = found.lastgroup
    if kind == "variation" and (found[0] == "(" or record.opened):
        if found[0] == "(":
            record.opened.append(line)
        else:
            record.opened.pop()
        record.shortened = True
    elif kind in ("comment", "sign"):
        record.shortened = True
    elif record.opened:
        return
    elif kind in ("wrong", "variation"):
        raise _wrong(found[0][0], line)
    elif kind == "fence":
        record.fenced = bool(record.turns)
    elif kind == "tag":
        name = _name(found)
        if name in record.tags:
            raise RecordError("line {line}: the tag {tag} appears twice", line=line, tag=name)
        value = found["curled"] if found["value"] is None else _unescaped(found["value"])
        record.tags[name] = _Word(plain(value).strip() if name in _OWN_TAGS else value, line)
    elif record.result is not None:
        raise RecordError(
            "line {line}: “{text}” follows the result, {result}",
            line=line,
            text=_quote(found[0]),
            result=record.result.text,
        )
    elif kind == "turn":
        record.fenced = False
        record.turns.append(_Word(found[0], line))
    else:
        record.result = _Word(found[0], line)


def _name(tag: re.Match[str]) -> str:
    """The name of a tag; capitals do not matter in the names that this module knows."""
    name = plain(tag["name"])
    return name.capitalize() if name.capitalize() in _OWN_TAGS else name


def _wrong(mark: str, line: int) -> RecordError:
    return RecordError("line {line}: {problem}", line=line, problem=Text(_WRONG[mark]))


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
            raise RecordError(
                "line {line}: the size “{size}” is not a number", line=line, size=with_names(_quote(value))
            )
        shape[tag.lower()] = int(value) if tag == "Size" else value.casefold()
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
    """The result of a record: as given after the turns or in the tag or, failing that, the result of the position."""
    if tag is not None and tag.text not in _RESULTS:
        raise RecordError(
            "line {line}: “{text}” is not a result; the results are {results}",
            line=tag.line,
            text=with_names(_quote(tag.text)),
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
            "line {line}: the result is {result}, but the turns end {ended} {reason}",
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
