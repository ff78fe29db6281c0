"""``surgqa demo``: render a dataset, build it and print an item; needs no data and no network."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from surgqa.ontology.errors import EXIT_DONE
from surgqa.pipeline.cli.console import shown, talk, write_result
from surgqa.pipeline.cli.options import opt

if TYPE_CHECKING:
    from surgqa.transforms.store import OutputFolder

SHOWN = ("surgstu.trajectory", "surgstu.rel_pos", "surgstu.locate")
"""Templates with good example items, the best first."""
ITEMS = 24
"""Number of items on the page, spread over the templates."""


def demo(out: Annotated[Path, opt("DIR", "Folder to write into.")] = Path("demo")) -> int:
    """Render a small surgery with exact labels, build questions from it, and write a page of them.

    \b
    surgqa demo
    surgqa demo --out /tmp/look
    """
    from surgqa.pipeline.cli.build import built
    from surgqa.pipeline.cli.progress import Progress
    from surgqa.pipeline.config import load_run
    from surgqa.pipeline.demo.describe import describe_item
    from surgqa.pipeline.demo.labels import refuse_foreign, write_demo_dataset
    from surgqa.transforms.store import OutputFolder

    data, questions, page = out / "dataset", out / "questions", out / "page"
    refuse_foreign(data, page)
    config = load_run(None, _settings(data, questions))
    talk.say(f"rendering a dataset into {data}")
    with Progress() as progress:
        write_demo_dataset(data, progress)
    talk.say(f"building questions into {questions}")
    built(config)
    folder = OutputFolder(questions)
    row = good_example(folder)
    talk.say(f"writing a page of {ITEMS} questions into {page}")
    write_page(folder, {row["dataset"]: data}, page)
    write_result(f"\n{describe_item(row, data)}\n")
    write_result(_closing(data, questions, page, row))
    return EXIT_DONE


def write_page(folder: OutputFolder, roots: Mapping[str, Path], page: Path) -> None:
    """Write the page with some questions and their frames; an earlier page is replaced."""
    from surgqa.transforms.places.trees import remove_tree
    from surgqa.transforms.view import Api, Database
    from surgqa.transforms.view.report import write_static

    remove_tree(page)
    write_static(Api(Database(folder), roots), page, ITEMS)


def good_example(folder: OutputFolder) -> dict[str, Any]:
    """Return the item to print: the first by id of the first template in :data:`SHOWN`."""
    from surgqa.transforms.store.trace import find_item

    rows = folder.rows(columns=["item_id", "template_id"])
    places = {template: k for k, template in enumerate(SHOWN)}
    found = min(rows, key=lambda row: (places.get(row["template_id"], ITEMS), row["item_id"]))
    return find_item(folder, found["item_id"])


def _settings(data: Path, questions: Path) -> Mapping[str, Any]:
    return {
        # The sample is rendered in CholecT50's layout; that dataset's licence does not apply to it.
        "datasets": [
            {"name": "cholect50", "root": data, "licence": "Apache-2.0", "label_source": "rendered"}
        ],
        "benchmarks": ["surgstu"],
        "out": questions,
        "workers": 1,
        "runner": "direct",
    }


def _closing(data: Path, questions: Path, page: Path, row: Mapping[str, Any]) -> str:
    return (
        f"next       surgqa explain {shown(questions)} {row['item_id'][:8]}\n"
        f"           surgqa check {shown(questions)}\n"
        f"           surgqa view {shown(questions)} --root {row['dataset']}={shown(data)}\n"
        f"open this  {page / 'index.html'}"
    )
