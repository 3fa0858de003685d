"""The turns of a match: the opening, the choice of side, placements, passes, and what everyone sees of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest
from simcord import ChannelHandle

from bot.domain.clocks import DAYS_OFF
from bot.domain.matches import Match, ProposalKind
from bot.domain.preferences import TURNS_BEFORE_OFFER, BoardCards, PlayIn
from rules import PASS
from tests.support.discord.actions import ask, rest, restart_and_count
from tests.support.discord.club import Club, Seen
from tests.support.discord.turn_presses import build
from tests.support.games import FLIPPING, LOSING, PASSING, TWO_LEAVES, WHOLE_GAME
from tests.support.services.counts import Counts, counting
from tests.support.services.stored import days_off_left
from tests.support.thorough import covered, sample

#: An opening, a choice of side and a few turns of Dendria.
DENDRIA = ("g4", "dark", "d6", "m12", "k8", "f7", "e9", "i8")
#: Modules that a reader of a turn's way need not follow.
_NOT_FOLLOWED = (
    # Values, pure decisions, and parts of messages.
    "bot.domain.",
    "bot.texts",
    "bot.discord.ui.",
    "bot.wording.",
    "bot.pictures",
    "bot.discord.posting.board_plan",
    "bot.discord.posting.cards.",
    "bot.discord.interaction.feature",
    "bot.discord.interaction.interactions",
    "bot.discord.interaction.limits",
    "bot.discord.transport.servers",
    "bot.storage.columns",
    "bot.storage.names",
    "bot.storage.repository",
    "bot.storage.sqlite",
    # Counters and limits, which do not change a turn.
    "bot.runtime.metrics",
    "bot.storage.failures",
    "bot.discord.transport.in_flight",
    "bot.discord.transport.requests",
    "bot.runtime.fair_threads",
    "bot.runtime.recent",
)


async def test_the_first_player_opens_and_the_second_chooses_a_side(club: Club) -> None:
    await club.match()
    card = club.card()
    assert (
        f"<@{club.alice.id}>, open with **Play** or /move: a Dark stone anywhere. Bob then picks a side." in card.text
    )
    assert "You win when all stones are yours." in card.text
    assert card.pinged == (club.alice.id,)
    assert card.labels == ("Play", "a–c", "d–f", "g–i", "Type it", "More…", "Learn in 3 minutes")
    await club.move(club.alice, "e5")
    card = club.card()
    card.says("Alice opened with `e5`", f"<@{club.bob.id}>, choose your side")
    assert card.labels == ("Play Dark", "Play Light", "More…", "Learn in 3 minutes")
    assert card.pinged == (club.bob.id,)
    assert [choice["value"] for choice in await club.offers(club.bob, "")] == ["dark", "light"]
    assert [choice["value"] for choice in await club.offers(club.bob, "l")] == ["light"]
    assert (await club.press(club.bob, "Play Dark")).nothing
    assert await club.turns() == ("e5", "dark")
    club.card().says("Bob chose **Dark**", f"<@{club.alice.id}>'s turn (Light): press")


async def test_a_turn_has_a_new_card_and_the_previous_one_loses_its_buttons(club: Club) -> None:
    await club.match(turns=["e5", "light"])
    before, boards = club.card(), club.boards()
    await club.move(club.bob, "d4")
    assert len(club.boards()) == len(boards) + 1
    card = club.card()
    assert "Turn 3 · Bob (Light) played `d4`" in card.text
    card.says(f"<@{club.alice.id}>'s turn (Dark): press", "Match #1 · Dalen, size 5")
    assert club.picture(card).width == 900
    assert not card.private
    after = next(card for card in club.cards() if card.id == before.id)
    assert before.labels
    assert after.labels == ()
    assert after.pictures == before.pictures
    assert after.descriptions == before.descriptions
    assert [file["id"] for file in after.files] == [file["id"] for file in before.files]
    assert club.picture(after).tobytes() == club.picture(before).tobytes()
    assert "Bob chose **Light**" in after.text
    assert "'s turn" not in after.text
    assert after.pinged == ()
    await club.env.advance_time(25 * 3600)
    edits = club.requests("PATCH", r"/channels/\d+/messages/\d+")
    assert edits
    for edit in edits:  # edits ping nobody
        assert edit.json is not None
        assert edit.json["allowed_mentions"]["parse"] == []
        assert edit.json["allowed_mentions"].get("users", []) == []


async def test_suggestions_and_the_card_say_how_many_stones_a_turn_flips_or_loses(club: Club) -> None:
    match = await club.match(turns=FLIPPING)
    offered = await club.offers(club.bob, "")
    assert len(offered) == 25
    assert offered[0] == {"name": "f7 · flips 1 stone", "value": "f7"}
    await club.move(club.bob, "f7")
    assert "Bob (Dark) played `f7`. It flips 1 stone." in club.card().text
    (description,) = club.card().descriptions
    assert [file["description"] for file in club.card().files] == [description], "the picture and its file"
    assert "Dark is Bob, Light is Alice." in description
    assert "f7" in description
    await club.app.matches.resign(match.id, club.alice.id, shown_by_caller=True)
    await club.match(turns=LOSING)
    assert await club.offers(club.alice, "f3") == [{"name": "f3 · loses 4 of its own", "value": "f3"}]
    await club.move(club.alice, "f3")
    assert "Alice (Light) played `f3`. It loses 4 of its own." in club.card().text


async def test_every_legal_turn_can_be_found_by_what_is_typed_so_far(club: Club) -> None:
    await club.match(turns=["e5", "light"])
    legal = (await club.app.matches.game(1)).position.legal_turns
    found = [choice["value"] for column in "abcdefghi" for choice in await club.offers(club.bob, column)]
    assert sorted(found) == sorted(legal)
    for typed in ("D", " d", "e9"):
        wanted = {turn for turn in legal if turn.startswith(typed.strip().lower())}
        assert {choice["value"] for choice in await club.offers(club.bob, typed)} == wanted
        assert wanted


async def test_an_illegal_turn_is_refused_privately_in_the_words_of_the_rules(club: Club) -> None:
    async def refuse(**refused: str) -> None:
        cards, turns = club.cards(), await club.turns()
        for typed, reason in refused.items():
            assert (await club.slash(club.alice, "move", turn=typed)).private == reason
        assert club.cards() == cards
        assert await club.turns() == turns

    await club.match()
    by_name = "name a cell by its letter and number, such as `e5`."
    await refuse(light=f"A side is chosen after the opening; {by_name}")
    await club.play_quietly(1, TWO_LEAVES)
    pass_too_early = "You can pass only when you have no legal placement."
    await refuse(
        e5="e5 is next to two of your leaves: d5, e6.",
        A1="a1 is taken by a light stone.",
        a9="a9 is off the board, which runs from a1 to i9.",
        dark=f"The side has already been chosen; {by_name}",
        **{"pass": pass_too_early, "<@1>": f"“`<@1>`” is not a turn; {by_name}"},
    )
    assert (await club.slash(club.alice, "pass")).private == pass_too_early
    suggested = [{"name": "✗ e5 is next to two of your leaves: d5, e6", "value": "e5"}]
    assert await club.offers(club.alice, "e5") == suggested


async def test_a_turn_out_of_turn_is_not_suggested(club: Club) -> None:
    await club.match(turns=["e5", "light"])
    for who, said in (
        (club.alice, "✗ match #1: it is Bob's turn"),
        (club.carol, "✗ You are not playing in match #1 (Alice vs Bob). /play starts a match of your own."),
    ):
        assert [choice["name"] for choice in await club.offers(who, "e5")] == [said]


@pytest.mark.parametrize("way", sample(["pressed", "typed"], 2))
async def test_a_player_without_a_placement_passes_by_the_button_or_the_command(club: Club, way: str) -> None:
    game = await club.app.matches.game((await club.match(turns=PASSING)).id)
    assert game.to_act is not None
    who = club.member(game.to_act.id)
    assert [choice["value"] for choice in await club.offers(who, "")] == [PASS]
    card = club.card()
    assert "can only pass: press Pass." in card.text
    assert card.labels[:2] == ("Pass", "More…")
    assert (await (club.press(who, "Pass") if way == "pressed" else club.slash(who, "pass"))).nothing
    assert await club.turns() == (*PASSING, PASS)
    assert " passed" in club.card().text


@pytest.mark.parametrize(
    ("backend", "game", "size", "turns", "control"),
    sample(
        [
            ("sqlite", "dendria", 7, DENDRIA, "none"),
            ("sqlite", "dalen", 5, ["e5", "light", "d4"], "10 min + 30 s"),
            ("postgresql", "dalen", 5, ["e5", "light", "d4"], "1 day a turn"),
        ],
        2,
    ),
)
async def test_a_turn_is_read_and_played_once_and_stored_with_few_statements(
    club: Club, game: str, size: int, turns: Sequence[str], control: str
) -> None:
    await club.app.settings.change_server_settings(club.guild.id, play_in=PlayIn.THREAD)
    match = await club.match(game=game, size=size, turns=turns, clock=control)
    (thread,) = club.threads()
    for board_cards, way in covered(BoardCards, ("typed", "pressed")):
        await show_matches(club, board_cards)
        turn = (await club.app.matches.game(match.id)).position.legal_turns[-2]
        counts = await counted(club, match, turn, way, thread)
        assert counts.turns == [turn]
        check(counts)


@pytest.mark.parametrize(("way", "board_cards"), covered(("pressed", "typed"), BoardCards))
async def test_a_turn_costs_few_statements_in_all_circumstances(club: Club, way: str, board_cards: BoardCards) -> None:
    await show_matches(club, board_cards)
    match = await club.match(turns=["e5", "dark"], clock="1 day a turn")

    async def play(turn: str, reply: str, **how: Any) -> Seen:
        """Check the cost of Alice's turn, let Bob reply, and return the card between the two turns."""
        await club.env.advance_time(60)
        check(await counted(club, match, turn, way, **how))
        card = club.card()
        await club.move(club.bob, reply)
        return card

    assert "your first Dalen?" in (await play("d4", "a1", cached=False)).text
    club.env.backend.edit_member(club.guild.id, club.alice.id, {"nick": "Ally"})
    assert "Ally (Light) played `i9`" in (await play("i9", "a5")).text
    await rest(club)
    assert (await play("g3", "g9")).pinged == ()
    await club.env.advance_time(9 * 60 * 60)  # the quiet hours are over
    await club.match(club.carol, club.alice, turns=["e5"])
    await play("e9", "i5", cached=False, offers=True)


@pytest.mark.parametrize("way", sample(["pressed", "typed"], 2))
async def test_a_turn_that_spends_a_day_off_costs_no_more_statements(club: Club, way: str) -> None:
    match = await club.match(turns=["e5", "dark"], clock="1 day a turn, strict")
    clock = (await club.app.matches.match(match.id)).clock
    assert clock is not None
    async with club.app.storage.transaction() as tx:  # her time is up, but the timer has not fired yet
        await tx.clocks.shift([(match.id, clock.shifted(-clock.control.bank))])
    counts = await counted(club, match, "d4", way)
    assert await days_off_left(club.app.storage, club.alice.id, club.env.now()) == DAYS_OFF - 1
    check(counts)


@pytest.mark.parametrize("kind", [ProposalKind.TAKE_BACK, ProposalKind.ABANDON])
async def test_a_turn_that_lapses_a_proposal_costs_no_more_statements(club: Club, kind: ProposalKind) -> None:
    match = await club.match(turns=["e5", "dark", "d4", "a1"], clock="1 day a turn")
    await club.env.advance_time(60)
    offer = await ask(club, club.alice, kind)
    since = len(club.env.http_requests)
    check(await counted(club, match, "i9", "typed"))
    assert [card.id for card in club.cards() if "no longer applies" in card.text] == [offer.id]
    await club.env.advance_time(60)
    check(await counted(club, match, "a5", "typed", cached=False))
    edited = [request.path.split("/")[-1] for request in club.requests("PATCH", r"/channels/\d+/messages/\d+", since)]
    assert edited.count(str(offer.id)) == 1
    assert await restart_and_count(club) == 0


@pytest.mark.parametrize(("way", "most"), sample([("typed", 28), ("pressed", 29)], 2))
async def test_the_last_turn_of_a_rated_match_costs_more_statements(club: Club, way: str, most: int) -> None:
    match = await club.match(turns=WHOLE_GAME[:-1], clock="1 day a turn")
    counts = await counted(club, match, WHOLE_GAME[-1], way)
    assert (await club.app.matches.match(match.id)).rating_changes
    check(counts, statements=most, reads=2)


@pytest.mark.parametrize(("way", "board_cards"), sample([*product(("typed", "pressed"), BoardCards)], 3))
async def test_a_turn_runs_through_few_modules(club: Club, way: str, board_cards: BoardCards) -> None:
    await show_matches(club, board_cards)
    counts = await counted(club, await club.match(turns=["e5", "light", "d4", "a1"]), "i9", way)
    walk = {module for module in counts.modules if not module.startswith(_NOT_FOLLOWED)}
    assert len(walk) <= 18, "\n".join(sorted(walk))


async def test_opening_the_card_of_a_turn_reads_once(club: Club) -> None:
    await club.match(turns=["e5", "light"])
    with counting(club.app.database) as counts:
        await club.press(club.bob, "Play")
    assert (counts.reads, counts.writes) == (1, 0)


async def show_matches(club: Club, board_cards: BoardCards) -> None:
    """Let the server show matches with living cards or with a card for every turn."""
    await club.app.settings.change_server_settings(club.guild.id, board_cards=board_cards)


def check(counts: Counts, statements: int = 15, reads: int = 1, writes: int = 2) -> None:
    """Check the cost of a turn, which is loaded, stored, and noted as shown, each in one session."""
    assert len(counts.statements) <= statements, counts.statements
    assert counts.reads <= reads
    assert 0 < counts.writes <= writes


async def counted(
    club: Club,
    match: Match,
    turn: str,
    way: str,
    where: ChannelHandle | None = None,
    *,
    cached: bool = True,
    offers: bool = False,
) -> Counts:
    """Play a turn that is typed, or composed and then pressed, and return its cost."""
    game = await club.app.matches.game(match.id)
    assert game.to_act is not None
    who, where = club.member(game.to_act.id), where or club.channel
    card = None
    if way == "pressed":
        async with club.app.storage.transaction() as tx:  # the first turns by buttons are counted
            await tx.settings.change_preferences(who.id, {"turns_by_buttons": TURNS_BEFORE_OFFER})
        card, _presses = await build(club, who, game.position, turn, where)
    if not cached:
        club.app.matches._replays.clear()
    with counting(club.app.database) as counts:
        if card is None:
            answer = await club.slash(who, "move", turn=turn, where=where)
        else:
            answer = await club.press(who, club.seen(card).labels[0], on=card)
    assert await club.turns(match.id) == (*game.turns, turn)
    if offers:
        assert club.seen(card or answer.private_handle).labels == ("Next match", "Skip")
    assert counts.turns_on_the_loop == []
    return counts
