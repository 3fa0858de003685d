"""Names: nicknames stay on their server, and players choose their name elsewhere."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

from simcord import ChannelHandle, MemberActor
from sqlalchemy import event, select

from bot.domain.players import Names, Player
from bot.domain.preferences import Outside
from bot.services.people.privacy import CHALLENGE_RETENTION
from bot.storage.tables import challenges, nicknames, players
from tests.support.discord.club import Answer, Club
from tests.support.services.matches import PLAYED, play_turn

FULL_NAME = "Zoe Zwick 9b"


async def elsewhere(club: Club, *people: MemberActor) -> tuple[ChannelHandle, list[MemberActor]]:
    """Create another server with some of the people, who have no nicknames there."""
    guild = club.env.create_guild("Other club")
    room = guild.create_text_channel("games")
    members = [guild.add_member(who.user) for who in people]
    await club.env.settle()
    return room, members


def pupil(club: Club) -> MemberActor:
    """A member whose nickname on this server says more than the account does."""
    return club.guild.add_member(club.env.create_user("zed", global_name="Zed"), nick=FULL_NAME)


async def finished(club: Club, one: MemberActor, other: MemberActor) -> None:
    await club.match(one, other, turns=PLAYED)
    await club.resign(other)


async def outside(club: Club, who: MemberActor, value: Outside) -> None:
    panel = await club.open(who, "settings")
    assert (await club.choose_in(who, "my-outside", value.value, on=panel)).nothing
    menus = [options for menu, options in club.seen(panel).menus.items() if "my-outside" in menu]
    assert set(menus[0]) == set(Outside)


def text_of(answer: Answer) -> str:
    """The texts, menus and descriptions of pictures in an answer."""
    (only,) = answer.messages
    labels = [label for options in only.menus.values() for label in options.values()]
    return "\n".join([only.text, *only.descriptions, *labels])


async def everywhere(club: Club, who: MemberActor, room: ChannelHandle, **options: Any) -> str:
    return text_of(await club.slash(who, "leaderboard", where=room, scope="everywhere", **options))


async def test_a_nickname_stays_on_its_server(club: Club) -> None:
    await finished(club, pupil(club), club.alice)
    assert FULL_NAME in club.card().text
    assert FULL_NAME in text_of(await club.slash(club.bob, "leaderboard"))
    room, (alice, bob) = await elsewhere(club, club.alice, club.bob)
    shown = await everywhere(club, bob, room)
    assert "Zed" in shown
    for command in ("history", "profile", "replay"):
        options = {"match": "1"} if command == "replay" else {}
        answer = text_of(await club.slash(alice, command, where=room, **options))
        assert "Zed" in answer, command
        assert FULL_NAME not in shown + answer, command
    offered = await club.offers(alice, "", command="replay", option="match", where=room)
    assert any("Zed" in each["name"] for each in offered)
    assert FULL_NAME not in str(offered)
    await club.open(alice, "replay", "Share", where=room, match="1")
    public = "\n".join(str(club.seen(each)) for each in club.messages(room))
    assert "Zed" in public
    assert FULL_NAME not in public


async def test_a_turn_on_another_server_offers_a_match_without_the_nickname(club: Club) -> None:
    await club.match(pupil(club), club.alice, turns=["e5"])
    room, (alice, bob) = await elsewhere(club, club.alice, club.bob)
    await club.slash(alice, "challenge", where=room, game="dalen", opponent=bob, first="challenger")
    await club.press(bob, "Accept", on=club.last_message(room))
    offered = text_of(await club.slash(alice, "move", where=room, turn="e5"))
    assert "against Zed" in offered
    assert FULL_NAME not in offered


async def test_a_nickname_given_elsewhere_renames_nobody_here(club: Club) -> None:
    await finished(club, club.alice, club.bob)
    guild = club.env.create_guild("Other club")
    room = guild.create_text_channel("games")
    alice = guild.add_member(club.alice.user, nick="Loser")
    carol = guild.add_member(club.carol.user)
    await club.env.settle()
    await club.slash(alice, "challenge", where=room, game="dalen", opponent=carol)
    assert "Loser" in "\n".join(club.seen(each).text for each in club.messages(room))
    here = text_of(await club.slash(club.bob, "leaderboard"))
    assert "Alice" in here
    assert "Loser" not in here
    assert "Loser" not in text_of(await club.slash(club.bob, "leaderboard", scope="everywhere"))
    assert "Alice vs Bob" in (await club.slash(club.carol, "replay", match="1")).private


async def test_people_choose_how_they_appear_elsewhere(club: Club) -> None:
    zed = pupil(club)
    await finished(club, zed, club.alice)
    room, (alice,) = await elsewhere(club, club.alice)
    for value, name in ((Outside.USERNAME, "zed"), (Outside.HIDDEN, "Anonymous player"), (Outside.ACCOUNT, "Zed")):
        await outside(club, zed, value)
        shown = [await everywhere(club, alice, room), text_of(await club.slash(alice, "history", where=room))]
        for text in shown:
            assert name in text
            assert FULL_NAME not in text
            assert ("Zed" in text) is (value is Outside.ACCOUNT)
        assert FULL_NAME in text_of(await club.slash(club.bob, "leaderboard")), "here everybody knows them"
        assert FULL_NAME in text_of(await club.slash(club.bob, "leaderboard", scope="everywhere"))


async def test_in_a_conversation_players_have_the_names_of_their_accounts(club: Club) -> None:
    zed = pupil(club)
    await outside(club, zed, Outside.HIDDEN)
    talk = club.conversation(zed, club.bob)
    await club.whisper(zed, "challenge", game="dalen", opponent=club.bob)
    assert any("Zed challenges Bob" in card.text for card in club.cards(talk))


async def test_a_turn_updates_names_at_no_cost_if_nothing_changed(club: Club) -> None:
    zed = pupil(club)
    await club.match(zed, club.alice)
    matches, statements = club.app.matches, list[str]()
    engine = club.app.database.engine.sync_engine
    event.listen(engine, "before_cursor_execute", lambda _connection, _cursor, text, *_: statements.append(text))

    async def play(names: Names | None) -> int:
        """Count the statements of the player's next turn."""
        while (game := await matches.game(1)).to_act != game.match.player(zed.id):
            await play_turn(matches, 1, club.alice.id, game.position.legal_turns[0], to_show=True)
        seen = game.match.player(zed.id) if names is None else Player(zed.id, "", names)
        statements.clear()
        await matches.play_and_view(game, game.position.draft(game.position.legal_turns[0]), seen)
        return len([each for each in statements if not each.startswith("BEGIN")])

    await play(None)
    usual = await play(None)
    as_known = Names("Zed", "zed", club.guild.id, FULL_NAME)
    assert await play(as_known) == usual
    assert await play(replace(as_known, guild_id=1, nickname="Loser")) == usual
    changes: tuple[dict[str, Any], ...] = ({"nickname": None}, {"account": "Zedd"}, {"username": "z"})
    renamed = as_known
    for change in changes:
        renamed = replace(as_known, **change)
        assert await play(renamed) > usual
        assert await play(renamed) == usual
    assert (await matches.match(1)).player(zed.id).names == renamed


async def test_a_new_nickname_is_shown_with_the_next_turn(club: Club) -> None:
    await club.match(turns=("e5",))
    club.env.backend.edit_member(club.guild.id, club.bob.id, {"nick": "Bobby"})
    await club.move(club.bob, "light")
    assert "Bobby" in club.card().text


async def test_data_shows_nicknames_and_its_deletion_takes_them(club: Club) -> None:
    zed = pupil(club)
    await finished(club, zed, club.alice)
    part = await club.app.privacy.export(zed.id)
    assert part is not None
    data = json.loads(part.data)
    assert data["nicknames"] == [{"player_id": str(zed.id), "guild_id": str(club.guild.id), "name": FULL_NAME}]
    assert (data["players"][0]["name"], data["players"][0]["username"]) == ("Zed", "zed")
    await club.app.privacy.delete(zed.id)
    async with club.app.database.read() as connection:
        assert zed.id not in set(await connection.scalars(select(nicknames.c.player_id)))
        assert not {"Zed", "zed"} & set(await connection.scalars(select(players.c.name)))
    assert "a deleted player" in text_of(await club.slash(club.alice, "history"))


# Data that is not kept


async def kept(club: Club) -> tuple[int, set[int]]:
    async with club.app.database.read() as connection:
        found = len((await connection.execute(select(challenges.c.id))).all())
        return found, set(await connection.scalars(select(players.c.id)))


async def test_old_failed_challenges_are_deleted_with_people_who_were_only_challenged(club: Club) -> None:
    dan, eve, fay = club.join("Dan"), club.join("Eve"), club.join("Fay")
    await club.match(turns=("e5",))
    await club.challenge(club.alice, dan)
    await club.challenge(club.alice, eve)
    await club.press(eve, "Decline")
    await club.challenge(club.alice, fay)
    await outside(club, fay, Outside.HIDDEN)
    await club.env.advance_time((CHALLENGE_RETENTION - timedelta(days=1)).total_seconds())
    assert await kept(club) == (4, {club.alice.id, club.bob.id, dan.id, eve.id, fay.id})
    await club.env.advance_time(timedelta(days=3).total_seconds())
    assert await kept(club) == (1, {club.alice.id, club.bob.id, fay.id}), "Fay has settings of her own"
    answer = await club.slash(club.alice, "board")
    assert answer.nothing or answer.private
    assert (await club.app.matches.match(1)).challenge_id == 1


async def test_purged_people_may_return_and_late_presses_are_answered(club: Club) -> None:
    dan = club.join("Dan")
    await club.challenge(club.alice, dan)
    screen = club.screen()
    await club.env.advance_time((CHALLENGE_RETENTION + timedelta(days=3)).total_seconds())
    assert await kept(club) == (0, set())
    assert "challenge no longer exists" in (await club.press_late(dan, "Accept", screen)).private
    await club.match(club.alice, dan)
