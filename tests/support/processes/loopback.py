"""A Discord on 127.0.0.1 that lets the bot log in and register commands, lets people play, and breaks connections.

The bot reaches it by plain HTTP: :func:`point_to` sets discord.py's two addresses and changes nothing else.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable, Collection
from typing import Any, Self

import discord
import yarl
from aiohttp import WSMsgType, web

APPLICATION = 1000
GUILD = 2000
CHANNEL = 3000
ALICE, BOB = 4001, 4002
TOKEN = "a-token"
_EVERYTHING = str(discord.Permissions.all().value)

#: The type of the command that opens an app's Activity. Discord creates it.
ENTRY_POINT = 4
_COMMAND = 2
_CHOICES = 8
_PRIVATE = 64
_SESSION = "session-"
_TOKEN = "token-"


def point_to(port: int) -> None:
    """Make discord.py in this process use the server on that port."""
    discord.http.Route.BASE = f"http://127.0.0.1:{port}/api/v10"
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(f"ws://127.0.0.1:{port}/gateway")


def user(identity: int) -> dict[str, Any]:
    name = {ALICE: "alice", BOB: "bob"}.get(identity, "hexgrove")
    return {"id": str(identity), "username": name, "discriminator": "0", "avatar": None, "bot": identity == APPLICATION}


def member(identity: int) -> dict[str, Any]:
    return {
        "user": user(identity),
        "roles": [],
        "joined_at": "2026-01-01T00:00:00+00:00",
        "deaf": False,
        "mute": False,
        "flags": 0,
        "permissions": _EVERYTHING,
    }


def channel_of(guild: int) -> int:
    """The only channel of a server."""
    return guild + CHANNEL - GUILD


def guild_on(shard: int) -> int:
    """A server of the shard, if there are more shards than its number."""
    return (shard << 22) + GUILD


class Loopback:
    """The server, and a record of its gateway sessions, command registrations and messages.

    It recommends this number of ``shards``, and sends each connected shard the events of its ``guilds``.
    """

    def __init__(self, shards: int = 1, *, guilds: Collection[int] = (GUILD,)) -> None:
        self.shards = shards
        self.guilds = guilds
        #: How many shards may identify at once.
        self.at_once = 16
        #: The shards that have identified, in order.
        self.identifies: list[int] = []
        self.resumed = 0
        self.registrations = 0
        self.commands: list[dict[str, Any]] = []
        self.messages: dict[int, dict[str, Any]] = {}
        self.answers: list[dict[str, Any]] = []
        #: Called for every new channel message, before and after it is created.
        self.before_message: Callable[[], None] = lambda: None
        self.after_message: Callable[[], None] = lambda: None
        #: Requests, such as "PATCH webhooks", whose connection breaks once, and whether they take effect first.
        self.broken: dict[str, bool] = {}
        #: Requests that take effect but are answered once with this server error, in the same form.
        self.failing: dict[str, int] = {}
        #: Whether logins and gateway connections are refused.
        self.login_refused = False
        self.gateway_refused = False
        self.refusals = 0
        self.suggestions: list[list[Any]] = []
        self.changed = asyncio.Event()
        self.port = 0
        self._ids = itertools.count(10_000)
        #: Ids with the current time, because an interaction can be answered for 15 minutes only.
        self._interactions = itertools.count(discord.utils.time_snowflake(discord.utils.utcnow()))
        self._sockets: list[tuple[int, web.WebSocketResponse]] = []
        self._sequence = 0
        self._acknowledged: set[str] = set()
        #: The channels of interactions by token, and the messages on which something was pressed.
        self._channels: dict[str, str] = {}
        self._pressed: dict[str, int] = {}
        #: The tokens of commands that still await their private answer.
        self._unanswered: set[str] = set()
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> Self:
        application = web.Application()
        application.router.add_get("/gateway", self._gateway)
        application.router.add_get("/gateway/", self._gateway)
        application.router.add_route("*", "/api/v10/{path:.*}", self._request)
        self._runner = web.AppRunner(application, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.drop()
        assert self._runner is not None
        await self._runner.cleanup()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until the bot makes a condition true."""
        async with asyncio.timeout(180):
            while not condition():
                self.changed.clear()
                await self.changed.wait()

    @property
    def identified(self) -> int:
        return len(self.identifies)

    @property
    def connected(self) -> list[int]:
        """The connected shards, one entry for each connection."""
        return sorted(shard for shard, socket in self._sockets if not socket.closed)

    async def drop(self, *shards: int) -> None:
        """Break the gateway connections of some or all shards, in a way that lets clients resume."""
        for shard, socket in self._sockets:
            if not shards or shard in shards:
                await socket.close(code=4000)
        self._sockets = [connection for connection in self._sockets if not connection[1].closed]

    async def slash(self, who: int, name: str, *, guild: int = GUILD, **options: object) -> None:
        """Use a command as a person. Options are strings, or users by their ids."""
        kinds = {str: 3, int: 4}
        given: list[dict[str, Any]] = [
            {"name": key, "type": kinds[type(value)], "value": value} for key, value in options.items()
        ]
        resolved: dict[str, Any] = {}
        for option in given:
            if option["name"] == "opponent":
                identity = option["value"]
                option |= {"type": 6, "value": str(identity)}
                resolved = {
                    "users": {str(identity): user(identity)},
                    "members": {str(identity): {k: v for k, v in member(identity).items() if k != "user"}},
                }
        command = next(command for command in self.commands if command["name"] == name)
        data = {"id": command["id"], "name": name, "type": 1, "options": given, "resolved": resolved}
        await self._interact(who, _COMMAND, {"data": data}, guild)

    async def suggest(self, who: int, name: str, option: str, typed: str) -> None:
        """Type into a command's option as a person. The bot may offer choices."""
        command = next(command for command in self.commands if command["name"] == name)
        focused = {"name": option, "type": 3, "value": typed, "focused": True}
        await self._interact(who, 4, {"data": {"id": command["id"], "name": name, "type": 1, "options": [focused]}})

    async def press(self, who: int, message: dict[str, Any], label: str) -> None:
        """Press a button of a message as a person."""
        button = next(button for button in buttons(message["components"]) if button["label"] == label)
        await self._press(who, button["custom_id"], message)

    async def press_id(self, who: int, custom_id: str, guild: int) -> None:
        """Press a button of a private message as a person, in any server."""
        await self._press(who, custom_id, self._message({"flags": _PRIVATE}, str(channel_of(guild))))

    async def _press(self, who: int, custom_id: str, message: dict[str, Any]) -> None:
        data = {"custom_id": custom_id, "component_type": 2}
        guild = int(message["channel_id"]) - channel_of(0)
        await self._interact(who, 3, {"data": data, "message": message}, guild)

    async def _interact(self, who: int, kind: int, values: dict[str, Any], guild: int = GUILD) -> None:
        identity = next(self._interactions)
        token = f"{_TOKEN}{identity}"
        self._channels[token] = str(channel_of(guild))
        if kind == _COMMAND:
            self._unanswered.add(token)
        if "message" in values:
            self._pressed[token] = int(values["message"]["id"])
        interaction = {
            "id": str(identity),
            "application_id": str(APPLICATION),
            "type": kind,
            "token": token,
            "version": 1,
            "guild_id": str(guild),
            "guild": {"id": str(guild), "locale": "en-US", "features": []},
            "channel_id": str(channel_of(guild)),
            "channel": _channel(guild) | {"permissions": _EVERYTHING},
            "member": member(who),
            "app_permissions": _EVERYTHING,
            "locale": "en-US",
            "guild_locale": "en-US",
            "entitlements": [],
            "authorizing_integration_owners": {"0": str(guild)},
            "context": 0,
            "attachment_size_limit": 10_000_000,
            **values,
        }
        await self._dispatch("INTERACTION_CREATE", interaction, self._shard_of(guild))

    # The gateway

    async def _gateway(self, request: web.Request) -> web.WebSocketResponse:
        if self.gateway_refused:
            self.refusals += 1
            self.changed.set()
            raise web.HTTPServiceUnavailable
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_str(json.dumps({"op": 10, "d": {"heartbeat_interval": 40_000}, "s": None, "t": None}))
        async for frame in socket:
            if frame.type is not WSMsgType.TEXT:
                continue
            payload = json.loads(frame.data)
            if payload["op"] == 1:
                await socket.send_str(json.dumps({"op": 11, "d": None, "s": None, "t": None}))
            elif payload["op"] == 2:
                shard, shards = payload["d"].get("shard", (0, 1))
                assert shards == self.shards
                self._sockets.append((shard, socket))
                self.identifies.append(shard)
                await self._welcome(shard, socket)
            elif payload["op"] == 6:
                shard = int(payload["d"]["session_id"].removeprefix(_SESSION))
                self._sockets.append((shard, socket))
                self.resumed += 1
                await self._send(socket, "RESUMED", {})
            self.changed.set()
        self.changed.set()
        return socket

    async def _welcome(self, shard: int, socket: web.WebSocketResponse) -> None:
        guilds = [guild for guild in self.guilds if self._shard_of(guild) == shard]
        ready = {
            "v": 10,
            "user": user(APPLICATION),
            "guilds": [{"id": str(guild), "unavailable": True} for guild in guilds],
            "session_id": f"{_SESSION}{shard}",
            "resume_gateway_url": f"ws://127.0.0.1:{self.port}/gateway",
            "shard": [shard, self.shards],
            "application": {"id": str(APPLICATION), "flags": 0},
        }
        await self._send(socket, "READY", ready)
        for guild in guilds:
            created = {
                "id": str(guild),
                "name": "Club",
                "owner_id": str(ALICE),
                "roles": [{"id": str(guild), "name": "@everyone", "permissions": _EVERYTHING, "position": 0}],
                "channels": [_channel(guild)],
                "members": [member(APPLICATION)],
                "member_count": 3,
                "threads": [],
                "emojis": [],
                "features": [],
            }
            await self._send(socket, "GUILD_CREATE", created)

    def _shard_of(self, guild: int) -> int:
        return (guild >> 22) % self.shards

    async def _dispatch(self, event: str, data: dict[str, Any], shard: int) -> None:
        for connected, socket in self._sockets:
            if connected == shard and not socket.closed:
                await self._send(socket, event, data)

    async def _send(self, socket: web.WebSocketResponse, event: str, data: dict[str, Any]) -> None:
        self._sequence += 1
        await socket.send_str(json.dumps({"op": 0, "t": event, "s": self._sequence, "d": data}))

    # The API

    async def _request(self, request: web.Request) -> web.Response:
        path = request.match_info["path"].split("/")
        if self.login_refused:
            return _json({"code": 0, "message": "401: Unauthorized"}, 401)
        takes_effect = self.broken.pop(f"{request.method} {path[0]}", None)
        answer = await self._answer(request.method, path, request) if takes_effect is not False else None
        self.changed.set()
        if takes_effect is not None:
            assert request.transport is not None
            request.transport.close()
        if status := self.failing.pop(f"{request.method} {path[0]}", None):
            return _json({}, status)
        if answer is None:
            return web.Response(status=204)
        if isinstance(answer, web.Response):
            return answer
        return _json(answer)

    async def _answer(self, method: str, path: list[str], request: web.Request) -> Any:
        match [method, *path]:
            case ["GET", "users" | "oauth2" | "gateway", *_]:
                return self._answer_login(path)
            case ["GET" | "PUT", "applications", _, "commands"]:
                return self.commands if method == "GET" else self._register(await request.json())
            case ["POST", "interactions", identity, _, "callback"]:
                if identity in self._acknowledged:
                    return _json({"code": 40060, "message": "Interaction has already been acknowledged."}, 400)
                self._acknowledged.add(identity)
                self.suggestions += _suggested(await _body(request))
                return {"interaction": {"id": identity, "type": 2, "response_message_loading": True}}
            case ["POST", "channels", channel, "messages"]:
                self.before_message()
                message = self._message(await _body(request), channel)
                sent = [other for other in self.messages.values() if other["nonce"] == message["nonce"]]
                if sent:
                    return sent[0]
                return await self._post(message)
            case ["GET", "channels", channel, "messages"]:
                there = [message for message in self.messages.values() if message["channel_id"] == channel]
                return there[: -1 - int(request.query["limit"]) : -1]
            case ["PATCH", "channels", _, "messages", identity]:
                self.messages[int(identity)] |= await _body(request)
                return self.messages[int(identity)]
            case ["DELETE", "webhooks", *_, token, "messages", identity]:
                self._unanswered.discard(token)
                if identity.isdecimal():
                    self.messages.pop(int(identity), None)
                return None
            case ["PATCH" | "POST", "webhooks", _, token, *rest]:
                return await self._answer_interaction(method, token, rest, await _body(request))
        raise web.HTTPNotFound

    async def _answer_interaction(
        self, method: str, token: str, rest: list[str], body: dict[str, Any]
    ) -> dict[str, Any]:
        """Answer an interaction: post or edit a message, or record it as private."""
        edited = self._pressed.get(token) if rest[1:] == ["@original"] else int("".join(rest[1:]) or 0)
        if edited in self.messages:
            self.messages[edited] |= body
            return self.messages[edited]
        private = token in self._unanswered or method == "PATCH" or bool((body.get("flags") or 0) & _PRIVATE)
        self._unanswered.discard(token)
        if not private:
            self.before_message()
            origin = {"id": token.removeprefix(_TOKEN), "type": 2, "user": user(ALICE)}
            origin["authorizing_integration_owners"] = {}
            return await self._post(self._message(body, self._channels[token]) | {"interaction_metadata": origin})
        if not (body.get("content") or "").startswith("⏳"):  # on a slow machine, this precedes the answer
            self.answers.append(body)
        return self._message(body)

    async def _post(self, message: dict[str, Any]) -> dict[str, Any]:
        self.messages[int(message["id"])] = message
        self.after_message()
        guild = int(message["channel_id"]) - channel_of(0)
        await self._dispatch("MESSAGE_CREATE", message | {"guild_id": str(guild)}, self._shard_of(guild))
        return message

    def _register(self, sent: list[dict[str, Any]]) -> Any:
        """Replace the commands. An existing Entry Point command must be included unchanged."""
        named = [(command["type"], command["name"], command.get("handler")) for command in sent]
        if any(
            known["type"] == ENTRY_POINT and (ENTRY_POINT, known["name"], known["handler"]) not in named
            for known in self.commands
        ):
            message = "You cannot remove this app's Entry Point command in a bulk update operation."
            return _json({"code": 50240, "message": message}, 400)
        assert not any("application_id" in command or "version" in command for command in sent), "Discord sets these"
        self.registrations += 1
        made = {"application_id": str(APPLICATION), "version": "1"}
        self.commands = [{"description": "", "id": str(next(self._ids)), **command, **made} for command in sent]
        return self.commands

    def _answer_login(self, path: list[str]) -> dict[str, Any]:
        if path == ["users", "@me"]:
            return user(APPLICATION)
        if path == ["gateway", "bot"]:
            limit = {"total": 1000, "remaining": 999, "reset_after": 0, "max_concurrency": self.at_once}
            return {
                "url": f"ws://127.0.0.1:{self.port}/gateway",
                "shards": self.shards,
                "session_start_limit": limit,
            }
        assert path == ["oauth2", "applications", "@me"]
        return _application()

    def _message(self, body: dict[str, Any], channel: str = str(CHANNEL)) -> dict[str, Any]:
        return {
            "id": str(next(self._ids)),
            "channel_id": channel,
            "author": user(APPLICATION),
            "content": body.get("content") or "",
            "components": body.get("components") or [],
            "nonce": body.get("nonce"),
            "flags": body.get("flags") or 0,
            "timestamp": "2026-01-01T00:00:00+00:00",
            "edited_timestamp": None,
            "tts": False,
            "mention_everyone": False,
            "mentions": [],
            "mention_roles": [],
            "attachments": [],
            "embeds": [],
            "pinned": False,
            "type": 0,
        }


def texts(message: dict[str, Any]) -> str:
    """All texts of a message's components."""
    return "\n".join(component["content"] for component in _walk(message["components"]) if component["type"] == 10)


def buttons(components: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All buttons in a message's components."""
    return [component for component in _walk(components) if component["type"] == 2]


def _walk(components: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [component for outer in components for component in (outer, *_walk(outer.get("components", [])))]


def _suggested(answer: dict[str, Any]) -> list[list[Any]]:
    """The choices in an answer, in a list; an empty list for answers of other types."""
    return [answer["data"]["choices"]] if answer["type"] == _CHOICES else []


def _application() -> dict[str, Any]:
    return {
        "id": str(APPLICATION),
        "name": "Hexgrove",
        "description": "",
        "icon": None,
        "bot_public": True,
        "bot_require_code_grant": False,
        "owner": user(ALICE),
        "verify_key": "",
        "flags": 0,
    }


def _channel(guild: int) -> dict[str, Any]:
    return {
        "id": str(channel_of(guild)),
        "guild_id": str(guild),
        "name": "games",
        "type": 0,
        "position": 0,
        "permission_overwrites": [],
        "nsfw": False,
        "parent_id": None,
    }


def _json(value: object, status: int = 200) -> web.Response:
    # discord.py parses a body as JSON only if it has exactly this content type.
    return web.Response(body=json.dumps(value).encode(), status=status, headers={"Content-Type": "application/json"})


async def _body(request: web.Request) -> dict[str, Any]:
    if request.content_type == "multipart/form-data":
        form = await request.post()
        body: dict[str, Any] = json.loads(str(form["payload_json"]))
    else:
        body = await request.json()
    if "attachments" in body:
        body["attachments"] = []  # the files are not kept
    return body


async def challenge_and_accept(server: Loopback, guild: int = GUILD) -> dict[str, Any]:
    """Start a match that Alice opens, and return its first board."""
    await server.slash(ALICE, "challenge", guild=guild, game="dalen", opponent=BOB, size=5, first="challenger")
    await server.until(lambda: len(server.messages) == 1)
    offer = newest(server)
    await server.press(BOB, offer, "Accept")
    await server.until(lambda: len(server.messages) == 2 and "Match #1 is played" in texts(offer))
    return newest(server)


def newest(server: Loopback) -> dict[str, Any]:
    return server.messages[max(server.messages)]
