"""Draw possible worlds at random: exact timelines that the annotations of a video allow.

Every world follows the rules in the docs. Starts and ends lie within their bounds, and borders that
are the same instant move together. Nothing changes between two neighbouring frames with the same
labels. An exclusive kind, such as phase, has one label at a time. One instance is not in two
places. Where a kind was annotated, there are only the listed facts.
"""

from __future__ import annotations

import random  # noqa: TID251  (worlds are drawn in tests; no output depends on them)
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from surgqa.ontology.kinds import kind as described
from surgqa.ontology.kinds import kind_names, terms_of
from surgqa.transforms.algebra.worlds.world import FIELDS, Rect, TrueFact, World
from surgqa.transforms.timeline.relation import FAR, NONE, SHIFT, Relation
from surgqa.transforms.timeline.relation.draft import CLASS_KEY
from surgqa.transforms.timeline.relation.table import INFINITE

SECOND = 1_000_000


class Drawer:
    """Draws possible worlds of one video.

    An exclusive kind has one label at a time, in the video or for each subject.

    Args:
        kinds: the kinds that are asked for, else every kind that has facts. If a kind was not
            annotated at all, any fact of it is possible.
    """

    def __init__(self, relation: Relation, video: int, kinds: Sequence[str] = ()) -> None:
        self.relation = relation
        self.video = video
        facts = relation.facts
        wanted = _with_tracks(relation.kind_codes(kinds), relation) if kinds else None
        self.rows = [i for i in np.flatnonzero(facts.video == video).tolist()
                     if wanted is None or int(facts.kind[i]) in wanted]  # fmt: skip
        self.column = {name: getattr(facts, name).tolist() for name in facts.__slots__}
        holes = relation.holes
        self.holes = [
            tuple(
                int(getattr(holes, n)[i]) for n in ("kind", "label", "subject", "u0", "u1", "floor")
            )
            for i in np.flatnonzero(holes.video == video)
            if wanted is None or int(holes.kind[i]) in wanted
        ]
        self.base = video << SHIFT
        self.holes += [
            (code, NONE, NONE, self.base - FAR, self.base + FAR, INFINITE)
            for code in sorted(set(relation.kind_codes(kinds)))
            if self._is_unlooked(relation.codes.name(code))
        ]
        self.alone = _alone(relation, [hole[0] for hole in self.holes])
        self.links = self._links()
        self.samples = self._samples()
        values = self._values()
        shapes = [
            [s for s in values[kind] if label in (NONE, s.label) and subject in (NONE, s.subject)]
            for kind, label, subject, *_ in self.holes
        ]
        self.shapes = [pair for pair in zip(self.holes, shapes, strict=True) if pair[1]]

    def draw(self, rng: random.Random, focus: Sequence[int] = ()) -> World:
        """Return one possible world.

        Args:
            focus: times near which unlisted facts are drawn most often, such as query times.
        """
        start, end = self._borders(rng)
        alive = {i for i in self.rows if self.column["sure"][i] or rng.random() < 0.5}
        tracks = self._tracks(rng, start, end, alive)
        parts = self._united(rng, alive, tracks)
        facts = [self._fact(rng, part, start, end, tracks) for part in parts]
        facts += self._unlisted(rng, facts, focus)
        samples = [s if tracks.get(s.track, s.track) == s.track
                   else replace(s, track=tracks[s.track]) for s, _ in self.samples]  # fmt: skip
        listed_tracks = {self.column["track"][i] for i in self.rows}
        named = tuple(new for new, (old, _) in zip(samples, self.samples, strict=True)
                      if old.track in listed_tracks)  # fmt: skip
        boxes = {(s.track, s.s): box for s, (_, box) in zip(samples, self.samples, strict=True)}
        instants = self.relation.instants.get(self.video, np.zeros(0, np.int64)).tolist()
        return World(self.video, tuple(facts), named, boxes, tuple(instants))

    def _is_unlooked(self, kind: str) -> bool:
        labelled = described(kind).labelled
        return ((self.video, kind) not in self.relation.looked
                and kind != "sample" and labelled not in ("noted", "never"))  # fmt: skip

    def _samples(self) -> list[tuple[TrueFact, Rect]]:
        """Return the video's boxes, each as a fact of one microsecond."""
        columns = self.relation.samples
        c, sample = self.column, self.relation.codes.code("sample")
        subject = {c["track"][i]: c["subject"][i] for i in self.rows}
        out = []
        for track, t, box in zip(*(columns[n].tolist() for n in ("track", "t", "box")),
                                 strict=True):  # fmt: skip
            if t >> SHIFT == self.video:
                fields = dict.fromkeys(FIELDS, NONE) | {"kind": sample, "track": track}
                fields["label"] = fields["subject"] = subject.get(track, NONE)
                one = TrueFact(**fields, s=t, e=t + 1, rows=frozenset([NONE]))
                out.append((one, Rect(*box)))
        return out

    # -- borders --------------------------------------------------------------------------------

    def _borders(self, rng: random.Random) -> tuple[dict[int, int], dict[int, int]]:
        c = self.column
        marks = self._marks(rng)
        start = {i: marks.get(c["s_mark"][i], None) for i in self.rows}
        end = {i: marks.get(c["e_mark"][i], None) for i in self.rows}
        for i in self.rows:
            fixed_start, fixed_end = start[i], end[i]
            if fixed_start is None:
                most = c["s1"][i] if fixed_end is None else min(c["s1"][i], fixed_end - 1)
                start[i] = _draw(rng, c["s0"][i], most)
            if fixed_end is None:
                end[i] = _draw(rng, max(c["e0"][i], start[i] + 1), c["e1"][i])
        self._without_flicker(start, end)
        self._one_at_a_time(start, end)
        return start, end

    def _marks(self, rng: random.Random) -> dict[int, int]:
        c = self.column
        bounds: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for i in self.rows:
            if c["s_mark"][i] != NONE:
                bounds[c["s_mark"][i]].append((c["s0"][i], c["s1"][i]))
            if c["e_mark"][i] != NONE:
                bounds[c["e_mark"][i]].append((c["e0"][i], c["e1"][i]))
        return {mark: _draw(rng, max(a for a, _ in all_), min(b for _, b in all_))
                for mark, all_ in sorted(bounds.items())}  # fmt: skip

    def _without_flicker(self, start: dict[int, int], end: dict[int, int]) -> None:
        """Join two equal facts if one ends and the other starts between the same two frames."""
        c = self.column
        for i, j, near in self.links:
            if near and end[i] < start[j]:
                if c["s_mark"][j] == NONE:
                    start[j] = end[i]
                elif c["e_mark"][i] == NONE:
                    end[i] = start[j]
                else:
                    self._one_change(i, j, start, end)

    def _one_change(self, i: int, j: int, start: dict[int, int], end: dict[int, int]) -> None:
        """Move the starts and ends of a class between these two frames to one time, ``end[i]``."""
        c, gap, at = self.column, self.column["e_gap"][i], end[i]
        for k in self.rows:
            if c["s_gap"][k] == gap and c["subject"][k] == c["subject"][j]:
                start[k] = at
            if c["e_gap"][k] == gap and c["subject"][k] == c["subject"][i]:
                end[k] = at

    def _one_at_a_time(self, start: dict[int, int], end: dict[int, int]) -> None:
        c = self.column
        lines: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for i in self.rows:
            if c["kind"][i] in self.alone:
                lines[tuple(c[name][i] for name in self.alone[c["kind"][i]])].append(i)
        for line in lines.values():
            rows = sorted(line, key=lambda i: (c["s"][i], c["e"][i]))
            for i, j in zip(rows, rows[1:], strict=False):
                if end[i] > start[j]:
                    at = min(max(start[j], c["e0"][i], start[i] + 1), c["e1"][i], end[j] - 1)
                    end[i] = start[j] = at

    def _links(self) -> list[tuple[int, int, bool]]:
        """Return (i, j, near): fact i ends and equal fact j starts between the same two frames.

        If ``near``, both frames show the same, so the facts are joined; else a draw decides.
        """
        c = self.column
        begins: dict[tuple, list[int]] = defaultdict(list)
        for j in self.rows:
            if c["s_gap"][j] != NONE:
                begins[self._class(j), c["s_gap"][j]].append(j)
        out = []
        for i in self.rows:
            if c["e_gap"][i] != NONE:
                for j in begins[self._class(i), c["e_gap"][i]]:
                    out.append((i, j, c["s"][j] != c["s1"][j]))
        return out

    def _class(self, i: int) -> tuple:
        return tuple(self.column[name][i] for name in CLASS_KEY)

    # -- identity -------------------------------------------------------------------------------

    def _united(
        self, rng: random.Random, alive: set[int], tracks: dict[int, int]
    ) -> list[list[int]]:
        """Return groups of rows that are one fact in this world; a draw decides uncertain cases."""
        who = {i: tracks.get(t, t) for i, t in enumerate(self.column["track"])}
        part = {i: [i] for i in sorted(alive)}
        for i, j, near in self.links:
            if (
                i in alive
                and j in alive
                and part[i] is not part[j]
                and who[i] == who[j]
                and (near or rng.random() < 0.4)
            ):
                joined = part[i] + part[j]
                if not self._overlap(joined):
                    for k in joined:
                        part[k] = joined
        seen: dict[int, list[int]] = {id(rows): rows for rows in part.values()}
        return list(seen.values())

    def _overlap(self, rows: list[int]) -> bool:
        c = self.column
        order = sorted(rows, key=lambda i: c["s1"][i])
        return any(c["e0"][i] > c["s1"][j] for i, j in zip(order, order[1:], strict=False))

    def _tracks(
        self, rng: random.Random, start: dict[int, int], end: dict[int, int], alive: set[int]
    ) -> dict[int, int]:
        """Return a track for each track: itself, or the earlier one whose instrument came back."""
        c = self.column
        spans: dict[tuple[int, int], list[int]] = {}
        for i in alive:
            if c["track"][i] != NONE:
                who = (c["subject"][i], c["track"][i])
                low, high = spans.get(who, [start[i], end[i]])
                spans[who] = [min(low, start[i]), max(high, end[i])]
        out: dict[int, int] = {}
        last: dict[int, tuple[int, int]] = {}
        for (subject, track), (low, high) in sorted(spans.items(), key=lambda kv: kv[1]):
            name = track
            if subject in last and last[subject][1] <= low and rng.random() < 0.4:
                name = last[subject][0]
            out[track] = name
            last[subject] = (name, max(high, last.get(subject, (0, 0))[1]))
        return out

    def _fact(
        self,
        rng: random.Random,
        rows: list[int],
        start: dict[int, int],
        end: dict[int, int],
        tracks: dict[int, int],
    ) -> TrueFact:
        c, first = self.column, min(rows, key=lambda i: start[i])
        fields = {name: c[name][first] for name in FIELDS}
        fields["track"] = tracks.get(fields["track"], fields["track"])
        s, e = min(start[i] for i in rows), max(end[i] for i in rows)
        proofs = frozenset(c["proof"][i] for i in rows)
        value = rng.choice([c["value_lo"][first], c["value_hi"][first]])
        return TrueFact(**fields, s=s, e=e, value=value, rows=proofs)

    # -- unlisted facts ------------------------------------------------------------------------

    def _values(self) -> dict[int, list[TrueFact]]:
        """Return each kind's possible facts: listed facts, and new combinations of their fields."""
        rng, names = random.Random(self.video), self.relation.codes
        out: dict[int, list[TrueFact]] = {}
        for kind in sorted({hole[0] for hole in self.holes}):
            shapes = self._listed(kind)
            sought = self.relation.looked_for.get((self.video, names.name(kind)), {})
            for name in sorted(sought.get("label", ())):
                code = names.code(name)
                fields = dict.fromkeys(FIELDS, NONE) | {"kind": kind, "label": code}
                fields["subject"] = code if "subject" in sought else NONE
                shapes.append(TrueFact(**fields, s=0, e=1))
            shapes = shapes or self._by_domain(kind)
            for name in ("verb", "target"):
                values = sorted({getattr(one, name) for one in shapes})
                shapes += [replace(one, **{name: rng.choice(values)}) for one in shapes[:50]]
            shapes += self._of_others(rng, shapes)
            out[kind] = list(dict.fromkeys(shapes))
        return out

    def _of_others(self, rng: random.Random, shapes: Sequence[TrueFact]) -> list[TrueFact]:
        """Return copies of the facts ``shapes`` with other or new tracks of the same class."""
        tracks: dict[int, set[int]] = defaultdict(set)
        for one in shapes:
            tracks[one.subject].add(one.track)
        if set().union(*tracks.values()) <= {NONE}:
            return []
        for subject, mine in tracks.items():
            name = self.relation.codes.name(subject)
            mine |= {self.relation.codes.code(f"unlisted {name} {k}".strip()) for k in range(2)}
        return [replace(one, track=rng.choice(sorted(tracks[one.subject]))) for one in shapes[:50]]

    def _listed(self, kind: int) -> list[TrueFact]:
        facts = self.relation.facts
        return [TrueFact(**{name: int(getattr(facts, name)[i]) for name in FIELDS}, s=0, e=1)
                for i in np.flatnonzero(facts.kind == kind)[:50].tolist()]  # fmt: skip

    def _by_domain(self, kind: int) -> list[TrueFact]:
        """Return possible facts of a kind that has no listed facts, with labels of the dataset."""
        names = self.relation.codes
        fields = described(names.name(kind)).fields
        parts = {name: [names.known(one) for one in terms_of(fields.get(name, ""))
                        if names.known(one) >= 0][:8] or [NONE]
                 for name in ("label", "subject", "verb", "target")}  # fmt: skip
        nothing = dict.fromkeys(FIELDS, NONE) | {"kind": kind}
        return [TrueFact(**nothing | {name: codes[k % len(codes)] for name, codes in parts.items()},
                         s=0, e=1) for k in range(max(map(len, parts.values())))]  # fmt: skip

    def _unlisted(
        self, rng: random.Random, facts: list[TrueFact], focus: Sequence[int]
    ) -> list[TrueFact]:
        out: list[TrueFact] = []
        lines: dict[tuple[int, ...], list[TrueFact]] = defaultdict(list)
        for one in facts:
            lines[self._line(one)].append(one)
        many = rng.choice([[0], [0, 1], [0, 0, 1, 2], [1, 2, 3]])
        for (*_, u0, u1, floor), shapes in self.shapes:
            for _ in range(rng.choice(many)):
                one = _placed(rng, rng.choice(shapes), u0, u1, floor, focus)
                if one is not None and not self._clashes(one, lines[self._line(one)]):
                    out.append(one)
                    lines[self._line(one)].append(one)
        return [self._with_own_instance(one, place) for place, one in enumerate(out)]

    def _with_own_instance(self, one: TrueFact, place: int) -> TrueFact:
        """Give an unlisted fact its own new track if it lacks one and its kind has tracks."""
        facts = self.relation.facts
        if one.track != NONE or not (facts.track[facts.kind == one.kind] != NONE).any():
            return one
        return replace(one, track=self.relation.codes.code(f"unlisted alone {place}"))

    def _line(self, one: TrueFact) -> tuple[int, ...]:
        """Return the field values of a fact; only facts with the same values can clash."""
        return one.key(self.alone.get(one.kind, CLASS_KEY))

    def _clashes(self, one: TrueFact, others: list[TrueFact]) -> bool:
        alone = one.kind in self.alone
        return any(
            o.s <= one.e and one.s <= o.e
            and (alone or o.track == one.track or NONE in (o.track, one.track))
            for o in others
        )  # fmt: skip


def _with_tracks(codes: Sequence[int], relation: Relation) -> set[int]:
    """Return the kinds; if one of them has tracks, also all other kinds with tracks."""
    tracked = {relation.codes.known(name) for name in kind_names()
               if "track" in described(name).fields}  # fmt: skip
    return {*codes, *tracked} if tracked & set(codes) else set(codes)


def _alone(relation: Relation, kinds: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Return, for each exclusive kind, the fields that two facts at one time must not share."""
    lines = {"video": ("kind",), "subject": ("kind", "subject")}
    codes = sorted(set(relation.facts.kind.tolist()) | set(kinds))
    kinds = {code: described(relation.codes.name(code)).exclusive for code in codes}
    return {code: lines[how] for code, how in kinds.items() if how in lines}


def _placed(
    rng: random.Random, shape: TrueFact, u0: int, u1: int, floor: int, focus: Sequence[int]
) -> TrueFact | None:
    near = [t for t in focus if u0 <= t < u1]
    if near and rng.random() < 0.8:
        s = max(u0, rng.choice(near) - rng.choice([0, 0, 1, min(floor, 10 * SECOND) // 2]))
    else:
        s = _draw(rng, max(u0, u1 - FAR // 1000), u1 - 1)
    e = min(_draw(rng, s + 1, u1) if rng.random() < 0.7 else s + rng.choice([1, 2, SECOND]), u1)
    if floor != INFINITE:
        e = min(e, s + floor - 1)
    return replace(shape, s=s, e=e, rows=frozenset()) if e > s else None


def _draw(rng: random.Random, low: int, high: int) -> int:
    """Return an integer between two bounds, often one of the bounds."""
    k = rng.random()
    if k < 0.3 or high <= low:
        return low
    return high if k < 0.6 else rng.randint(low, high)
