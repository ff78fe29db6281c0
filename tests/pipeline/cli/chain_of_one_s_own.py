"""A chain whose stages have names of their own, as a user writes one."""

CHAIN = """\
schema: question/v1
id: mine.chain
version: 1
title: What an instrument does, to what, and where it is
benchmark: mine
task: chain/what_where
profiles: [paper]
unit: {chain: act, every: 20 s}
let:
  act: {each: interaction, target: {not: none}}
  moment: {each: instant, of: act}
  place: {box: act, at: moment}
stages:
  what:
    window: {around: act, at_least: 12 s, room: 2 s}
    where: [{only: interaction, subject: act.subject}]
    answer: act.verb
    wrong: [{labels: verb}]
    ask:
      - What {{ act.subject | does }} {{ act.subject | the }} do?
      - Which action of {{ act.subject | the }} is shown?
      - Name the action of {{ act.subject | the }}.
      - What is done with {{ act.subject | the }}?
    say: "{{ act.verb | base }}"
  where:
    window: {around: act, at_least: 6 s, room: 1 s, inside: what}
    answer: place
    ask:
      - In which box {{ act.subject | is }} {{ act.subject | the }} at {{ moment | clock }}?
      - Which box holds {{ act.subject | the }} at {{ moment | clock }}?
      - Give the box of {{ act.subject | the }} at {{ moment | clock }}.
      - Name the box around {{ act.subject | the }} at {{ moment | clock }}.
    context: "Given the action of {{ act.subject | the }}: {{ what.answer | text }}."
examples:
  - about: The hook dissects, then the grasper retracts.
    seconds: 60
    every: 1
    facts:
      - {instrument: hook, from: 20, to: 30, box: [100, 100, 300, 200]}
      - {interaction: hook, verb: dissect, target: gallbladder, from: 20, to: 30}
    where: [moment = video.start + 25 s]
    expect: {answer: {what: Dissect, where: "[100, 100, 300, 200]"}}
"""
