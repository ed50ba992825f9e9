"""Reading source files: positions, traps of YAML, several documents, JSON and JSONL, faults of encoding."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from duplexkit.schemas.diagnostics import Finding, findings_json
from duplexkit.schemas.nodes import MAX_DEPTH
from duplexkit.schemas.scalars import Plain
from duplexkit.schemas.source import UnreadableInput, find_files, load, load_text


def only(text: str, name: str = "a.yaml") -> Finding:
    _, findings = load_text(text, name)
    assert len(findings) == 1, [f.text() for f in findings]
    return findings[0]


def data(text: str, name: str = "a.yaml") -> object:
    documents, findings = load_text(text, name)
    assert [f.text() for f in findings] == []
    (document,) = documents
    return document.data


def test_positions_of_values_and_keys() -> None:
    text = "é: 1\nturns:\n  - {id: t1, text: 'ä ü', to: B}\n  - id: t2\n"
    (document,), _ = load_text(text, "a.yaml")
    for place, key, expected in (
        (("turns", 0, "to"), False, "B}"),
        (("turns", 0, "to"), True, "to: B"),
        (("turns", 0, "text"), False, "'ä ü'"),
        (("turns", 1, "id"), False, "t2"),
        (("turns", 1), False, "id: t2"),
    ):
        mark = document.mark(place, key=key)
        assert text[mark.index :].startswith(expected)
        assert text.split("\n")[mark.line - 1][mark.column - 1 :].startswith(expected.split("\n")[0])
    assert document.mark(("turns", 9, "id")).line == 3
    assert document.node(("turns", 0, "text")).text == "ä ü"


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_count_as_editors_count(newline: str) -> None:
    text = newline.join(["a: 'x y'", "b: \u2028", "c: [d, e]", ""])
    (document,), _ = load_text(text, "a.yaml")
    assert (document.mark(("c", 1)).line, document.mark(("c", 1)).column) == (3, 8)


def test_unquoted_scalars_stay_text() -> None:
    text = "open: 9:05\nclose: 12:30\nlong: 1:30:00\ndob: 1988-06-13\nat: 2026-03-14 10:00:00\nback: 2026-02-30\nno: NO\nyes: yes\n"
    assert data(text) == {
        "open": "9:05",
        "close": "12:30",
        "long": "1:30:00",
        "dob": "1988-06-13",
        "at": "2026-03-14 10:00:00",
        "back": "2026-02-30",
        "no": "NO",
        "yes": "yes",
    }


@pytest.mark.parametrize(
    "word",
    ["02142", "00731", "0755", "08", "1e5", "0x1F", "0o17", "0b1", "1_000", "250.0", "-1", "+7", ".5", ".inf",
     ".NaN", "true", "False", "null", "~", "NULL", ""],
)  # fmt: skip
def test_retyped_scalars_are_marked_unless_quoted(word: str) -> None:
    assert data(f"a: {word}\n") == {"a": Plain(word)}
    assert data(f"a: '{word}'\n") == {"a": word}
    assert data(f'a: "{word}"\n') == {"a": word}


def test_plain_data_is_made_of_plain_types() -> None:
    value = data("fee: 1.50\nnote: |\n  two\n  lines\nwhen: 2026-01-02\nlist: [a, {b: c}]\n")
    assert value == {
        "fee": Plain("1.50"),
        "note": "two\nlines\n",
        "when": "2026-01-02",
        "list": ["a", {"b": "c"}],
    }
    assert pickle.loads(pickle.dumps(value)) == value


def test_two_spellings_of_one_name_are_one() -> None:
    assert data("a: Jose\u0301\n") == data("a: José\n")
    finding = only("José: {vip: x}\nJose\u0301: {vip: y}\n")
    assert (finding.code, finding.line) == ("DK006", 2)
    assert "Unicode" in finding.message


def test_duplicate_keys_name_the_first_line() -> None:
    documents, findings = load_text("a: 1\nb: {c: x, c: y}\na: 2\n", "a.yaml")
    assert [(f.code, f.line, f.column) for f in findings] == [("DK006", 2, 11), ("DK006", 3, 1)]
    assert "line 1" in findings[1].hint
    assert documents[0].data["b"] == {"c": "x"}


def test_keys_that_are_no_text() -> None:
    text = '1001: {b: x}\n"1001": {b: y}\ntrue: z\n2026-01-01: z\n? [a]\n: z\n'
    _, findings = load_text(text, "a.yaml")
    assert [(f.code, f.line) for f in findings] == [
        ("DK007", 1),
        ("DK006", 2),
        ("DK007", 3),
        ("DK007", 4),
        ("DK007", 5),
    ]


def test_colon_in_spoken_text() -> None:
    text = "turns:\n  - {who: user, tag: T}\n  - who: user\n    tag: N2\n    text: Note: I am not talking to you\n"
    finding = only(text)
    assert (finding.code, finding.line) == ("DK002", 5)
    assert "Note: I am not talking to you" in finding.message
    assert finding.hint == "put quotes around the text"


def test_tabs_are_all_found_at_once() -> None:
    _, findings = load_text("seed:\n\taccounts: {}\n  persona:\n\t  name: Ana\n", "a.yaml")
    assert [(f.code, f.line, f.column) for f in findings] == [("DK004", 2, 1), ("DK004", 4, 1)]


def test_tabs_inside_text_are_text() -> None:
    assert data("a: |\n  x\n  \ty\nb: 'c\td'\n") == {"a": "x\n\ty\n", "b": "c\td"}


def test_several_documents_are_all_read() -> None:
    documents, findings = load_text("---\nid: a1\n---\nid: a2\n", "a.yaml")
    assert [d.data["id"] for d in documents] == ["a1", "a2"]
    assert [d.index for d in documents] == [0, 1]
    assert findings == []
    documents, findings = load_text("---\nid: a1\n---\nid: a2\n...\nid: a3\n", "a.yaml")
    read = [d.data["id"] for d in documents]
    assert read == ["a1", "a2", "a3"] or (read == ["a1", "a2"] and findings)


@pytest.mark.parametrize(
    "value", ["!!str abc", "!!int '1'", "!mine abc", "&x !!str abc", "!!map {}", "!!seq []"]
)
def test_tags_are_refused(value: str) -> None:
    assert only(f"a: {value}\n").code == "DK005"


def test_exclamation_marks_in_text_are_no_tags() -> None:
    assert data('a: "!wow"\nb: &x "!x"\nc: wow!\n') == {"a": "!wow", "b": "!x", "c": "wow!"}


def test_merge_keys_are_refused() -> None:
    assert only("a: &x {b: c}\nd: {<<: *x, e: f}\n").code == "DK008"
    assert data('a: {"<<": b}\n') == {"a": {"<<": "b"}}


def test_aliases_are_independent() -> None:
    value = data("a: &x {b: [c]}\nd: *x\n")
    assert isinstance(value, dict)
    value["d"]["b"].append("e")
    assert value["a"] == {"b": ["c"]}


def test_alias_bomb_is_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    assert "too many" in only("\n".join(lines)).message


@pytest.mark.parametrize(("text", "word"), [("a: &x [*x]\n", "own anchor"), ("a: *x\n", "undefined alias")])
def test_wrong_aliases(text: str, word: str) -> None:
    finding = only(text)
    assert finding.code == "DK002"
    assert word in finding.message


@pytest.mark.parametrize("name", ["a.yaml", "a.json"])
@pytest.mark.parametrize("depth", [MAX_DEPTH + 2, 900, 5_000, 200_000])
def test_deep_nesting_is_refused(name: str, depth: int) -> None:
    finding = only("[" * depth + "]" * depth, name)
    assert (finding.code, finding.line) == ("DK002", 1)
    assert "nested" in finding.message


def test_deep_nesting_by_indentation_is_refused() -> None:
    text = "".join(" " * n + "a:\n" for n in range(300))
    assert "nested" in only(text).message


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "---\n"])
def test_nothing_to_read(text: str) -> None:
    assert only(text).code == "DK003"


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ('{"a": 1,\n "b": }', 2, "not a JSON value"),
        ('{"a": 1,}', 1, "key"),
        ('{"a": 1} {"b": 2}', 1, "more text"),
        ('{"a": "x}', 1, "does not parse"),
        ("{'a': 1}", 1, "not quoted"),
        ('{"a": NaN}', 1, "not a JSON value"),
        ('{"a": 01}', 1, "','"),
        ('{"a" 1}', 1, "':'"),
        ("[1 2]", 1, "','"),
        ('["a\nb"]', 1, "does not parse"),
    ],
)
def test_faults_of_json(text: str, line: int, word: str) -> None:
    finding = only(text, "a.json")
    assert (finding.code, finding.line) == ("DK002", line)
    assert word in finding.message
    assert finding.hint


def test_json_positions_and_duplicates() -> None:
    text = '{"a": [1,\n  {"b": "c"}],\n "a": 2}'
    (document,), (finding,) = load_text(text, "a.json")
    assert (document.mark(("a", 1, "b")).line, document.mark(("a", 1, "b")).column) == (2, 9)
    assert (finding.code, finding.line, finding.column) == ("DK006", 3, 2)


def test_json_lines_keep_their_line_numbers() -> None:
    documents, findings = load_text('{"id": "a"}\n\n{"id": "b"}\n{"id": }\n', "a.jsonl")
    assert [(d.data["id"], d.mark(("id",)).line) for d in documents] == [("a", 1), ("b", 3)]
    assert [(f.code, f.line, f.column) for f in findings] == [("DK002", 4, 8)]


def test_text_that_is_no_utf_8(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes(b"a: b\nc: caf\xe9\n")
    documents, (finding,) = load(file)
    assert documents == []
    assert (finding.code, finding.line, finding.column) == ("DK001", 2, 7)
    assert only("a: b\nc: \udce9\n").code == "DK001"


def test_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes("\ufeffkind: scene\n".encode())
    documents, findings = load(file)
    assert (documents[0].data, findings) == ({"kind": "scene"}, [])
    assert documents[0].mark(("kind",), key=True).column == 1


@pytest.mark.parametrize("bad", ["\0", "\x07", "\x1b"])
def test_control_characters(bad: str) -> None:
    finding = only(f"a: b\nc: d{bad}e\n")
    assert (finding.code, finding.line) == ("DK002", 2)
    assert finding.text().isprintable()


def test_find_files(tmp_path: Path) -> None:
    for name in (
        "b.yaml",
        "a.json",
        ".hidden.yaml",
        "note.txt",
        "sub/c.jsonl",
        "built/SHA256SUMS",
        "built/items.jsonl",
        "built/x.json",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("{}", encoding="utf-8")
    found = [str(p.relative_to(tmp_path)) for p in find_files([tmp_path, tmp_path / "b.yaml"])]
    assert found == ["a.json", "b.yaml", "sub/c.jsonl"]
    for wrong in ("none.yaml", "note.txt"):
        with pytest.raises(UnreadableInput, match=r"none\.yaml|note\.txt"):
            find_files([tmp_path / wrong])
    (tmp_path / "empty").mkdir()
    with pytest.raises(UnreadableInput, match="no source file"):
        find_files([tmp_path / "empty"])


def test_findings_are_one_line_each_and_plain_json() -> None:
    finding = Finding("scen/[id]/a.yaml", 1, 2, "DK002", "a\nb [/T] \x1b[1m é", "100%, or: so")
    assert finding.text() == "scen/[id]/a.yaml:1:2: DK002: a\\nb [/T] \\x1b[1m é (100%, or: so)"
    github = finding.github()
    assert "\n" not in github
    assert github.startswith("::error file=scen/[id]/a.yaml,line=1,col=2,title=DK002::a%0Ab")
    document = findings_json(1, [finding], {"DK214": 2})
    assert document.isascii()
    assert json.loads(document)["findings"][0]["message"] == finding.message


def test_folders_are_walked_without_loops_and_without_what_was_made_from_them(tmp_path: Path) -> None:
    (tmp_path / "src" / "deep").mkdir(parents=True)
    (tmp_path / "src" / "a.yaml").write_text("kind: scene", encoding="utf-8")
    (tmp_path / "src" / "deep" / "b.yaml").write_text("kind: scene", encoding="utf-8")
    (tmp_path / "src" / "deep" / "up").symlink_to(tmp_path / "src")
    (tmp_path / "src" / "scene.schema.json").write_text("{}", encoding="utf-8")
    (tmp_path / "src" / "items.jsonl").write_text("{}", encoding="utf-8")
    for name, marker in (("out", "SHA256SUMS"), ("run", "run.json"), ("half", ".build.jsonl")):
        (tmp_path / "src" / name / "episodes" / "x").mkdir(parents=True)
        (tmp_path / "src" / name / marker).write_text("{}", encoding="utf-8")
        (tmp_path / "src" / name / "episodes" / "x" / "transcript.json").write_text("{}", encoding="utf-8")
    found = [p.relative_to(tmp_path).as_posix() for p in find_files([tmp_path])]
    assert found == ["src/a.yaml", "src/deep/b.yaml", "src/items.jsonl"]
