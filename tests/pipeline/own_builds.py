"""Builds of every benchmark over many datasets, and what ``surgqa check`` says of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import orjson

from surgqa.ontology.observed import OWN
from surgqa.pipeline.cli.app import run as surgqa
from surgqa.pipeline.config import load_run
from surgqa.pipeline.run import build
from surgqa.transforms.language import templates_folder
from surgqa.transforms.registry import datasets, load_sample

BENCHMARKS = ("surgstu", "medstream", "surgcot", "sapbench", "surgveo")

REAL = {
    "aixsuture": "aixsuture",
    "avos": "avos",
    "bern_bypass70": "multibypass140",
    "cataract101": "cataract-101",
    "cholec80": "cholec80",
    "cholec80_cvs": "cholec80-cvs",
    "cholect50": "cholect50-challenge-val",
    "colonoscopic_web": "colonoscopic-web",
    "hyper_kvasir": "hyper-kvasir",
    "kvasir_capsule": "kvasir-capsule",
    "multibypass140": "multibypass140",
    "psi_ava": "psi-ava",
}
"""Reader -> folder of real files that it can read as they are."""

FAR = {"action_clip": {"reach": 200}}
"""Action clips may reach over so many seconds without labels, so that sparse ones give items."""


def write_samples(root: Path) -> dict[str, Path]:
    """The sample of every reader, a folder each; what is observed has no labels."""
    for name in datasets():
        if name != OWN:
            (root / name).mkdir()
            load_sample(name)(root / name)
    return {folder.name: folder for folder in sorted(root.iterdir())}


def renamed_templates(folder: Path) -> Path:
    """The shipped templates under another benchmark's name, as a user might choose it."""
    for file in sorted(Path(str(templates_folder())).glob("*/*.yaml")):
        text = re.sub(r"(?m)^(id: )(\w+)\.", r"\1mine.\2_", file.read_text(encoding="utf-8"))
        path = folder / "mine" / f"{file.parent.name}_{file.name}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(re.sub(r"(?m)^benchmark: \w+", "benchmark: mine", text), encoding="utf-8")
    return folder


def errors_of_build(
    out: Path, roots: Mapping[str, Path], benchmarks: Iterable[str] = BENCHMARKS, **more: Any
) -> tuple[int, dict[str, list[str]]]:
    """Build and check; the number of items, and up to three details of each error.

    Args:
        roots: folder of each dataset.
        more: further settings of the run.
    """
    runs = [{"name": name, "root": str(root)} for name, root in roots.items()]
    settings = {"datasets": runs, "benchmarks": list(benchmarks), "formats": ["parquet"], **more}
    items = build(load_run(None, {**settings, "out": out})).items
    return (items, errors_of_check(out)) if items else (0, {})


def errors_of_check(out: Path, scratch: Path | None = None) -> dict[str, list[str]]:
    """Code -> up to three details, of all that ``surgqa check`` calls wrong.

    Args:
        scratch: folder for the report; beside the output by default.
    """
    file = (scratch or out.parent) / f"{out.name}.report.json"
    code = surgqa(["check", str(out), "--json", str(file)])
    report = orjson.loads(file.read_bytes())
    found: dict[str, list[str]] = {}
    for one in report["findings"]:
        if one["severity"] == "error":
            details = found.setdefault(one["code"], [])
            details += [one["detail"]] if len(details) < 3 else []
    assert bool(found) == bool(report["differences"]) == bool(code), report["counts"]
    return found
