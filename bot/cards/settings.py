"""The panels in which players and servers choose how they want it. Whatever is chosen there applies at once."""

from __future__ import annotations

import discord

import render
import rules
from bot.cards import words
from bot.cards.post import ActionButton, ActionMenu, Picture, Post, Press, compose
from bot.cards.privacy import privacy_button
from bot.matches.model import ORIENTATIONS, Bottom, Confirmation, PlayIn, Preferences, ServerSettings
from bot.texts import LANGUAGES, later
from bot.texts import gettext as _

#: What a menu calls the usual choice, for which nothing is stored.
USUAL = "usual"
#: Discord takes no more in a menu.
MOST_CHANNELS = 25

_THEMES = {
    "dark": later("Dark: the games' own colours"),
    "light": later("Light: for bright rooms"),
    "contrast": later("High contrast"),
    "safe": later("Safe for colour-blind eyes"),
}
_CONFIRMATIONS = {
    Confirmation.ALWAYS: later("Ask before every turn counts"),
    Confirmation.RISKY: later("Ask before risky turns only"),
    Confirmation.NEVER: later("Never ask; turns count at once"),
}
_PLAY_IN = {
    PlayIn.CHANNEL: later("In the channel while it is free, else in a thread"),
    PlayIn.THREAD: later("Always in a thread of its own"),
}
#: A small board with stones of both sides, one of them with a leaf.
_SAMPLE = ("c3", "light", "d4", "b4", "d3", "c5")
_CHANNELS = [
    discord.ChannelType.text,
    discord.ChannelType.news,
    discord.ChannelType.forum,
    discord.ChannelType.voice,
    discord.ChannelType.stage_voice,
]


def sample_picture(look: render.Look) -> Picture:
    """What boards look like; drawing takes a while, so call it outside the event loop's thread."""
    position = rules.ruleset("dalen", 5).replay(_SAMPLE[:-1])
    position, events = position.play(_SAMPLE[-1])
    # The name says what is on it, so that no old picture is shown from somewhere's memory.
    name = f"sample-{look.scheme}-{look.turned}-{look.coordinates}.png".lower()
    return Picture(name, render.picture(position, events, None, look), _("A small board as an example."))


def preferences_panel(preferences: Preferences, sample: Picture) -> Post:
    """The player's own settings."""
    explained = _(
        "They apply to what only you see. What everybody sees has the look and language of the server. "
        "The board below is an example."
    )
    return compose(
        _("### ⚙️ Your settings"),
        explained,
        picture=sample,
        menus=(
            _menu("my-theme", _("Theme"), _themes(), preferences.theme or render.USUAL.scheme),
            _menu("my-orientation", _("How the board lies"), _orientations(), str(preferences.orientation)),
            _menu("my-confirmation", _("Confirmation of turns"), _spoken(_CONFIRMATIONS), preferences.confirmation),
            _menu(
                "my-language",
                _("Language"),
                {USUAL: _("Language: as my Discord"), **_languages()},
                preferences.language or USUAL,
            ),
        ),
        buttons=(
            _switch("my-coordinates", preferences.coordinates, _("Coordinates: on"), _("Coordinates: off")),
            _switch("my-pings", preferences.pings, _("Pings on my turn: on"), _("Pings on my turn: off")),
            privacy_button(),
        ),
    )


def server_panel(settings: ServerSettings, sample: Picture) -> Post:
    """A server's settings, for those who manage it."""
    channels: discord.ui.ChannelSelect[discord.ui.LayoutView] = discord.ui.ChannelSelect(
        channel_types=_CHANNELS,
        placeholder=_("Channels to play in: all"),
        min_values=0,
        max_values=MOST_CHANNELS,
        default_values=[
            discord.SelectDefaultValue(id=each, type=discord.SelectDefaultValueType.channel)
            for each in sorted(settings.channel_ids)[:MOST_CHANNELS]
        ],
    )
    role: discord.ui.RoleSelect[discord.ui.LayoutView] = discord.ui.RoleSelect(
        placeholder=_("Who may challenge: everybody"),
        min_values=0,
        max_values=1,
        default_values=[
            discord.SelectDefaultValue(id=each, type=discord.SelectDefaultValueType.role)
            for each in (settings.challenger_role_id,)
            if each is not None
        ],
    )
    buttons = []
    if settings.channel_ids:
        buttons.append(ActionButton.make(Press("all-channels", 0), _("Allow all channels")))
    if settings.challenger_role_id is not None:
        buttons.append(ActionButton.make(Press("all-members", 0), _("Let everybody challenge")))
    return compose(
        _("### 🛠️ Settings of this server"),
        "\n".join((_allowed_channels(settings), _challengers(settings))),
        picture=sample,
        menus=(
            _menu("server-play-in", _("Where to play"), _spoken(_PLAY_IN), settings.play_in),
            ActionMenu.of(Press("server-channels", 0), channels),
            ActionMenu.of(Press("server-role", 0), role),
            _menu("server-theme", _("Theme"), _themes(), settings.theme or render.USUAL.scheme),
            _menu(
                "server-language",
                _("Language"),
                {USUAL: _("Language: as this server on Discord"), **_languages()},
                settings.language or USUAL,
            ),
        ),
        buttons=tuple(buttons),
    )


def _allowed_channels(settings: ServerSettings) -> str:
    if not settings.channel_ids:
        return _("Matches are played in all channels that I may use.")
    channels = ", ".join(words.channel(each) for each in sorted(settings.channel_ids))
    return _("Matches are played in {channels} only.").format(channels=channels)


def _challengers(settings: ServerSettings) -> str:
    if settings.challenger_role_id is None:
        return _("Everybody may challenge.")
    return _("Only members with the role {role} may challenge.").format(role=f"<@&{settings.challenger_role_id}>")


def _menu(action: str, title: str, labels: dict[str, str], chosen: str) -> ActionMenu:
    options = [
        discord.SelectOption(label=label, value=value, default=value == chosen) for value, label in labels.items()
    ]
    return ActionMenu.make(Press(action, 0), options, title)


def _switch(action: str, on: bool, label_on: str, label_off: str) -> ActionButton:
    """A button that says how it is, and turns it round. It knows what it will be, so two presses are no harm."""
    style = discord.ButtonStyle.success if on else discord.ButtonStyle.secondary
    return ActionButton.make(Press(action, 0, argument="off" if on else "on"), label_on if on else label_off, style)


def _themes() -> dict[str, str]:
    return {scheme: _(_THEMES[scheme]) for scheme in render.SCHEMES}


def _languages() -> dict[str, str]:
    return dict(LANGUAGES)


def _spoken(labels: dict[Confirmation, str] | dict[PlayIn, str]) -> dict[str, str]:
    return {str(value): _(label) for value, label in labels.items()}


def _orientations() -> dict[str, str]:
    labels = {
        str(Bottom.AS_IS): _("Board as everybody sees it"),
        str(Bottom.MY_SIDE): _("My side at the bottom"),
    }
    for number in range(1, ORIENTATIONS):
        degrees = number % 6 * 60
        if number < 6:
            labels[str(number)] = _("Turned by {degrees}°").format(degrees=degrees)
        elif degrees:
            labels[str(number)] = _("Mirrored and turned by {degrees}°").format(degrees=degrees)
        else:
            labels[str(number)] = _("Mirrored")
    return labels
