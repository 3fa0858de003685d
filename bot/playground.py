"""``python -m bot.playground``: the whole bot on a simulated Discord, in the browser, without a token.

SimCord replaces Discord: a server with one channel, and Alice, Bob and Carol, who share a page. The page shows no other
channel and no threads, so every further match has a channel and a page of its own. Other pages show a second server,
where Dora is, and everybody's conversation with the bot. Games are kept between runs, but messages are not, so the bot
posts open and running matches again.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import socket
import sqlite3
import struct
import sys
import traceback
import zlib
from collections.abc import Mapping
from contextlib import AsyncExitStack, closing, suppress
from contextvars import Context, ContextVar
from datetime import UTC, datetime
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any, ClassVar

import discord
import simcord
from discord.webhook.async_ import async_context
from simcord import ChannelHandle, MemberActor, UserHandle
from simcord.backend.errors import SetupError
from simcord.components import walk_components
from simcord.preview import Preview, _action_plans, _component_projection, _messages
from simcord.preview._media import MediaInfo, MediaWorker
from simcord.preview._server import PreviewServer

from bot.app import Application
from bot.config import Config
from bot.discord.gateway.lifecycle import warm_up_pictures
from bot.discord.posting.channels import Channels
from bot.domain.deliveries import MatchDelivery
from bot.domain.matches import Match
from bot.runtime import log
from bot.runtime.timers import Scheduler
from bot.services.people.doors import Doors
from bot.storage import Database, UnusableDatabaseError, address_of
from bot.texts import gettext, gettext_noop

_MEMBERS = ("Alice", "Bob", "Carol")
_WELCOME = gettext_noop(
    "Welcome! Press *Start a game* and play the computer, or challenge a friend, switch to them with “Viewing "
    "as” and accept the challenge."
)
_PAGES = gettext_noop(
    "To meet somebody from [{server}]({address}), another server, press *Play anyone* here and there. "
    "Conversations with the bot: {links}"
)
_OWN_CHANNEL = gettext_noop("The next match is played in a channel of its own: [open #{channel}]({address})")
_TICK = 5.0
#: Seconds that SimCord waits for an action to settle. On a slow machine, the review of a match takes minutes.
_PATIENCE = 600.0
#: The first bytes of a picture that is not animated, and the offset of its size.
_PNG, _PNG_SIZE_AT = b"\x89PNG", 16
_GUIDE = """
The playground is open: {address}

Type / in the message box to see the commands; suggestions come once you type a letter.
Switch between Alice, Bob and Carol with the viewer. A second window may need Refresh.
A further match is played in a channel of its own, to which a link leads. Links at the top lead to each
conversation with the bot. Dora is on a second server, where *Play anyone* in /play finds her opponents
from the first one: {elsewhere}
Times such as “5 minutes ago” are those of the last action, and the page rounds seven days to “next
week”.
To tap the board of a match in a page of its own, press Tap the board and the link. Alice's page is at
alice.localhost and Bob's at bob.localhost, so one browser shows both boards side by side.
Games are kept in {file}; the address is new in every run. Ctrl-C stops."""
_SHOW_AGAIN = """
    UPDATE match_deliveries SET requests = requests + 1
        WHERE match_id IN (SELECT id FROM matches WHERE ended_at IS NULL);
    UPDATE challenges SET shown_version = NULL, card_channel_id = NULL, card_message_id = NULL WHERE state = 'open';
    UPDATE proposals SET shown_version = NULL, card_channel_id = NULL, card_message_id = NULL WHERE state = 'open';
    UPDATE tournaments SET card_channel_id = NULL, card_message_id = NULL WHERE state IN ('open', 'running');
    UPDATE ladders SET card_channel_id = NULL, card_message_id = NULL;
    INSERT OR REPLACE INTO timers (kind, subject_id, due_at)
        SELECT 'ladder', ladder_id, min(active_at) FROM rungs GROUP BY ladder_id;
    INSERT OR REPLACE INTO timers (kind, subject_id, due_at)
        SELECT 'tournament', id, created_at FROM tournaments WHERE state IN ('open', 'running');
"""
#: The room whose page sent the current request, or is drawn; None for SimCord's own page.
_shown: ContextVar[Room | None] = ContextVar("shown", default=None)


async def serve(file: Path, port: int | None) -> None:
    """Serve the playground, with its games in ``file``, until it is cancelled or its page ends the session."""
    log.log_lost_failures(asyncio.get_running_loop())
    web_port = _free_port() if port is None else port + 1
    config = Config.load(database_url=address_of(file), web_url=f"http://127.0.0.1:{web_port}", web_port=web_port)
    database = Database(config.database_url)
    try:
        await database.migrate()
    finally:
        await database.close()
    show_again(file)
    app = Application(config, channels=OwnChannels, doors=OwnDoors)
    client = app.client
    env = simcord.Env(client, settle_timeout=_PATIENCE)
    # Users and channels come first: games refer to their ids, which must be the same in every run.
    guild = env.create_guild("Southgrove")
    channel = guild.create_text_channel("games")
    members = [guild.add_member(env.create_user(name.lower(), global_name=name)) for name in _MEMBERS]
    manager = guild.create_role("Managers", permissions=discord.Permissions(manage_guild=True))
    env.backend.add_member_role(guild.id, members[0].id, manager.id)  # Alice may set up the server
    other = env.create_guild("Northgrove")
    elsewhere = other.create_text_channel("games")
    dora = other.add_member(env.create_user("dora", global_name="Dora"))
    servers = {guild.id: (guild, channel, members), other.id: (other, elsewhere, [dora])}
    conversations = {member.user: member.user.dm_channel for member in (*members, dora)}
    env.backend.advance_clock((datetime.now(UTC) - env.now()).total_seconds())
    for server, *_ in servers.values():
        opener = server.create_role("Hexgrove", permissions=discord.Permissions(manage_channels=True))
        env.backend.add_member_role(server.id, env.backend.bot_user.id, opener.id)
    env.backend.bot_user.name = "Hexgrove"
    hidden = hide_schedule(app.timers)
    trust_pictures()
    show_values_in_use()
    let_rooms_show_their_channels()
    give_viewers_hosts()
    await warm_up_pictures(partial(asyncio.sleep, 0))  # SimCord does not wait long for the start
    await env.start()
    hidden.run(async_context.set, async_context.get())  # through which pressed cards are edited
    # SimCord reports every failed command as a bug of the bot, but refusals are no bugs.
    vars(client.tree).pop("on_error", None)
    try:
        async with (
            app.serving(config.web_host, config.web_port),
            env.preview(channel, viewers=members, layout="channel", port=port) as preview,
            AsyncExitStack() as rooms,
        ):

            async def open_room(shown: ChannelHandle, *viewers: MemberActor | UserHandle) -> None:
                room = Room(preview, shown, viewers)
                # In the context of the bot's events, SimCord forbids actions of users.
                await Context().run(asyncio.get_running_loop().create_task, room.start())
                rooms.push_async_callback(room.close)
                OwnDoors.rooms[shown.id] = room.address

            @client.event
            async def on_guild_channel_create(opened: discord.abc.GuildChannel) -> None:
                server, home, people = servers[opened.guild.id]
                await open_room(ChannelHandle(env, server, env.backend.get_channel(opened.id)), *people)
                text = gettext(_OWN_CHANNEL).format(channel=opened.name, address=OwnDoors.rooms[opened.id])
                await client.get_partial_messageable(home.id).send(text)

            OwnDoors.rooms[channel.id] = preview.url
            await open_room(elsewhere, dora)
            for user, conversation in conversations.items():
                await open_room(conversation, user)
            for (server, home, people), (next_server, there, _) in permutations(servers.values()):
                is_empty = not env.backend.messages[home.id]  # nothing is open or running
                chats = [(who.user.global_name, OwnDoors.rooms[conversations[who.user].id]) for who in people]
                links = ", ".join(f"[{name}]({address})" for name, address in chats)
                pages = gettext(_PAGES).format(server=next_server.name, address=OwnDoors.rooms[there.id], links=links)
                welcome = [gettext(_WELCOME)] if is_empty and home is channel else []
                await client.get_partial_messageable(home.id).send("\n".join([*welcome, pages]))
                if is_empty:
                    await app.welcome.post(home.id, server.id)
            for opened in client.get_all_channels():  # at the bot's start, for matches of earlier runs
                if opened.id not in OwnDoors.rooms:
                    await on_guild_channel_create(opened)
            print(_GUIDE.format(address=preview.url, elsewhere=OwnDoors.rooms[elsewhere.id], file=file), flush=True)
            outdated = asyncio.Event()
            env.backend.subscribers.append(lambda name, _: outdated.set() if name.startswith("MESSAGE_") else None)
            upkeep = _keep_time(env, preview), _keep_fresh(preview, outdated)
            tasks = [asyncio.create_task(loop) for loop in upkeep]
            try:
                await preview.wait_closed()
            finally:
                for task in tasks:
                    task.cancel()
    finally:
        await env.shutdown()
        await client.close()
        print("The playground is closed.")


class OwnChannels(Channels):
    """Gives further matches channels of their own instead of threads, which SimCord's page does not show."""

    async def open_place(self, match: Match, delivery: MatchDelivery) -> int | None:
        """Open a channel for a single match."""
        guild_id = delivery.home.guild_id
        guild = None if guild_id is None else self.client.get_guild(guild_id)
        return None if guild is None else (await guild.create_text_channel(f"match-{match.id}")).id


class OwnDoors(Doors):
    """Leads from the page of a match to the page of its channel; ``rooms`` has their addresses by channel."""

    rooms: ClassVar[dict[int, str]] = {}

    def card_url(self, delivery: MatchDelivery) -> str | None:
        return None if delivery.channel_id is None else self.rooms.get(delivery.channel_id)


class Room(PreviewServer):
    """The page of another channel, because SimCord's own page shows only the channel with which it was opened."""

    of_channels: ClassVar[dict[int, Room]] = {}

    def __init__(self, preview: Preview, channel: ChannelHandle, viewers: tuple[MemberActor | UserHandle, ...]) -> None:
        super().__init__(preview)
        self.channel, self.viewers = channel, viewers
        self.of_channels[channel.id] = self

    @property
    def address(self) -> str:
        """The address of the page. SimCord accepts requests only from there and from its own page."""
        return f"http://localhost:{self.port}/#{self.preview.capability}"

    def _authorized(self, request: Any, *, context: str | None = None) -> bool:
        _shown.set(self)  # every request passes here first
        return super()._authorized(request, context=context)


def let_rooms_show_their_channels() -> None:
    """Make every request act on the channel of the room that sent it, as one of its viewers.

    An action in one room draws the pages of all rooms again, each with its own viewers.
    """

    def of_room(name: str) -> property:
        return property(
            lambda self: vars(_shown.get() or self)[name], lambda self, usual: vars(self).update({name: usual})
        )

    publish = vars(Preview)["_publish"]

    def publish_in_room(self: Preview, page: Any, **options: Any) -> None:
        sender = _shown.set(Room.of_channels.get(page.channel_id))
        try:
            publish(self, page, **options)
        finally:
            _shown.reset(sender)

    for name, replacement in (
        ("channel", of_room("channel")),
        ("viewers", of_room("viewers")),
        ("_publish", publish_in_room),
    ):
        setattr(Preview, name, replacement)


def give_viewers_hosts() -> None:
    """Make links to matches lead each viewer to a host of their own, such as ``alice.localhost``.

    One browser then keeps a session for each person, so it can show their boards side by side. Browsers resolve all
    these names to this machine.
    """
    project = vars(_messages)["_decorate_components"]

    def components(preview: Preview, page: Any, *parts: Any) -> Any:
        found = project(preview, page, *parts)
        for part in walk_components(found):
            if "url" in part:
                part["url"] = part["url"].replace("//127.0.0.1:", f"//{page.viewer.name}.localhost:", 1)
        return found

    vars(_messages)["_decorate_components"] = components


def _free_port() -> int:
    with closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def hide_schedule(timers: Scheduler) -> Context:
    """Hide scheduled runs from SimCord, which would make users wait for them; return their context."""
    timers.context = Context()
    return timers.context


async def _keep_fresh(preview: Preview, outdated: asyncio.Event) -> None:
    """Refresh the page after messages without a user's action, such as turns of the computer."""
    while True:
        await outdated.wait()
        outdated.clear()
        try:
            await preview.refresh()
        except SetupError:
            pass  # a user's action is running; the page shows everything after it
        except Exception:
            traceback.print_exc()  # the next message refreshes the page again


def trust_pictures() -> None:
    """Make SimCord show the bot's pictures as they are, and check every animation only once.

    Otherwise it would start a process for every picture and viewer, to check and compress the picture again: boards
    would come late, and switching the viewer of a long channel would take seconds.
    """
    checked: dict[tuple[bytes, float | None], MediaInfo] = {}
    check = MediaWorker.validate

    async def check_once(self: MediaWorker, key: str, blob: bytes, *, media_time: float | None = None) -> MediaInfo:
        if blob.startswith(_PNG):
            width, height = struct.unpack_from(">II", blob, _PNG_SIZE_AT)
            return MediaInfo("PNG", width, height, 1, 4 * width * height, blob, "image/png", capture=blob, poster=blob)
        animation = blob, media_time
        if animation not in checked:
            checked[animation] = await check(self, key, blob, media_time=media_time)
        return checked[animation]

    MediaWorker.validate = check_once  # type: ignore[method-assign]


def show_values_in_use() -> None:
    """Make SimCord's page show the values that the bot gives to the menus of a message, as Discord does.

    After an edit, it would keep the values that it showed before. So menus with new values become new controls.
    """
    drawn, pressed = vars(_component_projection)["_control_key"], vars(_action_plans)["_component_key"]

    def key(found: str | None, component: Mapping[str, Any]) -> str | None:
        options = [(option["value"], option.get("default")) for option in component.get("options", ())]
        values = [*options, *(value["id"] for value in component.get("default_values", ()))]
        is_menu = found is not None and found.startswith("message:") and "custom_id" in component and values
        return f"{found}:{zlib.crc32(repr(values).encode())}" if is_menu else found

    vars(_component_projection)["_control_key"] = lambda scope, part, path: key(drawn(scope, part, path), part)
    vars(_action_plans)["_component_key"] = lambda part, path, message: key(pressed(part, path, message), part)


async def _keep_time(env: simcord.Env, preview: Preview) -> None:
    """Keep the clock of the simulated Discord, and so the times on the page, in step with real time."""
    while True:
        await asyncio.sleep(_TICK)
        env.backend.advance_clock((datetime.now(UTC) - env.now()).total_seconds())
        preview.capture_time = env.now()


def show_again(file: Path) -> None:
    """Make the bot post all open or running things in the database again, because their messages are gone."""
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(_SHOW_AGAIN)


async def _until_stopped(file: Path, port: int | None) -> None:
    running = asyncio.create_task(serve(file, port))
    for stop in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(stop, running.cancel)
    with suppress(asyncio.CancelledError):
        await running


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bot.playground", description="Try the bot in the browser.")
    parser.add_argument("--data", type=Path, default=Path("data"), help="the folder of the games (default: data)")
    parser.add_argument("--fresh", action="store_true", help="delete the games of earlier runs")
    parser.add_argument("--port", type=int, help="the page's port; boards have the next (default: any free ones)")
    options = parser.parse_args()
    log.configure(Config.load(log_level="WARNING"))
    file = options.data / "playground.db"
    try:
        if options.fresh:
            for suffix in ("", "-wal", "-shm"):
                file.with_name(file.name + suffix).unlink(missing_ok=True)
        asyncio.run(_until_stopped(file, options.port))
    except (OSError, SetupError, UnusableDatabaseError) as error:
        print(f"The playground could not be opened: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
