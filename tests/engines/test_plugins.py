"""Engines are found by name, those of surgqa and of other packages; extractors reach workers."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType

import orjson
import pytest

from surgqa.ontology import plugins
from surgqa.ontology.errors import UserError
from surgqa.pipeline.cli.promises import broken_promises
from surgqa.pipeline.cli.scaffolds import package_files
from surgqa.pipeline.engines import engine

from .conftest import REPOSITORY, free_port, service


@pytest.fixture
def offering(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Offers an engine, as an installed package would."""
    caches = (engine.engines, engine.engine_named, engine.engine_of)

    def offer(thing: object, name: str = "mine") -> None:
        module = ModuleType("surgqa_mine")
        module.ENGINE = thing  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "surgqa_mine", module)
        point = EntryPoint(name, "surgqa_mine:ENGINE", plugins.ENGINES)
        monkeypatch.setattr(
            plugins, "entry_points", lambda group: [point] if group == plugins.ENGINES else []
        )
        for one in caches:
            one.cache_clear()

    yield offer
    monkeypatch.undo()
    for one in caches:
        one.cache_clear()


def test_shipped_ones_go_by_the_same_way() -> None:
    assert tuple(engine.engines()) == engine.SHIPPED
    assert [one for one in engine.engines() if engine.engine_named(one).is_local] == ["direct"]
    assert engine.reporting() == ["flink", "dataflow"]
    assert engine.engine_of("PRISMRUNNER") is engine.engine_named("prism")


def test_one_of_another_package_is_chosen_by_its_name(offering: Callable[..., None]) -> None:
    one = engine.Engine("mine", "my_package.Runner")
    offering(one)
    assert engine.engine_of("Mine") is one and engine.engine_of("my_package.Runner") is one
    assert engine.engine_of("direct").is_local and not one.is_local


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        (lambda: None, "it is function"),
        (engine.Engine("yours", "FnApiRunner"), "it is called 'yours'"),
        (engine.Engine("mine", ""), "its runner is '', not the name"),
        (engine.Engine("mine", "FnApiRunner", state=3), "its state is 3"),  # type: ignore[arg-type]
        (engine.Engine("mine", "FnApiRunner", options=[]), "its options is"),  # type: ignore[arg-type]
        (engine.Engine("mine", "FnApiRunner", remote_only=1), "its remote_only is 1"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_engine_is_refused(
    offering: Callable[..., None], thing: object, said: str
) -> None:
    offering(thing)
    with pytest.raises(UserError, match=said) as caught:
        engine.engine_of("mine")
    assert "'mine'" in caught.value.summary and caught.value.where == "mine"


def test_a_shipped_one_keeps_its_name(offering: Callable[..., None]) -> None:
    offering(engine.Engine("flink", "FnApiRunner"), "flink")
    with pytest.raises(UserError, match="two engines have the same name"):
        engine.engine_of("direct")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (lambda given, run: [*given, "--mine=1"], "do not end with those of the user"),
        (lambda given, run: tuple(given), "are not a list of texts"),
        (lambda given, run: [f"--made={len(CALLS)}{CALLS.append(run)}", *given], "second time"),
    ],
)
def test_options_that_break_the_contract_are_found_out(
    offering: Callable[..., None], options: Callable, said: str
) -> None:
    offering(engine.Engine("mine", "FnApiRunner", options))
    (found,) = broken_promises("mine", dataset="cholect50", benchmark="surgstu")
    assert said in found


CALLS: list[str] = []


def test_a_build_that_fails_or_differs_is_found_out(
    offering: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    from surgqa.pipeline.cli import promises

    offering(engine.Engine("mine", "FnApiRunner"))
    built = promises._built
    monkeypatch.setattr(
        promises, "_built", lambda *a: built(*a)[::-1] if "mine" in a else built(*a)
    )
    (found,) = broken_promises("mine", dataset="cholect50", benchmark="surgstu")
    assert found.startswith("a build gives the digest ")


def test_an_extractor_of_another_package_reaches_beams_workers(
    films: ModuleType, tmp_path: Path
) -> None:
    files, _ = package_files("extractor", "bright", tmp_path)
    told = tmp_path / "surgqa_bright" / "surgqa_bright-0.1.0.dist-info"
    for path in (*files, told / "METADATA"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files.get(path, "Metadata-Version: 2.1\nName: surgqa_bright\nVersion: 1\n"))
    point = "[surgqa.extractors]\nbright = surgqa_bright:Extractor\n"
    (told / "entry_points.txt").write_text(point)
    film = films.film(tmp_path / "film.mp4", 7001, 6)
    there = {"PYTHONPATH": f"{tmp_path / 'surgqa_bright'}{os.pathsep}{REPOSITORY}"}
    jobs, workers = free_port(), free_port()
    asked = ["--runner", "PortableRunner", "--", f"--job_endpoint=localhost:{jobs}",
             "--environment_type=EXTERNAL",
             f"--environment_config=localhost:{workers}"]  # fmt: skip
    with (
        service(tmp_path / "jobs.log", jobs, "apache_beam.runners.portability."
                "local_job_service_main", "-p", str(jobs)),
        service(tmp_path / "workers.log", workers, "apache_beam.runners.worker."
                "worker_pool_main", f"--service_port={workers}", **there),
    ):  # fmt: skip
        far = _observed(film, tmp_path / "far", there, *asked)
    assert far == _observed(film, tmp_path / "near", there)


def _observed(film: Path, out: Path, there: dict[str, str], *more: str) -> str:
    line = [sys.executable, "-m", "surgqa.pipeline.cli", "observe", "--video", str(film),
            "--extractor", "bright", "--out", str(out), *more]  # fmt: skip
    done = subprocess.run(line, env={**os.environ, **there}, capture_output=True, text=True,
                          timeout=300, check=False)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return str(orjson.loads((out / "store.json").read_bytes())["digest"])
