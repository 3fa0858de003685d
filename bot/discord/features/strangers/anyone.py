"""*Play anyone*: a standing request for opponents from anywhere, and the buttons below their matches."""

from __future__ import annotations

from dataclasses import dataclass, replace

import discord

import rules
from bot.discord.interaction.access import Access
from bot.discord.interaction.errors import RefusalError
from bot.discord.interaction.feature import Feature, handles
from bot.discord.interaction.interactions import Interaction, player_of
from bot.discord.transport.answers import Answer
from bot.discord.transport.sender import is_absent
from bot.discord.ui import markdown
from bot.discord.ui.actions import AboutMatch, AskToBlock, Close, OpenPlayAnyone, PauseAfterMatch, RemoveFromHere
from bot.discord.ui.messages import ActionButton, Menu, Message, compose, confirmation, option_menu
from bot.discord.ui.presses import GameType, Press, user_input
from bot.domain.competitions.strangers import MOST_AT_ONCE, Lobby, Pace, RequestState, StandingRequest, preselected
from bot.domain.matches import Match, NotAPlayerError
from bot.domain.places import Place
from bot.domain.preferences import Outside
from bot.services.deliveries import Deliveries
from bot.services.matches import Matches
from bot.services.people.privacy import Privacy
from bot.services.people.settings import Settings
from bot.services.strangers.pairing import CONVERSATION, Strangers
from bot.services.strangers.requests import StandingRequests
from bot.texts import gettext as _
from bot.wording import strangers, words


@dataclass(frozen=True, slots=True)
class RequestForm:
    """A request before it is made, in the ids of its menus and buttons."""

    games: tuple[GameType, ...]
    at_once: int = 1
    pace: Pace = Pace.WEEK
    near: bool = False


class ChangeRequest(Press, action="anyone-form"):
    """Show the form for a request."""


class RequestPress(Press):
    """A choice in the form."""

    form: RequestForm


class ChooseGames(RequestPress, action="anyone-games"):
    games: tuple[GameType, ...] = user_input()


class ChooseNumber(RequestPress, action="anyone-number"):
    at_once: int = user_input()


class ChoosePace(RequestPress, action="anyone-pace"):
    pace: Pace = user_input()


class ChooseStrength(RequestPress, action="anyone-near"):
    near: bool = user_input()


class AskAnyone(RequestPress, action="anyone-ask"):
    """Make the request."""


class MeetWaiting(Press, action="anyone-meet"):
    """Meet whoever waits for an opponent in a game."""

    game: GameType


class SetRequestState(Press, action="anyone-state"):
    """Pause, resume or end the user's request."""

    state: RequestState


class BlockOpponent(AboutMatch, action="anyone-block"):
    pass


@dataclass
class PlayAnyone(Feature):
    standing_requests: StandingRequests
    strangers: Strangers
    matches: Matches
    deliveries: Deliveries
    privacy: Privacy
    settings: Settings
    access: Access

    @handles(OpenPlayAnyone)
    async def open(self, interaction: Interaction, _press: OpenPlayAnyone) -> None:
        """Show the user's request or, before the first one, the form."""
        lobby = await self.standing_requests.lobby(interaction.user.id)
        await (self._ask_how(interaction, None) if lobby.own is None else self._show(interaction, lobby))

    @handles(ChangeRequest)
    async def change(self, interaction: Interaction, _press: ChangeRequest) -> None:
        await self._ask_how(interaction, (await self.standing_requests.lobby(interaction.user.id)).own)

    @handles(ChooseGames, ChooseNumber, ChoosePace, ChooseStrength)
    async def choose(self, interaction: Interaction, press: RequestPress) -> None:
        form, chosen = press.form, {name: value for name, value in vars(press).items() if name != "form"}
        await self._show_form(interaction, replace(form, **chosen))

    @handles(AskAnyone)
    async def ask(self, interaction: Interaction, press: AskAnyone) -> None:
        await self._ask(interaction, press.form)

    @handles(MeetWaiting)
    async def meet(self, interaction: Interaction, press: MeetWaiting) -> None:
        """Ask for an opponent in one game, as fast as the person who has waited longest for it."""
        lobby = await self.standing_requests.lobby(interaction.user.id)
        own, pace = lobby.own, lobby.paces.get(press.game.name)
        if pace is None:
            raise RefusalError(_("Nobody is waiting for {game} any more.").format(game=press.game.title))
        wanted = own.games if own is not None and own.state is RequestState.OPEN else frozenset()
        games = tuple(game for name, game in rules.GAMES.items() if name in wanted or game is press.game)
        at_once = max(lobby.running + 1, own.at_once if wanted and own is not None else 1)
        await self._ask(interaction, RequestForm(games, at_once, pace))

    @handles(SetRequestState)
    async def set_state(self, interaction: Interaction, press: SetRequestState) -> None:
        await self._set_state(interaction, press.state)

    @handles(PauseAfterMatch)
    async def pause(self, interaction: Interaction, press: PauseAfterMatch) -> None:
        await self._own_match(interaction, press.match_id)
        await self._set_state(interaction, RequestState.PAUSED)

    @handles(AskToBlock)
    async def ask_to_block(self, interaction: Interaction, press: AskToBlock) -> None:
        match = await self._own_match(interaction, press.match_id)
        text = _("Block **{player}**? I never pair you two again. A running match goes on.")
        question = text.format(player=words.name(match.opponent_of(interaction.user.id)))
        yes = BlockOpponent(match.id)
        await Answer.of(interaction).follow_up(confirmation(question, yes, _("Yes, block"), Close(), _("No")))

    @handles(BlockOpponent)
    async def block(self, interaction: Interaction, press: BlockOpponent) -> None:
        match = await self._own_match(interaction, press.match_id)
        await self.privacy.block_stranger(player_of(interaction.user), match.opponent_of(interaction.user.id).id)
        await Answer.of(interaction).respond(_("Blocked. I never pair you two again."))

    @handles(RemoveFromHere)
    async def remove(self, interaction: Interaction, press: RemoveFromHere) -> None:
        """Let a match that is shown on this server go on in the player's conversation with the bot."""
        homes = await self.deliveries.homes(press.match_id)
        for home in sorted(homes, key=lambda home: home.target_id != interaction.channel_id):
            if home.player_id is not None and await self.access.may_moderate(interaction, home.home):
                await self.deliveries.move_home(home.key, CONVERSATION)
                await Answer.of(interaction).follow_up(_("The match now goes on in the player's conversation with me."))
                return
        raise NotAPlayerError(await self.matches.match(press.match_id))

    async def _ask(self, interaction: Interaction, form: RequestForm) -> None:
        await self.standing_requests.ask(
            player_of(interaction.user),
            [game.name for game in form.games],
            form.at_once,
            form.pace,
            await self._home(interaction),
            near=form.near,
        )
        await self._show_changed(interaction)

    async def _set_state(self, interaction: Interaction, state: RequestState) -> None:
        await self.standing_requests.change(interaction.user.id, state)
        await self._show_changed(interaction)

    async def _show_changed(self, interaction: Interaction) -> None:
        """Show the request after a change, which may have begun a match at once."""
        await self.strangers.pair()
        await self._show(interaction, await self.standing_requests.lobby(interaction.user.id))

    async def _home(self, interaction: Interaction) -> Place:
        """Where the user asks: here, or in their conversation if the bot is not on the server."""
        place = await self.access.place_of(interaction)
        return CONVERSATION if place.guild_id is not None and is_absent(interaction) else place

    async def _own_match(self, interaction: Interaction, match_id: int) -> Match:
        """A match of the user with someone from elsewhere."""
        match = await self.matches.match(match_id)
        if match.apart is None or not match.has_player(interaction.user.id):
            raise NotAPlayerError(match)
        return match

    async def _ask_how(self, interaction: Interaction, own: StandingRequest | None) -> None:
        known = await self.settings.known_games(interaction.user.id)
        await self._show_form(interaction, form_of(own, known))

    async def _show_form(self, interaction: Interaction, form: RequestForm) -> None:
        outside = (await self.settings.preferences(interaction.user.id)).outside
        await Answer.of(interaction).respond(form_card(form, outside))

    async def _show(self, interaction: Interaction, lobby: Lobby) -> None:
        await Answer.of(interaction).respond(request_card(lobby))


def form_card(form: RequestForm, outside: Outside) -> Message:
    """The choices of a request, and what people from elsewhere will see of the player."""
    games: Menu = discord.ui.Select(
        custom_id=ChooseGames(form).custom_id,
        placeholder=_("Games"),
        max_values=len(rules.GAMES),
        options=[
            discord.SelectOption(label=game.title, value=name, default=game in form.games)
            for name, game in rules.GAMES.items()
        ],
    )
    return compose(
        _("### 🌍 Play anyone"),
        strangers.what_others_see(outside),
        strangers.what_happens(),
        footer=_("Under /settings, you choose the name that people elsewhere see."),
        menus=(
            games,
            option_menu(ChooseNumber(form), strangers.numbers(), _("How many matches"), str(form.at_once)),
            option_menu(ChoosePace(form), strangers.paces(), _("Clock"), str(form.pace)),
            option_menu(ChooseStrength(form), strangers.strengths(), _("Opponents"), str(int(form.near))),
        ),
        buttons=(ActionButton(AskAnyone(form), _("Find me opponents"), discord.ButtonStyle.success),),
    )


def request_card(lobby: Lobby) -> Message:
    """A player's request, and where its matches appear."""
    own = lobby.own
    assert own is not None
    change = ActionButton(ChangeRequest(), _("Change…"))
    pause = ActionButton(SetRequestState(RequestState.PAUSED), _("Pause"))
    resume = ActionButton(SetRequestState(RequestState.OPEN), _("Go on"), discord.ButtonStyle.success)
    stop = ActionButton(SetRequestState(RequestState.ENDED), _("Stop"))
    where = strangers.where(own, markdown.channel(own.home.channel_id))
    texts, buttons = [strangers.terms(own), where], [change, pause, stop]
    if own.is_paused_by_bot:
        buttons = [stop]
    elif own.state is RequestState.PAUSED:
        buttons = [change, resume, stop]
    elif own.state is RequestState.ENDED:
        texts, buttons = [], [ActionButton(ChangeRequest(), _("Find me opponents"))]
    state = strangers.state(lobby, markdown.when)
    return compose(_("### 🌍 Play anyone"), state, *texts, buttons=tuple(buttons))


def meeting_buttons(lobby: Lobby) -> tuple[ActionButton, ...]:
    """The buttons to meet whoever waits, one for each game.

    There are none before the player has agreed to what others see, or while the player has no room for a match.
    """
    if lobby.own is None or lobby.running >= MOST_AT_ONCE:
        return ()
    games = [game for name, game in rules.GAMES.items() if lobby.waiting[name]]
    return tuple(
        ActionButton(MeetWaiting(game), _("Meet an opponent: {game}").format(game=game.title)) for game in games
    )


def form_of(own: StandingRequest | None, known: set[str]) -> RequestForm:
    """The form with the user's last request or, for the first one, the games that they know."""
    games = tuple(rules.GAMES[name] for name in preselected(own, known))
    return RequestForm(games) if own is None else RequestForm(games, own.at_once, own.pace, own.near)
