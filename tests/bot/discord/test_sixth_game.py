"""A game that is only registered, with its rules, its face and its rule page, is played like the others."""

from __future__ import annotations

import re

import pytest

from rules import GAMES, PASS, Record, Ruleset, Side, ruleset
from tests.support.discord.club import FINAL_BUTTONS, Answer, Club
from tests.support.discord.turn_presses import play_by_pressing, play_some_way
from tests.support.positions import random_turns
from tests.support.sixth_game import register, register_choice, register_face
from tests.support.tern import Tern
from tests.support.thorough import THOROUGH

#: The smallest board.
SIZE = 3
#: A short game, which the second side wins.
SHORT = ("c1", "light", "c4", "b4", "b3", "d2", "a3", "c3", "c5")
#: Its turns that are only stored, unless the tests are thorough: those of the beginning and the end are played.
STORED = range(3, 6)


@pytest.fixture(autouse=True)
def corral(monkeypatch: pytest.MonkeyPatch) -> Ruleset:
    """Corral, registered before the bot starts."""
    register(monkeypatch)
    register_choice(monkeypatch)
    register_face(monkeypatch)
    return ruleset("corral", SIZE)


def choices(club: Club, command: str, option: str) -> list[str]:
    """What Discord lets people choose for an option of a command, as the bot registered it."""
    registered = club.requests("PUT", r"/applications/\d+/commands")[-1].json
    assert isinstance(registered, list)
    name, *path = [*command.split(), option]
    (part,) = (each for each in registered if each["name"] == name)
    for name in path:
        (part,) = (each for each in part["options"] if each["name"] == name)
    return [each["value"] for each in part["choices"]]


def test_commands_offer_the_games_that_are_registered(club: Club) -> None:
    games = list(GAMES)
    assert games[-1] == "corral"
    for command in ("challenge", "history", "leaderboard", "profile"):
        assert choices(club, command, "game") == games
    assert choices(club, "learn", "game") == games
    assert choices(club, "rules", "game") == [*games, "common"]


async def test_it_is_played_to_its_end_by_pressing_and_typing(club: Club, corral: Ruleset) -> None:
    sizes = await club.offers(club.alice, "", command="challenge", option="size", game="corral")
    assert [each["name"] for each in sizes] == ["3 · small", "4 · usual"]
    await club.challenge(club.alice, game="corral", size=SIZE, first="challenger")
    assert "Corral, size 3" in club.card().text
    await club.press(club.bob, "Accept")
    assert "your first Corral? You win when you are the first to surround an enemy stone." in club.card().text
    assert "**Play** or /move: a Dark stone anywhere. Bob then picks a side." in club.card().text

    for ply, turn in enumerate(SHORT):
        if ply in STORED and not THOROUGH:
            await club.play_quietly(1, [turn])
            await club.show(1)
            continue
        if ply % 3 == 0:
            first, *_others = await club.offers(await club.to_act(), turn)
            assert first["value"] == turn
            assert turn in [each["value"] for each in await club.offers(await club.to_act(), turn[0])]
        await play_some_way(club, turn, ply)
        assert club.card().files[0]["filename"] == f"corral-1-{ply + 1}.png"
        assert club.picture(club.card()).width == 900
        assert club.card().descriptions[0].startswith("Corral, size 3. ")
    assert await club.turns() == SHORT

    game = await club.app.matches.game(1)
    assert f"🏆 **{game.player_of(Side.SECOND).name}** (Light) wins by capture." in club.card().text
    assert "pens 1 stone" in club.card().text
    described = club.card().descriptions[0]
    assert (
        "Game over: Light won by capture. Dark is Alice, Light is Bob. Last turn: Light on c5; 1 of Dark" in described
    )
    assert "📈 " in club.card().text
    assert club.card().labels == FINAL_BUTTONS


async def test_its_refusals_lead_to_its_rules(club: Club, corral: Ruleset) -> None:
    turns = random_turns(corral)
    forced = turns.index(PASS)
    await club.match(game="corral", size=SIZE, turns=turns[:forced])
    position = corral.replay(turns[:forced])
    who = await club.to_act()
    assert "(Light) can only pass: press Pass." in club.card().text
    closed = min(position.board.names(position.empty))
    (explained,) = await club.offers(who, closed)
    assert explained["name"] == f"✗ {closed} would leave your group no empty cell"
    answer = await club.slash(who, "move", turn=closed)
    assert f"{closed} would leave your group no empty cell" in answer.private.lower()
    page = await club.press(who, "Rules", on=answer.private_handle)
    assert "**Your turn**\nPlace a stone on an empty cell." in page.private
    assert (await club.slash(who, "pass")).nothing
    answer = await club.slash(await club.to_act(), "pass")
    assert "You can pass only when you have no legal placement." in answer.private
    assert answer.messages[0].labels == ("Rules",)
    assert await club.turns() == turns[: forced + 1]


async def test_the_lobby_shows_it_and_starts_it(club: Club) -> None:
    lobby = await club.open(club.alice, "play")
    assert "Corral** · 5 minutes, light\nYou win when you are the first to surround" in club.seen(lobby).text
    assert club.seen(lobby).files[-1]["filename"] == "corral-dark.png"
    await club.press_all(club.alice, "Start a game", "Corral", "Anybody here", on=lobby)
    assert "Corral, size 3" in club.card().text


async def test_the_challenge_form_offers_it(club: Club) -> None:
    result = await club.alice.context_menu(club.channel, "Challenge…", club.bob)
    panel = Answer(club.env, result, press=False).private_handle
    await club.choose(club.alice, "Game: Corral", on=panel)
    await club.choose(club.alice, "Size 3 · small", on=panel)
    await club.choose(club.alice, "I open", on=panel)
    await club.press(club.alice, "Send the challenge", on=panel)
    assert "Corral, size 3" in club.card().text
    await club.press(club.bob, "Accept")
    await play_by_pressing(club, club.alice, ruleset("corral", SIZE).start(), "c3")
    assert "choose your side, **Dark** or **Light**. Light plays next." in club.card().text
    await club.press(club.bob, "Play Light")
    assert await club.turns() == ("c3", "light")


async def test_its_matches_are_ranked_replayed_and_exported(club: Club, corral: Ruleset) -> None:
    await club.match(game="corral", size=SIZE, turns=SHORT)
    (board,) = (await club.slash(club.carol, "leaderboard", game="corral")).messages
    assert "Corral" in board.text
    (described,) = board.descriptions
    assert {"Alice", "Bob"} <= set(re.findall(r"\w+", described))
    assert "Corral" in (await club.slash(club.alice, "profile", game="corral")).private
    assert "by capture · 9 turns" in (await club.slash(club.alice, "history", game="corral")).private

    replay = await club.open(club.carol, "replay", match="1")
    assert "Turn 9 of 9" in club.seen(replay).text
    await club.press(club.carol, "◀", on=replay)
    assert "Turn 8 of 9" in club.seen(replay).text
    for label in ("Animated", "Key positions"):
        assert (await club.press(club.carol, label, on=replay)).nothing
        assert len(club.seen(replay).pictures) == 1
        await club.press(club.carol, "Back to the board", on=replay)

    (downloaded,) = (await club.press(club.carol, "Download", on=replay)).messages
    (file,) = downloaded.files
    assert file["filename"] == "corral-1.txt"
    record = Record.parse(club.download(file))
    assert (record.ruleset, record.turns, record.result) == (corral, SHORT, "0-1")
    assert {record.tags["Dark"], record.tags["Light"]} == {"Alice", "Bob"}
    assert record.tags["Termination"] == "capture"


async def test_its_marks_and_turns_are_tried_in_private(club: Club) -> None:
    await club.match(game="corral", size=SIZE, turns=["c3", "light"])
    marks = await club.offers(club.bob, "", command="board", option="overlay")
    assert [each["name"] for each in marks] == ["Legal turns", "The centre"]
    assert "### 🔎 The centre" in (await club.slash(club.bob, "board", overlay="centre")).private
    tried = await club.slash(club.bob, "try", turns="a1 a2 pass")
    assert "(Light) played `a1`" in tried.private
    assert "✗ You can pass only when you have no legal placement" in tried.private


async def test_it_is_learned_and_its_rule_page_is_read_with_their_pictures(club: Club) -> None:
    task = await club.open(club.carol, "learn", game="corral")
    assert "### 🎓 Penning in\nFence in the stones of your opponent.\n" in club.seen(task).text
    await club.press(club.carol, "a2", on=task)
    assert "✅ `a2` · The light stone is in your pen" in club.seen(task).text
    pages = await club.offers(club.carol, "", command="rules", option="page", game="corral")
    assert [each["name"] for each in pages] == ["Corral", "The opening", "Your turn", "Passing", "The end"]
    card = club.seen(await club.open(club.carol, "rules", game="corral", page="Your turn"))
    assert "### 📖 Corral" in card.text
    assert "**Your turn**\nPlace a stone on an empty cell." in card.text
    assert "-# Dark plays `a2` · pens 1 stone" in card.text
    assert len(card.pictures) == 2
    club.speak(club.carol, "de")
    assert "### 🎓 Einpferchen" in (await club.slash(club.carol, "learn", game="corral")).private


async def test_a_game_without_points_ends_without_a_score(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch, Tern)
    register_face(monkeypatch, Tern)
    await club.match(game="tern", size=4, turns=["a1", "blue", "d4", "a2", "d5", "g4"])
    await club.move(await club.to_act(), "d6")
    card = club.card()
    assert "🏆 **Bob** (Blue) wins with three connected stones." in card.text
    assert "\N{NO-BREAK SPACE}:\N{NO-BREAK SPACE}" not in card.text
    assert card.descriptions[0].startswith("Tern, size 4. Game over: Blue won with three connected stones.")
    last = (await club.app.matches.game(1)).last_player
    assert last is not None
    assert last.name == "Bob"
