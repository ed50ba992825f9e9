"""How documents share and repeat: `!include`, `defaults:`, `extends:`, `template:` and `variants:`.

All of it happens on nodes, before any model, so that every value keeps the position that it was written at.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from .diagnostics import Finding, did_you_mean
from .nodes import Node

KEYS = ("extends", "template", "variants")
"""Keys of composition, which no model sees."""
INCLUDE = "!include"
_HOLE = re.compile(r"(\$?)\$\{([A-Za-z0-9_]+)\}")
_MAX_DEPTH = 20

Reader = Callable[[Path, str], tuple[list[Node], str]]
"""Gives the root nodes and the text of a file by its path and shown name; raises `OSError` or `SyntaxProblem`."""


@dataclass
class Composer:
    """Composes the documents of one file."""

    name: str
    path: Path | None
    read: Reader
    findings: list[Finding] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    """The texts of the files that were drawn in, by shown name."""

    def compose(self, roots: list[Node]) -> list[Node]:
        """The documents that stand for those of the file."""
        roots = [self._included(root, (self._here(),)) for root in roots]
        roots = list(self._with_defaults(roots))
        roots = [self._extended(root, roots, ()) for root in roots]
        roots = [r for r in roots if not self._is_template(r)]
        return [variant for root in roots for variant in self._variants(root)]

    def _here(self) -> str:
        return str(self.path.resolve()) if self.path is not None else self.name

    def _say(self, node: Node, code: str, message: str, hint: str) -> None:
        name = node.origin or self.name
        self.findings.append(Finding(name, node.start.line, node.start.column, code, message, hint))

    def _included(self, node: Node, above: tuple[str, ...]) -> Node:
        if node.tag == INCLUDE:
            return self._include(node, above)
        if node.kind == "list":
            node.items = [self._included(item, above) for item in node.items]
        elif node.kind == "map":
            node.pairs = [(key, self._included(value, above)) for key, value in node.pairs]
        return node

    def _include(self, node: Node, above: tuple[str, ...]) -> Node:
        empty = Node("scalar", node.begin, node.stop, node.lines, plain=True, origin=node.origin)
        if node.kind != "scalar" or not node.text:
            self._say(node, "DK110", "`!include` needs the path of a file", 'write !include "file.yaml"')
            return empty
        found = self._file(node)
        if found is None:
            return empty
        roots, key = found
        if key in above or len(above) > _MAX_DEPTH:
            self._say(node, "DK111", f"{node.text} includes itself", "take one of the includes away")
            return empty
        if len(roots) != 1:
            said = f"{node.text} holds {len(roots)} documents, and one is needed"
            self._say(node, "DK110", said, "keep one document in the file")
            return empty
        return self._included(roots[0], (*above, key))

    def _file(self, node: Node) -> tuple[list[Node], str] | None:
        """The root nodes of the file that a node names, relative to the file that the node stands in."""
        from .nodes import SyntaxProblem

        text = node.text
        if "\\" in text or text.startswith(("/", "~")) or ":" in text:
            self._say(
                node,
                "DK110",
                f"{text!r} is no relative path",
                "write it with forward slashes, from this file",
            )
            return None
        if self.path is None:
            self._say(
                node,
                "DK110",
                "paths are relative to a file, and this text has none",
                "give the file by its path",
            )
            return None
        origin = Path(node.origin) if node.origin else Path(self.name)
        shown = origin.parent / text
        target = (self.path.parent if not node.origin else origin.parent) / text
        try:
            roots, raw = self.read(target, str(shown))
        except OSError as error:
            said = f"{text}: {error.strerror or 'cannot be read'}"
            self._say(node, "DK110", said, f"looked for {shown}")
            return None
        except SyntaxProblem as problem:
            self.findings.append(
                Finding(str(shown), problem.line, problem.column, "DK002", problem.message, problem.hint)
            )
            return None
        self.texts[str(shown)] = raw
        for root in roots:
            _stamp(root, str(shown))
        return roots, str(target.resolve())

    def _with_defaults(self, roots: list[Node]) -> Iterator[Node]:
        ground: Node | None = None
        for root in roots:
            defaults = child(root, "defaults")
            if defaults is None or child(root, "kind") is not None:
                yield merged(ground, root) if ground is not None and root.kind == "map" else root
                continue
            if len(root.pairs) != 1 or defaults.kind != "map":
                said = "a document with `defaults:` holds that one mapping and nothing else"
                self._say(root, "DK115", said, "put the rest into documents of their own, behind ---")
            if root is roots[-1]:
                self._say(root, "DK115", "no document follows these defaults", "put them first, then ---")
            ground = defaults if ground is None else merged(ground, defaults)

    def _extended(self, root: Node, roots: list[Node], above: tuple[str, ...]) -> Node:
        named = child(root, "extends")
        if named is None:
            return root
        base, others, key = self._base(named, roots)
        if base is None:
            return without(root, "extends")
        if key in above or base is root:
            self._say(named, "DK111", f"{named.text} extends itself", "begin from another document")
            return without(root, "extends")
        whole = self._extended(base, others, (*above, key))
        return merged(without(whole, "template", "variants"), without(root, "extends"))

    def _base(self, named: Node, roots: list[Node]) -> tuple[Node | None, list[Node], str]:
        text = named.text
        file, _, wanted = text.partition("#")
        others, key = roots, self._here()
        if file.endswith((".yaml", ".yml", ".json")):
            probe = Node("scalar", named.begin, named.stop, named.lines, text=file, origin=named.origin)
            found = self._file(probe)
            if found is None:
                return None, roots, ""
            others, key = found
            others = [self._included(r, (key,)) for r in others]
        else:
            wanted = text
        ids = {_id(r): r for r in others}
        if not wanted and len(others) == 1:
            return others[0], others, f"{key}#{_id(others[0])}"
        base = ids.get(wanted)
        if base is None:
            near = did_you_mean(wanted, [i for i in ids if i])
            hint = f"did you mean {near}?" if near else "name a document of this file, FILE, or FILE#ID"
            self._say(named, "DK112", f"there is no document {wanted or text!r} to extend", hint)
        return base, others, f"{key}#{wanted}"

    def _is_template(self, root: Node) -> bool:
        flag = child(root, "template")
        if flag is None:
            return False
        if not (flag.plain and flag.text in ("true", "false")):
            self._say(
                flag, "DK104", f"template: {flag.text!r} is not true or false", "write true, or remove it"
            )
        return flag.text == "true"

    def _variants(self, root: Node) -> Iterator[Node]:
        table = child(root, "variants")
        root = without(root, "template", "variants")
        if table is None:
            yield root
            return
        if table.kind != "list" or not table.items or any(r.kind != "map" for r in table.items):
            self._say(
                table, "DK113", "`variants` is a list of rows, each a mapping", "write - {id: ..., cell: ...}"
            )
            return
        columns = list(dict.fromkeys(key.text for row in table.items for key, _ in row.pairs))
        used: set[str] = set()
        seen: set[str] = set()
        for row in table.items:
            variant = self._variant(root, row, columns, used)
            if variant is None:
                continue
            if (own := child(row, "id")) is not None and own.text in seen:
                self._say(own, "DK113", f"two variants have the id {own.text!r}", "give each its own id")
                continue
            seen.add(own.text if own is not None else "")
            yield variant
        for key, _ in table.items[0].pairs:
            if key.text != "id" and key.text not in used:
                said = f"the cell {key.text!r} is used nowhere"
                self._say(key, "DK114", said, f"write ${{{key.text}}} where it belongs, or remove it")

    def _variant(self, root: Node, row: Node, columns: list[str], used: set[str]) -> Node | None:
        own, whole = child(row, "id"), child(root, "id")
        if own is None or own.kind != "scalar":
            self._say(row, "DK113", "a variant has no id", "add `id:` to the row")
            return None
        cells = {key.text: value for key, value in row.pairs}
        lacking = [c for c in columns if c not in cells]
        if lacking:
            self._say(row, "DK113", f"the row lacks {', '.join(lacking)}", "give each row the same cells")
            return None
        if whole is not None:
            renamed = replace(own, text=f"{whole.text}-{own.text}", plain=False)
            root = merged(
                root,
                Node(
                    "map",
                    root.begin,
                    root.stop,
                    root.lines,
                    pairs=[(_key("id", own), renamed)],
                    origin=root.origin,
                ),
            )
        return self._filled(root, cells, used)

    def _filled(self, node: Node, cells: dict[str, Node], used: set[str]) -> Node:
        if node.kind == "list":
            return replace(node, items=[self._filled(i, cells, used) for i in node.items])
        if node.kind == "map":
            pairs = [(self._filled(k, cells, used), self._filled(v, cells, used)) for k, v in node.pairs]
            return replace(node, pairs=pairs)
        if "${" not in node.text:
            return node
        alone = _HOLE.fullmatch(node.text)
        if alone is not None and not alone[1] and alone[2] in cells:
            used.add(alone[2])
            return cells[alone[2]]

        def fill(match: re.Match[str]) -> str:
            if match[1]:
                return match[0][1:]
            cell = cells.get(match[2])
            if cell is None or cell.kind != "scalar":
                near = did_you_mean(match[2], cells)
                hint = f"did you mean {near}?" if near else f"cells: {', '.join(cells)}"
                self._say(node, "DK113", f"no cell {match[2]!r} to put in", hint)
                return match[0]
            used.add(match[2])
            return cell.text

        text = _HOLE.sub(fill, node.text)
        return replace(node, text=text, plain=node.plain and text == node.text)


def _key(text: str, at: Node) -> Node:
    return Node("scalar", at.begin, at.stop, at.lines, text=text, plain=True, origin=at.origin)


def _id(root: Node) -> str:
    found = child(root, "id")
    return found.text if found is not None and found.kind == "scalar" else ""


def _stamp(node: Node, origin: str) -> None:
    node.origin = origin
    for item in node.items:
        _stamp(item, origin)
    for key, value in node.pairs:
        _stamp(key, origin)
        _stamp(value, origin)


def child(node: Node, name: str) -> Node | None:
    """The value of a key of a mapping, or None."""
    return next((v for k, v in node.pairs if k.text == name), None) if node.kind == "map" else None


def without(node: Node, *names: str) -> Node:
    """A mapping without some keys."""
    if not any(k.text in names for k, _ in node.pairs):
        return node
    return replace(node, pairs=[(k, v) for k, v in node.pairs if k.text not in names])


def merged(ground: Node, over: Node) -> Node:
    """`over` on `ground`: mappings are merged key by key, everything else is replaced."""
    if ground.kind != "map" or over.kind != "map":
        return over
    pairs = list(over.pairs)
    names = {unicodedata.normalize("NFC", k.text): i for i, (k, _) in enumerate(pairs)}
    kept = []
    for key, value in ground.pairs:
        at = names.get(unicodedata.normalize("NFC", key.text))
        if at is None:
            kept.append((key, value))
        else:
            pairs[at] = (pairs[at][0], merged(value, pairs[at][1]))
    return replace(over, pairs=[*pairs, *kept])
