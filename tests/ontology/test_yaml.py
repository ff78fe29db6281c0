"""YAML without surprises: what stays text, what is refused, and where it stood."""

import pytest

from surgqa.ontology.errors import UserError
from surgqa.ontology.yaml import read_yaml


def value(text: str):
    return read_yaml(f"key: {text}\n", "file.yaml").data["key"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("no", "no", id="no-is-text"),
        pytest.param("yes", "yes", id="yes-is-text"),
        pytest.param("on", "on", id="on-is-text"),
        pytest.param("true", True, id="true"),
        pytest.param("010", 10, id="leading-zero-is-decimal"),
        pytest.param("0o10", 8, id="octal-as-written"),
        pytest.param("1.50", 1.5, id="float"),
        pytest.param("1e3", 1000.0, id="exponent"),
        pytest.param("12:30:45", "12:30:45", id="clock-is-text"),
        pytest.param("2024-01-02", "2024-01-02", id="date-is-text"),
        pytest.param("~", None, id="null"),
        pytest.param("", None, id="empty"),
        pytest.param("'12'", "12", id="quoted-number-is-text"),
        pytest.param("'<<'", "<<", id="quoted-merge-sign-is-text"),
        pytest.param("[1, two, {a: b}]", [1, "two", {"a": "b"}], id="nested"),
    ],
)
def test_values(text, expected):
    found = value(text)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        pytest.param("a: 1\nb: 2\na: 3\n", "3:1", "duplicate key", id="duplicate-key"),
        pytest.param("x:\n  a: 1\n  a: 2\n", "3:3", "duplicate key", id="duplicate-inner-key"),
        pytest.param("a: &x 1\nb: 2\n", "1:4", "anchors", id="anchor"),
        pytest.param("a: &x [1]\nb: *x\n", "1:4", "anchors", id="alias"),
        pytest.param("a: !new 1\n", "1:4", "tags", id="tag"),
        pytest.param("a: !!python/name:os.system x\n", "1:4", "tags", id="python-tag"),
        pytest.param("a:\n  <<: {b: 1}\n", "2:3", "merge keys", id="merge-key"),
        pytest.param("%YAML 1.1\n---\na: no\n", "1:1", "directives", id="older-version"),
        pytest.param("a: 1\n---\nb: 2\n", "2:1", "second document", id="two-documents"),
        pytest.param("a: {b: 1\n", "2:1", "expected", id="open-brace"),
        pytest.param("\ta: 1\n", "1:1", "cannot start any token", id="tab"),
    ],
)
def test_refused_with_the_place(text, place, problem):
    with pytest.raises(UserError) as raised:
        read_yaml(text, "file.yaml")
    assert raised.value.where == f"file.yaml:{place}"
    assert problem in raised.value.found


def test_a_character_yaml_does_not_allow_is_a_user_error():
    with pytest.raises(UserError, match="not valid YAML"):
        read_yaml("a: \x07\n", "file.yaml")


def test_a_byte_order_mark_and_windows_line_ends_are_accepted():
    assert read_yaml("\ufeffa: 1\r\nb: no\r\n", "file.yaml").data == {"a": 1, "b": "no"}


def test_lines_of_keys_and_items():
    text = read_yaml("# title\na: 1\nb:\n  - x\n  - c: 2\n    d: 3\n", "file.yaml")
    expected = {("a",): 2, ("b",): 3, ("b", 0): 4, ("b", 1): 5, ("b", 1, "c"): 5, ("b", 1, "d"): 6}
    assert {path: line for path, (line, _) in text.keys.items()} == expected
    assert text.place(("b", 1, "c")) == (5, 8), "a value's own place"
    assert text.place(("b", 1, "c"), key=True) == (5, 5)
    assert text.line(("b", 1, "d")) == 6
    assert text.line(("b", 1, "missing", 7)) == 5, "the nearest known ancestor"
    assert text.line(("missing",)) == 1


def test_an_empty_file_is_nothing():
    assert read_yaml("", "file.yaml").data is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("a: " + "[" * 300 + "]" * 300, "nested 50 deep", id="300 lists"),
        pytest.param("a: " + "[" * 100_000, "nested 50 deep", id="100,000 lists"),
        pytest.param("a: " + '{"a": ' * 300 + "1" + "}" * 300, "nested 50 deep", id="objects"),
        pytest.param(
            "\n".join(f"- wording {k}" for k in range(20_001)), "20,000 values", id="long"
        ),
        pytest.param("a: [" + "[]," * 20_000 + "]", "20,000 values", id="many lists"),
        pytest.param(f"a: {2**63}", "64 bits", id="one above 64 bits"),
        pytest.param(f"a: {-(2**63) - 1}", "64 bits", id="one below"),
        pytest.param("a: " + "9" * 5000, "64 bits", id="5,000 digits"),
        pytest.param("a: 0x" + "f" * 20, "64 bits", id="hexadecimal"),
        pytest.param("9" * 30 + ": a", "64 bits", id="a key"),
    ],
)
def test_what_no_file_needs_is_refused(text: str, said: str) -> None:
    with pytest.raises(UserError) as raised:
        read_yaml(text, "x.yaml")
    assert said in raised.value.found and raised.value.where.startswith("x.yaml:")


def test_what_is_at_the_bounds_is_read() -> None:
    data = read_yaml(f"a: {2**63 - 1}\nb: {-(2**63)}\nc: '{'9' * 40}'\nd: {'9' * 17}.5", "x").data
    assert (data["a"], data["b"], data["c"]) == (2**63 - 1, -(2**63), "9" * 40)
    deep = read_yaml("[" * 50 + "]" * 50, "x").data
    while deep:
        (deep,) = deep
