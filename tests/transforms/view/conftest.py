"""One output for all tests of the view; nothing changes it."""

import json
import os
import threading

import pytest

from surgqa.transforms.review.terms import LAYER_SCHEMA
from surgqa.transforms.store import OutputFolder
from surgqa.transforms.view import Api, Database, Server
from tests.transforms.exports.surgveo.browser import NAMES, Browser, found
from tests.transforms.view import made

NEEDED = "SURGQA_NEED_CHROMIUM"


@pytest.fixture(scope="session")
def output(tmp_path_factory):
    # A quote in the name: it stands in the queries' text.
    return made.write(tmp_path_factory.mktemp("view") / "an 'output'")


@pytest.fixture(scope="session")
def root(tmp_path_factory):
    return made.write_film(tmp_path_factory.mktemp("films") / "a" / "root")


@pytest.fixture(scope="session")
def predictions(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    for name, responses in {"good": {1: "B", 2: "x"}, "bad": {1: "A", 6: made.HOSTILE}}.items():
        lines = [json.dumps({"item_id": made.ident(k), "response": text})
                 for k, text in responses.items()]  # fmt: skip
        (folder / f"{name}.jsonl").write_text("\n".join(lines))
    (folder / f"{made.MODEL}.jsonl").write_text(lines[-1])
    return [folder / "good.jsonl", folder / "bad.jsonl", folder / f"{made.MODEL}.jsonl"]


@pytest.fixture(scope="session")
def layer(tmp_path_factory):
    lines = [{"schema": LAYER_SCHEMA, "item_id": made.ident(k), "chain_id": None, "reason": "no",
              "decision": told, "reviewers": ["Dr A", made.HOSTILE], "date": "2026-11-21"}
             for k, told in ((0, "keep"), (4, "drop"), (5, "drop"))]  # fmt: skip
    file = tmp_path_factory.mktemp("reviewed") / "review.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    return file


@pytest.fixture(scope="session")
def db(output):
    return Database(OutputFolder(output))


@pytest.fixture(scope="session")
def api(output, root, predictions, layer):
    return Api(Database(OutputFolder(output)), {"films": root}, predictions, layer)


@pytest.fixture(scope="module")
def serve():
    """Serves an application until the tests of the file are done."""
    running = []

    def _serve(app):
        server = Server(app)
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        running.append((server, thread))
        return server

    yield _serve
    for server, thread in running:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """A browser; without one, the tests that need it are skipped."""
    program = found()
    if program is None and NEEDED not in os.environ:
        pytest.skip(f"needs Chromium, which is not installed; set {NEEDED} to have this fail")
    assert program, f"{NEEDED} is set and no program {', '.join(NAMES)} is on the path"
    one = Browser(program, tmp_path_factory.mktemp("browser"))
    yield one
    one.close()
