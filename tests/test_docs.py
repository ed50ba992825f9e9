"""The docs do what they say: commands run, scenes pass, links lead somewhere, names and options exist."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from duplexkit import cli

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
"""Pages with blocks. `docs/diagnostics.md` is built from the codes, and its fragments are tested with the rules."""
LINKED = [*PAGES, *sorted((ROOT / "docs").glob("*/*.md")), *(ROOT / f"{n}.md" for n in ("CONTRIBUTING",))]
LINKED += [ROOT / "ARCHITECTURE.md", ROOT / "CHANGELOG.md", ROOT / "LICENSES" / "README.md"]
WITH_COMMANDS = ("README.md", "agents.md", "quickstart.md")
WITH_PYTHON = ("agents.md", "corpus-format.md")


def page_id(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def blocks(path: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text_of(path), re.MULTILINE | re.DOTALL)


def commands() -> dict[str, set[str]]:
    """The options of every command, by its name as one types it."""
    found: dict[str, set[str]] = {}
    todo = [("", typer.main.get_command(cli.app))]
    while todo:
        name, command = todo.pop()
        inner = getattr(command, "commands", {})
        todo += [(f"{name} {n}".strip(), c) for n, c in inner.items()]
        if not inner:
            found[name] = {o for p in command.params for o in p.opts} | {"--help", "-h"}
    return found


def run_sh(script: str, folder: Path, cache: Path) -> str:
    """Run a script as a reader would, in the environment that these tests run in. Gives its stdout."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "XDG_CACHE_HOME": str(cache)}
    done = subprocess.run(
        ["sh", "-eu", "-c", script], cwd=folder, env=env, capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def made_ready(script: str, *, tone: bool) -> str:
    """The script without the activation of the environment; on request with the test signal for a voice."""
    script = script.replace(". .venv/bin/activate\n", "")
    assert "venv" not in script and "make " not in script
    return script.replace("duplexkit compile ", "duplexkit compile --engine tone ") if tone else script


def make_compile() -> str:
    """What `make compile` runs once the environment is there."""
    recipe = re.search(r"^compile: .*\n\t(.*)$", text_of(ROOT / "Makefile"), re.MULTILINE)
    assert recipe is not None
    return recipe[1].replace("$(BIN)/", "")


def test_the_pages_with_commands_are_the_ones_tested() -> None:
    assert [p.name for p in PAGES if blocks(p, "sh")] == list(WITH_COMMANDS)


@pytest.mark.slow
def test_the_readme_prints_what_it_promises(tmp_path: Path) -> None:
    """Every line as it stands, on real speech."""
    readme = ROOT / "README.md"
    assert text_of(readme).count("\n    make compile  ") == 1
    shown, out = follow_readme(tmp_path, scenes=12, tone=False)
    promised = blocks(readme, "text")[0].splitlines()
    # Another processor may speak a little faster or slower, so the hours are compared to two digits only.
    printed = [re.sub(r"(\d\.\d\d)\d h\b", r"\1 h", line) for line in (*shown, *promised)]
    assert len(shown) == len(promised)
    for line, wanted in zip(printed[: len(promised)], printed[len(promised) :], strict=True):
        assert line.startswith(wanted.removesuffix("...")), wanted
    assert "oracle on quickstart: 24 of 24 episodes" in out
    assert re.search(r"^fresh_onset_rate +explicit +1\.000 +12/12", out, re.MULTILINE)


def test_the_commands_of_the_readme_run(tmp_path: Path) -> None:
    """On the test signal and three scenes of the quickstart, to be quick."""
    _, out = follow_readme(tmp_path, scenes=3, tone=True)
    assert "proven  6 items" in out and "oracle on quickstart: 6 of 6 episodes" in out


def follow_readme(folder: Path, *, scenes: int, tone: bool) -> tuple[list[str], str]:
    """`make compile` and the commands behind it. Gives the lines of the first and the output of the others."""
    work, cache = folder / "work", folder / "cache"
    shutil.copytree(ROOT / "corpora" / "scenes", work / "corpora" / "scenes")
    for surplus in sorted((work / "corpora" / "scenes" / "quickstart").glob("*-*.yaml"))[scenes:]:
        surplus.unlink()
    shown = run_sh(made_ready(make_compile(), tone=tone), work, cache)
    script = "".join(made_ready(b, tone=tone) for b in blocks(ROOT / "README.md", "sh"))
    return shown.splitlines(), run_sh(script, work, cache)


@pytest.mark.parametrize("tone", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["tone", "speech"])
def test_the_commands_of_the_quickstart_run(tone: bool, tmp_path: Path) -> None:
    scripts = [made_ready(b, tone=tone) for b in blocks(ROOT / "docs" / "quickstart.md", "sh")]
    out = run_sh("\n".join(scripts), tmp_path, tmp_path / "cache")
    assert "proven  2 items" in out and "oracle on mine: 2 of 2 episodes" in out
    assert re.search(r"^answer_accuracy +implicit +1\.000 +1/1", out, re.MULTILINE)
    assert '"name": "answering_window_yield", "kind": "scored", "condition": "explicit", "value": null' in out


def test_the_pages_with_python_are_the_ones_tested() -> None:
    assert [p.name for p in PAGES if blocks(p, "python")] == list(WITH_PYTHON)


def test_the_agent_of_the_docs_runs_and_the_request_can_be_cut_out(tmp_path: Path) -> None:
    """The agent and the reading example of the docs, on three scenes of the quickstart and the test signal."""
    follow_readme(tmp_path, scenes=3, tone=True)
    work, page = tmp_path / "work", ROOT / "docs" / "agents.md"
    (work / "my_agent.py").write_text(blocks(page, "python")[0], encoding="utf-8")
    out = run_sh("".join(blocks(page, "sh")), work, tmp_path / "cache")
    assert "python:my_agent:Beeper on quickstart: 6 of 6 episodes" in out
    (snippet,) = blocks(ROOT / "docs" / "corpus-format.md", "python")
    told = 'print(len(request) == turn["end"] - turn["start"], abs(request).max() > 0)'
    (work / "build" / "quickstart" / "cut.py").write_text(f"{snippet}\n{told}\n", encoding="utf-8")
    cut = run_sh("python cut.py", work / "build" / "quickstart", tmp_path / "cache")
    assert cut == "True True\n"


def check(folder: Path, *paths: str, expect: int = 0) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", "duplexkit.cli", "check", *paths],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == expect, done.stdout + done.stderr
    return done.stdout.splitlines()


def documents(path: Path) -> list[str]:
    return [b for b in blocks(path, "yaml") if b.startswith("kind:")]


def test_the_scenes_and_corpora_of_the_pages_pass(tmp_path: Path) -> None:
    """The corpus of the scene format names its example and a folder of scenes: the README's lies there."""
    (readme,) = documents(ROOT / "README.md")
    example, corpus = documents(ROOT / "docs" / "scene-format.md")
    with_yaml = {p.name for p in PAGES if documents(p)} - {"diagnostics.md"}
    assert with_yaml == {"README.md", "scene-format.md", "world-format.md", "scenario-format.md"}
    (tmp_path / "kitchens").mkdir()
    (tmp_path / "kitchens" / "market.yaml").write_text(readme, encoding="utf-8")
    (tmp_path / "market-morning.yaml").write_text(example, encoding="utf-8")
    (tmp_path / "corpus.yaml").write_text(corpus, encoding="utf-8")
    assert check(tmp_path, ".", "corpus.yaml") == []


def test_the_world_and_the_call_of_the_pages_pass(tmp_path: Path) -> None:
    (world,) = documents(ROOT / "docs" / "world-format.md")
    (call,) = documents(ROOT / "docs" / "scenario-format.md")
    (tmp_path / "world.yaml").write_text(world, encoding="utf-8")
    (tmp_path / "call.yaml").write_text(call, encoding="utf-8")
    assert check(tmp_path, ".") == []


def test_the_pair_with_a_turn_before_passes(tmp_path: Path) -> None:
    """The fragment replaces the pair of the page's example, and turn t7 loses its text, as the page says."""
    page = ROOT / "docs" / "scene-format.md"
    example = documents(page)[0]
    (pair,) = [b for b in blocks(page, "yaml") if b.startswith("pair:")]
    before, answer = example.split("pair:\n")[0], example[example.index("answer:") :]
    before = re.sub(r'(\{id: t7, .*?), text: ".*"\}', r"\1}", before)
    (tmp_path / "scene.yaml").write_text(before + pair + answer, encoding="utf-8")
    assert check(tmp_path, "scene.yaml") == []


def test_the_diagnostic_of_the_readme_is_what_check_prints(tmp_path: Path) -> None:
    readme = ROOT / "README.md"
    (scene,) = documents(readme)
    name = "you heard us, Aria: when"
    start, rest = scene.split("  implicit: ")
    (tmp_path / "market.yaml").write_text(
        start + "  implicit: " + rest.replace("you heard us: when", name, 1), encoding="utf-8"
    )
    assert check(tmp_path, "market.yaml", expect=1) == blocks(readme, "text")[1].splitlines()


def test_the_table_of_commands_is_the_app() -> None:
    rows = re.findall(r"^\| (`duplexkit .*?`) \|", text_of(ROOT / "README.md"), re.MULTILINE)
    named = []
    for row in rows:
        calls = re.findall(r"`([^`]*)`", row)
        named += [re.sub(r"^duplexkit ", "", c) for c in calls]
    listed = [re.sub(r"( \[?[A-Z-].*| -.*)$", "", n) for n in named]
    assert sorted(listed) == sorted(commands())


@pytest.mark.parametrize("path", LINKED, ids=page_id)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", text_of(path)):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        name, _, anchor = target.partition("#")
        page = path.parent / name if name else path
        assert page.exists(), target
        if anchor:
            assert anchor in {slug(h) for h in re.findall(r"^#+ (.*)$", text_of(page), re.MULTILINE)}, target


def slug(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("path", LINKED, ids=page_id)
def test_commands_and_options_that_are_named_exist(path: Path) -> None:
    """`duplexkit NAME` is a command, and an option is one of the command named with it, else of any."""
    known = {"cache": {"--help"}, **commands()}
    prose = re.sub(r"^```.*?^```$", "", text_of(path), flags=re.MULTILINE | re.DOTALL)
    for code in re.findall(r"`([^`\n]+)`", prose):
        words = re.findall(r"(?<![\w-])--?[a-z][a-z-]*|\b[a-z]+\b", code)
        words = words[1:] if words[:1] == ["duplexkit"] else words
        command = next((c for n in (2, 1) if (c := " ".join(words[:n])) in known), None)
        if code.startswith("duplexkit ") and words:
            assert command is not None, code
        options = known[command] if command else {"--version"}.union(*known.values())
        for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", code):
            assert option in options, code


@pytest.mark.parametrize("path", LINKED, ids=page_id)
def test_files_that_are_named_exist(path: Path) -> None:
    """Paths in backticks that begin with a folder of the repository, and pages and scripts by their endings."""
    folders = "authoring|benchmarks|corpora|docs|harness|schemas|src|tests|tools|tts"
    for code in re.findall(rf"`((?:{folders})/[\w./-]*|[\w-]+\.md)`", text_of(path)):
        assert (ROOT / code).exists() or (path.parent / code).exists(), code
