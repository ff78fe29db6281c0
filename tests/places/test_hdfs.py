"""HDFS against a small stand-in of our own for a name node's WebHDFS.

The stand-in answers the calls that are made and keeps files in a folder.  It shows that
our side is consistent, not that a real cluster agrees.
"""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from surgqa.ontology.errors import UserError
from surgqa.ontology.files import listed
from surgqa.transforms.places import RemotePath, configure, copy_tree, place, remove_tree


class NameNode(BaseHTTPRequestHandler):
    """WebHDFS over the folder ``root``."""

    root: Path

    def log_message(self, *_: object) -> None:
        pass

    def handle_any(self) -> None:
        url = urlsplit(self.path)
        self.asked = {name: values[0] for name, values in parse_qs(url.query).items()}
        self.file = self.root / unquote(url.path).removeprefix("/webhdfs/v1").lstrip("/")
        getattr(self, "do_" + self.asked["op"].lower())()

    do_GET = do_PUT = do_DELETE = handle_any

    def answer(self, body: object, status: int = 200, **headers: str) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        kind = "octet-stream" if isinstance(body, bytes) else "json"
        self.send_header("Content-Type", f"application/{kind}")
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def refuse(self, exception: str, message: str, status: int) -> None:
        self.answer({"RemoteException": {"exception": exception, "message": message}}, status)

    def status_of(self, path: Path) -> dict:
        folder = path.is_dir()
        return {
            "pathSuffix": "" if path == self.file else path.name,
            "type": "DIRECTORY" if folder else "FILE",
            "length": 0 if folder else path.stat().st_size,
            "modificationTime": 0,
        }

    def do_getfilestatus(self) -> None:
        if self.file.exists():
            self.answer({"FileStatus": self.status_of(self.file)})
        else:
            self.refuse("FileNotFoundException", f"File does not exist: {self.file.name}", 404)

    def do_liststatus(self) -> None:
        entries = [self.status_of(path) for path in self.file.iterdir()]
        self.answer({"FileStatuses": {"FileStatus": entries}})

    def do_open(self) -> None:
        start, length = int(self.asked.get("offset", 0)), self.asked.get("length")
        data = self.file.read_bytes()[start:]
        self.answer(data[: int(length)] if length else data)

    def do_create(self) -> None:
        if "second" not in self.asked:
            port = self.server.server_address[1]
            self.answer({}, 307, Location=f"http://127.0.0.1:{port}{self.path}&second=1")
        elif self.file.exists() and self.asked.get("overwrite") != "true":
            self.refuse("FileAlreadyExistsException", "it is there", 403)
        else:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            self.file.write_bytes(self.body())
            self.answer({}, 201)

    def body(self) -> bytes:
        data = b""
        while size := int(self.rfile.readline(), 16):
            data += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return data

    def do_delete(self) -> None:
        there = self.file.exists()
        if self.file.is_dir():
            shutil.rmtree(self.file)
        elif there:
            self.file.unlink()
        self.answer({"boolean": there})

    def do_rename(self) -> None:
        target = self.root / self.asked["destination"].lstrip("/")
        free = not target.exists()
        if free:
            self.file.rename(target)
        self.answer({"boolean": free})

    def do_mkdirs(self) -> None:
        self.file.mkdir(parents=True, exist_ok=True)
        self.answer({"boolean": True})


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[RemotePath]:
    """A folder of the stand-in."""
    node = type("Node", (NameNode,), {"root": tmp_path / "hdfs"})
    (tmp_path / "hdfs").mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), node)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    port = server.server_address[1]
    configure(["--hdfs_host=127.0.0.1", f"--hdfs_port={port}", "--hdfs_user=nurse"])
    folder = place("hdfs://data/surgery")
    assert isinstance(folder, RemotePath)
    yield folder
    configure([])
    server.shutdown()
    thread.join()
    server.server_close()


def test_files_are_written_read_and_listed(cluster, tmp_path):
    assert not cluster.exists()
    (cluster / "labels/VID01.json").write_bytes(b"{}")
    (cluster / "labels/VID01.json").write_bytes(b"[12]")
    assert (tmp_path / "hdfs/data/surgery/labels/VID01.json").read_bytes() == b"[12]"
    path = cluster / "labels" / "VID01.json"
    assert path.is_file() and not path.is_dir() and path.stat().st_size == 4
    assert path.read_bytes() == b"[12]"
    with path.open("rb") as file:
        assert file.read(1) + file.read() == b"[12]" and file.seek(1) == 1 and file.read(2) == b"12"
    with (cluster / "labels" / "empty").open("wb"):
        pass
    assert [p.name for p in listed(cluster / "labels")] == ["VID01.json", "empty"]
    assert [str(p) for p in cluster.files_below()] == [f"{path}", f"{path.parent}/empty"]


def test_folders_are_real(cluster):
    (cluster / "new" / "deep").mkdir(parents=True)
    assert (cluster / "new" / "deep").is_dir() and not (cluster / "new" / "deep").is_file()
    assert list((cluster / "new" / "deep").iterdir()) == []
    remove_tree(cluster / "new")
    assert not (cluster / "new").exists()
    remove_tree(cluster / "new")


def test_moving_replaces_and_deleting_is_told(cluster, tmp_path):
    (cluster / "a").write_bytes(b"a")
    (cluster / "b").write_bytes(b"b")
    assert (cluster / "a").replace(cluster / "b") == cluster / "b"
    assert (cluster / "b").read_bytes() == b"a" and not (cluster / "a").exists()
    for ask in ((cluster / "a").unlink, (cluster / "a").read_bytes, (cluster / "a").stat):
        with pytest.raises(FileNotFoundError):
            ask()
    copy_tree(cluster, cluster.parent / "copy")
    copy_tree(cluster, tmp_path / "local")
    assert (tmp_path / "local" / "b").read_bytes() == b"a"
    assert (cluster.parent / "copy" / "b").read_bytes() == b"a"
    (cluster / "b").unlink()
    assert list(cluster.iterdir()) == []


def test_a_node_that_is_not_named_or_not_there_is_told():
    configure([])
    with pytest.raises(UserError, match="hdfs:// cannot be used") as caught:
        place("hdfs://data/x").is_dir()
    assert caught.value.found == "hdfs_host is not set"
    configure(["--hdfs_host=127.0.0.1", "--hdfs_port=1", "--hdfs_user=nurse"])
    with pytest.raises(OSError, match="refused"):
        place("hdfs://data/x").is_dir()
    configure([])
