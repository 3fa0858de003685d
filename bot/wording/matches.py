"""Sentences about matches: proposals in them, and the consequences of their results."""

from __future__ import annotations

from bot.domain.competitions.ladders import wins_rung
from bot.domain.matches import Ending, Game, Match, Proposal, ProposalKind
from bot.wording import ratings, words
from bot.wording.sentence import Sentence, gettext as _, joined, ngettext


def consequences(game: Game) -> Sentence:
    """The score of a finished match, and the rating changes."""
    assert game.match.result is not None
    score = words.score(game) if game.match.result.ending is Ending.RULES else ""
    return joined(score, ratings.changes(game), by="\n")


def verdict(game: Game, player_id: int | None) -> Sentence:
    """The result of a finished match, with a kind word to a player who has lost it; for a winner, only that."""
    assert game.match.result is not None
    winner_id = game.match.result.winner_id
    if winner_id is None or player_id is None or not game.match.has_player(player_id):
        return words.headline(game)
    if winner_id == player_id:
        return _("🏆 You win!")
    return _("Well played! {result}").format(result=words.result(game))


def rematch_label(match: Match) -> str:
    """The label of the button for a rematch, which may wait for an answer already."""
    open_one = match.proposal(ProposalKind.REMATCH)
    if open_one is None:
        return _("Rematch")
    if match.player(open_one.proposer.id).away:  # the card is at home with the player who answers
        return _("Accept the rematch")
    return _("Waiting for {player}").format(player=words.plain_name(match.opponent_of(open_one.proposer.id)))


def ladder_outcome(match: Match) -> str:
    """The effect of a finished match on its ladder; empty without a ladder."""
    if match.ladder is None or match.result is None:
        return ""
    if not wins_rung(match):
        return _("🪜 The places on the ladder stay as they are.")
    challenger = match.player(match.ladder.challenger_id)
    return _("🪜 {challenger} takes {opponent}'s place on the ladder.").format(
        challenger=words.name(challenger), opponent=words.name(match.opponent_of(challenger.id))
    )


def request_of(proposal: Proposal, match: Match, where: str) -> Sentence:
    """The proposal as a sentence; ``where`` is the name of the channel to which a match would move."""
    values: dict[str, object] = {"proposer": words.name(proposal.proposer), "match": match.id}
    match proposal.kind:
        case ProposalKind.DRAW:
            text = _("{proposer} offers a draw in match #{match}.")
        case ProposalKind.TAKE_BACK:
            assert proposal.keeps is not None
            count = proposal.ply - proposal.keeps
            text = ngettext(
                "{proposer} asks to take back the last turn of match #{match} (turn {to}).",
                "{proposer} asks to take back the last {count} turns of match #{match} (turns {since} to {to}).",
                count,
            )
            values |= {"count": count, "since": proposal.keeps + 1, "to": proposal.ply}
        case ProposalKind.ABANDON:
            text = _("{proposer} proposes to call off match #{match}: nobody wins, and it does not count.")
        case ProposalKind.MOVE:
            text = _("{proposer} would like to go on with match #{match} in {channel}.")
            values["channel"] = where
        case _:
            text = _("{proposer} would like a rematch of match #{match}; this time {first} opens.")
            if match.ruleset.setup:  # then the other player does not open
                text = _("{proposer} would like a rematch of match #{match}.")
            values["first"] = words.name(match.second)
    return text.format(**values)
