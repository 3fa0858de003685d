"""Games against the computer: how they start, what the cards say while it thinks, and how they end."""

from __future__ import annotations

import asyncio
from typing import Any

import discord
import pytest
from simcord import ChannelHandle, MemberActor

import rules
from bot.discord.transport import sender
from bot.domain.challenges import ChallengeState
from bot.domain.computer import LEAST_RATED_GAMES, SearchRequest
from bot.domain.matches import Ending, Match, Result
from bot.domain.players import computer
from bot.domain.preferences import BoardCards
from tests.support.discord.actions import computer_match
from tests.support.discord.club import Answer, Club, plain
from tests.support.services.house import house_beside
from tests.support.services.random_search import just_wait
from tests.support.thorough import sample
from tests.support.waiting import until

SEARCH = SearchRequest(rules.ruleset("dalen"), (), 1, 1)
both_kinds = pytest.mark.parametrize("board_cards", list(BoardCards))


async def play(club: Club, who: MemberActor | None = None, level: int = 3, **options: Any) -> Match:
    """Start a game that the person opens."""
    options = {"game": "dalen", "size": 5, "first": "challenger", **options}
    answer = await club.slash(who or club.alice, "challenge", level=level, **options)
    assert answer.nothing, answer.private
    return await club.newest_match()


async def release(club: Club) -> None:
    club.search.release()
    await club.env.settle()


# How a game starts


async def test_a_level_starts_a_game_at_once(club: Club) -> None:
    match = await play(club, level=2)
    assert (match.players[1], match.rated, match.clock) == (computer(2), False, None)
    (card,) = club.cards()
    card.says("Alice vs Hexgrove (level 2)", "Dalen, size 5 · casual")
    assert card.pinged == ()
    assert "Alice" in card.descriptions[0]
    assert "Hexgrove (level 2)" in card.descriptions[0]


async def test_the_bot_as_opponent_starts_a_game_and_its_level_can_be_changed(club: Club) -> None:
    options: dict[str, Any] = {"game": "hedu", "opponent": club.computer, "size": 5, "first": "opponent"}
    card = await club.open(club.alice, "challenge", **options)
    suggested = club.seen(card)
    assert "You are playing level 1, which I suggest for you." in suggested.text.replace("*", "")
    assert "Match #1" not in suggested.text, "it is played here"
    assert suggested.labels == ("Another level",)
    assert "Hexgrove (level 1) vs Alice" in club.card().text
    assert len(club.cards()) == 1
    other = club.screen(card)
    await club.press(club.alice, "Another level", on=card)
    assert club.seen(card).labels == ("Level 1", "Level 2", "Level 3", "Level 4", "Level 5")
    levels = club.screen(card)
    assert "not playing" in (await club.press_late(club.bob, "Level 4", levels)).private
    assert (await club.press(club.alice, "Level 4", on=card)).nothing
    match = await club.newest_match()
    assert (match.id, match.players[0], match.ruleset.size) == (2, computer(4), 5)
    assert "Hexgrove (level 4) vs Alice" in club.card().text
    assert "Rematch: match #2" in club.cards()[-2].text, "the first game is over"
    assert "over" in (await club.press_late(club.alice, "Level 3", levels)).private
    assert "over" in (await club.press_late(club.alice, "Another level", other)).private


async def test_the_terms_have_the_levels_and_suggest_one(club: Club) -> None:
    lobby = await club.open(club.alice, "play", "Start a game", "Hedu", "Change…", "The computer")
    card = club.seen(lobby)
    assert card.labels == ("Level 1", "Level 2", "Level 3", "Level 4", "Level 5", "Back")
    assert "I suggest level 1 for you." in card.text.replace("*", "")
    await club.choose(club.alice, "Size 7 · usual", on=lobby)
    assert "Hedu on the usual board" in (await club.change(club.alice, "Back", on=lobby)).text
    await club.press_all(club.alice, "Change…", "The computer", "Level 4", on=lobby)
    match = await club.newest_match()
    assert (match.ruleset.game.name, match.ruleset.size) == ("hedu", 7)
    assert computer(4) in match.players
    assert len(club.cards()) == 1
    # The menu of the bot as a user leads to the same card.
    menu = Answer(club.env, await club.alice.context_menu(club.channel, "Challenge…", club.computer), press=False)
    await club.choose(club.alice, "Game: Nadraz", on=menu.private_handle)
    await club.press(club.alice, "Level 5", on=menu.private_handle)
    assert (await club.newest_match()).ruleset.game.name == "nadraz"


# Turns


@both_kinds
async def test_a_turn_is_shown_at_once_and_its_answer_on_the_same_card(club: Club, board_cards: BoardCards) -> None:
    match = await play(club)
    await club.move(club.alice, "e5")
    game = await club.app.matches.game(match.id)
    cards, since = len(club.cards()), len(club.env.http_requests)
    club.search.hold()
    await club.move(club.alice, next(turn for turn in game.position.legal_turns if turn != "pass"))
    thinking = club.card()
    assert len(club.cards()) == cards
    thinking.says(f"Turn {game.ply + 1} · Alice", "🤖 Hexgrove (level 3) is thinking…")
    assert thinking.labels == ("More…",)
    assert "It is Hexgrove (level 3)'s turn" in (await club.slash(club.alice, "move", turn="a1")).private
    await release(club)
    answered = club.card()
    answered.says(f"Turn {game.ply + 1} · Alice", f"🤖 Turn {game.ply + 2} · Hexgrove (level 3, ")
    assert "is thinking" not in answered.text
    assert "Play" in answered.labels
    assert len(club.cards()) == cards + (board_cards is BoardCards.EVERY_TURN)
    assert len(club.posts(since)) == (board_cards is BoardCards.EVERY_TURN), "no ping was sent"
    if board_cards is BoardCards.EVERY_TURN:
        before = club.cards()[-2]
        before.says(f"🤖 Turn {game.ply} · Hexgrove (level 3", f"Turn {game.ply + 1} · Alice")
        assert "Turn 1 ·" not in before.text
        assert before.labels == ()


@pytest.mark.parametrize("board_cards", sample([*BoardCards], 2))
async def test_the_computer_pings_nobody_however_long_it_thinks(club: Club, board_cards: BoardCards) -> None:
    match = await play(club)
    await club.env.advance_time(60)
    club.search.hold()
    await club.move(club.alice, "e5")
    await club.env.advance_time(600)
    await release(club)
    assert "🤖 Turn 2 · Hexgrove (level 3)" in club.card().text
    await club.app.matches.resign(match.id, computer(3).id, shown_by_caller=True)
    await club.env.advance_time(600)
    await club.show(match.id)
    assert "Level 4" in club.card().labels, "the game is over"
    assert not any(card.pinged for card in (*club.cards(), *club.lines()))


async def test_the_computer_answers_after_a_restart(club: Club) -> None:
    await play(club)
    club.search.hold()
    await club.move(club.alice, "e5")
    await club.stop()
    assert "is thinking" in club.card().text
    club.search.release()
    await club.start()
    club.card().says("Turn 1 · Alice opened with `e5`", "🤖 Turn 2 · Hexgrove (level 3) chose")
    assert len([card for card in club.cards() if "Turn 2" in card.text and card.labels]) == 1


async def test_the_card_says_how_many_boards_are_ahead(club: Club) -> None:
    match = await computer_match(club)
    waiting, club.search.waiting = club.search.waiting, just_wait
    club.search.hold()
    others = [asyncio.create_task(club.app.thinking.think(1000 + number, SEARCH)) for number in range(3)]
    await until(lambda: len(club.app.thinking) == len(others))
    await club.play_quietly(match.id, ["e5"])
    await club.app.match_presenter.show_match(match.id)
    assert "Hexgrove (level 3) is still thinking about others: 3 boards are ahead of yours." in club.card().text
    club.search.release()
    await asyncio.gather(*others)
    club.search.waiting = waiting


def think_of(club: Club, who: MemberActor, seconds: float) -> None:
    """Let the computer owe a person's matches so many seconds of thought."""
    club.app.thinking._note(who.id, 1000, seconds)


async def test_a_player_who_keeps_the_computer_busy_is_offered_a_weaker_level(club: Club) -> None:
    think_of(club, club.alice, 33.0)
    refused = await club.slash(club.alice, "challenge", game="dalen", level=5, size=5, first="challenger")
    assert "Start at level 4, or" in refused.private
    assert club.cards() == []
    assert refused.card.labels == ("Level 4",)
    await club.press(club.alice, "Level 4", on=refused.private_handle)
    match = await club.newest_match()
    assert (match.first.id, match.ruleset.size, match.second) == (club.alice.id, 5, computer(4))
    await club.slash(club.bob, "challenge", game="dalen", level=5)
    assert (await club.newest_match()).computer == computer(5), "nobody else is kept out"


async def test_a_waiting_challenger_can_play_the_computer_at_a_level_with_room(club: Club) -> None:
    think_of(club, club.alice, 37.0)
    await club.challenge(club.alice, club.bob, game="fiodar", first="opponent")
    offer = club.last_card()
    assert "This button is for Alice." in (await club.press(club.bob, "Play the computer", on=offer)).private
    choice = (await club.press(club.alice, "Play the computer", on=offer)).private_handle
    refused = await club.press(club.alice, "Level 5", on=choice)
    assert "Start at level 3, or" in refused.private
    await club.press(club.alice, "Level 3", on=refused.private_handle)
    match = await club.newest_match()
    assert (match.ruleset.game.name, match.first, match.second.id) == ("fiodar", computer(3), club.alice.id)
    assert (await club.newest_challenge()).state is ChallengeState.WITHDRAWN
    assert "Alice withdrew the challenge." in club.cards()[0].text


async def test_a_rematch_without_room_can_be_played_at_a_weaker_level(club: Club, running: Match) -> None:
    await club.resign(club.alice, running.id)
    think_of(club, club.alice, 37.0)
    refused = await club.press(club.alice, "Level 4")
    assert "Start at level 3, or" in refused.private
    await club.press(club.alice, "Level 3", on=refused.private_handle)
    match = await club.newest_match()
    assert (match.rematch_of, match.computer) == (running.id, computer(3))


# Proposals, and the end


@pytest.fixture
async def running(club: Club) -> Match:
    """A game in which Alice is to play her second turn."""
    match = await computer_match(club, ["e5", "light", "d4"])
    await club.show(match.id)
    return match


async def press_more(club: Club, label: str, who: MemberActor | None = None) -> Answer:
    who = who or club.alice
    return await club.press(who, label, on=(await club.press(who, "More…")).private_handle)


async def test_turns_can_be_taken_back_while_the_computer_thinks(club: Club, running: Match) -> None:
    club.search.hold()
    await club.move(club.alice, "a1")
    assert "is thinking" in club.card().text
    assert (await press_more(club, "Take back")).nothing
    assert "↩️ Alice took back the last turn." in club.card().text
    await release(club)
    game = await club.app.matches.game(running.id)
    assert (game.turns, game.to_act and game.to_act.id) == (("e5", "light", "d4"), club.alice.id)
    assert "is thinking" not in club.card().text
    await club.move(club.alice, "a1")
    await club.env.settle()
    await press_more(club, "Take back")
    await club.resign(club.alice, running.id)
    assert club.cards()[-2].text.replace("*", "").splitlines() == [
        "↩️ Alice took back the last 2 turns.",
        "🤖 Turn 3 · Hexgrove (level 3, Light) played `d4`",
    ], "an older card shows no turns that were taken back before it"


async def test_a_game_against_the_computer_is_abandoned_without_consent(club: Club, running: Match) -> None:
    question = await club.slash(club.alice, "resign")
    assert "If you call it off, nobody wins." in question.private
    assert "count" not in question.private
    assert "Call it off" in question.messages[0].labels
    await club.press(club.alice, "Call it off", on=question.private_handle)
    assert (await club.app.matches.match(running.id)).result == Result(None, Ending.ABANDONED)
    # Between people, only a question about a rated match says that it does not count then.
    for rated in (True, False):
        match = await club.match(rated=rated, turns=["e5"])
        asked = (await club.slash(club.alice, "resign")).private
        assert "have to agree" in asked
        assert ("does not count" in asked) is rated
        await club.app.matches.resign(match.id, club.alice.id, shown_by_caller=True)


async def test_the_last_card_offers_rematches_one_level_up_and_down(club: Club, running: Match) -> None:
    await club.move(club.alice, "a1")
    await club.resign(computer(3), running.id)
    end = club.card()
    assert end.labels == ("Rematch", "Level 4", "Level 2", "Replay", "Share the game", "Review")
    assert primary_buttons(club) == ["Level 4"], "the one that is suggested after a win"
    assert "Matches against the computer do not change your ratings." in end.text
    assert "is rated" not in end.text, "one game says little of a level"
    screen = club.screen()
    assert "You did not play" in (await club.press(club.bob, "Level 4")).private
    answers = await club.press_together((club.alice, "Level 4", screen), (club.alice, "Level 2", screen))
    assert sum(not answer.nothing for answer in answers) == 1
    match = await club.newest_match()
    assert (match.id, match.rematch_of, match.rated) == (2, 1, False)
    assert match.first.level in (2, 4)
    assert "Rematch: match #2" in "\n".join(card.text for card in club.cards())


async def test_after_ten_games_a_level_has_a_rating(club: Club, running: Match) -> None:
    person, level = running.first, computer(3)
    async with house_beside(club.config, club.env.now()) as house:
        for _ in range(LEAST_RATED_GAMES - 1):
            await house.beat(person, level, rated=False)
    await club.move(club.alice, "a1")
    assert await club.app.ratings.levels("dalen") == {}
    await club.resign(level, running.id)
    rating = round((await club.app.ratings.levels("dalen"))[3].value)
    assert 1200 < rating < 1400
    assert f"🤖 Level 3 is rated {rating} against people." in club.card().text
    answer = await club.slash(club.alice, "challenge", game="dalen", opponent=club.computer)
    await club.press(club.alice, "Another level", on=answer.private_handle)
    assert f" · {rating}?" in club.seen(answer.private_handle).text
    levels = (await club.slash(club.alice, "profile", player=club.computer)).private
    assert f"Dalen 3: {rating}?" in plain(levels).replace("*", "")


def primary_buttons(club: Club) -> list[str | None]:
    """The labels of the blue buttons on the last card."""
    view = discord.ui.LayoutView.from_message(club.last_message())
    buttons = [each for each in view.walk_children() if isinstance(each, discord.ui.Button)]
    return [each.label for each in buttons if each.style is discord.ButtonStyle.primary]


async def test_a_higher_level_stands_out_only_after_a_win(club: Club) -> None:
    lost, drawn = Result(computer(3).id, Ending.RESIGNATION), Result(None, Ending.AGREEMENT)
    for result, turns, labels, stands_out in (
        (Result(None, Ending.ABANDONED), ["e5", "light", "d4"], ("Rematch", "Level 2", "Level 4"), []),
        (lost, ["e5", "light", "d4"], ("Rematch", "Level 2", "Level 4"), ["Rematch"]),
        (drawn, ["e5", "light", "d4"], ("Rematch", "Level 2", "Level 4"), ["Rematch"]),
        (lost, [], ("Rematch", "Level 2"), ["Rematch"]),
    ):
        match = await computer_match(club, turns)
        async with club.app.storage.transaction() as tx:
            await club.app.matches.end(tx, match, result, club.env.now())
        await club.show(match.id)
        assert club.card().labels[: len(labels)] == labels
        assert primary_buttons(club) == stands_out


async def test_lists_and_profiles_tell_the_computer_from_people(club: Club, running: Match) -> None:
    assert "Hexgrove (level 3)" in (await club.slash(club.alice, "games")).private
    (offered,) = await club.offers(club.alice, "level 3", option="match", turn="a1")
    assert "Alice vs Hexgrove (level 3)" in offered["name"]
    await club.move(club.alice, "a1")
    await club.app.matches.resign(running.id, computer(3).id, shown_by_caller=True)
    profile = (await club.slash(club.alice, "profile")).card
    assert "**Against the computer** level 3: 1 win" in plain(profile.text)
    assert not {word for word in ("Aborted", "rating") if word in profile.text}
    assert profile.labels == ("Start a game", "Learn")
    history = (await club.slash(club.alice, "history", opponent=club.computer)).messages[0]
    history.says("#1", "Hexgrove (level 3)")
    assert "#1" in (await club.slash(club.bob, "history", player=club.computer, opponent=club.alice)).private


# Outside servers


async def test_a_user_can_play_the_bot_in_direct_messages(club: Club) -> None:
    club.speak(club.alice, "de")
    lobby = (await club.whisper(club.alice, "play")).private_handle
    await club.press_all(club.alice.user, "Partie starten", "Dalen", on=lobby)
    card = club.seen(lobby)
    assert card.labels == ("Gegen den Computer, Stufe 1", "In 3 Minuten lernen", "Ändern…", "Zurück")
    assert card.menus == {}
    await club.press(club.alice.user, "Ändern…", on=lobby)
    await club.choose(club.alice.user, "Ich eröffne", on=lobby)
    await club.press(club.alice.user, "Stufe 2", on=lobby)
    chat = club.alice.user.dm_channel
    assert "Alice gegen Hexgrove (Stufe 2)" in club.card(chat).text
    club.search.hold()
    await club.whisper(club.alice, "move", turn="e5")
    assert "Hexgrove (Stufe 2) denkt nach" in club.card(chat).text
    await release(club)
    assert "🤖 Zug 2 · Hexgrove (Stufe 2)" in club.card(chat).text
    assert len([card for card in club.cards(chat) if card.pictures]) == 1


async def test_a_user_who_takes_no_direct_messages_can_play_the_bot_there_too(club: Club) -> None:
    chat = club.alice.user.dm_channel
    club.env.inject_error("POST", f"/channels/{chat.id}/messages", status=403, code=50278, times=None)
    await club.whisper(club.alice, "challenge", game="dalen", size=5, level=3, first="challenger")
    assert "Alice vs Hexgrove (level 3)" in club.card(chat).text
    await club.whisper(club.alice, "move", turn="e5")
    assert "🤖 Turn 2 · Hexgrove (level 3)" in club.card(chat).text
    await club.env.advance_time(16 * 60)  # no interaction can be answered any more
    game = await club.app.matches.game(1)
    await club.whisper(club.alice, "move", turn=game.position.legal_turns[0])
    assert f"🤖 Turn {game.ply + 2} · Hexgrove (level 3, " in club.card(chat).text


async def test_in_a_conversation_the_last_interaction_answers(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sender, "_REMEMBERED", 4)
    monkeypatch.setattr(sender, "_OF_ONE_PERSON", 2)
    chat: ChannelHandle = club.conversation(club.alice, club.bob)
    await club.whisper(club.alice, "challenge", game="dalen", size=5, level=3, first="challenger")
    assert "Alice vs Hexgrove (level 3)" in club.seen(chat.history()[-1]).text
    club.search.hold()
    await club.whisper(club.alice, "move", turn="e5")
    assert any("is thinking" in club.seen(message).text for message in chat.history())
    for _ in range(5):  # these interactions do not displace Alice's
        await club.whisper(club.carol, "games")
    await release(club)
    assert "🤖 Turn 2 · Hexgrove (level 3)" in club.seen(chat.history()[-1]).text
