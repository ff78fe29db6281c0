"""Default settings of observing: another value gives other evidence."""

from __future__ import annotations

from surgqa.transforms.evidence.curate import settings as curate
from surgqa.transforms.evidence.derive import settings as derive
from surgqa.transforms.evidence.detect import settings as detect
from surgqa.transforms.evidence.link import settings as link
from surgqa.transforms.evidence.privacy import settings as privacy
from surgqa.transforms.evidence.quality import measures as quality
from surgqa.transforms.evidence.segment import settings as segment
from surgqa.transforms.evidence.speech import settings as speech
from tests.defaults import digest_of_defaults
from tests.each import cases

MEASURED = {
    curate.DuplicateSettings: "0fc98aebe136",
    curate.CurateSettings: "094c9779b4c7",
    derive.MotionLimits: "6c5a0362b34f",
    derive.ContactLimits: "f68319e58ee2",
    derive.CueLimits: "b330617cbec0",
    derive.PresenceLimits: "2bfef073e490",
    derive.TissueLimits: "c933e413663f",
    derive.ShotLimits: "5c7fb453d9ae",
    derive.HierarchyLimits: "8e6d3460109a",
    detect.DetectSettings: "5d04507237bd",
    detect.TrainSettings: "2d33c98826ab",
    link.LinkSettings: "6782d05f5864",
    privacy.StillSettings: "e2c5bf4b1038",
    privacy.FindSettings: "e8419e20c94b",
    privacy.SaidSettings: "eb5746331368",
    privacy.PrivacySettings: "ed879f075175",
    quality.QualitySettings: "c03e7d7889d1",
    segment.MaskSettings: "99cae9df729f",
    segment.SegmentSettings: "d4fef8f99271",
    speech.SpeechSettings: "d2a8d078bec9",
}


@cases(("of", "golden"), MEASURED.items())
def test_defaults_are_those_that_were_measured(of: type, golden: str):
    assert digest_of_defaults(of) == golden, "evidence changes: say so in CHANGELOG"
