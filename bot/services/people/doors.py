"""The doors to the pages of matches: keys to watch, tokens to enter, and sessions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from bot.domain.deliveries import MatchDelivery
from bot.domain.doors import (
    ACTIVITY_LIFETIME,
    MOST_SESSIONS,
    SESSION_LIFETIME,
    TOKEN_LIFETIME,
    USE_NOTED_AFTER,
    Invitation,
    Session,
    UnusableTokenError,
    hashed,
    match_key,
    match_of_key,
    new_secret,
)
from bot.domain.matches import UnknownMatchError
from bot.domain.players import Player
from bot.storage import Storage, Transaction

#: The name of the stored secret from which keys are derived.
_SECRET = "web-secret"


@dataclass
class Doors:
    """Access to the pages: keys, tokens and sessions.

    ``url`` is the public address of the pages; None without pages. ``activity`` is the id of the Discord application
    whose Activity shows the pages; None without one.
    """

    storage: Storage
    url: str | None
    now: Callable[[], datetime]
    activity: str | None = None

    def __post_init__(self) -> None:
        self._secret = ""

    async def key(self, match_id: int) -> str:
        """The key with which everybody may watch a match."""
        return match_key(await self._key_secret(), match_id)

    async def watch_url(self, match_id: int) -> str | None:
        """The address at which everybody may watch a match; None without pages."""
        return None if self.url is None else f"{self.url}/m/{await self.key(match_id)}"

    async def match_of(self, key: str) -> int:
        """The match of a key. Raises :class:`UnknownMatchError` if the key is wrong."""
        match_id = match_of_key(await self._key_secret(), key)
        if match_id is None:
            raise UnknownMatchError
        return match_id

    async def invite(self, player: Player, match_id: int | None = None) -> str:
        """A token with which a player can sign in once, within ten minutes."""
        token, now = new_secret(), self.now()
        async with self.storage.transaction() as tx:
            await tx.players.save(player)
            await _delete_old(tx, now)
            await tx.doors.add_token(hashed(token), player.id, match_id, now + TOKEN_LIFETIME)
        return token

    async def login_url(self, player: Player, match_id: int) -> str:
        """The address at which a player signs in at the board of a match, once and within ten minutes."""
        return f"{self.url}/in/{await self.invite(player, match_id)}"

    async def activity_url(self, match_id: int) -> str | None:
        """The address at which Discord shows the page of a match as an Activity; None without an Activity."""
        if self.activity is None:
            return None
        return f"https://discord.com/activities/{self.activity}?custom_id={await self.key(match_id)}"

    def card_url(self, delivery: MatchDelivery) -> str | None:
        """The address at which Discord shows the card of a match; None until it is posted."""
        return None if delivery.message is None else delivery.message.address(delivery.home.guild_id)

    async def invitation(self, token: str) -> Invitation:
        """The invitation of a token. Raises :class:`UnusableTokenError`."""
        async with self.storage.read() as tx:
            return await _invitation(tx, await tx.doors.token(hashed(token), self.now()))

    async def enter(self, token: str) -> tuple[str, Invitation]:
        """Use up a token and begin a session; return its secret and the invitation.

        Raises :class:`UnusableTokenError`.
        """
        secret, now = new_secret(), self.now()
        async with self.storage.transaction() as tx:
            invitation = await _invitation(tx, await tx.doors.use_token(hashed(token), now))
            await tx.doors.add_session(hashed(secret), invitation.player.id, now, MOST_SESSIONS)
        return secret, invitation

    async def admit(self, player: Player) -> str:
        """Begin a session in an Activity, for a player whom Discord has identified; return its secret."""
        secret, now = new_secret(), self.now()
        async with self.storage.transaction() as tx:
            await tx.players.save(player)
            await _delete_old(tx, now)
            await tx.doors.add_session(hashed(secret), player.id, now, MOST_SESSIONS, in_activity=True)
        return secret

    async def session(self, secret: str, *, in_activity: bool = False) -> Session | None:
        """The session with a secret; None if it has ended or is of the other kind."""
        now = self.now()
        async with self.storage.read() as tx:
            found = await tx.doors.session(hashed(secret))
        if found is None or found.in_activity is not in_activity or found.has_ended(now):
            return None
        if now - found.used_at > USE_NOTED_AFTER:
            async with self.storage.transaction() as tx:
                await tx.doors.note_use(found.id, now)
        return found

    async def player(self, player_id: int) -> Player | None:
        """The player of a session; None if they have just deleted their data."""
        async with self.storage.read() as tx:
            return (await tx.players.by_ids([player_id], None)).get(player_id)

    async def sessions(self, player_id: int) -> list[Session]:
        """The player's sessions, the most recently used first."""
        async with self.storage.read() as tx:
            found = await tx.doors.sessions(player_id)
        return [session for session in found if not session.has_ended(self.now())]

    async def leave(self, secret: str) -> None:
        """End a session."""
        async with self.storage.transaction() as tx:
            await tx.doors.end_session(hashed(secret))

    async def end_sessions(self, player_id: int) -> int:
        """End all sessions of a player; return their number."""
        async with self.storage.transaction() as tx:
            return await tx.doors.end_sessions(player_id)

    async def _key_secret(self) -> str:
        if not self._secret:
            async with self.storage.transaction() as tx:
                await tx.key_values.add(_SECRET, new_secret())
                self._secret = await tx.key_values.get(_SECRET) or ""
        return self._secret


async def _delete_old(tx: Transaction, now: datetime) -> None:
    await tx.doors.delete_old(now, now - SESSION_LIFETIME, now - ACTIVITY_LIFETIME)


async def _invitation(tx: Transaction, found: tuple[int, int | None] | None) -> Invitation:
    if found is None:
        raise UnusableTokenError
    player_id, match_id = found
    named = await tx.players.by_ids([player_id], None)
    return Invitation(named[player_id], match_id)
