"""Rows and arguments as typed messages, so that expressions are checked column by column.

Each table, the session, and the arguments of each tool become a protobuf message made in memory. A value that
may be empty is a wrapper field (`== null` works), a list is a repeated field, an object a message of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, wrappers_pb2
from google.protobuf.message import Message

from ...schemas.values import ValueType

PACKAGE = "world"
_FIELD = descriptor_pb2.FieldDescriptorProto
_SCALARS = {"string": _FIELD.TYPE_STRING, "integer": _FIELD.TYPE_INT64, "boolean": _FIELD.TYPE_BOOL}
_WRAPPERS = {"string": "StringValue", "integer": "Int64Value", "boolean": "BoolValue"}
_PLAIN = frozenset({str, int, bool, type(None)})
_CEL = {"string": "STRING", "integer": "INT", "boolean": "BOOL"}


@dataclass(frozen=True)
class Shape:
    """The fields of a message: types by name; those in `filled` have a value always (keys, generated ids)."""

    name: str
    fields: Mapping[str, ValueType | None]
    """None stands for text that always has a value."""

    @property
    def full_name(self) -> str:
        """The name that expressions' types use."""
        return f"{PACKAGE}.{self.name}"


class Messages:
    """The message types of a world."""

    def __init__(self, shapes: Sequence[Shape]) -> None:
        self.pool = descriptor_pool.DescriptorPool()
        wrappers = descriptor_pb2.FileDescriptorProto()
        wrappers_pb2.DESCRIPTOR.CopyToProto(wrappers)
        self.pool.Add(wrappers)
        self._file = descriptor_pb2.FileDescriptorProto(
            name="world.proto", package=PACKAGE, syntax="proto3", dependency=[wrappers.name]
        )
        self.columns: dict[str, tuple[str, ...]] = {}
        self._inner: dict[tuple[str, str], str] = {}
        self._shapes = {shape.name: shape for shape in shapes}
        for shape in shapes:
            self._declare(shape.name, shape.fields)
        self.pool.Add(self._file)
        self._classes: dict[str, Any] = {
            m.name: message_factory.GetMessageClass(self.pool.FindMessageTypeByName(f"{PACKAGE}.{m.name}"))
            for m in self._file.message_type
        }
        self._builders = {shape.name: self._builder(shape.name, shape.fields) for shape in shapes}

    def build(self, shape: str, values: Mapping[str, Any]) -> Message:
        """The message of a shape with these values; values that are None or left out stay empty."""
        message = self._classes[shape]()
        self._builders[shape](message, values)
        made: Message = message
        return made

    def plain(self, value: Any) -> Any:
        """A value of an expression as text, number, truth value, None, list or dict."""
        if type(value) in _PLAIN:
            return value
        if isinstance(value, Message):
            return self._plain_message(value)
        if isinstance(value, list):
            return [self.plain(v) for v in value]
        if isinstance(value, dict):
            return {k: self.plain(v) for k, v in value.items()}
        return value

    def _declare(self, name: str, fields: Mapping[str, ValueType | None]) -> None:
        message = self._file.message_type.add(name=name)
        self.columns[name] = tuple(fields)
        nested: list[tuple[str, ValueType]] = []
        for number, (column, kind) in enumerate(fields.items(), start=1):
            field = message.field.add(name=column, number=number, label=_FIELD.LABEL_OPTIONAL)
            if kind is None:
                field.type = _FIELD.TYPE_STRING
                continue
            inner = kind
            if kind.kind == "array" and kind.items is not None:
                field.label, inner = _FIELD.LABEL_REPEATED, kind.items
            if inner.kind in _SCALARS and (inner.required or kind.kind == "array"):
                field.type = _SCALARS[inner.kind]
            elif inner.kind in _SCALARS:
                field.type, field.type_name = _FIELD.TYPE_MESSAGE, f".google.protobuf.{_WRAPPERS[inner.kind]}"
            else:
                target = f"{name}__{column}"
                field.type, field.type_name = _FIELD.TYPE_MESSAGE, f".{PACKAGE}.{target}"
                self._inner[name, column] = target
                nested.append((target, inner))
        for target, inner in nested:
            self._declare(target, dict(inner.properties))

    def _builder(
        self, name: str, fields: Mapping[str, ValueType | None]
    ) -> Callable[[Any, Mapping[str, Any]], None]:
        scalars: list[str] = []
        wrapped: list[str] = []
        lists: list[str] = []
        inner: list[tuple[str, bool, Callable[[Any, Mapping[str, Any]], None]]] = []
        for column, kind in fields.items():
            if kind is None or (kind.kind in _SCALARS and kind.required):
                scalars.append(column)
            elif kind.kind in _SCALARS:
                wrapped.append(column)
            elif kind.kind == "array" and kind.items is not None and kind.items.kind in _SCALARS:
                lists.append(column)
            else:
                many = kind.kind == "array"
                properties = kind.items.properties if many and kind.items is not None else kind.properties
                target = self._inner[name, column]
                inner.append((column, many, self._builder(target, dict(properties))))

        def fill(message: Any, values: Mapping[str, Any]) -> None:
            for column in scalars:
                value = values.get(column)
                if value is not None:
                    setattr(message, column, value)
            for column in wrapped:
                value = values.get(column)
                if value is not None:
                    getattr(message, column).value = value
            for column in lists:
                value = values.get(column)
                if value:
                    getattr(message, column).extend(value)
            for column, many, build in inner:
                value = values.get(column)
                if value is None:
                    continue
                if many:
                    for item in value:
                        build(getattr(message, column).add(), item)
                else:
                    target = getattr(message, column)
                    target.SetInParent()
                    build(target, value)

        return fill

    def _plain_message(self, message: Message) -> Any:
        values: dict[str, Any] = {}
        for field in message.DESCRIPTOR.fields:
            value = getattr(message, field.name)
            if field.is_repeated:
                values[field.name] = [self.plain(v) for v in value]
            elif field.message_type is None:
                values[field.name] = value
            elif not message.HasField(field.name):
                values[field.name] = None
            elif field.message_type.full_name.startswith("google.protobuf."):
                values[field.name] = value.value
            else:
                values[field.name] = self._plain_message(value)
        return values


def cel_name(kind: ValueType | None, message: str = "") -> str:
    """The name of a type in expressions; `message` names an object's."""
    if kind is None:
        return "STRING"
    if kind.kind == "array" and kind.items is not None:
        return f"LIST<{cel_name(kind.items, message)}>"
    return _CEL.get(kind.kind, f"{PACKAGE}.{message}")
