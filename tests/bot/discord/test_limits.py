"""The cards that come closest to Discord's limits, with the longest names: Discord takes them, and nothing is cut.

``compose`` and ``Form`` keep the limits of every card and form.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import chain

import discord
import pytest
from simcord.components import COMPONENTS_V2_FLAG, validate_components

import render
import rules
from bot.discord.features.matches.board import marked_board, private_board
from bot.discord.features.matches.games import ON_PAGE, ListedMatch, games_card
from bot.discord.features.matches.moderation import void_button
from bot.discord.features.people.digests import MOST_MATCHES, digest_card
from bot.discord.features.study.import_ import imported_card, imports_card
from bot.discord.features.study.plan import plan_card
from bot.discord.features.study.puzzle import Stage, puzzle_card
from bot.discord.features.study.replay import replay_card, shared_card, whole_picture
from bot.discord.features.study.try_ import Trial, line_card, shared_line
from bot.discord.features.turns.move import turn_card
from bot.discord.posting.cards.ending import FinalPictures, final_card
from bot.discord.posting.cards.match import board_picture, match_card
from bot.discord.posting.cards.tournament import (
    cross_table_picture,
    options_card,
    tournament_card,
)
from bot.discord.ui import messages
from bot.discord.ui.actions import View
from bot.discord.ui.keypad import areas_of
from bot.discord.ui.markdown import CommandMentions
from bot.discord.ui.messages import LONGEST_DESCRIPTION, Aside, Message, Picture
from bot.domain.challenges import Challenge, ChallengeState, First
from bot.domain.clocks import DAY, LONGEST, Clock, TimeControl
from bot.domain.competitions.cross_tables import cross_tables
from bot.domain.competitions.cups import MAX_IN_CUP, Cup
from bot.domain.competitions.leaderboards import HeadToHead, Results
from bot.domain.competitions.round_robin import schedule
from bot.domain.competitions.tournaments import Entrant, Pairing, Tournament, TournamentState, cup_pairings, pairings_of
from bot.domain.deliveries import MatchDelivery
from bot.domain.matches import (
    Ending,
    Game,
    Imported,
    MatchListPage,
    Pending,
    PendingPage,
    Result,
)
from bot.domain.places import Place
from bot.domain.plans import MOST_BRANCHES, Plan
from bot.domain.players import IMPORTED_IDS, Player
from bot.domain.preferences import Preferences
from bot.domain.study.imports import MOST_AT_ONCE, Reading, names_in
from bot.domain.study.lines import MOST_TURNS, Line
from bot.domain.turn_entry import TurnEntry
from bot.services.people.reminders import Reminder
from bot.services.study.imports import ImportOutcome
from bot.texts import LANGUAGES, in_language
from bot.wording import words
from rules import PASS, Draft, Event, Position, Record, RecordError
from rules.puzzles import Puzzle
from tests.support.discord.cards import components_of
from tests.support.discord.club import Club
from tests.support.services.matches import MATCH, view_of

HIGH = 2**63 - 1
NAMES = ("*_" * 16, "<@" + "9" * 20 + ">@everyone!", "`" * 32, "@here||~~__" + "W" * 21, "𝕎" * 32)
ANNA, BERT = Player(HIGH, NAMES[0]), Player(HIGH - 1, NAMES[1])
NOW = datetime(2026, 1, 1, tzinfo=UTC)
MENTIONS = CommandMentions(
    {"name": name, "id": str(HIGH)} for name in ("board", "challenge", "move", "play", "replay", "rules", "settings")
)
DRAWINGS = (
    "render.picture",
    "render.replay.animation",
    "render.replay.contact_sheet",
    "bot.discord.posting.cards.tournament.cross_table",
)
HOME = Place(HIGH, HIGH)
LINK = f"https://discord.com/channels/{HIGH}/{HIGH}/{HIGH}"
LOOK, RULE = render.DEFAULT_LOOK, "dendria/rules.md#move-a-dryad"
CHALLENGE = Challenge(
    id=10**9,
    place=HOME,
    challenger=ANNA,
    opponent=BERT,
    ruleset=rules.ruleset("dalen", 9, "leaves"),
    first=First.OPPONENT,
    state=ChallengeState.OPEN,
    created_at=NOW,
    expires_at=NOW + timedelta(days=1),
    match_id=None,
)


@cache
def largest(name: str, turns: int) -> Game:
    """A random match on the largest board after so many turns, or at its end if that comes before."""
    ruleset = rules.ruleset(name, rules.GAMES[name].sizes[-1], rules.GAMES[name].variants[-1])
    chance, position, played = random.Random(name), ruleset.start(), list[str]()
    events: tuple[Event, ...] = ()
    while position.outcome is None and len(played) < turns:
        played.append(drafts(position, chance)[-1].text)
        position, events = position.play(played[-1])
    result = None if position.outcome is None else Result(ANNA.id, Ending.RULES)
    match = replace(MATCH, id=10**9, ruleset=ruleset, guild_id=HIGH, first=ANNA, second=BERT, result=result)
    return Game(replace(match, ply=len(played), step=len(played)), tuple(played), position, events)


def drafts(position: Position, chance: random.Random) -> list[Draft]:
    """A random turn, element by element."""
    found = [position.draft()]
    while not (found[-1].complete and (not found[-1].next or chance.random() < 0.2)):
        elements = [element for element in found[-1].next if element != PASS] or found[-1].next
        found.append(position.draft(found[-1].text + chance.choice(elements)))
    return found


def board(game: Game) -> Picture:
    return board_picture(game, LOOK, draw=False)


@cache
def random_line(game: Game, seed: int, most: int) -> tuple[str, ...]:
    """Random turns that follow a match."""
    chance, turns, position = random.Random(seed), list[str](), game.position
    while len(turns) < most and position.outcome is None:
        turns.append(drafts(position, chance)[-1].text)
        position, _events = position.play(turns[-1])
    return tuple(turns)


def building(game: Game) -> Iterator[Message]:
    """The cards on which a turn is composed, after each element, with the whole board and its first part."""
    puzzle = Puzzle(game.match.ruleset, game.turns, random_line(game, 1, 3), 2, proven=True)
    for draft in drafts(game.position, random.Random(1)):
        for area in (None, 0)[: 1 + bool(areas_of(TurnEntry(game.position, draft)))]:
            entry = TurnEntry(game.position, draft, area=area)
            yield turn_card(game, entry, LOOK, "✗" * 200)
            yield puzzle_card(Stage(puzzle), LOOK, entry, note=f"✗ {'x' * 300}", rule=RULE)


def looking_back(game: Game) -> Iterator[Message]:
    """A replay, and what is shared of it."""
    yield replay_card(game, game.turns, board(game), View.BOARD, over=True, own=True, pages=True)
    yield shared_card(game, board(game), View.BOARD, ANNA, MENTIONS)
    for kind in (View.ANIMATION, View.SHEET):
        picture = whole_picture(game, LOOK, kind)
        yield replay_card(game, game.turns, picture, kind, over=True)
        yield shared_card(game, picture, kind, ANNA, MENTIONS)


def trying(game: Game) -> Iterator[Message]:
    """Lines without turns and with the maximum of turns, and plans."""
    for count in (0, MOST_TURNS):
        tried = [replace(game, turns=game.turns[:-1] + game.turns[-1:] * number) for number in range(1, count + 2)]
        line = Line(10**6, 10**6, tried[-1].turns[:count])
        yield line_card(Trial(game.match, line, 0, f"✗ {'x' * 260}", RULE), tried, LOOK, playable=True)
        yield shared_line(line, tried, LOOK, ANNA, MENTIONS)
    branches = tuple(random_line(game, number, MOST_TURNS) for number in range(MOST_BRANCHES))
    for plan in (None, Plan(game.step, game.ply, branches)):
        yield plan_card(plan, game, game, ANNA.id, board(game))
    start = replace(game, turns=(), position=game.match.ruleset.start())
    yield plan_card(Plan(game.step - game.ply, 0, (game.turns[:MOST_TURNS],)), start, game, ANNA.id, board(game))


def lists(game: Game) -> Iterator[Message]:
    """Lists of matches, and a digest."""
    players = [Player(HIGH - 10 - number, NAMES[number % len(NAMES)]) for number in range(30)]
    matches = [
        replace(game.match, id=10**9 + number, second=player, result=Result(ANNA.id, Ending.RULES), ended_at=NOW)
        for number, player in enumerate(players)
    ]
    listed = [ListedMatch(Pending(match, ANNA, NOW), HIGH, LINK, "S\\_" * 33, playable=True) for match in matches]
    boards = {match.id: board(replace(game, match=match)) for match in matches[:ON_PAGE]}
    page = PendingPage((), 10**6, 10**7, 10**8, 10**7, 1)
    idle = [replace(each, pending=replace(each.pending, to_act=players[0]), nudgeable=True) for each in listed]
    for shown in (listed, idle):
        yield games_card(page, shown[:ON_PAGE], boards, ANNA, MENTIONS, mine=True, challenges=1)
    challenges = {number: replace(CHALLENGE, id=number) for number in range(10**9, 10**9 + 9)}
    pending, posted = tuple(each.pending for each in listed), dict.fromkeys(challenges)
    waiting = Reminder(NOW, ANNA, Preferences(), pending, {}, tuple(challenges.values()), posted)
    yield digest_card(waiting, listed[:MOST_MATCHES], boards, MENTIONS)


def imported_records(game: Game) -> Iterator[Message]:
    """What became of files with nothing but long names or nothing but mistakes, and the list of records."""
    record = Record(game.match.ruleset, tags={"Dark": "*" * 99})
    names = names_in(record, record.position())
    first, second = (Player(each, "*" * len(names[0])) for each in IMPORTED_IDS)
    said = Imported(HIGH, "1/2-1/2", record.tags)
    match = replace(game.match, first=first, second=second, result=Result(None, Ending.UNFINISHED), imported=said)
    good = [
        ImportOutcome(Reading(each, record), replace(match, id=10**9 - each), before=bool(each % 2))
        for each in range(MOST_AT_ONCE)
    ]
    mistake = RecordError("line {line}: {problem}", line=10**6, problem="*" * 400)
    bad = [ImportOutcome(Reading(each, None, mistake=mistake), None) for each in range(MOST_AT_ONCE)]
    for taken in (good, bad, [*good, *bad]):
        yield imported_card(taken, more=True)
    yield imports_card(MatchListPage(tuple(each.match for each in good[:10] if each.match), 10, 20, 200))


def boards(game: Game) -> Iterator[Message]:
    """What everybody sees of a match while it runs and at its end, and who looks closer."""
    picture = board(game)
    if game.outcome is None:
        clock = Clock.new(TimeControl.banks_of(LONGEST, DAY), NOW)
        timed = replace(game, match=replace(game.match, clock=clock))
        yield match_card(timed, picture, MENTIONS, newcomer=True)
        yield match_card(timed, picture, MENTIONS, newcomer=True, has_page=True, watch="https://example.org/m/1")
    if game.match.result is not None:
        record = HeadToHead(Results(10**6, 10**6, 10**6), 10**6)
        view = view_of(game, MatchDelivery(1, None, game.match.id, HOME, HIGH), record=record)
        moment = Aside(words.last_turn(game), replace(picture, filename="moment.png"))
        yield final_card(view, FinalPictures(picture, moment))
    yield private_board(game, picture, LINK)
    for overlay in render.overlays_of(game.match.ruleset.game):
        yield marked_board(game, picture, overlay, game.position.board.cells[-1], LINK, (void_button(10**9),))


#: A tournament with the longest name and terms.
LONG_TOURNAMENT = Tournament(
    id=10**9,
    place=Place(HIGH, HIGH),
    name="*" * 60,
    organiser=ANNA,
    ruleset=rules.ruleset("dalen", 9, "leaves"),
    control=TimeControl.banks_of(LONGEST, DAY, hard=True),
    at_once=4,
    state=TournamentState.OPEN,
    created_at=NOW,
)


def tournament_posts(count: int) -> Iterator[Message]:
    people = tuple(Entrant(Player(HIGH - n, NAMES[n % len(NAMES)]), NOW if n % 3 else None) for n in range(count))
    for state in TournamentState:
        tournament = replace(
            LONG_TOURNAMENT,
            state=state,
            entrants=people,
            pairings=tuple(
                Pairing(number, people[one].player.id, people[other].player.id, 1, Result(None, Ending.AGREEMENT), NOW)
                for number, pairs in enumerate(schedule(count), 1)
                for one, other in pairs
            ),
        )
        tables = cross_tables(tournament)
        yield tournament_card(tables, cross_table_picture(tables.last, LOOK))
        others = [replace(tournament, id=10**9 - number) for number in range(30)]
        yield options_card(tables, cross_table_picture(tables.last, LOOK), others, people[0].player.id, organises=True)


def cup_posts() -> Iterator[Message]:
    """The cards of the largest cup: open, with all groups, and with the group of their winners."""
    people = [Player(HIGH - n, NAMES[n % len(NAMES)]) for n in range(MAX_IN_CUP)]
    ids = [each.id for each in people]
    for pairings in ((), groups := cup_pairings(ids, random.Random(1)), [*groups, *pairings_of(ids[::6])]):
        cup = replace(
            LONG_TOURNAMENT,
            state=TournamentState.RUNNING if pairings else TournamentState.OPEN,
            entrants=tuple(map(Entrant, people)),
            pairings=tuple(
                replace(each, match_id=1, result=Result(None, Ending.AGREEMENT), ended_at=NOW)
                if number % 3
                else replace(each, match_id=1)
                for number, each in enumerate(pairings)
            ),
            cup=Cup(None, 4, reopens=True),
            edition=10**3,
            open_next=10**9,
        )
        tables = cross_tables(cup)
        yield tournament_card(tables)
        yield options_card(tables, cross_table_picture(tables.last, LOOK), [cup] * 2, HIGH - 99, organises=True)


def cards() -> Iterator[Message]:
    for name in rules.GAMES:
        middle, game = largest(name, 40), largest(name, 400)
        yield from chain(boards(middle), building(middle), boards(game))
        if name == "dendria":  # its turns are the longest
            yield from chain(trying(middle), looking_back(game), trying(game), lists(game), imported_records(game))
    yield from chain(tournament_posts(16), cup_posts())


@pytest.mark.parametrize("language", LANGUAGES)
def test_discord_takes_the_largest_cards_uncut(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for drawing in DRAWINGS:
        monkeypatch.setattr(drawing, lambda *_, **__: b"")
    monkeypatch.setattr(messages, "LONGEST_CARD", 10**6)
    with in_language(language):
        for card in cards():
            validate_components(components_of(card), flags=COMPONENTS_V2_FLAG)
            assert all(0 < len(picture.description) <= LONGEST_DESCRIPTION for picture in card.pictures)
            assert {player.id for player in card.pings} <= {ANNA.id, BERT.id}


async def test_commands_fit_into_discords_limits(club: Club) -> None:
    for command in club.app.client.tree.walk_commands():
        assert len(command.description) <= 100
        for parameter in getattr(command, "parameters", ()):
            assert len(str(parameter.description)) <= 100
            assert len(parameter.choices) <= 25


async def test_players_with_the_longest_and_strangest_names_ping_nobody_else(club: Club) -> None:
    one = club.guild.add_member(club.env.create_user("one", global_name=NAMES[3]))
    other = club.guild.add_member(club.env.create_user("other"), nick=f"<@{club.carol.id}> @everyone")
    await club.match(one, other, size=9)
    await club.accepted_challenge(other, one)
    (thread,) = club.threads()
    assert len(str(thread.name)) <= 100
    await club.move(one, "i9")
    for message in [*club.messages(), *club.messages(thread)]:
        # Discord itself notes in the channel that a thread was opened.
        assert not message.mention_everyone or message.type is discord.MessageType.thread_created
    for card in [*club.cards(), *club.cards(thread)]:
        assert set(card.pinged) <= {one.id, other.id}
