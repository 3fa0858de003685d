"""A small server with three friends and the bot."""

from __future__ import annotations

import asyncio
import copy
import io
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import discord
from PIL import Image
from simcord import ChannelHandle, Env, MemberActor, UserHandle
from simcord.backend import serializers
from simcord.backend.models import Overwrite
from simcord.components import walk_components
from simcord.enums import ComponentType, InteractionType, OverwriteType
from simcord.interactions import base_payload
from simcord.results import InteractionResult, ResponseMessage
from simcord.types import HttpLogEntry
from structlog.typing import EventDict

import rules
from bot.app import Application
from bot.computer.thinking import Search
from bot.config import Config
from bot.discord.ui.actions import OpenClock
from bot.discord.ui.presses import Press
from bot.domain.challenges import Challenge, First
from bot.domain.deliveries import MatchDelivery
from bot.domain.matches import Game, Match
from bot.domain.places import Place
from bot.domain.players import Names, Player
from bot.domain.study.lines import Line
from bot.storage.tables import challenges, matches
from bot.texts.durations import read_time_control
from tests.support.services.databases import hurry
from tests.support.services.matches import store_turns
from tests.support.services.random_search import RandomSearch
from tests.support.services.stored import newest_id, stored_delivery, stored_turns

_TEXT, _BUTTON, _MENU, _THUMBNAIL, _GALLERY, _CONTAINER = 10, 2, 3, 11, 12, 17
_MORE = "More…"
_PRIVATE = 64

#: The buttons of a match that is over.
FINAL_BUTTONS = ("Rematch", "Replay", "Share the game", "Review")


@dataclass(frozen=True)
class Seen:
    """A message as people see it."""

    channel_id: int
    id: int
    texts: tuple[str, ...]
    buttons: dict[str, str]
    """The buttons' labels, each with its custom id or its address."""
    menus: dict[str, dict[str, str]]
    """By the menus' custom ids their options: values with labels."""
    pictures: tuple[str, ...]
    """The addresses of the pictures in the message."""
    descriptions: tuple[str, ...]
    """The pictures' alternative texts."""
    files: tuple[dict[str, Any], ...]
    pinged: tuple[int, ...]
    private: bool

    @property
    def text(self) -> str:
        """The texts, with tappable commands as their names."""
        return re.sub(r"</([a-z]+):[0-9]+>", r"/\1", "\n".join(self.texts))

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(self.buttons)

    def says(self, *parts: str) -> None:
        """Check that all these parts are in the texts."""
        missing = [part for part in parts if part not in self.text]
        assert not missing, f"{missing} is missing in: {self.text}"


@dataclass(frozen=True)
class Answer:
    """What a person gets for a command or a press."""

    env: Env
    result: InteractionResult
    press: bool

    @property
    def messages(self) -> list[Seen]:
        """The messages that answer, without the message whose button was pressed."""
        return [seen(self.env, message) for message in self.handles]

    @property
    def handles(self) -> list[ResponseMessage]:
        """The answering messages. A public follow-up is one only where the bot can do nothing but answer."""
        first = [] if self.press or self.result.response is None else [self.result.response]
        client = self.env.bot
        return [
            *first,
            *(each for each in self.result.followups if each.ephemeral or not client.get_channel(_channel_id(each))),
        ]

    @property
    def nothing(self) -> bool:
        return not self.handles

    @property
    def card(self) -> Seen:
        """The only answer, which must be private."""
        (only,) = self.messages
        assert only.private, f"everybody sees: {only.text}"
        return only

    @property
    def private(self) -> str:
        """The text of the only answer, which must be private."""
        return self.card.text

    @property
    def form(self) -> bool:
        """Whether a form opened."""
        return self.result.modal is not None

    @property
    def private_handle(self) -> ResponseMessage:
        (only,) = self.handles
        assert only.ephemeral
        return only


@dataclass(frozen=True)
class Screen:
    """A message as it is on a person's screen, with the custom ids of its buttons by label."""

    message: dict[str, Any]
    buttons: dict[str, str]

    def relabelled(self, label: str, custom_id: str) -> Screen:
        """The same message with another custom id behind a button, as another version of the bot would send it."""
        message = copy.deepcopy(self.message)
        for part in walk_components(message["components"]):
            if part.get("label") == label:
                part["custom_id"] = custom_id
        return Screen(message, {**self.buttons, label: custom_id})


def seen(env: Env, message: discord.Message | ResponseMessage) -> Seen:
    stored = env.backend.get_message(_channel_id(message), message.id)
    parts = list(walk_components(stored.components))
    gallery = [item for part in parts if part["type"] == _GALLERY for item in part["items"]]
    gallery += [part for part in parts if part["type"] == _THUMBNAIL]
    texts = [stored.content] if stored.content else []
    return Seen(
        channel_id=stored.channel_id,
        id=stored.id,
        texts=tuple(texts + [part["content"] for part in parts if part["type"] == _TEXT]),
        buttons={part["label"]: part.get("custom_id") or part["url"] for part in parts if part["type"] == _BUTTON},
        menus={
            part["custom_id"]: {option["value"]: option["label"] for option in part["options"]}
            for part in parts
            if part["type"] == _MENU
        },
        pictures=tuple(item["media"]["url"] for item in gallery),
        descriptions=tuple(item["description"] for item in gallery),
        files=tuple(stored.attachments),
        pinged=tuple(stored.ping_user_ids),
        private=stored.is_ephemeral,
    )


def _is_card(message: discord.Message) -> bool:
    return any(part.type.value == _CONTAINER for part in message.components)


def numbers(card: Seen) -> list[int]:
    """The numbers of the matches in a list, in order."""
    return [int(number) for number in re.findall(r"(?<!<)#(\d+)", card.text)]


def plain(text: str) -> str:
    """The text without non-breaking spaces."""
    return text.replace("\N{NO-BREAK SPACE}", " ")


def _channel_id(message: discord.Message | ResponseMessage) -> int:
    return message.channel_id if isinstance(message, ResponseMessage) else message.channel.id


def make_app(config: Config, clock: Callable[[], datetime], search: Search) -> Application:
    """The bot, on a database that is fast rather than safe."""
    app = Application(config, now=clock, search=search)
    hurry(app.database)
    return app


class Club:
    """The server, its channel and its members, and the bot, which can be restarted on the same database."""

    def __init__(self, env: Env, app: Application, config: Config, search: RandomSearch, log: list[EventDict]) -> None:
        self.env = env
        self.app = app
        self.config = config
        self.search = search
        search.waiting = lambda awaited: env.external_wait(awaited, reason="the computer thinks")
        self.log = log
        self.guild = env.create_guild("Club")
        self.channel = self.guild.create_text_channel("games")
        self.alice = self.join("Alice")
        self.bob = self.join("Bob")
        self.carol = self.join("Carol")
        self.expected_failures: list[str] = []
        #: The number of interactions that Discord does not let the bot answer.
        self.expected_silence = 0
        self._locales: dict[int, str] = {}
        self._conversations: set[int] = set()
        env.backend.subscribers.insert(0, self._tell_locale)
        env.backend.subscribers.append(self._guard_thread)

    def join(self, name: str) -> MemberActor:
        """Add a member."""
        return self.guild.add_member(self.env.create_user(name.lower(), global_name=name))

    def join_as_bot(self, name: str) -> MemberActor:
        return self.guild.add_member(self.env.create_user(name.lower(), global_name=name, bot=True))

    @property
    def computer(self) -> MemberActor:
        """The bot itself, as people choose it from a list."""
        return MemberActor(self.env, self.guild, UserHandle(self.env, self.env.backend.bot_user))

    def conversation(self, *people: MemberActor) -> ChannelHandle:
        """Create a private conversation of people who have installed the bot. The bot itself is not in it.

        Discord refuses whatever it sends there except answers.
        """
        backend = self.env.backend
        channel = backend.get_dm_channel(people[0].id)
        for person in people[1:]:
            channel.recipient_ids.append(person.id)
            backend.dm_channels[person.id] = channel.id
        self._conversations.add(channel.id)
        for method in ("POST", "PATCH"):
            path = f"/channels/{channel.id}/*"
            self.env.inject_error(method, path, status=403, code=50001, message="Missing Access", times=None)
        return people[0].user.dm_channel

    def join_as_moderator(self, name: str, permission: str = "manage_messages") -> MemberActor:
        """Add a member with a permission of moderators."""
        role = self.guild.create_role(f"{name}'s role", permissions=discord.Permissions(**{permission: True}))
        return self.guild.add_member(self.env.create_user(name.lower(), global_name=name), roles=[role])

    # Languages

    def speak(self, who: MemberActor, locale: str) -> None:
        """Change the language of a person's Discord."""
        self._locales[who.id] = locale

    def turn_server_to(self, locale: str) -> None:
        """Change the language of the server."""
        self.env.backend.edit_guild(self.guild.id, {"preferred_locale": locale})

    def _tell_locale(self, event: str, payload: Any) -> None:
        if event == "INTERACTION_CREATE":
            who = int(payload.get("member", payload)["user"]["id"])
            if int(payload["channel_id"]) in self._conversations:
                payload["context"] = 2
            payload["locale"] = self._locales.get(who, payload["locale"])

    # Threads

    async def open_thread(
        self, *members: MemberActor, parent: ChannelHandle | None = None, private: bool = False
    ) -> ChannelHandle:
        """Open a thread with the bot and these members."""
        backend, parent = self.env.backend, parent or self.channel
        kind = discord.ChannelType.private_thread if private else discord.ChannelType.public_thread
        backend.create_thread(parent.id, "talk", members[0].id, type=kind.value)
        thread = parent.threads[-1]
        for who in (*members, self.computer):
            backend.add_thread_member(thread.id, who.id)
        await self.env.settle()
        return thread

    def set_thread(self, thread: ChannelHandle, **state: bool) -> None:
        """Archive, lock or open a thread."""
        self.env.backend.edit_channel(thread.id, {}, thread_metadata=state)

    def is_archived(self, thread: ChannelHandle) -> bool:
        state = self.env.backend.get_thread(thread.id).thread_metadata
        assert state is not None
        return bool(state.archived)

    def _guard_thread(self, event: str, payload: Any) -> None:
        """Apply Discord's rules: only a new message opens an archived thread for changes, and a lock stops the bot."""
        backend = self.env.backend
        if event == "MESSAGE_CREATE":
            state = backend.get_channel(int(payload["channel_id"])).thread_metadata
            if state is not None and state.archived:
                backend.edit_channel(int(payload["channel_id"]), {}, thread_metadata={"archived": False})
        if event != "THREAD_UPDATE":
            return
        thread_id, state = int(payload["id"]), payload["thread_metadata"]
        refused: list[tuple[str, str]] = []
        if state["archived"] or state["locked"]:
            public = [each.id for each in backend.messages[thread_id].values() if not each.is_ephemeral]
            paths = [f"/channels/{thread_id}/messages/*", *(f"/webhooks/*/messages/{each}" for each in public)]
            refused += [(method, path) for method in ("PATCH", "DELETE") for path in paths]
        if state["locked"]:
            refused += [("POST", f"/channels/{thread_id}/messages"), ("PATCH", f"/channels/{thread_id}")]
        backend.faults[:] = [each for each in backend.faults if each.get("thread") != thread_id]
        code = 50083 if state["archived"] else 160005
        fault = {"status": 400, "code": code, "message": "Thread is closed", "times": None, "thread": thread_id}
        backend.faults += [{"method": method, "path": path, **fault} for method, path in refused]

    # The bot's life

    async def stop(self) -> None:
        await self.app.client.close()

    async def start(self) -> None:
        self.app = make_app(self.config, self.env.now, self.search)
        await self.env.restart_bot(self.app.client)

    async def restart(self) -> None:
        await self.stop()
        await self.start()

    def expect_failure(self, event: str) -> None:
        """Expect that the bot logs this failure once."""
        self.expected_failures.append(event)

    # What people do

    async def slash(
        self, who: MemberActor, command: str, *, where: ChannelHandle | None = None, **options: Any
    ) -> Answer:
        """Use a command, and return the answer."""
        result = await who.slash(where or self.channel, command, **options)
        assert result.acknowledged, f"nobody answered /{command}"
        return Answer(self.env, result, press=False)

    async def press(self, who: MemberActor | UserHandle, label: str, on: Any = None) -> Answer:
        """Press a button, by default on the last card of the channel."""
        result = await who.click(on or self.last_card(), label=label)
        assert result.acknowledged, f"nobody answered the button {label}"
        return Answer(self.env, result, press=True)

    async def change(self, who: MemberActor | UserHandle, label: str, on: Any) -> Seen:
        """Press a button that changes its card, and return the card as it is then."""
        assert (await self.press(who, label, on=on)).nothing
        return self.seen(on)

    async def press_all(self, who: MemberActor | UserHandle, *labels: str, on: Any = None) -> Any:
        """Press buttons one after the other, each on the private card that the last one opened or changed."""
        for label in labels:
            answer = await self.press(who, label, on=on)
            on = answer.private_handle if answer.handles else on
        return on

    async def open(self, who: MemberActor, command: str, *labels: str, **options: Any) -> Any:
        """Use a command, press buttons on its private card, and return the card."""
        return await self.press_all(who, *labels, on=(await self.slash(who, command, **options)).private_handle)

    async def press_old(self, who: MemberActor, action: str, on: Any = None) -> Answer:
        """Press a button for an action that earlier versions had on the live card, where *More…* is now.

        ``on`` is a card, or the screen on which it still was.
        """
        screen = on if isinstance(on, Screen) else self.screen(on)
        stale = screen.buttons[_MORE].replace(":more:", f":{action}:")
        if action == OpenClock.action:  # this action has no step
            stale = stale.rpartition(":")[0]
        screen = screen.relabelled(_MORE, stale)
        return await self.press_late(who, _MORE, screen)

    async def choose_in(self, who: Any, action: str, *values: Any, on: Any) -> Answer:
        """Choose something in the menu of an action."""
        stored = self.env.backend.get_message(_channel_id(on), on.id)
        ids = [part.get("custom_id", "") for part in walk_components(stored.components)]
        (menu,) = [each for each in ids if f":{action}:" in f"{each}:"]
        result = await who.select(on, values, custom_id=menu)
        assert result.acknowledged, f"nobody answered the menu {action}"
        return Answer(self.env, result, press=True)

    async def whisper(self, who: MemberActor, command: str, **options: Any) -> Answer:
        """Use a command in the conversation with the bot, or, after :meth:`conversation`, with others."""
        result = await who.user.slash(command, **options)
        assert result.acknowledged, f"nobody answered /{command}"
        return Answer(self.env, result, press=False)

    async def choose(self, who: MemberActor | UserHandle, value: str, on: Any) -> Answer:
        """Choose an option of the menu that has it, by its value or label."""
        for menu, options in seen(self.env, on).menus.items():  # noqa: B007
            value = next((each for each, label in options.items() if label == value), value)
            if value in options:
                break
        result = await who.select(on, [value], custom_id=menu)
        assert result.acknowledged, f"nobody answered the choice of {value}"
        return Answer(self.env, result, press=True)

    async def fill(self, who: MemberActor, opened: Answer, **texts: str | list[tuple[str, bytes]]) -> Answer:
        """Fill in the form that a press opened, with texts and files, and submit it."""
        result = await who.submit_modal(opened.result, texts)
        assert result.acknowledged, "nobody answered the form"
        return Answer(self.env, result, press=True)

    async def type_in(self, who: MemberActor, text: str, on: Any = None, field: str = "turn") -> Answer:
        """Type something in the form behind *Type it*, by default on the last card of the channel."""
        form = await self.press(who, "Type it", on=on)
        assert form.form
        return await self.fill(who, form, **{field: text})

    def screen(self, message: discord.Message | ResponseMessage | None = None) -> Screen:
        """A message, by default the last card of the channel, as it is now, to press its buttons later."""
        message = message or self.last_card()
        stored = self.env.backend.get_message(_channel_id(message), message.id)
        payload = copy.deepcopy(dict(serializers.message_payload(self.env.backend, stored)))
        return Screen(payload, seen(self.env, message).buttons)

    async def press_together(
        self, *presses: tuple[MemberActor, str, Screen], choices: Sequence[str] | None = None
    ) -> list[Answer]:
        """Press buttons at the same time, or after the message has changed.

        With ``choices``, choose these in menus, even if Discord would not allow it.
        """
        results = []
        chosen = {} if choices is None else {"values": list(choices)}
        for who, label, screen in presses:
            channel_id = int(screen.message["channel_id"])
            record, payload = base_payload(
                self.env.backend,
                type=InteractionType.MESSAGE_COMPONENT,
                channel_id=channel_id,
                guild_id=None if channel_id in self._conversations else self.guild.id,
                user_id=who.id,
                data={"custom_id": screen.buttons[label], "component_type": int(ComponentType.BUTTON), **chosen},
            )
            payload["message"] = screen.message
            record.source_message_id = int(screen.message["id"])
            self.env.backend.emit("INTERACTION_CREATE", payload)
            results.append(InteractionResult(self.env, record))
        await self.env.settle()
        assert all(result.acknowledged for result in results), "nobody answered a button"
        return [Answer(self.env, result, press=True) for result in results]

    async def at_once(self, *calls: Callable[[], Any]) -> list[Any]:
        """Make several calls into the bot at the same time, and return their results."""
        results = await asyncio.gather(*(call() for call in calls), return_exceptions=True)
        await self.env.settle()
        return results

    async def press_late(self, who: MemberActor, label: str, screen: Screen) -> Answer:
        """Press a button that was on the screen."""
        (answer,) = await self.press_together((who, label, screen))
        return answer

    async def forge(self, who: MemberActor, pressed: Press | str, on: Any = None) -> Answer:
        """Press a button with another action or id than a card has, by default the last card of the channel."""
        screen = self.screen(on)
        label = next(iter(screen.buttons))
        custom_id = pressed if isinstance(pressed, str) else pressed.custom_id
        return await self.press_late(who, label, screen.relabelled(label, custom_id))

    async def offers(
        self, who: MemberActor, typed: str, *, command: str = "move", option: str = "turn", **filled: Any
    ) -> list[dict[str, Any]]:
        """The bot's suggestions for a text."""
        where: ChannelHandle = filled.pop("where", self.channel)
        return await who.autocomplete(where, command, option, typed, **filled)

    async def challenge(self, who: MemberActor, opponent: MemberActor | None = None, **options: Any) -> Challenge:
        """Make a challenge that the bot accepts."""
        if opponent is not None:
            options["opponent"] = opponent
        answer = await self.slash(who, "challenge", **{"game": "dalen", **options})
        assert answer.nothing, answer.private
        return await self.newest_challenge()

    async def match(
        self,
        who: MemberActor | None = None,
        opponent: MemberActor | None = None,
        *,
        turns: Iterable[str] = (),
        game: str = "dalen",
        size: int = 5,
        variant: str | None = None,
        clock: str = "none",
        rated: bool = True,
    ) -> Match:
        """Start a match that ``who`` opens, with the cards of its challenge and of its last turn.

        It is stored without commands and presses, which take several times as long.
        """
        challenger, accepter = self.player(who or self.alice), self.player(opponent or self.bob)
        challenge = await self.app.challenges.challenge(
            Place(self.guild.id, self.channel.id),
            challenger,
            accepter,
            rules.ruleset(game, size, variant),
            First.CHALLENGER,
            rated=rated,
            control=read_time_control(clock),
        )
        match = await self.app.challenges.accept(challenge.id, accepter, shown_by_caller=True)
        if match.waiting:  # showing it finds another place
            await self.app.match_presenter.show_accepted(match)
        if match.clock is None:
            async with self.app.storage.transaction(shown_by_caller=True) as tx:
                await store_turns(tx, self.app.matches, match.id, turns, self.env.now())
        else:
            await self.play_quietly(match.id, turns)
        await self.app.match_presenter.show_accepted(await self.app.matches.match(match.id))
        await asyncio.gather(*self.app.match_presenter.tasks)
        await self.env.settle()
        return await self.app.matches.match(match.id)

    async def accepted_challenge(
        self, who: MemberActor, opponent: MemberActor, where: ChannelHandle | None = None, **options: Any
    ) -> Match:
        """Start a match with a command and a press."""
        await self.challenge(who, opponent, where=where, **options)
        await self.press(opponent, "Accept", on=self.last_card(where))
        return await self.newest_match()

    def player(self, who: MemberActor) -> Player:
        """A member as the bot knows them after a press."""
        user, member = self.env.backend.users[who.id], self.env.backend.guilds[self.guild.id].members[who.id]
        names = Names(user.global_name or user.name, user.name, self.guild.id, member.nick)
        return Player(who.id, names.nickname or names.account, names)

    async def resign(self, who: MemberActor | Player, match_id: int | None = None) -> None:
        """Let a player resign a match, by default the newest one, and show its last card."""
        match_id = match_id or (await self.newest_match()).id
        await self.app.matches.resign(match_id, who.id, shown_by_caller=True)
        await self.show(match_id)

    async def show(self, match_id: int) -> None:
        """Show a match, and wait until the previous card has lost its buttons."""
        await self.app.match_presenter.show_match(match_id)
        await asyncio.gather(*self.app.match_presenter.tasks)
        await self.env.settle()

    async def play_quietly(self, match_id: int, turns: Iterable[str]) -> Game:
        """Store turns, each by the player to act, without showing anything."""
        game = await self.app.matches.game(match_id)
        for turn in turns:
            assert game.to_act is not None
            draft = game.position.draft(game.position.parse(turn))
            game = (await self.app.matches.play_and_view(game, draft, game.to_act)).game
        return game

    async def move(self, who: MemberActor, turn: str, **options: Any) -> None:
        """Play a turn that the bot takes, and confirm it if it asks. From elsewhere, it answers where the match is."""
        answer = await self.slash(who, "move", turn=turn, **options)
        if not answer.nothing and "Do you mean this?" in answer.private:
            await self.press(who, answer.messages[0].labels[0], on=answer.private_handle)
            return
        assert answer.nothing or " in match #" in answer.private, answer.private

    def member(self, user_id: int) -> MemberActor:
        return MemberActor(self.env, self.guild, UserHandle(self.env, self.env.backend.users[user_id]))

    # What people see

    def seen(self, message: discord.Message | ResponseMessage) -> Seen:
        return seen(self.env, message)

    def messages(self, where: ChannelHandle | None = None) -> list[discord.Message]:
        return [message for message in (where or self.channel).history() if not message.flags.ephemeral]

    def last_message(self, where: ChannelHandle | None = None) -> discord.Message:
        return self.messages(where)[-1]

    def cards(self, where: ChannelHandle | None = None) -> list[Seen]:
        """The bot's public cards in a channel, oldest first."""
        return [seen(self.env, message) for message in self.messages(where) if _is_card(message)]

    def last_card(self, where: ChannelHandle | None = None) -> discord.Message:
        """The message of the last card. Other messages may be below it."""
        return [message for message in self.messages(where) if _is_card(message)][-1]

    def lines(self, where: ChannelHandle | None = None) -> list[Seen]:
        """The bot's messages with a line of text instead of a card, oldest first."""
        return [seen(self.env, each) for each in self.messages(where) if each.components and not _is_card(each)]

    def card(self, where: ChannelHandle | None = None) -> Seen:
        return self.cards(where)[-1]

    def boards(self, where: ChannelHandle | None = None) -> list[Seen]:
        return [card for card in self.cards(where) if card.pictures]

    def everything(self) -> list[int]:
        """The ids of all public cards of the bot, in all channels and threads."""
        messages = [message for held in self.env.backend.messages.values() for message in held.values()]
        return sorted(message.id for message in messages if message.components and not message.is_ephemeral)

    def picture(self, card: Seen, form: str = "PNG") -> Image.Image:
        (address,) = card.pictures
        data = self.env.backend.cdn.get(address)
        assert data is not None
        with Image.open(io.BytesIO(data)) as image:
            assert image.format == form
            image.load()
            return image

    def download(self, file: dict[str, Any]) -> str:
        """The text of a file in a message."""
        data = self.env.backend.cdn.get(file["url"])
        assert data is not None
        return data.decode()

    def direct_messages(self, who: MemberActor) -> list[Seen]:
        """The bot's direct messages to a person."""
        if who.id not in self.env.backend.dm_channels:
            return []
        return [seen(self.env, message) for message in self.messages(who.user.dm_channel)]

    async def until_shown(self, match_id: int | None = None) -> None:
        """Wait until Discord shows a match, by default the newest one, as it is stored."""
        async with asyncio.timeout(30):
            while (await self.delivery(match_id)).outdated:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        await self.env.settle()

    def threads(self) -> list[ChannelHandle]:
        return self.channel.threads

    def requests(self, method: str, pattern: str, since: int = 0) -> list[HttpLogEntry]:
        """The bot's requests to Discord."""
        return [
            request
            for request in self.env.http_requests[since:]
            if request.method == method and re.fullmatch(pattern, request.path)
        ]

    def posts(self, since: int = 0) -> list[HttpLogEntry]:
        """The bot's public messages, including follow-ups of interactions."""
        sent = self.requests("POST", r"/channels/\d+/messages|/webhooks/\d+/\w+", since)
        return [each for each in sent if each.json is not None and not (each.json.get("flags") or 0) & _PRIVATE]

    def payloads(self, since: int = 0) -> list[dict[str, Any]]:
        """The contents of :meth:`posts`."""
        return [post.json for post in self.posts(since) if post.json is not None]

    # What is stored

    async def newest_challenge(self) -> Challenge:
        return await self.app.challenges.get(await newest_id(self.app.storage, challenges))

    async def newest_match(self) -> Match:
        return await self.app.matches.match(await newest_id(self.app.storage, matches))

    async def to_act(self, match_id: int = 1) -> MemberActor:
        """The player to act in a match."""
        player = (await self.app.matches.game(match_id)).to_act
        assert player is not None
        return self.member(player.id)

    async def line(self, who: MemberActor, match_id: int = 1) -> Line:
        """The turns that a person tries in a match."""
        line = await self.app.lines.get(match_id, who.id)
        assert line is not None
        return line

    async def delivery(self, match_id: int | None = None) -> MatchDelivery:
        """Where a match is played, by default the newest one."""
        return await stored_delivery(self.app.storage, match_id or (await self.newest_match()).id)

    async def turns(self, match_id: int = 1) -> tuple[str, ...]:
        return await stored_turns(self.app.storage, match_id)

    # What the bot may do

    def refuse(self, method: str, *, status: int = 500, times: int = 1) -> None:
        """Let Discord fail to post (POST), edit (PATCH) or delete (DELETE) boards, in whatever way the bot tries."""
        rest = "" if method == "POST" else "/[0-9]*"
        self.env.inject_error(method, f"/channels/*/messages{rest}", status=status, times=times)
        # A card can be edited through the press on it, and through the interaction that sent it.
        both = ("/messages/[0-9]*", "/messages/@original")
        followed = {"POST": ("",), "PATCH": both, "DELETE": both[:1]}[method]
        for each in followed:
            self.env.inject_error(method, f"/webhooks/*{each}", status=status, times=times)

    def accept_again(self) -> None:
        """Let Discord stop refusing."""
        self.env.backend.faults[:] = [each for each in self.env.backend.faults if "thread" in each]

    def forbid(self, *permissions: str, where: ChannelHandle | None = None) -> None:
        """Take permissions from the bot in a channel."""
        self._overwrite(where or self.channel, self.env.backend.bot_user.id, permissions)

    def hide_from(self, who: MemberActor, where: ChannelHandle | None = None) -> None:
        self._overwrite(where or self.channel, who.id, ("view_channel",))

    def allow(self, who: MemberActor, *permissions: str, where: ChannelHandle) -> None:
        """Give a person permissions in one channel."""
        allow = discord.Permissions(**dict.fromkeys(permissions, True)).value
        overwrite = Overwrite(target_id=who.id, type=OverwriteType.MEMBER, allow=allow, deny=0)
        self.env.backend.set_overwrite(where.id, overwrite)

    def allow_all(self, where: ChannelHandle | None = None) -> None:
        self.env.backend.edit_channel((where or self.channel).id, {}, overwrites=[])

    def _overwrite(self, where: ChannelHandle, user_id: int, denied: Sequence[str]) -> None:
        deny = discord.Permissions(**dict.fromkeys(denied, True)).value
        overwrite = Overwrite(target_id=user_id, type=OverwriteType.MEMBER, allow=0, deny=deny)
        self.env.backend.set_overwrite(where.id, overwrite)
