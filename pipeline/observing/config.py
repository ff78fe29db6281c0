"""The settings of an observation: options override the run file, which overrides defaults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, TypeVar, get_type_hints

from pydantic import Field, TypeAdapter, ValidationError, field_validator

from surgqa.ontology.errors import FieldInvalid, ValueInvalid, WrongUsage
from surgqa.pipeline.choices import Strict
from surgqa.pipeline.config import DatasetRun, Where, explained, layers
from surgqa.transforms.evidence.extractors import section_of

Settings = TypeVar("Settings")
BY = "by"
"""Key of a section for the name of its extractor, which is the section's name by default."""
HELP = "'surgqa observe --help' or docs/observe.md"
_BY = "  'by' names an extractor of another package."


class VideoRun(Strict):
    """One user-supplied video."""

    path: Where = Field(description="The video file, or a folder of numbered frames.")
    id: str | None = Field(
        None, description="Id in the store; the name of the file or link if unset."
    )
    fps: str | None = Field(None, description="Frames per second of a folder of frames.")
    procedure: str | None = Field(None, description="Name of the operation, as in the ontology.")
    specialty: str | None = Field(None, description="Surgical specialty.")
    patient: str | None = Field(None, description="Patient; all videos of one share a split.")
    metadata: dict[str, str | int | float | None] = Field({}, description="Further properties.")


class ObserveConfig(Strict):
    """All settings of an observation.

    ``out``, ``workers``, ``runner``, ``engine``, ``chunk_s`` and ``max_failed`` cannot change the
    evidence.
    """

    schema_: Literal["observe/v1"] = Field("observe/v1", alias="schema")
    videos: list[VideoRun] = []
    datasets: list[DatasetRun] = Field([], max_length=1)
    out: Where
    fps: str = Field("5", description="Frames to examine in each second, or 'all'.")
    batch: int = Field(8, ge=1, description="Frames that a model processes at once.")
    device: str = Field("auto", description="auto, cpu, cuda or cuda:N.")
    precision: Literal["auto", "full", "half"] = Field(
        "auto", description="Precision of all models; a section can state another one."
    )
    speech: dict[str, Any] | None = Field(None, description="Speech; none if unset." + _BY)
    detect: dict[str, Any] | None = Field(None, description="Detector; none if unset." + _BY)
    segment: dict[str, Any] | None = Field(None, description="Segmenter; none if unset." + _BY)
    privacy: dict[str, Any] = Field({}, description="How transcripts are masked.")
    quality: dict[str, Any] = Field({}, description="Measures of frames." + _BY)
    link: dict[str, Any] = {}
    derive: dict[str, Any] = {}
    curate: dict[str, Any] = {}
    chunk_s: float = Field(30.0, gt=0, description="Length of a worker's piece in seconds.")
    max_failed: float = Field(0.0, ge=0)
    workers: int = Field(1, ge=1)
    runner: str = "direct"
    engine: list[str] = []
    accelerator: str | None = None

    @field_validator("fps", mode="before")
    @classmethod
    def _rate_text(cls, value: Any) -> str:
        return str(value)

    @property
    def rate(self) -> Fraction | None:
        """Samples per second, None for all frames."""
        return None if self.fps == "all" else rate_of(self.fps)

    def settings_of(self, name: str, kind: type[Settings], **more: Any) -> Settings:
        """Return the settings of a section; its values override ``more`` and the defaults."""
        given = {**more, **(getattr(self, name) or {})}
        return section(name, kind, {key: value for key, value in given.items() if key != BY})


def rate_of(text: str) -> Fraction:
    """Parse a rate such as ``5``, ``29.97`` or ``30000/1001``.

    Raises:
        UserError: the rate is not a number above 0.
    """
    try:
        rate = Fraction(text)
    except (ValueError, ZeroDivisionError):
        rate = Fraction(0)
    if rate <= 0:
        raise ValueInvalid(
            "not a rate", expected="a number above 0, such as 5 or 30000/1001, or all",
            found=text, where="fps",
        )  # fmt: skip
    return rate


def section(name: str, kind: type[Settings], given: Mapping[str, Any]) -> Settings:
    """Return a settings dataclass made from plain values.

    Raises:
        UserError: a name is unknown, or a value has the wrong type.
    """
    _refuse_unknown(name, kind, given)
    try:
        return TypeAdapter(kind).validate_python(dict(given))  # type: ignore[return-value]
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join([name, *map(str, first["loc"])])
        raise FieldInvalid(
            "a setting has a wrong value",
            where=where,
            found=first["msg"],
            fix="see docs/observe.md",
        ) from None


def _refuse_unknown(name: str, kind: Any, given: Mapping[str, Any]) -> None:
    assert is_dataclass(kind)
    known = get_type_hints(kind)
    for key, value in given.items():
        if key not in known:
            names = ", ".join(field.name for field in fields(kind))
            raise FieldInvalid(f"unknown setting {name}.{key}", expected=names)
        if is_dataclass(known[key]) and isinstance(value, Mapping):
            _refuse_unknown(f"{name}.{key}", known[key], value)


def load_observe(
    path: Path | None, overrides: Mapping[str, Any], extractors: Sequence[str] = ()
) -> ObserveConfig:
    """Return the run's configuration.

    Args:
        extractors: names of extractors. Each replaces the extractor that its section of the run
            file names.

    Raises:
        UserError: a key is unknown, or a value is missing or of a wrong type; the message lists all
            problems.
    """
    merged = layers(path, overrides)
    values = {key: value for key, value in merged.items() if key not in ("seed", "cache")}
    sections = {section_of(name): name for name in extractors}
    if len(sections) < len(extractors):
        raise WrongUsage(
            "two extractors are of one section", found=", ".join(extractors), where="--extractor",
            fix="run one of them into a store of its own",
        )  # fmt: skip
    values |= {key: {**(values.get(key) or {}), BY: name} for key, name in sections.items()}
    try:
        return ObserveConfig.model_validate(values)
    except ValidationError as error:
        raise explained(error, merged, ObserveConfig, HELP) from None
