"""The card of a match: the board, the last turn, and whose decision is awaited."""

from __future__ import annotations

from collections.abc import Sequence

import discord

import render
from bot.discord.ui import ratings, scenes, words
from bot.discord.ui.keypad import areas_of, has_named_areas, on_one_keypad
from bot.discord.ui.links import OpenTurn, PlayTurn, TypeTurn, learn_button, more_button
from bot.discord.ui.messages import ActionButton, Message, Picture, compose
from bot.discord.ui.scenes import footer
from bot.domain.matches import Ending, Game, Match
from bot.domain.players import Player
from bot.domain.proposals import ProposalKind
from bot.domain.turn_entry import TurnEntry
from bot.texts import gettext as _
from bot.texts import gettext_noop, ngettext, translations
from rules import PASS, Phase, Side

#: The number of boards ahead from which on a card says that the computer is busy.
_LONG_QUEUE = 2
#: By what people's decision ends a match.
_DECIDED = {
    Ending.RESIGNATION: gettext_noop("resignation"),
    Ending.AGREEMENT: gettext_noop("agreement"),
    Ending.ABANDONED: gettext_noop("abandonment"),
    Ending.TIME: gettext_noop("time"),
    Ending.VOID: gettext_noop("a moderator's decision"),
}


def board_picture(
    game: Game,
    look: render.Look,
    *,
    draw: bool = True,
    overlay: str | None = None,
    cell: int | None = None,
    shared: bool = False,
) -> Picture:
    """The picture of the board; drawing takes a while, so call it outside the event loop's thread.

    ``overlay`` is one of the game's, about that ``cell`` where there is one. A picture that may be ``shared`` also says
    which game it is.
    """
    match, header = game.match, scenes.header(game, shared=shared)
    shown = (game.position, game.events, decided_otherwise(game), look)
    return Picture(
        f"{match.ruleset.game.name}-{match.id}-{game.ply}{f'-{overlay}' if overlay else ''}.png",
        render.picture(*shown, overlay=overlay, cell=cell, header=header) if draw else None,
        render.describe(*shown, header),
    )


def decided_otherwise(game: Game) -> render.Conclusion | None:
    """How people ended the match; None when it is running, or the rules ended it."""
    ended = game.match.result
    if ended is None or ended.ending is Ending.RULES:
        return None
    winner = None if ended.winner_id is None else game.side_of(ended.winner_id)
    return render.Conclusion(winner, _DECIDED[ended.ending], not ended.counts)


def match_card(
    game: Game,
    board: Picture,
    *,
    quiet: bool = False,
    newcomer: bool = False,
    earlier: Sequence[Game] = (),
    ahead: int = 0,
) -> Message:
    """The live card; between people it pings the player whose decision is awaited, unless ``quiet``.

    For a ``newcomer``, the card tells what one has to know. Before the last turn, those are told that the ``earlier``
    games ended with. When the computer is to play, so many boards are ``ahead``.
    """
    awaited = game.to_act
    assert awaited is not None
    return compose(
        heading(game),
        last_turns(game, earlier),
        _request(game) if awaited.level is None else _thinking(awaited, ahead),
        words.clock_line(game.match),
        _introduction(game, awaited) if newcomer else "",
        picture=board,
        footer=footer(game),
        keypad=_rows(game, *([learn_button(game.match.ruleset.game)] if newcomer else [])),
        colour=scenes.colour(game.match.ruleset.game),
        pings=() if quiet or game.match.computer is not None else (awaited,),
    )


def last_turns(game: Game, earlier: Sequence[Game]) -> str:
    """The last turn, after those that the ``earlier`` games ended with."""
    return "\n".join(filter(None, [words.last_turn(each) for each in (*earlier, game)]))


def _thinking(computer: Player, ahead: int) -> str:
    player = words.name(computer)
    if ahead < _LONG_QUEUE:
        return _("🤖 {player} is thinking…").format(player=player)
    text = ngettext(
        "🤖 {player} is still thinking about others: {count} board is ahead of yours.",
        "🤖 {player} is still thinking about others: {count} boards are ahead of yours.",
        ahead,
    )
    return text.format(player=player, count=ahead)


def past_card(game: Game, earlier: Sequence[Game] = (), *, taken_back: bool = False) -> Message:
    """What stays of a card after the next turn, or after its own was ``taken_back``: its picture and its turn, with
    those that the ``earlier`` games ended with."""
    board = board_picture(game, render.Look(texts=translations()), draw=False)
    footer = _("↩️ This turn was taken back.") if taken_back else ""
    return compose(last_turns(game, earlier) or heading(game), picture=board, footer=footer)


def result(game: Game) -> str:
    """How a match ended, by which score, and what that did to the ratings."""
    assert game.match.result is not None
    ended = f"{words.result_sign(game.match.result)} {words.result(game)}"
    score = words.score(game) if game.match.result.ending is Ending.RULES else ""
    return "\n".join(filter(None, [ended, score, ratings.changes(game.match)]))


def heading(game: Game, sign: str = "") -> str:
    """The game and its players, after the game's sign or another one."""
    ruleset = game.match.ruleset
    return f"### {sign or scenes.sign(ruleset.game)} {ruleset.game.title} · {words.versus(game.match)}"


def _request(game: Game) -> str:
    awaited = game.to_act
    assert awaited is not None
    player, ruleset = words.mention(awaited), game.match.ruleset
    move = words.command("move")
    match game.position.phase:
        case Phase.OPENING:
            piece = _(ruleset.game.opening_hint).format(side=words.side(ruleset, Side.FIRST))
            return _("{player}, open with {move} or **Play**: {piece}. {other} then picks a side.").format(
                player=player, move=move, piece=piece, other=words.name(game.match.second)
            )
        case Phase.CHOICE:
            chosen, _events = game.position.play(game.position.sides[0])
            first, second = (words.side(ruleset, side) for side in Side)
            return _("{player}, choose your side, **{first}** or **{second}**. {next} plays next.").format(
                player=player, first=first, second=second, next=words.side(ruleset, chosen.turn_of)
            )
    side = words.side(ruleset, game.position.turn_of)
    entry = TurnEntry.begin(game.position)
    if entry.must_pass:
        return _("{player} ({side}) can only pass: press Pass.").format(player=player, side=side)
    text = _("{player} ({side}) to play: press **Play**, or type {move}.")
    if has_named_areas(entry):
        text = _("{player} ({side}) to play: press the columns of your cell, or type {move}.")
    return text.format(player=player, side=side, move=move)


def _introduction(game: Game, player: Player) -> str:
    """How one wins, and where the rest is told."""
    ruleset = game.match.ruleset
    how = _("🌱 {player}, your first {game}? {goal} {rules} explains the rest.").format(
        player=words.name(player),
        game=ruleset.game.title,
        goal=words.goal(ruleset),
        rules=words.command("rules"),
    )
    return f"-# {how}"


def _rows(game: Game, *further: ActionButton) -> tuple[tuple[ActionButton, ...], ...]:
    """The buttons of a live card: how to decide, the way to everything else, and ``further`` ones."""
    match, position = game.match, game.position
    more = more_button(match)
    if game.to_act is not None and game.to_act.level is not None:
        return ((more,),)
    if position.phase is Phase.CHOICE:
        sides = (
            ActionButton(
                PlayTurn(match.id, game.step, match.ruleset.game.sides[side]),
                _("Play {side}").format(side=words.side(match.ruleset, side)),
                discord.ButtonStyle.primary,
            )
            for side in Side
        )
        return ((*sides, more, *further),)
    entry = TurnEntry.begin(position)
    play, rest = [], []
    if not entry.must_pass:
        play.append(ActionButton(OpenTurn(match.id, game.step), _("Play"), discord.ButtonStyle.primary))
        if has_named_areas(entry):
            play += [
                ActionButton(OpenTurn(match.id, game.step, number), area.name, disabled=not area.cells)
                for number, area in enumerate(areas_of(entry))
            ]
        if not on_one_keypad(entry):
            rest.append(ActionButton(TypeTurn(match.id, game.step), _("Type it")))
    if PASS in entry.steps:
        style = discord.ButtonStyle.secondary if play else discord.ButtonStyle.primary
        rest.append(ActionButton(PlayTurn(match.id, game.step, PASS), _("Pass"), style))
    rest += [more, *further]
    return (tuple(play), tuple(rest)) if len(play) > 1 else ((*play, *rest),)


def offered(match: Match, kind: ProposalKind, player_id: int) -> bool:
    """Whether the player's opponent has proposed that."""
    standing = match.proposal(kind)
    return standing is not None and standing.proposer.id != player_id
