"""Features of the options alone: decimals that options share."""

from __future__ import annotations

from dataclasses import replace

from surgqa.transforms.blind.items import items_of
from surgqa.transforms.blind.options import option_features
from tests.transforms.blind.worlds import ask


def codes_of(name: str, *options: tuple[str, ...]) -> dict[int, int]:
    """Code of a feature by option, over the options of some items; none where it has no code."""
    asks = [replace(ask(some, 0), item_id=f"{k:032x}", group=f"s{k}", video=f"s{k}", at=k)
            for k, some in enumerate(options)]  # fmt: skip
    (found,) = [one for one in option_features(items_of(asks)) if one.name == name]
    return dict(zip(found.row.tolist(), found.code.tolist(), strict=True))


def test_options_that_share_their_decimals():
    found = codes_of("shared decimals", ("1.25", "3.25", "4.5"), ("2.50", "3.25", "7.50"))
    assert found[0] == found[1] == found[3] == found[5]
    assert found[2] == found[4] != found[0]


def test_an_item_with_an_option_without_numbers_has_no_shared_decimals():
    found = codes_of("shared decimals", ("1.25", "3.25", "the hook"), ("2.50", "3.25", "7.50"))
    assert sorted(found) == [3, 4, 5]


def test_features_of_options_are_structural_unless_all_items_have_the_same_ones():
    some = [replace(ask(("1 a", "2 b", f"{k} c"), 0), item_id=f"{k:032x}") for k in (3, 4)]
    assert all(one.structural for one in option_features(items_of(some)))
    (only,) = option_features(items_of([some[0], replace(some[0], item_id="f" * 32)]))
    assert (only.name, only.structural) == ("option text", False)
