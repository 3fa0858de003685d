"""``/play``: buttons lead from all games to a challenge, a lesson, the user's matches and the rules."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from simcord import MemberActor

import rules
from bot.domain.clocks import DAY, TimeControl
from tests.support.club import Answer, Club, seen
from tests.support.thorough import sample

#: The maximum of presses from the lobby to a sent challenge. Opening a menu and choosing from it count as two.
FEWEST = 6
WAYS = ("Start a game", "Learn", "Puzzles", "My games", "Rules")


class Visit:
    """A user's way through the lobby, with the number of presses."""

    def __init__(self, club: Club, who: MemberActor, card: Any) -> None:
        self.club = club
        self.who = who
        self.card = card
        self.presses = 0
        self.between: Callable[[], Awaitable[None]] | None = None

    @property
    def text(self) -> str:
        return seen(self.club.env, self.card).text

    @property
    def labels(self) -> tuple[str, ...]:
        return seen(self.club.env, self.card).labels

    async def press(self, label: str) -> Answer:
        """Press a button, and continue on the card that it opens."""
        if self.between is not None:
            await self.between()
        self.presses += 1
        answer = await self.club.press(self.who, label, on=self.card)
        if answer.handles:
            self.card = answer.private_handle
        return answer

    async def pick(self, *whom: MemberActor) -> Answer:
        """Pick an opponent from the list of members, which has to be opened first."""
        if self.between is not None:
            await self.between()
        self.presses += 2
        return await self.club.choose_in(self.who, "offer-opponent", *whom, on=self.card)


@pytest.fixture
async def visit(club: Club) -> Visit:
    """Alice's lobby."""
    return Visit(club, club.alice, (await club.slash(club.alice, "play")).private_handle)


async def test_the_lobby_shows_every_game_and_leads_everywhere_and_back(club: Club, visit: Visit) -> None:
    card = club.seen(visit.card)
    assert card.private
    assert "5 games for two on hexagons." in card.text
    assert card.labels == WAYS
    assert [file["filename"] for file in card.files] == [f"{name}-dark.png" for name in rules.GAMES]
    for game in rules.GAMES.values():
        assert f"{game.title}**\n{game.summary}." in card.text
    for way in ("Learn", "Rules"):
        await visit.press(way)
        assert visit.labels != WAYS
        await visit.press("Back")
        assert visit.labels == WAYS
    for label in ("Start a game", "Dendria", "Back"):
        await visit.press(label)
    assert "Which game?" in visit.text
    screen = club.screen(visit.card)
    gone = screen.relabelled("Dalen", screen.buttons["Dalen"].replace("dalen", "chess"))
    assert "from an earlier version" in (await club.press_late(club.alice, "Dalen", gone)).private
    await visit.press("Back")
    assert visit.labels == WAYS
    await visit.press("Rules")
    assert visit.labels == (*(game.title for game in rules.GAMES.values()), "What all games share", "Back")
    await visit.press("What all games share")
    assert "Page 1 of" in visit.text


async def test_pictures_have_the_theme_of_the_viewer(club: Club) -> None:
    await club.app.settings.change_preferences(club.player(club.alice), theme="light")
    card = (await club.slash(club.alice, "play")).messages[0]
    assert {file["filename"].rpartition("-")[2] for file in card.files} == {"light.png"}


@pytest.mark.parametrize("game", sample([*rules.GAMES], 5))
async def test_a_friend_is_challenged_to_any_game_in_few_presses(club: Club, visit: Visit, game: str) -> None:
    kind = rules.GAMES[game]
    await visit.press("Start a game")
    await visit.press(kind.title)
    assert next(label for label in visit.labels if label[0].isdigit()) == f"{kind.default_size} (usual)"
    await visit.pick(club.bob)
    assert "Challenge Bob" in visit.text
    await visit.press("Send the challenge")
    assert visit.presses < FEWEST
    challenge = await club.newest_challenge()
    assert challenge.opponent is not None
    assert challenge.opponent.id == club.bob.id
    assert challenge.ruleset == rules.ruleset(game)
    assert club.card().pinged == (club.bob.id,)
    assert (await club.press(club.bob, "Accept")).nothing


async def test_no_menu_of_the_terms_takes_over_the_choice_of_the_opponent(club: Club) -> None:
    def menus() -> set[int]:
        (box,) = club.env.backend.get_message(lobby.channel_id, lobby.id).components
        rows = [part for part in box["components"] if part["type"] == 1]
        return {item["id"] for row in rows for item in row["components"] if item["type"] != 2}

    lobby = await club.open(club.alice, "play")
    for game in sample([*rules.GAMES.values()], 3):
        await club.press_all(club.alice, "Start a game", game.title, on=lobby)
        opponents = menus()
        assert len(opponents) == 1
        await club.press(club.alice, "Anybody here", on=lobby)
        assert len(menus()) > 4
        assert not menus() & opponents
        lobby = await club.open(club.alice, "play")


async def test_the_opponent_and_the_terms_can_be_changed_before_sending(club: Club, visit: Visit) -> None:
    for label in ("Start a game", "Dalen", "9", "Anybody here"):
        await visit.press(label)
    await visit.pick(club.carol)
    assert "Challenge Carol" in visit.text
    await visit.pick(club.bob)
    assert "Challenge Bob" in visit.text
    await visit.pick()
    assert "Challenge anybody here" in visit.text
    await club.choose(club.alice, "1 day a turn", on=visit.card)
    await club.choose(club.alice, "Casual: just for fun", on=visit.card)
    assert "Challenge anybody here" in visit.text
    await visit.press("Send the challenge")
    challenge = await club.newest_challenge()
    assert challenge.opponent is None
    assert (challenge.control, challenge.rated, challenge.ruleset.size) == (TimeControl.turns_of(DAY), False, 9)
    assert (await club.press(club.carol, "Accept")).nothing


async def test_a_restart_between_any_two_presses_changes_nothing(club: Club, visit: Visit) -> None:
    visit.between = club.restart
    for label in ("Start a game", "Nadraz", "6"):
        await visit.press(label)
    await visit.pick(club.bob)
    await visit.press("Send the challenge")
    assert (await club.newest_challenge()).ruleset == rules.ruleset("nadraz", 6)
    await club.restart()
    assert (await club.press(club.bob, "Accept")).nothing


async def test_two_people_can_start_games_from_one_card_at_once(club: Club) -> None:
    await club.app.welcome.post(club.channel.id, club.guild.id)
    screen = club.screen()
    answers = await club.press_together((club.alice, "Start a game", screen), (club.bob, "Start a game", screen))
    for who, answer, game in ((club.alice, answers[0], "Hedu"), (club.bob, answers[1], "Dalen")):
        assert "Which game?" in answer.private
        await club.press(who, game, on=answer.private_handle)
        await club.press(who, "Anybody here", on=answer.private_handle)
        await club.press(who, "Send the challenge", on=answer.private_handle)
    assert [card.text.splitlines()[1].split(",")[0] for card in club.cards()[1:]] == ["**Hedu", "**Dalen"]
    assert club.cards()[0].labels == WAYS


async def test_a_game_starts_only_in_a_channel_for_games(club: Club) -> None:
    lobby = await club.open(club.alice, "play")
    other = club.guild.create_text_channel("other")
    await club.app.settings.change_server_settings(club.guild.id, channel_ids=frozenset({other.id}))
    assert "plays in other channels" in (await club.press(club.alice, "Start a game", on=lobby)).private
    club.forbid("attach_files")
    assert "not allowed to play in this channel" in (await club.press(club.alice, "Start a game", on=lobby)).private


async def test_a_game_is_learnt_and_then_started(club: Club, visit: Visit) -> None:
    await visit.press("Learn")
    await visit.press("Hedu")
    assert "Hedu · task " in visit.text


async def test_my_games_opens_beside_the_lobby(club: Club) -> None:
    await club.match()
    lobby = await club.open(club.bob, "play")
    assert "**#1** Dalen against Alice" in (await club.press(club.bob, "My games", on=lobby)).private
    assert club.seen(lobby).labels == WAYS
    await club.press(club.bob, "Puzzles", on=lobby)
    assert "to play: find the" in club.seen(lobby).text
