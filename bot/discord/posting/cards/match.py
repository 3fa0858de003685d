"""The cards of a running match: their pictures, pings, and marks by which the bot finds them again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import discord

import render
from bot.discord.posting.cards.proposal import Propose
from bot.discord.ui import markdown, scenes
from bot.discord.ui.actions import (
    AboutMatch,
    More,
    OpenTurn,
    PlayTurn,
    ReadReview,
    TypeTurn,
    board_cards_button,
    learn_button,
    more_button,
    page_button,
)
from bot.discord.ui.keypad import areas_of, has_named_areas, on_one_keypad
from bot.discord.ui.markdown import CommandMentions
from bot.discord.ui.messages import ActionButton, CardButton, CardView, LinkButton, Message, Picture, compose
from bot.discord.ui.presses import presses_of
from bot.discord.ui.scenes import footer
from bot.domain.matches import Game, Match
from bot.domain.players import Player
from bot.domain.preferences import BoardCards
from bot.domain.turn_entry import TurnEntry
from bot.pictures import board_png, conclusion_of, header_of
from bot.texts import gettext as _, ngettext, translations
from bot.wording import words
from rules import PASS, Phase, Side

#: From this many boards ahead on, the card explains why the computer takes long.
_LONG_QUEUE = 2


class FindNextMatch(AboutMatch, action="next-game"):
    pass


class Rematch(AboutMatch, action="again"):
    """Play the computer again at a level."""

    level: int


#: The presses that mark the latest public card of a match. Older cards have no buttons.
_MARKS = (FindNextMatch, ReadReview, Rematch, Propose, More)


def board_picture(
    game: Game,
    look: render.Look,
    *,
    draw: bool = True,
    overlay: str | None = None,
    cell: int | None = None,
    shared: bool = False,
    tried: bool = False,
) -> Picture:
    """The picture of the board, perhaps with an ``overlay`` about a ``cell``. Renders pictures: call it in a thread.

    A picture to be ``shared`` away from its match also names the game. A ``tried`` board is never kept for others.
    """
    match, header = game.match, header_of(game, shared=shared)
    shown = (game.position, game.events, conclusion_of(game), look)
    png = None
    if draw:
        plain = overlay is None and not shared and not tried
        png = board_png(*shown, header) if plain else render.picture(*shown, overlay=overlay, cell=cell, header=header)
    name = f"{match.ruleset.game.name}-{match.id}-{game.ply}{f'-{overlay}' if overlay else ''}.png"
    return Picture(name, png, render.describe(*shown, header))


def match_card(
    game: Game,
    board: Picture,
    command_mentions: CommandMentions,
    *,
    quiet: bool = False,
    newcomer: bool = False,
    earlier: Sequence[Game] = (),
    ahead: int = 0,
    has_page: bool = False,
    watch: str | None = None,
) -> Message:
    """The live card. Between people, it pings the player to act unless it is ``quiet``.

    It explains to a ``newcomer`` how to win. Above the last turn, it lists the final turns of the ``earlier`` games.
    ``ahead`` is the number of boards that the computer thinks about first. A match that ``has_page`` is played there;
    ``watch`` is the address at which everybody can look on.
    """
    awaited, entry = game.to_act, TurnEntry.begin(game.position)
    assert awaited is not None
    is_played_by_level = awaited.level is not None
    learn = (learn_button(game.match.ruleset.game),) if newcomer else ()
    return compose(
        heading(game),
        last_turns(game, earlier),
        _thinking(awaited, ahead) if is_played_by_level else _request(game, entry, command_mentions, has_page=has_page),
        markdown.clock_sentence(game.match),
        _introduction(game, awaited) if newcomer else "",
        picture=board,
        footer=footer(game),
        keypad=_rows(game, entry, *watch_links(watch), *learn, has_page=has_page),
        colour=scenes.colour(game.match.ruleset.game),
        pings=() if quiet or game.match.computer is not None else (awaited,),
    )


def last_turns(game: Game, earlier: Sequence[Game]) -> str:
    """The final turns of the ``earlier`` games, and the last turn."""
    return "\n".join(words.latest([*filter(None, map(words.last_turn, (*earlier, game)))]))


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
    """The card once it is no longer the latest: its picture and turns, without buttons."""
    board = board_picture(game, render.Look(texts=translations()), draw=False)
    footer = _("↩️ This turn was taken back.") if taken_back else ""
    return compose(last_turns(game, earlier) or heading(game), picture=board, footer=footer)


def heading(game: Game, emoji: str = "") -> str:
    """The game and its players after an emoji, by default the game's."""
    ruleset = game.match.ruleset
    return f"### {emoji or scenes.emoji(ruleset.game)} {ruleset.game.title} · {words.versus(*game.players)}"


def _request(game: Game, entry: TurnEntry, command_mentions: CommandMentions, *, has_page: bool) -> str:
    awaited = game.to_act
    assert awaited is not None
    if awaited.is_program:
        return words.awaited_act(game, awaited)
    player, ruleset = markdown.mention(awaited), game.match.ruleset
    move, button = command_mentions.of("move"), _("Tap the board") if has_page else _("Play")
    match game.position.phase:
        case Phase.OPENING:
            piece = _(ruleset.game.opening_hint).format(side=words.side(ruleset, Side.FIRST))
            if ruleset.handicap is not None:
                return _("{player}, open with **{button}** or {move}: {piece}. You stay {side}.").format(
                    player=player, button=button, move=move, piece=piece, side=words.side(ruleset, Side.FIRST)
                )
            return _("{player}, open with **{button}** or {move}: {piece}. {other} then picks a side.").format(
                player=player, button=button, move=move, piece=piece, other=words.name(game.match.second)
            )
        case Phase.CHOICE:
            chosen, _events = game.position.play(game.position.sides[0])
            first, second = (words.side(ruleset, side) for side in Side)
            return _("{player}, choose your side, **{first}** or **{second}**. {next} plays next.").format(
                player=player, first=first, second=second, next=words.side(ruleset, chosen.turn_of)
            )
    side = words.side(ruleset, game.position.turn_of)
    if entry.must_pass:
        return _("{player} ({side}) can only pass: press Pass.").format(player=player, side=side)
    text = _("{player}'s turn ({side}): press **{button}**, or type {move}.")
    if has_named_areas(entry) and not has_page:
        text = _("{player}'s turn ({side}): press the columns of your cell, or type {move}.")
    return text.format(player=player, side=side, button=button, move=move)


def _introduction(game: Game, player: Player) -> str:
    """The goal of the game, and what a turn is, for a newcomer."""
    ruleset = game.match.ruleset
    text = _("🌱 {player}, your first {game}? {goal}")
    how = text.format(player=words.name(player), game=ruleset.game.title, goal=words.goal(ruleset))
    return f"-# {how}"


def watch_links(watch: str | None) -> tuple[LinkButton, ...]:
    """The link to a match's page, if everybody may watch there."""
    return () if watch is None else (LinkButton(watch, _("Watch"), "👀"),)


def _rows(game: Game, entry: TurnEntry, *further: CardButton, has_page: bool) -> tuple[tuple[CardButton, ...], ...]:
    """The buttons of a live card: for the turn, for the menu, and ``further`` buttons."""
    match, position = game.match, game.position
    primary, secondary = discord.ButtonStyle.primary, discord.ButtonStyle.secondary

    def page(style: discord.ButtonStyle = secondary) -> tuple[ActionButton, ...]:
        return (page_button(match, style),) if has_page else ()

    rest = (more_button(match), *further)
    if game.to_act is not None and not game.to_act.is_person:
        return ((*page(primary), *rest),)
    if position.phase is Phase.CHOICE:
        sides = (
            ActionButton(
                PlayTurn(match.id, game.step, match.ruleset.game.sides[side]),
                _("Play {side}").format(side=words.side(match.ruleset, side)),
                primary,
            )
            for side in Side
        )
        return ((*sides, *page(), *rest),)
    if PASS in entry.next:
        style = primary if entry.must_pass else secondary
        rest = (ActionButton(PlayTurn(match.id, game.step, PASS), _("Pass"), style), *rest)
    if entry.must_pass:
        return ((rest[0], *page(), *rest[1:]),)
    by_typing = () if on_one_keypad(entry) else (ActionButton(TypeTurn(match.id, game.step), _("Type it")),)
    by_keys = OpenTurn(match.id, game.step)
    if has_page:
        return ((*page(primary), ActionButton(by_keys, _("Without the page")), *by_typing), rest)
    play, rest = ActionButton(by_keys, _("Play"), primary), (*by_typing, *rest)
    if not has_named_areas(entry):
        return ((play, *rest),)
    columns = (
        ActionButton(OpenTurn(match.id, game.step, number), area.name, disabled=not area.cells)
        for number, area in enumerate(areas_of(entry))
    )
    return ((play, *columns), rest)


def turn_ping(match: Match, player: Player, link: str) -> Message:
    """The ping below an edited card, because an edit notifies nobody."""
    text = _("{player}, it is your turn: [match #{match}]({link})")
    return _plain(text.format(player=markdown.mention(player), match=match.id, link=link), player)


def homeless_notice(match: Match, player: Player, command_mentions: CommandMentions) -> Message:
    """The direct message to a player of a match that nobody can see where it is played."""
    text = _(
        "📍 I can no longer reach the channel of match #{match} against {opponent}, so the match waits and no clock "
        "runs. Use {board} in the channel where you want to go on."
    )
    opponent = words.name(match.opponent_of(player.id))
    return _plain(text.format(match=match.id, opponent=opponent, board=command_mentions.of("board")))


def past_living_card(game: Game, earlier: Sequence[Game] = (), *, taken_back: bool = False) -> Message:
    """The living card once another card is below it: its turns, in small lines."""
    turn = words.turn_made(game) or f"{game.match.ruleset.game.title} · {words.versus(*game.players)}"
    note = _("↩️ This turn was taken back.") if taken_back else ""
    turns = [*map(words.turn_made, earlier), " · ".join(filter(None, [turn, note]))]
    return _plain("\n".join(f"-# {line}" for line in words.latest([*filter(None, turns)])))


def _plain(text: str, *pings: Player) -> Message:
    return Message(CardView(discord.ui.TextDisplay(text)), pings=pings)


def board_cards_answer(match: Match, chosen: BoardCards) -> Message:
    """The answer to a change of the kind of card, with a button to change it back."""
    if chosen is BoardCards.LIVING:
        text = _("From the next turn on, match #{match} has one living card, which always stays below new messages.")
    else:
        text = _("From the next turn on, match #{match} has a card for every turn, and each keeps its picture.")
    return compose(
        text.format(match=match.id),
        footer=_("This applies to both players and everybody who watches."),
        buttons=(more_button(match), board_cards_button(match, chosen)),
    )


def mark(match: Match) -> FindNextMatch | More:
    """The press of a button that only the match's latest card has."""
    return FindNextMatch(match.id) if match.result is not None else More(match.id, match.step)


def is_latest(found: AboutMatch, match: Match) -> bool:
    """Whether a mark belongs to the latest card of the match."""
    return not isinstance(found, More) if match.result is not None else found == mark(match)


def is_older(found: AboutMatch, match: Match) -> bool:
    """Whether a mark belongs to an earlier card of the match."""
    return isinstance(found, More) and (match.result is not None or found.step < match.step)


def mark_of(components: Iterable[object], match_id: int) -> AboutMatch | None:
    """The mark of a message; None unless it is a card of the match with its buttons."""
    marks = (press for press in presses_of(components, *_MARKS) if press.match_id == match_id)
    return next(marks, None)
