"""What players and servers choose, and what servers allow."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from bot.domain.challenges import ChannelNotAllowedError, RoleNeededError
from bot.domain.matches import ProposalKind
from bot.domain.places import Place
from bot.domain.players import Player
from bot.domain.preferences import Bottom, Confirmation, InvalidSettingError, PlayIn, Preferences, ServerSettings
from tests.support.services.house import House
from tests.support.services.matches import ALICE, BOB, refused

MEMBERS = 77


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("theme", ["dark", None]),
        ("orientation", [Bottom.MY_SIDE, 0, 7, 11, Bottom.AS_IS]),
        ("coordinates", [False, True]),
        ("confirmation", [Confirmation.ALWAYS, Confirmation.NEVER, Confirmation.AT_ONCE, Confirmation.RISKY]),
        ("pings", [False, True]),
        ("language", ["de", None]),
    ],
)
async def test_a_chosen_preference_is_kept_and_the_others_stay(house: House, name: str, values: list[Any]) -> None:
    assert await house.settings.preferences(ALICE.id) == Preferences()
    other = "coordinates" if name != "coordinates" else "pings"
    await house.settings.change_preferences(ALICE, **{other: False})
    for value in values:
        changed = await house.settings.change_preferences(ALICE, **{name: value})
        assert changed == await house.another().settings.preferences(ALICE.id)
        assert (getattr(changed, name), type(getattr(changed, name))) == (value, type(value))
    assert await house.settings.preferences(ALICE.id) == Preferences(**{other: False, name: values[-1]})
    assert await house.settings.preferences(BOB.id) == Preferences()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("theme", "mauve"),
        ("orientation", 12),
        ("orientation", -1),
        ("orientation", "upside-down"),
        ("confirmation", "sometimes"),
        ("coordinates", "maybe"),
        ("pings", None),
        ("language", "xx"),
    ],
)
async def test_an_impossible_value_is_refused_and_nothing_is_kept(house: House, name: str, value: Any) -> None:
    other = "pings" if name != "pings" else "coordinates"
    error = await refused(InvalidSettingError, house.settings.change_preferences(ALICE, **{other: False, name: value}))
    assert f"“{value}” is not possible" in str(error.text)
    assert await house.settings.preferences(ALICE.id) == Preferences()


@pytest.mark.both_databases
async def test_values_may_come_as_the_text_of_a_menu(house: House) -> None:
    changed = await house.settings.change_preferences(ALICE, orientation="my-side", confirmation="never")
    assert (changed.orientation, changed.confirmation) == (Bottom.MY_SIDE, Confirmation.NEVER)
    assert (await house.settings.change_server_settings(1, play_in="thread")).play_in is PlayIn.THREAD


@pytest.mark.both_databases
async def test_choices_made_at_once_are_all_kept(house: House) -> None:
    chosen: dict[str, Any] = {"theme": "dark", "pings": False, "orientation": 3, "language": "de"}
    await asyncio.gather(*(house.settings.change_preferences(ALICE, **{name: chosen[name]}) for name in chosen))
    assert await house.settings.preferences(ALICE.id) == Preferences(**chosen)


@pytest.mark.both_databases
async def test_a_servers_settings_are_kept_and_the_others_stay(house: House) -> None:
    change = house.settings.change_server_settings
    assert await house.settings.server_settings(1) == ServerSettings()
    await change(1, channel_ids=[10, 11], challenger_role_id=MEMBERS)
    await change(1, play_in=PlayIn.THREAD, theme="dark", language="de")
    await change(1, channel_ids={11, 12})
    chosen = ServerSettings(PlayIn.THREAD, frozenset({11, 12}), MEMBERS, "dark", "de")
    assert await house.settings.server_settings(1) == chosen
    without = replace(chosen, channel_ids=frozenset(), challenger_role_id=None)
    assert await change(1, channel_ids=(), challenger_role_id=None) == without
    assert await house.settings.server_settings(2) == ServerSettings()


async def test_a_server_plays_in_its_channels_and_their_threads_only(house: House) -> None:
    await house.settings.change_server_settings(1, channel_ids={10})
    elsewhere, thread = Place(1, 11), Place(1, 12, parent_id=11)
    error = await refused(ChannelNotAllowedError, house.challenge(place=elsewhere))
    assert "Channel(id=10)" in str(error.text)
    await refused(ChannelNotAllowedError, house.challenge(place=thread))
    for place in (Place(1, 10), replace(thread, parent_id=10), Place(2, 20)):
        await house.challenge(place=place)
    match = await house.start(place=Place(None, 30))
    await refused(ChannelNotAllowedError, house.propose(match, ALICE, ProposalKind.MOVE, place=elsewhere))


async def test_a_server_may_want_a_role_of_challengers_but_not_of_the_challenged(house: House) -> None:
    await house.settings.change_server_settings(1, challenger_role_id=MEMBERS)
    for roles in ((), (76, 78)):
        error = await refused(RoleNeededError, house.challenge(role_ids=roles))
        assert f"Role(id={MEMBERS})" in str(error.text)
    await house.accepted(role_ids=(76, MEMBERS))


@pytest.mark.both_databases
async def test_whether_a_player_knows_a_game_is_stored_for_each_game(house: House) -> None:
    new = Player(300, "New")

    async def mark() -> None:
        async with house.storage.transaction() as tx:
            await tx.players.save(new, BOB)
            await tx.settings.mark_known(new.id, "dalen")

    await asyncio.gather(*(mark() for _ in range(5)))
    async with house.storage.read() as tx:
        for player, game, knows in ((new, "dalen", True), (new, "hedu", False), (BOB, "dalen", False)):
            assert (await tx.settings.preferences_and_known([player.id], game))[player.id][1] is knows
