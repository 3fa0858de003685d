"""What Discord limits: every card, with the longest names and the largest boards; and the traps of discord.py."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import product

import discord
import pytest
from discord import app_commands

import render
import rules
from bot.discord.features.challenges.challenge import open_challenges_card
from bot.discord.features.challenges.challenge_form import (
    ANYBODY,
    CLOCKS,
    ChallengeForm,
    challenge_form,
    game_choice,
    opponent_choice,
)
from bot.discord.features.challenges.play import lobby_card, rules_choice, task_choice
from bot.discord.features.ladders.ladder import leave_question, no_ladder_card, standing_card
from bot.discord.features.matches.board import marked_board, menu_card, private_board
from bot.discord.features.matches.clock import clock_panel, flag_notice, reminder
from bot.discord.features.matches.games import ON_PAGE, ListedMatch, games_card, next_match_card
from bot.discord.features.matches.history import HistoryQuery, history_card
from bot.discord.features.matches.moderation import end_question, void_button, void_result_question
from bot.discord.features.matches.notes import note_form
from bot.discord.features.people.digests import MOST_MATCHES, digest_card
from bot.discord.features.people.leaderboard import leaderboard_card, leaderboard_picture
from bot.discord.features.people.privacy import delete_question, privacy_panel
from bot.discord.features.people.profile import profile_card, profile_pictures
from bot.discord.features.people.settings_panels import preferences_panel, sample_picture, server_panel
from bot.discord.features.study.daily_puzzle import daily_card
from bot.discord.features.study.hint import hint_card
from bot.discord.features.study.import_ import import_form, imported_card, imports_card
from bot.discord.features.study.plan import plan_card
from bot.discord.features.study.puzzle import (
    Stage,
    TypedSolution,
    puzzle_card,
    refuted_card,
    solution_card,
    solved_card,
    wrong_card,
)
from bot.discord.features.study.replay import replay_card, shared_card, whole_picture
from bot.discord.features.study.review import point_card, progress_card, review_card
from bot.discord.features.study.rules import leaf_card, leaves, lesson_card, lessons
from bot.discord.features.study.try_ import Trial, line_card, line_form, shared_line
from bot.discord.features.tournaments.tournament_form import TournamentForm, tournament_form
from bot.discord.features.turns.move import TypedTurn, resign_question, turn_card
from bot.discord.interaction.interactions import without_notes
from bot.discord.interaction.options.turn import offered_turns
from bot.discord.posting.cards.challenge import challenge_card
from bot.discord.posting.cards.ending import FinalPictures, final_card
from bot.discord.posting.cards.ladder import ladder_card, lost_notice, moved_card
from bot.discord.posting.cards.match import board_picture, match_card, past_card
from bot.discord.posting.cards.proposal import proposal_card
from bot.discord.posting.cards.tournament import (
    cross_table_picture,
    past_tournament_card,
    removal_question,
    tournament_card,
    withdrawal_question,
)
from bot.discord.ui import markdown
from bot.discord.ui.actions import OpenTurn, PlayTurn, View, choices, name_of
from bot.discord.ui.keypad import areas_of
from bot.discord.ui.markdown import CommandMentions
from bot.discord.ui.messages import ActionButton, Aside, Message, Picture
from bot.discord.ui.turn_entry import typing_form
from bot.domain.challenges import Challenge, ChallengeState, First
from bot.domain.clocks import DAY, LONGEST, Clock, ClockView, TimeControl
from bot.domain.competitions.cross_tables import cross_tables
from bot.domain.competitions.cups import MAX_IN_CUP, Cup
from bot.domain.competitions.ladders import Contest, Ladder, LadderBusyError, Loss, LostRung, Rung
from bot.domain.competitions.leaderboards import (
    HeadToHead,
    Leaderboard,
    LeaderboardQuery,
    LeaderboardRow,
    Order,
    Period,
    Profile,
    Results,
    Scope,
    Streak,
    Totals,
)
from bot.domain.competitions.round_robin import schedule
from bot.domain.competitions.tournaments import Entrant, Pairing, Tournament, TournamentState, cup_pairings, pairings_of
from bot.domain.computer import Exchange, SearchResult
from bot.domain.deliveries import MatchDelivery, PostedMessage
from bot.domain.matches import (
    Ending,
    Game,
    Imported,
    Match,
    MatchListPage,
    NextMatch,
    Pending,
    PendingPage,
    Proposal,
    ProposalKind,
    ProposalState,
    Result,
    Score,
    TakeBack,
)
from bot.domain.places import Place
from bot.domain.plans import MOST_BRANCHES, Plan
from bot.domain.players import IMPORTED_IDS, Conduct, Player
from bot.domain.preferences import BoardCards, Preferences, ServerSettings
from bot.domain.ratings import Rating
from bot.domain.study.imports import MOST_AT_ONCE, Reading, names_in
from bot.domain.study.lines import MOST_TURNS, Line
from bot.domain.study.puzzles import FirstTry, PuzzleCount, PuzzleStanding
from bot.domain.study.reviews import Review, TurningPoint
from bot.domain.turn_entry import TurnEntry
from bot.services.ladders import LadderStanding
from bot.services.matches import MatchView
from bot.services.people.reminders import Reminder
from bot.services.study.imports import ImportOutcome
from bot.services.study.notes import LONGEST_NOTE
from bot.services.study.reviews import PendingReview
from bot.texts import LANGUAGES, SOURCE, current_language, gettext, in_language
from bot.wording import words
from bot.wording.puzzles import right_so_far
from rules import PASS, Draft, Event, Position, Record, RecordError, Ruleset
from rules.puzzles import Puzzle
from rules.search import LEVELS, explain
from tests.support.club import Club
from tests.support.games import PASSING
from tests.support.presses import press_of
from tests.support.thorough import THOROUGH, covered, sample

HIGH = 2**63 - 1
NAMES = ("*_" * 16, "<@" + "9" * 20 + ">@everyone!", "`" * 32, "@here||~~__" + "W" * 21, "𝕎" * 32)
ANNA, BERT = Player(HIGH, NAMES[0]), Player(HIGH - 1, NAMES[1])
NOW = datetime(2026, 1, 1, tzinfo=UTC)
MENTIONS = CommandMentions(
    {"name": name, "id": str(HIGH)} for name in ("board", "challenge", "move", "play", "replay", "rules", "settings")
)
DRAWINGS = (
    "render.picture",
    "render.pair",
    "render.thumbnail",
    "render.replay.animation",
    "render.replay.contact_sheet",
    "render.statistics.tables.leaderboard",
    "render.statistics.charts.rating_history",
    "render.statistics.charts.openings",
    "render.statistics.charts.winning_chances",
    "bot.discord.posting.cards.tournament.cross_table",
)
#: The places of a player on all ladders.
PLACES = dict.fromkeys(rules.GAMES.values(), (10**3, 10**3))
#: The record of players who have met very often.
MANY_GAMES = HeadToHead(Results(10**6, 10**6, 10**6), 10**6)
#: Which turns are good for what is the same in every language.
EXPLAINED = cache(explain)


def make_match(
    ruleset: Ruleset, ply: int, result: Result | None = None, players: tuple[Player, Player] = (ANNA, BERT)
) -> Match:
    return Match(
        id=10**9,
        challenge_id=10**9,
        ruleset=ruleset,
        guild_id=HIGH,
        first=ANNA,
        second=BERT,
        ply=ply,
        step=ply,
        result=result,
        started_at=NOW,
        moved_at=NOW,
    )


def make_game(ruleset: Ruleset, turns: tuple[str, ...], result: Result | None = None) -> Game:
    position = ruleset.start()
    events: tuple[Event, ...] = ()
    for turn in turns:
        position, events = position.play(turn)
    return Game(make_match(ruleset, len(turns), result), turns, position, events)


def random_turns(ruleset: Ruleset, seed: int, most: int) -> tuple[str, ...]:
    chance, position = random.Random(seed), ruleset.start()
    turns: list[str] = []
    while position.legal_turns and len(turns) < most:
        turns.append(chance.choice(position.legal_turns))
        position, _ = position.play(turns[-1])
    return tuple(turns)


@cache
def games() -> tuple[Game, ...]:
    """Matches of Dalen in every state."""
    return tuple(_games())


def _games() -> Iterator[Game]:
    for variant, lengths in zip(rules.GAMES["dalen"].variants, ((0, 150), (1, 2, 60, 10_000)), strict=True):
        ruleset = rules.ruleset("dalen", 9, variant)
        for most in lengths:
            game = make_game(ruleset, random_turns(ruleset, 7, most))
            if game.outcome is None:
                yield game
                yield replace(game, take_back=TakeBack(ANNA.id, 10**9))
            results = [
                Result(ANNA.id, Ending.RESIGNATION),
                Result(BERT.id, Ending.RESIGNATION),
                *(Result(None, ending) for ending in (Ending.AGREEMENT, Ending.ABANDONED)),
                *(Result(None, ending, Player(HIGH - 2, NAMES[3])) for ending in (Ending.ABANDONED, Ending.VOID)),
            ]
            if game.outcome is not None:
                results.append(Result(ANNA.id, Ending.RULES))
            yield from (replace(game, match=replace(game.match, result=result)) for result in results)
    yield make_game(rules.ruleset("dalen", 5), PASSING)


@cache
def largest(name: str, turns: int) -> Game:
    """A match on the largest board after so many turns, or at its end when that comes before."""
    ruleset = rules.ruleset(name, rules.GAMES[name].sizes[-1], rules.GAMES[name].variants[-1])
    chance, position, played = random.Random(name), ruleset.start(), list[str]()
    events: tuple[Event, ...] = ()
    while position.outcome is None and len(played) < turns:
        played.append(drafts(position, chance)[-1].text)
        position, events = position.play(played[-1])
    result = None if position.outcome is None else Result(ANNA.id, Ending.RULES)
    return Game(make_match(ruleset, len(played), result), tuple(played), position, events)


def drafts(position: Position, chance: random.Random) -> list[Draft]:
    """How a turn is put together at random, from nothing to the end."""
    found = [position.draft()]
    while not (found[-1].complete and (not found[-1].next or chance.random() < 0.2)):
        elements = [element for element in found[-1].next if element != PASS] or found[-1].next
        found.append(position.draft(found[-1].text + chance.choice(elements)))
    return found


@cache
def next_drafts(game: Game) -> list[Draft]:
    """How the next turn is put together."""
    return drafts(game.position, random.Random(1))


def parts(entry: TurnEntry) -> list[int | None]:
    """The whole board and the parts of it, only one of them in other languages, in which the keys are the same."""
    found = range(len(areas_of(entry)))
    return [None, *(found if current_language() == SOURCE else found[:1])]


def guided(game: Game) -> Iterator[Message]:
    """The cards on which a turn is put together, each element of it, in several parts of the board."""
    for draft in next_drafts(game):
        # The keys of the parts are those of a later turn.
        for area in parts(TurnEntry(game.position, draft))[: None if game.turns or THOROUGH else 2]:
            yield turn_card(game, TurnEntry(game.position, draft, area=area), render.DEFAULT_LOOK, "✗" * 200)


def looking_back(game: Game) -> Iterator[Message]:
    """The cards of a replay: the positions in its menu, the animation and the sheet; and what is shared of them."""
    for at in sorted({0, 1, 2, len(game.turns) // 2, len(game.turns)} if THOROUGH else {0, len(game.turns)}):
        past = replace(game, match=replace(game.match, ply=at, result=None), turns=game.turns[:at])
        shown = game if at == len(game.turns) else past
        picture = board_picture(shown, render.DEFAULT_LOOK, draw=False)
        yield replay_card(shown, game.turns, picture, View.BOARD, over=True, own=True)
        yield replay_card(shown, game.turns, picture, View.BOARD, over=True, shared=True)
        yield shared_card(shown, picture, View.BOARD, ANNA, MENTIONS)
    for kind in (View.ANIMATION, View.SHEET):
        picture = whole_picture(game, render.DEFAULT_LOOK, kind)
        yield replay_card(game, game.turns, picture, kind, over=True)
        yield shared_card(game, picture, kind, ANNA, MENTIONS)


def trying(game: Game) -> Iterator[Message]:
    """The cards of lines: without turns, with many, with one that is refused, and where the game is over."""
    refused = f"✗ {'x' * 60} {'y' * 200}"
    notes = (("", None), (refused, "dendria/rules.md#move-a-dryad"))
    for count, (note, rule) in covered((0, 5, 12, 40) if THOROUGH else (0, 40), notes):
        tried = [replace(game, turns=game.turns[:-1] + game.turns[-1:] * number) for number in range(1, count + 2)]
        line = Line(10**6, 10**6, tried[-1].turns[:count])
        yield line_card(Trial(game.match, line, None, note, rule), tried, render.DEFAULT_LOOK, playable=True)
        yield shared_line(line, tried, render.DEFAULT_LOOK, ANNA, MENTIONS)
    if game.outcome is None:
        draft = game.position.draft()
        for begun in draft.next[:3]:
            trial = Trial(game.match, Line(1, 0, ("e5",), begun))
            yield line_card(trial, [game], render.DEFAULT_LOOK, playable=True)
        for area in range(len(areas_of(TurnEntry(game.position, draft)))):
            trial = Trial(game.match, Line(1, 0, ("e5",)), area)
            yield line_card(trial, [game], render.DEFAULT_LOOK, playable=True)


def planning(game: Game) -> Iterator[Message]:
    """The cards of a plan: none, the largest, and one of which much has come true and nothing is left."""
    picture = board_picture(game, render.DEFAULT_LOOK, draw=False)
    yield plan_card(None, game, game, ANNA.id, picture)
    yield plan_card(Plan(game.step, game.ply, longest_branches(game)), game, game, ANNA.id, picture)
    start = replace(game, turns=(), position=game.match.ruleset.start())
    yield plan_card(Plan(game.step - game.ply, 0, (game.turns[:MOST_TURNS],)), start, game, ANNA.id, picture)


@cache
def longest_branches(game: Game) -> tuple[tuple[str, ...], ...]:
    branches = []
    for number in range(MOST_BRANCHES):
        chance, turns, position = random.Random(number), list[str](), game.position
        while len(turns) < MOST_TURNS and position.outcome is None:
            turns.append(drafts(position, chance)[-1].text)
            position, _events = position.play(turns[-1])
        branches.append(tuple(turns))
    return tuple(branches)


@cache
def longest_puzzle(game: Game) -> Puzzle:
    """A puzzle of the most turns that begins here."""
    chance, turns, position = random.Random(1), list[str](), game.position
    while len(turns) < 5 and position.outcome is None:
        turns.append(drafts(position, chance)[-1].text)
        position, _events = position.play(turns[-1])
    return Puzzle(game.match.ruleset, game.turns, tuple(turns[: (len(turns) - 1) // 2 * 2 + 1]), 2, proven=True)


def puzzle_cards(game: Game) -> Iterator[Message]:
    """The cards of a puzzle of the most turns, each of the longest, on a large board."""
    puzzle, chance = longest_puzzle(game), random.Random(1)
    yield daily_card(Stage(puzzle), PuzzleCount(10**6, 10**6), render.DEFAULT_LOOK)
    standing = PuzzleStanding(10**4, 10**6, 10**6, 10**6, 10**6)
    answers = [FirstTry(solved, standing, after) for solved in (True, False) for after in (standing, PuzzleStanding())]
    for ply, turn in list(enumerate(puzzle.solution))[::2]:
        stage, note = Stage(puzzle, ply, game.match.ruleset.game), gettext("You have tried this one before.")
        if not stage.is_last:
            note = right_so_far(stage, turn)
        for draft in drafts(stage.position, chance):
            # The keys are those of a match, in whose cards are all parts of the board.
            for area in parts(TurnEntry(stage.position, draft))[: None if THOROUGH else 2]:
                yield puzzle_card(stage, render.DEFAULT_LOOK, TurnEntry(stage.position, draft, area=area), note=note)
        yield puzzle_card(stage, render.DEFAULT_LOOK, note=f"✗ {'x' * 300}", rule="dendria/rules.md#move-a-dryad")
        for answered in sample(answers, 3):
            yield wrong_card(stage, turn, answered, render.DEFAULT_LOOK)
            yield solved_card(stage, turn, answered, render.DEFAULT_LOOK)
            yield solution_card(stage, answered, render.DEFAULT_LOOK)
        after, _events = stage.position.play(turn)
        if after.outcome is None:
            found = SearchResult(drafts(after, chance)[-1].text, 0.5)
            yield refuted_card(stage, turn, found, render.DEFAULT_LOOK)


@cache
def without_last_turn(game: Game) -> Game:
    return replace(game, turns=game.turns[:-1], position=game.match.ruleset.replay(game.turns[:-1]))


def teaching(game: Game) -> Iterator[Message]:
    """The cards of a hint for the last turn, and of the review of a match that somebody resigned."""
    look, turn = render.DEFAULT_LOOK, game.turns[-1]
    before = without_last_turn(game)
    reasons = tuple(rules.Text("x" * 100) for _ in range(2))
    buttons = [ActionButton(OpenTurn(10**9, step), "x" * 80) for step in (1, 2)]
    for viewer_id in (ANNA.id, BERT.id):
        yield hint_card(before, SearchResult(turn, 0.7, (turn,), reasons, 0.6), look, viewer_id, buttons)
    over = replace(game, match=replace(game.match, result=Result(ANNA.id, Ending.RESIGNATION)))
    points = tuple(
        TurningPoint(ply, game.turns[ply - 1], game.turns[ply : ply + 3], 0.987, 0.123, reply)
        for ply, reply in ((3, None), (game.ply // 2, game.turns[game.ply // 2]), (game.ply, None))
    )
    review = Review((0.123,) * (game.ply - 1), points)
    yield review_card(over, review, look)
    yield review_card(over, replace(review, points=()), look)
    yield point_card(over, review, 2, look, ANNA.id)
    yield progress_card(over.match, PendingReview(over))


def lists() -> Iterator[Message]:
    for name in rules.GAMES:
        game = largest(name, 400)
        players = [Player(HIGH - 10 - number, NAMES[number % len(NAMES)]) for number in range(30)]
        matches = [
            replace(game.match, id=10**9 + number, second=player, result=Result(ANNA.id, ending), ended_at=NOW)
            for number, (player, ending) in enumerate(product(players, (Ending.RESIGNATION, Ending.RULES)))
        ]
        link = f"https://discord.com/channels/{HIGH}/{HIGH}/{HIGH}"
        listed = [ListedMatch(Pending(match, ANNA, NOW), HIGH, link, "S\\_" * 33, playable=True) for match in matches]
        several = 2 * len(NAMES)  # those after them say the same
        pictures = [
            board_picture(replace(game, match=each), render.DEFAULT_LOOK, draw=False) for each in matches[:several]
        ]
        boards = {match.id: pictures[number % several] for number, match in enumerate(matches)}
        home, card = Place(HIGH, HIGH), PostedMessage(HIGH, HIGH, 0)
        following = NextMatch(10**9, name, players[0], MatchDelivery(0, card, 10**9, home, HIGH))
        yield next_match_card("x" * 100, following, "S\\_" * 33, playable=True)
        challenged = challenge_in(ChallengeState.OPEN, ANNA, First.OPPONENT)
        challenges = {number: replace(challenged, id=number) for number in range(10**9, 10**9 + 9)}
        pending, posted = tuple(each.pending for each in listed), dict.fromkeys(challenges)
        waiting = Reminder(NOW, ANNA, Preferences(), pending, {}, tuple(challenges.values()), posted)
        yield digest_card(waiting, listed[:MOST_MATCHES], boards, MENTIONS)
        idle = [replace(each, pending=replace(each.pending, to_act=players[0]), nudgeable=True) for each in listed]
        yield games_card(
            PendingPage((), 10**6, 10**7, 10**8, 0, 0), idle[:ON_PAGE], boards, ANNA, MENTIONS, mine=True, challenges=1
        )
        for mine in (True, False):
            full = PendingPage((), 10**6, 10**7, 10**8, 10**7, 1)
            yield games_card(full, listed[:ON_PAGE], boards, ANNA, MENTIONS, mine=mine)
            yield games_card(PendingPage((), 1, 1, 0, 0, 0), [], {}, ANNA, MENTIONS, mine=mine)
            for score in (None, *Score):
                query = HistoryQuery(ANNA.id, rules.GAMES[name], score, players[0].id)
                reasons = dict.fromkeys((match.id for match in matches), "annihilation")
                page = MatchListPage(tuple(matches[:10]), 10**6, 10**7, 10**8)
                yield history_card(page, reasons, query, ANNA, players[:24], mine=mine)
                yield history_card(MatchListPage((), 1, 1, 0), {}, query, ANNA, [], mine=mine)


def imported_records() -> Iterator[Message]:
    """The cards of imported records: what became of a file with nothing but long names, or but mistakes; and lists."""
    game = largest("dendria", 400)
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
    for taken in (good, bad, [*good, *bad], [*bad, *good, ImportOutcome(Reading(1, record), None)]):
        yield imported_card(taken, more=True)
    yield imports_card(MatchListPage(tuple(each.match for each in good[:10] if each.match), 10, 20, 200))
    yield imports_card(MatchListPage((), 1, 1, 0))
    past = replace(game, match=match)
    picture = board_picture(past, render.DEFAULT_LOOK, draw=False)
    yield replay_card(past, game.turns, picture, View.BOARD, over=True, own=True, pages=True)
    yield shared_card(past, picture, View.BOARD, ANNA, MENTIONS)


def rule_pages() -> Iterator[Message]:
    for name in choices():
        for number in range(len(leaves(name_of(name)))):
            yield leaf_card(name, number, render.DEFAULT_LOOK)
    for name in rules.GAMES:
        for number in range(len(lessons(name))):
            yield lesson_card(name, number, render.DEFAULT_LOOK)


def challenge_in(state: ChallengeState, opponent: Player | None, first: First) -> Challenge:
    return Challenge(
        id=10**9,
        place=Place(HIGH, HIGH),
        challenger=ANNA,
        opponent=opponent,
        ruleset=rules.ruleset("dalen", 9, "leaves"),
        first=first,
        state=state,
        created_at=NOW,
        expires_at=NOW + timedelta(days=1),
        match_id=None,
    )


def proposal_of(kind: ProposalKind, state: ProposalState) -> Proposal:
    place = Place(HIGH, HIGH) if kind is ProposalKind.MOVE else None
    return Proposal(
        id=10**9,
        match_id=10**9,
        kind=kind,
        proposer=ANNA,
        step=10**9,
        state=state,
        ply=10**9,
        keeps=0 if kind is ProposalKind.TAKE_BACK else None,
        place=place,
    )


def whereabouts(match: Match) -> Iterator[str]:
    """Where the match is played, or that it waits or is over."""
    there = MatchDelivery(1, None, match.id, Place(HIGH, HIGH), HIGH)
    waiting, ended = replace(there, channel_id=None), replace(match, result=Result(None, Ending.ABANDONED, BERT))
    for each, delivery in ((match, there), (match, waiting), (ended, waiting)):
        for seen_from in (HIGH, HIGH - 1):
            yield markdown.whereabouts(each, delivery, seen_from)


def proposals(match: Match) -> Iterator[Message]:
    for kind in ProposalKind:
        for state in ProposalState:
            yield proposal_card(proposal_of(kind, state), match)
        for where in whereabouts(match):
            yield proposal_card(proposal_of(kind, ProposalState.ACCEPTED), match, where)


def over(game: Game, record: HeadToHead) -> MatchView:
    """A match that is over, between players who have met before."""
    return MatchView(
        game=game,
        delivery=MatchDelivery(1, None, game.match.id, Place(HIGH, HIGH), HIGH),
        settings=ServerSettings(),
        preferences={},
        newcomer=None,
        unshown_proposals=(),
        lapsed_proposals=(),
        exchange=Exchange(),
        ended_by=None,
        record=record,
        suggested_level=None,
        play_on=False,
    )


def final_cards(game: Game, picture: Picture) -> Iterator[Message]:
    for moment in (Aside(words.last_turn(game), replace(picture, filename="moment.png")), None):
        yield final_card(over(game, MANY_GAMES), FinalPictures(picture, moment))
    rematch = replace(game, match=replace(game.match, rematch_id=10**9))
    yield final_card(over(rematch, HeadToHead(Results(1))), FinalPictures(picture), quiet=True)


def posts() -> Iterator[Message]:
    """Every card that the bot can show."""
    for first in First:
        for opponent in (BERT, None):
            offered = challenge_in(ChallengeState.OPEN, opponent, first)
            yield challenge_card(offered)
            yield open_challenges_card(
                [replace(offered, id=offered.id + number) for number in range(30)], 2, MENTIONS, "x" * 300
            )
        for state in (ChallengeState.DECLINED, ChallengeState.WITHDRAWN, ChallengeState.EXPIRED):
            yield challenge_card(challenge_in(state, BERT, first))
        match = make_match(rules.ruleset("dalen", 9, "leaves"), 0)
        for where in whereabouts(match):
            yield challenge_card(challenge_in(ChallengeState.ACCEPTED, BERT, first), where)
        yield from proposals(match)
    for game in games():
        picture = board_picture(game, render.DEFAULT_LOOK, draw=False)
        yield past_card(game)
        yield private_board(game, picture, f"https://discord.com/channels/{HIGH}/{HIGH}/{HIGH}")
        yield resign_question(game, ANNA.id)
        yield end_question(game.match)
        if game.match.result is None:
            yield match_card(game, picture, MENTIONS)
            yield match_card(game, picture, MENTIONS, quiet=True)
            running = Clock.new(TimeControl.banks_of(LONGEST, DAY), NOW)
            timed = replace(game, match=replace(game.match, clock=running))
            yield match_card(timed, picture, MENTIONS)
            yield clock_panel(timed.match, BERT.id, ClockView(running, NOW + 70 * DAY, (14, 14)))
            yield reminder(timed.match, ANNA)
            yield flag_notice(timed.match)
        else:
            yield from final_cards(game, picture)
    yield from large_matches()
    yield from lists()
    yield from imported_records()
    yield from rule_pages()
    board = sample_picture(render.DEFAULT_LOOK)
    yield preferences_panel(Preferences(), board)
    everywhere = frozenset(range(HIGH - 25, HIGH))
    server = ServerSettings(
        channel_ids=everywhere, challenger_role_id=HIGH, other_cards_in=everywhere, puzzle_channel_id=HIGH
    )
    yield server_panel(server, board)
    for name in rules.GAMES:
        for clock in CLOCKS:
            largest = rules.ruleset(name, rules.GAMES[name].sizes[-1])
            form = ChallengeForm(HIGH, largest, First.CHALLENGER, clock, rated=False)
            yield challenge_form(form, ANNA)
            yield opponent_choice(form, "contrast")
    yield challenge_form(ChallengeForm(ANYBODY, rules.ruleset("dalen")), None)
    for card in (lobby_card, game_choice, task_choice, rules_choice):
        yield card("contrast")
    yield from leaderboards()
    yield from profiles()
    for count in (3, 16):
        yield from tournament_posts(count)
    yield from cup_posts()
    yield from ladder_posts()
    yield privacy_panel([HIGH - n for n in range(25)])
    yield delete_question(1)
    yield void_result_question(10**9)


def large_matches() -> Iterator[Message]:
    source, names = current_language() == SOURCE, [*rules.GAMES]
    # Every game is in one of the other languages at least; the weekly run has all in each.
    if not (source or THOROUGH):
        names = names[list(LANGUAGES).index(current_language()) % 2 :: 2]
    for name in names:
        # Cards of many words, which have more and longer ones in the other languages; of each game in the weekly run.
        longer = THOROUGH or (not source and name == names[0])
        for turns in (0, 1, 3, 40, 400) if THOROUGH else (0, 1, 40, 400) if source else (0, 40, 400):
            game = largest(name, turns)
            picture = board_picture(game, render.DEFAULT_LOOK, draw=False)
            if game.match.result is None:
                yield match_card(game, picture, MENTIONS, newcomer=True)
            else:
                yield final_card(over(game, MANY_GAMES), FinalPictures(picture))
            link = f"https://discord.com/channels/{HIGH}/{HIGH}/{HIGH}"
            yield private_board(game, picture, link)
            # At the beginning there is less to mark.
            for overlay in render.overlays_of(game.match.ruleset.game) if turns > 1 or THOROUGH else ():
                yield marked_board(game, picture, overlay, game.position.board.cells[-1], link, (void_button(10**9),))
            yield menu_card(game, ANNA.id, BoardCards.LIVING)
            yield menu_card(game, HIGH - 5, BoardCards.LIVING, may_overrule=True)
            if game.match.result is None and turns in {0, 40}:
                yield from guided(game)
                if turns == 40 and longer:
                    yield from planning(game)
                    yield from puzzle_cards(game)
            if turns > 3 and longer:
                yield from trying(game)
        if longer:
            yield from looking_back(largest(name, 400))
            yield from teaching(largest(name, 400))


def leaderboards() -> Iterator[Message]:
    totals = Totals(10**6, 10**6, 10**6, number=0, streak=10**6, best=10**6)
    for order in Order:
        board = LeaderboardQuery(HIGH, HIGH, Scope.SERVER, "nadraz", Period.SEASON, order)
        entries = tuple(
            LeaderboardRow(
                10**6 + n, Player(HIGH - n, NAMES[n % len(NAMES)]), Rating(2500, 349, NOW), totals, (1.0, 2.0)
            )
            for n in range(10)
        )
        mine = LeaderboardRow(None, BERT, Rating(), totals)
        shown = Leaderboard(board, entries, mine, 10**5, 500, 10**6, 10**6, 10**7)
        yield leaderboard_card(shown, leaderboard_picture(shown, "S" * 100, "dark"))
        yield leaderboard_card(replace(shown, rows=(), own_row=None, own_page=None), None)


def profiles() -> Iterator[Message]:
    many = Results(10**6, 10**6, 10**6)
    games = dict.fromkeys(rules.GAMES, many)
    everything = Profile(
        player=BERT,
        game="",
        ratings={game: Rating(1500, 350, NOW) for game in ("", *rules.GAMES)},
        history=(Rating(1500, 350, NOW), Rating(1500, 350, NOW)),
        results=many,
        by_game=games,
        by_side={"black": many, "white": many, "dark": many, "light": many},
        by_size={(game, size): many for game in rules.GAMES for size in range(5, 15)},
        by_level=dict.fromkeys(LEVELS, many),
        by_opponent={Player(n, NAMES[n % len(NAMES)]): many for n in range(50)},
        against_viewer=many,
        streak=Streak(0.5, 10**6),
        longest=10**6,
        openings_ruleset=rules.ruleset("nadraz", 14),
        openings={rules.board(14).name(cell): 10**3 for cell in rules.board(14).cells},
    )
    conduct = Conduct(10**6, 10**5, 10**5)
    solver = PuzzleStanding(2500, 10**6, 10**6, 10**6, 10**6)
    yield profile_card(everything, conduct, *profile_pictures(everything, render.DEFAULT_LOOK), solver, PLACES)
    yield profile_card(replace(everything, results=Results()), conduct, None, None, solver, PLACES)


def ladder_posts() -> Iterator[Message]:
    people = [Player(HIGH - n, NAMES[n % len(NAMES)]) for n in range(300)]
    rungs = tuple(Rung(n, person, NOW, NOW if n % 2 else None, NOW) for n, person in enumerate(people, 1))
    contests = tuple(Contest(people[n].id, people[n - 2].id, 10**9 if n % 3 else None) for n in range(3, 250, 4))
    ladder = Ladder(10**9, Place(HIGH, HIGH), rules.GAMES["dendria"], rungs, contests)
    yield from (ladder_card(ladder), moved_card(ladder), leave_question(ladder), no_ladder_card(ladder.game))
    for loss in Loss:
        yield lost_notice(ladder, LostRung(1, people[0], 300, loss, people[1]))
    for own in (None, *rungs[100:103]):
        yield standing_card(LadderStanding(ladder, own, rungs[:3]), MENTIONS, movable=True)
    yield standing_card(LadderStanding(ladder, rungs[101], refusal=LadderBusyError("other", player=ANNA)), MENTIONS)


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
        yield tournament_card(tables, cross_table_picture(tables.last, render.DEFAULT_LOOK))
        yield past_tournament_card(tournament)
        yield withdrawal_question(tournament)
        yield withdrawal_question(replace(tournament, name=""))
        yield removal_question(tournament, ANNA)


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
        yield tournament_card(tables, cross_table_picture(tables.last, render.DEFAULT_LOOK))
    for is_cup in (False, True):
        ruleset = rules.ruleset("dalen", 9, "leaves")
        yield tournament_form(TournamentForm(ruleset, is_cup))


@pytest.fixture(scope="module", params=LANGUAGES)
def every_post(request: pytest.FixtureRequest) -> Iterator[list[Message]]:
    """All cards in a language, with pictures of which only the words are there."""
    with pytest.MonkeyPatch.context() as patch, in_language(request.param):
        for drawing in DRAWINGS:
            patch.setattr(drawing, lambda *_, **__: b"")
        patch.setattr("bot.wording.puzzles.explain", EXPLAINED)
        yield list(posts())


MENUS = (discord.ui.Select, discord.ui.ChannelSelect, discord.ui.RoleSelect, discord.ui.UserSelect)


def test_no_card_is_too_long(every_post: list[Message]) -> None:
    for post in every_post:
        assert 0 < post.view.content_length() <= 4000
        assert len(list(post.view.walk_children())) <= 40


def test_buttons_stay_within_their_limits(every_post: list[Message]) -> None:
    for post in every_post:
        rows = [item for item in post.view.walk_children() if isinstance(item, discord.ui.ActionRow)]
        assert all(len(row.children) <= 5 for row in rows)
        buttons = [item for item in post.view.walk_children() if isinstance(item, ActionButton)]
        ids = [button.custom_id for button in buttons]
        assert len(set(ids)) == len(ids)
        for button in buttons:
            assert button.custom_id is not None
            assert len(button.custom_id) <= 100
            assert button.label is not None
            assert 0 < len(button.label) <= 80


def test_menus_stay_within_their_limits(every_post: list[Message]) -> None:
    menus = [item for post in every_post for item in post.view.walk_children() if isinstance(item, MENUS)]
    assert menus
    for menu in menus:
        assert len(menu.custom_id) <= 100
        assert len(menu.placeholder or "") <= 150
        if not isinstance(menu, discord.ui.Select):
            continue
        assert 1 <= len(menu.options) <= 25
        assert len({option.value for option in menu.options}) == len(menu.options)
        for option in menu.options:
            assert 1 <= len(option.label) <= 100
            assert 1 <= len(option.value) <= 100
            assert len(option.description or "") <= 100


def test_pictures_have_descriptions_that_discord_takes(every_post: list[Message]) -> None:
    for post in every_post:
        for picture in post.pictures:
            assert 0 < len(picture.description) < 1024


def test_discord_crops_no_picture_because_each_stands_by_itself(every_post: list[Message]) -> None:
    for post in every_post:
        for part in post.view.walk_children():
            if isinstance(part, discord.ui.MediaGallery):
                assert len(part.items) == 1


def test_forms_stay_within_their_limits() -> None:
    forms = [line_form(HIGH, Line(HIGH, 0, (), begun)) for begun in ("", "e5-" * 600)]
    for name in rules.GAMES:
        for turns in (0, 1, 3, 40):
            game = largest(name, turns)
            forms += [typing_form(TypedTurn(HIGH, 2**31 - 1), game.position, text) for text in ("", "e5-" * 600)]
        begun = largest(name, 3)
        puzzle = Puzzle(begun.match.ruleset, begun.turns, ("e5",), 1, proven=True)
        stage = Stage(puzzle, only=rules.GAMES[name])
        forms.append(typing_form(stage.press(TypedSolution), stage.position, "e5-" * 6))
    forms.append(import_form())
    forms.append(note_form(HIGH, "x" * LONGEST_NOTE))
    for form in forms:
        assert len(form.custom_id) <= 100
        assert 1 <= len(form.title) <= 45
        for label in form.children:
            assert isinstance(label, discord.ui.Label)
            assert 1 <= len(label.text) <= 45
            assert len(label.description or "") <= 100
            field = label.component
            if isinstance(field, discord.ui.FileUpload):
                continue
            assert isinstance(field, discord.ui.TextInput)
            assert len(field.placeholder or "") <= 100
            assert len(field.default or "") <= (field.max_length or 0) <= 4000


def test_views_hold_nothing_that_can_be_pressed_but_action_buttons(every_post: list[Message]) -> None:
    for post in every_post:
        for item in post.view.walk_children():
            if item.is_dispatchable() or isinstance(item, discord.ui.Button | discord.ui.Select):
                assert isinstance(item, (ActionButton, *MENUS))
                assert item.custom_id is not None
                assert item.custom_id.startswith("hexgrove:")
                assert not isinstance(item, ActionButton) or press_of(item.custom_id, type(item.press)) == item.press


def test_discord_py_keeps_no_view(every_post: list[Message]) -> None:
    """Presses are routed by custom id alone, so that buttons work after a restart and nothing piles up."""
    for post in every_post:
        assert post.view.timeout is None
        assert post.view.is_finished()


def test_every_card_says_whom_it_pings(every_post: list[Message]) -> None:
    """Without this, an edit of a card would let Discord read mentions out of people's names."""
    for post in every_post:
        allowed = post.allowed_mentions.to_dict()
        assert allowed["parse"] == []
        assert allowed.get("users", []) == [player.id for player in post.pings]
        assert {player.id for player in post.pings} <= {ANNA.id, BERT.id}


def test_no_card_has_the_colour_that_discord_py_takes_for_none(every_post: list[Message]) -> None:
    for post in every_post:
        for item in post.view.walk_children():
            if isinstance(item, discord.ui.Container):
                assert item.accent_colour != 0


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_shown_as_it_is(name: str) -> None:
    shown = words.name(Player(1, name))
    assert "@everyone" not in shown
    assert "@here" not in shown
    for mark in "*_`~|":
        assert shown.count(mark) == shown.count(f"\\{mark}")
    assert shown.replace("\\", "").replace("\u200b", "") == name


def test_a_press_reads_back_from_its_id() -> None:
    for press in (PlayTurn(HIGH, 2**31 - 1, "dark"), OpenTurn(HIGH, 1, 3), PlayTurn(1, 2, PASS)):
        assert press_of(press.custom_id, type(press)) == press
        assert len(press.custom_id) <= 100


def test_suggested_turns_fit_into_discords_list() -> None:
    for game in {game.turns: game for game in games() if game.outcome is None}.values():
        for typed in ("", "a", "e", "zz9", "x" * 6000, "✗" * 200):
            offered = offered_turns(game, typed)
            assert len(offered) <= 25
            for choice in offered:
                assert 1 <= len(choice.name) <= 100
                assert 1 <= len(choice.value) <= 100
                assert choice.name.startswith("✗") or without_notes(choice.name) == choice.value


async def test_commands_fit_into_discords_limits(club: Club) -> None:
    registered = club.app.client.tree.get_commands()
    groups = [each for each in registered if isinstance(each, app_commands.Group)]
    alone = [each for each in registered if not isinstance(each, app_commands.Group)]
    for command in [*alone, *(leaf for group in groups for leaf in group.walk_commands())]:
        if isinstance(command, app_commands.Group):
            continue
        if isinstance(command, app_commands.ContextMenu):
            assert len(command.name) <= 32
            continue
        assert len(command.description) <= 100
        for parameter in command.parameters:
            assert len(str(parameter.description)) <= 100
            assert len(parameter.choices) <= 25


async def test_friends_with_the_longest_and_strangest_names_can_play(club: Club) -> None:
    one = club.guild.add_member(club.env.create_user("one", global_name=NAMES[3]))
    other = club.guild.add_member(club.env.create_user("other"), nick=f"<@{club.carol.id}> @everyone")
    await club.match(one, other, size=9)
    await club.challenge(other, one)
    await club.press(one, "Accept")
    (thread,) = club.threads()
    assert len(str(thread.name)) <= 100
    await club.move(one, "i9")
    for message in [*club.messages(), *club.messages(thread)]:
        # Discord itself notes in the channel that a thread was opened.
        assert not message.mention_everyone or message.type is discord.MessageType.thread_created
    for card in [*club.cards(), *club.cards(thread)]:
        assert set(card.pinged) <= {one.id, other.id}
    for choice in await club.offers(one, "", option="match"):
        assert 1 <= len(choice["name"]) <= 100
    for who in (one, other):
        for choice in await club.offers(who, "a", match="1"):
            assert 1 <= len(choice["name"]) <= 100
