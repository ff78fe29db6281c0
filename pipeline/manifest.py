"""The manifest: inputs, settings, files and digests of an output, and its row counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from surgqa.ontology.keys import bytes_digest
from surgqa.ontology.observed import MASKING
from surgqa.ontology.plugins import release
from surgqa.ontology.rows import SCHEMA_VERSION

Info = Mapping[str, Any]

MANIFEST = "manifest.json"
SCHEMA = "surgqa/manifest-v1"
DOCUMENTS = ("README.md", "config.yaml", "croissant.json", "licences.md", "report.html")
"""Documents that every output has."""


def manifest_bytes(manifest: Mapping[str, Any]) -> bytes:
    """Return the bytes of the manifest file."""
    return orjson.dumps(dict(manifest), option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS) + b"\n"


def signed(manifest: Mapping[str, Any], documents: Mapping[str, str]) -> dict[str, Any]:
    """Return the manifest with digests of the documents, so that a change of one is detected.

    The list includes a digest of the manifest itself without this list.
    """
    rest = {key: value for key, value in manifest.items() if key != "documents"}
    return {**rest, "documents": {**documents, MANIFEST: bytes_digest(manifest_bytes(rest))}}


def ours(data: bytes) -> dict[str, str | None] | None:
    """Map each file of an output to its digest; None if surgqa did not write the manifest.

    The digests of documents are None for outputs of older versions, which did not record them.
    """
    try:
        manifest = orjson.loads(data)
        if manifest["schema"] != SCHEMA:
            return None
        documents: dict[str, str | None] = dict(manifest.get("documents") or {})
        whole = signed(manifest, {})["documents"][MANIFEST] == documents.get(MANIFEST)
        mine = bytes_digest(data) if whole and data == manifest_bytes(manifest) else None
        return (
            {name: documents.get(name) for name in DOCUMENTS} | manifest["files"] | {MANIFEST: mine}
        )
    except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError, ValueError):
        return None


def digest_of(files: Mapping[str, str]) -> str:
    """Return the digest of an output: SHA-256 over the lines ``path sha256``, sorted by path."""
    lines = "".join(f"{path} {sha}\n" for path, sha in sorted(files.items()))
    return bytes_digest(lines.encode())


def make_manifest(
    settings: Mapping[str, Any],
    templates: Mapping[str, Mapping[str, Any]],
    readers: Mapping[str, int],
    parts: Sequence[Info],
    failed: Sequence[Info],
    files: Sequence[Info],
    dropped: Mapping[str, int],
    excluded: Sequence[Mapping[str, Any]] = (),
    review: Mapping[str, Any] | None = None,
    shares: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Return the manifest: everything needed to verify, repeat or compare the dataset.

    Args:
        templates: for each id, the version and digest.
        dropped: for each template, the number of items that balancing or reviewers dropped.
        excluded: videos that were found but left out, as rows of ``rejected/``.
        review: the outcome of the reviewers' decisions, if any were applied.
        shares: the achieved shares of answers, for templates that state shares.
    """
    paths = {f["path"]: f["sha256"] for f in files}
    return {
        "schema": SCHEMA,
        "row_schema": SCHEMA_VERSION,
        "version": release("surgqa") or "0.1.0",
        "digest": digest_of(paths),
        "digests": {
            kind: digest_of({p: s for p, s in paths.items() if p.endswith(f".{kind}")})
            for kind in ("parquet", "jsonl")
        },
        "settings": dict(settings),
        "settings_digest": bytes_digest(
            orjson.dumps([dict(settings), templates, readers], option=orjson.OPT_SORT_KEYS)
        ),
        "packages": {name: release(name) for name in ("apache-beam", "pyarrow", "numpy")},
        "readers": dict(readers),
        "masking": MASKING,
        "templates": dict(templates),
        "items": _items(parts, files, dropped),
        "ledger": _ledger(parts),
        "books": _row_counts(parts, failed, dropped, len(excluded)),
        "rejected": _summed(info["rejected"] for info in parts),
        "dropped": dict(dropped),
        **({"review": dict(review)} if review else {}),
        "shares": [dict(one) for one in shares],
        "excluded": [{"key": row["key"], "reason": row["reason"]} for row in excluded],
        "failed": [
            {"key": info["key"], "code": info["code"], "error": info["failed"]} for info in failed
        ],
        "inputs": [_input(info) for info in parts],
        "files": paths,
    }


def _input(info: Info) -> dict[str, Any]:
    keep = ("dataset", "video_id", "split", "split_group", "windows", "media")
    sources = [{"path": path, "sha256": sha} for path, sha in info["sources"]]
    return {
        **{key: info[key] for key in keep},
        "rows": sum(info["rows"].values()),
        "sources": sources,
    }


def _summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for part in counts:
        total.update(part)
    return dict(sorted(total.items()))


def _items(
    parts: Sequence[Info], files: Sequence[Info], dropped: Mapping[str, int]
) -> dict[str, Any]:
    """Return, for each benchmark, the number of items in total, by template and by split."""
    out: dict[str, Any] = {}
    by_template = _summed(info["templates"] for info in parts)
    by_split: dict[str, Counter[str]] = {}
    counted = set()
    for file in files:
        stem, _, _ = file["path"].rpartition(".")
        if file["path"].startswith("data/") and stem not in counted:
            counted.add(stem)
            _, benchmark, name = stem.split("/")
            split = name.rsplit("-", 3)[0]
            by_split.setdefault(benchmark, Counter())[split] += file["rows"]
    for benchmark, splits in sorted(by_split.items()):
        mine = {
            t: n - dropped.get(t, 0)
            for t, n in by_template.items()
            if t.startswith(f"{benchmark}.")
        }
        out[benchmark] = {
            "total": sum(splits.values()),
            "by_template": mine,
            "by_split": dict(sorted(splits.items())),
        }
    return out


def _ledger(parts: Sequence[Info]) -> dict[str, Any]:
    """Return, for each template, the numbers of units and of units with items, and the reasons for
    the rest.
    """
    reasons: dict[str, Counter[str]] = {}
    for info in parts:
        for template, found in info["declined"].items():
            reasons.setdefault(template, Counter()).update(found)
    asked = _summed(info["asked"] for info in parts)
    return {
        template: {
            "units": asked.get(template, 0) + reasons.get(template, Counter()).total(),
            "asked": asked.get(template, 0),
            "declined": dict(sorted(reasons.get(template, Counter()).items())),
        }
        for template in sorted({*asked, *reasons})
    }


def _row_counts(
    parts: Sequence[Info], failed: Sequence[Info], dropped: Mapping[str, int], excluded: int
) -> list[dict[str, Any]]:
    """Return the row counts of each stage over the whole run; read = kept + rejected + failed."""
    total: dict[tuple[str, str], list[int]] = {}
    for info in parts:
        for stage, unit, *numbers in info["books"]:
            line = total.setdefault((stage, unit), [0, 0, 0, 0])
            for k, number in enumerate(numbers):
                line[k] += number
    read = len(parts) + len(failed) + excluded
    items = sum(sum(info["rows"].values()) for info in parts)
    lost = sum(dropped.values())
    total = {
        ("plan", "videos"): [read, len(parts), excluded, len(failed)],
        **total,
        ("choose", "items"): [items, items - lost, lost, 0],
    }
    names = ("read", "kept", "rejected", "failed")
    return [
        {"stage": stage, "unit": unit, **dict(zip(names, numbers, strict=True))}
        for (stage, unit), numbers in total.items()
    ]
