"""``/play``: from all games at a glance to a sent challenge, a lesson, the own matches and the rules, by buttons."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from simcord import MemberActor

import rules
from bot.discord.ui.actions import OpenTask
from bot.domain.clocks import DAY, TimeControl
from rules.tasks import tasks
from tests.support.club import Answer, Club, seen
from tests.support.stored import stored_challenge
from tests.support.thorough import sample

#: The most presses from the lobby to a sent challenge; opening a menu and choosing from it are two.
FEWEST = 6
WAYS = ("Start a game", "Learn", "Puzzles", "My games", "Rules")


class Visit:
    """Somebody's way through the lobby, with the presses that it takes."""

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
        """Presses a button; what it opens, if anything, is the card from now on."""
        if self.between is not None:
            await self.between()
        self.presses += 1
        answer = await self.club.press(self.who, label, on=self.card)
        if answer.handles:
            self.card = answer.private_handle
        return answer

    async def pick(self, *whom: MemberActor) -> Answer:
        """Picks an opponent from the list of members, which has to be opened first."""
        if self.between is not None:
            await self.between()
        self.presses += 2
        return await self.club.choose_in(self.who, "offer-opponent", *whom, on=self.card)


@pytest.fixture
async def visit(club: Club) -> Visit:
    """Alice's lobby."""
    return Visit(club, club.alice, (await club.slash(club.alice, "play")).private_handle)


async def test_the_lobby_shows_every_game_and_leads_everywhere_and_back(club: Club, visit: Visit) -> None:
    card = seen(club.env, visit.card)
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


async def test_pictures_have_the_colours_of_whoever_looks(club: Club) -> None:
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


async def test_a_smaller_board_takes_one_more_press(club: Club, visit: Visit) -> None:
    for label in ("Start a game", "Hedu", "5"):
        await visit.press(label)
    await visit.pick(club.bob)
    await visit.press("Send the challenge")
    assert visit.presses == FEWEST
    assert (await club.newest_challenge()).ruleset.size == 5


async def test_no_menu_of_the_terms_takes_over_what_was_chosen_as_the_opponent(club: Club) -> None:
    def menus() -> set[int]:
        (box,) = club.env.backend.get_message(lobby.channel_id, lobby.id).components
        rows = [part for part in box["components"] if part["type"] == 1]
        return {item["id"] for row in rows for item in row["components"] if item["type"] != 2}

    lobby = (await club.slash(club.alice, "play")).private_handle
    for game in sample([*rules.GAMES.values()], 3):
        await club.press(club.alice, "Start a game", on=lobby)
        await club.press(club.alice, game.title, on=lobby)
        opponents = menus()
        assert len(opponents) == 1
        await club.press(club.alice, "Anybody here", on=lobby)
        assert len(menus()) > 4
        assert not menus() & opponents
        lobby = (await club.slash(club.alice, "play")).private_handle


async def test_the_opponent_and_the_terms_can_be_changed_before(club: Club, visit: Visit) -> None:
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


async def test_a_challenge_that_is_sent_twice_at_once_is_posted_once(club: Club, visit: Visit) -> None:
    for label in ("Start a game", "Fiodar", "Anybody here"):
        await visit.press(label)
    screen = club.screen(visit.card)
    answers = await club.press_together(*[(club.alice, "Send the challenge", screen)] * 2)
    assert sorted(answer.nothing for answer in answers) == [False, True]
    assert len(club.cards()) == 1
    assert await stored_challenge(club.app.storage, 2) is None


async def test_two_people_start_from_one_card_at_once_each_on_their_own(club: Club) -> None:
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


async def test_who_cannot_challenge_or_be_challenged_here_is_told_at_once(club: Club, visit: Visit) -> None:
    robot = club.join_as_bot("Robot")
    for label in ("Start a game", "Dalen"):
        await visit.press(label)
    assert "is a bot" in (await visit.pick(robot)).private
    assert "cannot challenge yourself" in (await visit.pick(club.alice)).private
    assert "Whom do you challenge?" in visit.text
    await visit.pick(club.bob)
    assert "Challenge Bob" in visit.text
    lobby = (await club.slash(club.alice, "play")).private_handle
    other = club.guild.create_text_channel("other")
    await club.app.settings.change_server_settings(club.guild.id, channel_ids=frozenset({other.id}))
    answer = await club.press(club.alice, "Start a game", on=lobby)
    assert "plays in other channels" in answer.private
    club.forbid("attach_files")
    answer = await club.press(club.alice, "Start a game", on=lobby)
    assert "not allowed to play in this channel" in answer.private
    alone = await club.whisper(club.alice, "play")
    assert "5 games" in alone.private


async def test_a_game_is_learnt_and_then_started(club: Club, visit: Visit) -> None:
    await visit.press("Learn")
    await visit.press("Hedu")
    assert "Hedu · task " in visit.text
    last = OpenTask(rules.GAMES["hedu"], len(tasks("hedu")) - 1, in_place=True)
    skipping = club.screen(visit.card).relabelled("Skip", last.custom_id)
    await club.press_late(club.alice, "Skip", skipping)
    await visit.press("Skip")
    await visit.press("Challenge somebody")
    assert "### 🗿 Hedu" in visit.text
    await visit.press("Anybody here")
    await visit.press("Send the challenge")
    assert (await club.newest_challenge()).ruleset == rules.ruleset("hedu")


async def test_my_games_are_shown_beside_the_lobby(club: Club) -> None:
    await club.match()
    lobby = (await club.slash(club.bob, "play")).private_handle
    answer = await club.press(club.bob, "My games", on=lobby)
    assert "**#1** Dalen against Alice" in answer.private
    assert seen(club.env, lobby).labels == WAYS
    await club.press(club.bob, "Puzzles", on=lobby)
    assert "to play: find the" in seen(club.env, lobby).text


async def test_everybody_reads_their_own_language(club: Club) -> None:
    club.turn_server_to("es-ES")
    await club.app.welcome.post(club.channel.id, club.guild.id)
    assert club.card().labels == ("Empezar una partida", "Aprender", "Problemas", "Mis partidas", "Reglas")
    club.speak(club.alice, "de")
    visit = Visit(club, club.alice, club.last_message())
    await visit.press("Empezar una partida")
    assert "### ⚔️ Welches Spiel?" in visit.text
    await visit.press("Dalen")
    await visit.press("Irgendwer hier")
    assert "Irgendwen hier herausfordern" in visit.text
