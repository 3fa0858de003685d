"""Sentences about proposals."""

from __future__ import annotations

from bot.domain.matches import Match, Proposal, ProposalKind
from bot.texts import gettext as _
from bot.texts import ngettext
from bot.wording import words


def request_of(proposal: Proposal, match: Match) -> str:
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
            text = _("{proposer} proposes to abandon match #{match}: nobody wins, and it does not count.")
        case ProposalKind.MOVE:
            assert proposal.place is not None
            text = _("{proposer} would like to go on with match #{match} in {channel}.")
            values["channel"] = words.channel(proposal.place.channel_id)
        case _:
            text = _("{proposer} would like a rematch of match #{match}; this time {first} opens.")
            if match.ruleset.setup:  # then the other player does not open
                text = _("{proposer} would like a rematch of match #{match}.")
            values["first"] = words.name(match.second)
    return text.format(**values)
