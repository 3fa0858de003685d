"""Strangers stay strangers: nothing on Discord or on a page tells one side the other's account, names or server."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, timedelta
from typing import Any

import pytest
from simcord import ChannelHandle, MemberActor
from simcord.backend import serializers

from bot.config import Config
from bot.domain.matches import Ending, Match
from bot.domain.players import Names, Player
from tests.support.discord.club import Club
from tests.support.web.pages import Browser

pytestmark = pytest.mark.usefixtures("undrawn")

URL = "http://127.0.0.1"
#: The display names, which strangers see, and what they must not see.
SHOWN = ("Quillon", "Yarrow")
SECRET_NAMES = (("quill_login_71", "Kestrel Nick"), ("yarrow_login_82", "Nightjar Nick"))
#: A nickname of the second player on the first player's server.
HERE_TOO = "Sparrow Nick"


@pytest.fixture
def config(database_url: str) -> Config:
    return Config.model_construct(database_url=database_url, web_url=URL)


@dataclass
class Side:
    """A player at home, with another member of the server."""

    player: MemberActor
    friend: MemberActor
    room: ChannelHandle
    guild_id: int
    secrets: tuple[str, ...]


@dataclass
class Meeting:
    """Two strangers, and everything that has been shown to each side besides messages."""

    club: Club
    sides: tuple[Side, Side]
    match: Match
    extra: tuple[list[str], list[str]]

    def side_of(self, player_id: int) -> int:
        return int(player_id == self.sides[1].player.id)

    async def to_act(self) -> int:
        awaited = (await self.club.app.matches.game(self.match.id)).to_act
        assert awaited is not None
        return self.side_of(awaited.id)

    async def play(self, *turns: str) -> None:
        for turn in turns:
            side = self.sides[await self.to_act()]
            await self.club.slash(side.player, "move", where=side.room, turn=turn, match=str(self.match.id))
            await self.club.env.advance_time(2)

    def seen_by(self, number: int) -> str:
        """All messages on a side, private and earlier ones, too, with the ids in them and their text files."""
        side, backend, seen = self.sides[number], self.club.env.backend, [*self.extra[number]]
        for channel_id, messages in list(backend.messages.items()):
            channel = backend.channels[channel_id]
            if getattr(channel, "guild_id", None) != side.guild_id and channel_id != side.player.user.dm_channel.id:
                continue
            seen.append(str(getattr(channel, "name", "")))
            seen += [
                json.dumps(sent.json, ensure_ascii=False)
                for sent in self.club.requests("P.*", f"/channels/{channel_id}/.*")
            ]
            for message in messages.values():
                seen.append(json.dumps(serializers.message_payload(backend, message), ensure_ascii=False))
                files = [backend.cdn.get(file["url"]) for file in message.attachments]
                seen += [data.decode(errors="replace") for data in files if data is not None]
        return "\n".join(seen)

    def check(self) -> None:
        for number in (0, 1):
            seen = self.seen_by(number)
            assert SHOWN[1 - number] in seen
            for secret in self.sides[1 - number].secrets:
                place = seen.find(secret)
                assert place < 0, f"side {number} sees {secret}: {seen[max(0, place - 300) : place + 100]}"


async def _side(club: Club, guild: Any, room: ChannelHandle, number: int, friend: MemberActor) -> Side:
    login, nick = SECRET_NAMES[number]
    player = guild.add_member(club.env.create_user(login, global_name=SHOWN[number]), nick=nick)
    secrets = (str(player.id), login, nick, guild.name, str(room.name), str(guild.id), str(room.id))
    return Side(player, friend, room, guild.id, secrets)


@pytest.fixture
async def meeting(club: Club) -> Meeting:
    """Two people from two servers meet. The second one has also been on the first one's server."""
    first_guild, second_guild = (club.env.create_guild(name) for name in ("Amber Citadel", "Zinnia Harbour"))
    rooms = first_guild.create_text_channel("amber-hall"), second_guild.create_text_channel("zinnia-hall")
    friends = first_guild.add_member(club.alice.user), second_guild.add_member(club.bob.user)
    sides = (
        await _side(club, first_guild, rooms[0], 0, friends[0]),
        await _side(club, second_guild, rooms[1], 1, friends[1]),
    )
    sides[1].secrets += (HERE_TOO,)
    await club.env.settle()
    account = Names(SHOWN[1], SECRET_NAMES[1][0], first_guild.id, HERE_TOO)
    async with club.app.storage.transaction() as tx:
        await tx.players.save(Player(sides[1].player.id, HERE_TOO, account))
    for side in sides:
        lobby = (await club.slash(side.player, "play", where=side.room)).private_handle
        await club.press_all(side.player, "Play anyone", "Find me opponents", on=lobby)
    await club.env.advance_time(2)
    match = await club.newest_match()
    assert match.apart is not None
    return Meeting(club, sides, match, ([], []))


async def look_around(meeting: Meeting) -> None:
    """Use what shows matches and people, as a player and as somebody who watches, on both sides."""
    club, number = meeting.club, str(meeting.match.id)
    for mine, side in enumerate(meeting.sides):
        for who in (side.player, side.friend):
            for command, options in (
                ("board", {"match": number}),
                ("board", {"match": number, "overlay": "groups"}),
                ("games", {"player": side.player}),
                ("history", {"player": side.player}),
                ("profile", {"player": side.player}),
                ("leaderboard", {"scope": "friends"}),
                ("play", {}),
            ):
                await club.slash(who, command, where=side.room, **options)
            await club.open(who, "replay", "Download", where=side.room, match=number)
            for command in ("replay", "board"):
                offered = await club.offers(who, "", command=command, option="match", where=side.room)
                meeting.extra[mine].append(json.dumps(offered, ensure_ascii=False))
            await club.env.advance_time(90)


async def test_nobody_can_find_out_whose_account_a_stranger_has(meeting: Meeting) -> None:
    club = meeting.club
    await meeting.play("e5", "light", "d4", "a1")
    for over in (False, True):
        for mine, side in enumerate(meeting.sides):
            guessed = meeting.sides[1 - mine].player.user
            for who in (side.player, side.friend):
                for command, role in (("games", "player"), ("history", "player"), ("history", "opponent")):
                    options: dict[str, Any] = {role: guessed}
                    answer = await club.slash(who, command, where=side.room, **options)
                    assert f"#{meeting.match.id}" not in answer.private, f"/{command} confirms the guess"
                profile = (await club.slash(who, "profile", where=side.room, player=guessed)).private
                assert "Against you" not in profile
                assert SHOWN[mine] not in profile
        if not over:
            await club.app.matches.resign(meeting.match.id, meeting.sides[0].player.id)
            await club.env.advance_time(90)


async def test_a_whole_match_names_neither_account_nor_server(meeting: Meeting) -> None:
    club = meeting.club
    await meeting.play("e5", "light", "d4")
    meeting.check()
    await look_around(meeting)
    for mover in meeting.sides:
        await club.press(mover.player, "Take back", on=await more(meeting, mover))
        await club.env.advance_time(2)
    await meeting.play("e4")
    for mover, label in zip(meeting.sides, ("Call it off", "Agree to call it off"), strict=True):
        question = await club.press_all(mover.player, "Resign…", on=await more(meeting, mover))
        await club.press(mover.player, label, on=question)
        await club.env.advance_time(2)
    assert (await club.app.matches.match(meeting.match.id)).result is not None
    meeting.check()


async def more(meeting: Meeting, side: Side) -> Any:
    """The menu of the match."""
    club = meeting.club
    cards = [card for card in club.messages(side.room) if "More…" in club.seen(card).labels]
    return (await club.press(side.player, "More…", on=cards[-1])).private_handle


async def test_the_end_a_rematch_and_a_block_name_nobody(meeting: Meeting) -> None:
    club, (first, second) = meeting.club, meeting.sides
    await meeting.play("e5", "light", "d4", "a1")
    await club.app.matches.resign(meeting.match.id, first.player.id)
    await club.env.advance_time(2)
    await club.press(first.player, "Rematch", on=club.last_card(first.room))
    await club.env.advance_time(2)
    await club.press(second.player, "Accept", on=club.last_card(second.room))
    await club.env.advance_time(2)
    again = await club.newest_match()
    assert again.rematch_of == meeting.match.id
    await look_around(meeting)
    await club.app.privacy.block_stranger(Player(first.player.id, SHOWN[0]), second.player.id)
    privacy = await club.open(first.player, "settings", "Privacy", where=first.room)
    data = (await club.press(first.player, "Get my data", on=privacy)).messages[0]
    meeting.extra[0].append(club.download(data.files[0]))
    meeting.check()


async def test_digests_reminders_and_the_end_of_time_name_nobody(meeting: Meeting) -> None:
    club = meeting.club
    for side in meeting.sides:
        at = club.env.now() + timedelta(hours=1)
        await club.app.reminders.change_times(
            Player(side.player.id, SHOWN[meeting.side_of(side.player.id)]),
            time_zone=UTC,
            quiet=None,
            digest_at=at.hour * 60 + at.minute,
            language="en",
        )
    await meeting.play("e5", "light", "d4")
    await club.env.advance_time(3700)
    assert club.direct_messages(meeting.sides[await meeting.to_act()].player)
    ended = await club.app.matches.match(meeting.match.id)
    while ended.result is None:
        await club.env.advance_time(86_400)
        ended = await club.app.matches.match(meeting.match.id)
    assert ended.result.ending is Ending.TIME
    meeting.check()


async def test_the_page_of_the_match_names_neither_account_nor_server(meeting: Meeting, browser: Browser) -> None:
    club = meeting.club
    await meeting.play("e5", "light", "d4")
    path = f"/m/{await club.app.doors.key(meeting.match.id)}"
    for part in ("", "/record.txt", "?ply=1"):
        page = await browser.get(path + part)
        assert page.status == 200, part
        for number in (0, 1):
            assert SHOWN[number] in page.html
            for secret in meeting.sides[number].secrets:
                assert secret not in page.html, f"the page tells {secret}"
    side = meeting.sides[await meeting.to_act()]
    other = meeting.sides[1 - meeting.side_of(side.player.id)]
    answer = await club.press(side.player, "Tap the board", on=club.last_card(side.room))
    mine = await browser.post(answer.messages[0].buttons["Tap the board"].removeprefix(URL))
    for page in (mine, await browser.get("/"), await browser.get(f"{path}/try")):
        assert page.status == 200
        for secret in other.secrets:
            assert secret not in page.html, f"a player's page tells {secret}"
