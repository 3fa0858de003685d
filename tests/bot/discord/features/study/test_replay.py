"""/replay looks through a match, and *Download* saves it."""

from __future__ import annotations

from simcord.components import walk_components
from simcord.results import ResponseMessage

from bot.discord.features.study.replay import ReplayCommands
from bot.discord.ui.actions import DownloadAll
from bot.domain.study.lines import Line
from rules import Record
from tests.support.discord.actions import stored_match
from tests.support.discord.club import Club
from tests.support.games import FLIPPING, WHOLE_GAME

KEYS = ("⏮", "◀", "▶", "⏭")


def options(club: Club, handle: ResponseMessage) -> list[str]:
    """The values in the menu of a message."""
    stored = club.env.backend.get_message(handle.channel_id, handle.id)
    (menu,) = (part for part in walk_components(stored.components) if "options" in part)
    return [option["value"] for option in menu["options"]]


async def test_a_match_is_replayed_turn_by_turn_also_after_a_restart(club: Club) -> None:
    await club.match(turns=WHOLE_GAME)
    await club.match(club.bob, club.carol)
    for typed, offered in (("", ["1", "2"]), ("#1", ["1"]), ("carol", ["2"]), ("nobody", [])):
        choices = await club.offers(club.alice, typed, command="replay", option="match")
        assert [each["value"] for each in choices] == offered
    cards = club.cards()
    handle = await club.open(club.carol, "replay", match="1")
    end = club.seen(handle)
    end.says("Turn 40 of 40", "🏆 **Alice** (Dark) wins by annihilation.")
    shown = {end.descriptions}
    for label, said in (("⏮", "Before the first turn."), ("▶", "Alice opened with `g6`"), ("▶", "Bob chose **Light**")):
        card = await club.change(club.carol, label, on=handle)
        assert said in card.text
        assert "wins" not in card.text, "the end is not told before it comes"
        shown.add(card.descriptions)
    await club.restart()
    assert "Turn 1 of 40" in (await club.change(club.carol, "◀", on=handle)).text
    jumps = options(club, handle)
    assert len(jumps) == 25
    assert jumps[-1] == "40"
    await club.choose_in(club.carol, "replay:1:", jumps[12], on=handle)
    assert f"Turn {jumps[12]} of 40" in club.seen(handle).text
    assert (await club.change(club.carol, "⏭", on=handle)).text == end.text
    assert len(shown) == 4, "each position has a picture of its own"
    assert club.cards() == cards, "nobody else sees it"


async def test_a_running_match_is_replayed_to_its_present_position(club: Club) -> None:
    await stored_match(club)
    handle = await club.open(club.alice, "replay")
    club.seen(handle).says("Turn 0 of 0", "Before the first turn.")
    await club.play_quietly(1, ["e5", "light", "e6"])
    handle = await club.open(club.alice, "replay")
    assert "Turn 3 of 3" in club.seen(handle).text
    await club.play_quietly(1, ["e4"])
    assert "Turn 2 of 4" in (await club.change(club.alice, "◀", on=handle)).text


async def test_a_match_is_shown_as_an_animation_and_as_key_positions(club: Club) -> None:
    await stored_match(club, FLIPPING)
    handle = await club.open(club.alice, "replay", "Animated")
    assert getattr(club.picture(club.seen(handle), "GIF"), "n_frames", 1) == len(FLIPPING)
    assert "#1 · Dalen, size 5" in club.seen(handle).text
    assert club.picture(await club.change(club.alice, "Key positions", on=handle)).format == "PNG"
    assert set(KEYS) <= set((await club.change(club.alice, "Back to the board", on=handle)).labels)


async def test_a_position_is_shared_once(club: Club) -> None:
    await stored_match(club, FLIPPING)
    handle = await club.open(club.carol, "replay", "◀")
    cards, screen = len(club.cards()), club.screen(handle)
    await club.press(club.carol, "Share", on=handle)
    assert len(club.cards()) == cards + 1
    card = club.card()
    assert not card.private
    card.says("shown by Carol", "Turn 6 · ")
    assert card.pinged == ()
    assert card.labels == ("Try from here",)
    answer = await club.press(club.bob, "Try from here")
    assert "Only you can see this; the match stays as it is." in answer.private
    assert await club.app.lines.get(1, club.bob.id) == Line(7, 6)
    assert "Shared" in club.seen(handle).labels
    assert len(club.seen(handle).pictures) == 1
    await club.press_late(club.carol, "Share", screen)
    assert len(club.cards()) == cards + 1
    first = (club.posts()[-1].json or {})["nonce"]
    assert len(first) <= 25
    await club.press_all(club.carol, "Animated", "Share the game", on=handle)
    assert club.picture(club.card(), "GIF").format == "GIF"
    assert (club.posts()[-1].json or {})["nonce"] != first
    handle = await club.open(club.carol, "replay")
    club.forbid("send_messages")
    assert "I could not show it" in (await club.press(club.carol, "Share", on=handle)).private
    assert "Share" in club.seen(handle).labels, "where the bot may not post"


async def test_one_person_waits_for_only_three_animations_at_a_time(club: Club) -> None:
    await stored_match(club, ["e5", "light"])
    (replays,) = [each for each in club.app.features if isinstance(each, ReplayCommands)]
    room = replays._waiting.room
    with room(club.carol.id), room(club.carol.id), room(club.carol.id):
        for who, drawn in ((club.carol, False), (club.bob, True)):
            answer = await club.press(who, "Animated", on=await club.open(who, "replay"))
            assert answer.nothing if drawn else answer.private.startswith("I am still drawing")


async def test_a_downloaded_match_is_read_back(club: Club) -> None:
    await club.match(turns=WHOLE_GAME)
    await club.match(turns=["e5", "light", "e6"])
    for number, turns, result in ((1, WHOLE_GAME, "1-0"), (2, ("e5", "light", "e6"), "*")):
        card = await club.open(club.carol, "replay", match=str(number))
        (answer,) = (await club.press(club.carol, "Download", on=card)).messages
        (file,) = answer.files
        assert file["filename"] == f"dalen-{number}.txt"
        record = Record.parse(club.download(file))
        assert record.turns == turns
        assert record.result == result
        assert {"Alice", "Bob"} <= set(record.tags.values())


# Marks


async def test_marks_are_drawn_for_one_person_only(club: Club) -> None:
    await club.match(turns=["e5", "light"])
    cards = club.cards()
    offered = await club.offers(club.bob, "leg", command="board", option="overlay")
    assert offered == [{"name": "Legal turns", "value": "legal"}]
    for typed in ("legal", "Legal turns"):
        card = (await club.slash(club.bob, "board", overlay=typed)).card
        assert "### 🔎 Legal turns" in card.text
        assert club.picture(card).tobytes() != club.picture(cards[-1]).tobytes()
    assert club.cards() == cards
    assert "Legal turns" in (await club.slash(club.bob, "board", overlay="moon")).private
    assert "`overlay`" in (await club.slash(club.bob, "board", cell="e5")).private
    assert "e5" in (await club.slash(club.bob, "board", overlay="legal", cell="E5")).private
    assert "off the board" in (await club.slash(club.bob, "board", overlay="legal", cell="z9")).private
    choices = await club.offers(club.bob, "e", command="board", option="cell")
    assert [each["value"] for each in choices] == [f"e{number}" for number in range(1, 10)]


async def test_all_finished_matches_are_downloaded_in_one_file(club: Club) -> None:
    for turns in (["e5", "light"], ["e5", "dark", "d4"]):
        match = await stored_match(club, turns)
        await club.app.matches.resign(match.id, club.bob.id, shown_by_caller=True)
    await stored_match(club, ["c3"], club.bob, club.carol)
    assert "Download all" not in (await club.slash(club.bob, "history", player=club.alice)).messages[0].labels
    card = await club.open(club.alice, "history")
    (found,) = (await club.press(club.alice, "Download all", on=card)).messages
    assert "Your last 2 finished matches" in found.text
    (file,) = found.files
    records = list(Record.parse_all(club.download(file)))
    assert [record.turns for record in records] == [("e5", "light"), ("e5", "dark", "d4")]
    assert [record.tags["Termination"] for record in records] == ["resignation"] * 2
    nothing = await club.forge(club.carol, DownloadAll(), on=card)
    assert "None of your matches is over yet" in nothing.private
