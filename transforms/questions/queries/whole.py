"""What is said of a whole recording or still."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from ontology.keys import digest
from ontology.ratings import rating
from ontology.records import Code, MediaKind, Pointer, VideoLabel, Window
from transforms.questions.queries.choices import MOST, near_numbers, other_labels
from transforms.questions.queries.found import Choice, Found, Missed, Named, Results, Search
from transforms.questions.queries.scores import cut_offs, word_of
from transforms.timeline.channels import place_of
from transforms.timeline.ids import label_id
from transforms.windows.queries import SHORTEST_US

Look = Callable[[Search, Window, "list[VideoLabel]"], "Found | str"]


def of_whole(search: Search, look: Look) -> Results:
    """One question at the end of the recording."""
    labels = [label for label in search.book.whole if label.kind == search.kind]
    if not labels:
        yield Missed(Code.NO_EVIDENCE, f"no label of kind {search.kind!r} of the whole")
        return
    still = search.video.media.kind == MediaKind.IMAGE
    end = 0 if still else search.video.duration_us
    if still != (search.query.core_task == "present"):
        yield Missed(Code.NO_EVIDENCE, "one question is for pictures, the other for recordings")
        return
    if not still and end < SHORTEST_US:
        yield Missed(Code.TOO_SHORT, "the recording is too short, or its length is not known")
        return
    window = Window("query", digest("query", search.video.key, 0, end), 0, end)
    found = look(search, window, labels)
    yield found if isinstance(found, Found) else Missed(Code.NO_FILLING, found)


def pointers(labels: list[VideoLabel]) -> tuple[Pointer, ...]:
    """Rows of ``evidence/labels``, which have no time."""
    return tuple(Pointer("labels", label_id(label), 0, 0) for label in labels)


def _note(kind: str, name: str, labels: list[VideoLabel], more: str = "") -> str:
    place = place_of(labels[0].source, labels[0].pointer)
    return f"Taken as a whole it has the {kind} {name!r}{more} ({place})."


def whole_label(search: Search, window: Window, labels: list[VideoLabel]) -> Found | str:
    """The one label of its kind that the whole has."""
    labels = [label for label in labels if label.value != 0]  # 0 says that it is not there
    names = sorted({label.label for label in labels})
    if len(names) != 1:
        return "the whole has not exactly one label of the kind"
    named = Named(search.kind, names[0])
    return Found(
        window=window,
        query_us=window.end_us,
        fields={"label": named},
        slots={"about": {"kind": search.kind}},
        value={"kind": search.kind, "label": names[0]},
        pointers=pointers(labels),
        note=_note(search.kind, named.term.display, labels),
        names=(named.spellings,),
        right=named.term.display,
        wrong=other_labels(search, named, (), MOST - 1, window.end_us),
    )


def image_label(search: Search, window: Window, labels: list[VideoLabel]) -> Found | str:
    """The one label of its kind that a still has."""
    return whole_label(search, window, labels)


def whole_presence(search: Search, window: Window, labels: list[VideoLabel]) -> Found | str:
    """Whether something is there at any time, where its absence is noted as well."""
    noted = [label for label in labels if label.value in (0, 1)]
    if len(noted) != 1:
        return "not exactly one label says whether it is there"
    named, yes = Named(search.kind, noted[0].label), noted[0].value == 1
    return Found(
        window=window,
        query_us=window.end_us,
        fields={"label": named, "yes": yes},
        slots={"about": {"kind": search.kind}, "label": named.label},
        value={"yes": yes},
        pointers=pointers(noted),
        note=_note(search.kind, named.term.display, noted, "" if yes else " noted as absent"),
    )


def whole_score(search: Search, window: Window, labels: list[VideoLabel]) -> Found | str:
    """The word for one of the scores, the mean of its raters."""
    known = sorted({label.label for label in labels if label.value is not None})
    asked = [label for label in known if rating(label).asked]
    if not asked:
        return "no score has words for its ranges"
    label = search.draw("score", asked)
    rated = [one for one in labels if one.label == label and one.value is not None]
    mean = float(f"{sum(one.value or 0.0 for one in rated) / len(rated):.3f}")
    word = word_of(label, mean)
    if word is None:
        return "the score is outside all ranges"
    named, scale = Named("rating", label), rating(label)
    raters = f", the mean of {len(rated)} raters" if len(rated) > 1 else ""
    return Found(
        window=window,
        query_us=window.end_us,
        fields={"label": named, "word": word},
        slots={"about": {"kind": "rating"}, "label": label},
        value={"kind": "rating", "label": label, "grouping": scale.asked, "bucket": word,
               "value": mean},
        pointers=pointers(rated),
        note=_note("rating", named.term.display, rated, f" of {mean:g}{raters}; {cut_offs(label)}"),
        names=((word,),),
        right=word,
        wrong=tuple(Choice(w, "other_word") for w in scale.buckets[str(scale.asked)].words
                    if w != word),
    )  # fmt: skip


def whole_number(search: Search, window: Window, labels: list[VideoLabel]) -> Found | str:
    """One of the numbers counted over the whole."""
    told = {(one.label, one.value) for one in labels if one.value is not None}
    agreed = {label for label, n in Counter(label for label, _ in told).items() if n == 1}
    counted = {one.label: one for one in labels
               if one.label in agreed and one.value == int(one.value or 0)}  # fmt: skip
    if not counted:
        return "nothing was counted in whole numbers"
    label = search.draw("count", sorted(counted))
    one = counted[label]
    named, number = Named("count", label), int(one.value or 0)
    return Found(
        window=window,
        query_us=window.end_us,
        fields={"label": named, "number": number},
        slots={"about": {"kind": "count"}, "label": label},
        value={"number": number},
        pointers=pointers([one]),
        note=_note("count", named.term.display, [one], f" of {number}"),
        right=str(number),
        wrong=near_numbers(number),
    )
