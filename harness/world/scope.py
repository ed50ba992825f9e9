"""The variables of one call, with the activation that expressions read them through, made again only when one changes."""

from __future__ import annotations

from typing import Any

from .cel import Compiler


class Scope:
    """Names with their values. An inner scope, of a loop, hands on what is put in from outside of the loop."""

    __slots__ = ("_activation", "_parent", "values")

    def __init__(self, values: dict[str, Any], parent: Scope | None = None) -> None:
        self.values, self._parent = values, parent
        self._activation: Any = None

    def put(self, name: str, value: Any) -> None:
        """Give a variable another value, here and outside."""
        self.values[name] = value
        self._activation = None
        if self._parent is not None:
            self._parent.put(name, value)

    def inner(self, name: str, value: Any) -> Scope:
        """A scope with one more variable."""
        return Scope({**self.values, name: value}, self)

    def activation(self, compiler: Compiler) -> Any:
        """What programs of any compiler with these variables run on."""
        if self._activation is None:
            self._activation = compiler.activation(self.values)
        return self._activation
