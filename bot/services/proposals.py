"""Proposals between players: a draw, a take-back, abandoning or moving a match, a rematch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from bot.domain.challenges import check_place
from bot.domain.clocks import remaining_turns
from bot.domain.deliveries import CardKey
from bot.domain.limits import IN_VAIN_LIMIT, PROPOSAL_LIMIT, LimitedAction, TooManyProposalsError
from bot.domain.matches import Ending, Match, Proposal, ProposalKind, ProposalState, Result, Step
from bot.domain.places import Place
from bot.domain.play import check_running
from bot.domain.players import Player
from bot.domain.proposals import (
    AlreadyThereError,
    BlockedProposalError,
    ProposalClosedError,
    UnknownProposalError,
    check_answer,
    check_proposable,
    check_withdraw,
    kept_turns,
    proposal_to_accept,
)
from bot.domain.timers import Timer, TimerKind
from bot.services.challenges import check_blocks, check_limit, person_behind
from bot.services.match_lifecycle import move_home, save_clock, start_match
from bot.services.matches import Matches, lock_match, rewound
from bot.services.scheduling import show_later, update_tournament
from bot.services.strangers.requests import check_home
from bot.storage import Storage, Transaction


@dataclass
class Proposals:
    """Proposals and their answers. Every method stores everything, or raises a ``DomainError``.

    A match has at most one open proposal of each kind. It lapses with the next turn, take-back or end of the match.
    Blocked people cannot make proposals. The computer accepts every proposal immediately.
    """

    storage: Storage
    matches: Matches
    now: Callable[[], datetime]

    async def propose(
        self,
        match_id: int,
        player_id: int,
        kind: ProposalKind,
        *,
        seen_step: int | None = None,
        place: Place | None = None,
        shown_by_caller: bool = False,
    ) -> Proposal:
        """Make a proposal, or accept the same proposal of the opponent; ``place`` is where to move the match."""
        assert (place is not None) is (kind is ProposalKind.MOVE)
        async with self.storage.transaction(shown_by_caller=shown_by_caller) as tx:
            match, now = await lock_match(tx, match_id), self.now()
            check_proposable(match, player_id, kind, seen_step)
            opponent, strangers = match.opponent_of(player_id), match.apart is not None
            if kind is ProposalKind.REMATCH:
                await check_blocks(tx, match.player(player_id), opponent, strangers=strangers)
            if place is not None:
                await _check_destination(tx, match, place, player_id)
            theirs = proposal_to_accept(match, player_id, kind, place)
            if theirs is not None:
                return await self._accept(tx, match, theirs, now)
            proposer_id = await person_behind(tx, match.player(player_id))
            if proposer_id in await tx.privacy.blocks(await person_behind(tx, opponent), strangers=strangers):
                raise BlockedProposalError(match, player=opponent)
            keeps = None
            if kind is ProposalKind.TAKE_BACK:
                keeps = kept_turns(match, await tx.matches.steps(match.id), player_id)
            agrees = opponent.level is not None
            if not agrees:
                await _check_limits(tx, match, player_id, now)
            made = await tx.proposals.add(match.id, match.step, kind, player_id, now, keeps=keeps, place=place)
            if agrees:
                return await self._accept(tx, match, made, now)
            await show_later(tx, TimerKind.SHOW_PROPOSAL, made.id, _server_of(match, made), now)
            tx.programs.wake(opponent.id)
            return made

    async def accept(self, proposal_id: int, player_id: int, *, shown_by_caller: bool = False) -> Proposal:
        """Accept a proposal and carry it out."""
        async with self.storage.transaction(shown_by_caller=shown_by_caller) as tx:
            proposal, match = await _load(tx, proposal_id)
            check_answer(match, proposal, player_id)
            return await self._accept(tx, match, proposal, self.now())

    async def decline(self, proposal_id: int, player_id: int, *, shown_by_caller: bool = False) -> Proposal:
        async with self.storage.transaction(shown_by_caller=shown_by_caller) as tx:
            proposal, match = await _load(tx, proposal_id)
            check_answer(match, proposal, player_id)
            return await self._settle(tx, match, proposal, ProposalState.DECLINED)

    async def withdraw(self, proposal_id: int, player_id: int, *, shown_by_caller: bool = False) -> Proposal:
        async with self.storage.transaction(shown_by_caller=shown_by_caller) as tx:
            proposal, match = await _load(tx, proposal_id)
            check_withdraw(match, proposal, player_id)
            return await self._settle(tx, match, proposal, ProposalState.WITHDRAWN)

    async def get(self, proposal_id: int) -> Proposal:
        async with self.storage.read() as tx:
            return await _get(tx, proposal_id)

    async def move_home(self, match_id: int, player_id: int, place: Place, *, shown_by_caller: bool = False) -> Match:
        """Move a match without the opponent's consent.

        The home is the player's own, or the caller has checked that its channel is gone.

        If its tournament was in the same channel, it moves, too, and so do the tournament's waiting matches.
        """
        async with self.storage.transaction(shown_by_caller=shown_by_caller) as tx:
            match = await lock_match(tx, match_id)
            check_running(match, player_id)
            await _check_destination(tx, match, place, player_id)
            left, now = (await tx.deliveries.get(match_id, player_id)).home, self.now()
            await move_home(tx, match, match.card_of(player_id), place, now)
            await _move_tournament(tx, match, left, place, now)
            return await lock_match(tx, match_id)

    async def _accept(self, tx: Transaction, match: Match, proposal: Proposal, now: datetime) -> Proposal:
        accepted = await self._settle(tx, match, proposal, ProposalState.ACCEPTED)
        match proposal.kind:
            case ProposalKind.DRAW:
                await self.matches.end(tx, match, Result(None, Ending.AGREEMENT), now)
            case ProposalKind.ABANDON:
                await self.matches.end(tx, match, Result(None, Ending.ABANDONED), now)
            case ProposalKind.TAKE_BACK:
                await self._take_back(tx, match, proposal, now)
            case ProposalKind.MOVE:
                assert proposal.place is not None
                await move_home(tx, match, CardKey(match.id), proposal.place, now)
                await show_later(tx, TimerKind.SHOW_PROPOSAL, proposal.id, proposal.place.guild_id, now)
            case ProposalKind.REMATCH:
                # A handicap stays with its player; otherwise the other player opens now.
                seats = match.players[::-1] if match.ruleset.handicap is None else match.players
                await start_rematch(tx, match, seats, now)
        return accepted

    async def _settle(self, tx: Transaction, match: Match, proposal: Proposal, state: ProposalState) -> Proposal:
        settled = await tx.proposals.settle(proposal.id, state)
        proposal = await _get(tx, proposal.id)
        if not settled:
            raise ProposalClosedError(proposal, proposal.state)
        await show_later(tx, TimerKind.SHOW_PROPOSAL, proposal.id, _server_of(match, proposal), self.now())
        return proposal

    async def _take_back(self, tx: Transaction, match: Match, proposal: Proposal, now: datetime) -> None:
        assert proposal.keeps is not None
        (game,) = await self.matches.games(tx, [match])
        awaited = (await rewound(game, proposal.keeps)).to_act
        assert awaited is not None, "games end with their last turn"
        if match.clock is not None:
            undone = remaining_turns(await tx.clocks.spent(match.id))[proposal.keeps :]
            clock = match.clock.taken_back(now, undone[0].seat, undone)
            await save_clock(tx, match.id, clock, before=match.clock)
        step = Step(proposal.keeps, None, proposal.proposer.id, now)
        stored = await tx.matches.add_step(match.id, match.step, step, awaited.id)
        assert stored, "the match is locked"


def _server_of(match: Match, proposal: Proposal) -> int | None:
    """The server of the home in which a proposal is shown: of strangers, the home of the player who answers it."""
    return match.server_of(1 - match.seat_of(proposal.proposer.id))


async def _move_tournament(tx: Transaction, match: Match, left: Place, place: Place, now: datetime) -> None:
    tournament = None if match.tournament is None else await tx.tournaments.lock(match.tournament.id)
    if tournament is not None and tournament.place == left and tournament.ongoing and place.guild_id == left.guild_id:
        await tx.tournaments.move(tournament.id, place.channel_id)
        await update_tournament(tx, tournament.id, now)
        running = {pairing.match_id for pairing in tournament.running}
        for waiting in await tx.deliveries.waiting_matches(left.channel_id):
            if waiting.match_id in running:  # it follows the tournament when it is shown
                await tx.timers.set_for(place.guild_id, Timer(TimerKind.SHOW_MATCH, waiting.match_id, now))


async def start_rematch(tx: Transaction, match: Match, seats: tuple[Player, Player], now: datetime) -> Match:
    """Start a rematch where the match was played."""
    first, *second = await tx.deliveries.homes(match.id)
    if second and seats[0].id != first.player_id:
        first, *second = (*second, first)
    return await start_match(
        tx,
        match.ruleset,
        first.home,
        seats,
        now,
        first.channel_id,
        second_home=(second[0].home, second[0].channel_id) if second else None,
        rated=match.rated,
        control=None if match.clock is None else match.clock.control,
        rematch_of=match.id,
    )


async def _check_destination(tx: Transaction, match: Match, place: Place, player_id: int) -> None:
    if (await tx.deliveries.get(match.id, player_id)).channel_id == place.channel_id:
        raise AlreadyThereError(match)
    if match.apart is None:
        check_place(await tx.settings.server_settings(place.guild_id), place)
    else:
        await check_home(tx, place)


async def _check_limits(tx: Transaction, match: Match, player_id: int, now: datetime) -> None:
    opponent = match.opponent_of(player_id)
    limited, refusal = LimitedAction.PROPOSALS, partial(TooManyProposalsError, other=opponent)
    await check_limit(tx, PROPOSAL_LIMIT, limited, player_id, now, TooManyProposalsError)
    await check_limit(tx, IN_VAIN_LIMIT, limited, player_id, now, refusal, in_vain_to=opponent.id)


async def _get(tx: Transaction, proposal_id: int) -> Proposal:
    proposal = await tx.proposals.get(proposal_id)
    if proposal is None:
        raise UnknownProposalError
    return proposal


async def _load(tx: Transaction, proposal_id: int) -> tuple[Proposal, Match]:
    """The proposal, read after locking its match, and the match."""
    match = await lock_match(tx, (await _get(tx, proposal_id)).match_id)
    return await _get(tx, proposal_id), match
