"""What is held out is settled by digest, once, by whole surgeries where there are enough."""

from __future__ import annotations

import pytest

from ontology.errors import UserError
from tests.transforms.labelling.conftest import SECOND
from transforms.labelling.choose import HeldOut, Stretch, hold_out
from transforms.labelling.rounds import Project
from transforms.labelling.settings import HoldingOut
from transforms.labelling.view import FolderView


def names(count: int) -> dict[str, list]:
    return {f"V{n}": [] for n in range(count)}


@pytest.mark.parametrize(("videos", "share", "held"), [(10, 0.2, 2), (3, 0.2, 1), (5, 0.5, 3)])
def test_whole_videos_where_the_share_makes_one(store, videos, share, held):
    found = hold_out(FolderView(store(names(videos))), HoldingOut(share))
    assert found.by == "video"
    assert len(found.stretches) == held
    assert all(one.end_us is None for one in found.stretches)


def test_videos_of_one_surgery_stay_together(store):
    facts = {f"V{n}": {"split_group": f"P{n // 2}"} for n in range(10)}
    found = hold_out(FolderView(store(names(10), facts=facts)), HoldingOut(0.4))
    groups = [int(one.video_id[1]) // 2 for one in found.stretches]
    assert len(found.stretches) == 4
    assert all(groups.count(one) == 2 for one in groups)


def test_stretches_of_few_videos(store):
    found = hold_out(FolderView(store(names(1), seconds=200)), HoldingOut(0.2))
    assert found.by == "stretch"
    assert [one.end_us - one.start_us for one in found.stretches] == [30 * SECOND]
    sides = [
        sum(found.holds("V0", s * SECOND) for s in range(200)),
        sum(found.allows("V0", s * SECOND) for s in range(200)),
    ]
    assert sides == [30, 166] or sides == [30, 168]  # two seconds on each side are for neither


def test_short_videos_are_held_out_in_shorter_stretches(store):
    found = hold_out(FolderView(store(names(1))), HoldingOut(0.25))
    held = [s for s in range(20) if found.holds("V0", s * SECOND)]
    assert 4 <= len(held) <= 6


def test_guard_keeps_both_sides_apart():
    held = HeldOut(0.2, "stretch", 2 * SECOND, (Stretch("A", 10 * SECOND, 20 * SECOND),))
    allowed = [s for s in range(5, 25) if held.allows("A", s * SECOND)]
    assert allowed == [5, 6, 7, 22, 23, 24]
    assert held.allows("B", 15 * SECOND)


@pytest.mark.parametrize("share", [0, 1, -0.5, 2])
def test_no_share(store, share):
    with pytest.raises(UserError, match="not a share"):
        hold_out(FolderView(store(names(3))), HoldingOut(share))


def test_one_frame_cannot_be_divided(store):
    with pytest.raises(UserError, match="not enough video"):
        hold_out(FolderView(store(names(1), seconds=1)), HoldingOut())


def test_it_never_changes_for_a_store(store):
    folder = store(names(5))
    first = Project.begun(folder, FolderView(folder), HoldingOut(0.4), True).held_out
    later = Project.begun(folder, FolderView(folder), HoldingOut(0.2, seed=7), False).held_out
    assert later == first == Project(folder).held_out
    with pytest.raises(UserError, match="fixed for this store"):
        Project.begun(folder, FolderView(folder), HoldingOut(0.2), True)


def test_videos_that_come_later_are_for_training(store, tmp_path):
    from tests.transforms.labelling.conftest import write_store

    folder = store(names(5))
    first = Project.begun(folder, FolderView(folder), HoldingOut(0.4), True)
    write_store(folder, {f"W{n}": [] for n in range(20)})
    project = Project.begun(folder, FolderView(folder), HoldingOut(0.4), True)
    assert project.held_out == first.held_out
    assert all(project.held_out.allows(f"W{n}", 0) for n in range(20))
