"""Challenges: making, answering, withdrawing and expiring them, and limits on what players do."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial

import rules
from bot.domain.challenges import (
    FIRST_MATCHES,
    BlockedError,
    Challenge,
    ChallengeClosedError,
    ChallengeState,
    DuplicateChallengeError,
    First,
    SelfChallengeError,
    UnknownChallengeError,
    assign_seats,
    check_place,
    check_roles,
    suggested_terms,
)
from bot.domain.clocks import TimeControl
from bot.domain.competitions.ladders import ANSWER, CONTROL, Loss, NotOnLadderError
from bot.domain.limits import (
    AFTER_DELETION,
    CHALLENGE_LIMIT,
    IN_VAIN_LIMIT,
    Limit,
    LimitedAction,
    RecentlyDeletedError,
    TooManyChallengesError,
)
from bot.domain.matches import Match
from bot.domain.places import Place, Viewer
from bot.domain.players import Player
from bot.domain.refusals import DomainError
from bot.domain.timers import Timer, TimerKind
from bot.services.ladders import attempts_of, lock_ladder, promote, settle_challenge
from bot.services.match_lifecycle import channel_for_match, start_match
from bot.services.scheduling import show_later, update_ladder
from bot.storage import Storage, Transaction
from rules import Position, Ruleset


@dataclass
class Challenges:
    """Challenges. Every method stores all its changes, or raises a ``DomainError``."""

    storage: Storage
    now: Callable[[], datetime]
    lifetime: timedelta
    chance: random.Random = field(default_factory=random.Random)

    async def challenge(
        self,
        place: Place,
        challenger: Player,
        opponent: Player | None,
        ruleset: Ruleset,
        first: First,
        *,
        rated: bool = True,
        control: TimeControl | None = None,
        role_ids: Collection[int] = (),
    ) -> Challenge:
        """Make a challenge; ``role_ids`` are the challenger's roles."""
        if opponent is not None and opponent.id == challenger.id:
            raise SelfChallengeError
        while True:
            async with self.storage.transaction() as tx:
                now = self.now()
                await check_challenger(tx, place, role_ids)
                if opponent is not None:
                    await check_blocks(tx, challenger, opponent)
                made = await make_challenge(
                    tx, place, challenger, opponent, ruleset, first, now, self.lifetime, rated=rated, control=control
                )
                if made is not None:
                    return made

    async def challenge_on_ladder(
        self, ladder_id: int, challenger: Player, opponent_id: int, *, role_ids: Collection[int] = ()
    ) -> Challenge | None:
        """Challenge a player above. None if that player has blocked the challenger, who then gets the rung directly."""
        while True:
            async with self.storage.transaction() as tx:
                now = self.now()
                ladder = await lock_ladder(tx, ladder_id, now)
                attempts = await attempts_of(tx, ladder_id, challenger.id, now)
                ladder.check_challenger(challenger.id, attempts, now)
                rung = ladder.rung(opponent_id)
                if rung is None:
                    raise NotOnLadderError("other")
                ladder.check_challenged(challenger.id, rung, attempts, now)
                check_roles(await tx.settings.server_settings(ladder.place.guild_id), role_ids)
                blocker_id = await tx.privacy.blocker(challenger.id, opponent_id)
                if blocker_id == challenger.id:
                    raise BlockedError("own", player=rung.player)
                await tx.ladders.set_active(ladder_id, challenger.id, now)
                if blocker_id is not None:
                    await promote(tx, ladder, challenger.id, opponent_id, now, Loss.BLOCK)
                    await update_ladder(tx, ladder_id, now)
                    return None
                made = await make_challenge(
                    tx,
                    ladder.place,
                    challenger,
                    rung.player,
                    rules.ruleset(ladder.game.name),
                    First.RANDOM,
                    now,
                    ANSWER,
                    rated=True,
                    control=CONTROL,
                    ladder_id=ladder_id,
                )
                if made is not None:
                    await update_ladder(tx, ladder_id, now)
                    return made

    async def check(self, place: Place, role_ids: Collection[int]) -> None:
        """Raise if the server allows no matches in the place, or requires another role."""
        async with self.storage.read() as tx:
            await check_challenger(tx, place, role_ids)

    async def suggested_terms(self, player_id: int, game: type[Position]) -> tuple[Ruleset, bool]:
        """The ruleset that suits the player in a game, by their past matches, and whether the match is rated."""
        async with self.storage.read() as tx:
            return suggested_terms(game, await tx.searches.count_played(player_id, game.name, most=FIRST_MATCHES))

    async def open_to(self, viewer: Viewer) -> list[Challenge]:
        """The open challenges at the viewer's place that they may accept, the newest first."""
        async with self.storage.read() as tx:
            return await tx.challenges.open_to(viewer, self.now())

    async def accept(self, challenge_id: int, player: Player, *, shown_by_caller: bool = False) -> Match:
        """Accept a challenge and return its match."""
        async with self.storage.transaction(shown_by_caller=shown_by_caller) as tx:
            challenge, now = await _get(tx, challenge_id), self.now()
            challenge.check_accept(player.id, now)
            if challenge.ladder_id is None:  # on a ladder, a block must not prevent the answer
                await check_blocks(tx, player, challenge.challenger)
            else:
                await lock_ladder(tx, challenge.ladder_id, now)  # before the player, as in all transactions
            await tx.players.save(player)
            await _close(tx, challenge, ChallengeState.ACCEPTED, now, player)
            return await start_match(
                tx,
                challenge.ruleset,
                challenge.place,
                assign_seats(challenge.first, challenge.challenger, player, heads=self.chance.random() < 0.5),
                now,
                await channel_for_match(tx, challenge.place),
                rated=challenge.rated,
                control=challenge.control,
                challenge_id=challenge_id,
            )

    async def decline(self, challenge_id: int, player_id: int, *, shown_by_caller: bool = False) -> None:
        async with self.storage.transaction(shown_by_caller=shown_by_caller) as tx:
            challenge, now = await _get(tx, challenge_id), self.now()
            challenge.check_decline(player_id, now)
            await _close(tx, challenge, ChallengeState.DECLINED, now)

    async def withdraw(self, challenge_id: int, player_id: int, *, shown_by_caller: bool = False) -> None:
        async with self.storage.transaction(shown_by_caller=shown_by_caller) as tx:
            await withdraw_challenge(tx, challenge_id, player_id, self.now())

    async def expire(self, challenge_id: int, *, seen: bool = True) -> bool:
        """Close a challenge that has expired; False if it is no longer open.

        On a ladder, silence costs the opponent their rung only if they could have ``seen`` the challenge.
        """
        async with self.storage.transaction() as tx:
            challenge = await tx.challenges.get(challenge_id)
            if challenge is None:
                return False
            return await close_challenge(tx, challenge, ChallengeState.EXPIRED, self.now(), seen=seen)

    async def get(self, challenge_id: int) -> Challenge:
        async with self.storage.read() as tx:
            return await _get(tx, challenge_id)


async def check_challenger(tx: Transaction, place: Place, role_ids: Collection[int]) -> None:
    """Raise if the server allows no matches in the place, or requires another role."""
    settings = await tx.settings.server_settings(place.guild_id)
    check_place(settings, place)
    check_roles(settings, role_ids)


async def check_blocks(tx: Transaction, player: Player, other: Player, *, strangers: bool = False) -> None:
    """Raise if one of the two, perhaps ``strangers``, has blocked the other. Owners count in place of programs."""
    mine, theirs = await person_behind(tx, player), await person_behind(tx, other)
    blocker_id = await tx.privacy.blocker(mine, theirs, strangers=strangers)
    if blocker_id is not None:
        own = "stranger" if strangers else "own"
        raise BlockedError(own if blocker_id == mine else None, player=other)


async def person_behind(tx: Transaction, player: Player) -> int:
    """The person whose blocks count for a player: the owner of a program, or the person themselves."""
    return await tx.programs.owner_of(player.id) if player.is_program else player.id


async def make_challenge(
    tx: Transaction,
    place: Place,
    challenger: Player,
    opponent: Player | None,
    ruleset: Ruleset,
    first: First,
    now: datetime,
    lifetime: timedelta,
    *,
    rated: bool,
    control: TimeControl | None,
    ladder_id: int | None = None,
) -> Challenge | None:
    """Store a challenge within the limits. None if a conflicting challenge has just been closed: try again."""
    await tx.players.save(challenger, opponent)
    await _check_limits(tx, challenger, opponent, now)
    challenge_id = await tx.challenges.add(
        place,
        challenger,
        opponent,
        ruleset,
        first,
        now,
        now + lifetime,
        rated=rated,
        control=control,
        ladder_id=ladder_id,
    )
    if challenge_id is not None:
        challenge = await _get(tx, challenge_id)
        await tx.timers.set(Timer(TimerKind.EXPIRY, challenge_id, challenge.expires_at))
        return challenge
    existing = await tx.challenges.open_between(place, challenger, opponent)
    if existing is not None:
        raise DuplicateChallengeError(existing)
    return None


async def _check_limits(tx: Transaction, challenger: Player, opponent: Player | None, now: datetime) -> None:
    limited, maker = LimitedAction.CHALLENGES, challenger.id
    await check_limit(tx, CHALLENGE_LIMIT, limited, maker, now, TooManyChallengesError)
    if opponent is not None:
        refusal = partial(TooManyChallengesError, other=opponent)
        await check_limit(tx, IN_VAIN_LIMIT, limited, maker, now, refusal, in_vain_to=opponent.id)


async def _get(tx: Transaction, challenge_id: int) -> Challenge:
    challenge = await tx.challenges.get(challenge_id)
    if challenge is None:
        raise UnknownChallengeError
    return challenge


async def withdraw_challenge(tx: Transaction, challenge_id: int, player_id: int, now: datetime) -> Challenge:
    """Withdraw an open challenge of the player; return the challenge as it was."""
    challenge = await _get(tx, challenge_id)
    challenge.check_withdraw(player_id, now)
    await _close(tx, challenge, ChallengeState.WITHDRAWN, now)
    return challenge


async def close_challenge(
    tx: Transaction,
    challenge: Challenge,
    state: ChallengeState,
    now: datetime,
    accepter: Player | None = None,
    *,
    seen: bool = True,
) -> bool:
    """Close an open challenge and apply the effects; False if it is no longer open."""
    ladder = None if challenge.ladder_id is None else await lock_ladder(tx, challenge.ladder_id, now)
    closed = await tx.challenges.close(challenge.id, state, accepter)
    if closed:
        await tx.timers.cancel(challenge.id, TimerKind.EXPIRY)
        await show_later(tx, TimerKind.SHOW_CHALLENGE, challenge.id, challenge.place.guild_id, now)
        if ladder is not None:
            await settle_challenge(tx, replace(challenge, state=state), ladder, now, seen=seen)
    return closed


async def _close(
    tx: Transaction, challenge: Challenge, state: ChallengeState, now: datetime, accepter: Player | None = None
) -> None:
    if not await close_challenge(tx, challenge, state, now, accepter):
        raise ChallengeClosedError((await _get(tx, challenge.id)).state)


async def check_limit(
    tx: Transaction,
    limit: Limit,
    limited: LimitedAction,
    player_id: int,
    now: datetime,
    refusal: Callable[[datetime], DomainError],
    *,
    in_vain_to: int | None = None,
) -> None:
    """Raise the refusal if the player did this too often, or another one if they have just deleted their data."""
    AFTER_DELETION.check(await tx.limits.deletions(player_id), now, RecentlyDeletedError)
    limit.check(await tx.limits.times(limited, player_id, now - limit.span, in_vain_to=in_vain_to), now, refusal)
