"""``/play``: buttons lead from all games to a challenge, a lesson, the user's matches and the rules."""

from __future__ import annotations

from typing import Any

import pytest

import rules
from bot.domain.clocks import DAY, TimeControl
from tests.support.discord.club import Club
from tests.support.thorough import sample

WAYS = ("Start a game", "Learn", "Puzzles", "Your matches", "Rules")


@pytest.fixture
async def lobby(club: Club) -> Any:
    """Alice's lobby."""
    return await club.open(club.alice, "play")


async def test_the_lobby_shows_every_game_and_leads_everywhere_and_back(club: Club, lobby: Any) -> None:
    await club.match()
    card = club.seen(lobby)
    assert card.labels == WAYS
    assert [file["filename"] for file in card.files] == [f"{name}-dark.png" for name in rules.GAMES]
    card.says("5 games for two on hexagons.", *(f"{each.title}**\n{each.summary}." for each in rules.GAMES.values()))
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
async def test_a_friend_is_challenged_to_any_game_in_few_presses(club: Club, lobby: Any, game: str) -> None:
    """A restart between any two presses changes nothing."""
    kind = rules.GAMES[game]
    for label in ("Start a game", kind.title):
        await club.press(club.alice, label, on=lobby)
        await club.restart()
    labels = club.seen(lobby).labels
    assert next(label for label in labels if label[0].isdigit()) == f"{kind.default_size} (usual)"
    await club.choose_in(club.alice, "offer-opponent", club.bob, on=lobby)
    await club.restart()
    assert "Challenge Bob" in club.seen(lobby).text
    await club.press(club.alice, "Send the challenge", on=lobby)
    challenge = await club.newest_challenge()
    assert challenge.opponent is not None
    assert challenge.opponent.id == club.bob.id
    assert challenge.ruleset == rules.ruleset(game)
    assert club.card().pinged == (club.bob.id,)
    await club.restart()
    assert (await club.press(club.bob, "Accept")).nothing


async def test_no_menu_of_the_terms_takes_over_the_choice_of_the_opponent(club: Club) -> None:
    def menus(card: Any) -> set[int]:
        (box,) = club.env.backend.get_message(card.channel_id, card.id).components
        rows = [part for part in box["components"] if part["type"] == 1]
        return {item["id"] for row in rows for item in row["components"] if item["type"] != 2}

    for game in sample([*rules.GAMES.values()], 3):
        card = await club.open(club.alice, "play", "Start a game", game.title)
        opponents = menus(card)
        assert len(opponents) == 1
        await club.press(club.alice, "Anybody here", on=card)
        assert len(menus(card)) > 4
        assert not menus(card) & opponents


async def test_the_opponent_and_the_terms_can_be_changed_before_sending(club: Club, lobby: Any) -> None:
    await club.press_all(club.alice, "Start a game", "Dalen", "9", "Anybody here", on=lobby)
    for whom, said in (([club.carol], "Carol"), ([club.bob], "Bob"), ([], "anybody here")):
        await club.choose_in(club.alice, "offer-opponent", *whom, on=lobby)
        assert f"Challenge {said}" in club.seen(lobby).text
    await club.choose(club.alice, "1 day a turn", on=lobby)
    await club.choose(club.alice, "Casual: just for fun", on=lobby)
    assert "Challenge anybody here" in club.seen(lobby).text
    await club.press(club.alice, "Send the challenge", on=lobby)
    challenge = await club.newest_challenge()
    assert challenge.opponent is None
    assert (challenge.control, challenge.rated, challenge.ruleset.size) == (TimeControl.turns_of(DAY), False, 9)
    assert (await club.press(club.carol, "Accept")).nothing


async def test_two_people_can_start_games_from_one_card_at_once(club: Club) -> None:
    await club.app.welcome.post(club.channel.id, club.guild.id)
    screen = club.screen()
    answers = await club.press_together((club.alice, "Start a game", screen), (club.bob, "Start a game", screen))
    for who, answer, game in ((club.alice, answers[0], "Hedu"), (club.bob, answers[1], "Dalen")):
        assert "Which game?" in answer.private
        await club.press_all(who, game, "Anybody here", "Send the challenge", on=answer.private_handle)
    assert [card.text.splitlines()[1].split(",")[0] for card in club.cards()[1:]] == ["**Hedu", "**Dalen"]
    assert club.cards()[0].labels == WAYS


async def test_a_game_starts_only_in_a_channel_for_games(club: Club, lobby: Any) -> None:
    other = club.guild.create_text_channel("other")
    await club.app.settings.change_server_settings(club.guild.id, channel_ids=frozenset({other.id}))
    assert "plays in other channels" in (await club.press(club.alice, "Start a game", on=lobby)).private
    club.forbid("attach_files")
    assert "not allowed to play in this channel" in (await club.press(club.alice, "Start a game", on=lobby)).private
