"""Blocks, aborted matches, the user's own data, and voided results."""

from __future__ import annotations

import io
import json
import random
import zipfile
from typing import Any

import pytest
from sqlalchemy import insert, select

from bot.discord.posting.cards.proposal import Propose
from bot.domain.challenges import BlockedError
from bot.domain.matches import Ending, ProposalKind, Result
from bot.domain.players import Player
from bot.storage import tables
from tests.support.discord.club import FINAL_BUTTONS, Answer, Club
from tests.support.services.house import house_beside
from tests.support.services.matches import PLAYED


async def privacy(club: Club, who: Any) -> Answer:
    """Open the panel in place of the settings."""
    settings = await club.slash(who, "settings")
    await club.press(who, "Privacy", settings.private_handle)
    return settings


async def block(club: Club, who: Any, *others: Any) -> Answer:
    panel = await privacy(club, who)
    await club.choose_in(who, "block", *others, on=panel.private_handle)
    return panel


async def test_a_blocked_player_continues_matches_but_cannot_challenge_or_propose(club: Club) -> None:
    await club.match()
    await club.challenge(club.alice)
    await block(club, club.alice, club.bob)
    await club.move(club.alice, "e5")
    await club.press(club.bob, "Play Light", on=club.messages()[-1])
    assert await club.turns() == ("e5", "light")
    await club.app.matches.resign(1, club.alice.id, shown_by_caller=True)
    answer = await club.slash(club.bob, "challenge", game="dalen", opponent=club.alice)
    assert "Alice does not want to play with you" in answer.private
    answer = await club.slash(club.alice, "challenge", game="dalen", opponent=club.bob)
    assert "You have blocked Bob." in answer.private
    (offered,) = [each for each in club.messages() if "Accept" in club.seen(each).labels]
    assert "Alice does not want to play with you" in (await club.press(club.bob, "Accept", on=offered)).private
    with pytest.raises(BlockedError) as refused:
        await club.app.proposals.propose(1, club.bob.id, ProposalKind.REMATCH, shown_by_caller=True)
    assert "Alice" in str(refused.value.text)
    assert (await club.press(club.carol, "Accept", on=offered)).nothing


async def test_blocks_are_named_kept_over_a_restart_and_removed(club: Club) -> None:
    await block(club, club.alice, club.bob, club.carol, club.alice)
    await club.restart()
    assert await club.app.privacy.blocks(club.alice.id) == [club.bob.id, club.carol.id]
    await block(club, club.bob, club.alice)
    for who, other, name in ((club.alice, club.bob, "Bob"), (club.bob, club.alice, "Alice")):
        answer = await club.slash(who, "challenge", game="dalen", opponent=other)
        assert f"You have blocked {name}." in answer.private, "of two blocks, each reads of their own"
    await block(club, club.alice, club.carol)
    assert await club.app.privacy.blocks(club.alice.id) == [club.carol.id]
    for who in (club.alice, club.bob):
        await block(club, who)
        assert await club.app.privacy.blocks(who.id) == []
    await club.challenge(club.bob, club.alice)


async def test_a_profile_shows_how_many_matches_a_player_aborted(club: Club) -> None:
    async with house_beside(club.config, club.env.now()) as house:
        for turns in ((), ("e5",), PLAYED):
            await house.beat(club.player(club.bob), club.player(club.alice), turns=turns)
    shown = await club.slash(club.carol, "profile", player=club.alice)
    assert "**Aborted** 66.7%: 2 of 3 matches" in shown.private
    assert "Aborted" not in (await club.slash(club.carol, "profile", player=club.carol)).private


async def test_a_player_gets_all_their_data_and_no_settings_of_others(club: Club) -> None:
    await club.match(turns=("e5",), clock="3 days + 1 day")
    await club.app.settings.change_preferences(Player(club.bob.id, "Bob"), theme="light")
    await club.app.privacy.set_blocked(Player(club.bob.id, "Bob"), [club.alice.id])
    await club.app.privacy.set_blocked(Player(club.alice.id, "Alice"), [club.carol.id])
    answer = await club.press(club.alice, "Get my data", (await privacy(club, club.alice)).private_handle)
    (message,) = answer.messages
    assert message.private
    (file,) = message.files
    assert file["filename"] == "hexgrove-data.json"
    exported = await club.app.privacy.export(club.alice.id)
    assert exported is not None
    data = json.loads(exported.data)
    assert [row["name"] for row in data["players"]] == ["Alice"]
    assert [row["turn"] for row in data["turns"]] == ["e5"]
    assert len(data["matches"]) == len(data["challenges"]) == 1
    assert "preferences" not in data
    (block,) = data["blocks"]
    assert block == {"player_id": str(club.alice.id), "blocked_id": str(club.carol.id), "stranger": False}
    assert data["matches"][0]["ply"] == 1


async def test_large_exports_are_compressed_or_refused(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, chance = 60, random.Random(1)
    monkeypatch.setattr("bot.services.people.privacy._EXPORT_BATCH", 5)
    await club.match(turns=("e5",))
    async with club.app.database.write() as connection:
        turn = dict((await connection.execute(select(tables.turns))).mappings().one())
        played = [
            {**turn, "step": step, "ply": step, "turn": chance.randbytes(6000).hex()} for step in range(2, rows + 2)
        ]
        await connection.execute(insert(tables.turns), played)
    file = await club.app.privacy.export(club.alice.id)
    assert file is not None
    with zipfile.ZipFile(io.BytesIO(file.data)) as archive:
        text = archive.read("hexgrove-data.json")
    assert [row["step"] for row in json.loads(text)["turns"]] == list(range(1, rows + 2)), "in several batches"
    assert len(file.data) < 0.75 * len(text), "compressed"
    panel = await privacy(club, club.alice)
    for largest, files in ((None, ["hexgrove-data.zip"]), (len(file.data) - 1, []), (1000, [])):
        if largest is not None:
            monkeypatch.setattr("bot.discord.features.people.privacy.LARGEST_FILE", largest)
        message = (await club.press(club.alice, "Get my data", panel.private_handle)).card
        assert [each["filename"] for each in message.files] == files
        assert ("too much about you for one file on Discord" in message.text) is not bool(files)


async def test_data_is_deleted_after_a_question_only(club: Club) -> None:
    await club.match(turns=("e5",))
    await club.app.privacy.set_blocked(Player(club.bob.id, "Bob"), [club.alice.id])
    await club.challenge(club.alice, club.carol)
    handle = (await privacy(club, club.alice)).private_handle
    assert "You resign your running matches" in (await club.change(club.alice, "Delete my data", on=handle)).text
    assert "🔒 Privacy" in (await club.change(club.alice, "Keep it", on=handle)).text
    await club.press(club.alice, "Delete my data", handle)
    assert (await club.app.matches.match(1)).has_player(club.alice.id)
    assert "Your data is deleted" in (await club.change(club.alice, "Yes, delete everything", on=handle)).text
    match = await club.app.matches.match(1)
    assert not match.has_player(club.alice.id)
    assert match.result == Result(club.bob.id, Ending.RESIGNATION)
    assert "a deleted player" in club.card().text
    assert club.card().labels == FINAL_BUTTONS[1:3]
    ended = club.last_card()
    rematch = Propose(1, match.step, ProposalKind.REMATCH)
    assert "has deleted their data" in (await club.forge(club.bob, rematch, on=ended)).private
    (offered,) = [card for card in club.cards() if "challenge" in card.text and "Carol" in card.text]
    assert "withdrew" in offered.text
    assert offered.labels == ()
    assert not any("Alice" in card.text for card in club.cards()[-3:])
    assert await club.app.privacy.blocks(club.bob.id) == [club.alice.id], "that is Bob's own"
    await club.open(club.join_as_moderator("Mo"), "board", "Void result", "Void the result", match="1")
    (voided,) = [card for card in club.cards() if card.id == ended.id]
    voided.says("Mo voided this result as a moderator", "a deleted player")
    assert voided.labels == FINAL_BUTTONS[1:3]
    pinged = [(request.json or {})["allowed_mentions"]["users"] for request in club.posts()]
    assert {user for users in pinged for user in users} == {club.bob.id, club.carol.id}, "nobody in the place of Alice"


async def test_only_a_moderator_voids_a_result_and_after_a_question(club: Club) -> None:
    await club.match(turns=("e5",))
    await club.resign(club.alice, 1)
    guest, moderator = club.join("Guest"), club.join_as_moderator("Mo")
    assert club.seen((await club.slash(guest, "board", match="1")).private_handle).labels == ()
    for who in (club.carol, club.alice):
        assert "Only moderators who did not play" in (await club.forge(who, "hexgrove:void-result:1")).private
    board = await club.slash(moderator, "board", match="1")
    await club.press_all(moderator, "Void result", "Keep it", on=board.private_handle)
    assert (await club.app.matches.match(1)).result == Result(club.bob.id, Ending.RESIGNATION)
    question = await club.press(moderator, "Void result", board.private_handle)
    cards, card = len(club.cards()), club.card()
    await club.press(moderator, "Void the result", question.private_handle)
    result = (await club.app.matches.match(1)).result
    assert result is not None
    assert (result.winner_id, result.ending) == (None, Ending.VOID)
    assert len(club.cards()) == cards, "the card is changed, and nobody is called"
    assert club.card().id == card.id
    assert "Mo voided this result as a moderator" in club.card().text
    assert club.card().descriptions != card.descriptions
    await club.restart()
    assert len(club.cards()) == cards
