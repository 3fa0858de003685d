"""Why a turn is good, in the words of the rule page."""

from __future__ import annotations

from rules import Phase, Position, Text
from rules.search.knowledge import knowledge_of

#: By how much a turn has to be better than the average one in some respect, as a part of the logit, to be named for it.
_NOTABLE = 0.02


def explain(position: Position, turn: str, most: int = 2) -> tuple[Text, ...]:
    """The best reasons for a legal turn: sentences to its player about what it does better than the average turn.

    There are none in a game without an evaluation, before the sides are chosen, and for a turn that ends the game.
    """
    knowledge = knowledge_of(position.ruleset.game.name)
    evaluate, moment = knowledge.evaluate, knowledge.moment
    if evaluate is None or position.phase is not Phase.PLAY:
        return ()
    after = position.play(turn)[0]
    if after.phase is Phase.OVER:
        return ()
    now = moment(position)
    usual = [evaluate.shares(each.position) for each in map(now.after, now.steps()) if each.outcome is None]
    shares, sign = evaluate.shares(after), -1 if position.turn_of else 1

    def gain(term: str) -> float:
        return sign * (shares[term] - sum([each[term] for each in usual]) / len(usual))

    found = [(sum(map(gain, reason.terms)), reason) for reason in knowledge.reasons]
    found.sort(key=lambda each: -each[0])
    told = [reason.told(position, after) for better, reason in found if better > _NOTABLE]
    return tuple([text for text in told if text is not None][:most])
