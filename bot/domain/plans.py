"""Plans: answers to the opponent's next turns, played immediately after these turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

from bot.domain.matches import Game
from bot.domain.play import after
from bot.domain.refusals import DomainError
from rules import Draft, TurnError
from rules.text import gettext_noop

#: The most branches of a plan, and the most plans of a player in running matches.
MOST_BRANCHES, MOST_PLANS = 10, 50
#: Turns of both players, ending with one of the planner's.
Branch: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a player will answer after the first ``ply`` turns of a match with ``step`` steps.

    No two branches give different answers to the same turns. The match's turns show how far the branches have come
    true, so nothing is stored when they do. A take-back ends the plan: the match has more steps, but fewer turns.
    """

    step: int
    ply: int
    branches: tuple[Branch, ...] = ()

    def came_true(self, game: Game) -> tuple[str, ...]:
        """The turns of the match that were played as planned."""
        played = self._turns_since(game)
        return max((_common(branch, played) for branch in self.branches), key=len, default=())

    def open_branches(self, game: Game) -> dict[Branch, Branch]:
        """The branches that may still come true, each with the rest of it; none once the match is over."""
        played = self._turns_since(game)
        if played is None or game.match.result is not None:
            return {}
        count = len(played)
        return {each: each[count:] for each in self.branches if len(each) > count and each[:count] == played}

    def answer(self, game: Game) -> Draft | None:
        """The planned turn of the player to act, who has made the plan; None without a legal one."""
        rest = next(iter(self.open_branches(game).values()), None)
        if rest is None:
            return None
        try:
            draft = game.position.draft(rest[0])
        except TurnError:
            return None
        return draft if draft.complete else None

    def with_branch(self, tried: Sequence[Game], player_id: int) -> Plan:
        """The plan from the first tried game on, with the line to the last one as its newest branch.

        It replaces branches in which the player answers the same turns differently. Raises :class:`NothingToPlanError`
        and :class:`TooManyBranchesError`.
        """
        start, branch = tried[0], branch_of(tried, player_id)
        if not branch:
            raise NothingToPlanError
        kept: list[Branch] = []
        known = tuple(self.open_branches(start).values())
        for each in known:
            count = len(_common(each, branch))
            if count == len(branch):
                return Plan(start.step, start.ply, known)  # the branch is in it already
            awaited = tried[count].to_act
            assert awaited is not None
            if count < len(each) and awaited.id != player_id:
                kept.append(each)
        if len(kept) >= MOST_BRANCHES:
            raise TooManyBranchesError(count=MOST_BRANCHES)
        return Plan(start.step, start.ply, (*kept, branch))

    def without(self, branch: Branch) -> Plan:
        return replace(self, branches=tuple(each for each in self.branches if each != branch))

    def _turns_since(self, game: Game) -> tuple[str, ...] | None:
        """The turns since the plan was made; None after a take-back."""
        taken_back = game.step - game.ply != self.step - self.ply
        return None if taken_back else game.turns[self.ply :]


def branch_of(tried: Sequence[Game], player_id: int) -> Branch:
    """The part of a line, given by its games, that a player can plan: up to the last answer to the opponent.

    Empty if the player answers nothing.
    """
    own = [game.to_act is not None and game.to_act.id == player_id for game in tried[:-1]]
    answers = [at for at, mine in enumerate(own) if mine and not all(own[:at])]
    return tried[-1].turns[tried[0].ply :][: answers[-1] + 1] if answers else ()


def planned_answers(plans: Mapping[int, Plan], game: Game, player_id: int, now: datetime) -> list[Game]:
    """The games after each planned answer to the last turn, which the player made by hand; plans are by player.

    This replays the turns: call it outside the event loop.
    """
    answers = list[Game]()
    while (awaited := game.to_act) is not None and (answers or awaited.id != player_id) and awaited.id in plans:
        answer = plans[awaited.id].answer(game)
        if answer is None:
            break
        game = after(game, answer, now, planned=True)
        answers.append(game)
    return answers


def _common(one: Branch, other: Branch | None) -> Branch:
    """The turns that both begin with."""
    count = next((at for at, (mine, its) in enumerate(zip(one, other or (), strict=False)) if mine != its), None)
    return one[: min(len(one), len(other or ())) if count is None else count]


class NothingToPlanError(DomainError):
    template = gettext_noop("A plan answers your opponent, so try a turn of theirs and then one of yours.")


class TooManyBranchesError(DomainError):
    template = gettext_noop("A plan has at most {count} branches. Delete one of them first.")


class TooManyPlansError(DomainError):
    template = gettext_noop("You already have plans in {count} matches. Delete one of them first.")
