"""Which classes an operation's pictures may show."""

from __future__ import annotations

from surgqa.ontology.concepts import load_data, vocabulary
from surgqa.ontology.in_view import in_view
from tests.each import cases


@cases("kind", ["instruments", "targets"])
@cases("name", list(load_data("knowledge", "in_view")["operations"]))
def test_every_entry_is_a_concept_or_a_vocabulary(name: str, kind: str) -> None:
    procedure = load_data("knowledge", "operations")["procedures"][name][0]
    entries = load_data("knowledge", "in_view")["operations"][name][kind]
    shown = in_view([procedure], kind)
    assert set(shown) <= set(vocabulary(kind)) and 0 < len(shown) < len(vocabulary("instruments"))
    assert {one for one in entries if "/" not in one and one != kind} <= set(shown)


def test_only_what_the_operation_shows_is_offered() -> None:
    tools = in_view(["laparoscopic cholecystectomy"], "instruments")
    assert {"grasper", "hook", "clipper", "retrieval_bag"} <= set(tools)
    assert not {"phacoemulsifier_handpiece", "kerrison_rongeur"} & set(tools)
    assert "prostate" not in in_view(["cholecystectomy"], "targets")
    both = in_view(["cholecystectomy", "cataract surgery"], "instruments")
    assert {"hook", "phacoemulsifier_handpiece"} <= set(both)


@cases("unknown", [[None], ["arthroscopy"], ["cholecystectomy", None], []])
def test_of_an_unknown_procedure_everything_is_offered(unknown: list[str | None]) -> None:
    assert in_view(unknown, "instruments") == tuple(vocabulary("instruments"))
