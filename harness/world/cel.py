"""Expressions: compiled and type-checked by Google's CEL runtime, with the error's place inside the text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cel_expr_python import cel
from cel_expr_python.ext.ext_strings import ExtStrings

from ...schemas.diagnostics import did_you_mean

_AT = re.compile(r"ERROR: <input>:(\d+):(\d+): (.*)")
_FORBIDDEN = ("DOUBLE", "UINT", "BYTES", "TIMESTAMP", "DURATION")


class ExpressionError(Exception):
    """An expression that does not compile. `offset` is where in its text, from 0."""

    def __init__(self, offset: int, message: str, hint: str) -> None:
        super().__init__(message)
        self.offset, self.message, self.hint = offset, message, hint


class EvaluationError(Exception):
    """An expression that failed while it ran. The message says which and why."""


@dataclass(frozen=True)
class Program:
    """A compiled expression. `type_name` is CEL's name of its type, such as BOOL or LIST<STRING>."""

    text: str
    type_name: str
    expression: Any

    def run(self, activation: Any) -> Any:
        """The value: text, number, truth value, None, list, mapping or message. Raises `EvaluationError`."""
        value = self.expression.eval(activation)
        if value.type() == cel.Type.ERROR:
            raise EvaluationError(f"{self.text!r} failed: {_cleaned(str(value.plain_value()))}")
        return value.plain_value()


def _cleaned(text: str) -> str:
    return re.sub(r"^[A-Z_]+: ", "", text).strip()


class Compiler:
    """An environment of variables and functions in which expressions are compiled.

    `names` maps the full names of message types to how people know them, for messages.
    """

    def __init__(
        self,
        pool: Any,
        package: str,
        variables: Mapping[str, str],
        functions: Sequence[Any],
        columns: Mapping[str, Sequence[str]],
    ) -> None:
        self._pool, self._package, self._functions, self._columns = pool, package, functions, columns
        self.variables = dict(variables)
        kinds = {name: cel_type(kind) for name, kind in variables.items()}
        self.env = cel.NewEnv(pool, variables=kinds, functions=list(functions), extensions=[ExtStrings()])

    @property
    def known_functions(self) -> Sequence[str]:
        """The names of the functions, for did-you-mean."""
        return self._columns.get("", ())

    def with_variable(self, name: str, kind: str) -> Compiler:
        """The same environment with one more variable."""
        return Compiler(
            self._pool, self._package, {**self.variables, name: kind}, self._functions, self._columns
        )

    def compile(self, text: str, want: Sequence[str] = ()) -> Program:
        """The program of an expression whose type is one of `want` (or unknown before it runs).

        Raises `ExpressionError`.
        """
        try:
            expression = self.env.compile(text)
        except Exception as error:
            raise self._problem(text, str(error)) from None
        name = type_name(expression.return_type())
        if any(f in re.split(r"[^A-Z]+", name) for f in _FORBIDDEN):
            said = f"the value is a {name.lower()}, which a state cannot hold"
            raise ExpressionError(0, said, "use whole numbers and text; money.* for money, date.* for dates")
        if want and name != "DYN" and name not in want and "DYN" not in name:
            shown = " or ".join(self._plain(w) for w in want)
            raise ExpressionError(0, f"the value is {self._plain(name)}, and {shown} is needed", "")
        return Program(text, name, expression)

    def activation(self, data: Mapping[str, Any]) -> Any:
        """Values for the variables, for `Program.run`."""
        return self.env.Activation(data)

    def _plain(self, name: str) -> str:
        known = {"BOOL": "a truth value", "INT": "a whole number", "STRING": "text", "NULL": "null"}
        if name in known:
            return known[name]
        if name.startswith("LIST<"):
            return f"a list of {self._plain(name[5:-1])}"
        return name.replace(f"{self._package}.", "row of ")

    def _problem(self, text: str, said: str) -> ExpressionError:
        found = _AT.search(said)
        if found is None:
            return ExpressionError(0, f"the expression does not compile: {_cleaned(said)}", "")
        line, column, message = int(found[1]), int(found[2]), found[3].removesuffix(" [INVALID_ARGUMENT]")
        starts = [0, *(m.end() for m in re.finditer("\n", text))]
        offset = starts[min(line, len(starts)) - 1] + max(column - 1, 0)
        return ExpressionError(min(offset, len(text)), *self._worded(message))

    def _worded(self, message: str) -> tuple[str, str]:
        """CEL's message in the words of a world file, and a hint."""
        if found := re.match(r"undefined field '(\w+)' not found in struct '([\w.]+)'", message):
            owner = found[2].removeprefix(f"{self._package}.")
            near = did_you_mean(found[1], self._columns.get(owner, ()))
            hint = f"did you mean {near}?" if near else f"known: {', '.join(self._columns.get(owner, ()))}"
            return f"{_owner(owner)} has no {found[1]!r}", hint
        if found := re.match(r"undeclared reference to '([\w.]+)'", message):
            known = [*self.variables, *(f for f in self._columns.get("", ()))]
            near = did_you_mean(found[1], known)
            hint = f"did you mean {near}?" if near else f"variables here: {', '.join(self.variables)}"
            return f"there is no {found[1]!r} here", hint
        if found := re.match(r"found no matching overload for '(\S+)' applied to '\((.*)\)'", message):
            types = found[2].replace(f"{self._package}.", "row of ").replace("wrapper(", "maybe(")
            return f"{found[1].strip('_')} does not take ({types})", "compare and combine values of one type"
        if "Syntax error" in message:
            return re.sub(r"^Syntax error: ", "the expression does not parse: ", message)[:160], ""
        return message.replace(f"{self._package}.", ""), ""


def _owner(name: str) -> str:
    if name.startswith("args_"):
        return "this tool"
    return {"session_": "the session", "facts_": "facts", "new_": "new"}.get(name, name)


def type_name(kind: Any) -> str:
    """CEL's name of a type, such as `LIST<STRING>`."""
    return str(kind.name())


def cel_type(name: str) -> Any:
    """The type of a name: STRING, INT, BOOL, DYN, LIST<...>, MAP (of text to anything), or a message's full name."""
    if name.startswith("LIST<"):
        return cel.Type.List(cel_type(name[5:-1]))
    if name == "MAP":
        return cel.Type.Map(cel.Type.STRING, cel.Type.DYN)
    if name in ("STRING", "INT", "BOOL", "DYN"):
        return getattr(cel.Type, name)
    return cel.Type(name)


def function(name: str, parameters: Sequence[str], result: str, work: Any) -> Any:
    """A function for expressions; `work` raises for what it cannot do."""
    overload = cel.Overload(
        re.sub(r"\W", "_", f"{name}_{'_'.join(parameters)}"),
        cel_type(result),
        [cel_type(p) for p in parameters],
        False,
        work,
    )
    return cel.FunctionDecl(name, [overload])
