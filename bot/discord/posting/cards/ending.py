"""The final card of a match: the result, the turn with the greatest change, the players' score, and rematches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import discord

import render
from bot.discord.posting.cards.match import Rematch, board_picture, heading, last_turns, mark, watch_links
from bot.discord.posting.cards.proposal import Propose
from bot.discord.ui import markdown
from bot.discord.ui.actions import ChooseReplay, Share, View, review_button, stranger_buttons
from bot.discord.ui.messages import ActionButton, Aside, Message, Picture, compose
from bot.discord.ui.scenes import footer, result
from bot.domain.competitions.leaderboards import HeadToHead
from bot.domain.computer import rematch_levels
from bot.domain.matches import Ending, Game, Match, Proposal, ProposalKind
from bot.domain.players import Player
from bot.domain.ratings import Rating
from bot.domain.study.reviews import can_review
from bot.services.matches import MatchView
from bot.texts import gettext as _, ngettext
from bot.wording import words
from bot.wording.matches import ladder_outcome, rematch_label
from render import replay
from rules import Text


@dataclass(frozen=True, slots=True)
class FinalPictures:
    """The final board, and the turn that changed most if that did more than place a piece.

    That turn has a picture of its own unless it was the last one; then ``last_changed_most`` says what it changed.
    """

    board: Picture
    change: Aside | None = None
    last_changed_most: str = ""


def final_pictures(game: Game, look: render.Look) -> FinalPictures:
    """Replay the match for the pictures of its final card. Renders pictures: call it in a thread."""
    match = game.match
    found = replay.biggest_change(list(replay.shots(match.ruleset, game.turns)))
    if found is None:
        return FinalPictures(board_picture(game, look))
    change, text = found
    title = _biggest_change(text)
    if change.ply == match.ply:
        return FinalPictures(board_picture(game, look), last_changed_most=title)
    running = replace(match, ply=change.ply, result=None, proposals=())
    then = Game(running, game.turns[: change.ply], change.position, change.events)
    aside = Aside("\n".join([title, words.last_turn(then)]), board_picture(then, look))
    return FinalPictures(board_picture(game, look), aside)


def final_card(view: MatchView, pictures: FinalPictures, *, quiet: bool = False, page: str | None = None) -> Message:
    """The card of a match that is over. Unless it is ``quiet``, it pings the players who may not know that yet.

    ``page`` is the address at which everybody can look back.
    """
    game, match = view.game, view.game.match
    pings = () if quiet else tuple(player for player in _unaware(game, view.ended_by) if player.reachable)
    if match.rematch_id is not None:
        rematch = _("Rematch: match #{match}").format(match=match.rematch_id)
    elif pings and _may_meet_again(match):
        rematch = _("{players}, a rematch?").format(players=" ".join(map(markdown.mention, pings)))
    else:
        rematch = ""
    rematches = _rematches(match, view.suggested_level)
    return compose(
        heading(game),
        result(game),
        ladder_outcome(match),
        _head_to_head(game, view.record),
        _level_rating(match, view.level_rating),
        _last_turns(game, view.earlier, pictures),
        pictures.board,
        pictures.change,
        footer=" · ".join(filter(None, [rematch, footer(game)])),
        keypad=(rematches,),
        buttons=(*_buttons(game, play_on=view.play_on, alone=not rematches), *watch_links(page)),
        more_buttons=stranger_buttons(match),
        pings=pings,
    )


def _biggest_change(text: Text | None) -> str:
    return (
        _("**Biggest change**") if text is None else _("**Biggest change**: {text}.").format(text=words.translate(text))
    )


def _last_turns(game: Game, earlier: Sequence[Game], pictures: FinalPictures) -> str:
    if not pictures.last_changed_most:
        return last_turns(game, earlier)
    return "\n".join(
        [*words.latest([*map(words.last_turn, earlier)]), pictures.last_changed_most, words.last_turn(game)]
    )


def _level_rating(match: Match, rating: Rating | None) -> str:
    if match.computer is None or rating is None:
        return ""
    text = _("🤖 Level {level} is rated {rating} against people.")
    return text.format(level=match.computer.level, rating=round(rating.value))


def _may_meet_again(match: Match) -> bool:
    return not any(player.deleted for player in match.players)


def _unaware(game: Game, ended_by: Proposal | None) -> tuple[Player, ...]:
    """The players who may not know of the end, because they did not cause it; none against the computer."""
    match, ended = game.match, game.match.result
    assert ended is not None
    if ended.moderator is not None:
        return match.players
    if match.computer is not None:
        return ()
    if ended_by is not None:
        return (match.player(ended_by.proposer.id),)
    if ended.ending is Ending.TIME:
        assert match.clock is not None
        # With a hard clock, the match may end when neither player expects it.
        return match.players if match.clock.control.hard else (match.players[match.clock.seat],)
    if ended.ending is Ending.RESIGNATION:
        assert ended.winner_id is not None
        return (match.player(ended.winner_id),)
    if game.planned:
        return match.players
    return () if game.last_player is None else (match.opponent_of(game.last_player.id),)


def _head_to_head(game: Game, record: HeadToHead | None) -> str:
    """The score between the two players, and the winner's streak."""
    if record is None or record.results.games < 2:
        return ""
    match, results, (first, second) = game.match, record.results, game.players
    points = {
        match.first.id: results.wins + results.draws / 2,
        match.second.id: results.losses + results.draws / 2,
    }
    line = _("⚔️ Head to head: {first} vs {second}: **{score}**").format(
        first=words.name(first), score=words.against(points[first.id], points[second.id]), second=words.name(second)
    )
    assert match.result is not None
    if record.streak < 2 or match.result.winner_id is None:
        return line
    winner = words.name(match.player(match.result.winner_id))
    streak = ngettext(
        "{player} has won {count} match in a row", "{player} has won {count} matches in a row", record.streak
    )
    return f"{line} · {streak.format(player=winner, count=record.streak)}"


def _rematches(match: Match, suggested: int | None) -> tuple[ActionButton, ...]:
    """The buttons for rematches against the computer, at the same level and its neighbours."""
    level = None if match.computer is None else match.computer.level
    if level is None or match.rematch_id is not None or not _may_meet_again(match):
        return ()
    found = []
    for other in rematch_levels(match):
        label = _("Rematch") if other == level else _("Level {level}").format(level=other)
        style = discord.ButtonStyle.primary if other == suggested else discord.ButtonStyle.secondary
        emoji = "🔁" if other == level else "⬆️" if other > level else "⬇️"
        found.append(ActionButton(Rematch(match.id, other), label, style, emoji))
    return tuple(found)


def _buttons(game: Game, *, play_on: bool, alone: bool) -> tuple[ActionButton, ...]:
    """The buttons of the final card. If they are ``alone``, at least one of them marks the card."""
    match = game.match
    found = []
    if match.computer is None and match.rematch_id is None and _may_meet_again(match):
        rematch = Propose(match.id, game.step, ProposalKind.REMATCH)
        found.append(ActionButton(rematch, rematch_label(match), emoji="🔁"))
    if game.turns:
        found.append(ActionButton(ChooseReplay(match.id), _("Replay"), emoji="🎞️"))
        found.append(ActionButton(Share(match.id, game.ply, View.ANIMATION), _("Share the game"), emoji="📣"))
    if can_review(match.ruleset, game.ply):
        found.append(review_button(match))
    if play_on or (alone and not found):
        found.append(ActionButton(mark(match), _("Next match"), emoji="➡️"))
    return tuple(found)
