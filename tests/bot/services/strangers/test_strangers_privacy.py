"""Strangers stay strangers: what the services must not tell one about the other."""

from __future__ import annotations

import asyncio
import json
from functools import partial

import pytest

from bot.__main__ import main
from bot.domain.challenges import BlockedError, First
from bot.domain.competitions.leaderboards import LeaderboardQuery, Order, Period, Scope
from bot.domain.competitions.strangers import ExcludedError, Pace
from bot.domain.deliveries import CardKey, PostedMessage
from bot.domain.matches import Match, MatchChoice, MatchFilter, MatchScope, ProposalKind, ProposalState
from bot.domain.places import Place, Viewer
from bot.domain.players import Names, Player
from bot.domain.preferences import Outside
from bot.services.people.privacy import ExportFile
from tests.support.services.house import House
from tests.support.services.matches import DALEN, PLAYED, refused

HERE, BESIDE, THERE = Place(71_001, 71_101), Place(71_001, 71_102), Place(82_002, 82_202)
ALLY = Player(710_000_000_000_000_001, "Ally", Names("Alice", "alice_71", HERE.guild_id, "Ally"))
CARO = Player(820_000_000_000_000_002, "Caro", Names("Carol", "carol_82", THERE.guild_id, "Caro"))


async def meet(house: House) -> Match:
    for player, home in ((ALLY, HERE), (CARO, THERE)):
        await house.standing_requests.ask(player, ["dalen"], 1, Pace.WEEK, home, near=False)
    await house.strangers.pair()
    async with house.storage.read() as tx:
        (match,) = (match for match in await tx.matches.running() if match.apart is not None)
    return match


async def play(house: House, match: Match, winner: Player) -> Match:
    """Play a match until a resignation counts, and end it."""
    for turn in PLAYED:
        game = await house.game(match)
        assert game.to_act is not None
        player = ALLY if game.to_act.id == ALLY.id else CARO
        await house.matches.play(game, game.position.draft(game.position.parse(turn)), player)
    await house.matches.resign(match.id, (CARO if winner is ALLY else ALLY).id)
    return await house.match(match)


async def know_each_other(house: House, place: Place = BESIDE) -> Match:
    """Let both use the bot on one server, with nicknames there, and play an ordinary match."""
    caro = Player(CARO.id, "Caro here", Names("Carol", "carol_82", HERE.guild_id, "Caro here"))
    challenge = await house.challenges.challenge(place, ALLY, caro, DALEN, First.CHALLENGER)
    return await house.challenges.accept(challenge.id, caro)


def viewer(player: Player, place: Place) -> Viewer:
    return Viewer(player.id, place, channels=(place.channel_id, BESIDE.channel_id))


def text_of(file: ExportFile | None) -> str:
    assert file is not None
    return file.data.decode()


@pytest.mark.both_databases
async def test_the_data_of_a_player_does_not_name_a_stranger_or_their_home(house: House) -> None:
    match = await meet(house)
    proposal = await house.proposals.propose(match.id, ALLY.id, ProposalKind.ABANDON)
    await house.deliveries.set_proposal(proposal.id, PostedMessage(THERE.channel_id, 82_222, 1))
    await play(house, match, ALLY)
    await house.privacy.block_stranger(ALLY, CARO.id)
    text = text_of(await house.privacy.export(ALLY.id))
    for secret in (CARO.id, THERE.guild_id, THERE.channel_id, 82_222, "Caro", "carol_82"):
        assert str(secret) not in text, secret
    data = json.loads(text)
    alias = f"the opponent in match {match.id}"
    (row,) = data["matches"]
    assert {row["first_id"], row["second_id"]} == {str(ALLY.id), alias}
    assert [block["blocked_id"] for block in data["blocks"]] == [alias]
    assert [home["home_channel_id"] for home in data["match_deliveries"]] == [HERE.channel_id]
    assert data["standing_requests"][0]["channel_id"] == HERE.channel_id


async def test_matches_with_a_known_person_stay_in_the_data_with_their_account(house: House) -> None:
    known = await know_each_other(house)
    apart = await play(house, await meet(house), CARO)
    rows = json.loads(text_of(await house.privacy.export(ALLY.id)))["matches"]
    opponents = {row["id"]: {row["first_id"], row["second_id"]} - {str(ALLY.id)} for row in rows}
    assert opponents == {known.id: {str(CARO.id)}, apart.id: {f"the opponent in match {apart.id}"}}


@pytest.mark.both_databases
async def test_no_search_tells_who_a_stranger_is(house: House) -> None:
    known = await know_each_other(house)
    await house.matches.resign(known.id, CARO.id)
    match = await meet(house)
    running = {alike.match.id for alike in await house.history.running(player_id=ALLY.id, viewer=viewer(CARO, THERE))}
    assert running == set(), "his matches are not shown in her home"
    running = {alike.match.id for alike in await house.history.running(player_id=ALLY.id, viewer=viewer(CARO, HERE))}
    assert running == {match.id}, "but in his home"
    await play(house, match, ALLY)
    for place, found in ((THERE, 0), (HERE, 2)):
        page = await house.history.finished(MatchFilter(viewer=viewer(CARO, place), player_id=ALLY.id))
        assert page.total == found
    own = MatchFilter(player_id=ALLY.id)
    assert (await house.history.finished(own)).total == 2
    against = await house.history.finished(MatchFilter(player_id=ALLY.id, opponent_id=CARO.id))
    assert [each.id for each in against.matches] == [known.id]


@pytest.mark.both_databases
async def test_lists_of_opponents_leave_strangers_out(house: House) -> None:
    match = await play(house, await meet(house), ALLY)
    assert await house.history.opponents(MatchFilter(player_id=ALLY.id), 25, HERE) == []
    boards = {
        scope: await house.ratings.leaderboard(
            LeaderboardQuery(ALLY.id, HERE.guild_id, scope, "", Period.ALL, Order.RATING)
        )
        for scope in (Scope.EVERYWHERE, Scope.FRIENDS)
    }
    assert {row.player.name for row in boards[Scope.EVERYWHERE].rows} == {"Ally", "Carol"}
    assert {row.player.name for row in boards[Scope.FRIENDS].rows} == {"Ally"}
    profile = await house.ratings.profile(CARO, viewer(ALLY, HERE), None, HERE.guild_id)
    assert profile.results.games == 1
    assert (profile.against_viewer, profile.by_opponent) == (None, {})
    own = await house.ratings.profile(ALLY, viewer(ALLY, HERE), None, HERE.guild_id)
    assert (own.results.games, own.by_opponent) == (1, {})
    assert match.result is not None


@pytest.mark.both_databases
async def test_the_score_of_strangers_does_not_tell_that_they_know_each_other(house: House) -> None:
    conversation = Place(None, 93_003)
    for _ in range(2):
        known = await know_each_other(house, conversation)
        await play(house, known, CARO)
    match = await play(house, await meet(house), ALLY)
    record = (await house.matches.view(CardKey(match.id))).record
    assert record is not None
    assert record.results.games == 1
    again = await play(house, await know_each_other(house, conversation), CARO)
    record = (await house.matches.view(CardKey(again.id))).record
    assert record is not None
    assert record.results.games == 3


async def test_names_of_strangers_are_those_on_other_servers_everywhere(house: House) -> None:
    await know_each_other(house)
    await house.settings.change_preferences(CARO, outside=Outside.USERNAME)
    match = await meet(house)
    names: set[str] = set()

    def label(choice: MatchChoice) -> str:
        names.update(player.name for player in (choice.first, choice.second) if choice.id == match.id)
        return ""

    await house.matches.choices(viewer(ALLY, HERE), "", MatchScope.ALL, label, most=9)
    assert names == {"Alice", "carol_82"}
    async with house.storage.read() as tx:
        assert (await tx.matches.next_match(match.id, ALLY)).opponent.name == "carol_82"
    await house.settings.change_preferences(CARO, outside=Outside.HIDDEN)
    proposal = await house.proposals.propose(match.id, CARO.id, ProposalKind.ABANDON)
    view = await house.deliveries.proposal_view(proposal.id)
    assert (proposal.proposer.name, view.proposal.proposer.name) == ("", "")


@pytest.mark.both_databases
async def test_a_block_of_a_guessed_account_does_not_confirm_the_guess(house: House) -> None:
    match = await play(house, await meet(house), ALLY)
    await house.privacy.set_blocked(ALLY, [CARO.id])
    assert (await house.proposals.propose(match.id, ALLY.id, ProposalKind.REMATCH)).state is ProposalState.OPEN
    await refused(BlockedError, house.proposals.propose(match.id, CARO.id, ProposalKind.REMATCH))


@pytest.mark.both_databases
async def test_a_block_between_strangers_does_not_tell_whom_it_concerns(house: House) -> None:
    match = await play(house, await meet(house), ALLY)
    await house.privacy.block_stranger(ALLY, CARO.id)
    for guess in ([CARO.id - 1, CARO.id, CARO.id + 1], [CARO.id - 1, CARO.id + 1], []):
        await house.privacy.set_blocked(ALLY, guess)
        assert await house.privacy.blocks(ALLY.id) == guess
        rows = json.loads(text_of(await house.privacy.export(ALLY.id)))["blocks"]
        whom = [row["blocked_id"] for row in rows]
        assert whom == [*map(str, guess), "the opponent in match 1"], "the data does not tell who that is"
    known = await know_each_other(house)
    assert (await house.match(known)).result is None, "a challenge is not refused, which would name the stranger"
    async with house.storage.read() as tx:
        assert await tx.privacy.blocker(*(player.id for player in match.players), strangers=True) == ALLY.id


@pytest.mark.both_databases
async def test_the_operator_keeps_an_account_out_and_lets_it_in_again(
    house: House, database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", database_url)
    ask = partial(house.standing_requests.ask, ALLY, ["dalen"], 1, Pace.WEEK, HERE, near=False)
    assert await asyncio.to_thread(main, ["exclude", str(ALLY.id)]) == 0
    assert str(ALLY.id) in capsys.readouterr().out
    await refused(ExcludedError, ask())
    assert await asyncio.to_thread(main, ["exclude", "--again", str(ALLY.id)]) == 0
    await ask()
