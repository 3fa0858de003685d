"""The contract with programs: checks answers against the OpenAPI document."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Any

from bot.web.api.routes import document

_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}
#: The keywords that :meth:`Contract.check` enforces, and keywords that only explain.
_CHECKED = {"$ref", "anyOf", "type", "const", "enum", "format", "required", "properties", "additionalProperties"}
_CHECKED |= {"items", "minItems", "maxItems", "minimum", "maximum", "maxLength"}
_EXPLAINS = {"description", "examples"}


class Contract:
    """The published document. It checks answers and records which responses it has seen."""

    def __init__(self) -> None:
        self.document: dict[str, Any] = json.loads(document())
        self.checked: set[tuple[str, str]] = set()

    @property
    def operations(self) -> dict[str, dict[str, Any]]:
        """The operations, by name."""
        return {
            operation["operationId"]: operation
            for path in self.document["paths"].values()
            for method, operation in path.items()
            if method in ("get", "post")
        }

    def operation(self, method: str, path: str) -> dict[str, Any]:
        """The operation of a request."""
        for template, item in self.document["paths"].items():
            pattern = re.sub(r"\\{\w+\\}", "[^/]+", re.escape(template))
            if re.fullmatch(pattern, path) and method in item:
                found: dict[str, Any] = item[method]
                return found
        raise AssertionError(f"the document has no {method} {path}")

    def check_answer(self, method: str, path: str, status: int, headers: Any, body: str) -> Any:
        """Check an answer that is a single value, and return it."""
        operation = self.operation(method, path)
        responses = operation["responses"]
        response = self._resolved(responses[str(status)] if str(status) in responses else responses["default"])
        for name, header in response.get("headers", {}).items():
            assert not header.get("required") or name in headers, f"{status} without {name}"
        value = json.loads(body)
        self.check(value, response["content"]["application/json"]["schema"])
        self.checked.add((operation["operationId"], str(status)))
        return value

    def check_line(self, value: Any) -> None:
        """Check a line of the stream."""
        content = self.operations["events"]["responses"]["200"]["content"]
        self.check(value, content["application/x-ndjson"]["schema"])
        self.checked.add(("events", value["type"]))

    def check(self, value: Any, schema: dict[str, Any], at: str = "") -> None:
        """Check a value against a schema. Only the document's keywords are supported."""
        unknown = set(schema) - _CHECKED - _EXPLAINS
        assert not unknown, f"{unknown} is not checked"
        if "$ref" in schema:
            self.check(value, self._resolved(schema), at)
        if "anyOf" in schema:
            assert any(self._fits(value, choice, at) for choice in schema["anyOf"]), f"{at}: {value!r}"
        if "type" in schema:
            assert isinstance(value, _TYPES[schema["type"]]), f"{at}: {value!r}"
            assert schema["type"] == "boolean" or not isinstance(value, bool), f"{at}: {value!r}"
        assert value == schema.get("const", value), f"{at}: {value!r}"
        assert value in schema.get("enum", [value]), f"{at}: {value!r}"
        match value:
            case str():
                assert len(value) <= schema.get("maxLength", len(value)), f"{at}: {value!r}"
                assert schema.get("format") != "date-time" or datetime.fromisoformat(value).tzinfo is not None
            case dict():
                self._check_object(value, schema, at)
            case list():
                assert schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)), at
                for number, item in enumerate(value):
                    self.check(item, schema.get("items", {}), f"{at}[{number}]")
            case int() | float() if not isinstance(value, bool):
                assert schema.get("minimum", value) <= value <= schema.get("maximum", value), at

    def _check_object(self, value: dict[str, Any], schema: dict[str, Any], at: str) -> None:
        missing = set(schema.get("required", ())) - set(value)
        assert not missing, f"{at}: {missing} is missing"
        properties = schema.get("properties", {})
        if schema.get("additionalProperties") is False:
            assert set(value) <= set(properties), f"{at}: {set(value) - set(properties)} is too much"
        for name, item in value.items():
            self.check(item, properties.get(name, {}), f"{at}.{name}")

    def _fits(self, value: Any, schema: dict[str, Any], at: str) -> bool:
        try:
            self.check(value, schema, at)
        except AssertionError:
            return False
        return True

    def _resolved(self, schema: dict[str, Any]) -> dict[str, Any]:
        found: Any = schema
        while "$ref" in found:
            name: str = found["$ref"]
            found = self.document
            for part in name.removeprefix("#/").split("/"):
                found = found[part]
        resolved: dict[str, Any] = found
        return resolved
