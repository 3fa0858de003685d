"""Sentences about puzzles: the aim, the turns tried, and the solution."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from babel import dates

from bot.domain.computer import SearchResult
from bot.domain.study.puzzles import DailyResult, FirstTry, PuzzleStage, Try
from bot.texts import current_language, gettext_noop
from bot.wording import words
from bot.wording.hints import share_of_wins
from bot.wording.sentence import Sentence, gettext as _, joined
from bot.wording.turns import how_it_ends
from rules import Position
from rules.puzzles import Puzzle
from rules.search import explain

#: The squares of tries in a result.
_SQUARES = {Try.WRONG: "🟥", Try.FOUND: "🟩", Try.SHOWN: "⬛"}
_DIFFICULTIES = {1: gettext_noop("easy"), 2: gettext_noop("medium"), 3: gettext_noop("hard")}
#: The minimum length of a streak whose end is worth a sentence.
_SHORTEST_STREAK = 2


def heading(stage: PuzzleStage) -> str:
    return "🧩 " + _("{game} puzzle").format(game=stage.puzzle.ruleset.game.title)


def request(stage: PuzzleStage) -> Sentence:
    text = _("**{side}** to play: find the turn that is far better than all others.")
    if stage.puzzle.proven:
        text = _("**{side}** to play: find the only turn that wins.")
    return text.format(side=words.side(stage.puzzle.ruleset, stage.position.turn_of))


def footer(stage: PuzzleStage) -> Sentence:
    """The game, the size of the board, the difficulty, and the number of the turn to find."""
    if len(stage.puzzle.solution) == 1:
        return terms(stage.puzzle)
    count = (len(stage.puzzle.solution) + 1) // 2
    turn = _("turn {number} of {count}").format(number=stage.ply // 2 + 1, count=count)
    return joined(terms(stage.puzzle), turn, by=" · ")


def terms(puzzle: Puzzle) -> Sentence:
    return joined(words.terms(puzzle.ruleset), _(_DIFFICULTIES[puzzle.difficulty]), by=" · ")


def stars(puzzle: Puzzle) -> str:
    """The difficulty as one to three stars."""
    return "★" * puzzle.difficulty + "☆" * (len(_DIFFICULTIES) - puzzle.difficulty)


def daily_result(result: DailyResult) -> str:
    """The tries of the puzzle of a day as squares, which do not name a turn."""
    title = _("⬢ Hexgrove · puzzle of the day, {day} · {game} {stars}").format(
        day=dates.format_skeleton("MMMd", result.day, locale=current_language()),
        game=result.puzzle.ruleset.game.title,
        stars=stars(result.puzzle),
    )
    return f"{title.plain}\n{''.join(_SQUARES[tried] for tried in result.tries)}"


def right_so_far(stage: PuzzleStage, turn: str) -> Sentence:
    after, _events = stage.position.play(turn)
    reply = _reply(stage, after, stage.puzzle.solution[stage.ply + 1])
    return joined(_praise(stage, turn), reply, by="\n")


def wrong(stage: PuzzleStage, turn: str, answered: FirstTry | None) -> list[Sentence]:
    """The answer to a wrong turn, with the player's rating after the try ``answered`` (None: not stored)."""
    verdict = _with_effect(stage, _wrong(stage, turn), stage.position, turn)
    if answered is None:
        return [verdict]
    rated = _("You can still find the turn. Your puzzle rating stays {rating}.")
    if answered.counts:
        rated = _("Only the first try counts: your puzzle rating is now {rating}. You can still find the turn.")
    return [verdict, _with_rating(rated, answered)]


def refutation(stage: PuzzleStage, turn: str, found: SearchResult) -> list[Sentence]:
    """The best reply to a wrong turn, found by a search, and the advantages of the right turn, without naming it."""
    after, _events = stage.position.play(turn)
    sentences = [_wrong(stage, turn), _reply(stage, after, found.turn)]
    if after.play(found.turn)[0].outcome is None:
        if stage.puzzle.proven:
            # The search may overrate the turn, or find a reply that lets it win.
            opponent = words.side(stage.puzzle.ruleset, after.turn_of)
            sentences[0] = joined(sentences[0], _("It does not win if {side} plays well.").format(side=opponent))
        else:
            sentences.append(_("Your chance of winning: {chance}.").format(chance=share_of_wins(1 - found.value)))
    sentences.append(_why_better(stage, turn))
    return sentences


def success(stage: PuzzleStage, turn: str, answered: FirstTry | None) -> list[Sentence]:
    """The answer to the last right turn, with the player's rating after the try ``answered`` (None: not stored)."""
    sentences = [_praise(stage, turn), _winning(stage)]
    if answered is None:
        return sentences
    if answered.counts:
        rated = _("Solved at the first try! Your puzzle rating is now {rating}. Your streak: {count}.")
    elif answered.solved:
        rated = _("Solved! This puzzle had already counted: your puzzle rating is {rating}. Your streak: {count}.")
    else:
        rated = _("Solved! Only the first try counts, so your puzzle rating stays {rating}.")
    return [*sentences, _with_rating(rated, answered)]


def solution(stage: PuzzleStage, answered: FirstTry, *, instead_of: str | None = None) -> Iterator[Sentence]:
    """Yield the remaining turns of the solution; the first has its advantages over ``instead_of`` or other turns."""
    position, last = stage.position, len(stage.puzzle.solution) - 1
    for ply, turn in enumerate(stage.puzzle.solution[stage.ply :], stage.ply):
        side = words.side(stage.puzzle.ruleset, position.turn_of)
        emoji = "💡" if ply % 2 == 0 else "↪️"
        line = Sentence("{emoji} {side}: {turn}.").format(emoji=emoji, side=side, turn=words.turn(position, turn))
        line = _with_effect(stage, line, position, turn)
        reasons = _why(stage, turn, instead_of=instead_of) if ply == stage.ply else ""
        sentences = [joined(line, reasons)]
        if ply == last:
            sentences.append(_winning(replace(stage, ply=last)))
        if ply == stage.ply and answered.counts:
            sentences.append(_with_rating(_("Your puzzle rating is now {rating}."), answered))
        yield joined(*sentences, by="\n")
        position, _events = position.play(turn)


def _praise(stage: PuzzleStage, turn: str) -> Sentence:
    praise = _("✅ {turn} is right.").format(turn=words.turn(stage.position, turn))
    return joined(_with_effect(stage, praise, stage.position, turn), _why(stage, turn))


def _why(stage: PuzzleStage, turn: str, *, instead_of: str | None = None) -> str:
    """The advantages of the solution's turn over ``instead_of`` or, by default, over the average turn.

    Empty for a turn that ends the game, which needs no reasons.
    """
    position = stage.position
    compared = () if instead_of is None else explain(position, turn, instead_of=instead_of)
    reasons = words.reasons(compared or explain(position, turn), yours=True)
    if reasons or position.play(turn)[0].outcome is not None:
        return reasons
    if stage.puzzle.proven:
        return _("Other turns look as good, but only this one wins.")
    return _("Other turns look as good, but this one did best when I played on.")


def _why_better(stage: PuzzleStage, tried: str) -> Sentence:
    """The advantages of the right turn over the tried turn, without naming it."""
    position, turn = stage.position, stage.puzzle.solution[stage.ply]
    better = words.reasons(explain(position, turn, most=1, instead_of=tried), yours=True)
    better = better or how_it_ends(position, position.play(turn)[0])
    if better:
        return _("The right turn is better. {reasons}").format(reasons=better)
    if stage.puzzle.proven:
        return _("Your turn looks fine, but only one turn wins. Try what follows.")
    return _("Your turn looks fine, but another did better when I played on. Try what follows.")


def _wrong(stage: PuzzleStage, turn: str) -> Sentence:
    return _("❌ {turn} is not the right turn.").format(turn=words.turn(stage.position, turn))


def _reply(stage: PuzzleStage, position: Position, reply: str) -> Sentence:
    side = words.side(position.ruleset, position.turn_of)
    text = _("{side} replies {turn}.").format(side=side, turn=words.turn(position, reply))
    return _with_effect(stage, text, position, reply)


def _winning(stage: PuzzleStage) -> Sentence:
    """A remark that a proven solution ends here; empty if the game is over."""
    after, _events = stage.position.play(stage.puzzle.solution[stage.ply])
    if after.outcome is not None or not stage.puzzle.proven:
        return Sentence()
    side = words.side(stage.puzzle.ruleset, stage.position.turn_of)
    return _("From here, {side} wins, whatever the reply.").format(side=side)


def _with_effect(stage: PuzzleStage, sentence: str, position: Position, turn: str) -> Sentence:
    """A sentence about a turn, with its effect on the solver, and the end of the game if the turn ends it."""
    after, events = position.play(turn)
    effect = words.consequences(events, stage.position.turn_of)
    return joined(sentence, effect, how_it_ends(position, after))


def _with_rating(text: Sentence, answered: FirstTry) -> Sentence:
    """The text with rating and streak, and a remark if this answer ended a streak."""
    rating, streak = Sentence("**{value}**").format(value=round(answered.after.rating)), answered.before.streak
    if answered.counts:
        rating = joined(rating, f"({'+' if answered.change >= 0 else '−'}{abs(answered.change)})")
    text = text.format(rating=rating, count=answered.after.streak)
    if streak < _SHORTEST_STREAK or answered.after.streak:
        return text
    over = _("Your streak of {count} is over. The next puzzle can begin a new one.").format(count=streak)
    return joined(text, over)
