"""Charts are well-formed, show every sample and every share, and are the same each time."""

import xml.etree.ElementTree as ET
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from surgqa.ontology.continuations import ERROR_TYPES, LAPAROSCOPIC, NEUROSURGICAL
from surgqa.ontology.keys import bytes_digest
from surgqa.transforms.scoring.surgveo.cells import error_shares
from surgqa.transforms.scoring.surgveo.charts import density, outline, shares_chart, violin_chart
from tests.transforms.scoring.surgveo.gold import gold_cells, gold_rows

SVG = "{http://www.w3.org/2000/svg}"
POINTS = st.lists(st.integers(2, 10).map(lambda k: Fraction(k, 2)), min_size=1, max_size=20)


def texts(data):
    return [one.text for one in ET.fromstring(data).iter(f"{SVG}text")]


def test_violins_of_all_cells_with_their_means():
    rows = gold_rows()
    for track in (LAPAROSCOPIC, NEUROSURGICAL):
        data = violin_chart(rows, track)
        assert data == violin_chart(rows[::-1], track)
        assert len(list(ET.fromstring(data).iter(f"{SVG}polygon"))) == 24
        means = [printed.split()[0] for key, (printed, _, _) in gold_cells().items()
                 if key[0] == track]  # fmt: skip
        assert sorted(set(means)) == sorted(set(texts(data)) & set(means))


def test_charts_keep_their_layout():
    """Every word, line and bar is where it was designed: numbers are fractions, not pixels."""
    rows = gold_rows()
    found = [violin_chart(rows, LAPAROSCOPIC), shares_chart(error_shares(rows))]
    assert [bytes_digest(one)[:12] for one in found] == ["b95a07348f26", "bb41faaed06f"]


def test_shapes_stay_inside_the_picture():
    root = ET.fromstring(violin_chart(gold_rows(), LAPAROSCOPIC))
    width, height = int(root.get("width")), int(root.get("height"))
    for shape in root.iter(f"{SVG}polygon"):
        for point in shape.get("points").split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= width
            assert 0 <= y <= height


@given(POINTS)
def test_an_outline_spans_its_points_and_is_widest_at_one(points):
    found = outline(points)
    assert (found[0][0], found[-1][0]) == (min(points), max(points))
    assert max(width for _, width in found) == 1
    assert all(0 < width <= 1 or width == 0 for _, width in found)


def test_density_is_one_at_a_lone_point_and_nothing_far_away():
    assert density([Fraction(3)], Fraction(3)) == 1
    assert density([Fraction(3)], Fraction(4)) == 0


def test_shares_are_written_with_their_counts():
    found = error_shares(gold_rows())
    data = shares_chart(found)
    assert data == shares_chart(found)
    words = texts(data)
    assert "laparoscopic: 64 marks" in words
    assert "4 (6.2 %)" in words
    assert "31 (22.0 %)" in words
    assert sum(one in ERROR_TYPES.values() for one in words) == 12
    root = ET.fromstring(data)
    lengths = [float(one.get("width")) for one in root.iter(f"{SVG}rect")][1:]
    assert lengths[3] == max(lengths[:6])
    assert shares_chart([]).startswith(b"<svg")
