"""Programs: their tokens, names, challenges and games."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from bot.domain.challenges import Challenge, UnknownChallengeError
from bot.domain.doors import USE_NOTED_AFTER, hashed, new_secret
from bot.domain.matches import Game, UnknownMatchError
from bot.domain.players import (
    MOST_PROGRAMS,
    PROGRAM_IDS,
    Names,
    Player,
    Program,
    TokenError,
    TooManyProgramsError,
    UnknownProgramError,
    read_name,
    titled,
)
from bot.services.matches import Matches
from bot.storage import Storage, Transaction


@dataclass(frozen=True, slots=True)
class ProgramState:
    """A program, its open challenges, and the games in which it can do something."""

    program: Program
    player: Player
    challenges: tuple[Challenge, ...]
    games: tuple[Game, ...]


@dataclass
class Programs:
    storage: Storage
    matches: Matches
    now: Callable[[], datetime]
    chance: random.Random = field(default_factory=random.SystemRandom)

    # For their owners

    async def of(self, owner_id: int) -> list[Program]:
        """The programs of a person, the oldest first."""
        async with self.storage.read() as tx:
            return await tx.programs.of_owner(owner_id)

    async def make(self, owner: Player, typed: str) -> tuple[Program, str]:
        """Make a program with a name; return it with its token."""
        name, token, now = read_name(typed), new_secret(), self.now()
        made = Program(self.chance.choice(PROGRAM_IDS), owner.id, name, hashed(token), 0, now, None)
        async with self.storage.transaction() as tx:
            await tx.players.save(owner)  # this locks the owner, so only one program is made at a time
            if len(await tx.programs.of_owner(owner.id)) >= MOST_PROGRAMS:
                raise TooManyProgramsError(most=MOST_PROGRAMS)
            await tx.players.save(await _player_of(tx, made))
            await tx.programs.add(made)
        return made, token

    async def renew(self, program_id: int, owner_id: int) -> tuple[Program, str]:
        """Replace the token of one of the owner's programs; return the program with the new token."""
        token = new_secret()
        async with self.storage.transaction() as tx:
            program = await _own(tx, program_id, owner_id)
            await tx.programs.set_hash(program_id, hashed(token))
        return program, token

    async def get(self, program_id: int, owner_id: int) -> Program:
        """One of the owner's programs."""
        async with self.storage.read() as tx:
            return await _own(tx, program_id, owner_id)

    # For their opponents

    async def on_server(self, guild_id: int | None) -> list[Player]:
        """The programs that can be challenged on a server: their owners have used the bot there."""
        return [player for _program, player in await self._met_on(guild_id)]

    async def opponent(self, typed: str, guild_id: int | None) -> Player:
        """The program with a number or name on a server. Raises :class:`UnknownProgramError`."""
        for program, player in await self._met_on(guild_id):
            if typed == str(player.id) or typed.casefold() in (player.name.casefold(), program.name.casefold()):
                return player
        raise UnknownProgramError

    async def _met_on(self, guild_id: int | None) -> list[tuple[Program, Player]]:
        async with self.storage.read() as tx:
            found = [] if guild_id is None else await tx.programs.met_on(guild_id)
            return [(program, await _player_of(tx, program, guild_id)) for program in found]

    # For themselves

    async def recognise(self, token: str) -> Program:
        """The program of a token. Raises :class:`TokenError`."""
        now = self.now()
        async with self.storage.read() as tx:
            found = await tx.programs.of_hash(hashed(token))
        if found is None:
            raise TokenError
        if found.used_at is None or now - found.used_at > USE_NOTED_AFTER:
            async with self.storage.transaction() as tx:
                await tx.programs.note_use(found.id, now)
        return found

    async def begin_stream(self, program: Program) -> Program:
        """Begin a stream of a program, which ends the previous one; return the program with the stream's number."""
        async with self.storage.transaction() as tx:
            begun = await tx.programs.begin_stream(program.id, self.now())
        if begun is None or begun.hash != program.hash:
            raise TokenError
        return begun

    async def state(self, known: Program) -> ProgramState:
        """The current state of a program. Raises :class:`TokenError` if its token has changed."""
        async with self.storage.read() as tx:
            program = await tx.programs.get(known.id)
            if program is None or program.hash != known.hash:
                raise TokenError
            player = (await tx.players.by_ids([program.id], None))[program.id]
            challenges = await tx.challenges.open_of(program.id)
            games = await self.matches.games(tx, await tx.matches.open_for(program.id))
        return ProgramState(program, player, tuple(challenges), tuple(games))

    async def challenge(self, challenge_id: int, program_id: int) -> Challenge:
        """A challenge by or to a program. Raises :class:`UnknownChallengeError` for other challenges."""
        async with self.storage.read() as tx:
            found = await tx.challenges.get(challenge_id)
        if found is None or found.opponent is None or program_id not in (found.challenger.id, found.opponent.id):
            raise UnknownChallengeError
        return found

    async def game(self, match_id: int, program_id: int) -> Game:
        """A game of a program. Raises :class:`UnknownMatchError` for other games."""
        game = await self.matches.game(match_id)
        if not game.match.has_player(program_id):
            raise UnknownMatchError
        return game


async def rename_programs(tx: Transaction, owner_id: int) -> None:
    """Rename the programs of a person whose name has changed."""
    for program in await tx.programs.of_owner(owner_id):
        await tx.players.save(await _player_of(tx, program))


async def _own(tx: Transaction, program_id: int, owner_id: int) -> Program:
    program = await tx.programs.get(program_id)
    if program is None or program.owner_id != owner_id:
        raise UnknownProgramError
    return program


async def _player_of(tx: Transaction, program: Program, guild_id: int | None = None) -> Player:
    """A program as a player, named after its owner on a server and outside servers."""
    outside, here = [
        titled(program.name, (await tx.players.by_ids([program.owner_id], server_id))[program.owner_id].name)
        for server_id in (None, guild_id)
    ]
    return Player(program.id, here, Names(outside, "", guild_id, None if guild_id is None else here))
