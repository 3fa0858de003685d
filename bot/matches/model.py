"""The values of the domain: players, challenges, matches, proposals, games and settings."""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from bot.matches.clocks import Clock, TimeControl
from bot.ratings.formula import RatingChange
from rules import Event, Outcome, Phase, Position, Ruleset, Side


@dataclass(frozen=True, slots=True)
class Names:
    """What somebody is called: by their account, and on the server where they are met, if they are met on one."""

    account: str
    username: str
    guild_id: int | None = None
    nickname: str | None = None


@dataclass(frozen=True, slots=True)
class Player:
    """A person, by their Discord user id, with the name that is shown where they are named.

    The name is empty for somebody who is hidden there, or forgotten. ``names`` is what the name was taken from, when
    that is known; without them it is the account's own.
    """

    id: int
    name: str
    names: Names | None = field(default=None, compare=False, repr=False)

    @property
    def forgotten(self) -> bool:
        """Whether this is somebody who asked to be forgotten, and whom nobody can reach."""
        return self.id < 0


@dataclass(frozen=True, slots=True)
class Place:
    """Where something was asked: a channel (or thread) of a server, by their Discord ids.

    ``guild_id`` is None outside servers, in a conversation of two or of a group.
    """

    guild_id: int | None
    channel_id: int

    def shares(self, other: Place) -> bool:
        """Whether people here may know of what is there: in the same server, or else in the same conversation."""
        return self.guild_id == other.guild_id and (self.guild_id is not None or self.channel_id == other.channel_id)


async def _views_nothing(_channel_id: int) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Viewer:
    """Somebody who looks for matches and tournaments, and where they ask.

    ``views`` tells whether they can view a channel of that server; ``channels`` are those that they can, for lists.
    """

    player_id: int
    place: Place
    views: Callable[[int], Awaitable[bool]] = _views_nothing
    channels: Collection[int] = ()

    async def sees(self, place: Place) -> bool:
        """Whether what is played at ``place`` may be shown to them: they are there, or can view that channel."""
        if not place.shares(self.place):
            return False
        return place.channel_id == self.place.channel_id or await self.views(place.channel_id)


@dataclass(frozen=True, slots=True)
class Card:
    """A message that shows a challenge, a match or a proposal, and which version and step of it."""

    channel_id: int
    message_id: int
    version: int
    step: int = 0


class First(enum.StrEnum):
    """Who makes the opening."""

    CHALLENGER = "challenger"
    OPPONENT = "opponent"
    RANDOM = "random"


class ChallengeState(enum.StrEnum):
    OPEN = "open"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class Challenge:
    """An offer to play; without an opponent anyone but the challenger may accept it.

    ``version`` counts the changes that its card shows. ``match_id`` is set once it is accepted; ``opponent`` is then
    the person who accepted. ``control`` is None for a game without a clock.
    """

    id: int
    place: Place
    challenger: Player
    opponent: Player | None
    ruleset: Ruleset
    first: First
    state: ChallengeState
    created_at: datetime
    expires_at: datetime
    version: int
    card: Card | None
    match_id: int | None
    rated: bool = True
    control: TimeControl | None = None


class Ending(enum.StrEnum):
    """Why a match ended: by the game's own rules, by a decision of the players, or because the time was up.

    A match that was abandoned counts for nobody; the players agreed on that, or a moderator or, in a tournament, its
    organiser decided it. Nor does one
    whose result a moderator made void, after it had ended otherwise.
    """

    RULES = "rules"
    RESIGNATION = "resignation"
    AGREEMENT = "agreement"
    ABANDONED = "abandoned"
    TIME = "time"
    VOID = "void"


#: Matches that ended so count for nobody.
UNCOUNTED = (Ending.ABANDONED, Ending.VOID)


@dataclass(frozen=True, slots=True)
class Result:
    """How a match ended; ``winner_id`` is None for a draw and for a match that does not count.

    ``moderator`` is the one who ended it, when that was neither the rules nor the players.
    """

    winner_id: int | None
    ending: Ending
    moderator: Player | None = None

    @property
    def counts(self) -> bool:
        """Whether somebody won, or it was a draw."""
        return self.ending not in UNCOUNTED


class ProposalKind(enum.StrEnum):
    """What needs the consent of both players."""

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
    """What one player offers the other: it is about the match as it is after ``step`` steps, and lapses with the next.

    ``ply`` is the number of turns that stood when it was made, and ``keeps`` the number of those that stay when a
    take-back is accepted; ``place`` is where to move the match. ``version`` counts the changes that its card shows.
    """

    id: int
    match_id: int
    kind: ProposalKind
    proposer: Player
    step: int
    state: ProposalState
    ply: int
    version: int
    card: Card | None = None
    keeps: int | None = None
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """A turn of a match, or a take-back, which has no turn; ``ply`` turns stand after it."""

    ply: int
    turn: str | None
    player_id: int
    at: datetime


def mainline(steps: Iterable[Step]) -> tuple[Step, ...]:
    """The turns that stand after the steps, in order."""
    standing: list[Step] = []
    for step in steps:
        if step.turn is None:
            del standing[step.ply :]
        else:
            standing.append(step)
    return tuple(standing)


@dataclass(frozen=True, slots=True)
class Cup:
    """What tells one tournament from the others; ``name`` is empty when nobody has given it one."""

    id: int
    name: str
    organiser: Player


@dataclass(frozen=True, slots=True)
class Match:
    """A game between two people, as it is stored.

    ``first`` makes the opening and ``second`` chooses a side. ``channel_id`` is where it is played, None while it
    waits for a place; ``home`` is where it was challenged, or moved to. It came from a challenge or is a rematch of
    another match, and may have a rematch itself.

    ``ply`` is the number of turns that stand, ``step`` the number of turns and take-backs: it only ever rises, so it
    names a board for good. ``version`` counts the changes that its card shows. ``moved_at`` is the time of the last
    step, or of the start. ``proposals`` are those that wait for an answer. ``rated`` is False for a casual match.
    ``rating_changes`` is what the end did to the players' ratings, in their order, when it counts. ``clock`` is None
    without a time control; it stands still while the match waits for a place and when it is over. ``tournament`` is
    the one that the match belongs to, None without one.
    """

    id: int
    challenge_id: int | None
    ruleset: Ruleset
    home: Place
    channel_id: int | None
    first: Player
    second: Player
    ply: int
    step: int
    version: int
    result: Result | None
    card: Card | None
    started_at: datetime
    moved_at: datetime
    ended_at: datetime | None = None
    rematch_of: int | None = None
    rematch_id: int | None = None
    proposals: tuple[Proposal, ...] = ()
    rated: bool = True
    rating_changes: tuple[RatingChange, ...] = ()
    clock: Clock | None = None
    tournament: Cup | None = None

    @property
    def players(self) -> tuple[Player, Player]:
        return self.first, self.second

    @property
    def people(self) -> tuple[Player, ...]:
        """All whom the match names."""
        moderator = None if self.result is None else self.result.moderator
        organiser = None if self.tournament is None else self.tournament.organiser
        named = (self.first, self.second, moderator, organiser, *(each.proposer for each in self.proposals))
        return tuple(person for person in named if person is not None)

    def renamed(self, names: Mapping[int, Player]) -> Match:
        """The match with other names; all whom it names are there, by their ids."""
        result, cup = self.result, self.tournament
        if result is not None and result.moderator is not None:
            result = replace(result, moderator=names[result.moderator.id])
        return replace(
            self,
            first=names[self.first.id],
            second=names[self.second.id],
            result=result,
            tournament=None if cup is None else replace(cup, organiser=names[cup.organiser.id]),
            proposals=tuple(replace(each, proposer=names[each.proposer.id]) for each in self.proposals),
        )

    def player(self, player_id: int) -> Player:
        return self.first if player_id == self.first.id else self.second

    def has_player(self, player_id: int) -> bool:
        return player_id in (self.first.id, self.second.id)

    def opponent_of(self, player_id: int) -> Player:
        return self.second if player_id == self.first.id else self.first

    def seat_of(self, player_id: int) -> int:
        """The player's seat at the clock."""
        return 0 if player_id == self.first.id else 1

    def proposal(self, kind: ProposalKind) -> Proposal | None:
        """The proposal of that kind which waits for an answer."""
        return next((each for each in self.proposals if each.kind is kind), None)


class TournamentState(enum.StrEnum):
    OPEN = "open"
    RUNNING = "running"
    OVER = "over"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Entrant:
    """Somebody who takes part in a tournament, and when they withdrew from it while it was running."""

    player: Player
    withdrawn_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two who meet in a tournament; without a match until that begins. The result is None until the match is over."""

    round: int
    first_id: int
    second_id: int
    match_id: int | None = None
    result: Result | None = None
    ended_at: datetime | None = None

    def has_player(self, player_id: int) -> bool:
        return player_id in (self.first_id, self.second_id)


@dataclass(frozen=True, slots=True)
class Tournament:
    """A round robin among members of a channel: everybody meets everybody once.

    ``at_once`` is how many games of it a player has at most at the same time. ``entrants`` are in the order of joining
    and, from the beginning on, of the schedule; ``pairings`` are those of the schedule. ``version`` counts the changes
    that its card shows.
    """

    id: int
    place: Place
    name: str
    organiser: Player
    ruleset: Ruleset
    control: TimeControl | None
    at_once: int
    state: TournamentState
    created_at: datetime
    version: int
    card: Card | None
    entrants: tuple[Entrant, ...] = ()
    pairings: tuple[Pairing, ...] = ()

    @property
    def withdrawn(self) -> frozenset[int]:
        """Who has withdrawn while it was running."""
        return frozenset(entrant.player.id for entrant in self.entrants if entrant.withdrawn_at is not None)

    @property
    def running(self) -> list[Pairing]:
        """The games that have begun and are not over."""
        return [each for each in self.pairings if each.match_id is not None and each.result is None]

    def has_player(self, player_id: int) -> bool:
        return any(entrant.player.id == player_id for entrant in self.entrants)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What somebody leaves who was forgotten, by ids: matches that this ended, and challenges and proposals that it
    closed, whose cards are to show that."""

    matches: tuple[int, ...] = ()
    challenges: tuple[int, ...] = ()
    proposals: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Conduct:
    """How a player's matches ended, apart from those that a moderator ended: which they did not bring to an end.

    They ``timed_out`` when their flag fell; they ``abandoned`` those given up by consent, those that they resigned
    before both had made two turns, and those that ended because they were taken out of a tournament.
    """

    matches: int
    timed_out: int
    abandoned: int

    @property
    def aborted(self) -> int:
        return self.timed_out + self.abandoned

    @property
    def aborted_rate(self) -> float:
        """The share of the matches that are over which the player did not bring to an end, from 0 to 1."""
        return self.aborted / self.matches if self.matches else 0.0


class TimerKind(enum.StrEnum):
    """What has to happen at a time; the subject is a challenge, match or tournament, or nothing in particular."""

    EXPIRY = "challenge-expiry"
    FLAG = "flag"
    REMINDER = "reminder"
    CARD = "card"
    """The card of a match has to show that its clock has changed, or that its result was made void."""
    TOURNAMENT = "tournament"
    """A tournament has something to begin, to end or to show."""
    HEARTBEAT = "heartbeat"
    """While a clock is running: a note that the bot was there."""
    PURGE = "purge"
    """What is kept of challenges that came to nothing is looked through once a day."""


@dataclass(frozen=True, slots=True)
class Timer:
    kind: TimerKind
    subject_id: int
    due_at: datetime


@dataclass(frozen=True, slots=True)
class TakenBack:
    """The last step of a match, when it was a take-back: who asked for it, and how many turns it took back."""

    player_id: int
    turns: int


@dataclass(frozen=True, slots=True)
class Game:
    """A match with the position that its turns lead to, and what its last turn did."""

    match: Match
    turns: tuple[str, ...]
    position: Position
    events: tuple[Event, ...]
    taken_back: TakenBack | None = None

    @property
    def ply(self) -> int:
        return len(self.turns)

    @property
    def step(self) -> int:
        """What a button has to know of the board that it belongs to."""
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
        """Who plays that side; only after the choice."""
        return self.match.second if side is self.position.second_player else self.match.first

    @property
    def to_act(self) -> Player | None:
        """Whose decision is awaited: the opening, the choice of side or a turn. None when the match is over."""
        if self.match.result is not None:
            return None
        match self.position.phase:
            case Phase.OPENING:
                return self.match.first
            case Phase.CHOICE:
                return self.match.second
            case Phase.PLAY:
                return self.player_of(self.position.turn_of)
            case Phase.OVER:
                return None

    @property
    def last_player(self) -> Player | None:
        """Who made the last turn; None before the opening."""
        if self.ply <= 2:
            return (None, self.match.first, self.match.second)[self.ply]
        return self.player_of(self.position.turn_of.other)


@dataclass(frozen=True, slots=True)
class Pending:
    """A running match: whose decision is awaited, and since when."""

    match: Match
    awaited: Player
    since: datetime


@dataclass(frozen=True, slots=True)
class Listed:
    """A match as a list of choices names it; ``awaited`` is whose decision a running one waits for."""

    id: int
    game: str
    first: Player
    second: Player
    awaited: Player | None
    ended_at: datetime | None


class Score(enum.StrEnum):
    """How a match ended for a player."""

    WON = "won"
    LOST = "lost"
    DRAWN = "drawn"
    ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True)
class Filter:
    """Which matches to look for: those at the place of ``viewer`` that they may find, of a player, of two, of a game.

    ``score`` is how a match ended for ``player_id``; without a player, only a draw or an abandoned match fits any.
    """

    viewer: Viewer | None = None
    player_id: int | None = None
    opponent_id: int | None = None
    game: str | None = None
    score: Score | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a list of matches; pages are counted from 1, and an empty list has one."""

    matches: tuple[Match, ...]
    number: int
    pages: int
    total: int


class Bottom(enum.StrEnum):
    """What a player wants to see at the bottom of the board, beside one of the fixed orientations."""

    AS_IS = "as-is"
    MY_SIDE = "my-side"


class Confirmation(enum.StrEnum):
    """Which turns are asked about before they count."""

    ALWAYS = "always"
    RISKY = "risky"
    NEVER = "never"


class Outside(enum.StrEnum):
    """What a player is called where they are not known: on servers where they do not play, and outside of servers."""

    ACCOUNT = "account"
    USERNAME = "username"
    HIDDEN = "hidden"


#: A hexagon can be laid on itself in so many ways: 6 turns, each of them mirrored or not.
ORIENTATIONS = 12


@dataclass(frozen=True, slots=True)
class Preferences:
    """How a player wants to see and play. A theme or language of None is the usual one.

    ``orientation`` is what is at the bottom, or the number of a fixed orientation from 0 to 11.
    """

    theme: str | None = None
    orientation: Bottom | int = Bottom.AS_IS
    coordinates: bool = True
    confirmation: Confirmation = Confirmation.RISKY
    pings: bool = True
    language: str | None = None
    outside: Outside = Outside.ACCOUNT


class PlayIn(enum.StrEnum):
    """Where a server wants its matches: in the channel of the challenge while that is free, or each in a thread."""

    CHANNEL = "channel"
    THREAD = "thread"


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How a server wants to be played in. A theme or language of None is the usual one.

    Without ``channel_ids`` every channel will do, and without ``challenger_role_id`` everybody may challenge.
    """

    play_in: PlayIn = PlayIn.CHANNEL
    channel_ids: frozenset[int] = frozenset()
    challenger_role_id: int | None = None
    theme: str | None = None
    language: str | None = None
