"""Matches, their steps and results; games, which are matches with positions; and refusals."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import ClassVar

from bot.domain.clocks import DAY, Clock, remaining_turns
from bot.domain.deliveries import CardKey, MatchDelivery
from bot.domain.places import Place, Viewer
from bot.domain.players import Player
from bot.domain.ratings import MatchRatingChange
from bot.domain.refusals import DomainError
from rules import Event, Outcome, Phase, Position, Ruleset, Side, SideChosen
from rules.text import gettext_noop


class Ending(enum.StrEnum):
    """The reason for a match's end.

    A match is abandoned by agreement, by a moderator or, in a tournament, by its organiser. A result that a moderator
    has voided does not count either. An imported record may name a winner without a reason, or be unfinished.
    """

    RULES = "rules"
    RESIGNATION = "resignation"
    AGREEMENT = "agreement"
    ABANDONED = "abandoned"
    TIME = "time"
    VOID = "void"
    RECORD = "record"
    UNFINISHED = "unfinished"


#: How long strangers may take for their first turns.
FIRST_TURN_WITHIN = 3 * DAY
#: The endings of matches that do not count.
UNCOUNTED = (Ending.ABANDONED, Ending.VOID, Ending.UNFINISHED)


@dataclass(frozen=True, slots=True)
class Result:
    """The end of a match; ``winner_id`` is None for a draw and for a match that does not count.

    ``moderator`` is the person who ended or voided it, if neither the rules nor the players did.
    """

    winner_id: int | None
    ending: Ending
    moderator: Player | None = None

    @property
    def counts(self) -> bool:
        """Whether the match was won or drawn."""
        return self.ending not in UNCOUNTED


class ProposalKind(enum.StrEnum):
    DRAW = "draw"
    TAKE_BACK = "take-back"
    ABANDON = "abandon"
    MOVE = "move"
    REMATCH = "rematch"


class ProposalState(enum.StrEnum):
    OPEN = "open"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    LAPSED = "lapsed"
    """The match went on, or ended, before an answer."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposal to the opponent, made after ``step`` steps of the match; it lapses with the next step.

    At that step, the match had ``ply`` turns; a take-back ``keeps`` the first of them. ``place`` is the channel to
    which to move the match.
    """

    id: int
    match_id: int
    kind: ProposalKind
    proposer: Player
    step: int
    state: ProposalState
    ply: int
    keeps: int | None = None
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """A turn of a match, or a take-back, which has no turn; the match then has ``ply`` turns.

    ``planned`` is the number of turns in a row, up to this one, that were played as planned.
    """

    ply: int
    turn: str | None
    player_id: int
    at: datetime
    planned: int = 0


def mainline(steps: Iterable[Step]) -> tuple[Step, ...]:
    """The turns that have not been taken back, in order."""
    return tuple(remaining_turns((step.ply, None if step.turn is None else step) for step in steps))


@dataclass(frozen=True, slots=True)
class TournamentTitle:
    """The number and name of a tournament, and its edition; ``name`` can be empty."""

    id: int
    name: str
    organiser: Player
    edition: int = 1


@dataclass(frozen=True, slots=True)
class Imported:
    """The person who has imported a record, and its result and tags."""

    by: int
    result: str
    tags: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class LadderStake:
    """The ladder of a match, whose challenger gets the opponent's rung by winning."""

    id: int
    challenger_id: int


@dataclass(frozen=True, slots=True)
class Match:
    """A match as it is stored: between people, between a person and the computer or a program, or an imported record.

    ``first`` makes the opening, ``second`` chooses a side. ``guild_id`` is the server whose leaderboards and nicknames
    apply; None outside servers. After ``step`` turns and take-backs, the match has ``ply`` turns; ``step`` only grows,
    so it identifies a board. ``moved_at`` is the time of the last step or, before the first one, of the start.
    ``proposals`` wait for an answer. A casual match is not ``rated``. ``rating_changes`` are set once the match counts.
    ``clock`` is None without a time control. While a match is ``waiting`` for a place, nobody can play and the clock
    stands still. Until it is ``shown`` by its first card, nobody can lose on time. ``ends_at`` is the hard end of a
    match in a cup. Strangers each have a home of their own: ``apart`` are the servers of these homes, by seat (None in
    it: a conversation).
    """

    id: int
    challenge_id: int | None
    ruleset: Ruleset
    guild_id: int | None
    first: Player
    second: Player
    ply: int
    step: int
    result: Result | None
    started_at: datetime
    moved_at: datetime
    ended_at: datetime | None = None
    rematch_of: int | None = None
    rematch_id: int | None = None
    proposals: tuple[Proposal, ...] = ()
    rated: bool = True
    rating_changes: tuple[MatchRatingChange, ...] = ()
    clock: Clock | None = None
    waiting: bool = False
    shown: bool = True
    tournament: TournamentTitle | None = None
    imported: Imported | None = None
    ends_at: datetime | None = None
    ladder: LadderStake | None = None
    apart: tuple[int | None, int | None] | None = None

    def seen_from(self, home: MatchDelivery) -> Match:
        """The match as it is shown in a home: there, its player has a name, and the player of another home is away."""
        if home.player_id is None:
            return self
        opponent = self.opponent_of(home.player_id)
        own = self.player(home.player_id)
        own = replace(own, name=own.name or ("" if own.names is None else own.names.account))
        people = {person.id: person for person in self.people}
        return self.renamed(people | {own.id: own, opponent.id: replace(opponent, away=True)})

    @property
    def is_between_places(self) -> bool:
        """Whether strangers play who are at home on different servers or in conversations."""
        return self.apart is not None and (None in self.apart or self.apart[0] != self.apart[1])

    @property
    def awaits_first_turn(self) -> bool:
        """Whether strangers play and the player to act has not made a turn; without it, the match is called off."""
        return self.apart is not None and self.result is None and self.ply < len(self.players)

    @property
    def turn_due_at(self) -> datetime | None:
        """When the time for the next turn is up; None without a clock, or while it stands still."""
        clock = self.clock
        if clock is None or clock.flag_at is None or clock.since is None or not self.awaits_first_turn:
            return None if clock is None else clock.flag_at
        return min(clock.flag_at, clock.since + FIRST_TURN_WITHIN)

    @property
    def card_keys(self) -> tuple[CardKey, ...]:
        """The keys of the match's cards, one for each home."""
        return (CardKey(self.id),) if self.apart is None else (CardKey(self.id), CardKey(self.id, 1))

    def card_of(self, player_id: int | None) -> CardKey:
        """The key of the card in a player's own home, or in the common or first one."""
        return CardKey(self.id, 0 if self.apart is None or player_id != self.second.id else 1)

    def server_of(self, seat: int) -> int | None:
        """The server of the home of the player in a seat."""
        return self.guild_id if self.apart is None else self.apart[seat]

    @property
    def ended_hard(self) -> bool:
        """Whether the match is over because its hard end was reached."""
        return self.ends_at is not None and self.ended_at is not None and self.ended_at >= self.ends_at

    @property
    def players(self) -> tuple[Player, Player]:
        return self.first, self.second

    @property
    def people(self) -> tuple[Player, ...]:
        """Everybody whom the match names."""
        moderator = None if self.result is None else self.result.moderator
        organiser = None if self.tournament is None else self.tournament.organiser
        named = (self.first, self.second, moderator, organiser, *(proposal.proposer for proposal in self.proposals))
        return tuple(person for person in named if person is not None)

    def renamed(self, names: Mapping[int, Player]) -> Match:
        """The match with new names, by id. The names in an imported record stay."""
        if self.imported is not None:
            return self
        result, cup = self.result, self.tournament
        if result is not None and result.moderator is not None:
            result = replace(result, moderator=names[result.moderator.id])
        return replace(
            self,
            first=names[self.first.id],
            second=names[self.second.id],
            result=result,
            tournament=None if cup is None else replace(cup, organiser=names[cup.organiser.id]),
            proposals=tuple(replace(made, proposer=names[made.proposer.id]) for made in self.proposals),
        )

    def with_current(self, player: Player) -> Match:
        """The match with one person's current names."""
        return self.renamed({person.id: person for person in self.people} | {player.id: player})

    @property
    def between_people(self) -> bool:
        return all(player.is_person for player in self.players)

    @property
    def computer(self) -> Player | None:
        """The computer at its level; None without it."""
        return next((player for player in self.players if player.level is not None), None)

    def player(self, player_id: int) -> Player:
        return self.first if player_id == self.first.id else self.second

    def has_player(self, player_id: int) -> bool:
        return player_id in (self.first.id, self.second.id)

    def belongs_to(self, player_id: int) -> bool:
        """Whether a player plays the match or has imported it, and so may see it everywhere."""
        return self.has_player(player_id) or (self.imported is not None and self.imported.by == player_id)

    def opponent_of(self, player_id: int) -> Player:
        return self.second if player_id == self.first.id else self.first

    def seat_of(self, player_id: int) -> int:
        """The player's seat: 0 opens, 1 chooses a side."""
        return 0 if player_id == self.first.id else 1

    def proposal(self, kind: ProposalKind) -> Proposal | None:
        """The open proposal of that kind; None without one."""
        return next((proposal for proposal in self.proposals if proposal.kind is kind), None)


@dataclass(frozen=True, slots=True)
class TakeBack:
    """A take-back as the last step of a match: the player who asked for it, and the number of turns taken back."""

    player_id: int
    turns: int


@dataclass(frozen=True, slots=True)
class NextMatch:
    """Another match that waits for the player who has just played; the opponent has their name on its server."""

    id: int
    game: str
    opponent: Player
    delivery: MatchDelivery


@dataclass(frozen=True, slots=True)
class Game:
    """A match with the position that its turns lead to, and the events of its last turn.

    The last ``planned`` turns were played as planned, right after the turn before them.
    """

    match: Match
    turns: tuple[str, ...]
    position: Position
    events: tuple[Event, ...]
    take_back: TakeBack | None = None
    planned: int = 0

    def turn_after(self, step: int) -> str | None:
        """The last turn made by hand, if it was played on the board of that step; a double press plays it twice."""
        return self.turns[-1 - self.planned] if self.turns and self.step == step + 1 + self.planned else None

    @property
    def ply(self) -> int:
        return len(self.turns)

    @property
    def step(self) -> int:
        """The step that identifies the board for buttons."""
        return self.match.step

    @property
    def outcome(self) -> Outcome | None:
        return self.position.outcome

    def side_of(self, player_id: int) -> Side | None:
        """The player's side; None before the choice."""
        chosen = self.position.second_player
        if chosen is None:
            return None
        return chosen if player_id == self.match.second.id else chosen.other

    def player_of(self, side: Side) -> Player:
        """The player of a side, after the choice."""
        return self.match.second if side is self.position.second_player else self.match.first

    @property
    def players(self) -> tuple[Player, Player]:
        """The players in the order of their sides or, before the choice, the opener first."""
        first, second = self.match.players
        return (second, first) if self.position.second_player is Side.FIRST else (first, second)

    @property
    def to_act(self) -> Player | None:
        """The player of the opening, choice or turn that comes next; None when the match is over."""
        seat = seat_to_act(self.position)
        return None if seat is None or self.match.result is not None else self.match.players[seat]

    @property
    def last_player(self) -> Player | None:
        """The player who made the last turn; None before the first one."""
        if not self.turns:
            return None
        if self.has_just_opened:
            return self.match.first
        if isinstance(self.events[0], SideChosen):
            return self.match.second
        return self.player_of(self.position.turn_of.other)

    @property
    def has_just_opened(self) -> bool:
        """Whether the last turn was the opening."""
        return self.ply == 1 and not self.match.ruleset.continues


def seat_to_act(position: Position) -> int | None:
    """The seat of the opening, choice or turn that comes next; None when the game is over."""
    match position.phase:
        case Phase.OPENING:
            return 0
        case Phase.CHOICE:
            return 1
        case Phase.PLAY:
            return int(position.turn_of is position.second_player)
        case Phase.OVER:
            return None


@dataclass(frozen=True, slots=True)
class Pending:
    """A running match, the player to act, and the time since which it has waited for them."""

    match: Match
    to_act: Player
    since: datetime

    def awaits(self, player_id: int) -> bool:
        """Whether the match waits for a player's turn; nobody can play it before it has a place."""
        return self.to_act.id == player_id and not self.match.waiting


class MatchScope(enum.Enum):
    """The matches to suggest for an option."""

    #: Running matches that the viewer plays.
    OWN = enum.auto()
    RUNNING = enum.auto()
    #: Running and finished matches, also the viewer's own from elsewhere.
    ALL = enum.auto()


@dataclass(frozen=True, slots=True)
class MatchChoice:
    """A match in a list of choices; ``to_act`` is the player to act in a running match."""

    id: int
    game: str
    first: Player
    second: Player
    to_act: Player | None
    ended_at: datetime | None


class Score(enum.StrEnum):
    """The result of a match for one player."""

    WON = "won"
    LOST = "lost"
    DRAWN = "drawn"
    ABANDONED = "abandoned"


def score_of(match: Match, player_id: int) -> Score:
    """The result of a finished match for a player."""
    assert match.result is not None
    if not match.result.counts:
        return Score.ABANDONED
    if match.result.winner_id is None:
        return Score.DRAWN
    return Score.WON if match.result.winner_id == player_id else Score.LOST


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """The terms of a search for matches that the ``viewer`` may find.

    ``opponent_id`` may be the computer at any level. ``score`` is the result for ``player_id``; without a player, only
    draws and abandoned matches can be searched.
    """

    viewer: Viewer | None = None
    player_id: int | None = None
    opponent_id: int | None = None
    game: str | None = None
    score: Score | None = None


def page_number(page: int, total: int, most: int) -> tuple[int, int]:
    """The number of the page to show, at most the last, and the number of pages of ``most`` entries."""
    pages = max(1, -(-total // most))
    return min(max(1, page), pages), pages


@dataclass(frozen=True, slots=True)
class PendingPage:
    """A page of a player's running matches. Pages are counted from 1; an empty list has one page.

    ``to_play`` counts all matches that wait for the player's turn, and ``to_answer`` all that wait for an answer.
    """

    matches: tuple[Pending, ...]
    number: int
    pages: int
    total: int
    to_play: int
    to_answer: int


@dataclass(frozen=True, slots=True)
class MatchListPage:
    """A page of a list of matches. Pages are counted from 1; an empty list has one page."""

    matches: tuple[Match, ...]
    number: int
    pages: int
    total: int


class UnknownMatchError(DomainError):
    """The player can see no match with that number here."""

    template = gettext_noop("There is no match with that number here. Choose one from the list.")


class NoMatchError(DomainError):
    template = gettext_noop("You have no running match here. Start one with {play}.")


class NoMatchToShowError(DomainError):
    """No match was played in this channel, and the player has none elsewhere on the server."""

    template = gettext_noop("No match has been played here yet. {play} starts one.")


class ManyMatchesError(DomainError):
    """Several matches fit, so the player has to name one."""

    template = gettext_noop("Several of your matches fit: {matches}.")

    def __init__(self, matches: list[Match]) -> None:
        super().__init__(matches=matches)
        self.matches = matches


class AboutMatchError(DomainError):
    """A refusal about one match."""

    def __init__(self, match: Match, case: object = None, /, **values: object) -> None:
        super().__init__(case, **{"match": match.id, **values})
        self.match = match


class NotAPlayerError(AboutMatchError):
    template = gettext_noop("You are not playing in match {match}. {play} starts a match of your own.")
    templates: ClassVar = {
        "over": gettext_noop("You did not play in match {match}. {play} starts a match of your own.")
    }

    def __init__(self, match: Match) -> None:
        super().__init__(match, None if match.result is None else "over", match=match)


class NotYourTurnError(AboutMatchError):
    """Another ``player`` is to act."""

    templates: ClassVar = {
        Phase.OPENING: gettext_noop("It is not your turn: {player} opens match #{match}."),
        Phase.CHOICE: gettext_noop("It is not your turn: {player} is choosing a side in match #{match}."),
        Phase.PLAY: gettext_noop("It is {player}'s turn in match #{match}, not yours."),
    }


class MatchOverError(AboutMatchError):
    template = gettext_noop("Match #{match} is over. {play} starts a new one.")


class MovedOnError(DomainError):
    """The board changed since the player saw it."""

    template = gettext_noop("The board has moved on since then. Use the latest board, or get it with {board}.")


class WaitingForPlaceError(AboutMatchError):
    template = gettext_noop(
        "Match #{match} is waiting for a place: its channel is gone, or another match is running there. Use "
        "{board} in another channel to move it there."
    )


class AlreadyVoidError(AboutMatchError):
    """The match was abandoned or voided, so it does not count anyway."""

    template = gettext_noop("Match #{match} does not count anyway, so there is nothing to void.")
