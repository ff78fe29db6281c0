"""Build the demonstration dataset in one process and on the local cluster, and compare both.

    demo.py [--run DIR] [--out DIR]

The exit status is 1 if the two outputs differ.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import cluster
import fetch


def main() -> int:
    """Generate a dataset, build it twice, print both digests."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", type=Path, default=cluster.HOME / "run")
    parser.add_argument("--out", type=Path, default=cluster.HOME / "demo")
    asked = parser.parse_args()
    running = cluster.Cluster(cluster.HOME, asked.run)
    status = running.status()
    if not status["processes"]:
        fetch.say("error: no cluster runs here; start one with 'make flink-up'")
        return 3
    _surgqa("demo", "--out", str(asked.out))
    fetch.say("\nthe same questions in one process and on Flink:")
    found = {
        name: _build(asked.out, name, options)
        for name, options in {
            "direct": [],
            "flink": [
                "--", f"--flink_master={status['master']}", "--environment_type=EXTERNAL",
                f"--environment_config={status['pool']}",
            ],
        }.items()
    }  # fmt: skip
    return 0 if len(set(found.values())) == 1 else 1


def _build(out: Path, runner: str, options: list[str]) -> str:
    begin = time.monotonic()
    _surgqa(
        "build", "--dataset", "cholect50", "--root", str(out / "dataset"), "--benchmark",
        "surgstu", "--out", str(out / runner), "--runner", runner, *options,
    )  # fmt: skip
    digest: str = json.loads((out / runner / "manifest.json").read_bytes())["digest"]
    print(f"{runner:<8}{digest}  {time.monotonic() - begin:.1f} s")
    return digest


def _surgqa(*arguments: str) -> None:
    variables = {**os.environ, "PYTHONPATH": str(cluster.HERE.parents[2])}
    subprocess.run(
        [sys.executable, "-m", "surgqa.pipeline.cli", "--quiet", *arguments],
        check=True, env=variables, stdout=subprocess.DEVNULL,
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
