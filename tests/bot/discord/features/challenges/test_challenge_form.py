"""The entry *Challenge…* in a user's menu."""

from __future__ import annotations

import discord
import pytest
from simcord import MemberActor
from simcord.results import ResponseMessage

import rules
from bot.discord.features.challenges.challenge_form import ANYBODY, ChallengeForm, challenge_form
from bot.domain.challenges import First
from bot.domain.clocks import DAY, TimeControl
from bot.domain.preferences import PlayIn
from bot.texts import in_language
from tests.support.discord.club import Answer, Club
from tests.support.thorough import sample


async def pick(club: Club, who: MemberActor, target: MemberActor) -> Answer:
    result = await who.context_menu(club.channel, "Challenge…", target)
    assert result.acknowledged
    return Answer(club.env, result, press=False)


@pytest.fixture
async def panel(club: Club) -> ResponseMessage:
    """Alice's panel to challenge Bob."""
    return (await pick(club, club.alice, club.bob)).private_handle


async def test_a_challenge_is_put_together_and_sent(club: Club, panel: ResponseMessage) -> None:
    assert "Challenge Bob" in club.seen(panel).text
    assert club.cards() == []
    await club.choose(club.alice, "Size 6", on=panel)
    await club.choose(club.alice, "Variant: leaves", on=panel)
    await club.restart()
    back = await club.change(club.alice, "Back", on=panel)
    assert "Dalen, size 6, Variant: leaves, casual, no clock" in back.text
    await club.press(club.alice, "Change…", on=panel)
    await club.choose_in(club.alice, "offer-opponent", club.bob, on=panel)
    await club.choose(club.alice, "I open", on=panel)
    await club.choose(club.alice, "Clock: 1 day a turn", on=panel)
    assert "The challenge is in the channel" in (await club.change(club.alice, "Send the challenge", on=panel)).text
    assert club.seen(panel).labels == ()
    challenge = await club.newest_challenge()
    assert challenge.opponent is not None
    assert challenge.opponent.id == club.bob.id
    assert (challenge.ruleset.size, challenge.ruleset.variant) == (6, "leaves")
    assert challenge.first is First.CHALLENGER
    assert challenge.control == TimeControl.turns_of(DAY)
    assert not challenge.rated
    assert club.card().pinged == (club.bob.id,)
    assert (await club.press(club.bob, "Accept")).nothing


@pytest.mark.parametrize("game", sample([*rules.GAMES][::-1], 5))
async def test_every_game_starts_with_its_own_size(club: Club, panel: ResponseMessage, game: str) -> None:
    await club.choose(club.alice, "Size 9 · large", on=panel)
    await club.choose(club.alice, "Game: Hedu" if game == "dalen" else "Game: Dalen", on=panel)
    await club.choose(club.alice, f"Game: {rules.GAMES[game].title}", on=panel)
    await club.press(club.alice, "Send the challenge", on=panel)
    challenge = await club.newest_challenge()
    assert challenge.ruleset == rules.ruleset(game, rules.GAMES[game].sizes[0]), "small, for a newcomer"
    assert not challenge.rated


async def test_a_challenge_that_cannot_be_sent_is_refused_with_the_reason(club: Club, panel: ResponseMessage) -> None:
    assert "is a bot" in (await pick(club, club.alice, club.join_as_bot("Robot"))).private
    # The server's settings
    change, other = club.app.settings.change_server_settings, club.guild.create_text_channel("other")
    await change(club.guild.id, channel_ids=frozenset({other.id}), play_in=PlayIn.THREAD)
    assert "plays in other channels" in (await club.press(club.alice, "Send the challenge", on=panel)).private
    await change(club.guild.id, channel_ids=frozenset())
    assert club.cards() == []
    # An opponent who has left meanwhile
    carols = (await pick(club, club.alice, club.carol)).private_handle
    club.guild.remove_member(club.carol)
    await club.env.settle()
    assert "no longer here" in (await club.press(club.alice, "Send the challenge", on=carols)).private
    assert club.cards() == []


def test_a_casual_challenge_without_a_handicap_stays_casual() -> None:
    form = challenge_form(ChallengeForm(ANYBODY, rules.ruleset("dalen"), rated=False), None)
    menus = [each for each in form.view.walk_children() if isinstance(each, discord.ui.Select)]
    chosen = [option.label for menu in menus for option in menu.options if option.default]
    assert {"Casual: just for fun", "No handicap"} <= {*chosen}


@pytest.mark.parametrize("language", ["en", "de", "es"])
def test_the_usual_terms_can_be_read_on_a_phone(language: str) -> None:
    with in_language(language):
        form = challenge_form(ChallengeForm(ANYBODY, rules.ruleset("hedu")), None)
    menus = [each for each in form.view.walk_children() if isinstance(each, discord.ui.Select)]
    *terms, _rated = [option.label for menu in menus for option in menu.options if option.default]
    assert len(terms) == len(menus) - 1
    for label in terms:
        assert len(label) <= 24, label
        assert label[0].isupper(), label
