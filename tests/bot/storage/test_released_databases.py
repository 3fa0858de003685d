"""What releases have stored is opened by this version, and what they have posted is answered."""

from __future__ import annotations

import random

import pytest

from bot.discord.ui.keypad import ControlKey
from bot.storage import Database
from rules import GAMES
from tests.support.discord.club import Club
from tests.support.discord.turn_presses import keys, offered
from tests.support.services.released import VERSIONS, Released, ids_of, read, restore
from tests.support.thorough import on_databases


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """PostgreSQL takes over what a release has stored in the tests of copies; a club plays on it if thorough."""
    on_databases(metafunc)


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def released(blank: Database, club: Club, version: str) -> Released:
    """What the release has stored; the club's bot goes on with it."""
    ids = ids_of(club)
    released = read(version, {name: ids.get(name) or club.join(name.capitalize()).id for name in read(version).ids})
    await club.stop()
    await restore(released, blank)
    club.config.database_url = blank.url.render_as_string(hide_password=False)
    await club.env.advance_time((released.now - club.env.now()).total_seconds())
    await club.start()
    return released


async def test_matches_and_cards_of_a_release_are_played_on(released: Released, club: Club) -> None:
    matches = [await club.app.matches.game(number) for number in range(1, (await club.newest_match()).id + 1)]
    assert {game.match.ruleset.game.name for game in matches} == GAMES.keys()
    assert {game.match.challenge_id for game in matches if game.match.tournament is not None} == {None}
    before = await club.app.ratings.digest()
    await club.app.ratings.recompute()
    assert await club.app.ratings.digest() == before
    assert len(released.cards) >= len(GAMES)
    await club.challenge(club.alice, club.bob)
    template, chance = club.screen(), random.Random(1)
    for number, buttons in released.cards.items():
        game = await club.app.matches.game(number)
        assert game.to_act is not None
        who = club.member(game.to_act.id)
        label = chance.choice([button for button in buttons if button.startswith("Play") or button in ("Play", "Pass")])
        answer = await club.press_late(who, "Accept", template.relabelled("Accept", buttons[label]))
        while not answer.nothing and (await club.app.matches.game(number)).step == game.step:
            card, (handle,) = answer.messages[0], answer.handles
            label = keys(card).get(ControlKey.END) or chance.choice([*offered(card).values()])
            await club.press(who, label, on=handle)
        assert (await club.app.matches.game(number)).step > game.step
    template = club.screen((await club.slash(club.alice, "board", match="1")).private_handle)
    for control in released.controls:
        screen = template.relabelled("Replay", control.custom_id)
        (answer,) = await club.press_together((club.alice, "Replay", screen), choices=control.chosen)
        assert not any("from an earlier version" in message.text for message in answer.messages), control
