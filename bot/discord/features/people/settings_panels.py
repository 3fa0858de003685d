"""The panels of ``/settings`` and ``/setup``. Every choice applies at once."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any, TypeAlias

import discord

import render
from bot.discord.features.people.digests import hours_texts
from bot.discord.ui import markdown
from bot.discord.ui.actions import OpenHours, OpenPrivacy, OpenPrograms, SetConfirmation, anyone_button
from bot.discord.ui.messages import ActionButton, CardView, Menu, Message, Picture, option_menu, rows_of
from bot.discord.ui.presses import NONE, Id, Press, one_of, user_input
from bot.domain.preferences import (
    ORIENTATIONS,
    BoardCards,
    Bottom,
    Confirmation,
    Outside,
    PlayIn,
    Preferences,
    ServerSettings,
)
from bot.texts import LANGUAGES, gettext as _, gettext_noop
from rules import GAMES, Event, Position, Ruleset

#: Maximum number of channels in a menu on Discord.
_MOST_CHANNELS = 25

# A phone shows some 30 letters of a label; an open menu also shows the note below it.
_THEMES = {
    "dark": gettext_noop("Theme: dark"),
    "light": gettext_noop("Theme: light"),
    "contrast": gettext_noop("Theme: high contrast"),
    "safe": gettext_noop("Theme: colour-blind safe"),
}
#: The board turned by half is number 3. A player who chose one of the other numbers in version 1.0 keeps it.
_ORIENTATIONS = {
    Bottom.AS_IS: gettext_noop("Board: as everybody sees it"),
    Bottom.MY_SIDE: gettext_noop("Board: my side at the bottom"),
    3: gettext_noop("Board: upside down"),
}
_CONFIRMATIONS = {
    Confirmation.ALWAYS: gettext_noop("Ask before every turn"),
    Confirmation.RISKY: gettext_noop("Ask before turns by buttons"),
    Confirmation.AT_ONCE: gettext_noop("Play at once unless risky"),
    Confirmation.NEVER: gettext_noop("Play at once, never ask"),
}
_OUTSIDE = {
    Outside.ACCOUNT: gettext_noop("Name on other servers: display name"),
    Outside.USERNAME: gettext_noop("Name on other servers: username"),
    Outside.HIDDEN: gettext_noop("Name on other servers: none"),
}
_PLAY_IN = {
    PlayIn.CHANNEL: gettext_noop("Play in the channel if free"),
    PlayIn.THREAD: gettext_noop("Always play in a thread"),
}
_BOARD_CARDS = {
    BoardCards.LIVING: gettext_noop("Board: one living card"),
    BoardCards.EVERY_TURN: gettext_noop("Board: a new card each turn"),
}
#: Placeholders of the menu of channels with the other kind of card.
_OTHER_CARDS = {
    BoardCards.LIVING: gettext_noop("New card each turn in: none"),
    BoardCards.EVERY_TURN: gettext_noop("One living card in: none"),
}
_NOTES = {
    "dark": gettext_noop("The games' own colours"),
    "light": gettext_noop("For bright rooms"),
    "contrast": gettext_noop("Clear lines and strong colours"),
    "safe": gettext_noop("Colours that colour-blind players can tell apart"),
    Bottom.MY_SIDE: gettext_noop("Turned round when you play the second side"),
    "3": gettext_noop("Always turned round"),
    Confirmation.ALWAYS: gettext_noop("You see the effect of each turn before it counts"),
    Confirmation.RISKY: gettext_noop("And before risky turns that you type"),
    Confirmation.AT_ONCE: gettext_noop("Risky: losing stones, or ending the match"),
    Confirmation.NEVER: gettext_noop("Every complete turn is played at once"),
    Outside.ACCOUNT: gettext_noop("Other servers see your account's display name"),
    Outside.USERNAME: gettext_noop("Other servers see your account's username"),
    Outside.HIDDEN: gettext_noop("Other servers do not see who you are"),
    PlayIn.CHANNEL: gettext_noop("Further matches get threads of their own"),
    PlayIn.THREAD: gettext_noop("Every match gets a thread of its own"),
    BoardCards.LIVING: gettext_noop("It is edited, and posted again below new messages"),
    BoardCards.EVERY_TURN: gettext_noop("The channel shows every position"),
}
#: The number of turns on the sample board, and a seed for a typical position.
_SAMPLE_TURNS, _SAMPLE_SEED = 8, 1
_CHANNELS = [
    discord.ChannelType.text,
    discord.ChannelType.news,
    discord.ChannelType.forum,
    discord.ChannelType.voice,
    discord.ChannelType.stage_voice,
]
#: The types of channels where the bot can post without a thread.
_PUZZLE_CHANNELS = [discord.ChannelType.text, discord.ChannelType.news]


Theme: TypeAlias = Annotated[str, one_of(*render.THEME_NAMES)]
Language: TypeAlias = Annotated[str, one_of(*LANGUAGES)]


class SetTheme(Press, action="my-theme"):
    theme: Theme = user_input()


class SetOrientation(Press, action="my-orientation"):
    orientation: Annotated[Bottom | int, one_of(*Bottom, *range(ORIENTATIONS))] = user_input()


class SetLanguage(Press, action="my-language"):
    language: Language | None = user_input()


class SetOutside(Press, action="my-outside"):
    outside: Outside = user_input()


class SetCoordinates(Press, action="my-coordinates"):
    coordinates: bool


class SetPings(Press, action="my-pings"):
    pings: bool


class SetPlayIn(Press, action="server-play-in"):
    play_in: PlayIn = user_input()


class SetServerTheme(Press, action="server-theme"):
    theme: Theme = user_input()


class SetServerLanguage(Press, action="server-language"):
    language: Language | None = user_input()


class SetChannels(Press, action="server-channels"):
    channels: tuple[Id, ...] = user_input()


class AllowAllChannels(Press, action="all-channels"):
    pass


class SetRole(Press, action="server-role"):
    roles: tuple[Id, ...] = user_input()


class SetStrangers(Press, action="server-strangers"):
    strangers: bool


class AllowAllMembers(Press, action="all-members"):
    pass


class SetBoardCards(Press, action="server-board-cards"):
    cards: BoardCards = user_input()


class SetOtherCards(Press, action="server-other-cards"):
    channels: tuple[Id, ...] = user_input()


class SetPuzzleChannel(Press, action="server-puzzle-channel"):
    channels: tuple[Id, ...] = user_input()


def sample_picture(look: render.Look) -> Picture:
    """A small board in a look. Renders pictures: call it in a thread."""
    position, events = _sample()
    shown = replace(look, window=(position.board.centre, 3))
    # The name depends on the look, because clients cache pictures by name.
    name = f"sample-{look.theme}-{look.orientation}-{look.coordinates}.png".lower()
    return Picture(name, render.picture(position, events, None, shown), _("A small board as an example."))


def _sample() -> tuple[Position, tuple[Event, ...]]:
    """A position after some random turns near the centre of a small board, and the events of the last turn."""
    game = next(iter(GAMES.values()))
    position = Ruleset(game, game.sizes[0], game.variants[0]).start()
    events: tuple[Event, ...] = ()
    chance, board = random.Random(_SAMPLE_SEED), position.board
    for _turn in range(_SAMPLE_TURNS):
        cells = {turn: position.element_cell(turn) for turn in position.legal_turns}
        near = [turn for turn, cell in cells.items() if cell is None or board.distance(cell, board.centre) < 3]
        position, events = position.play(chance.choice(near))
    return position, events


def preferences_panel(preferences: Preferences, sample: Picture, *, has_programs: bool = False) -> Message:
    turned = str(preferences.orientation)
    return _panel(
        _("### ⚙️ Your settings"),
        [
            _(
                "They apply to everything that only you see. Cards that everybody sees follow the settings of the "
                "server."
            ),
            *hours_texts(preferences),
        ],
        sample,
        menus=(
            _theme_menu(SetTheme(), preferences.theme),
            _menu(SetOrientation(), _("Orientation of the board"), _translate(_ORIENTATIONS), turned),
            _menu(SetConfirmation(), _("Confirmation of turns"), _translate(_CONFIRMATIONS), preferences.confirmation),
            _language_menu(SetLanguage(), _("Language: my Discord's"), preferences.language),
            _menu(SetOutside(), _("Your name on other servers"), _translate(_OUTSIDE), preferences.outside),
        ),
        buttons=(
            _switch(SetCoordinates, preferences.coordinates, _("Coordinates: on"), _("Coordinates: off")),
            _switch(SetPings, preferences.pings, _("Pings on my turn: on"), _("Pings on my turn: off")),
            ActionButton(OpenHours(), _("Quiet hours and digest"), emoji="🌙"),
            ActionButton(OpenPrivacy(), _("Privacy")),
            anyone_button(),
            *([ActionButton(OpenPrograms(), _("Programs"))] if has_programs else []),
        ),
    )


def server_panel(settings: ServerSettings, sample: Picture) -> Message:
    role: discord.ui.RoleSelect[Any] = discord.ui.RoleSelect(
        custom_id=SetRole().custom_id,
        placeholder=_("Everybody may challenge"),
        min_values=0,
        max_values=1,
        default_values=[discord.Object(role_id) for role_id in (settings.challenger_role_id,) if role_id is not None],
    )
    buttons = []
    if settings.channel_ids:
        buttons.append(ActionButton(AllowAllChannels(), _("Allow all channels")))
    if settings.challenger_role_id is not None:
        buttons.append(ActionButton(AllowAllMembers(), _("Let everybody challenge")))
    on, off = _("Matches with people from elsewhere: on"), _("Matches with people from elsewhere: off")
    buttons.append(_switch(SetStrangers, settings.strangers, on, off))
    return _panel(
        _("### 🛠️ Settings of this server"),
        _summary(settings),
        sample,
        menus=(
            _menu(SetPlayIn(), _("Where to play"), _translate(_PLAY_IN), settings.play_in),
            _channel_menu(SetChannels(), _("Channels to play in: all"), settings.channel_ids),
            role,
            _menu(SetBoardCards(), _("The card of a match"), _translate(_BOARD_CARDS), settings.board_cards),
            _channel_menu(SetOtherCards(), _(_OTHER_CARDS[settings.board_cards]), settings.other_cards_in),
            _channel_menu(
                SetPuzzleChannel(),
                _("Puzzle of the day in: none"),
                frozenset(filter(None, [settings.puzzle_channel_id])),
                _PUZZLE_CHANNELS,
                most=1,
            ),
            _theme_menu(SetServerTheme(), settings.theme),
            _language_menu(SetServerLanguage(), _("Language: this server's"), settings.language),
        ),
        buttons=tuple(buttons),
    )


def _panel(
    heading: str, lines: Iterable[str], sample: Picture, menus: tuple[Menu, ...], buttons: tuple[ActionButton, ...]
) -> Message:
    """A panel with a small picture beside the text, so that a phone has room for the menus."""
    section: discord.ui.Section[Any] = discord.ui.Section(heading, "\n".join(lines), accessory=sample.thumbnail)
    return Message(
        CardView(discord.ui.Container(section, *map(discord.ui.ActionRow, menus), *rows_of(buttons))), (sample,)
    )


def _summary(settings: ServerSettings) -> Iterator[str]:
    """Yield the settings of a server in sentences."""
    text = _("Matches are played in all channels that I can use.")
    if settings.channel_ids:
        text = _("Matches are played in {channels} only.")
    yield text.format(channels=_list_channels(settings.channel_ids))
    text = _("Everybody may challenge.")
    if settings.challenger_role_id is not None:
        role = markdown.role(settings.challenger_role_id)
        text = _("Only members with the role {role} may challenge.").format(role=role)
    yield text
    text, other = _("Each turn has a card of its own."), _("In {channels}, a match has one card.")
    if settings.board_cards is BoardCards.LIVING:
        text, other = _("Each match has one living card."), _("In {channels}, each turn has a card of its own.")
    if settings.other_cards_in:
        text = f"{text} {other.format(channels=_list_channels(settings.other_cards_in))}"
    yield text
    if settings.puzzle_channel_id is not None:
        text = _("The puzzle of the day is posted in {channel}, every day between 6 and 7 UTC.")
        yield text.format(channel=markdown.channel(settings.puzzle_channel_id))


def _list_channels(ids: Iterable[int]) -> str:
    return ", ".join(map(markdown.channel, sorted(ids)))


def _channel_menu(
    press: Press,
    placeholder: str,
    current: frozenset[int],
    types: list[discord.ChannelType] = _CHANNELS,
    *,
    most: int = _MOST_CHANNELS,
) -> Menu:
    return discord.ui.ChannelSelect(
        custom_id=press.custom_id,
        channel_types=types,
        placeholder=placeholder,
        min_values=0,
        max_values=most,
        default_values=[discord.Object(channel_id) for channel_id in sorted(current)[:_MOST_CHANNELS]],
    )


def _menu(press: Press, title: str, labels: dict[str, str], current: str) -> Menu:
    notes = {value: _(note) for value, note in _NOTES.items()}
    return option_menu(press, labels, title, current, notes=notes)


def _switch(press: Callable[[bool], Press], on: bool, label_on: str, label_off: str) -> ActionButton:
    """A button that shows a setting and changes it. A double press changes it once."""
    style = discord.ButtonStyle.success if on else discord.ButtonStyle.secondary
    return ActionButton(press(not on), label_on if on else label_off, style)


def _theme_menu(press: Press, current: str | None) -> Menu:
    return _menu(press, _("Theme"), _translate(_THEMES), current or render.DEFAULT_LOOK.theme)


def _language_menu(press: Press, usual: str, current: str | None) -> Menu:
    languages = {code: _("Language: {language}").format(language=name) for code, name in LANGUAGES.items()}
    return _menu(press, _("Language"), {NONE: usual, **languages}, current or NONE)


def _translate(labels: Mapping[Any, str]) -> dict[str, str]:
    return {str(value): _(label) for value, label in labels.items()}
