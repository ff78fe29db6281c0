"""The settings of a build (the run file) as a data class, with the source of each value.

Precedence, highest first: flag, environment (``SURGQA_…``), run file, default.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    Field,
    ValidationError,
    field_validator,
)

from surgqa.ontology.errors import FieldInvalid, UserError
from surgqa.ontology.files import read_bytes, read_text
from surgqa.ontology.names import closest
from surgqa.ontology.splits import By
from surgqa.ontology.yaml import YamlText, read_yaml
from surgqa.pipeline.choices import MODES, Balance, BalanceRun, MixOrName, Strict
from surgqa.pipeline.located import OPTIONS, Places, located, option_of
from surgqa.transforms.places import RemotePath

if TYPE_CHECKING:
    from surgqa.transforms.review import Review
    from surgqa.transforms.steps.choose import Chooser


FLAG = "flag"
"""Origin of a value that an option sets."""


def _address(value: Any) -> Any:
    return str(value) if isinstance(value, Path | RemotePath) else value


Where = Annotated[str, BeforeValidator(_address)]
"""A path, or an address in remote storage such as ``s3://bucket/folder``."""


class DatasetRun(Strict):
    """The settings of one dataset of a run."""

    name: str = Field(description="Dataset, see 'surgqa list datasets'.")
    root: Where = Field(description="Folder of the dataset.")
    videos: list[str] = Field([], description="Videos to read; all if empty.")
    exclude: list[str] = Field([], description="Videos to leave out.")
    evidence: Where | None = Field(None, description="Evidence store with boxes for its videos.")
    anomalies: Where | None = Field(None, description="Folder of anomalies, one JSON a video.")
    action_clips: Where | None = Field(
        None, description="File of action clips for 'sapbench': a table, or LLM-SAP's JSON."
    )
    include_known_bad: bool = Field(False, description="Also read videos known to be wrong.")
    split: str | None = Field(None, description="Name of an official split; 'shares' if unset.")
    licence: str | None = Field(None, description="Licence of these files, if not the dataset's.")
    label_source: str | None = Field(
        None, description="Who made the labels, if not the dataset's authors."
    )
    rate: str | None = Field(
        None, description="Frames per second (25, 30000/1001), if the dataset does not state them."
    )

    @field_validator("rate", mode="before", json_schema_input_type=str | float | None)
    @classmethod
    def _fraction(cls, value: Any) -> str | None:
        try:
            rate = None if value is None else Fraction(str(value))
        except (ValueError, ZeroDivisionError):
            rate = Fraction(0)
        if rate is not None and rate <= 0:
            raise ValueError("a rate must be a number above 0, such as 25 or 30000/1001")
        return None if rate is None else str(rate)


class RunConfig(Strict):
    """All settings of a build.

    Settings that can change the output are part of the settings digest.  ``out``, ``workers``,
    ``runner``, ``cache``, ``engine``, ``max_failed`` and ``allow_empty`` are not.
    """

    schema_: Literal["run/v1"] = Field("run/v1", alias="schema")
    datasets: list[DatasetRun] = Field(min_length=1)
    benchmarks: list[str] = Field(["surgstu"], min_length=1, description="Benchmarks to build.")
    profile: Literal["paper", "current"] = Field("current", description="Templates to ask.")
    seed: str = Field("42", description="Seed of every pseudo-random choice.")
    templates: Path | None = Field(None, description="Folder of templates; surgqa's own if unset.")
    only: list[str] = Field([], description="Ids of the templates to ask; all if empty.")
    shares: dict[str, float] = Field(
        {"train": 0.8, "val": 0.1, "test": 0.1}, description="Shares of the splits; they sum to 1."
    )
    hold_out: dict[By, list[str]] = Field(
        {}, description="Videos to put into the split 'held_out': {specialty: [ophthalmology]}."
    )
    balance: BalanceRun = Field(
        None,
        description="shares (if unset), pairs or none; {modal_cap: 0.5} limits the share of the "
        "most frequent answer of each template.",
    )
    not_blind: bool = Field(
        False, description="Leave out items that simple rules answer without the video."
    )
    allow_constant: bool = Field(
        False,
        description="Keep the items of a template even if all have the same answer in a dataset.",
    )
    mix: MixOrName = Field(
        None,
        description="Shares of items about past, present, future, or medstreambench; unset: all.",
    )
    review: Where | None = Field(
        None, description="Decisions of 'surgqa review import'; dropped items are left out."
    )
    limit: int | None = Field(None, ge=1, description="How many videos of each dataset to read.")
    formats: list[Literal["parquet", "jsonl"]] = Field(
        ["parquet", "jsonl"], min_length=1, description="File formats of the items: parquet, jsonl."
    )
    observers: dict[str, dict[str, int | float]] = Field(
        {}, description="Settings of the rules that derive facts: {action_clip: {reach: 7}}."
    )
    shard_rows: int = Field(8192, ge=1, description="Approximate rows of an output file (shard).")
    max_failed: float = Field(
        0.0, ge=0, description="How many videos may fail: a share below 1, or a number."
    )
    out: Where = Field(description="The output folder.")
    workers: int = Field(1, ge=1, description="Processes on this machine.")
    runner: str = Field("direct", description="Engine, see 'surgqa list engines'.")
    cache: Where | None = Field(None, description="Folder of results that later builds reuse.")
    engine: list[str] = Field([], description="Further options of the runner.")
    allow_empty: bool = Field(False, description="A build without items succeeds as well.")

    @field_validator("seed", mode="before", json_schema_input_type=str | int)
    @classmethod
    def _text(cls, value: Any) -> str:
        return str(value)

    @field_validator("shares")
    @classmethod
    def _whole(cls, value: dict[str, float]) -> dict[str, float]:
        if abs(sum(value.values()) - 1) > 1e-9 or min(value.values()) < 0:
            raise ValueError("the shares of the splits must be positive and sum to 1")
        return value

    @cached_property
    def reviewed(self) -> Review | None:
        """The reviewers' decisions; read only once, so that the manifest records what was applied.

        Raises:
            SourceMissing: the file of decisions does not exist.
            SourceBroken: the file does not have the format that ``surgqa review`` writes.
        """
        from surgqa.transforms.review import read_layer

        return read_layer(self.review) if self.review else None

    @property
    def chooser(self) -> Chooser:
        """The object that selects the items to keep from all items that were made."""
        # Imported here, because only a run that builds a graph needs it.
        from surgqa.transforms.steps.choose import Chooser
        from surgqa.transforms.steps.mix import Mix

        mix, balance = self.mix, self.balance or Balance()
        return Chooser(
            balance.by, self.allow_constant, self.not_blind, balance.modal_cap,
            Mix({mode: getattr(mix, mode) for mode in MODES}, mix.unanswerable, mix.never,
                mix.tolerance, tuple(mix.benchmarks)) if mix else None,
            self.reviewed,
        )  # fmt: skip

    def settings(self) -> dict[str, Any]:
        """The settings that can change the output, without paths; these are hashed and stored."""
        return {
            "schema": self.schema_,
            "datasets": [_without_paths(d) for d in self.datasets],
            **self.model_dump(
                mode="json",
                include={"benchmarks", "profile", "seed", "only", "shares", "balance", "not_blind",
                         "allow_constant", "mix", "limit", "formats", "shard_rows"},
            ),
            **({"review": self.reviewed.sha256} if self.reviewed else {}),
            **({"observers": self.observers} if self.observers else {}),
            **({"hold_out": self.hold_out} if self.hold_out else {}),
        }  # fmt: skip

    def shared(self) -> dict[str, Any]:
        """Return the settings as a run file that can be shared: ``config.yaml`` of an output.

        The text contains no folders; the person who builds from it passes the folders. Additional
        inputs of a dataset are recorded as ``true``.
        """
        common: dict[str, Any] = {
            name: True for name in ("review", "templates") if getattr(self, name)
        }
        common |= {"max_failed": self.max_failed} if self.max_failed else {}
        common |= {"allow_empty": True} if self.allow_empty else {}
        return {**self.settings(), **common}


_LAID_OVER = ("evidence", "anomalies", "action_clips")
"""Additional inputs of a dataset; recorded only if given."""


def _without_paths(run: DatasetRun) -> dict[str, Any]:
    settings = run.model_dump(mode="json", exclude={"root", *_LAID_OVER})
    added = {name: getattr(run, name) for name in _LAID_OVER}
    return {**settings, **{name: True for name, where in added.items() if where}}


class Layered(Mapping[str, Any]):
    """A resolved configuration: values, and the source of each.

    Attributes:
        file: name and text of the run file, None without one.
    """

    def __init__(
        self, values: dict[str, Any], origins: dict[str, str], file: tuple[str, YamlText] | None
    ) -> None:
        self.values_ = values
        self.origins = origins
        self.file = file

    def __getitem__(self, key: str) -> Any:
        return self.values_[key]

    def __iter__(self):
        return iter(self.values_)

    def __len__(self) -> int:
        return len(self.values_)

    def origin(self, path: Sequence[str | int]) -> str:
        """Return the source of a value: ``run.yaml:3:5``, or the name of the layer that sets it."""
        origin = self.origins.get(str(path[0]) if path else "", "settings")
        if self.file is None or not origin.startswith("run file"):
            return origin
        name, text = self.file
        line, column = text.place(tuple(path), key=True)
        return f"{name}:{line}:{column}"


def layers(
    path: Path | None, overrides: Mapping[str, Any], places: Places | None = None
) -> Layered:
    """Merge run file, environment and options; a None in ``overrides`` counts as not set.

    Args:
        places: folders of the datasets from the command line.
    """
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    file = (str(path), _file(path)) if path else None
    sources = (
        (f"run file {path}", file[1].data if file else {}),
        ("environment", _environment()),
        (FLAG, {k: v for k, v in overrides.items() if v is not None}),
    )
    for origin, layer in sources:
        values |= layer
        origins |= dict.fromkeys(layer, origin)
    if "datasets" in values:
        values["datasets"] = located(values["datasets"], places or {}, os.environ)
    return Layered(values, origins, file)


def load_run(
    path: Path | None, overrides: Mapping[str, Any], places: Places | None = None
) -> RunConfig:
    """Return the run's configuration.

    Raises:
        UserError: a key is unknown, or a value is missing or of a wrong type; the message lists all
            problems.
    """
    merged = layers(path, overrides, places)
    try:
        return RunConfig.model_validate(dict(merged))
    except ValidationError as error:
        raise explained(error, merged, RunConfig) from None


def _file(path: Path) -> YamlText:
    text = read_yaml(read_text(read_bytes(path, str(path)), str(path)), str(path))
    if not isinstance(text.data, dict):
        raise FieldInvalid(
            "a run file must be a mapping of settings",
            where=str(path),
            fix="write 'key: value' lines; 'surgqa init' writes such a file",
        )
    return text


def _environment() -> dict[str, Any]:
    found = {}
    for name, variable in (("seed", "SURGQA_SEED"), ("workers", "SURGQA_WORKERS"),
                           ("runner", "SURGQA_RUNNER"), ("cache", "SURGQA_CACHE")):  # fmt: skip
        if os.environ.get(variable):
            found[name] = os.environ[variable]
    return found


def explained(
    error: ValidationError, merged: Layered, model: type[BaseModel],
    see: str = "'surgqa build --help', 'surgqa build --print-config' or docs/run_file.md",
) -> UserError:  # fmt: skip
    """Return the error that lists every problem with the settings and the source of each value.

    Args:
        see: where the settings are described.
    """
    problems = []
    for problem in error.errors(include_url=False):
        at = tuple(problem["loc"])
        name = ".".join(map(str, at))
        origin = merged.origin(at)
        origin = option_of(str(at[0])) if origin == FLAG else origin
        problems.append(f"{name} ({origin}): {_said(problem, at, merged, model)}")
    return FieldInvalid(
        "the run's settings are not usable",
        found="; ".join(problems),
        fix=f"see {see}",
    )


def _said(
    problem: Mapping[str, Any], at: tuple[str | int, ...], merged: Layered, model: type[BaseModel]
) -> str:
    """Return the problem with one setting, and what to do."""
    kind, last = problem["type"], str(at[-1]) if at else ""
    option = OPTIONS.get(last, f"--{last}")
    if at[:1] == ("datasets",) and len(at) == 3:
        option += f" {merged['datasets'][at[1]].get('name', 'NAME')}="
    else:
        option += " "
    if kind == "extra_forbidden":
        close = closest(last, names_at(model, at[:-1]))
        return "unknown setting" + (f"; did you mean {close!r}?" if close else "")
    if kind == "missing" and last in ("root", "out"):
        return f"missing: name it with {option}PATH"
    if kind == "missing" and last == "datasets":
        return "missing: give --dataset NAME --root DIR, or a run file"
    if problem["input"] is True and last in OPTIONS:
        return f"the original run had one, but its path is not stored here: pass {option}PATH"
    return str(problem["msg"])


def names_at(model: type[BaseModel], at: Sequence[str | int]) -> list[str]:
    """Return the allowed keys of a mapping in a run file; empty if all are allowed."""
    here: type[BaseModel] | None = model
    for name in (part for part in at if isinstance(part, str)):
        field = here.model_fields.get(name) if here else None
        here = _model_in(field.annotation) if field else None
    return [field.alias or name for name, field in here.model_fields.items()] if here else []


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the model in a type such as ``list[Model] | None``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    found = (_model_in(one) for one in get_args(annotation))
    return next((one for one in found if one is not None), None)
