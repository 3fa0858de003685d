"""Why a turn is good, in the words of the rule page."""

from __future__ import annotations

from rules import Phase, Position
from rules.search.choice import choose
from rules.search.knowledge import Advantage, knowledge_of
from rules.search.levels import Level, level_of
from rules.search.players import at_random
from rules.search.tree import worth

#: Minimum advantage over the average turn, as a fraction of the logit, that is worth a sentence.
_NOTABLE = 0.02
#: How many random turns a good turn is compared with, and the level whose budget each reply gets.
_SAMPLE, _LEVEL = 4, 2


def explain(position: Position, turn: str, most: int = 2, *, instead_of: str | None = None) -> tuple[Advantage, ...]:
    """The best reasons for a legal turn: sentences about its advantages over ``instead_of`` or the average turn.

    There are none in a game without an evaluation, before the sides are chosen, and for a turn that ends the game.
    """
    knowledge = knowledge_of(position.name)
    evaluate, moment = knowledge.evaluate, knowledge.moment
    if evaluate is None or position.phase is not Phase.PLAY:
        return ()
    after = position.play(turn)[0]
    if after.phase is Phase.OVER:
        return ()
    other = None if instead_of is None else position.play(instead_of)[0]
    if other is None:
        now = moment(position)
        others = [now.after(option).position for option in now.options()]
    else:
        others = [other]
    usual = [evaluate.shares(reply) for reply in others if reply.outcome is None]
    if not usual:
        return ()
    shares, sign = evaluate.shares(after), -1 if position.turn_of else 1

    def gain(term: str) -> float:
        return sign * (shares[term] - sum([terms[term] for terms in usual]) / len(usual))

    found = [(sum(map(gain, reason.terms)), reason) for reason in knowledge.reasons]
    found.sort(key=lambda gained: -gained[0])
    sentences = [reason.sentence(position, after, other) for better, reason in found if better > _NOTABLE]
    return tuple([text for text in sentences if text is not None][:most])


def value_of_replies(position: Position) -> float | None:
    """The opponent's average chance after random turns, a measure for good ones; None before the sides are chosen."""
    if position.phase is not Phase.PLAY:
        return None
    return sum([_value_of_reply(position, seed) for seed in range(_SAMPLE)]) / _SAMPLE


def _value_of_reply(position: Position, seed: int) -> float:
    after = position.play(at_random(position, seed))[0]
    if after.outcome is not None:
        first = worth(after.outcome)
        return first if position.turn_of else 1 - first
    # The same budget, but without the errors that the level makes on purpose.
    return choose(after, Level(level_of(after.ruleset, _LEVEL).simulations), seed).value
