"""The node tree of a source file: every scalar, list and mapping with its position.

YAML is parsed by libyaml where PyYAML has it, else by PyYAML's own parser; JSON by a small scanner that
keeps positions. Both give the same nodes, so that everything behind them is written once.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

MAX_DEPTH = 60
MAX_COPIED = 50_000
"""How many values the aliases of a YAML file may add to those that are written in it."""


@dataclass(frozen=True)
class Mark:
    """A position: line and column from 1, in characters; `index` from 0."""

    line: int
    column: int
    index: int


class Lines:
    """The lines of a text as editors count them. YAML itself also ends lines at rare characters such as U+2028."""

    def __init__(self, text: str, first: int = 1) -> None:
        self.first = first
        self.starts = [0, *(m.end() for m in re.finditer(r"\r\n|\n|\r", text))]

    def mark(self, index: int) -> Mark:
        """The position of the character at `index`."""
        row = bisect.bisect_right(self.starts, index) - 1
        return Mark(self.first + row, index - self.starts[row] + 1, index)


@dataclass(slots=True)
class Node:
    """One node: `kind` is scalar, list or map; `plain` says that a scalar stands without quotes.

    `begin` and `stop` are indices into the text of `lines`: line and column are worked out only where they are
    asked for, since most nodes of a large file are never spoken of. `origin` names the file that the node was drawn
    in from; it is empty in the document's own file.
    """

    kind: str
    begin: int
    stop: int
    lines: Lines
    text: str = ""
    plain: bool = False
    tag: str | None = None
    items: Sequence[Node] = ()
    pairs: Sequence[tuple[Node, Node]] = ()
    origin: str = ""

    @property
    def start(self) -> Mark:
        """The position of the first character."""
        return self.lines.mark(self.begin)

    @property
    def end(self) -> Mark:
        """The position behind the last character."""
        return self.lines.mark(self.stop)


class SyntaxProblem(Exception):
    """The file cannot be parsed: where, what, and what to write instead."""

    def __init__(self, line: int, column: int, message: str, hint: str) -> None:
        super().__init__(message)
        self.line, self.column, self.message, self.hint = line, column, message, hint


def yaml_nodes(text: str) -> Iterator[Node]:
    """The root node of each document in `text`, in order.

    Raises `SyntaxProblem` at the first place that does not parse; documents before it were yielded.
    """
    import yaml

    _guard_depth(text)
    parser = _yaml_parser(text)
    try:
        while parser.check_node():
            yield _Converter(text).convert(parser.get_node())
    except yaml.YAMLError as error:
        raise _yaml_problem(error, text) from None
    finally:
        parser.dispose()


def _yaml_parser(text: str) -> Any:
    import yaml
    import yaml.resolver

    if yaml.__with_libyaml__:
        from yaml.cyaml import CParser  # type: ignore[attr-defined]

        class Parser(CParser, yaml.resolver.BaseResolver):
            def __init__(self, stream: str) -> None:
                CParser.__init__(self, stream)
                yaml.resolver.BaseResolver.__init__(self)

        return Parser(text)

    class SlowParser(yaml.loader.BaseLoader):
        pass

    return SlowParser(text)


def _guard_depth(text: str) -> None:
    """Refuse flow nesting so deep that a recursive parser would overflow its stack."""
    depth = 0
    for match in re.finditer(r"[\[\]{}]", text):
        depth += 1 if match.group() in "[{" else -1
        depth = max(depth, 0)
        if depth > 1_000:
            mark = Lines(text).mark(match.start())
            raise SyntaxProblem(
                mark.line, mark.column, "brackets are nested too deeply", "close them, or flatten the file"
            )


_WRITTEN_TAG = re.compile(r"(?:&[^\s,\[\]{}]+\s+)?!")


class _Converter:
    """Turns PyYAML's nodes into ours; aliases become independent copies."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = Lines(text)
        self.count = 0
        self.open: list[int] = []

    def convert(self, node: Any) -> Node:
        import yaml

        self.count += 1
        begin, stop = node.start_mark.index, node.end_mark.index
        if self.count > len(self.text) + MAX_COPIED:
            raise self.problem(begin, "the aliases expand to too many values", "write less")
        if isinstance(node, yaml.ScalarNode):
            tag = self.tag(node, "str")
            return Node("scalar", begin, stop, self.lines, text=node.value, plain=not node.style, tag=tag)
        if id(node) in self.open:
            raise self.problem(begin, "an alias stands inside its own anchor", "copy the value")
        if len(self.open) >= MAX_DEPTH:
            raise self.problem(begin, "values are nested too deeply", f"at most {MAX_DEPTH}")
        self.open.append(id(node))
        try:
            if isinstance(node, yaml.SequenceNode):
                tag = self.tag(node, "seq")
                return Node(
                    "list", begin, stop, self.lines, tag=tag, items=[self.convert(n) for n in node.value]
                )
            tag = self.tag(node, "map")
            pairs = [(self.convert(k), self.convert(v)) for k, v in node.value]
            return Node("map", begin, stop, self.lines, tag=tag, pairs=pairs)
        finally:
            self.open.pop()

    def problem(self, index: int, message: str, hint: str) -> SyntaxProblem:
        """A `SyntaxProblem` at `text[index]`."""
        mark = self.lines.mark(index)
        return SyntaxProblem(mark.line, mark.column, message, hint)

    def tag(self, node: Any, default: str) -> str | None:
        """The tag that is written at a node, or None; `!!str` counts although it changes nothing."""
        if node.tag != f"tag:yaml.org,2002:{default}" or _WRITTEN_TAG.match(self.text, node.start_mark.index):
            return str(node.tag)
        return None


def _yaml_problem(error: Any, text: str) -> SyntaxProblem:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is None:
        position = getattr(error, "position", 0) or 0
        at = Lines(text).mark(min(position, len(text)))
        line, column = at.line, at.column
        return SyntaxProblem(
            line, column, "a character that YAML does not allow", "remove the control character"
        )
    at = Lines(text).mark(min(mark.index, len(text)))
    line, column = at.line, at.column
    problem = str(error.problem or "the file does not parse")
    context = str(error.context or "")
    source = re.split(r"\r\n|\n|\r", text)[line - 1]
    if "mapping values are not allowed" in problem:
        return SyntaxProblem(
            line, column, f"a colon inside plain text: {source.strip()!r}", "put quotes around the text"
        )
    if "cannot start any token" in problem and "\t" in source[:column]:
        return SyntaxProblem(line, column, "a tab is used for indentation", "indent with spaces")
    if "expected ',' or" in problem and source[column - 1 : column] == ":":
        return SyntaxProblem(line, column, "a colon inside plain text", "put quotes around the text")
    if "found unexpected end of stream" in problem or "while scanning a quoted scalar" in context:
        return SyntaxProblem(line, column, "a quoted text is not closed", "add the closing quote")
    if "expected <document start>" in problem:
        return SyntaxProblem(
            line, column, "text after the end of a document", "begin the next document with ---"
        )
    if "undefined alias" in problem:
        return SyntaxProblem(
            line, column, problem, "define the anchor before it is used, in the same document"
        )
    said = f"{context}: {problem}" if context else problem
    return SyntaxProblem(
        line, column, f"the YAML does not parse here: {said}", "look at this line and the one above"
    )


_JSON_SPACE = re.compile(r"[ \t\r\n]*")
_JSON_WORD = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null")


class JsonScanner:
    """Reads one JSON value with positions; `line` and `column` are those of `text[0]` in its file."""

    def __init__(self, text: str, line: int = 1) -> None:
        self.text = text
        self.lines = Lines(text, line)

    def mark(self, index: int) -> Mark:
        """The position of `text[index]`."""
        return self.lines.mark(index)

    def problem(self, index: int, message: str, hint: str) -> SyntaxProblem:
        """A `SyntaxProblem` at `text[index]`."""
        mark = self.mark(index)
        return SyntaxProblem(mark.line, mark.column, message, hint)

    def document(self) -> Node:
        """The one value of the text. Raises `SyntaxProblem`."""
        node, index = self.value(self.skip(0), 0)
        rest = self.skip(index)
        if rest != len(self.text):
            raise self.problem(
                rest, "more text after the JSON value", "one value a file, or one a line in .jsonl"
            )
        return node

    def skip(self, index: int) -> int:
        """The next index that is not white space."""
        match = _JSON_SPACE.match(self.text, index)
        return match.end() if match else index

    def value(self, index: int, depth: int) -> tuple[Node, int]:
        """The value that starts at `index`, and the index behind it."""
        if depth > MAX_DEPTH:
            raise self.problem(index, "values are nested too deeply", f"at most {MAX_DEPTH}")
        lead = self.text[index : index + 1]
        if lead == '"':
            text, end = self.string(index)
            return Node("scalar", index, end, self.lines, text), end
        if lead == "{":
            return self.map(index, depth)
        if lead == "[":
            return self.list(index, depth)
        match = _JSON_WORD.match(self.text, index)
        if match is None:
            raise self.problem(
                index, "not a JSON value", "quote texts with double quotes; no trailing commas"
            )
        return Node("scalar", index, match.end(), self.lines, match.group(), True), match.end()

    def string(self, index: int) -> tuple[str, int]:
        """The string that starts at `index`, and the index behind it."""
        try:
            text, end = scanstring(self.text, index + 1, True)
        except ValueError as error:
            raise self.problem(
                index, f"a text that does not parse: {error}", "close it with a double quote"
            ) from None
        return text, end

    def map(self, index: int, depth: int) -> tuple[Node, int]:
        """The object that starts at `index`."""
        begin, pairs = index, []
        index = self.skip(index + 1)
        if self.text[index : index + 1] != "}":
            while True:
                if self.text[index : index + 1] != '"':
                    raise self.problem(index, "a key is missing or not quoted", 'write "key": value')
                key, index = self.value(index, depth + 1)
                index = self.expect(self.skip(index), ":")
                value, index = self.value(self.skip(index), depth + 1)
                pairs.append((key, value))
                index = self.skip(index)
                if self.text[index : index + 1] == "}":
                    break
                index = self.skip(self.expect(index, ","))
        return Node("map", begin, index + 1, self.lines, pairs=pairs), index + 1

    def list(self, index: int, depth: int) -> tuple[Node, int]:
        """The array that starts at `index`."""
        begin, items = index, []
        index = self.skip(index + 1)
        if self.text[index : index + 1] != "]":
            while True:
                item, index = self.value(index, depth + 1)
                items.append(item)
                index = self.skip(index)
                if self.text[index : index + 1] == "]":
                    break
                index = self.skip(self.expect(index, ","))
        return Node("list", begin, index + 1, self.lines, items=items), index + 1

    def expect(self, index: int, mark: str) -> int:
        """The index behind `mark`, which must stand at `index`."""
        if self.text[index : index + 1] != mark:
            raise self.problem(index, f"expected {mark!r}", f"add {mark!r}, or remove the trailing comma")
        return index + 1
