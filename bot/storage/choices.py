"""The matches that are offered: by an autocompletion while somebody types, and after a turn."""

from __future__ import annotations

from functools import cache
from string import Formatter
from typing import Any

from sqlalchemy import (
    BigInteger,
    BindParameter,
    ColumnElement,
    Select,
    String,
    and_,
    bindparam,
    case,
    cast,
    func,
    literal,
    or_,
    select,
)

import rules
from bot.domain.matches import LabelTexts, MatchChoice, NextMatch, Offered
from bot.domain.places import Viewer
from bot.domain.players import Player
from bot.domain.preferences import Outside
from bot.storage.deliveries import DELIVERY, to_delivery
from bot.storage.matches import found_by, played_by
from bot.storage.repository import Repository
from bot.storage.tables import match_deliveries, matches, nicknames, players, preferences


class _Seat:
    """A player of a match, under the name by which they are known on the server ``guild_id``, or outside servers, which
    is 0.
    """

    def __init__(self, name: str, guild_id: int | BindParameter[int]) -> None:
        self.id: ColumnElement[int] = matches.c[f"{name}_id"]
        self._person, self._met, self._chosen = (
            table.alias(f"{name}_{table.name}") for table in (players, nicknames, preferences)
        )
        self._guild_id = guild_id
        self.name: ColumnElement[str] = case(
            (self._met.c.player_id.is_not(None), func.coalesce(self._met.c.name, self._person.c.name)),
            (self._chosen.c.outside == Outside.USERNAME, self._person.c.username),
            (self._chosen.c.outside == Outside.HIDDEN, literal("")),
            else_=self._person.c.name,
        )

    def shown(self, texts: LabelTexts) -> ColumnElement[str]:
        """The name as users read it."""
        return case(
            (self.id < 0, literal(texts.deleted)),
            *((self.id == level_id, literal(name)) for level_id, name in texts.computer.items()),
            (self.name == "", literal(texts.anonymous)),
            else_=self.name,
        )

    def join(self, query: Select[Any]) -> Select[Any]:
        met = and_(self._met.c.player_id == self.id, self._met.c.guild_id == self._guild_id)
        return (
            query.join(self._person, self._person.c.id == self.id)
            .outerjoin(self._met, met)
            .outerjoin(self._chosen, self._chosen.c.player_id == self.id)
        )


class ChoiceRepository(Repository):
    """Searches in what users read, so that nothing is loaded that is not shown."""

    async def matches(
        self, viewer: Viewer, typed: str, texts: LabelTexts, offered: Offered, *, most: int
    ) -> list[MatchChoice]:
        """The first matches that are offered to the viewer here and whose label contains what they ``typed``.

        Running ones by number; where finished ones are among them, the viewer's own come first, then running ones, then
        those that ended last.
        """
        mine = played_by(viewer.player_id)
        awaited = matches.c.awaited_id
        one, other = (_Seat(name, viewer.place.guild_id or 0) for name in ("first", "second"))
        label = _label(texts, one, other, awaited, viewer.player_id)
        runs = matches.c.ended_at.is_(None)
        condition = {
            Offered.OWN: and_(found_by(viewer), mine, runs),
            Offered.RUNNING: and_(found_by(viewer), runs),
            Offered.FINISHED: and_(or_(found_by(viewer), mine), ~runs),
            Offered.ALL: or_(found_by(viewer), mine),
        }[offered]
        order: tuple[ColumnElement[object], ...] = (matches.c.id.asc(),)
        if offered in (Offered.FINISHED, Offered.ALL):
            named = cast(matches.c.id, String) == typed.removeprefix("#")
            order = (
                case((named, 0), else_=1).asc(),
                case((mine, 0), else_=1).asc(),
                case((runs, 0), else_=1).asc(),
                matches.c.ended_at.desc(),
                matches.c.id.asc(),
            )
        query = select(
            matches.c.id,
            matches.c.game,
            matches.c.first_id,
            matches.c.second_id,
            one.name.label("first_name"),
            other.name.label("second_name"),
            awaited,
            matches.c.ended_at,
        )
        query = (
            other.join(one.join(query))
            .where(condition, func.lower(label).contains(typed.lower(), autoescape=True))
            .order_by(*order)
            .limit(most)
        )
        found = []
        for row in await self._connection.execute(query):
            first, second = Player(row.first_id, row.first_name), Player(row.second_id, row.second_name)
            acts = None
            if row.ended_at is None:
                acts = first if row.awaited_id == first.id else second
            found.append(MatchChoice(row.id, row.game, first, second, acts, row.ended_at))
        return found

    async def next_match(self, match_id: int, player: Player) -> NextMatch:
        """A match of the player, whose names tell on which server they are."""
        guild_id = None if player.names is None else player.names.guild_id
        asked = {"match_id": match_id, "player": player.id, "guild": guild_id or 0}
        row = (await self._connection.execute(_next_match(), asked)).one()
        return NextMatch(row.id, row.game, Player(row.opponent_id, row.opponent_name), to_delivery(row))


@cache
def _next_match() -> Select[Any]:
    """Built once, because it is asked for after a turn."""
    guild_id, player_id = (bindparam(name, type_=BigInteger) for name in ("guild", "player"))
    one, other = (_Seat(name, guild_id) for name in ("first", "second"))
    opponent = case((one.id == player_id, other.id), else_=one.id)
    name = case((one.id == player_id, other.name), else_=one.name)
    query = (
        select(
            matches.c.id,
            matches.c.game,
            matches.c.guild_id,
            opponent.label("opponent_id"),
            name.label("opponent_name"),
            *DELIVERY,
        )
        .select_from(matches)
        .join(match_deliveries, match_deliveries.c.match_id == matches.c.id)
        .where(matches.c.id == bindparam("match_id"))
    )
    return other.join(one.join(query))


def _label(
    texts: LabelTexts, one: _Seat, other: _Seat, awaited: ColumnElement[int | None], viewer_id: int
) -> ColumnElement[str]:
    """The label as users read it, for the database to search in."""
    if texts.running is None:
        name = case((awaited == one.id, one.shown(texts)), else_=other.shown(texts))
        theirs = _filled(texts.their_turn, player=name)
        running: ColumnElement[str] = case((awaited == viewer_id, literal(texts.own_turn)), else_=theirs)
    else:
        running = literal(texts.running)
    date = func.substr(cast(matches.c.ended_at, String), 1, 10)
    return _filled(
        texts.label,
        match=cast(matches.c.id, String),
        game=case({name: game.title for name, game in rules.GAMES.items()}, value=matches.c.game, else_=""),
        first=one.shown(texts),
        second=other.shown(texts),
        state=case((matches.c.ended_at.is_(None), running), else_=date),
    )


def _filled(template: str, **values: ColumnElement[str]) -> ColumnElement[str]:
    """``template.format(**values)`` in SQL."""
    text: ColumnElement[str] = literal("", String)
    for before, name, _spec, _conversion in Formatter().parse(template):
        text = text + literal(before, String)
        if name is not None:
            text = text + values[name]
    return text
