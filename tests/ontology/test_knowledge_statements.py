"""What statements may say."""

import pytest

from tests.each import cases
from tests.ontology.statements import lint_knowledge

GOOD = "A clip is closed before the duct is cut, so that neither end leaks."


@cases(
    "text",
    [
        GOOD,
        "Two clips stay on the duct and one leaves with the gallbladder.",
        "Fresh blood is bright red, and its second sign is that it grows.",
        "A needle is handed over, and the thread follows it.",
        "An adhesion is a band of scar. Cut close to the side that can spare it.",
    ],
)
def test_good_knowledge(text):
    assert lint_knowledge(text) == []


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        pytest.param("It lasts 5 s.", "a time", id="seconds"),
        pytest.param("It lasts 0.5s.", "a time", id="half"),
        pytest.param("Wait two seconds before it.", "a time", id="words"),
        pytest.param("It takes a few minutes.", "a time", id="few"),
        pytest.param("A 20-minute phase follows.", "a time", id="hyphen"),
        pytest.param("It happens at 01:23.", "a time", id="clock"),
        pytest.param("It lies at [540, 420, 80, 60].", "a box", id="box"),
        pytest.param("It lies at (12,30).", "a box", id="point"),
        pytest.param("It lies at x1=0.5.", "a box", id="named"),
        pytest.param("See frame 647.", "number of a frame", id="frame"),
        pytest.param("See frame no. 12.", "number of a frame", id="frame-no"),
        pytest.param("Picture #7 shows it.", "number of a frame", id="hash"),
        pytest.param("Video 12 shows it.", "name of a video", id="video"),
        pytest.param("It is as in VID66.", "name of a video", id="video-id"),
        pytest.param("It is as in film_a.mp4.", "name of a video", id="file"),
        pytest.param("The duct is cut in this video.", "one video", id="this"),
        pytest.param("Option B is right.", "an option", id="option"),
        pytest.param("The answer is C.", "an option", id="answer"),
        pytest.param("It is (A), the duct.", "an option", id="brackets"),
        pytest.param("B) the duct is cut.", "an option", id="list"),
        pytest.param("", "empty", id="empty"),
        pytest.param("the duct is cut.", "small letter", id="small"),
        pytest.param("The duct is cut", "full stop", id="stop"),
        pytest.param("The  duct is cut.", "stray spaces", id="spaces"),
    ],
)
def test_bad_knowledge(text, finding):
    assert any(finding in told for told in lint_knowledge(text)), lint_knowledge(text)


def test_the_videos_own_name_is_no_knowledge():
    assert lint_knowledge("It was seen in psi-17.", video_id="PSI-17")
    assert lint_knowledge(GOOD, video_id="PSI-17") == []
