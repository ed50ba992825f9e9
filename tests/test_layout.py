"""The layout: five linked folders, one-way imports, and packages that hold every tracked file."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).resolve().parents[1]
MAY_IMPORT: dict[str, set[str]] = {
    "schemas": set(),
    "tts": {"schemas"},
    "corpora": {"schemas", "tts"},
    "harness": {"schemas", "tts", "corpora"},
    "authoring": {"schemas", "tts", "corpora", "harness"},
}
FOLDERS = sorted(MAY_IMPORT)
THIN = {
    f"duplexkit/{name}"
    for name in ("__init__.py", "_calls.py", "_options.py", "_render.py", "_show.py", "cli.py", "py.typed")
}


def tracked(*folders: str) -> set[str]:
    listed = subprocess.run(
        ["git", "ls-files", *folders], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return {name for name in listed.stdout.splitlines() if (ROOT / name).is_file()}


@pytest.mark.parametrize("name", FOLDERS)
def test_folder_is_linked(name: str) -> None:
    link = ROOT / "src" / "duplexkit" / name
    assert link.is_dir(), f"{link} is no folder: enable symbolic links in git"
    assert link.resolve() == ROOT / name


def test_pyproject_lists_the_same_folders() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    build = config["tool"]["hatch"]["build"]
    assert set(build["only-include"]) == {"src/duplexkit", *FOLDERS}
    assert set(build["targets"]["wheel"]["sources"]) == {"src/duplexkit", *FOLDERS}
    assert set(FOLDERS) <= set(build["targets"]["sdist"]["only-include"])
    assert set(config["tool"]["coverage"]["run"]["source"]) == {"src", *FOLDERS}
    assert set(config["tool"]["ruff"]["lint"]["flake8-tidy-imports"]["banned-api"]) == set(FOLDERS)


def imported_folders(path: Path, folder: str) -> list[tuple[int, str]]:
    """(line, folder) of every import of another of the five folders; absolute ones come as 'absolute'."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    depth = len(path.relative_to(ROOT / folder).parts)
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level > depth:
            names = [node.module] if node.module else [a.name for a in node.names]
            found += [(node.lineno, name.split(".")[0]) for name in names if name]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            top = node.module.split(".")[0]
            found += [(node.lineno, "absolute")] if top in {*FOLDERS, "duplexkit"} else []
        elif isinstance(node, ast.Import):
            tops = {a.name.split(".")[0] for a in node.names}
            found += [(node.lineno, "absolute")] if tops & {*FOLDERS, "duplexkit"} else []
    return found


@pytest.mark.parametrize("folder", FOLDERS)
def test_imports_go_one_way(folder: str) -> None:
    allowed = MAY_IMPORT[folder] | {"__version__"}
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: imports {name}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line, name in imported_folders(path, folder)
        if name not in allowed
    ]
    assert not wrong


def test_import_check_sees_a_wrong_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    bad = tmp_path / "tts" / "engines" / "bad.py"
    bad.parent.mkdir(parents=True)
    bad.write_text(
        "from ...corpora.plan import Plan\nfrom ..engine import Voice\nimport harness\n", encoding="utf-8"
    )
    assert imported_folders(bad, "tts") == [(1, "corpora"), (3, "absolute")]


@pytest.mark.slow
def test_wheel_holds_every_tracked_file(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "build", "--no-isolation", "-o", str(tmp_path), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = {n for n in ZipFile(wheel).namelist() if ".dist-info/" not in n}
    assert names == {f"duplexkit/{f}" for f in tracked(*FOLDERS)} | THIN
