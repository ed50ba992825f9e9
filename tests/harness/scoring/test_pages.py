"""What docs/metrics.md says of the metrics, and the licence of the data, against the code."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from duplexkit.harness.scoring import duplex_mpe, rules, silero

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")


def test_every_metric_has_a_section_with_the_same_parts() -> None:
    for name in duplex_mpe.METRICS:
        section = PAGE.split(f"## `{name}`\n")[1].split("\n## ")[0]
        for part in ("Measures", "Unit and direction:", "Formula:", "Source:", "Empty case:", "Gamed by"):
            assert f"- **{part}**" in section, (name, part)
        for baseline in ("silent", "oracle", "chatterbox"):
            assert f"`{baseline}`" in section, (name, baseline)


def test_every_setting_and_reason_is_named() -> None:
    defaults = duplex_mpe.Settings()
    for field in fields(defaults):
        value = getattr(defaults, field.name)
        shown = f"{value:,}" if isinstance(value, int) else f"`{value}`"
        assert f"| `{field.name}` | {shown}" in PAGE
    joined = " ".join(PAGE.split())
    reasons = [v for k, v in vars(duplex_mpe).items() if k.isupper() and isinstance(v, str)]
    assert duplex_mpe.NO_WINDOW in reasons
    for reason in reasons:
        assert f"`{reason}`" in joined
    assert rules.RULE_LABEL in joined


def test_the_network_is_described_and_licensed() -> None:
    readme = (silero.MODEL_PATH.parent / "README.md").read_text(encoding="utf-8")
    assert silero.MODEL_SHA256 in readme
    assert f"{silero.MODEL_PATH.stat().st_size:,}" in readme
    assert "MIT License" in (ROOT / "LICENSES" / "silero-vad-MIT.txt").read_text(encoding="utf-8")
