"""Wrong programs: each is a sound one with one thing changed.

``wrong.yaml`` says what: mistake -> [base, text, other text].  ``wrong.golden.txt`` holds the
findings of each.
"""

from __future__ import annotations

from pathlib import Path

from surgqa.ontology.yaml import read_yaml

CLIP = """\
schema: question/v1
id: mine.example
version: 1
title: An example
benchmark: mine
task: core/example
unit: clip
let:
  moment: {each: instant}
  tool: {each: instrument, at: moment}
  act: {first: interaction, track: tool.track}
  number: {count: instrument.label, at: moment}
where: [number >= 1, act.start > window.start]
draw: {even: [tool]}
answer: number
wrong: [{near: answer, most: 3}]
say: "{{ number | whole }}"
ask:
  - How many kinds of instruments are in view beside {{ tool | the }} at {{ moment | clock }}?
  - Count the kinds of instruments beside {{ tool | the }} at {{ moment | clock }}.
  - At {{ moment | clock }}, how many kinds of instruments does the image show?
  - What is the number of kinds of instruments at {{ moment | clock }}?
"""

NOW = """\
schema: question/v1
id: mine.later
version: 1
title: An example
benchmark: mine
task: future/later
unit: {now: any, see: 10 s, every: 60 s}
let:
  here: {only: phase, at: now}
  then: {first: phase, starts_in: [now, now + 30 s], or: none}
answer: then.label
wrong: [{labels: phase, except: [here.label]}]
say: "{{ then.label | name }}"
ask:
  - Which phase follows {{ here.label | name }} within 30 seconds?
  - What comes after {{ here.label | name }} within 30 seconds?
  - Which phase begins after {{ here.label | name }} in the next 30 seconds?
  - After {{ here.label | name }}, which phase starts within 30 seconds?
"""

STREAM = """\
schema: question/v1
id: mine.stream
version: 1
title: An example
benchmark: mine
task: future/stream
unit: {stream: any, length: 24..80 s, every: 120 s}
let:
  hit: {first: event, starts_in: window, or: none}
rounds: {due: hit.start, before: 2..3, after: 1, else: no_alert, within: 2 s}
answer: hit.label
say: "{{ hit.label | name }}"
ask:
  - Which event comes next? Answer once it can be seen.
  - Wait for the next event, and name it.
  - Name the next event as soon as it begins.
  - What is the next event? Say so when it begins.
"""

CHAIN = """\
schema: question/v1
id: mine.chain
version: 1
title: An example
benchmark: mine
task: chain
unit: {chain: act, every: 60 s}
let:
  act: {each: interaction}
stages:
  q1:
    window: {around: act, at_least: 20 s, room: 10 s}
    answer: act.verb
    wrong: [{labels: verb}]
    ask:
      - What does the instrument do here?
      - Which action can be seen?
      - Name the action.
      - Which of these actions is carried out?
    say: "{{ act.verb | base }}"
    clue: "Look at the tip from {{ window | span }}."
  q2:
    window: {around: options, at_least: 2 s, inside: q1}
    answer: act.start
    wrong: [{near: answer, apart: 0.5 s, unless: {exists: interaction, starts_in: it}}]
    ask:
      - When does {{ act | noun }} begin?
      - At which time does {{ act | noun }} begin?
      - Which is the first time of {{ act | noun }}?
      - From which time on can {{ act | noun }} be seen?
    say: "{{ act.start | clock }}"
    context: "Given: {{ q1.answer | text }}."
"""

BASES = {"clip": CLIP, "now": NOW, "stream": STREAM, "chain": CHAIN}
FILE = Path(__file__).parent / "wrong.yaml"


def wrong_programs() -> dict[str, str]:
    """Mistake -> text of the program that has it."""
    out = {}
    for name, (base, old, new) in read_yaml(FILE.read_text("utf-8"), FILE.name).data.items():
        assert old in BASES[base], name
        out[name] = BASES[base].replace(old, new, 1)
    return out
