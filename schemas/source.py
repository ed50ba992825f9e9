"""Reading source files: text, documents, plain data for the models, and the position of every value."""

from __future__ import annotations

import gc
import re
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .compose import Composer
from .diagnostics import Finding
from .nodes import JsonScanner, Lines, Mark, Node, SyntaxProblem, yaml_nodes
from .scalars import Plain, is_ambiguous

Path_ = tuple[str | int, ...]
"""A place inside a document: keys and list indices from its root."""

SUFFIXES = (".yaml", ".yml", ".json", ".jsonl")


_SURROGATE = re.compile("[\ud800-\udfff]")


class UnreadableInput(Exception):
    """A path that cannot be read at all. The message says which and what to do; the command exits with 2."""


@dataclass(frozen=True)
class Document:
    """One document of a source file.

    `data` holds dict, list, str and `Plain` only. `name` is the path as the person wrote it.
    """

    name: str
    path: Path | None
    index: int
    root: Node
    data: Any
    text: str
    drawn: dict[str, str] = field(default_factory=dict)
    """The texts of the files that parts of the document were drawn in from, by shown name."""

    @property
    def kind(self) -> str | None:
        """The value of `kind:`, or None where there is none."""
        kind = self.data.get("kind") if isinstance(self.data, dict) else None
        return kind if isinstance(kind, str) else None

    def node(self, place: Path_) -> Node:
        """The node at `place`, or the deepest one on the way there that exists."""
        node = self.root
        for step in place:
            found = _child(node, step)
            if found is None:
                break
            node = found
        return node

    def mark(self, place: Path_, *, key: bool = False) -> Mark:
        """The position of the value at `place`, or of its key.

        Steps that the file does not have are left out, so that the position is always in the file.
        """
        return self._at(place, key=key)[1]

    def _at(self, place: Path_, *, key: bool = False) -> tuple[Node, Mark, str]:
        """The node at `place`, the position of it or its key, and the file that this position is in."""
        node, shown = self.root, self.root
        for step in place:
            for k, v in node.pairs:
                if _text(k) == step:
                    node, shown = v, k if key else v
                    break
            else:
                if isinstance(step, int) and node.kind == "list" and 0 <= step < len(node.items):
                    node = shown = node.items[step]
        return node, shown.start, shown.origin or self.name

    def finding(
        self, place: Path_, code: str, message: str, hint: str = "", *, key: bool = False, at: int = 0
    ) -> Finding:
        """A finding at the value at `place`, or at its key, or `at` characters into a one-line value."""
        _, mark, origin = self._at(place, key=key)
        return Finding(origin, mark.line, mark.column + at, code, message, hint)

    def finding_inside(self, place: Path_, offset: int, code: str, message: str, hint: str = "") -> Finding:
        """A finding at the character `offset` of the text at `place`, whatever its quotes and escapes."""
        node, mark, origin = self._at(place)
        source = self.drawn.get(origin, self.text)
        index = _source_index(source, node, offset)
        if index is None:
            return Finding(origin, mark.line, mark.column, code, message, hint)
        lines = Lines(source[node.begin : index])
        inside = lines.mark(index - node.begin)
        column = inside.column + (mark.column - 1 if inside.line == 1 else 0)
        return Finding(origin, mark.line + inside.line - 1, column, code, message, hint)


def _source_index(source: str, node: Node, offset: int) -> int | None:
    """The index in the file of a character of a scalar's text; None where the text was not written as it is."""
    at, end = node.begin, node.stop
    if node.kind != "scalar" or at >= len(source):
        return None
    quote = source[at]
    if quote in "|>":
        return _block_index(source, node, offset)
    if quote not in "\"'":
        return at + offset if source[at : at + len(node.text)] == node.text else None
    at += 1
    for _ in range(offset):
        if at >= end:
            return None
        if quote == "'" and source[at : at + 2] == "''":
            at += 2
        elif quote == '"' and source[at] == "\\":
            at += {"x": 4, "u": 6, "U": 10}.get(source[at + 1 : at + 2], 2)
        elif source[at] == "\n":
            return None
        else:
            at += 1
    return at


def _block_index(source: str, node: Node, offset: int) -> int | None:
    """As `_source_index`, for a literal block: each line of the text is a line of the file, indented."""
    before = node.text[:offset]
    row, column = before.count("\n"), len(before) - (before.rfind("\n") + 1)
    lines = source[node.begin : node.stop].split("\n")
    if source[node.begin] != "|" or row + 1 >= len(lines):
        return None
    line = lines[row + 1]
    indent = len(line) - len(line.lstrip(" "))
    return node.begin + sum(len(x) + 1 for x in lines[: row + 1]) + indent + column


def _text(node: Node) -> str:
    text = node.text
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _child(node: Node, step: str | int) -> Node | None:
    if isinstance(step, int):
        return node.items[step] if node.kind == "list" and 0 <= step < len(node.items) else None
    for key, value in node.pairs:
        if _text(key) == step:
            return value
    return None


def find_files(paths: Iterable[Path]) -> list[Path]:
    """The source files that `paths` name: a file as it is, a folder with all that lies below it.

    Files whose name begins with a dot, and folders that hold a compiled corpus or a run, are left out.
    Raises `UnreadableInput` for a path that does not exist, is no source file, or a folder without one.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            below = [p for p in _walk(path) if p.suffix in SUFFIXES]
            if not below:
                raise UnreadableInput(
                    f"{path}: no source file below this folder; give a folder of .yaml files"
                )
            found.update(dict.fromkeys(below))
        elif path.is_file():
            if path.suffix not in SUFFIXES:
                raise UnreadableInput(
                    f"{path}: not a source file; give one that ends in {', '.join(SUFFIXES)}"
                )
            found[path] = None
        else:
            raise UnreadableInput(f"{path}: no such file or folder; give a path that exists")
    return list(found)


def _walk(folder: Path, above: tuple[Path, ...] = ()) -> Iterator[Path]:
    """The files below `folder`, sorted; a link that leads back to a folder above it is not followed."""
    here = folder.resolve()
    if here in above or _is_output(folder):
        return
    try:
        entries = sorted(folder.iterdir(), key=lambda p: p.name)
    except OSError as error:
        raise UnreadableInput(f"{folder}: cannot be listed: {error.strerror}; check its rights") from error
    for entry in entries:
        if entry.name.startswith(".") or entry.name == "__pycache__" or entry.name.endswith(".schema.json"):
            continue
        if _is_folder(entry):
            yield from _walk(entry, (*above, here))
        else:
            yield entry


def _is_folder(path: Path) -> bool:
    """Whether a path is a folder; a link that leads to itself is none, and is told of when it is read."""
    try:
        return path.is_dir()
    except (OSError, RuntimeError):
        return False


def _is_output(folder: Path) -> bool:
    """Whether a folder is a compiled corpus or a run, which hold records and no sources."""
    compiled = any((folder / name).exists() for name in ("SHA256SUMS", ".build.jsonl"))
    return compiled or ((folder / "run.json").exists() and (folder / "episodes").is_dir())


def read_text(path: Path) -> tuple[str | None, list[Finding]]:
    """The text of a file, or a finding that says why there is none.

    Raises `UnreadableInput` when the operating system refuses the file.
    """
    name = str(path)
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise UnreadableInput(
            f"{path}: cannot be read: {error.strerror}; check the path and its rights"
        ) from error
    try:
        return raw.decode("utf-8-sig"), []
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        column = error.start - (raw.rfind(b"\n", 0, error.start) + 1) + 1
        return None, [Finding(name, line, column, "DK001", "not UTF-8 text", "save the file as UTF-8")]


def load(path: Path, name: str | None = None) -> tuple[list[Document], list[Finding]]:
    """The documents of a file and the findings of reading it: syntax, duplicate keys, keys that are not text."""
    text, findings = read_text(path)
    if text is None:
        return [], findings
    return load_text(text, name or str(path), path)


def load_text(text: str, name: str, path: Path | None = None) -> tuple[list[Document], list[Finding]]:
    """As `load`, for a text that was already read; `name` decides between YAML, JSON and JSONL."""
    documents: list[Document] = []
    findings: list[Finding] = []
    broken = _SURROGATE.search(text)
    if broken is not None:
        mark = Lines(text).mark(broken.start())
        return [], [
            Finding(name, mark.line, mark.column, "DK001", "not UTF-8 text", "save the text as UTF-8")
        ]
    tabs = [] if name.endswith((".json", ".jsonl")) else _tabs(text, name)
    try:
        with _collector_at_rest():
            documents.extend(_documents(text, name, path, findings))
    except SyntaxProblem as problem:
        if problem.line not in {f.line for f in tabs}:
            findings.append(
                Finding(name, problem.line, problem.column, "DK002", problem.message, problem.hint)
            )
    findings.extend(tabs)
    if not documents and not findings:
        findings.append(
            Finding(name, 1, 1, "DK003", "the file holds no document", "begin with `kind: scene`")
        )
    return documents, findings


def _documents(text: str, name: str, path: Path | None, findings: list[Finding]) -> Iterator[Document]:
    """The documents of a text that have something in them. Raises `SyntaxProblem`."""
    drawn: dict[str, str] = {}
    index = 0
    for root in _whole(_roots(text, name), text, name, path, findings, drawn):
        if root.kind == "scalar" and not root.text:
            continue
        data = _data(root, name, findings)
        yield Document(name, path, index, root, data, text, drawn)
        index += 1


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """No search for reference cycles while a tree grows: it has none, and each search walks all of it again.

    A file of 3 MB is read in half the time.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


_COMPOSED = re.compile(r"!include|\b(?:defaults|extends|template|variants)\b")


def _whole(
    roots: Iterator[Node],
    text: str,
    name: str,
    path: Path | None,
    findings: list[Finding],
    drawn: dict[str, str],
) -> Iterable[Node]:
    """The documents with what they draw in from elsewhere; those of a file that draws in nothing as they are."""
    if not _COMPOSED.search(text):
        return roots
    composer = Composer(name, path, _read_nodes, findings, drawn)
    return composer.compose([r for r in roots if r.kind != "scalar" or r.text])


def _read_nodes(path: Path, name: str) -> tuple[list[Node], str]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SyntaxProblem(1, 1, "not UTF-8 text", "save the file as UTF-8") from None
    return list(_roots(text, name)), text


def _roots(text: str, name: str) -> Iterator[Node]:
    if name.endswith(".jsonl"):
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                yield JsonScanner(line, number).document()
    elif name.endswith(".json"):
        yield JsonScanner(text).document()
    else:
        yield from yaml_nodes(text)


def _tabs(text: str, name: str) -> list[Finding]:
    """A finding for each line that is indented with a tab, so that one run shows them all.

    Lines of block scalars are left alone: there, a tab behind the indentation is text.
    """
    findings = []
    block_indent: int | None = None
    if "\t" not in text:
        return []
    for number, line in enumerate(text.split("\n"), start=1):
        body = line.lstrip(" \t")
        if not body.strip():
            continue
        indent = len(line) - len(line.lstrip(" "))
        if block_indent is not None and indent > block_indent:
            continue
        block_indent = indent if _opens_block(body) else None
        lead = line[: len(line) - len(body)]
        if "\t" in lead and not body.startswith("#"):
            findings.append(
                Finding(
                    name, number, lead.index("\t") + 1, "DK004", "a tab is used for indentation", "use spaces"
                )
            )
    return findings


def _opens_block(body: str) -> bool:
    tail = body.split(" #")[0].rstrip()
    return tail.endswith(("|", ">", "|-", ">-", "|+", ">+"))


def _data(node: Node, name: str, findings: list[Finding]) -> Any:
    if node.tag is not None:
        said = f"the tag {node.tag!r} is not used here"
        findings.append(_at_node(node, name, "DK005", said, "remove it; the schema decides the type"))
    if node.kind == "scalar":
        if node.plain and (not node.text or is_ambiguous(node.text)):
            return Plain(node.text)
        return _text(node)
    if node.kind == "list":
        return [_data(item, name, findings) for item in node.items]
    return _mapping(node, name, findings)


def _at_node(node: Node, name: str, code: str, message: str, hint: str) -> Finding:
    mark = node.start
    return Finding(node.origin or name, mark.line, mark.column, code, message, hint)


def _mapping(node: Node, name: str, findings: list[Finding]) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    first: dict[str, Node] = {}
    for key, value in node.pairs:
        text = _text(key)
        if key.kind != "scalar":
            hint = f'quote it: "{key.text}"'
            findings.append(_at_node(key, name, "DK007", "a key is a list or mapping", hint))
        elif key.plain and (is_ambiguous(key.text) or _is_date(key.text)):
            said = f"the key {key.text!r} is not text"
            findings.append(_at_node(key, name, "DK007", said, f'quote it: "{key.text}"'))
        elif text == "<<" and key.plain:
            said = "merge keys are not YAML 1.2"
            findings.append(_at_node(key, name, "DK008", said, "write the keys out"))
            continue
        if text in first:
            said = f"the key {text!r} stands twice in one mapping"
            if key.text != text or any(k.text != key.text for k, _ in node.pairs if _text(k) == text):
                said += " (two spellings of the same Unicode text)"
            hint = f"keep one; the first is in line {first[text].start.line}"
            findings.append(_at_node(key, name, "DK006", said, hint))
            _data(value, name, findings)
            continue
        first[text] = key
        mapping[text] = _data(value, name, findings)
    return mapping


def _is_date(text: str) -> bool:
    parts = text.split("-")
    return len(parts) == 3 and [len(p) for p in parts] == [4, 2, 2] and all(p.isdigit() for p in parts)
