"""The card of a match: the board, the last turn, and whose decision is awaited."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import discord

import render
from bot.discord.cards import ratings, scenes, words
from bot.discord.cards.clock import clock_line, clock_of
from bot.discord.cards.keypad import areas_of, has_named_areas, on_one_keypad
from bot.discord.cards.rulebook import learn_button
from bot.discord.messages import ActionButton, Message, Picture, Press, compose, presses_of
from bot.domain.matches import Ending, Game, Match
from bot.domain.players import Player
from bot.domain.proposals import ProposalKind
from bot.texts import gettext as _
from bot.texts import gettext_noop, ngettext, translations
from rules import PASS, Phase, Side

#: The actions of buttons that only the latest card of a match has among what everybody sees.
_MARKS = ("next-game", "review", "again", "propose", "more")
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
        clock_line(game.match),
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
    ended = f"{words.result_sign(game.match.result)} {words.ended(game)}"
    score = words.score(game) if game.match.result.ending is Ending.RULES else ""
    return "\n".join(filter(None, [ended, score, ratings.changes(game.match)]))


def nudge_notice(match: Match, player: Player, link: str | None) -> Message:
    """Reminds a player that the opponent is waiting for them."""
    text = _("👋 {player}, {opponent} is waiting for your turn in match #{match}.").format(
        player=words.mention(player), opponent=words.name(match.opponent_of(player.id)), match=match.id
    )
    board = "" if link is None else _("[board]({link})").format(link=link)
    return compose(" ".join(filter(None, [text, board])), pings=(player,))


def more_button(match: Match) -> ActionButton:
    """The button that opens everything else that a match has, in private."""
    return ActionButton(Press("more", match.id, match.step), _("More…"))


def mark(match: Match) -> Press:
    """What stands behind a button that the card of a match has for everybody as long as it is the latest one."""
    return Press("next-game", match.id) if match.result is not None else Press("more", match.id, match.step)


def is_latest(found: Press, match: Match) -> bool:
    """Whether a mark is that of the latest card of the match."""
    return found.action != "more" if match.result is not None else found == mark(match)


def is_older(found: Press, match: Match) -> bool:
    """Whether a mark is that of an earlier card of the match."""
    return found.action == "more" and (match.result is not None or found.step < match.step)


def mark_of(components: Iterable[object], match_id: int) -> Press | None:
    """The mark of a message; None if it is no card of that match, or one that has lost its buttons."""
    marks = (press for press in presses_of(components) if press.subject == match_id and press.action in _MARKS)
    return next(marks, None)


def private_board(game: Game, board: Picture, link: str | None, buttons: tuple[ActionButton, ...] = ()) -> Message:
    """A copy of the board for somebody who only looks."""
    if game.match.result is not None:
        status = result(game)
    else:
        awaited = game.to_act
        assert awaited is not None
        status = _("{player} to play.").format(player=words.name(awaited))
    where = _("[Jump to the match]({link})").format(link=link) if link else ""
    return compose(
        heading(game),
        words.last_turn(game),
        status,
        where,
        picture=board,
        footer=footer(game),
        buttons=buttons,
    )


def heading(game: Game) -> str:
    """Which game is played, and by whom."""
    ruleset = game.match.ruleset
    return f"### {scenes.sign(ruleset.game)} {ruleset.game.title} · {words.versus(game.match)}"


def footer(game: Game) -> str:
    """Which match this is, and of which game."""
    match = game.match
    cup = "" if match.tournament is None else f"🏟️ {words.tournament(match.tournament)}"
    number = _("Match #{match}").format(match=match.id)
    return " · ".join(filter(None, [cup, number, words.terms(match.ruleset, rated=match.rated), clock_of(game)]))


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
    if game.position.draft().steps == (PASS,):
        return _("{player} ({side}) can only pass: press Pass.").format(player=player, side=side)
    text = _("{player} ({side}) to play: press **Play**, or type {move}.")
    if has_named_areas(game.position):
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
                Press("turn", match.id, game.step, match.ruleset.game.sides[side]),
                _("Play {side}").format(side=words.side(match.ruleset, side)),
                discord.ButtonStyle.primary,
            )
            for side in Side
        )
        return ((*sides, more, *further),)
    draft = position.draft()
    play, rest = [], []
    if draft.steps != (PASS,):
        play.append(ActionButton(Press("play", match.id, game.step), _("Play"), discord.ButtonStyle.primary))
        if has_named_areas(position):
            play += [
                ActionButton(Press("part", match.id, game.step, str(number)), part.name, disabled=not part.cells)
                for number, part in enumerate(areas_of(position, draft))
            ]
        if not on_one_keypad(position, draft):
            rest.append(ActionButton(Press("type", match.id, game.step), _("Type it")))
    if PASS in draft.steps:
        style = discord.ButtonStyle.secondary if play else discord.ButtonStyle.primary
        rest.append(ActionButton(Press("turn", match.id, game.step, PASS), _("Pass"), style))
    rest += [more, *further]
    return (tuple(play), tuple(rest)) if len(play) > 1 else ((*play, *rest),)


def resign_question(game: Game, player_id: int) -> Message:
    """Asks the player whether they mean to give the match up, and what else may end it."""
    match = game.match
    gentler = []
    if not match.waiting:
        label = _("Accept the draw") if offered(match, ProposalKind.DRAW, player_id) else _("Offer a draw")
        gentler.append(ActionButton(Press("propose", match.id, game.step, "draw"), label))
    footer = _("Both players have to agree to abandon a match.")
    if match.rated:
        footer = _("An abandoned match does not count; both players have to agree.")
    label = _("Agree to abandon") if offered(match, ProposalKind.ABANDON, player_id) else _("Propose to abandon")
    if match.computer is not None:
        footer, label = _("If you abandon the match, nobody wins."), _("Abandon")
    gentler.append(ActionButton(Press("propose", match.id, game.step, "abandon"), label))
    return compose(
        _("Resign match #{match}? **{opponent}** wins.").format(
            match=match.id, opponent=words.name(match.opponent_of(player_id))
        ),
        footer=footer,
        buttons=(
            ActionButton(Press("resign-now", match.id, game.step), _("Yes, resign"), discord.ButtonStyle.danger),
            *gentler,
            ActionButton(Press("keep-playing", match.id, game.step), _("Keep playing")),
        ),
    )


def offered(match: Match, kind: ProposalKind, player_id: int) -> bool:
    """Whether the player's opponent has proposed that."""
    standing = match.proposal(kind)
    return standing is not None and standing.proposer.id != player_id


def void_question(match: Match) -> Message:
    """Asks a moderator whether they mean to end a match of others."""
    return compose(
        _(
            "You are not playing in match #{match}: it is {players}. As a moderator, you can end it if it is stuck. "
            "Nobody wins then, and it does not count."
        ).format(match=match.id, players=words.versus(match)),
        buttons=(
            ActionButton(Press("void", match.id, match.step), _("End this match"), discord.ButtonStyle.danger),
            ActionButton(Press("keep-playing", match.id, match.step), _("Leave it alone")),
        ),
    )
