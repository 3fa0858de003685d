"""Matches, with their steps, drafts and results."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    BindParameter,
    ColumnElement,
    FromClause,
    Select,
    and_,
    bindparam,
    case,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.sql.dml import ReturningInsert

from bot.domain.deliveries import MatchDelivery, PostedMessage
from bot.domain.matches import (
    UNCOUNTED,
    Ending,
    Imported,
    LadderStake,
    Match,
    NextMatch,
    Pending,
    Proposal,
    ProposalKind,
    ProposalState,
    Result,
    Step,
    TournamentTitle,
)
from bot.domain.places import Place, Viewer
from bot.domain.players import COMPUTER_IDS, IMPORTED_IDS, PROGRAM_IDS, Player
from bot.domain.ratings import MatchRatingChange
from bot.storage.names import NAMES, JoinedPlayer, join_names, name_in
from bot.storage.repositories.clocks import to_clock
from bot.storage.repositories.deliveries import (
    DELIVERY,
    PLACED,
    SECOND_HOME,
    SHOWN,
    WAITING,
    DeliveryRepository,
    to_delivery,
)
from bot.storage.repositories.imports import ImportRepository
from bot.storage.repositories.players import PlayerRepository
from bot.storage.repositories.ratings import RatingRepository
from bot.storage.repository import MATCH_CHANGED, NOTIFICATIONS, AnyRow, Repository, opponent_of, played_by
from bot.storage.tables import (
    OPEN_PROPOSALS,
    challenges,
    clocks,
    drafts,
    match_deliveries,
    matches,
    pairings,
    plans,
    players,
    proposals,
    threads,
    tournaments,
    turns,
)
from rules import Ruleset, ruleset_by_id

_first, _second, _moderator, _organiser = (
    JoinedPlayer(name, matches.c.guild_id) for name in ("first", "second", "moderator", "organiser")
)
_proposer = JoinedPlayer("proposer", matches.c.guild_id)
_rematch = matches.alias("rematch")
_delivered = match_deliveries.alias("delivered")
_last = select(
    turns.c.match_id.label("of_match"),
    turns.c.step.label("last_step"),
    turns.c.played_at.label("last_played_at"),
).subquery("last")
#: Whether a match has ended with a win or a draw.
COUNTS = and_(matches.c.ended_at.is_not(None), matches.c.ending.not_in(UNCOUNTED))
#: Whether a match is against the computer.
WITH_COMPUTER = or_(*(seat.in_(COMPUTER_IDS) for seat in (matches.c.first_id, matches.c.second_id)))
_WITH_PROGRAM = or_(
    *(func.abs(seat).between(PROGRAM_IDS[0], PROGRAM_IDS[-1]) for seat in (matches.c.first_id, matches.c.second_id))
)
#: Whether both players of a match are people, perhaps deleted ones.
BETWEEN_PEOPLE = and_(~WITH_COMPUTER, ~_WITH_PROGRAM)
#: Whether the players of a match are strangers, who must not learn each other's accounts.
APART = exists().where(_delivered.c.match_id == matches.c.id, _delivered.c.player_id.is_not(None)).correlate(matches)
MATCHES: Select[Any] = (
    select(
        matches,
        *_first.columns,
        *_second.columns,
        *_moderator.columns,
        _rematch.c.id.label("rematch_id"),
        exists().where(proposals.c.match_id == matches.c.id, OPEN_PROPOSALS).label("has_proposals"),
        func.coalesce(turns.c.played_at, matches.c.started_at).label("moved_at"),
        tournaments.c.id.label("tournament_id"),
        tournaments.c.name.label("tournament_name"),
        tournaments.c.edition,
        tournaments.c.organiser_id,
        pairings.c.ends_at,
        *_organiser.columns,
        challenges.c.ladder_id,
        challenges.c.challenger_id,
        WAITING.label("waiting"),
        SHOWN.label("shown"),
        *(clocks.c[name] for name in ("control", "first_left", "second_left", "seat", "since")),
        match_deliveries.c.player_id.label("stranger_id"),
        match_deliveries.c.home_guild_id.label("first_server_id"),
        select(SECOND_HOME.c.home_guild_id)
        .where(SECOND_HOME.c.match_id == matches.c.id, SECOND_HOME.c.seat == 1)
        .scalar_subquery()
        .label("second_server_id"),
    )
    .outerjoin(_rematch, _rematch.c.rematch_of == matches.c.id)
    .outerjoin(turns, and_(turns.c.match_id == matches.c.id, turns.c.step == matches.c.step))
    .outerjoin(clocks, clocks.c.match_id == matches.c.id)
    .join(match_deliveries, PLACED)
    .outerjoin(pairings, pairings.c.match_id == matches.c.id)
    .outerjoin(tournaments, tournaments.c.id == pairings.c.tournament_id)
    .outerjoin(challenges, challenges.c.id == matches.c.challenge_id)
)
for _role, _its_id in (
    (_first, matches.c.first_id),
    (_second, matches.c.second_id),
    (_moderator, matches.c.moderator_id),
    (_organiser, tournaments.c.organiser_id),
):
    MATCHES = _role.join(MATCHES, _its_id, optional=_role in (_moderator, _organiser))
# The most frequent queries. SQLAlchemy needs half the time for a statement object that it knows.
_MATCH = MATCHES.where(matches.c.id == bindparam("match_id"))
_DELIVERED_MATCH = _MATCH.add_columns(*DELIVERY)
_MATCH_WITH_DRAFT = _MATCH.add_columns(
    select(drafts.c.text)
    .where(
        drafts.c.match_id == matches.c.id,
        drafts.c.player_id == bindparam("player_id"),
        drafts.c.step == matches.c.step,
    )
    .scalar_subquery()
    .label("draft")
)
_STEPS = (
    select(turns.c.match_id, turns.c.ply, turns.c.turn, turns.c.player_id, turns.c.played_at, turns.c.planned)
    .where(turns.c.match_id.in_(bindparam("match_ids", expanding=True)))
    .order_by(turns.c.match_id, turns.c.step)
)
PROPOSALS: Select[Any] = _proposer.join(
    select(
        proposals,
        *_proposer.columns,
        matches.c.guild_id.label("home_guild_id"),
        func.coalesce(turns.c.ply, 0).label("ply"),
        APART.label("apart"),
    )
    .join(matches, matches.c.id == proposals.c.match_id)
    .outerjoin(turns, and_(turns.c.match_id == proposals.c.match_id, turns.c.step == proposals.c.step)),
    proposals.c.proposer_id,
)


@dataclass(frozen=True, slots=True)
class AddedStep:
    """The consequences of a stored step.

    ``next_awaited`` is the other match that has waited longest for the same player. ``has_plans`` says whether a player
    has a plan for this match. ``lapsed_cards`` are the cards of lapsed proposals, by proposal.
    """

    next_awaited: int | None
    has_plans: bool
    lapsed_cards: Mapping[int, PostedMessage]


class MatchRepository(Repository):
    """The matches, with their steps and drafts."""

    async def get(self, match_id: int) -> Match | None:
        rows = await self._rows(_MATCH, {"match_id": match_id})
        return (await self._to_matches(rows))[0] if rows else None

    async def with_homes(self, match_id: int) -> tuple[Match, list[MatchDelivery]] | None:
        """A match and its deliveries in all homes, by seat; in one statement if it has one home."""
        rows = await self._rows(_DELIVERED_MATCH, {"match_id": match_id})
        if not rows:
            return None
        (match,) = await self._to_matches(rows)
        if match.apart is None:
            return match, [to_delivery(rows[0])]
        return match, await self._other(DeliveryRepository).homes(match_id)

    async def with_ids(self, match_ids: Sequence[int]) -> list[Match]:
        """These matches, in this order."""
        found = {match.id: match for match in await self._matches(matches.c.id.in_(match_ids))}
        return [found[match_id] for match_id in match_ids]

    async def steps(self, match_id: int) -> tuple[Step, ...]:
        """All steps of the match, in order."""
        return (await self.steps_of([match_id]))[match_id]

    async def steps_of(self, match_ids: Collection[int]) -> dict[int, tuple[Step, ...]]:
        """All steps of each match, in order."""
        steps: dict[int, list[Step]] = {match_id: [] for match_id in match_ids}
        for match_id, *step in await self._rows(_STEPS, {"match_ids": list(match_ids)}):
            steps[match_id].append(Step(*step))
        return {match_id: tuple(own) for match_id, own in steps.items()}

    async def running(self, *, player_id: int | None = None) -> list[Match]:
        """The running matches of a player or of everybody, oldest first."""
        return await self._matches(_running(None, player_id))

    async def open_for(self, player_id: int) -> list[Match]:
        """The matches in which a player can do something: running matches, and matches with an open proposal."""
        asked = exists().where(proposals.c.match_id == matches.c.id, OPEN_PROPOSALS).correlate(matches)
        return await self._matches(and_(played_by(player_id), or_(matches.c.ended_at.is_(None), asked)))

    async def pending(
        self, *, viewer: Viewer | None = None, player_id: int | None = None, skip: int = 0, most: int | None = None
    ) -> list[Pending]:
        """The running matches of a player that the viewer may find, each with the player to act.

        Matches that wait for the player come first; otherwise, the longest wait comes first.
        """
        moved_at = func.coalesce(turns.c.played_at, matches.c.started_at)
        order = case((_awaits(player_id), 0), else_=1), moved_at, matches.c.id
        last = and_(turns.c.match_id == matches.c.id, turns.c.step == matches.c.step)
        placed = select(matches.c.id).join(match_deliveries, PLACED)
        found = placed.outerjoin(turns, last).where(_running(viewer, player_id)).correlate(None)
        query = MATCHES.where(matches.c.id.in_(found.order_by(*order).offset(skip).limit(most))).order_by(*order)
        rows = await self._rows(query)
        loaded = zip(await self._to_matches(rows), rows, strict=True)
        return [Pending(match, match.player(row.awaited_id), match.moved_at) for match, row in loaded]

    async def count_pending(self, player_id: int, *, viewer: Viewer | None = None) -> tuple[int, int, int]:
        """Count the player's running matches that the viewer may find.

        Return the numbers of all, of matches that wait for the player's turn, and of matches that wait for the player's
        answer to a proposal.
        """
        asked = exists().where(
            proposals.c.match_id == matches.c.id, OPEN_PROPOSALS, proposals.c.proposer_id != player_id
        )
        own_turns, proposed = (func.count(case((condition, 1))) for condition in (_awaits(player_id), asked))
        counted = select(func.count(), own_turns, proposed).where(_running(viewer, player_id))
        counted = counted.join_from(matches, match_deliveries, PLACED)
        total, waiting, answers = (await self._result(counted)).one()
        return total, waiting, answers

    async def any_play(self, player_ids: Collection[int]) -> bool:
        """Whether one of the players has a running match."""
        theirs = or_(*map(played_by, player_ids))
        return await self._exists(select(matches.c.id).where(matches.c.ended_at.is_(None), theirs))

    async def over(self, match_ids: Collection[int]) -> set[int]:
        """The matches among these that are over."""
        query = select(matches.c.id).where(matches.c.id.in_(match_ids), matches.c.ended_at.is_not(None))
        return set(await self._scalars(query))

    async def candidates(self, player_id: int, place: Place) -> list[Match]:
        """The running matches that a player may mean in a place.

        These are their own in the channel or, without any, elsewhere on the server, or else the match that others play
        in the channel.
        """
        here = {"channel": place.channel_id, "guild": place.guild_id or 0}
        rows = await self._rows(_candidates_query(), {_PLAYER.key: player_id, **here})
        own = [row for row in rows if player_id in (row.first_id, row.second_id)]
        return await self._to_matches([row for row in own if row.is_there] or own or rows)

    async def latest(self, channel_id: int) -> Match | None:
        """The newest match in the channel, running or finished."""
        newest = (
            select(_delivered.c.match_id)
            .where(_delivered.c.channel_id == channel_id)
            .order_by(_delivered.c.match_id.desc())
            .limit(1)
            .scalar_subquery()
        )
        found = await self._matches(matches.c.id == newest)
        return found[0] if found else None

    async def to_act(self, match_id: int) -> int | None:
        """The id of the player to act in a running match; None for a match that is over."""
        return await self._scalar(select(matches.c.awaited_id).where(matches.c.id == match_id))

    async def awaiting(self, player_id: int) -> list[int]:
        """The matches that wait for a player's turn, the longest wait first."""
        return await self._scalars(_awaiting(_PLAYER), {_PLAYER.key: player_id})

    async def next_match(self, match_id: int, player: Player) -> NextMatch:
        """A match of the player, with the opponent's name on the server that ``player.names`` are from.

        A stranger has the name that people have outside servers.
        """
        guild_id = None if player.names is None else player.names.guild_id
        asked = {"match_id": match_id, _PLAYER.key: player.id, "guild": guild_id or 0}
        row = (await self._result(_next_match(), asked)).one()
        return NextMatch(row.id, row.game, Player(row.opponent_id, name_in(row)), to_delivery(row))

    async def add(
        self,
        ruleset: Ruleset,
        guild_id: int | None,
        seats: tuple[Player, Player],
        started_at: datetime,
        *,
        awaited_id: int,
        rated: bool,
        **origin: int,
    ) -> int:
        """Start a match and return its id. The caller adds its delivery, and its clock if it has one."""
        self.wake(*(player.id for player in seats))
        return await self._add_numbered(
            matches,
            ruleset=ruleset.id,
            game=ruleset.game.name,
            guild_id=guild_id,
            first_id=seats[0].id,
            second_id=seats[1].id,
            ply=0,
            step=0,
            awaited_id=awaited_id,
            started_at=started_at,
            rated=rated,
            **origin,
        )

    async def add_step(
        self, match_id: int, expected_step: int, step: Step, awaited_id: int | None, result: Result | None = None
    ) -> AddedStep | None:
        """Store the match's next step with the player to act after it, or with the result if the step ends the match.

        Return None and store nothing unless the match is running and has exactly ``expected_step`` steps.
        """
        number = expected_step + 1
        changes = {"step": number, "ply": step.ply, "awaited_id": awaited_id}
        if not await self._change(match_id, expected_step, step.at, result, **changes):
            return None
        # The same statement looks for plans, open proposals and the player's next match. The match is locked, so nobody
        # can add plans or proposals now.
        added = await self._result(
            _add_step(),
            {
                "match_id": match_id,
                "step": number,
                "ply": step.ply,
                "turn": step.turn,
                "player_id": step.player_id,
                "played_at": step.at,
                "planned": step.planned,
                _THIS.key: match_id,
                _PLAYER.key: step.player_id,
            },
        )
        proposed, has_plans, next_awaited = added.one()
        return AddedStep(next_awaited, has_plans, await self._lapse_proposals(match_id) if proposed else {})

    async def end(self, match_id: int, expected_step: int, ended_at: datetime, result: Result) -> bool:
        """End the match without a turn; False unless it is running and has exactly ``expected_step`` steps."""
        ended = await self._change(match_id, expected_step, ended_at, result, awaited_id=None)
        if ended:
            await self._lapse_proposals(match_id)
        return ended

    async def void(self, match_id: int, moderator_id: int) -> bool:
        """Void the result of a match; False if it has none."""
        self._changed_ids.add(match_id)
        counts = update(matches).where(matches.c.id == match_id, COUNTS)
        return await self._execute(counts.values(ending=Ending.VOID, winner_id=None, moderator_id=moderator_id)) == 1

    async def lock(self, match_id: int) -> Match | None:
        """Lock the match until the end of the transaction, and return it."""
        await self._lock_match(match_id)
        return await self.get(match_id)

    async def notify_others(self, changed: Collection[int]) -> None:
        """Notify other processes, after the commit, of matches that look different and programs that have news."""
        for subject_id in changed:
            await self._rows(select(func.pg_notify(NOTIFICATIONS, f"{MATCH_CHANGED}:{subject_id}")))

    # Drafts

    async def draft(self, match_id: int, player_id: int, step: int) -> str:
        """The player's draft of a turn on the board of that step; empty without one."""
        query = select(drafts.c.text).where(_is_draft(match_id, player_id), drafts.c.step == step)
        return await self._scalar(query) or ""

    async def with_draft(self, match_id: int, player_id: int) -> tuple[Match | None, str]:
        """A match, and the player's draft of a turn on its board, in one statement."""
        rows = await self._rows(_MATCH_WITH_DRAFT, {"match_id": match_id, "player_id": player_id})
        if not rows:
            return None, ""
        (match,) = await self._to_matches(rows)
        return match, rows[0].draft or ""

    async def save_draft(self, match_id: int, player_id: int, step: int, text: str, *, before: str) -> bool:
        """Replace the draft ``before``; False if the draft or the board has changed."""
        current = await self._row(
            select(matches.c.id)
            .where(matches.c.id == match_id, matches.c.step == step, matches.c.ended_at.is_(None))
            .with_for_update()
        )
        if current is None or await self.draft(match_id, player_id, step) != before:
            return False
        await self._execute(delete(drafts).where(_is_draft(match_id, player_id)))
        if text:
            await self._add(drafts, {"match_id": match_id, "player_id": player_id, "step": step, "text": text})
        return True

    # Helpers

    async def _change(
        self, match_id: int, expected_step: int, at: datetime, result: Result | None, **values: Any
    ) -> bool:
        """Change and lock a match; False unless it is running and has exactly ``expected_step`` steps."""
        if result is not None:
            values |= {"ended_at": at, "ending": result.ending, "winner_id": result.winner_id}
            values["moderator_id"] = None if result.moderator is None else result.moderator.id
        if not await self._execute(_CHANGING, {_THIS.key: match_id, "expected_step": expected_step, **values}):
            return False
        self._changed_ids.add(match_id)
        if result is not None:
            await self._other(DeliveryRepository).close(match_id)
            await self._execute(delete(drafts).where(drafts.c.match_id == match_id))
        return True

    async def _lapse_proposals(self, match_id: int) -> dict[int, PostedMessage]:
        """Close the open proposals of a match that has moved on; return their cards, by proposal."""
        lapsed = await self._rows(
            update(proposals)
            .where(proposals.c.match_id == match_id, OPEN_PROPOSALS)
            .values(state=ProposalState.LAPSED, version=proposals.c.version + 1)
            .returning(proposals.c.id, proposals.c.card_channel_id, proposals.c.card_message_id, proposals.c.version)
        )
        return {row.id: PostedMessage(*row[1:]) for row in lapsed if row.card_message_id is not None}

    async def _matches(self, condition: ColumnElement[bool]) -> list[Match]:
        """The matches that meet the condition, by id."""
        return await self._to_matches(await self._rows(MATCHES.where(condition).order_by(matches.c.id)))

    async def _to_matches(self, rows: Sequence[AnyRow]) -> list[Match]:
        """The matches of these rows, with their proposals and the changes of ratings."""
        # Read after the matches: a card that is newer than its version is shown again, but never missing.
        waiting: dict[int, list[Proposal]] = {}
        if with_proposals := [row.id for row in rows if row.has_proposals]:
            theirs = PROPOSALS.where(proposals.c.match_id.in_(with_proposals), OPEN_PROPOSALS)
            for row in await self._rows(theirs.order_by(proposals.c.id)):
                waiting.setdefault(row.match_id, []).append(to_proposal(row))
        over = [row.id for row in rows if row.ended_at is not None]
        changes = await self._other(RatingRepository).changes_of(over) if over else {}
        found = [_to_match(row, waiting.get(row.id, ()), changes.get(row.id, ())) for row in rows]
        strangers = {person.id for match in found if match.apart is not None for person in match.people}
        if strangers:  # they have no server in common, whose nicknames they would have
            named = await self._other(PlayerRepository).by_ids(strangers, None)
            found = [match if match.apart is None else _with_outside_names(match, named) for match in found]
        records = [match.id for match in found if match.first.id == IMPORTED_IDS[0]]
        said = await self._other(ImportRepository).of_matches(records) if records else {}
        return [_with_record(match, *said[match.id]) if match.id in said else match for match in found]


def _with_outside_names(match: Match, named: Mapping[int, Player]) -> Match:
    """The match with the names that people have outside servers; all their names stay known."""
    return match.renamed({person.id: replace(named[person.id], names=person.names) for person in match.people})


def _running(viewer: Viewer | None, player_id: int | None) -> ColumnElement[bool]:
    """Whether a match is running, the viewer may find it, and the player plays it."""
    conditions: list[ColumnElement[bool]] = [matches.c.ended_at.is_(None)]
    if viewer is not None:
        conditions.append(found_by(viewer, player_id))
    if player_id is not None:
        conditions.append(played_by(player_id))
    return and_(*conditions)


def _awaits(player_id: int | BindParameter[int] | None) -> ColumnElement[bool]:
    """Whether a match with its delivery waits for a player's turn; nobody can play it before it has a place."""
    return and_(matches.c.awaited_id == player_id, ~WAITING)


def _awaiting(player_id: BindParameter[int]) -> Select[tuple[int]]:
    """The matches that wait for a player's turn, the longest wait first."""
    return (
        select(matches.c.id)
        .select_from(matches)
        .outerjoin(_last, and_(_last.c.of_match == matches.c.id, _last.c.last_step == matches.c.step))
        .join(match_deliveries, PLACED)
        .where(_awaits(player_id))
        .order_by(func.coalesce(_last.c.last_played_at, matches.c.started_at), matches.c.id)
    )


def _next_awaited(player_id: BindParameter[int], but: BindParameter[int]) -> ColumnElement[int | None]:
    """The other running match that has waited longest for a player; NULL without one.

    It is part of a RETURNING clause, in which some databases accept columns only without the names of their tables.
    """
    return _awaiting(player_id).where(matches.c.id != but).limit(1).correlate(None).scalar_subquery()


def shared_with(place: Place) -> ColumnElement[bool]:
    """Whether people at the place may know of a match, as in :meth:`Place.shares`."""
    if place.guild_id is not None:
        strangers = match_deliveries.alias("apart")
        here = and_(strangers.c.player_id.is_not(None), strangers.c.home_guild_id == place.guild_id)
        return or_(matches.c.guild_id == place.guild_id, matches.c.id.in_(select(strangers.c.match_id).where(here)))
    return and_(matches.c.guild_id.is_(None), _has_home(_delivered.c.home_channel_id == place.channel_id))


def found_by(viewer: Viewer, player_id: int | None = None) -> ColumnElement[bool]:
    """Whether a match at the viewer's place is the viewer's own, or in a channel that the viewer can view.

    Among the matches of a player, ``player_id``, matches of strangers are found only in that player's home: elsewhere,
    they would tell whose account the stranger has.
    """
    here, home = shared_with(viewer.place), _delivered.c.home_channel_id
    seen = home == viewer.place.channel_id if viewer.place.guild_id is None else in_view(home, viewer)
    if viewer.place.guild_id is not None:
        here = and_(here, or_(played_by(viewer.player_id), _has_home(seen)))
    if player_id is None:
        return here
    return and_(here, or_(~APART, _has_home(and_(_delivered.c.player_id == player_id, seen))))


def _has_home(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    """Whether the home of a match meets the condition."""
    return exists().where(_delivered.c.match_id == matches.c.id, condition).correlate(matches)


def in_view(channel: ColumnElement[Any], viewer: Viewer) -> ColumnElement[bool]:
    """Whether the viewer can view a channel of the server, or the channel of a public thread."""
    viewed = list(viewer.channels)
    return or_(channel.in_(viewed), channel.in_(select(threads.c.id).where(threads.c.parent_id.in_(viewed))))


#: The ids of a match, and of one of its players.
_THIS: BindParameter[int] = bindparam("this", type_=BigInteger)
_PLAYER: BindParameter[int] = bindparam("player", type_=BigInteger)
_CHANGING = update(matches).where(
    matches.c.id == _THIS, matches.c.step == bindparam("expected_step"), matches.c.ended_at.is_(None)
)


@cache
def _add_step() -> ReturningInsert[bool, bool, int | None]:
    """Adds a step. Built once, because that takes longer than executing it."""
    return insert(turns).returning(
        exists().where(proposals.c.match_id == _THIS, OPEN_PROPOSALS),
        exists().where(plans.c.match_id == _THIS),
        _next_awaited(_PLAYER, _THIS),
    )


@cache
def _candidates_query() -> Select[Any]:
    """The running matches that a player may mean. Built once, for every command without a match's number."""
    there = select(_delivered.c.match_id).where(_delivered.c.occupied_channel_id == bindparam("channel"))
    is_there = matches.c.id == there.scalar_subquery()

    def shared(home: FromClause) -> ColumnElement[bool]:
        # As in Place.shares(). A plain comparison would make the database scan all matches of the server.
        return and_(
            func.coalesce(home.c.home_guild_id, 0) == bindparam("guild", type_=BigInteger),
            or_(home.c.home_guild_id.is_not(None), home.c.home_channel_id == bindparam("channel")),
        )

    second = exists().where(SECOND_HOME.c.match_id == matches.c.id, SECOND_HOME.c.seat == 1, shared(SECOND_HOME))
    return (
        MATCHES.add_columns(is_there.label("is_there"))
        .where(matches.c.ended_at.is_(None), or_(shared(match_deliveries), second))
        .where(or_(played_by(_PLAYER), is_there))
        .order_by(matches.c.id)
    )


@cache
def _next_match() -> Select[Any]:
    """The columns of :class:`NextMatch`. Built once, for most turns."""
    return join_names(
        select(matches.c.id, matches.c.game, matches.c.guild_id, players.c.id.label("opponent_id"), *NAMES, *DELIVERY)
        .join(match_deliveries, match_deliveries.c.match_id == matches.c.id)
        .join(players, players.c.id == opponent_of(_PLAYER))
        .where(
            matches.c.id == bindparam("match_id"),
            or_(match_deliveries.c.player_id.is_(None), match_deliveries.c.player_id == _PLAYER),
        ),
        case((match_deliveries.c.player_id.is_(None), bindparam("guild", type_=BigInteger)), else_=0),
    )


def _is_draft(match_id: int, player_id: int) -> ColumnElement[bool]:
    return and_(drafts.c.match_id == match_id, drafts.c.player_id == player_id)


def _with_record(match: Match, names: Sequence[str], imported: Imported) -> Match:
    first, second = (Player(player.id, name) for player, name in zip(match.players, names, strict=True))
    return replace(match, first=first, second=second, imported=imported)


def to_proposal(row: AnyRow) -> Proposal:
    return Proposal(
        id=row.id,
        match_id=row.match_id,
        kind=ProposalKind(row.kind),
        proposer=_proposer.player(row, row.home_guild_id),
        step=row.step,
        state=ProposalState(row.state),
        ply=row.ply,
        keeps=row.keeps,
        place=None if row.channel_id is None else Place(row.guild_id, row.channel_id),
    )


def _to_match(row: AnyRow, waiting: Sequence[Proposal], changes: tuple[MatchRatingChange, ...]) -> Match:
    cup = None
    if row.tournament_id is not None:
        organiser = _organiser.player(row, row.guild_id)
        cup = TournamentTitle(row.tournament_id, row.tournament_name, organiser, row.edition)
    return Match(
        id=row.id,
        challenge_id=row.challenge_id,
        ruleset=ruleset_by_id(row.ruleset),
        guild_id=row.guild_id,
        first=_first.player(row, row.guild_id),
        second=_second.player(row, row.guild_id),
        ply=row.ply,
        step=row.step,
        result=None
        if row.ending is None
        else Result(row.winner_id, Ending(row.ending), _moderator.optional_player(row, row.guild_id)),
        started_at=row.started_at,
        moved_at=row.moved_at,
        ended_at=row.ended_at,
        rematch_of=row.rematch_of,
        rematch_id=row.rematch_id,
        proposals=tuple(waiting),
        rated=row.rated,
        rating_changes=changes,
        clock=None if row.control is None else to_clock(row),
        waiting=bool(row.waiting),
        shown=bool(row.shown),
        tournament=cup,
        ends_at=row.ends_at,
        ladder=None if row.ladder_id is None else LadderStake(row.ladder_id, row.challenger_id),
        apart=None if row.stranger_id is None else (row.first_server_id, row.second_server_id),
    )
