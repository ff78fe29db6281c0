"""What strangers ask of the server, and what it answers."""

import http.client
import json

import cv2
import numpy as np
import pytest

from surgqa.ontology.errors import OutputBroken, UserError
from surgqa.transforms.view import Server
from tests.transforms.view.made import S, ident


@pytest.fixture(scope="module")
def server(api, serve):
    return serve(api)


def ask(server, path, method="GET", token=None, **headers):
    """Status, headers and body of a request."""
    line = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    where = f"/{server.token if token is None else token}/{path}"
    line.request(method, where, headers={name.replace("_", "-"): v for name, v in headers.items()})
    reply = line.getresponse()
    body = reply.read()
    line.close()
    return reply.status, dict(reply.getheaders()), body


def test_the_page_and_its_answers(server):
    status, headers, body = ask(server, "")
    assert status == 200 and b"<!doctype html>" in body
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    for name in ("view.css", "main.js"):
        assert ask(server, name)[0] == 200
    status, headers, body = ask(server, "api/items?form=choice")
    assert headers["Content-Type"] == "application/json"
    assert [one["item_id"] for one in json.loads(body)["items"]] == [ident(1)]
    assert ask(server, "", "HEAD")[2] == b""


@pytest.mark.parametrize("token", ["", "x" * 32, "%00", "%c3%a9"])
def test_without_the_token_nothing_is_told(server, token):
    line = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    line.putrequest("GET", f"/{token}/api/items")
    line.endheaders()
    reply = line.getresponse()
    assert reply.status == 403 and b"item_id" not in reply.read()
    line.close()


@pytest.mark.parametrize("headers", [
    {"Host": "evil.example"}, {"Host": "127.0.0.1"}, {"Host": ""},
    {"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"},
])  # fmt: skip
def test_other_hosts_are_not_answered(server, headers):
    status, told, body = ask(server, "api/items", **headers)
    assert status == 403 and b"item_id" not in body and "Content-Security-Policy" in told


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT", "TRACE"])
def test_nothing_but_reading_is_allowed(server, method):
    status, headers, _ = ask(server, "api/items", method)
    assert status == 405 and "Access-Control-Allow-Origin" not in headers


def test_nothing_can_be_sent(server):
    home = f"http://127.0.0.1:{server.server_port}"
    assert ask(server, "api/items", "POST")[0] == 403
    told = {"Origin": home, "Content_Type": "application/json", "Content_Length": "0"}
    assert ask(server, "api/items", "POST", **told)[0] == 405


@pytest.mark.parametrize("path", [
    "../api.py", "..%2fapi.py", "/etc/passwd", "%2fetc%2fpasswd", "page/main.js", "__init__.py",
    "api/none", "api/item?id=x", "api/item", "frame", "frame?id=x&t=1", "main.js%00",
])  # fmt: skip
def test_what_is_not_there_is_not_found(server, path):
    assert ask(server, path)[0] == 404


def test_a_long_address_is_refused(server):
    assert ask(server, "api/items?q=" + "x" * 9000)[0] == 414


def frame(server, number, time_us, more=""):
    return ask(server, f"frame?id={ident(number)}&t={time_us}{more}")


def test_pictures_are_those_on_screen(server):
    status, headers, body = frame(server, 0, 12 * S)
    assert status == 200 and headers["Content-Type"] == "image/jpeg"
    picture = cv2.imdecode(np.frombuffer(body, np.uint8), cv2.IMREAD_COLOR)
    assert picture.shape == (48, 64, 3) and abs(int(picture.mean()) - 96) < 3


@pytest.mark.parametrize(("number", "time_us", "more", "status"), [
    (0, 20 * S, "", 200), (0, 20 * S + 1, "", 404), (0, 9 * S, "", 404), (0, -1, "", 404),
    (3, 15 * S, "", 200), (3, 16 * S, "", 404),
    (2, 14 * S, "", 200), (2, 14 * S, "&round=1", 404), (2, 13 * S, "&round=1", 200),
    (7, 12 * S, "", 404), (0, "x", "", 404), (0, 10**30, "", 404),
])  # fmt: skip
def test_no_picture_is_later_than_the_question_or_outside_of_the_root(
    server, number, time_us, more, status
):
    got, _, body = frame(server, number, time_us, more)
    assert got == status
    assert status == 200 or b"/" not in body


def test_files_of_this_machine_cannot_be_read_by_a_query(api, tmp_path):
    (tmp_path / "secret.csv").write_text("a\n1")
    with pytest.raises(OutputBroken):
        api.db.rows(f"SELECT * FROM read_csv('{tmp_path}/secret.csv')")
    with pytest.raises(OutputBroken):
        api.db.rows(f"COPY (SELECT 1) TO '{tmp_path}/new.csv'")
    assert api.db.count("SELECT count(*) FROM items") == 8


def test_a_taken_port_is_told(server):
    with pytest.raises(UserError, match="cannot be listened on"):
        Server(server.api, server.server_port)
