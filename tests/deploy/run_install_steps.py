"""Carries out the install steps of an image without a container engine.

    python -m tests.deploy.run_install_steps FOLDER [--stage slim]

The ``COPY`` and ``RUN`` lines of the Dockerfile are taken as they are, with FOLDER put before
the paths they name.  ``/usr/local``, Python's home in the image, is a virtual environment
that is emptied before an image is put together, as an image has nothing of the stages that
packages were made in.  HOME is new and empty, and of this process's variables only those of
pip, proxies and certificates are handed on.

Not covered: the base image itself (its libraries, its user), which needs a container engine.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.deploy import dockerfile

ROOT = Path(__file__).resolve().parent.parent.parent
HOMES = ("/build", "/install", "/application", "/models", "/usr/local")
_HOME = re.compile(rf"(?<![\w./-])({'|'.join(HOMES)})(?![\w-])")
_KEPT = re.compile(r"(PIP_|SSL_|REQUESTS_|HTTPS?_PROXY|NO_PROXY|PATH$)", re.IGNORECASE)


class Image:
    """A folder in which stages of a Dockerfile are carried out."""

    def __init__(self, folder: Path, stages: dict[str, dockerfile.Stage]) -> None:
        self.folder = folder.resolve()
        self.stages = stages
        self.python_home = self.folder / "usr" / "local"
        self._done: set[str] = set()
        self._cwd = self.folder

    def make(self, name: str) -> None:
        """Carry out a stage, on a fresh Python, after those that it copies from."""
        lineage = dockerfile.chain(self.stages, name)
        self._renew_python()
        for text in [text for stage in lineage for text in stage.texts("COPY")]:
            source = re.match(r"--from=(\S+)", text)
            if source:
                self._carry_out(dockerfile.chain(self.stages, source[1]))
        self._renew_python()
        self._carry_out(lineage)

    def environment(self, extra: dict[str, str]) -> dict[str, str]:
        """The variables of a process in the image."""
        home = self.folder / "home" / "surgqa"
        home.mkdir(parents=True, exist_ok=True)
        kept = {name: value for name, value in os.environ.items() if _KEPT.match(name)}
        path = f"{self.python_home / 'bin'}{os.pathsep}{kept.get('PATH', '')}"
        return {**kept, **extra, "HOME": str(home), "PATH": path}

    def _renew_python(self) -> None:
        shutil.rmtree(self.python_home, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(self.python_home)], check=True)

    def _carry_out(self, lineage: list[dockerfile.Stage]) -> None:
        variables = dockerfile.variables(lineage)
        for stage in lineage:
            if stage.name == "base" or stage.name in self._done:
                continue
            self._done.add(stage.name)
            for one in stage.instructions:
                if one.name == "WORKDIR" and one.text.startswith("/build"):
                    self._cwd = self._at(one.text)
                    self._cwd.mkdir(parents=True, exist_ok=True)
                elif one.name == "COPY":
                    self._copy(one.words)
                elif one.name == "RUN":
                    self._run(one.text, variables)

    def _run(self, text: str, variables: dict[str, str]) -> None:
        command = _HOME.sub(lambda found: f"{self.folder}{found[1]}", text)
        environment = self.environment(variables)
        subprocess.run(["/bin/sh", "-c", command], cwd=self._cwd, env=environment, check=True)

    def _copy(self, words: list[str]) -> None:
        if words[0].startswith("--from="):
            shutil.copytree(self._at(words[1]), self._at(words[2]), dirs_exist_ok=True)
            return
        patterns = (ROOT / ".dockerignore").read_text(encoding="utf-8").split("\n")
        patterns = [line for line in patterns if line and not line.startswith("#")]
        target, source = self._at(words[1]), ROOT / words[0]
        for path in sent(source, patterns):
            to = target / path.relative_to(source)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, to, follow_symlinks=False)

    def _at(self, path: str) -> Path:
        return self.folder / path.lstrip("/")


def sent(source: Path, patterns: list[str]) -> list[Path]:
    """Files of a folder of the repository that the build context has."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "."],
        cwd=source, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    paths = [source / name for name in sorted(filter(None, listed.split("\0")))]
    return [
        path for path in paths
        if path.exists() and dockerfile.is_sent(path.relative_to(ROOT).as_posix(), patterns)
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folder", type=Path, help="a new folder, of about 1 GB")
    parser.add_argument("--stage", default="slim")
    given = parser.parse_args()
    Image(given.folder, dockerfile.read(ROOT / "Dockerfile")).make(given.stage)


if __name__ == "__main__":
    main()
