"""Faults of one line, as data: where it is, what stands there, what instead."""

from __future__ import annotations

from dataclasses import dataclass

PRINTERS = "surgqa.transforms.questions.printers"
TEXTS = "surgqa.transforms.questions.texts"
PRINTED = "surgqa.transforms.questions.printed"
WRONG = "surgqa.transforms.questions.wrong"
ROUNDS = "surgqa.transforms.questions.rounds"
UNITS = "surgqa.transforms.questions.units"
EACH = "surgqa.transforms.algebra.operators.each.fillings"
POOLS = "surgqa.transforms.questions.pools"
ROW_FIELDS = "surgqa.transforms.questions.row_fields"
RUBRICS = "surgqa.transforms.questions.rubrics"
ASK = "surgqa.transforms.questions.ask"
WORDS = "surgqa.ontology.words"
ROWS = "surgqa.transforms.exports.rows"
FACTS_OUT = "surgqa.transforms.exports.evidence"
BANK = "surgqa.transforms.timeline.relation.bank"
RUNS = "surgqa.transforms.timeline.relation.instants"
GATHER = "surgqa.transforms.timeline.relation.gather"
TOOLS = "surgqa.transforms.timeline.relation.tools"
OF = "surgqa.transforms.algebra.operators.{}.columns"

OURS = "../tests/transforms/checks/faults/asked/{}"
"""A template that nobody ships: where each that is shipped keeps a fault out of its options."""


@dataclass(frozen=True)
class Fault:
    """One fault.

    Attributes:
        what: what is wrong with the dataset, in words.
        module, old, new: a text that stands in the module once, and what stands there instead.
        asks: templates that the fault shows in, ``benchmark/file``; ours are below ``OURS``.
        dataset: whose sample they are asked of.
        tests: of a format's files, which no ``check`` reads: the format's own tests.
    """

    what: str
    module: str
    old: str
    new: str
    asks: str = "surgstu/classes surgstu/locate surgstu/first_action"
    dataset: str = "cholect50"
    tests: str = ""


WORDS_AND_PRINTERS = (
    Fault("every time is a second late", PRINTERS,
          'f"{print_seconds(at_us(value) - sheet.zero_us)} s"',
          'f"{print_seconds(at_us(value) - sheet.zero_us + 1_000_000)} s"'),
    Fault("times count from the recording's start", PRINTED,
          "PrintContext(window.start_us if clip else 0,", "PrintContext(0,"),
    Fault("every length is a second too long", PRINTERS,
          "print_seconds(int(number_of(value)))",
          "print_seconds(int(number_of(value)) + 1_000_000)",
          "surgstu/idle_duration surgstu/interaction_duration"),
    Fault("from and to are the wrong way round", PRINTERS,
          """f"{clock(value['start'], sheet)} to {clock(value['end'], sheet)}\"""",
          """f"{clock(value['end'], sheet)} to {clock(value['start'], sheet)}\"""",
          "surgcot/cue_alignment surgcot/affordance", "unified"),
    Fault("every grasper is called a hook", WORDS,
          "vocabulary(name).get(label)",
          'vocabulary(name).get({"grasper": "hook"}.get(label, label))'),
    Fault("which banana", PRINTED,
          '[*map(capital, words.one_of(put.stage.ask, drawn))]', '["Which banana?"] * len(drawn)'),
    Fault("left is called right", "surgqa.transforms.algebra.columns.apart",
          'return " on the left"', 'return " on the right"', "surgstu/rel_pos surgstu/locate"),
    Fault("no side is told where there are two of a class", PRINTERS,
          'return sheet.track_words.get(value.get("track", ""), "") '
          'if isinstance(value, Mapping) else ""',
          'return ""', "surgstu/rel_pos surgstu/locate"),
    Fault("one is said as several and several as one", PRINTERS,
          "plural if term(label_of(value), sheet.kind).plural else singular",
          "singular if term(label_of(value), sheet.kind).plural else plural",
          "surgstu/closest surgstu/movement_status surgstu/velocity"),
    Fault("1 stretches", PRINTERS, "n} {singular if n == 1 else plural}",
          "n} {singular if n == 2 else plural}", "surgstu/interaction_count"),
    Fault("members of a set are joined by another sign", PRINTERS,
          '", ".join(sorted(term(one', '"; ".join(sorted(term(one'),
    Fault("members of a set in another order", PRINTERS,
          "sorted(term(one, sheet.kind).display for one in value)",
          "sorted((term(one, sheet.kind).display for one in value), reverse=True)"),
    Fault("letters of pictures are one too far", PRINTERS,
          "LETTERS[sheet.shown.index(at_us(t))]", "LETTERS[sheet.shown.index(at_us(t)) + 1]",
          "surgveo/frame_order", "autolaparo"),
    Fault("yes for no", PRINTERS, '"Yes" if value else "No"', '"No" if value else "Yes"',
          "surgstu/existence_local_inst"),
    Fault("per mille called per cent", PRINTERS, "number_of(value) * 100, 0)} %",
          "number_of(value) * 1000, 0)} %", "surgstu/dominant_verb"),
    Fault("numbers are one too many", PRINTERS, "str(int(number_of(value)))",
          "str(int(number_of(value)) + 1)", "surgstu/counting_distinct"),
    Fault("points are told in parts of a hundred", PRINTERS,
          "print_number(value[0] * 1000, 0)}", "print_number(value[0] * 100, 0)}",
          "surgstu/closest"),
    Fault("x and y of a point are swapped", PRINTERS,
          "print_number(value[0] * 1000, 0)}, {print_number(value[1] * 1000, 0)}",
          "print_number(value[1] * 1000, 0)}, {print_number(value[0] * 1000, 0)}",
          "surgstu/closest"),
    Fault("halves are rounded down", "surgqa.ontology.times", "abs(time_us) + step // 2",
          "abs(time_us)",
          "medstream/alert surgcot/micro_transition surgcot/cue_alignment", "unified"),
    Fault("lines begin with a small letter", TEXTS, "text[:1].upper()", "text[:1].lower()"),
    Fault("the act is told without its target", WORDS,
          """f"{done} {term(target, 'target').phrase}" if target else done""", "done",
          "surgcot/micro_transition surgcot/affordance surgcot/cue_alignment", "unified"),
    Fault("verbs are bare where they ought to be conjugated", WORDS,
          '"third": verb.third, "gerund": verb.gerund}[form]',
          '"third": verb.display, "gerund": verb.display}[form]',
          "surgcot/micro_transition surgcot/affordance", "unified"),
    Fault("facts are told by their noun everywhere", WORDS,
          "kind(of).words[form]", 'kind(of).words["noun"]',
          "surgcot/action_ordering surgcot/affordance", "unified"),
    Fault("the clue is the context", PRINTED, "words.of(stage.clue)", "words.of(stage.context)",
          "surgcot/cue_alignment surgcot/affordance", "unified"),
    Fault("there is no context", PRINTED, "words.of(stage.context)", "words.of(())",
          "surgcot/cue_alignment surgcot/affordance", "unified"),
    Fault("the reasoning is told backwards", PRINTED, "tuple(map(capital, lines))",
          "tuple(capital(line[::-1]) for line in lines)",
          "surgstu/classes surgstu/trajectory_reasoning"),
    Fault("the answer is another option's text", PRINTED, "if one.is_answer), said)",
          "if not one.is_answer), said)"),
    Fault("options begin with a small letter", PRINTED,
          "Option(key, capital(text), one", "Option(key, text, one"),
    Fault("keys of options begin with B", PRINTED, 'KEYS = "ABCD', 'KEYS = "BCDE'),
    Fault("an effect is told by its id", PRINTERS,
          "effect_text(value) or str(value)", "str(value)",
          "surgcot/affordance", "unified"),
    Fault("the reason is another rule's", "surgqa.ontology.knowledge",
          'str(part[reason]["reason"])',
          'str([*part.values()][-1 - [*part].index(reason)]["reason"])',
          "surgcot/reason_of_order", "unified"),
    Fault("earlier answers are told of another stage", PRINTED,
          "for name, one in putting.done.items() if name in named}",
          "for name, one in zip(putting.done, reversed(putting.done.values())) if name in named}",
          "surgcot/cue_alignment", "unified"),
)  # fmt: skip

ROUNDS_AND_PROTOCOL = (
    Fault("the answer is due a second late", ROUNDS, "((due + k * step)", "((due + 1 + k * step)",
          "medstream/state_begins", "cataract101"),
    Fault("a longer gap comes before the answer", ROUNDS, "((due + k * step)",
          "((due + k * step - (k < 0))", "medstream/state_begins", "cataract101"),
    Fault("silence is expected at the moment itself", ROUNDS, "time >= plan.due",
          "time > plan.due", "medstream/state_begins", "cataract101"),
    Fault("uncertain is not accepted", ROUNDS, "[rounds.otherwise, *rounds.accept]",
          "[rounds.otherwise]", "medstream/alert", "unified"),
    Fault("three rounds of silence", ROUNDS, "SILENT = 4", "SILENT = 3", "medstream/alert",
          "unified"),
    Fault("a round is shown what comes after it", ROUNDS, '"end_us": time,',
          '"end_us": time + SECOND_US,', "medstream/alert", "unified"),
    Fault("rounds are numbered from one", ROUNDS, '"round_index": index,',
          '"round_index": index + 1,', "medstream/alert", "unified"),
    Fault("the rubric names another answer", RUBRICS, '"required": names',
          '"required": [["banana"]]', "medstream/alert medstream/state_now_open", "unified"),
    Fault("a rival is the answer", RUBRICS, "if one.casefold() != right.casefold()", "if one",
          "medstream/state_now_open", "unified"),
)  # fmt: skip

ENGINE = (
    Fault("one of several is called the only one", OF.format("picks"),
          "count[found.filling] == 1", "count[found.filling] >= 1",
          "surgstu/locate_by_action surgstu/comparison medstream/action_on"),
    Fault("the first is the last", OF.format("picks"), '"start"), 1)', '"start"), -1)',
          "surgstu/first_action surgstu/next_action"),
    Fault("the last is the first", OF.format("picks"), '"end"), -1)', '"end"), 1)',
          "surgstu/last_appearance_time examples/last_seen_before"),
    Fault("the most is the least", OF.format("picks"), "best(call, rows, 1)",
          "best(call, rows, -1)",
          "surgstu/longest_continuous_action surgstu/most_active_instrument"),
    Fault("the nearest is the farthest", OF.format("picks"), "best(call, rows, -1)",
          "best(call, rows, 1)", "surgstu/closest"),
    Fault("what may be there is said to be", OF.format("measures"),
          "yes = found.any(found.sure)", "yes = found.any(found.sure | True)",
          "surgstu/existence_local_target medstream/alert", "unified"),
    Fault("what is not looked at is absent", OF.format("measures"),
          "~may & ~found.unlooked", "~may",
          "medstream/presence medstream/seen_before surgstu/existence_global"),
    Fault("what may be there is counted", OF.format("measures"),
          "counted(found, low, high, ok)", "counted(found, high, high, ok)",
          "medstream/states_done surgstu/interaction_count medstream/tool_count", "unified"),
    Fault("times that may be are added up", OF.format("measures"),
          "return Range.of(low, np.clip(printed, low, high), high, found.ok)",
          "return Range.of(high, high, high, found.ok)", "surgstu/idle_duration "
          "surgstu/interaction_count surgstu/dominant_verb"),
    Fault("the most at once is one too many", OF.format("measures"),
          "counted(found, low, high, found.ok)", "counted(found, low + 1, high, found.ok)",
          "surgstu/counting_concurrent"),
    Fault("a set is told where one member is not certain", OF.format("collections"),
          "found.ok & same & ~found.unlooked", "found.ok", "surgstu/classes medstream/set_before"),
    Fault("at least means at most", OF.format("conditions"),
          "case _:\n            return _ordered(right, left, strict=False)",
          "case _:\n            return _ordered(left, right, strict=False)"),
    Fault("equal is unequal", OF.format("conditions"),
          'case "=":\n            return _equal(left, right)',
          'case "=":\n            return ~_equal(left, right)',
          "surgstu/comparison surgstu/action_status surgcot/micro_transition medstream/alert"),
    Fault("the way is not measured straight", OF.format("picture"),
          "np.sqrt((np.diff(centre, axis=0) ** 2).sum(axis=1))",
          "np.abs(np.diff(centre, axis=0)).sum(axis=1)", "surgstu/velocity"),
    Fault("mean speed is the way", OF.format("picture"),
          '"mean_speed": path / np.maximum(time, 1e-9)',
          '"mean_speed": path', "surgstu/velocity surgstu/movement_status"),
    Fault("distance counts across alone", OF.format("picture"),
          "((a.centre - b.centre) ** 2).sum(axis=1)", "((a.centre - b.centre) ** 2)[:, 0]",
          "surgstu/closest surgstu/rel_change"),
    Fault("segments are rounded inwards", OF.format("values"),
          "base - (-last // grid) * grid", "base + last // grid * grid",
          "surgcot/affordance surgcot/action_ordering", "unified"),
    Fault("a false statement is told", OF.format("conditions"), "yes.argmax(0)", "no.argmax(0)",
          "surgcot/cue_alignment surgcot/action_ordering", "unified"),
    Fault("lengths are their longest", "surgqa.transforms.algebra.columns.read",
          'columns["e"] - columns["s"], columns["x1"]',
          'columns["x1"] - columns["x0"], columns["x1"]', "surgstu/longest_continuous_action "
          "examples/longest_phase"),
    Fault("centres are corners", "surgqa.transforms.algebra.columns.values",
          "return (self.xyxy[:, :2] + self.xyxy[:, 2:]) / 2", "return self.xyxy[:, :2]",
          "surgstu/closest surgstu/trajectory"),
    Fault("a share is one of the other", OF.format("values"),
          "return Range.of(low / most, at / whole, high / least, ok, none)",
          "return Range.of(low / most, low / most, low / most, ok, none)", "surgstu/dominant_verb"),
    Fault("a label that is not wanted passes", "surgqa.transforms.algebra.columns.near",
          "return ~equal if test.negated else equal", "return ~equal",
          "surgstu/counting_specific surgstu/existence_local_inst"),
    Fault("the greatest need not lead", "surgqa.transforms.algebra.columns.best",
          "return gap >= (lead.low * finite if lead.unit == \"share\" else lead.low)",
          "return gap >= 0",
          "surgstu/closest surgstu/dominant_verb surgstu/most_active_instrument"),
    Fault("a doubtful rival is no rival", "surgqa.transforms.algebra.columns.best",
          "(top_low > rest_high)", "(top_low > -np.inf)", "examples/most_actions", "unified"),
)  # fmt: skip

DRAWS_AND_OPTIONS = (
    Fault("what a pool leaves out is offered", WRONG, "*excluded(pool, case))}", ")}",
          "medstream/state_next examples/last_seen_before", "unified"),
    Fault("what its condition does not rule out is offered",
          "surgqa.transforms.algebra.columns.ruled",
          "(truth.no & truth.ok).tolist()", "truth.ok.tolist()",
          "surgcot/micro_transition surgcot/cue_alignment surgcot/affordance", "unified"),
    Fault("wrong numbers are far off", "surgqa.transforms.algebra.operators.pools.values",
          "range(last, last + wanted - below)", "range(last + 5, last + 5 + wanted - below)",
          "medstream/whole_number", "simsurgskill2021"),
    Fault("a block is known by one of its questions", "surgqa.transforms.questions.exchange",
          'digest("block", *sorted(', 'digest("block", min(',
          "surgstu/classes surgstu/counting_distinct"),
    Fault("all options of a main question have its right first half", POOLS,
          "[[right, false], [wrong, other], [wrong, false]]",
          "[[right, one.value] for one in put.parts[1].choices[i]]",
          "surgcot/micro_transition", "unified"),
    Fault("wrong times lie too close", "surgqa.transforms.algebra.operators.pools.times",
          "max(apart, after - before)", "apart // 4", OURS.format("act_begins"), "unified"),
    Fault("clips are asked about instants outside them", EACH,
          "index, time = _grid(window.start.at, window.end.at, rows)",
          "index, time = _grid(window.start.at - 5_000_000, window.start.at, rows)",
          "surgstu/refusal_absent_instrument"),
    Fault("what may be there is drawn", EACH,
          "(filling, code), _ = members(found, main.field, rows)",
          "_, (filling, code) = members(found, main.field, rows)",
          "examples/touch_while_in_view", "unified"),
    Fault("points lie on the corners of cells", EACH, "(np.arange(size) + 0.5) / size",
          "np.arange(size) / size", "surgstu/closest"),
    Fault("twice as much is shown", UNITS, "np.maximum(at - unit.see, base)",
          "np.maximum(at - 2 * unit.see, base)", "medstream/set_before medstream/state_now"),
    Fault("what is shown ends a second after the question", UNITS,
          "Stretch(Range.exact(start), Range.exact(at + 1))",
          "Stretch(Range.exact(start), Range.exact(at + 1_000_000))",
          "medstream/set_before medstream/state_now"),
    Fault("streams last no whole seconds", UNITS, ".astype(np.int64)) * SECOND_US",
          ".astype(np.int64)) * SECOND_US + 500_000", "medstream/alert", "unified"),
    Fault("windows of chains are too short", "surgqa.transforms.questions.stages",
          "wide = np.maximum(least, np.minimum(whole, free))",
          "wide = np.maximum(long, np.minimum(whole, free) - 1_000_000)",
          "surgcot/micro_transition surgcot/cue_alignment", "unified"),
    Fault("limits are measured to a whole number", ROW_FIELDS, "round(measured / unit, 6)",
          "float(round(measured / unit))", "surgstu/velocity"),
    Fault("limits are told of another one", ROW_FIELDS, 'limit = f"{sign} {right.value / unit:g}"',
          'limit = f"{sign} {right.value:g}"', "medstream/set_before surgstu/idle_duration"),
    Fault("it says that all worlds agree", ROW_FIELDS, '"certain": program.reading,',
          '"certain": "worlds" if program.reading == "labels" else "labels",'),
    Fault("ids go by the seed", ASK,
          "ids = {name: digest(*names[i],", "ids = {name: digest(1, *names[i],"),
    Fault("pointers are a second late", "surgqa.transforms.questions.grounds",
          "Pointer(table, row, t, t)",
          "Pointer(table, row, t + 1_000_000, t + 1_000_000)"),
)  # fmt: skip

ORDER_AND_KNOWLEDGE = (
    Fault("what needs and what closes are swapped", BANK,
          '"needs": _ordered(needs), "closes": _ordered(closes)',
          '"needs": _ordered(closes), "closes": _ordered(needs)', "medstream/alert", "unified"),
    Fault("what follows is what came before", BANK,
          'yield from ({"subject": label, "target": one} for one in said)',
          'yield from ({"subject": one, "target": label} for one in said)',
          "medstream/state_next medstream/state_next_open", "bern_bypass70"),
    Fault("every act does what another does", "surgqa.ontology.knowledge",
          'if verb in entry["verbs"]:', 'if verb not in entry["verbs"]:', "surgcot/affordance",
          "unified"),
    Fault("rules of order hold the other way round", "surgqa.ontology.knowledge",
          "if rule.orders(first, second):\n            return rule, True",
          "if rule.orders(second, first):\n            return rule, True",
          "surgcot/reason_of_order surgcot/action_ordering", "unified"),
    Fault("a statement of another stage is told", "surgqa.transforms.questions.knowledge",
          "place = min(max(number, STAGES[0]), STAGES[-1])",
          "place = STAGES[-1] + STAGES[0] - min(max(number, STAGES[0]), STAGES[-1])",
          "surgcot/affordance surgcot/cue_alignment", "unified"),
    Fault("a statement that is less about it is told", "surgqa.transforms.questions.knowledge",
          "if key != RULE}", 'if key not in (RULE, "target")}',
          "surgcot/affordance surgcot/cue_alignment", "unified"),
)  # fmt: skip

EXPORTED = (
    Fault("rows carry the licence of nobody", ROWS, '"licence": video.licence,', '"licence": "",'),
    Fault("rows of one surgery have groups of their own", ROWS,
          '"split_group": video.split_group,', '"split_group": video.video_id + split,'),
    Fault("rows name another procedure", ROWS, '"procedure": video.procedure,',
          '"procedure": video.specialty,'),
    Fault("pictures are numbered by one more", ROWS, '"first": video.media.first,',
          '"first": (video.media.first or 0) + 1,'),
    Fault("rows name another content", ROWS, '"sha256": video.media.sha256,',
          '"sha256": "0" * 64,'),
    Fault("rows say that labels are denser", ROWS, '"resolution_us": video.period_us,',
          '"resolution_us": video.period_us // 2,'),
    Fault("rows are of twice the rate", ROWS, '"fps_num": video.fps.numerator,',
          '"fps_num": 2 * video.fps.numerator,'),
    Fault("the answer's key is that of a wrong option", ROWS,
          "(o.key for o in item.options if o.is_answer)",
          "(o.key for o in item.options if not o.is_answer)"),
    Fault("the question's and the answer's text are swapped", ROWS,
          "question=item.question,", "question=item.answer,"),
    Fault("limits are left out of checks", ROWS,
          '"limit": c.limit} for c in item.checks]', '"limit": ""} for c in item.checks]',
          "surgstu/velocity medstream/set_before"),
    Fault("slots are those of the answer", ROWS, "slots=canonical(item.slots)",
          "slots=canonical(item.answer_value)"),
    Fault("tracks end with their first sample", "surgqa.transforms.exports.evidence",
          '"last_us": last,', '"last_us": first,'),
    Fault("boxes are those of the next row", "surgqa.transforms.exports.evidence",
          "{name: boxes[:, k] for k,",
          "{name: boxes[:, 3 - k] for k,"),
    Fault("what is done lacks its last act", "surgqa.transforms.exports.evidence",
          "for verb, target in pairs]", "for verb, target in pairs[1:]]"),
)  # fmt: skip

TALK, OF_MEDSTREAM = "test_chat.py", "medstream"
FORMATS = (
    Fault("frames are counted from one", "surgqa.transforms.exports.medstream.rows",
          "return time_us // self.scale.period_us", "return time_us // self.scale.period_us + 1",
          tests=OF_MEDSTREAM),
    Fault("seconds are tenths", "surgqa.transforms.exports.medstream.rows",
          "return ticks / 1000 if",
          "return ticks / 100 if", tests=OF_MEDSTREAM),
    Fault("another word stands for no answer", "surgqa.transforms.exports.medstream.rows",
          '"single word unanswerable;', '"single word unknown;', tests=OF_MEDSTREAM),
    Fault("both speakers are the user", "surgqa.transforms.exports.dialogue",
          '"role": "assistant"', '"role": "user"', tests=TALK),
    Fault("tags stand in the line of the text", "surgqa.transforms.exports.dialogue",
          'return "\\n".join(tags', 'return " ".join(tags', tests=TALK),
    Fault("pictures are in the reverse order of their tags", "surgqa.transforms.exports.dialogue",
          "for turn in self.turns for name, text in turn.parts",
          "for turn in self.turns[::-1] for name, text in turn.parts", tests=TALK),
    Fault("a stage lacks its context", "surgqa.transforms.exports.surgcot.rows",
          "if stage > 1:", "if stage > 2:", tests="surgcot"),
    Fault("the reply is the question", "surgqa.transforms.exports.surgcot.rows",
          '"content": row["answer"]}', '"content": row["question"]}', tests="surgcot"),
    Fault("the current frame is the next one", "surgqa.transforms.exports.sapbench.rows",
          "(asked_us(row) or 0) // SECOND_US", "(asked_us(row) or 0) // SECOND_US + 1",
          tests="sapbench"),
    Fault("the reference is the action after the next", "surgqa.transforms.exports.sapbench.rows",
          '"label": known["next"]', '"label": known["after_next"]', tests="sapbench"),
)  # fmt: skip

READERS_AND_FACTS = (
    Fault("labels are read a second late", "surgqa.transforms.readers.cholect50.reader",
          "instants_of(numbers, labels.fps)", "instants_of(numbers, labels.fps) + 1_000_000"),
    Fault("boxes are read half as large", "surgqa.transforms.readers.base.frame_bulk",
          "x, y, x + width, y + height", "x, y, x + width / 2, y + height / 2"),
    Fault("phases are read from the column of instruments",
          "surgqa.transforms.readers.cholect50.labels", '"phase": 14', '"phase": 1',
          "surgstu/classes medstream/state_now"),
    Fault("runs end with the label after them", RUNS, "return (a + b + 1) // 2", "return b",
          "surgstu/first_action surgstu/idle_duration"),
    Fault("holes are no holes", RUNS, "REACH = 1.5", "REACH = 1500.0",
          "surgstu/first_action medstream/set_before"),
    Fault("idle is an action", TOOLS, "pair[0] == IDLE[0]", "pair[0] != IDLE[0]",
          "surgstu/first_action surgstu/idle_duration"),
    Fault("phases begin half a second late", GATHER,
          "row |= {f\"{border}0\": low, border: printed, f\"{border}1\": high}",
          "row |= {f\"{border}0\": low, border: high, f\"{border}1\": high}",
          "medstream/state_now medstream/state_begins", "cholec80"),
    Fault("every label was looked for", FACTS_OUT, "sorted(fields[field])",
          "sorted({*fields[field], 'scalpel'})"),
)  # fmt: skip

FAULTS = (
    *WORDS_AND_PRINTERS, *ROUNDS_AND_PROTOCOL, *ENGINE, *DRAWS_AND_OPTIONS, *ORDER_AND_KNOWLEDGE,
    *EXPORTED, *FORMATS, *READERS_AND_FACTS,
)  # fmt: skip
