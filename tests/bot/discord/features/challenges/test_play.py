"""``/play``: buttons lead from all games to a challenge, a lesson, the user's matches and the rules."""

from __future__ import annotations

from typing import Any

import pytest

import rules
from bot.discord.features.challenges.challenge_form import (
    ANYBODY,
    ChallengeAnybody,
    ChallengeForm,
    ChooseBoard,
    ChooseComputer,
)
from bot.domain.clocks import DAY, TimeControl
from tests.support.discord.club import Club
from tests.support.thorough import sample

WAYS = ("Start a game", "Learn", "Play anyone", "Puzzles", "Your matches", "Rules")


@pytest.fixture
async def lobby(club: Club) -> Any:
    """Alice's lobby."""
    return await club.open(club.alice, "play")


async def test_the_lobby_shows_every_game_and_leads_everywhere_and_back(club: Club, lobby: Any) -> None:
    await club.match()
    card = club.seen(lobby)
    assert card.labels == WAYS
    assert [file["filename"] for file in card.files] == [f"{name}-dark.png" for name in rules.GAMES]
    assert "5 games for two on hexagons." in card.text
    for game in rules.GAMES.values():
        here = ": start\N{NO-BREAK SPACE}here" if game.name == "dalen" else ""
        card.says(f"**{game.title}** · {game.minutes} minutes, {game.weight}{here}\n{game.goals['standard']}")
    for way in ("Learn", "Rules"):
        assert (await club.change(club.alice, way, on=lobby)).labels != WAYS
        assert (await club.change(club.alice, "Back", on=lobby)).labels == WAYS
    await club.press_all(club.alice, "Start a game", "Dendria", "Back", on=lobby)
    assert "Which game?" in club.seen(lobby).text
    gone = club.seen(lobby).buttons["Dalen"].replace("dalen", "chess")
    assert "from an earlier version" in (await club.forge(club.alice, gone, on=lobby)).private
    await club.press_all(club.alice, "Back", "Rules", on=lobby)
    titles = tuple(game.title for game in rules.GAMES.values())
    assert club.seen(lobby).labels == (*titles, "What all games share", "Back")
    assert "Page 1 of" in (await club.change(club.alice, "What all games share", on=lobby)).text
    # A player's own games open beside the lobby, tasks and puzzles in its place, in the viewer's theme.
    await club.app.settings.change_preferences(club.player(club.bob), theme="light")
    lobby = await club.open(club.bob, "play")
    assert {file["filename"].rpartition("-")[2] for file in club.seen(lobby).files} == {"light.png"}
    assert "**#1** Dalen against Alice" in (await club.press(club.bob, "Your matches", on=lobby)).private
    assert "to play: find the" in (await club.change(club.bob, "Puzzles", on=lobby)).text
    await club.press_all(club.alice, "Learn", "Hedu", on=(lobby := await club.open(club.alice, "play")))
    assert "Hedu · task " in club.seen(lobby).text


@pytest.mark.parametrize("game", sample([*rules.GAMES], 5))
async def test_a_friend_is_challenged_to_any_game_in_three_presses(club: Club, lobby: Any, game: str) -> None:
    """A restart between any two presses changes nothing."""
    kind = rules.GAMES[game]
    for label in ("Start a game", kind.title):
        await club.press(club.alice, label, on=lobby)
        await club.restart()
    card = club.seen(lobby)
    card.says(f"{kind.title} on the small board, casual, no clock", "Your choice sends the challenge at once.")
    assert card.labels == (
        *("Play the computer, level 1", "Anybody here"),
        *("Learn in 3 minutes", "Change…", "Back"),
    )
    assert club.cards() == []
    await club.choose_in(club.alice, "offer-to", club.bob, on=lobby)
    assert "The challenge is in the channel" in club.seen(lobby).text
    challenge = await club.newest_challenge()
    assert challenge.opponent is not None
    assert challenge.opponent.id == club.bob.id
    assert challenge.ruleset == rules.ruleset(game, kind.sizes[0])
    assert (challenge.rated, challenge.control) == (False, None)
    assert club.card().pinged == (club.bob.id,)
    await club.press(club.alice, "Withdraw")
    assert "withdrew the challenge" in club.card().text


async def test_a_challenge_to_anybody_is_sent_in_three_presses(club: Club, lobby: Any) -> None:
    await club.press_all(club.alice, "Start a game", "Hedu", "Anybody here", on=lobby)
    assert "**Hedu, size 5 · casual**" in club.card().text
    await club.restart()
    assert (await club.press(club.bob, "Accept")).nothing


async def test_the_computer_plays_after_three_presses(club: Club, lobby: Any) -> None:
    await club.press_all(club.alice, "Start a game", "Hedu", "Play the computer, level 1", on=lobby)
    (card,) = club.cards()
    card.says("Hexgrove (level 1)", "Hedu, size 5 · casual")


async def test_choosing_the_computer_as_a_friend_starts_a_match(club: Club, lobby: Any) -> None:
    await club.press_all(club.alice, "Start a game", "Hedu", on=lobby)
    await club.choose_in(club.alice, "offer-to", club.computer, on=lobby)
    assert club.seen(lobby).labels == ("Another level",)
    assert "Hexgrove (level 1)" in club.card().text


async def test_two_matches_of_a_game_are_small_and_casual_and_the_next_is_usual_and_rated(club: Club) -> None:
    terms = []
    for number in (1, 2, 3):
        card = await club.open(club.alice, "play", "Start a game", "Hedu")
        terms.append(club.seen(card).text.partition("Hedu on ")[2].partition("\n")[0])
        await club.press(club.alice, "Anybody here", on=card)
        await club.press(club.bob, "Accept")
        if number == 1:
            await club.resign(club.alice, 1)  # a finished match counts as a running one does
    assert terms == ["the small board, casual, no clock"] * 2 + ["the usual board, rated, no clock"]
    assert (await club.newest_match()).rated
    other = await club.open(club.alice, "play", "Start a game", "Dalen")
    assert "Dalen on the small board, casual, no clock" in club.seen(other).text
    # The challenger's matches decide, not the opponent's.
    newcomers = await club.open(club.carol, "play", "Start a game", "Hedu")
    await club.choose_in(club.carol, "offer-to", club.bob, on=newcomers)
    challenge = await club.newest_challenge()
    assert (challenge.ruleset.size, challenge.rated) == (5, False)


async def test_no_menu_of_the_terms_takes_over_the_choice_of_the_opponent(club: Club) -> None:
    def menus(card: Any) -> set[int]:
        (box,) = club.env.backend.get_message(card.channel_id, card.id).components
        rows = [part for part in box["components"] if part["type"] == 1]
        return {item["id"] for row in rows for item in row["components"] if item["type"] != 2}

    for game in sample([*rules.GAMES.values()], 3):
        card = await club.open(club.alice, "play", "Start a game", game.title)
        opponents = menus(card)
        assert len(opponents) == 1
        await club.press(club.alice, "Change…", on=card)
        assert len(menus(card)) > 4
        assert not menus(card) & opponents


async def test_the_opponent_and_the_terms_can_be_changed_before_sending(club: Club, lobby: Any) -> None:
    await club.press_all(club.alice, "Start a game", "Dalen", "Change…", on=lobby)
    for whom, said in (([club.carol], "Carol"), ([club.bob], "Bob"), ([], "anybody here")):
        await club.choose_in(club.alice, "offer-opponent", *whom, on=lobby)
        assert f"Challenge {said}" in club.seen(lobby).text
    for label in ("Size 9 · large", "Clock: 1 day a turn", "Rated: for leaderboards", "I open"):
        await club.choose(club.alice, label, on=lobby)
    assert club.cards() == []
    back = await club.change(club.alice, "Back", on=lobby)
    assert "Dalen on the large board, you open, rated, 1 day a turn" in back.text
    await club.press_all(club.alice, "Change…", "Send the challenge", on=lobby)
    challenge = await club.newest_challenge()
    assert challenge.opponent is None
    assert (challenge.control, challenge.rated, challenge.ruleset.size) == (TimeControl.turns_of(DAY), True, 9)
    assert (await club.press(club.carol, "Accept")).nothing


async def test_a_handicap_is_not_for_the_computer(club: Club, lobby: Any) -> None:
    await club.press_all(club.alice, "Start a game", "Dalen", "Change…", on=lobby)
    await club.choose(club.alice, "Handicap: 2 extra pieces", on=lobby)
    assert "handicap: 2 extra pieces" in (await club.change(club.alice, "Back", on=lobby)).text
    await club.press(club.alice, "Play the computer, level 1", on=lobby)
    assert (await club.newest_match()).ruleset == rules.ruleset("dalen", 5)


async def test_buttons_that_once_asked_for_the_terms_send_nothing(club: Club, lobby: Any) -> None:
    form = ChallengeForm(ANYBODY, rules.ruleset("dalen"))
    for press, said in (
        (ChallengeAnybody(form), "Challenge anybody here"),
        (ChooseBoard(form), "Dalen on the usual board, rated, no clock"),
        (ChooseComputer(form), "I suggest **level 1** for you."),
    ):
        await club.forge(club.alice, press, on=lobby)
        assert said in club.seen(lobby).text
    assert club.cards() == []


async def test_two_people_can_start_games_from_one_card_at_once(club: Club) -> None:
    await club.app.welcome.post(club.channel.id, club.guild.id)
    screen = club.screen()
    answers = await club.press_together((club.alice, "Start a game", screen), (club.bob, "Start a game", screen))
    for who, answer, game in ((club.alice, answers[0], "Hedu"), (club.bob, answers[1], "Dalen")):
        assert "Which game?" in answer.private
        await club.press_all(who, game, "Anybody here", on=answer.private_handle)
    assert [card.text.splitlines()[1].split(",")[0] for card in club.cards()[1:]] == ["**Hedu", "**Dalen"]
    assert club.cards()[0].labels == WAYS


async def test_a_game_starts_only_in_a_channel_for_games(club: Club, lobby: Any) -> None:
    other = club.guild.create_text_channel("other")
    await club.app.settings.change_server_settings(club.guild.id, channel_ids=frozenset({other.id}))
    assert "plays in other channels" in (await club.press(club.alice, "Start a game", on=lobby)).private
    club.forbid("attach_files")
    assert "I may not play in this channel" in (await club.press(club.alice, "Start a game", on=lobby)).private
