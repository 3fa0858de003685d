"""Names, terms, and sentences about turns and results, which many cards and pages share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from babel import dates, lists, numbers

from bot.domain.competitions.tournaments import Tournament
from bot.domain.matches import Ending, Game, Match, Result, Score, TournamentTitle, score_of
from bot.domain.players import Player, untitled
from bot.texts import current_language, gettext_noop, pgettext_noop, translations
from bot.texts.durations import time_control
from bot.wording.quoting import as_code, as_drawable, as_markdown
from bot.wording.sentence import Sentence, gettext as _, joined, ngettext, pgettext
from rules import Event, Passed, Phase, Position, Ruleset, Side, SideChosen, Tally, Text
from rules.games import FIRST_GAME
from rules.position import ScorePart, Weight
from rules.search import Advantage
from rules.text import format_score

_AGAINST = {
    Score.WON: gettext_noop("won against **{opponent}**"),
    Score.LOST: gettext_noop("lost to **{opponent}**"),
    Score.DRAWN: gettext_noop("drew with **{opponent}**"),
    Score.ABANDONED: gettext_noop("called off with **{opponent}**"),
}
#: Maximum turns listed on a card.
_MOST_LISTED = 12
_WEIGHTS = {
    Weight.LIGHT: pgettext_noop("weight", "light"),
    Weight.MEDIUM: pgettext_noop("weight", "medium"),
    Weight.HEAVY: pgettext_noop("weight", "heavy"),
}


def name(player: Player) -> Sentence:
    if player.level is not None:
        return _("Hexgrove (level {level})").format(level=player.level)
    if player.is_program:
        program, owner = untitled(player)
        return as_markdown(_("{program} of {player}").format(program=program, player=owner) if owner else program)
    return as_markdown(player.name) or (_("a deleted player") if player.deleted else _("Anonymous player"))


def awaited_act(game: Game, awaited: Player) -> Sentence:
    """What the player to act has to do, in words for others."""
    player = name(awaited)
    match game.position.phase:
        case Phase.OPENING:
            return _("{player} opens.").format(player=player)
        case Phase.CHOICE:
            return _("{player} is choosing a side.").format(player=player)
    return _("{player}'s turn ({side}).").format(player=player, side=side(game.match.ruleset, game.position.turn_of))


def plain_name(player: Player) -> str:
    """The player's name as plain text."""
    return name(player).plain


def drawable_name(player: Player) -> str:
    """The player's name in letters that pictures can show."""
    return as_drawable(plain_name(player)) or _("somebody")


def acting(player: Player, side: str) -> dict[str, str]:
    """The player's name, with the side or the computer's level in brackets."""
    if player.level is None:
        return {"player": name(player), "side": side}
    return {"player": "Hexgrove", "side": f"{_('level {level}').format(level=player.level)}, {side}"}


def number(value: int) -> str:
    """A number in the current language, such as ``12,345``."""
    return numbers.format_decimal(value, locale=current_language())


def day(moment: datetime) -> str:
    return dates.format_date(moment.date(), "medium", locale=current_language())


def share(value: float) -> str:
    """A share from 0 to 1 as a percentage, such as ``56.7%``."""
    return numbers.format_percent(round(value, 3), locale=current_language(), decimal_quantization=False)


def tournament(which: TournamentTitle | Tournament) -> Sentence:
    organiser = which.organiser
    unnamed = _("{player}'s tournament").format(player=name(organiser)) if organiser.name else numbered(which)
    return joined(as_markdown(which.name) or unnamed, str(which.edition) if which.edition > 1 else "")


def title(which: TournamentTitle | Tournament) -> str:
    """The name of a tournament as plain text."""
    return tournament(which).plain


def ladder(game: type[Position]) -> str:
    return _("{game} ladder").format(game=game.title)


def numbered(which: TournamentTitle | Tournament) -> str:
    return _("Tournament #{number}").format(number=which.id)


def side(ruleset: Ruleset, which: Side) -> str:
    return translate(ruleset.game.side_name(which))


def translate(text: Text | str) -> str:
    """A text of the rules in the current language."""
    return text.translate(translations()) if isinstance(text, Text) else text


def turn(position: Position, turn: str) -> Sentence:
    """The notation of a turn; a pass or a choice of side is a word."""
    name = translate(position.turn_name(turn))
    return as_code(turn) if name == turn else Sentence("**{name}**").format(name=name)


def terms(ruleset: Ruleset, *, rated: bool = True) -> Sentence:
    """The game and size, and whatever is unusual: variant, beginning, a casual match."""
    values = {"game": ruleset.game.title, "size": ruleset.size}
    if ruleset.variant == ruleset.game.variants[0]:
        text = _("{game}, size {size}").format(**values)
    else:
        text = _("{game}, size {size}, variant *{variant}*").format(variant=_(ruleset.variant), **values)
    return joined(text, beginning(ruleset), "" if rated else _("casual"), by=" · ")


def beginning(ruleset: Ruleset) -> str:
    """An unusual beginning, such as a position or a handicap; empty for the usual one."""
    if ruleset.handicap is None:
        return _("from a position") if ruleset.continues else ""
    if ruleset.handicap == 0:
        return _("handicap: no choice of side")
    pieces = ngettext("handicap: {count} extra piece", "handicap: {count} extra pieces", ruleset.handicap)
    return pieces.format(count=ruleset.handicap)


def variant(game: type[Position], which: str) -> str:
    """The name of a variant, with its special rule."""
    special = game.variant_notes.get(which)
    return f"{_(which)}: {_(special)}" if special else _(which)


def versus(first: Player, second: Player) -> Sentence:
    """Both players, wherever possible in the order of :attr:`Game.players`, as in pictures and scores."""
    return _("{first} vs {second}").format(first=name(first), second=name(second))


def goal(ruleset: Ruleset) -> Sentence:
    """The way to win, and what a turn is."""
    return _(ruleset.game.goals[ruleset.variant])


def facts(game: type[Position]) -> Sentence:
    """The length and the weight of a first match, such as ``15 minutes, light``, and whether to begin with the game."""
    text = _("{minutes} minutes, {weight}")
    facts = text.format(minutes=game.minutes, weight=pgettext("weight", _WEIGHTS[game.weight]))
    begin = _("start here").replace(" ", "\N{NO-BREAK SPACE}")
    return joined(facts, begin if game is FIRST_GAME else "", by=": ")


def size(game: type[Position], size: int) -> Sentence:
    """A size with its name, such as ``5 · small``; most sizes have none."""
    names = {game.sizes[0]: _("small"), game.sizes[-1]: _("large"), game.default_size: _("usual")}
    return joined(str(size), names.get(size, ""), by=" · ")


def effect(events: tuple[Event, ...]) -> str:
    """The effect of a turn beyond its placed pieces, such as ``flips 7 stones``, or empty."""
    did = Tally(events)
    return ", ".join(map(translate, (*did.effects(), *did.growth())))


def consequences(events: tuple[Event, ...], reader: Side | None = None) -> str:
    """The effect of a turn as sentences, worded for the ``reader`` or for everybody."""
    return _it_does(Tally(events), reader)


def gains(events: tuple[Event, ...]) -> str:
    """The gains of a turn for the player to move as sentences, or empty."""
    return _it_does(Tally(events).gains())


def _it_does(did: Tally, reader: Side | None = None) -> str:
    does = lists.format_list([*map(translate, did.effects(reader))], locale=current_language())
    sentences = [_("It {does}.").format(does=does)] if does else []
    return " ".join([*sentences, *(f"{translate(growth)}." for growth in did.growth())])


def reasons(given: Iterable[Advantage], *, yours: bool) -> str:
    """The reasons for a turn; ``yours`` if the reader plays its side."""
    return " ".join(translate(reason.to_mover if yours else reason.to_others) for reason in given)


def last_turn(game: Game) -> Sentence:
    """The last turn, such as ``Turn 12 · Bob (Light) played e5. It flips 7 stones.``; empty before the first one.

    A remark on turns taken back since then comes first.
    """
    does, made, taken_back = consequences(game.events) if game.turns else "", turn_made(game), Sentence()
    if game.take_back is not None:
        count = game.take_back.turns
        text = ngettext("↩️ {player} took back the last turn.", "↩️ {player} took back the last {count} turns.", count)
        taken_back = text.format(player=name(game.match.player(game.take_back.player_id)), count=count)
    return joined(taken_back, Sentence("{made}. {does}").format(made=made, does=does) if does else made, by="\n")


def latest(sentences: Sequence[str]) -> list[str]:
    """The latest sentences about turns, after the number of the earlier ones, because cards have limits."""
    count = len(sentences) - _MOST_LISTED
    if count <= 0:
        return [*sentences]
    earlier = ngettext("… {count} earlier turn", "… {count} earlier turns", count).format(count=count)
    return [earlier, *sentences[count:]]


def turn_made(game: Game) -> Sentence:
    """The last turn without its effect, such as ``Turn 12 · Bob (Light) played e5``; empty before the first one."""
    player = game.last_player
    if player is None:
        return Sentence()
    ruleset, first = game.match.ruleset, game.events[0]
    values = {"player": name(player), "turn": as_code(game.turns[-1])}
    if isinstance(first, SideChosen):
        did = _("{player} chose **{side}**").format(side=side(ruleset, first.side), **values)
    elif game.has_just_opened:
        did = _("{player} opened with {turn}").format(**values)
    elif isinstance(first, Passed):
        did = _("{player} ({side}) passed").format(**acting(player, side(ruleset, first.side)))
    else:
        did = _("{player} ({side}) played {turn}").format(**{**values, **acting(player, side(ruleset, first.side))})
    if game.planned:
        did = _("{turn}, as planned").format(turn=did)
    number = _("Turn {number}").format(number=game.ply)
    return joined(joined("" if player.level is None else "🤖", number), did, by=" · ")


def result(game: Game) -> Sentence:
    found = game.match.result
    assert found is not None
    won_by = None if found.winner_id is None else game.side_of(found.winner_id)
    if found.ending is not Ending.RULES:
        return result_off_board(game.match, won_by)
    if found.winner_id is None:
        return _("The match is a draw.")
    assert game.outcome is not None
    return _("{winner} wins {reason}.").format(
        winner=_winner(game.match, found.winner_id, won_by), reason=_(game.position.reasons[game.outcome.reason])
    )


def headline(game: Game) -> Sentence:
    """The result after its emoji."""
    assert game.match.result is not None
    return joined(result_emoji(game.match.result), result(game))


def score(game: Game) -> Sentence:
    """The score that decided a match, the first side's first; empty without one.

    For example, ``**30½ : 23** · regions 14 : 7, prisoners 16 : 16, larger groups ½`` or ``Stones 61 : 0``.
    """
    position, outcome = game.position, game.outcome
    parts = () if outcome is None else position.score_parts()
    if outcome is None or not parts:
        return Sentence()
    named = (f"{translate(part.name)} {_shares(part)}" for part in parts if part.first or part.second)
    listed = joined(*named, by=", ")
    if len(parts) == 1:
        return listed.capitalized()
    total = position.score()
    points = against(*(total[side] for side in position.sides))
    return Sentence("**{points}** · {listed}").format(points=points, listed=listed)


def _shares(part: ScorePart) -> str:
    """The shares of both sides, the first side's first; just ``½`` if a half point goes to one side."""
    if {part.first, part.second} == {0, 0.5}:
        return format_score(0.5)
    return against(part.first, part.second)


def against(*values: object) -> str:
    """Two values, such as ``30½ : 23``, on one line even on a phone."""
    shown = (format_score(value) if isinstance(value, int | float) else str(value) for value in values)
    return "\N{NO-BREAK SPACE}:\N{NO-BREAK SPACE}".join(shown)


def result_off_board(match: Match, won_by: Side | None = None) -> Sentence:
    """The result of a match that did not end by the rules; ``won_by`` is the winner's side (None before the choice)."""
    result = match.result
    assert result is not None
    if result.ending is Ending.UNFINISHED:
        return _("The record ends here; the match is not finished.")
    if result.ending is Ending.RECORD:
        if result.winner_id is None:
            return _("A draw, according to the record.")
        return _("{winner} won, according to the record.").format(winner=_winner(match, result.winner_id, won_by))
    if result.winner_id is not None:
        text = _("{winner} wins: {loser} resigned.")
        if result.ending is Ending.TIME:
            text = _("{winner} wins: {loser} ran out of time.")
            if match.ended_hard:
                text = _("{winner} wins: the match reached its hard end, and {loser} had used more time.")
        loser = match.opponent_of(result.winner_id)
        return text.format(winner=_winner(match, result.winner_id, won_by), loser=name(loser))
    if result.ending is Ending.AGREEMENT:
        return _("A draw by agreement.")
    if result.ending is Ending.VOID:
        assert result.moderator is not None
        text = _("{moderator} voided this result as a moderator. Nobody wins, and the match does not count.")
        return text.format(moderator=name(result.moderator))
    if result.moderator is not None:
        text = _("{moderator} ended this match as a moderator. Nobody wins, and it does not count.")
        if match.tournament is not None:
            text = _("{moderator} ended this tournament match. Nobody wins it; the standings show how it counts.")
        return text.format(moderator=name(result.moderator))
    text = _("Both players agreed to call this match off. Nobody wins, and it does not count.")
    if match.ended_hard:
        text = _("The match reached its hard end without a place to play. Nobody wins, and it does not count.")
    return text if match.apart is None else _("This match was called off. Nobody wins, and it does not count.")


def _winner(match: Match, winner_id: int, won_by: Side | None) -> Sentence:
    winner = match.player(winner_id)
    if won_by is None:
        return Sentence("**{player}**").format(player=name(winner))
    return Sentence("**{player}** ({side})").format(**acting(winner, side(match.ruleset, won_by)))


def result_for(match: Match, player_id: int) -> Sentence:
    """The result of a finished match for a player."""
    return _(_AGAINST[score_of(match, player_id)]).format(opponent=name(match.opponent_of(player_id)))


def result_emoji(result: Result) -> str:
    if result.winner_id is not None:
        return "🏆"
    return "🤝" if result.counts else "🍂"


def results() -> tuple[str, str, str]:
    """The words for won, drawn and lost games in legends of tables."""
    return pgettext("games", "won"), pgettext("games", "drawn"), pgettext("games", "lost")


def clock_of(game: Game) -> str:
    return "" if game.match.clock is None else time_control(game.match.clock.control)
