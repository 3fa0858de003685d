"""The last card of a match: how it ended, the turn that changed most, how the players stand, and what comes next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import discord

import render
from bot.discord.posting.cards.match import Rematch, board_picture, heading, last_turns, mark, result
from bot.discord.posting.cards.proposal import Propose
from bot.discord.ui import words
from bot.discord.ui.links import ChooseReplay, Share, View, review_button
from bot.discord.ui.messages import ActionButton, Aside, Message, Picture, compose
from bot.discord.ui.scenes import footer
from bot.domain.computer import rematch_levels
from bot.domain.leaderboards import HeadToHead
from bot.domain.matches import Ending, Game, Match
from bot.domain.players import Player
from bot.domain.proposals import Proposal, ProposalKind
from bot.domain.ratings import Rating
from bot.texts import gettext as _
from bot.texts import ngettext
from render import replay


@dataclass(frozen=True, slots=True)
class FinalPictures:
    """The final board and, if one did more than place a piece, the turn that changed most: beside a picture of its own,
    unless it is the last one, which the final board shows."""

    board: Picture
    change: Aside | None = None
    last_changed_most: bool = False


def final_pictures(game: Game, look: render.Look) -> FinalPictures:
    """Draw the pictures of the last card; this replays the match, so call it outside the event loop."""
    match = game.match
    change = replay.biggest_change(list(replay.shots(match.ruleset, game.turns)))
    if change is None or change.ply == match.ply:
        return FinalPictures(board_picture(game, look), last_changed_most=change is not None)
    running = replace(match, ply=change.ply, result=None, proposals=())
    then = Game(running, game.turns[: change.ply], change.position, change.events)
    text = "\n".join([_biggest_change(), words.last_turn(then)])
    return FinalPictures(board_picture(game, look), Aside(text, board_picture(then, look)))


def final_card(
    game: Game,
    pictures: FinalPictures,
    record: HeadToHead | None = None,
    *,
    quiet: bool = False,
    ended_by: Proposal | None = None,
    earlier: Sequence[Game] = (),
    level_rating: Rating | None = None,
    suggested: int | None = None,
    play_on: bool = False,
) -> Message:
    """The card of a match that is over; unless ``quiet``, it pings the players who may not know.

    ``record`` is how the players stand against each other, and ``ended_by`` the proposal by which they ended the match.
    Before the last turn, those are told that the ``earlier`` games ended with; ``level_rating`` is the computer's, and
    ``suggested`` the level of it that stands out among the rematches. If one of the players has other matches to
    ``play_on``, a button leads to them.
    """
    match = game.match
    pings = () if quiet else tuple(player for player in _unaware(game, ended_by) if player.reachable)
    if match.rematch_id is not None:
        next_one = _("Rematch: match #{match}").format(match=match.rematch_id)
    elif pings and _may_meet_again(match):
        called = " ".join(words.mention(player) for player in pings)
        next_one = _("{players}, a rematch?").format(players=called)
    else:
        next_one = ""
    rematches = _rematches(game, suggested)
    return compose(
        heading(game),
        result(game),
        _standing(match, record),
        _rated_level(match, level_rating),
        _last_turns(game, earlier, pictures),
        pictures.board,
        pictures.change,
        footer=" · ".join(filter(None, [next_one, footer(game)])),
        keypad=(rematches,),
        buttons=_buttons(game, leads_on=play_on, alone=not rematches),
        pings=pings,
    )


def _biggest_change() -> str:
    return _("**Biggest change**")


def _last_turns(game: Game, earlier: Sequence[Game], pictures: FinalPictures) -> str:
    if not pictures.last_changed_most:
        return last_turns(game, earlier)
    return "\n".join([*map(words.last_turn, earlier), _biggest_change(), words.last_turn(game)])


def _rated_level(match: Match, rating: Rating | None) -> str:
    if match.computer is None or rating is None:
        return ""
    return _("🤖 Level {level} is rated {rating} against people.").format(
        level=match.computer.level, rating=round(rating.value)
    )


def _may_meet_again(match: Match) -> bool:
    return not any(player.deleted for player in match.players)


def _unaware(game: Game, ended_by: Proposal | None) -> tuple[Player, ...]:
    """The players who did not bring the end about: they may not be looking. The computer calls nobody."""
    match, ended = game.match, game.match.result
    assert ended is not None
    if ended.moderator is not None:
        return match.players
    if match.computer is not None:
        return ()
    if ended_by is not None:
        return (ended_by.proposer,)
    if ended.ending is Ending.TIME:
        assert match.clock is not None
        # Nobody was there when the flag ended the match by itself.
        return match.players if match.clock.control.hard else (match.players[match.clock.seat],)
    if ended.ending is Ending.RESIGNATION:
        assert ended.winner_id is not None
        return (match.player(ended.winner_id),)
    return () if game.last_player is None else (match.opponent_of(game.last_player.id),)


def _standing(match: Match, record: HeadToHead | None) -> str:
    """How the two players stand against each other, and who has won several games in a row."""
    if record is None or record.results.games < 2:
        return ""
    results = record.results
    line = _("⚔️ Head to head: {first} vs {second}: **{score}**").format(
        first=words.name(match.first),
        score=words.against(results.wins + results.draws / 2, results.losses + results.draws / 2),
        second=words.name(match.second),
    )
    assert match.result is not None
    if record.streak < 2 or match.result.winner_id is None:
        return line
    winner = words.name(match.player(match.result.winner_id))
    run = ngettext(
        "{player} has won {count} match in a row", "{player} has won {count} matches in a row", record.streak
    )
    return f"{line} · {run.format(player=winner, count=record.streak)}"


def _rematches(game: Game, suggested: int | None) -> tuple[ActionButton, ...]:
    """Rematches with the computer, against the same level and those beside it."""
    match = game.match
    if match.computer is None or match.computer.level is None:
        return ()
    if match.rematch_id is not None or not _may_meet_again(match):
        return ()
    level, found = match.computer.level, []
    for other in rematch_levels(match):
        label = _("Rematch") if other == level else _("Level {level}").format(level=other)
        style = discord.ButtonStyle.primary if other == suggested else discord.ButtonStyle.secondary
        sign = "🔁" if other == level else "⬆️" if other > level else "⬇️"
        found.append(ActionButton(Rematch(match.id, other), label, style, sign))
    return tuple(found)


def _buttons(game: Game, *, leads_on: bool, alone: bool) -> tuple[ActionButton, ...]:
    """The buttons of the last card, of which there is one at least if they are ``alone``: it marks the card."""
    match = game.match
    found = []
    if match.computer is None and match.rematch_id is None and _may_meet_again(match):
        found.append(ActionButton(Propose(match.id, game.step, ProposalKind.REMATCH), _("Rematch"), emoji="🔁"))
    if game.turns:
        found.append(ActionButton(ChooseReplay(match.id), _("Replay"), emoji="🎞️"))
        found.append(ActionButton(Share(match.id, game.ply, View.ANIMATION), _("Share"), emoji="📣"))
        found.append(review_button(match))
    if leads_on or (alone and not found):
        found.append(ActionButton(mark(match), _("Next game"), emoji="➡️"))
    return tuple(found)
