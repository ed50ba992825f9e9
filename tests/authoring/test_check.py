"""check as a whole: many files, one finding a mistake, suppressions, comments, stdin, speed of start."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from duplexkit.authoring.check import CheckResult, check_paths, check_text
from duplexkit.authoring.rules import DUPLEX_MPE
from duplexkit.schemas.source import UnreadableInput

Check = Callable[[str], CheckResult]
SHIPPED = Path(__file__).resolve().parents[2] / "corpora" / "scenes"


def codes(result: CheckResult) -> list[str]:
    return [f.code for f in result.findings]


def replaced(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1, old
    return text.replace(old, new)


def test_shipped_scenes_are_clean() -> None:
    result = check_paths([SHIPPED])
    assert [f.text() for f in result.findings] == []
    assert result.suppressed == {}
    assert len(result.scenes) >= 12
    assert result.files == len(result.scenes) + len(result.corpora)


def test_example_is_clean_in_yaml_json_and_jsonl(example: dict[str, Any], example_yaml: str) -> None:
    line = json.dumps(example)
    for text, name in ((example_yaml, "a.yaml"), (line, "a.json"), (line + "\n", "a.jsonl")):
        result = check_text(text, name)
        assert codes(result) == []
        assert [loaded.scene.id for loaded in result.scenes] == ["market-morning"]


def test_all_mistakes_of_all_files_in_one_run(example_yaml: str, tmp_path: Path) -> None:
    bad = replaced(example_yaml, "bucket: middle", "bucket: late-middle").replace("tag: N3", "tag: N9")
    (tmp_path / "a.yaml").write_text(bad, encoding="utf-8")
    more = replaced(example_yaml, "id: market-morning", "id: market-evening").replace(
        "speaker: B, to: A", "speaker: Bo, to: A"
    )
    (tmp_path / "b.yaml").write_text(
        replaced(more, "bucket: middle", "bucket: late-middle"), encoding="utf-8"
    )
    result = check_paths([tmp_path])
    assert [(Path(f.path).name, f.code) for f in result.findings] == [
        ("a.yaml", "DK106"),
        ("a.yaml", "DK106"),
        ("b.yaml", "DK214"),
        ("b.yaml", "DK201"),
        ("b.yaml", "DK201"),
    ]
    assert list(result.findings) == sorted(set(result.findings))
    assert result.files == 2


def test_findings_point_at_the_value(example_yaml: str) -> None:
    text = replaced(example_yaml, "support: [t2, t5, t6]", "support: [t2, t5, t66]")
    (finding,) = check_text(text, "a.yaml").findings
    line = text.split("\n")[finding.line - 1]
    assert line[finding.column - 1 :].startswith("t66")


def test_one_id_in_two_files_names_both(example_yaml: str, tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(example_yaml, encoding="utf-8")
    (finding,) = check_paths([tmp_path]).findings
    assert finding.code == "DK207"
    assert finding.path == str(tmp_path / "b.yaml")
    assert f"{tmp_path / 'a.yaml'}:2" in finding.message


def test_one_id_in_two_documents_of_a_file(example_yaml: str) -> None:
    result = check_text(f"{example_yaml}---\n{example_yaml}", "a.yaml")
    assert codes(result) == ["DK207"]
    assert len(result.scenes) == 2


def test_a_file_that_is_named_twice_is_read_once(example_yaml: str, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(example_yaml, encoding="utf-8")
    (tmp_path / "link.yaml").symlink_to(file)
    result = check_paths([file, tmp_path, tmp_path / "link.yaml"])
    assert (result.files, codes(result)) == (1, [])


def test_missing_path_is_no_finding(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="no such file"):
        check_paths([tmp_path / "none.yaml"])


def with_line(text: str, start: str, lines: str) -> str:
    """`text` with `lines` in the place of the one line that begins with `start`."""
    (old,) = [line for line in text.split("\n") if line.startswith(start)]
    return text.replace(old, lines)


@pytest.mark.parametrize(
    ("start", "lines", "rest"),
    [
        (
            "  - {id: t14",
            "  - id: t14\n    speaker: B\n    tag: N3\n    text: Keys #4 on the rack",
            "#4 on the rack",
        ),
        ("  - {id: t14", "  - {id: t14, speaker: B, tag: N3, text: Käse #4\n    }", "#4"),
        ("  - {id: t9", "  - {id: t9, speaker: C, to: B, tag: N1, text: Is it #Aria\n    }", "#Aria"),
        ("  implicit", "  implicit: Okay  # with the green light", "# with the green light"),
        ("answer", "answer:\n  text: Quarter past six # or so\n  support: [t2, t5, t6]", "# or so"),
    ],
)
def test_comment_after_unquoted_speech(start: str, lines: str, rest: str, example_yaml: str) -> None:
    text = with_line(example_yaml, start, lines)
    found = check_text(text, "a.yaml").findings
    (cut,) = [f for f in found if f.code == "DK262"]
    assert text.split("\n")[cut.line - 1][cut.column - 1 :] == rest
    # The shortened text may break other rules, but its own line has one finding.
    assert [f.code for f in found if f.line == cut.line] == ["DK262"]


def test_comment_elsewhere_is_a_comment(example_yaml: str) -> None:
    text = example_yaml.replace("tag: T}", "tag: T}   # words stand below").replace(
        "bucket: middle", "bucket: middle # of three"
    )
    text = text.replace('keys..."}', 'keys..."} # quoted')
    assert codes(check_text(text, "a.yaml")) == []


def test_suppression_hides_and_counts(check_changed: Check) -> None:
    result = check_changed('{bucket: early-middle, suppress: [{code: DK214, because: "early on purpose"}]}')
    assert codes(result) == []
    assert result.suppressed == {"DK214": 1}


def test_suppression_counts_every_finding(check_changed: Check) -> None:
    result = check_changed(
        'turns: [{id: t9, speaker: C, to: B, tag: N1, text: "It is."}, '
        '{id: t10, speaker: A, to: B, tag: N1, text: "It was."}]\n'
        'suppress: [{code: DK222, because: "they mean the speaker"}]'
    )
    assert (codes(result), result.suppressed) == ([], {"DK222": 2})


def test_suppressing_twice_is_a_finding(check_changed: Check) -> None:
    entry = '{code: DK214, because: "early on purpose"}'
    result = check_changed(f"{{bucket: early-middle, suppress: [{entry}, {entry}]}}")
    assert (codes(result), result.suppressed) == (["DK280"], {"DK214": 1})


def test_what_breaks_the_compile_cannot_be_suppressed(check_changed: Check) -> None:
    result = check_changed(
        'turns: [{id: t2, speaker: Bo, to: A, tag: N2, text: "Bottles."}]\n'
        'suppress: [{code: DK201, because: "declared elsewhere"}]'
    )
    assert sorted(codes(result)) == ["DK201", "DK281"]
    assert result.suppressed == {}


def test_rules_do_not_run_where_reading_failed(example_yaml: str) -> None:
    text = replaced(example_yaml, "timbre: medium}", "timbre: medium, voices: {1001: x}}")
    assert codes(check_text(text, "a.yaml")) == ["DK007"]
    other = example_yaml.replace("market-morning", "market-evening").replace(
        "bucket: middle", "bucket: late-middle"
    )
    assert codes(check_text(f"{text}---\n{other}", "a.yaml")) == ["DK007", "DK214"]


def test_another_design_switches_rules_off(example: dict[str, Any]) -> None:
    data = {**example, "bucket": "early-middle"}
    free = DUPLEX_MPE.without("free-buckets", "DK214")
    assert codes(check_text(json.dumps(data), "a.json", rules=free)) == []
    assert (free.name, DUPLEX_MPE.name) == ("free-buckets", "duplex-mpe")
    assert codes(check_text(json.dumps(data), "a.json")) == ["DK214"]


def test_brackets_and_foreign_letters_stay_in_messages(check_changed: Check) -> None:
    (finding,) = check_changed('turns: [{id: t7, speaker: B, tag: N3, text: "[/T] na já [bold]"}]').findings
    assert "'[/T]'" in finding.message
    (finding,) = check_changed('turns: [{id: t2, speaker: Zoë, to: A, tag: N2, text: "Bottles."}]').findings
    assert finding.text().count("Zoë") == 1


def test_line_breaks_are_one_turn(check_changed: Check) -> None:
    text = '"Three things:\\nthe card\\nthe charge"'
    assert codes(check_changed(f"turns: [{{id: t7, speaker: B, tag: N3, text: {text}}}]")) == []


def test_check_starts_without_heavy_packages() -> None:
    code = (
        "import sys; from pathlib import Path; from duplexkit.authoring.check import check_paths; "
        f"assert not check_paths([Path({str(SHIPPED)!r})]).findings; "
        "print([m for m in ('numpy', 'onnxruntime', 'jsonschema', 'hypothesis', 'rich') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-Ic", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
