"""Default settings of labelling: another value chooses and keeps other labels."""

from __future__ import annotations

from surgqa.transforms.labelling import settings
from tests.defaults import digest_of_defaults
from tests.each import cases

MEASURED = {
    settings.SignWeights: "a91400f3cc2e",
    settings.Choosing: "4203baae2253",
}


@cases(("of", "golden"), MEASURED.items())
def test_defaults_are_those_that_were_measured(of: type, golden: str):
    assert digest_of_defaults(of) == golden, "other labels are chosen: say so in CHANGELOG"
