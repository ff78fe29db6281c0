"""Made-up items: worlds in which nothing can be guessed, and worlds with one shortcut each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from surgqa.ontology.keys import h64
from surgqa.ontology.mixing import mix64
from surgqa.transforms.blind.items import Ask

ITEMS, SURGERIES = 400, 10
S = 1_000_000
NAMES = ("grasper", "hook", "scissors", "clipper", "irrigator", "bipolar forceps", "stapler", "bag")


class Draws:
    """Numbers that look drawn, from a key: the same wherever they are made."""

    def __init__(self, *key: object) -> None:
        self.key, self.used = np.uint64(h64(*key)), 0

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1."""
        self.used += 1
        return int(mix64(np.array([self.used], dtype=np.uint64) ^ self.key)[0] >> np.uint64(16)) % n

    def some(self, values: Sequence, n: int) -> list:
        """So many of the values, in an order of their own."""
        left = list(values)
        return [left.pop(self.below(len(left))) for _ in range(n)]


Maker = Callable[[Draws, int], Ask]


def ask(options: Sequence[str], right: int, question: str = "What is it?", **more: str) -> Ask:
    """A closed question; the world says of which surgery."""
    return Ask("", "", "", "", 0, question, options[right], tuple(options), right, **more)


def shuffled(draws: Draws, right: str, wrong: Sequence[str], question: str = "What is it?",
             **more: str) -> Ask:  # fmt: skip
    """A closed question with its options in a drawn order."""
    options = draws.some([right, *wrong], 1 + len(wrong))
    return ask(options, options.index(right), question, **more)


def world(
    maker: Maker, key: object = 0, items: int = ITEMS, surgeries: int = SURGERIES
) -> list[Ask]:
    """So many items of a maker, dealt to surgeries."""
    draws = Draws("world", maker.__name__, key)
    return [
        replace(maker(draws, k), item_id=f"{k:032x}", group=f"s{k % surgeries}",
                video=f"s{k % surgeries}", at=k)
        for k in range(items)
    ]  # fmt: skip


def said_before(asks: Sequence[Ask]) -> list[Ask]:
    """The same with what was right before in the recording."""
    last: dict[str, Ask] = {}
    out = []
    for one in asks:
        before = last.get(one.video)
        out.append(replace(one, said=before.answer if before else ""))
        last[one.video] = one
    return out


# Worlds without a shortcut.


def labels(draws: Draws, _k: int) -> Ask:
    return ask(draws.some(NAMES, 4), draws.below(4), f"What is seen at {draws.below(900)}.00 s?")


def numbers(draws: Draws, _k: int) -> Ask:
    return ask([str(n) for n in draws.some(range(9), 4)], draws.below(4), "How many are there?")


def stretches(draws: Draws, _k: int) -> Ask:
    starts = draws.some(range(20), 4)
    texts = [f"{a}.00 s to {a + 1 + draws.below(6)}.00 s" for a in starts]
    told = f"It lies in 0.00 s to {10 + draws.below(20)}.00 s."
    return ask(texts, draws.below(4), "When does it happen?", shown=told)


def sets(draws: Draws, _k: int) -> Ask:
    options = [", ".join(sorted(draws.some(NAMES, 1 + draws.below(3)))) for _ in range(4)]
    return ask(options, draws.below(4), "Which instruments are in view?")


def times(draws: Draws, _k: int) -> Ask:
    start = draws.below(900)
    at = draws.some(range(20), 4)
    one = ask([f"{start + k}.00 s" for k in at], draws.below(4), "At what time?")
    return replace(one, window=(start * S, (start + 20) * S))


def boxes(draws: Draws, _k: int) -> Ask:
    options = [[draws.below(400), draws.below(400), 400 + draws.below(600), 400 + draws.below(600)]
               for _ in range(4)]  # fmt: skip
    return ask([str(one) for one in options], draws.below(4), "Where is it?")


def truths(draws: Draws, _k: int) -> Ask:
    said = ("Yes", "No")[draws.below(2)]
    return Ask("", "", "", "", 0, f"Is the {NAMES[draws.below(8)]} in view?", said, (), 0)


PLAIN = (labels, numbers, stretches, times, sets, boxes, truths)


# Worlds with one shortcut each: the rules that see it.


def ranked(draws: Draws, place: int) -> Ask:
    found = sorted(draws.some(range(30), 4))
    right = str(found.pop(place))
    return shuffled(draws, right, [str(one) for one in found], "How many are there?")


def second_smallest(draws: Draws, _k: int) -> Ask:
    return ranked(draws, 1)


def never_the_largest(draws: Draws, _k: int) -> Ask:
    return ranked(draws, draws.below(3))


def median(draws: Draws, _k: int) -> Ask:
    found = sorted(draws.some(range(40), 5))
    right = str(found.pop(2))
    return shuffled(draws, right, [str(one) for one in found])


def nearest_number(draws: Draws, _k: int) -> Ask:
    middle = 100 + draws.below(800)
    wrong = [middle + way * (5 + draws.below(40)) for way in (-1, 1, 1 - 2 * draws.below(2))]
    return shuffled(draws, str(middle), [str(one) for one in wrong])


def earliest(draws: Draws, _k: int) -> Ask:
    starts = sorted(draws.some(range(60), 4))
    texts = [f"{a}.00 s to {a + 2 + draws.below(5)}.00 s" for a in starts]
    return shuffled(draws, texts[0], texts[1:], "When does it happen?")


def longest_stretch(draws: Draws, _k: int) -> Ask:
    lengths = sorted(draws.some(range(1, 30), 4))
    starts = [draws.below(50) for _ in lengths]
    texts = [f"{a}.00 s to {a + n}.00 s" for a, n in zip(starts, lengths, strict=True)]
    return shuffled(draws, texts[3], texts[:3], "When does it happen?")


def largest_box(draws: Draws, _k: int) -> Ask:
    sides = sorted(draws.some(range(50, 400), 4))
    corners = [(draws.below(500), draws.below(500)) for _ in sides]
    texts = [str([x, y, x + n, y + n]) for (x, y), n in zip(corners, sides, strict=True)]
    return shuffled(draws, texts[3], texts[:3])


def one_change_away(draws: Draws, _k: int) -> Ask:
    right = draws.some(NAMES, 3)
    others = [one for one in NAMES if one not in right]
    wrong = [[draws.some(others, 1)[0] if k == at else one for k, one in enumerate(right)]
             for at in range(3)]  # fmt: skip
    return shuffled(draws, ", ".join(right), [", ".join(one) for one in wrong])


def one_swap_away(draws: Draws, _k: int) -> Ask:
    a, b, c, d = draws.some(NAMES, 4)
    pairs = [(b, a), (a, c), (d, b)]
    return shuffled(draws, f"{a}, then {b}", [f"{x}, then {y}" for x, y in pairs])


def reverse_offered(draws: Draws, _k: int) -> Ask:
    a, b, c, d, e, f = draws.some(NAMES, 6)
    options = [f"from {x} to {y}" for x, y in ((a, b), (b, a), (c, d), (e, f))]
    return shuffled(draws, options[0], options[1:])


def holds_the_others(draws: Draws, _k: int) -> Ask:
    a, b, c, d = draws.some(NAMES, 4)
    return shuffled(draws, f"{a}, {b}", [a, b, f"{c}, {d}"])


def never_right(draws: Draws, _k: int) -> Ask:
    right, *wrong = draws.some(NAMES[:4], 2)
    return shuffled(draws, right, [*wrong, *draws.some(NAMES[4:], 2)])


def often_right(draws: Draws, _k: int) -> Ask:
    right = NAMES[0] if draws.below(3) else draws.some(NAMES[1:], 1)[0]
    return shuffled(draws, right, draws.some([one for one in NAMES if one != right], 3))


SETS = [(NAMES[k:] + NAMES[:k])[:4] for k in range(8)]
"""Each name is right in one of four sets that hold it."""


SCALES = (("absent", "partly achieved", "fully achieved"), ("poor", "good"))


def often_low(draws: Draws, _k: int) -> Ask:
    """Scales are offered whole, and the world gives the first level of each often."""
    scale = SCALES[draws.below(2)]
    right = scale[0] if draws.below(4) else draws.some(scale[1:], 1)[0]
    return shuffled(draws, right, [one for one in scale if one != right])


def set_tells(draws: Draws, _k: int) -> Ask:
    options = SETS[draws.below(8)]
    return shuffled(draws, options[0], options[1:])


def longest_text(draws: Draws, _k: int) -> Ask:
    texts = sorted((f"it {'x' * n}s" for n in draws.some(range(2, 30), 4)), key=len)
    return shuffled(draws, texts[3], texts[:3])


def first_place(draws: Draws, _k: int) -> Ask:
    return ask(draws.some(NAMES, 4), 0 if draws.below(2) else draws.below(4))


def other_wording(draws: Draws, _k: int) -> Ask:
    numbers = draws.some(range(100), 4)
    return shuffled(draws, f"{numbers[0]} sec", [f"{one} s" for one in numbers[1:]])


def on_the_second(draws: Draws, _k: int) -> Ask:
    times = draws.some(range(100), 4)
    wrong = [f"{one}.{11 + draws.below(80)} s" for one in times[1:]]
    return shuffled(draws, f"{times[0]}.50 s", wrong)


def giveaway_word(draws: Draws, _k: int) -> Ask:
    names = draws.some(NAMES, 4)
    sides = draws.some(("left", "right", "above", "below"), 4)
    wrong = [f"{a} shaft {b}" for a, b in zip(names[1:], sides[1:], strict=True)]
    return shuffled(draws, f"{names[0]} tip {sides[0]}", wrong)


def inside_told(draws: Draws, _k: int) -> Ask:
    start = 10 + draws.below(40)
    wrong = [start + (7 + draws.below(9) if draws.below(2) else -1 - draws.below(9))
             for _ in range(3)]  # fmt: skip
    right, told = start + 1 + draws.below(4), f"It lies in {start}.00 s to {start + 6}.00 s."
    return shuffled(draws, f"{right}.00 s", [f"{one}.00 s" for one in wrong], "At what time?",
                    shown=told)  # fmt: skip


def start_of_told(draws: Draws, _k: int) -> Ask:
    start = 10 + draws.below(40)
    wrong = [start + 2 * way for way in draws.some((-2, -1, 1, 2), 3)]
    return shuffled(draws, f"{start}.00 s", [f"{one}.00 s" for one in wrong], "At what time?",
                    shown=f"It lies in {start}.00 s to {start + 2}.00 s.")  # fmt: skip


def reverse_and_beginning(draws: Draws, _k: int) -> Ask:
    a, b, c, d = draws.some(NAMES, 4)
    options = [f"from {x} to {y}" for x, y in ((a, b), (b, a), (a, c), (a, d))]
    return shuffled(draws, options[0], options[1:])


def near_the_asked(draws: Draws, _k: int) -> Ask:
    at = 100 + draws.below(300)
    wrong = [at + (1 - 2 * draws.below(2)) * (9 + draws.below(30)) for _ in range(3)]
    return shuffled(draws, f"{at + 2 - 4 * draws.below(2)}.00 s", [f"{one}.00 s" for one in wrong],
                    f"What comes about {at}.00 s?")  # fmt: skip


def around_the_right(draws: Draws, _k: int) -> Ask:
    at, wide = 100 + draws.below(300), 20
    start = at - (4, 7, 10)[draws.below(3)]
    wrong = [start + one for one in draws.some([k for k in range(wide) if start + k != at], 3)]
    one = shuffled(draws, f"{at}.00 s", [f"{one}.00 s" for one in wrong], "At what time?")
    return replace(one, window=(start * S, (start + wide) * S))


def named_in_question(draws: Draws, _k: int) -> Ask:
    options = draws.some(NAMES, 4)
    return ask(options, 2, f"What does the {options[2]} hold?")


def named_in_clue(draws: Draws, _k: int) -> Ask:
    options = draws.some(NAMES, 4)
    right = draws.below(4)
    return ask(options, right, shown=f"Look how the {options[right]} moves.")


def same_question(draws: Draws, _k: int) -> Ask:
    right = draws.below(8)
    wrong = draws.some([one for one in NAMES if one != NAMES[right]], 3)
    return shuffled(draws, NAMES[right], wrong, f"What follows phase {'abcdefgh'[right]}?")


def word_of_question(draws: Draws, _k: int) -> Ask:
    right = draws.below(8)
    wrong = draws.some([one for one in NAMES if one != NAMES[right]], 3)
    filler = " ".join("klmnopqrst"[draws.below(10)] * 3 for _ in range(4))
    return shuffled(draws, NAMES[right], wrong, f"In {filler}, what does {'uvwxyzab'[right] * 4}?")


def same_as_before(draws: Draws, k: int) -> Ask:
    right = (k // 50) % 8
    wrong = draws.some([one for one in NAMES if one != NAMES[right]], 3)
    return shuffled(draws, NAMES[right], wrong)


def mostly_yes(draws: Draws, k: int) -> Ask:
    return replace(truths(draws, k), answer="Yes" if draws.below(4) else "No")


def one_number_mostly(draws: Draws, _k: int) -> Ask:
    return Ask("", "", "", "", 0, "How many?", str(max(1, draws.below(5) - 2)), (), 0)


def alert_in_the_end(draws: Draws, k: int) -> Ask:
    said = "alert: bleeding" if k // SURGERIES % 4 == 3 else "no_alert"
    return Ask("", "", "", "", 0, "Tell me.", said, (), 0, place=f"{k // SURGERIES % 4}/4")


SHORTCUTS: dict[Maker, tuple[float, bool, set[str]]] = {
    second_smallest: (0.95, True, {"rank of the first number"}),
    never_the_largest: (0.30, True, {"rank of the first number", "nearest to the other numbers"}),
    median: (0.95, True, {"rank of the first number"}),
    nearest_number: (0.7, True, {"nearest to the other numbers", "rank of the first number"}),
    earliest: (0.95, True, {"rank of the first number"}),
    longest_stretch: (0.95, True, {"rank of the interval's length"}),
    largest_box: (0.95, True, {"rank of the box's area"}),
    one_change_away: (0.95, True, {"words shared with other options",
                                   "word pairs shared with other options"}),
    one_swap_away: (0.95, True, {"word pairs shared with other options"}),
    reverse_offered: (0.45, True, {"same words in another order",
                                   "words shared with other options"}),
    holds_the_others: (0.95, True, {"words within other options"}),
    never_right: (0.45, True, {"option text", "option words"}),
    often_right: (0.6, False, {"option text, as often as it is right"}),
    often_low: (0.7, False, {"option text", "majority"}),
    set_tells: (0.95, True, {"option set"}),
    longest_text: (0.95, True, {"rank by letters"}),
    first_place: (0.55, True, {"letter"}),
    other_wording: (0.95, True, {"option wording", "option words",
                                 "wording shared with other options"}),
    on_the_second: (0.9, True, {"decimals"}),
    giveaway_word: (0.95, True, {"option words"}),
    inside_told: (0.95, True, {"inside an interval of what is told"}),
    start_of_told: (0.95, True, {"place in an interval of what is told"}),
    reverse_and_beginning: (0.95, True, {"beginning shared, same words in another order"}),
    near_the_asked: (0.95, True, {"nearest to a number of the question"}),
    around_the_right: (0.7, True, {"tenth of the window", "half seconds from the window's start",
                                   "half seconds to the window's end"}),
    named_in_question: (0.95, True, {"named in the question", "letter"}),
    named_in_clue: (0.95, True, {"named in what is told"}),
    same_question: (0.95, False, {"majority for the question", "question words"}),
    word_of_question: (0.9, False, {"question words"}),
    same_as_before: (0.9, False, {"previous answer again", "follows the previous answer"}),
    mostly_yes: (0.7, False, {"majority"}),
    one_number_mostly: (0.55, False, {"majority"}),
    alert_in_the_end: (0.95, False, {"place of the round"}),
}  # fmt: skip
"""Maker -> what its shortcut gets at least, whether options alone show it, rules that see it."""
