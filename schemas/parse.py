"""From documents to models: pydantic's errors as findings at their place, in words for the author."""

from __future__ import annotations

from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from .base import Spec
from .diagnostics import Finding, did_you_mean
from .kinds import SOURCE_KINDS
from .scalars import Plain
from .source import Document, Path_
from .wording import is_type_error, pattern_hint, worded


def parse(document: Document) -> tuple[Spec | None, list[Finding]]:
    """The model of a document, or None and all findings of its shape.

    Findings come in the order of the file; one mistake gives one finding.
    """
    if not isinstance(document.data, dict):
        hint = "begin with `kind: scene`"
        return None, [document.finding((), "DK003", "the document is not a mapping of keys to values", hint)]
    model = SOURCE_KINDS.get(document.kind or "")
    if model is None:
        return None, [_kind_finding(document)]
    try:
        return model.model_validate(document.data), []
    except ValidationError as error:
        errors = _meant([e for e in error.errors(include_url=False) if not _merged_away(document, e)])
        misspelt = _misspelt(model, errors)
        findings = [_finding(document, model, e) for e in errors if tuple(e["loc"]) not in misspelt]
        return None, sorted(set(findings))


_BRANCHES = {"constrained-str": str, "ReturnList": dict}
"""Steps that pydantic puts into a place for the branch of a union, with what the branch reads."""


def _meant(errors: list[Any]) -> list[Any]:
    """The errors of the branch of a union that was meant, at places of the file.

    A list that is too short only because its entries are refused has the entries' errors.
    """
    shapes = {tuple(e["loc"]): e["input"] for e in errors}
    kept: list[Any] = []
    for error in errors:
        loc = tuple(error["loc"])
        branch = next((i for i, step in enumerate(loc) if step in _BRANCHES), None)
        if branch is not None:
            twin = next(
                (shapes[t] for t in shapes if t[:branch] == loc[:branch] and len(t) == branch + 1), None
            )
            is_mapping = isinstance(twin, dict)
            if is_mapping != (_BRANCHES[str(loc[branch])] is dict):
                continue
        within = any(len(o) > len(loc) and o[: len(loc)] == loc for o in shapes)
        if error["type"] == "too_short" and within:
            continue
        kept.append({**error, "loc": tuple(s for s in loc if s != "[key]" and s not in _BRANCHES)})
    return kept


def _merged_away(document: Document, error: Any) -> bool:
    """Whether a key is missing only because it stands behind a merge key, which has its own finding."""
    owner = document.node(tuple(error["loc"][:-1]))
    return error["type"] == "missing" and any(k.plain and k.text == "<<" for k, _ in owner.pairs)


def _misspelt(model: type[BaseModel], errors: list[Any]) -> set[Path_]:
    """Places of keys that are missing only because they stand there misspelt, which is one mistake."""
    missing = {tuple(e["loc"]) for e in errors if e["type"] == "missing"}
    unknown = [tuple(e["loc"]) for e in errors if e["type"] == "extra_forbidden"]
    meant = {(*place[:-1], _near_key(model, place)) for place in unknown}
    return {place for place in missing if place in meant}


def _near_key(model: type[BaseModel], place: Path_) -> str | None:
    owner = _model_at(model, place[:-1])
    known = [f.alias or n for n, f in owner.model_fields.items()] if owner else []
    return did_you_mean(str(place[-1]), known)


def _shown(place: Path_) -> str:
    """A place for people: `turns[7].tag`, counted from 0 as in the file's own lists."""
    text = ""
    for step in place:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def _kind_finding(document: Document) -> Finding:
    known = ", ".join(sorted(SOURCE_KINDS))
    if "kind" not in document.data:
        fields = {f.alias or n for m in SOURCE_KINDS.values() for n, f in m.model_fields.items()}
        near = did_you_mean("kind", set(document.data) - fields)
        hint = f"write `kind:` instead of `{near}:`" if near else f"add `kind:` with one of: {known}"
        return document.finding((near,) if near else (), "DK101", "the document has no kind", hint, key=True)
    value = document.data["kind"]
    shown = value.text if isinstance(value, Plain) else value
    near = did_you_mean(str(shown), SOURCE_KINDS)
    hint = f"did you mean {near}?" if near else f"one of: {known}"
    return document.finding(("kind",), "DK101", f"unknown kind {shown!r}", hint)


def _finding(document: Document, model: type[BaseModel], error: Any) -> Finding:
    place: Path_ = tuple(error["loc"])
    kind = error["type"]
    shown = _shown(place)
    if kind == "extra_forbidden":
        return _unknown_key(document, model, place)
    if kind == "missing":
        owner = _shown(place[:-1]) or "the document"
        return document.finding(
            place[:-1], "DK103", f"{owner} lacks the key {place[-1]!r}", f"add `{place[-1]}:`", key=True
        )
    value = error["input"]
    if isinstance(value, Plain):
        return _plain_finding(document, place, kind, value, error)
    if kind == "literal_error":
        return _literal(document, place, value, error)
    if kind == "string_pattern_mismatch":
        return _pattern(document, place, value, error)
    said, hint = worded(error, _got(value))
    code = "DK104" if is_type_error(kind) else "DK107"
    return document.finding(place, code, f"{shown}: {said}", hint)


def _unknown_key(document: Document, model: type[BaseModel], place: Path_) -> Finding:
    owner = _model_at(model, place[:-1])
    known = [f.alias or n for n, f in owner.model_fields.items()] if owner else []
    key = str(place[-1])
    near = did_you_mean(key, known)
    hint = f"did you mean {near}?" if near else f"known keys: {', '.join(known)}"
    where = f" in {_shown(place[:-1])}" if len(place) > 1 else ""
    return document.finding(place, "DK102", f"unknown key {key!r}{where}", hint, key=True)


def _model_at(model: type[BaseModel] | None, place: Path_) -> type[BaseModel] | None:
    """The model that reads the mapping at `place`, found through the annotations."""
    for step in place:
        if model is None or isinstance(step, int):
            continue
        by_key = {f.alias or n: f for n, f in model.model_fields.items()}
        model = _inner_model(by_key[step].annotation) if step in by_key else None
    return model


def _inner_model(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for part in get_args(annotation):
        found = _inner_model(part)
        if found is not None:
            return found
    return None


def _plain_finding(document: Document, place: Path_, kind: str, value: Plain, error: Any) -> Finding:
    shown = _shown(place)
    if kind == "not_integer":
        said = f"{shown}: {value.text} is not a whole number in plain decimal digits"
        return document.finding(
            place, "DK104", said, "digits only: no sign +, leading zero, _, point or exponent"
        )
    if not value.text:
        return document.finding(
            place, "DK105", f"{shown}: the key has no value", "write the value, or remove the key"
        )
    if kind == "string_type":
        said = f"{shown}: unquoted {value.text} is read as {_read_as(value.text)} by a YAML reader"
        return document.finding(place, "DK105", said, f'quote it: "{value.text}"')
    if kind == "literal_error":
        return _literal(document, place, value.text, error)
    said, hint = worded(error, f"got {value.text}")
    return document.finding(place, "DK107" if kind in _BOUNDS else "DK104", f"{shown}: {said}", hint)


_BOUNDS = ("greater_than", "greater_than_equal", "less_than", "less_than_equal")


def _read_as(text: str) -> str:
    if text.lower() in ("true", "false"):
        return "a truth value"
    if text.lower() in ("null", "~"):
        return "nothing"
    return "a number"


def _literal(document: Document, place: Path_, value: Any, error: Any) -> Finding:
    options = str(error["ctx"]["expected"]).replace("' or '", "', '")
    names = [o.strip().strip("'") for o in options.split(",")]
    shown = _shown(place)
    if not isinstance(value, str):
        said = f"{shown}: {_got(value)}; it should be one of {options}"
        return document.finding(place, "DK104", said, "write one of them")
    near = did_you_mean(value, names) if value else None
    hint = f"did you mean {near}?" if near else f"one of: {', '.join(names)}"
    return document.finding(place, "DK106", f"{shown}: unknown value {value!r}", hint)


def _pattern(document: Document, place: Path_, value: Any, error: Any) -> Finding:
    said = f"{_shown(place)}: {value!r} is not allowed here"
    return document.finding(place, "DK107", said, pattern_hint(str(error["ctx"]["pattern"]), value))


def _got(value: Any) -> str:
    if isinstance(value, dict):
        return "got a mapping"
    if isinstance(value, list | tuple):
        return "got a list"
    return f"got {value!r}"
