"""Plans: answers to the opponent's next turns, played immediately after these turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

from bot.domain.matches import Game
from bot.domain.play import after
from bot.domain.refusals import DomainError
from rules import Draft, Position, TurnError
from rules.text import gettext_noop

#: Maximum branches of a plan, and maximum plans of a player in running matches.
MOST_BRANCHES, MOST_PLANS = 10, 50
#: Turns of both players, ending with a turn of the planner.
Branch: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """A player's planned answers, made when a match had ``ply`` turns and ``step`` steps.

    No two branches answer the same turns differently. A branch comes true as far as its turns lead to the same
    positions as the turns of the match, however they are written, so its progress need not be stored. A take-back ends
    the plan: the match then has more steps, but fewer turns. The methods may replay the match: call them in a thread.
    """

    step: int
    ply: int
    branches: tuple[Branch, ...] = ()

    def came_true(self, game: Game) -> tuple[str, ...]:
        """The turns of the match that were played as planned."""
        played = self._turns_since(game) or ()
        return played[: max(self._followed(game), default=0)]

    def open_branches(self, game: Game) -> dict[Branch, Branch]:
        """The branches that may still come true, with their remaining turns; none once the match is over."""
        played = self._turns_since(game)
        if played is None or game.match.result is not None:
            return {}
        count, followed = len(played), zip(self.branches, self._followed(game), strict=True)
        return {branch: branch[count:] for branch, common in followed if len(branch) > count == common}

    def with_branch(self, tried: Sequence[Game], player_id: int) -> Plan:
        """The plan from the first of the tried games on, with the line to the last one as its newest branch.

        The new branch replaces branches that answer the same turns differently. Raises :class:`NothingToPlanError` and
        :class:`TooManyBranchesError`.
        """
        start, branch = tried[0], branch_of(tried, player_id)
        if not branch:
            raise NothingToPlanError
        kept: list[Branch] = []
        known = tuple(self.open_branches(start).values())
        for other in known:
            count = _in_common([game.position for game in tried], other, branch)
            if count == len(branch):
                return Plan(start.step, start.ply, known)  # the branch is in it already
            awaited = tried[count].to_act
            assert awaited is not None
            if count < len(other) and awaited.id != player_id:
                kept.append(other)
        if len(kept) >= MOST_BRANCHES:
            raise TooManyBranchesError(count=MOST_BRANCHES)
        return Plan(start.step, start.ply, (*kept, branch))

    def without(self, branch: Branch) -> Plan:
        return replace(self, branches=tuple(other for other in self.branches if other != branch))

    def _turns_since(self, game: Game) -> tuple[str, ...] | None:
        """The turns since the plan was made; None after a take-back."""
        taken_back = game.step - game.ply != self.step - self.ply
        return None if taken_back else game.turns[self.ply :]

    def _followed(self, game: Game) -> list[int]:
        """For each branch, the number of its turns that were played."""
        played = self._turns_since(game) or ()
        if all(branch[: len(played)] == played[: len(branch)] for branch in self.branches):
            return [min(len(branch), len(played)) for branch in self.branches]
        positions = [game.match.ruleset.replay(game.turns[: self.ply])]
        for turn in played:
            positions.append(positions[-1].play(turn)[0])
        return [_in_common(positions, branch, played) for branch in self.branches]


def branch_of(tried: Sequence[Game], player_id: int) -> Branch:
    """The turns of a line that a player can plan: up to the last answer to the opponent; none without an answer.

    ``tried`` are the games along the line.
    """
    own = [game.to_act is not None and game.to_act.id == player_id for game in tried[:-1]]
    answers = [at for at, mine in enumerate(own) if mine and not all(own[:at])]
    return tried[-1].turns[tried[0].ply :][: answers[-1] + 1] if answers else ()


def planned_answers(plans: Mapping[int, Plan], game: Game, player_id: int, now: datetime) -> tuple[list[Game], bool]:
    """The games after each planned answer to the last turn, and whether nothing is left of the player's own plan.

    The player made that turn by hand; ``plans`` are by player. Replays the turns: call it in a thread.
    """
    answers = list[Game]()
    left = {owner: list(plan.open_branches(game).values()) for owner, plan in plans.items()}
    spent = left.get(player_id) == []
    while (awaited := game.to_act) is not None and (answers or awaited.id != player_id) and left.get(awaited.id):
        answer = _planned_turn(game.position, left[awaited.id][-1][0])  # all branches have the same answer
        if answer is None:
            break
        position, turn = game.position, (answer.text,)
        for owner, rests in left.items():
            left[owner] = [rest[1:] for rest in rests if len(rest) > 1 and _in_common([position], rest, turn)]
        game = after(game, answer, now, planned=True)
        answers.append(game)
    return answers, spent


def _planned_turn(position: Position, turn: str) -> Draft | None:
    """A planned turn; None if it is not legal."""
    try:
        draft = position.draft(turn)
    except TurnError:
        return None
    return draft if draft.complete else None


def _in_common(positions: Sequence[Position], one: Branch, other: Branch) -> int:
    """The number of turns with which both branches begin alike; ``positions`` are before the turns of ``other``."""
    count = 0
    for position, mine, its in zip(positions, one, other, strict=False):
        try:
            if not position.same_turn(mine, its):
                break
        except TurnError:
            break
        count += 1
    return count


class NothingToPlanError(DomainError):
    template = gettext_noop("A plan answers your opponent, so try a turn of theirs and then one of yours.")


class TooManyBranchesError(DomainError):
    template = gettext_noop("A plan has at most {count} branches. Delete one of them first.")


class TooManyPlansError(DomainError):
    template = gettext_noop("You already have plans in {count} matches. Delete one of them first.")
