"""Items as dialogues, with the clips and pictures that are cut for them."""

from __future__ import annotations

import io

import av
import cv2
import numpy as np
import pytest

from surgqa.transforms.exports.talking import DialogueForm, Talks
from surgqa.transforms.media import cutting
from surgqa.transforms.media.cutting import do_piece, outcomes, pieces_of
from tests.transforms.exports.talked import (
    MEDIA,
    S,
    item,
    picture,
    second_of,
    store_of,
    write_media,
    write_output,
)


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """An output and its recordings."""
    desk = tmp_path_factory.mktemp("talks")
    write_output(desk / "out")
    write_media(desk / "root")
    return desk


def talked(desk, media, **more):
    """(dialogues by their first item's number, what was left out by number)."""
    from surgqa.transforms.store import OutputFolder

    store = store_of(desk / "store", desk / "root")
    talks = Talks(OutputFolder(desk / "out"), DialogueForm(media, **more), io.BytesIO())
    pieces = pieces_of(talks.requests())
    for one in pieces:
        do_piece(one, store)
    found = {number(one.turns[0]): one for one in talks.dialogues(outcomes(pieces, store))}
    return found, {int(one["item_id"], 16): one["reason"] for one in talks.left_out}


def number(turn):
    return int(turn.item_id, 16)


def texts(turn):
    return [text for kind, text in turn.parts if kind == "text"]


def seconds(desk, path):
    """The seconds that a clip shows, read off its pictures."""
    with av.open(str(desk / "store" / path.removeprefix("media/"))) as box:
        return [second_of(one.to_ndarray(format="rgb24")) for one in box.decode(video=0)]


def test_questions_about_one_clip_are_one_dialogue_with_one_clip(desk):
    found, _ = talked(desk, "clips")
    one = found[1]
    assert [number(turn) for turn in one.turns] == [1, 2]
    assert [turn.answer for turn in one.turns] == ["answer 1", "B"]
    assert [len(turn.parts) for turn in one.turns] == [3, 1]
    assert texts(one.turns[0])[0] == "Video from 0.00 s to 10.00 s:"
    (path,) = one.media("video")
    assert seconds(desk, path) == list(range(10, 20))


def test_each_question_by_itself(desk):
    found, _ = talked(desk, "none", turns="item")
    assert [len(found[n].turns) for n in (1, 2, 3)] == [1, 1, 1]
    assert not found[1].media("video") and "What is question 1?" in texts(found[1].turns[0])[0]


def test_a_chain_is_asked_in_order_each_stage_with_its_stretch(desk):
    found, _ = talked(desk, "clips")
    turns = found[5].turns
    assert [number(turn) for turn in turns] == [5, 6, 4]
    shown = [seconds(desk, text) for turn in turns for kind, text in turn.parts if kind == "video"]
    assert shown == [list(range(20, 36)), list(range(24, 32)), list(range(20, 40))]
    assert texts(turns[1])[0] == "Video from 24.00 s to 32.00 s:"


def test_a_stream_shows_in_each_turn_what_came_since(desk):
    found, _ = talked(desk, "clips")
    turns = found[7].turns
    assert [turn.answer for turn in turns] == ["unanswerable", "two", "three"]
    assert [turn.round_index for turn in turns] == [0, 1, 2]
    shown = [seconds(desk, text) for turn in turns for kind, text in turn.parts if kind == "video"]
    assert shown == [[20, 21, 22], [22, 23, 24, 25], [25, 26, 27, 28, 29, 30]]
    assert texts(turns[2])[0] == "Video from 25.00 s to 30.00 s:"


def test_pictures_are_shown_once_a_dialogue_each_behind_its_time(desk):
    found, _ = talked(desk, "frames", every_us=5 * S)
    stream = found[7].turns
    assert [texts(turn)[:-1] for turn in stream] == [
        ["Picture at 20.00 s:", "Picture at 22.00 s:"], ["Picture at 25.00 s:"],
        ["Picture at 30.00 s:"],
    ]  # fmt: skip
    at = [desk / "store" / path.removeprefix("media/") for path in found[7].media("image")]
    assert [second_of(cv2.imread(str(path))) for path in at] == [20, 22, 25, 30]
    clip = found[1].turns
    assert texts(clip[0])[:-1] == ["Picture at 0.00 s:", "Picture at 5.00 s:",
                                   "Picture at 10.00 s:"]  # fmt: skip
    assert texts(clip[1])[:-1] == ["Picture at 3.00 s:"]


def test_nothing_after_the_end_of_a_half_open_clip_is_shown(desk):
    found, _ = talked(desk, "frames", every_us=5 * S)
    at = [desk / "store" / path.removeprefix("media/") for path in found[1].media("image")]
    assert [second_of(cv2.imread(str(path))) for path in at] == [10, 15, 19, 13]


def test_a_still_is_a_picture_also_among_clips(desk):
    found, _ = talked(desk, "clips")
    (path,) = found[10].media("image")
    shown = cv2.imread(str(desk / "store" / path.removeprefix("media/")))
    assert np.abs(shown.astype(int) - picture(20)[:32, :64]).mean() < 2


def test_a_question_about_one_instant_shows_its_picture_and_no_clip(desk, tmp_path):
    write_output(tmp_path / "out", [item(1, "now", 15, 15 * S + 1, query_us=15 * S)])
    (tmp_path / "root").symlink_to(desk / "root")
    found, _ = talked(tmp_path, "clips")
    (path,) = found[1].media("image")
    assert second_of(cv2.imread(str(tmp_path / "store" / path.removeprefix("media/")))) == 15
    assert not found[1].media("video") and "You are shown pictures" in found[1].system


def test_questions_about_one_stretch_share_its_clip_whatever_instants_they_name(desk, tmp_path):
    asked = [f"What is seen at {n}.00 s?" for n in range(3)]
    rows = [item(n, "clip", 10, 20 * S, question=text) for n, text in enumerate(asked)]
    write_output(tmp_path / "out", rows)
    (tmp_path / "root").symlink_to(desk / "root")
    found, _ = talked(tmp_path, "clips", turns="question")
    assert len(found) == 3 and len({one.media("video")[0] for one in found.values()}) == 1
    assert len(list((tmp_path / "store").rglob("*.mp4"))) == 1


def test_a_limit_takes_dialogues_that_have_pictures(desk, tmp_path):
    gone = {"media": MEDIA | {"path": None, "kind": "absent"}, "video_id": "n1"}
    rows = [item(n, "now", 10, 15 * S + 1, query_us=15 * S) for n in (3, 4)]
    write_output(tmp_path / "out", [item(1, "clip", 0, 9 * S, **gone), *rows])
    (tmp_path / "root").symlink_to(desk / "root")
    assert list(talked(tmp_path, "clips", limit=1)[0]) == [3]
    found, lost = talked(tmp_path, "clips", limit=1, turns="item")
    assert len(found) == 1 and not lost
    assert len(talked(tmp_path, "none", limit=3)[0]) == 3


@pytest.mark.parametrize("media", ["clips", "frames"])
def test_what_cannot_be_seen_is_left_out_with_its_reason(desk, media):
    found, lost = talked(desk, media)
    assert sorted(lost) == [3, 9, 11]
    assert lost[3] == "no whole picture is shown at 5.00 s" or "nothing at 5.00 s" in lost[3]
    assert "6.00 s" in lost[9] and lost[11] == "the recording has annotations only"
    assert {8, 10} <= set(found)


def test_nothing_is_cut_twice(desk, tmp_path, monkeypatch):
    from surgqa.transforms.store import OutputFolder

    store = store_of(tmp_path / "store", desk / "root")
    cuts = []
    for name in ("clip_of", "picture_of"):
        real = getattr(cutting, name)
        monkeypatch.setattr(
            cutting, name, lambda film, *given, real=real: cuts.append(given) or real(film, *given)
        )
    pieces = pieces_of(
        Talks(OutputFolder(desk / "out"), DialogueForm("clips"), io.BytesIO()).requests()
    )
    for one in pieces:
        do_piece(one, store)
    first = {path.relative_to(store.place): path.read_bytes()
             for path in sorted(store.place.rglob("*")) if path.is_file()}  # fmt: skip
    made = len(cuts)
    for path in sorted(store.place.rglob("*.mp4.json"))[:2]:
        path.unlink()  # as a run leaves it that was killed before it had noted what it cut
    for one in pieces:
        do_piece(one, store)
    assert len(cuts) == made + 2
    assert first == {path.relative_to(store.place): path.read_bytes()
                     for path in sorted(store.place.rglob("*")) if path.is_file()}  # fmt: skip
