"""What players and servers choose, and what servers allow."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from bot.domain.challenges import ChannelNotAllowedError, First, RoleNeededError
from bot.domain.matches import ProposalKind
from bot.domain.places import Place
from bot.domain.players import Player
from bot.domain.preferences import Bottom, Confirmation, InvalidSettingError, PlayIn, Preferences, ServerSettings
from bot.services.challenges import Challenges
from bot.services.matches import Matches
from bot.services.people.settings import Settings
from bot.services.proposals import Proposals
from bot.storage import Storage
from tests.support.services import ALICE, BOB, DALEN, PLACE, Clock, service, start

MEMBERS = 77


@pytest.fixture
def matches(storage: Storage) -> Matches:
    return service(storage, Clock())


@pytest.fixture
def settings(storage: Storage) -> Settings:
    return chooser(storage)


def chooser(storage: Storage) -> Settings:
    return Settings(storage, themes=("leaves", "night"), languages=("en-GB", "de"))


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("theme", ["night", None]),
        ("orientation", [Bottom.MY_SIDE, 0, 7, 11, Bottom.AS_IS]),
        ("coordinates", [False, True]),
        ("confirmation", [Confirmation.ALWAYS, Confirmation.NEVER, Confirmation.AT_ONCE, Confirmation.RISKY]),
        ("pings", [False, True]),
        ("language", ["de", None]),
    ],
)
async def test_what_a_player_chooses_is_kept_and_the_rest_stays(
    settings: Settings, storage: Storage, name: str, values: list[Any]
) -> None:
    assert await settings.preferences(ALICE.id) == Preferences()
    other = "coordinates" if name != "coordinates" else "pings"
    await settings.change_preferences(ALICE, **{other: False})
    for value in values:
        changed = await settings.change_preferences(ALICE, **{name: value})
        assert changed == await chooser(storage).preferences(ALICE.id)
        assert getattr(changed, name) == value
        assert type(getattr(changed, name)) is type(value)
    assert await settings.preferences(ALICE.id) == Preferences(**{other: False, name: values[-1]})
    assert await settings.preferences(BOB.id) == Preferences()


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
async def test_a_value_that_there_is_not_is_refused_and_nothing_is_kept(
    settings: Settings, name: str, value: Any
) -> None:
    other = "pings" if name != "pings" else "coordinates"
    with pytest.raises(InvalidSettingError) as refused:
        await settings.change_preferences(ALICE, **{other: False, name: value})
    assert f"“{value}” is not possible" in str(refused.value.text)
    assert await settings.preferences(ALICE.id) == Preferences()


@pytest.mark.both_databases
async def test_values_may_come_as_the_text_of_a_menu(settings: Settings) -> None:
    changed = await settings.change_preferences(ALICE, orientation="my-side", confirmation="never")
    assert (changed.orientation, changed.confirmation) == (Bottom.MY_SIDE, Confirmation.NEVER)
    assert (await settings.change_server_settings(1, play_in="thread")).play_in is PlayIn.THREAD


@pytest.mark.both_databases
async def test_two_choices_at_once_are_both_kept(settings: Settings) -> None:
    changes: list[dict[str, Any]] = [{"theme": "night"}, {"pings": False}, {"orientation": 3}, {"language": "de"}]
    await asyncio.gather(*(settings.change_preferences(ALICE, **change) for change in changes))
    assert await settings.preferences(ALICE.id) == Preferences(theme="night", pings=False, orientation=3, language="de")


@pytest.mark.both_databases
async def test_what_a_server_chooses_is_kept_and_the_rest_stays(settings: Settings) -> None:
    assert await settings.server_settings(1) == ServerSettings()
    await settings.change_server_settings(1, channel_ids=[10, 11], challenger_role_id=MEMBERS)
    await settings.change_server_settings(1, play_in=PlayIn.THREAD, theme="night", language="de")
    await settings.change_server_settings(1, channel_ids={11, 12})
    assert await settings.server_settings(1) == ServerSettings(
        PlayIn.THREAD, frozenset({11, 12}), MEMBERS, "night", "de"
    )
    assert await settings.change_server_settings(1, channel_ids=(), challenger_role_id=None) == ServerSettings(
        PlayIn.THREAD, theme="night", language="de"
    )
    assert await settings.server_settings(2) == ServerSettings()


async def test_a_server_plays_in_its_channels_and_their_threads_only(
    settings: Settings, matches: Matches, challenges: Challenges, storage: Storage
) -> None:
    await settings.change_server_settings(1, channel_ids={10})
    elsewhere, thread = Place(1, 11), Place(1, 12, parent_id=11)
    with pytest.raises(ChannelNotAllowedError) as refused:
        await challenges.challenge(elsewhere, ALICE, BOB, DALEN, First.RANDOM)
    assert "Channel(id=10)" in str(refused.value.text)
    with pytest.raises(ChannelNotAllowedError):
        await challenges.challenge(thread, ALICE, BOB, DALEN, First.RANDOM)
    await challenges.challenge(PLACE, ALICE, BOB, DALEN, First.RANDOM)
    await challenges.challenge(replace(thread, parent_id=10), ALICE, BOB, DALEN, First.RANDOM)
    await challenges.challenge(Place(2, 20), ALICE, BOB, DALEN, First.RANDOM)
    match = await start(matches, place=Place(None, 30))
    with pytest.raises(ChannelNotAllowedError):
        await Proposals(storage, matches, clock=Clock()).propose(match.id, ALICE.id, ProposalKind.MOVE, place=elsewhere)


async def test_a_server_may_want_a_role_of_challengers_but_not_of_the_challenged(
    settings: Settings, matches: Matches, challenges: Challenges
) -> None:
    await settings.change_server_settings(1, challenger_role_id=MEMBERS)
    for roles in ((), (76, 78)):
        with pytest.raises(RoleNeededError) as refused:
            await challenges.challenge(PLACE, ALICE, BOB, DALEN, First.RANDOM, role_ids=roles)
        assert f"Role(id={MEMBERS})" in str(refused.value.text)
    challenge = await challenges.challenge(PLACE, ALICE, BOB, DALEN, First.RANDOM, role_ids=(76, MEMBERS))
    await challenges.accept(challenge.id, BOB)


@pytest.mark.both_databases
async def test_whether_a_player_knows_a_game_is_stored_for_each_game(storage: Storage) -> None:
    new = Player(300, "New")

    async def mark() -> None:
        async with storage.transaction() as tx:
            await tx.players.save(new, BOB)
            await tx.settings.mark_known(new.id, "dalen")

    async def knows(player: Player, game: str) -> bool:
        async with storage.read() as tx:
            return (await tx.settings.preferences_and_known([player.id], game))[player.id][1]

    await asyncio.gather(*(mark() for _ in range(5)))
    assert await knows(new, "dalen")
    assert not await knows(new, "hedu")
    assert not await knows(BOB, "dalen")
