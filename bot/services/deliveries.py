"""Deliveries: the channels of matches, and what cards show."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime

from bot.domain.challenges import Challenge, UnknownChallengeError
from bot.domain.competitions.cross_tables import CrossTables, cross_tables
from bot.domain.competitions.ladders import Ladder, LostRung, UnknownLadderError
from bot.domain.competitions.tournaments import UnknownTournamentError
from bot.domain.deliveries import CardKey, CardState, MatchDelivery, PostedMessage, ReplacedMessage
from bot.domain.matches import Match, Proposal, ProposalKind, UnknownMatchError
from bot.domain.places import Place
from bot.domain.players import Player
from bot.domain.preferences import BoardCards, ServerSettings
from bot.domain.proposals import UnknownProposalError
from bot.domain.timers import Timer, TimerKind
from bot.services.match_lifecycle import channel_for_match, let_go_on, move_home, note_loss, pause_match, start_clock
from bot.services.matches import lock_match
from bot.services.scheduling import update_tournament
from bot.storage import Storage, Transaction


@dataclass(frozen=True, slots=True)
class ChallengeView:
    """The contents of a challenge's card, and its state; ``match`` is set once the match has started."""

    challenge: Challenge
    state: CardState
    match: tuple[Match, MatchDelivery] | None


@dataclass(frozen=True, slots=True)
class ProposalView:
    """The contents of a proposal's card, and its state."""

    proposal: Proposal
    match: Match
    delivery: MatchDelivery
    settings: ServerSettings
    state: CardState
    rematch: tuple[Match, MatchDelivery] | None


@dataclass(frozen=True, slots=True)
class LadderView:
    """The contents of a ladder's card, and its state; the players of ``lost`` rungs have not been told."""

    ladder: Ladder
    state: CardState
    lost: tuple[LostRung, ...]


@dataclass(frozen=True, slots=True)
class TournamentView:
    """The contents of a tournament's card, and its state."""

    tables: CrossTables
    state: CardState


@dataclass
class Deliveries:
    """The messages that show matches, challenges, ladders, proposals and tournaments, and their channels.

    A view is read from one state of the database. Otherwise, after a change between two of its queries, the contents
    and the version might not match: the change would be shown twice, or never.
    """

    storage: Storage
    now: Callable[[], datetime]

    async def get(self, match_id: int, player_id: int | None = None) -> MatchDelivery:
        """The delivery of a match in its common home, or in the home of that player."""
        found = await self.get_all([match_id], player_id)
        if match_id not in found:
            raise UnknownMatchError
        return found[match_id]

    async def get_all(self, match_ids: Collection[int], player_id: int | None = None) -> dict[int, MatchDelivery]:
        """The deliveries of these matches in their common homes or those of the player, by match."""
        async with self.storage.read() as tx:
            return await tx.deliveries.get_all(match_ids, player_id)

    async def homes(self, match_id: int) -> list[MatchDelivery]:
        """The deliveries of a match in all its homes, by seat."""
        async with self.storage.read() as tx:
            return await tx.deliveries.homes(match_id)

    async def of_card(self, key: CardKey) -> tuple[Match, MatchDelivery]:
        """A match as it is shown in a home, and its delivery there."""
        async with self.storage.read() as tx:
            return await _of_card(tx, key)

    async def challenge_view(self, challenge_id: int) -> ChallengeView:
        async with self.storage.snapshot() as tx:
            state = await tx.deliveries.challenge(challenge_id)
            challenge = await tx.challenges.get(challenge_id)
            if challenge is None:
                raise UnknownChallengeError
            match_id = challenge.match_id
            started = None if match_id is None else await _of_card(tx, CardKey(match_id))
        return ChallengeView(challenge, state, started)

    async def proposal_view(self, proposal_id: int) -> ProposalView:
        async with self.storage.snapshot() as tx:
            state = await tx.deliveries.proposal(proposal_id)
            proposal = await tx.proposals.get(proposal_id)
            if proposal is None:
                raise UnknownProposalError
            homes = await tx.deliveries.homes(proposal.match_id)
            # Strangers' proposals are shown to the player who answers them.
            shown = next(home for home in homes if home.player_id is None or home.player_id != proposal.proposer.id)
            match, delivery = await _of_card(tx, shown.key)
            rematch_id = match.rematch_id if proposal.kind is ProposalKind.REMATCH else None
            rematch = None if rematch_id is None else await _rematch_of(tx, rematch_id, shown.player_id)
            settings = await tx.settings.server_settings(delivery.home.guild_id)
        return ProposalView(proposal, match, delivery, settings, state, rematch)

    async def ladder_view(self, ladder_id: int) -> LadderView:
        async with self.storage.snapshot() as tx:
            state, lost = await tx.deliveries.ladder(ladder_id), await tx.ladders.lost(ladder_id)
            ladder = await tx.ladders.get(ladder_id, self.now())
            if ladder is None:
                raise UnknownLadderError
        return LadderView(ladder, state, tuple(lost))

    async def tournament_view(self, tournament_id: int) -> TournamentView:
        async with self.storage.snapshot() as tx:
            state = await tx.deliveries.tournament(tournament_id)
            tournament = await tx.tournaments.get(tournament_id)
            if tournament is None:
                raise UnknownTournamentError
        return TournamentView(cross_tables(tournament), state)

    async def unshown_proposals(self, match_id: int) -> list[int]:
        """The proposals of a match whose cards are outdated."""
        async with self.storage.read() as tx:
            return (await tx.deliveries.with_proposals(CardKey(match_id)))[1]

    async def ladder(self, ladder_id: int) -> CardState:
        async with self.storage.read() as tx:
            return await tx.deliveries.ladder(ladder_id)

    async def set_ladder(self, ladder_id: int, card: PostedMessage) -> None:
        async with self.storage.transaction() as tx:
            await tx.deliveries.set_ladder(ladder_id, card)

    async def set_board(
        self,
        key: CardKey,
        card: PostedMessage,
        ping_id: int | None,
        *,
        seen: int | None,
        replaced: Collection[ReplacedMessage],
        timers: Collection[Timer],
        newcomer: tuple[Player, str] | None,
        retired: Collection[int] = (),
        lapsed: Collection[int] = (),
    ) -> bool:
        """Store the messages that show a match, and the messages that they replace.

        Return False if another process has shown the match since the version ``seen``. ``timers`` are for delayed
        pings. The ``newcomer`` now knows the game. The cards in ``retired`` have lost their buttons, and the cards of
        the proposals in ``lapsed`` show that these have lapsed.
        """
        async with self.storage.transaction() as tx:
            await _note_retired(tx, retired, lapsed)
            await tx.timers.set(*timers)
            noted = await tx.deliveries.set_message(key, card, ping_id, seen=seen, replaced=replaced)
            if newcomer is not None:
                await tx.settings.mark_known(newcomer[0].id, newcomer[1])
            return noted

    async def add_replaced(self, messages: Collection[ReplacedMessage]) -> None:
        """Store replaced messages that are to be retired."""
        async with self.storage.transaction() as tx:
            await tx.deliveries.add_replaced(messages)

    async def note_retired(self, retired: Collection[int], lapsed: Collection[int]) -> None:
        """Store that these cards have lost their buttons, and that these proposals' cards show that they lapsed."""
        async with self.storage.transaction() as tx:
            await _note_retired(tx, retired, lapsed)

    async def set_challenge(self, challenge_id: int, version: int, card: PostedMessage | None) -> None:
        """Store the message that shows that version of a challenge; None if no message is needed."""
        async with self.storage.transaction() as tx:
            await tx.deliveries.set_challenge(challenge_id, version, card)

    async def set_proposal(self, proposal_id: int, card: PostedMessage) -> bool:
        """Store the message that shows a proposal; return whether it shows the latest version."""
        async with self.storage.transaction() as tx:
            await tx.deliveries.set_proposal(proposal_id, card)
            return not (await tx.deliveries.proposal(proposal_id)).outdated

    async def set_tournament(self, tournament_id: int, card: PostedMessage) -> None:
        async with self.storage.transaction() as tx:
            await tx.deliveries.set_tournament(tournament_id, card)

    async def ping_later(self, timers: Collection[Timer]) -> None:
        """Set the timers of pings that wait for the end of quiet hours."""
        async with self.storage.transaction() as tx:
            await tx.timers.set(*timers)

    async def hand_over(self, kind: TimerKind, subject_id: int, place: Place) -> bool:
        """Let the process that holds a place's shard show something; False if this process holds it."""
        if place.guild_id is None or self.storage.shards.holds(place.guild_id):
            return False  # outside servers, only responses to interactions reach people
        async with self.storage.transaction() as tx:
            await tx.timers.set_for(place.guild_id, Timer(kind, subject_id, self.now()))
        return True

    async def assign_channel(self, key: CardKey, channel_id: int) -> bool:
        """Give a waiting match its channel and start its clock; False if another match occupies the channel."""
        async with self.storage.transaction() as tx:
            await lock_match(tx, key.match_id)  # another process may give the other home its channel
            homes = await tx.deliveries.homes(key.match_id)
            home = homes[key.seat].home
            assigned = await tx.deliveries.assign_channel(key, channel_id, shared=home.direct)
            if assigned and all(other.channel_id is not None for other in homes if other.key != key):
                await let_go_on(tx, key.match_id, home.guild_id, self.now())
            return assigned

    async def move_home(self, key: CardKey, place: Place) -> bool:
        """Move a home of a running match; False if it has to wait for a channel there."""
        async with self.storage.transaction() as tx:
            match, now = await lock_match(tx, key.match_id), self.now()
            if match.result is not None:
                return False
            await tx.timers.set_for(place.guild_id, Timer(TimerKind.SHOW_MATCH, key.subject, now))
            return await move_home(tx, match, key, place, now)

    async def assign_to_waiting(self, channel_id: int) -> CardKey | None:
        """Give a free channel to the match that has waited for it longest; return its key, None without one."""
        async with self.storage.read() as tx:
            waiting = await tx.deliveries.waiting_matches(channel_id)
        return waiting[0] if waiting and await self.assign_channel(waiting[0], channel_id) else None

    async def is_free(self, channel_id: int) -> bool:
        """Whether no match is played in the channel."""
        async with self.storage.read() as tx:
            return await tx.deliveries.is_free(channel_id)

    async def begin(self, match_id: int) -> None:
        """Start the time of a match again, because its first card is about to be shown."""
        async with self.storage.transaction() as tx:
            match = await lock_match(tx, match_id)
            if match.result is None and not (match.shown or match.waiting):
                await start_clock(tx, match_id, self.now(), again=True)

    async def release_channel(self, key: CardKey, channel_id: int, *, unnoticed: bool = False) -> None:
        """Let a running match wait, because its channel cannot show it, and stop its clock.

        If the channel may have been gone ``unnoticed`` for a while, the player to act gets the time since the last turn
        back. The card of its tournament is lost with the channel, so it is shown again.
        """
        async with self.storage.transaction() as tx:
            match, now = await lock_match(tx, key.match_id), self.now()
            if match.apart is not None:
                await note_loss(tx, match, key, now)
            if await tx.deliveries.release_channel(key, channel_id):
                await pause_match(tx, match, now, unnoticed=unnoticed)
                if match.tournament is not None:
                    await update_tournament(tx, match.tournament.id, now)

    async def follow_tournament(self, match_id: int) -> MatchDelivery | None:
        """Move the home of a waiting match to its tournament's channel; None if it is there, or in no tournament."""
        async with self.storage.transaction() as tx:
            match = await lock_match(tx, match_id)
            if match.tournament is None or not match.waiting:
                return None
            tournament, home = await tx.tournaments.get(match.tournament.id), (await tx.deliveries.get(match_id)).home
            if tournament is None or tournament.place.channel_id == home.channel_id:
                return None
            await tx.deliveries.move(CardKey(match_id), tournament.place, to_thread=True)
            return await tx.deliveries.get(match_id)

    async def running_in(self, channel_id: int) -> list[CardKey]:
        """The running matches whose home is a channel."""
        async with self.storage.read() as tx:
            return await tx.deliveries.running_in(channel_id)

    async def leave_server(self, guild_id: int) -> list[CardKey]:
        """Let all matches of a server that the bot has left wait; return the cards of strangers, who can go on."""
        async with self.storage.read() as tx:
            played = await tx.deliveries.played_on(guild_id)
        for key, channel_id, _ in played:
            await self.release_channel(key, channel_id)
        return [key for key, _, strangers in played if strangers]

    async def note_told(self, subject: str, channel_id: int) -> bool:
        """Store that people have been told about a channel that is gone; False if this was stored before."""
        async with self.storage.transaction() as tx:
            return await tx.key_values.add(f"gone-{subject}-{channel_id}", self.now().isoformat())

    async def request(self, key: CardKey) -> None:
        """Request another card of the match."""
        async with self.storage.transaction() as tx:
            await tx.deliveries.request(key)

    async def choose_board_cards(self, key: CardKey, chosen: BoardCards) -> None:
        """Choose the kind of a match's cards from its next turn on; the caller has checked the permission."""
        async with self.storage.transaction() as tx:
            await tx.deliveries.choose_board_cards(key, chosen)

    async def wants_thread(self, place: Place) -> bool:
        """Whether the server of a place plays only in threads."""
        async with self.storage.read() as tx:
            return await channel_for_match(tx, place) is None


async def _of_card(tx: Transaction, key: CardKey) -> tuple[Match, MatchDelivery]:
    found = await tx.matches.with_homes(key.match_id)
    if found is None:
        raise UnknownMatchError
    match, homes = found
    return match.seen_from(homes[key.seat]), homes[key.seat]


async def _rematch_of(tx: Transaction, rematch_id: int, player_id: int | None) -> tuple[Match, MatchDelivery]:
    """A rematch as the player sees it, or as everybody does."""
    return await _of_card(tx, (await tx.deliveries.get(rematch_id, player_id)).key)


async def _note_retired(tx: Transaction, retired: Collection[int], lapsed: Collection[int]) -> None:
    if retired:
        await tx.deliveries.remove_replaced(retired)
    if lapsed:
        await tx.deliveries.note_lapsed(lapsed)
