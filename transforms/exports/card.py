"""The dataset card and the licences of an output folder."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ruamel.yaml import YAML

from surgqa.transforms.exports.croissant import ending_of, item_files, split_of
from surgqa.transforms.exports.writing import rendered
from surgqa.transforms.registry import Card

SIZES = (
    (10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"),
    (10**7, "1M<n<10M"), (10**8, "10M<n<100M"), (10**9, "100M<n<1B"),
)  # fmt: skip
"""(number of items, the hub's name of the size of datasets with fewer items)."""


def card_text(
    manifest: Mapping[str, Any], cards: Sequence[Card], without: Mapping[str, str]
) -> str:
    """Return the text of an output's ``README.md``, which begins with YAML for dataset hubs.

    Args:
        manifest: the output's manifest.
        cards: cards of the datasets that the output was built from.
        without: id of each template without items -> the most frequent reason.
    """
    splits = dict.fromkeys(["train", "val", "test"])
    for entry in manifest["items"].values():
        splits |= dict.fromkeys(entry["by_split"])
    return _front(manifest, cards) + rendered(
        "card.md.jinja", manifest=manifest, cards=cards, splits=list(splits), without=without
    )


def _front(manifest: Mapping[str, Any], cards: Sequence[Card]) -> str:
    """Return the YAML at the start, which names the files of each split for ``load_dataset``."""
    total = sum(entry["total"] for entry in manifest["items"].values())
    benchmarks = item_files(manifest["files"])
    head = {
        "pretty_name": "Surgical question-answer items (" + ", ".join(sorted(benchmarks)) + ")",
        "language": ["en"],
        "license": "other",
        "license_name": "that-of-each-source",
        "license_link": "licences.md",
        "task_categories": ["visual-question-answering"],
        "tags": ["medical", "surgery", "video", *(card.name for card in cards)],
        "size_categories": [_size(total)],
        "configs": [
            {"config_name": name, "data_files": _data_files(paths)}
            for name, paths in sorted(benchmarks.items())
        ],
    }
    return front_matter({key: value for key, value in head.items() if value != []}) + "\n"


def front_matter(head: Mapping[str, Any]) -> str:
    """Return values as the block of YAML with which a page of a dataset hub begins."""
    sink, writer = io.StringIO(), YAML()
    writer.default_flow_style, writer.width = False, 1000
    writer.dump(dict(head), sink)
    return f"---\n{sink.getvalue()}---\n"


def _data_files(paths: Sequence[str]) -> list[dict[str, str]]:
    """Return the pattern of each split's files, with a name of the split that hubs allow."""
    patterns = {}
    for path in paths:
        folder, split = path.rpartition("/")[0], split_of(path)
        patterns[split] = f"{folder}/{split}-?????-of-?????.{ending_of(path)}"
    return [{"split": re.sub(r"\W", "_", split), "path": one} for split, one in patterns.items()]


def _size(items: int) -> str:
    """Return a hub's name of the size of a dataset with this number of items."""
    for limit, name in SIZES:
        if items < limit:
            return name
    return "1B<n<10B"


def licences_text(manifest: Mapping[str, Any], cards: Sequence[Card]) -> str:
    """Return the text of ``licences.md``: the licence and restrictions of each source dataset."""
    return rendered("licences.md.jinja", manifest=manifest, cards=cards)
