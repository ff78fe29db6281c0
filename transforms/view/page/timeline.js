"use strict";
/* The facts around the window, as lanes along time. A click on a time shows the picture at this
   time. */

const NARROWEST = 84;
const ROW = 16;
const LETTER = 6.2;
const MOST_ROWS = 14;

function timelineOf(id) {
  const one = { id, whole: false, time: null, home: el("div", { class: "timeline" }) };
  one.toggle = el("button", { type: "button", "aria-pressed": "false",
    onclick: () => { one.whole = !one.whole; loadTimeline(one); } }, "Whole recording");
  one.box = el("section", { "aria-label": "Timeline" },
    el("div", { class: "part-head" }, el("h3", {}, "Timeline"), one.toggle), one.home, legend());
  one.show = (time) => { one.time = time; if (one.cursor) placeCursor(one); };
  new ResizeObserver(() => { if (one.data) drawTimeline(one); }).observe(one.home);
  loadTimeline(one);
  return one;
}

async function loadTimeline(one) {
  one.toggle.setAttribute("aria-pressed", String(one.whole));
  try {
    one.data = await ask("timeline", { id: one.id, whole: one.whole ? 1 : 0 });
    drawTimeline(one);
  } catch (error) {
    one.home.replaceChildren(el("p", { class: "small" }, `No timeline: ${error.message}`));
  }
}

function legend() {
  const key = (kind, text) => el("span", { class: "key" },
    svg("svg", { width: 22, height: 12, "aria-hidden": "true" }, kind), text);
  return el("p", { class: "legend" },
    key([svg("rect", { class: "bound", x: 0, y: 3, width: 22, height: 6 }), svg("rect", { class: "fact", x: 5, y: 1, width: 12, height: 10 })], "known, between its bounds"),
    key(svg("rect", { class: "fact proof", x: 2, y: 1, width: 18, height: 10 }), "the answer rests on it"),
    key(svg("rect", { class: "hole", x: 0, y: 0, width: 22, height: 12 }), "nobody looked"),
    key(svg("rect", { class: "unseen-part", x: 0, y: 0, width: 22, height: 12 }), "may not be seen"));
}

function drawTimeline(one) {
  const data = one.data;
  const width = Math.max(300, one.home.clientWidth);
  const gutter = gutterOf(data, width);
  const x = (us) => gutter + ((us - data.from_us) / (data.to_us - data.from_us)) * (width - gutter - 8);
  const scene = { x, gutter, width, y: 20, marks: [] };
  drawAxis(scene, data);
  drawPlaces(scene, data);
  for (const lane of data.lanes) drawLane(scene, lane);
  const high = scene.y + 8;
  one.x = x;
  one.high = high;
  one.cursor = svg("line", { class: "cursor", x1: -9, x2: -9, y1: 16, y2: high });
  const picture = svg("svg", { width, height: high, viewBox: `0 0 ${width} ${high}`, role: "img", "data-gutter": gutter,
    "aria-label": `From ${clock(data.from_us)} to ${clock(data.to_us)}` },
  hatch(), ground(x, data, high), scene.marks, one.cursor);
  picture.addEventListener("click", (event) => {
    const part = (event.clientX - picture.getBoundingClientRect().left - gutter) / (width - gutter - 8);
    if (part >= 0 && film.on) film.on.seek(data.from_us + part * (data.to_us - data.from_us));
  });
  one.home.replaceChildren(picture, data.cut ? el("p", { class: "small" }, "There are too many facts: only the first ones are shown.") : "");
  if (one.time !== null) placeCursor(one);
}

/** Width for the names of rows: as much as they need, at most a third of the whole. */
function gutterOf(data, width) {
  const longest = Math.max(...data.lanes.flatMap((lane) => lane.rows.map((row) => row.label.length)), 12);
  return Math.round(Math.max(NARROWEST, Math.min(longest * LETTER + 16, width / 3)));
}

function hatch() {
  return svg("defs", {}, svg("pattern", { id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    svg("line", { x1: 0, y1: 0, x2: 0, y2: 6, class: "hatch-line" })));
}

function ground(x, data, high) {
  const [start, end] = data.window;
  const band = svg("rect", { class: "window", x: x(start), y: 16, width: Math.max(1, x(end) - x(start)), height: high - 16 });
  const late = data.seen_us < data.to_us ? svg("rect", { class: "unseen-part", x: x(data.seen_us), y: 16, width: x(data.to_us) - x(data.seen_us), height: high - 16 }) : null;
  const asked = data.query_us === null ? null : svg("line", { class: "query", x1: x(data.query_us), x2: x(data.query_us), y1: 10, y2: high });
  return [band, late, asked];
}

function drawAxis(scene, data) {
  const span = (data.to_us - data.from_us) / 1e6;
  const steps = [0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600];
  const most = Math.max(2, Math.floor((scene.width - scene.gutter) / 76));
  const step = (steps.find((one) => span / one <= most) || 7200) * 1e6;
  for (let t = Math.ceil(data.from_us / step) * step; t <= data.to_us; t += step) {
    if (scene.x(t) > scene.width - 20) break;
    scene.marks.push(svg("line", { class: "tick", x1: scene.x(t), x2: scene.x(t), y1: 14, y2: 18 }),
      svg("text", { class: "tick-text", x: scene.x(t), y: 10, "text-anchor": "middle" }, clock(t)));
  }
}

/** One row each for the times of the question, the answer, every option, and the rounds. */
function drawPlaces(scene, data) {
  const line = (label, spans, kind) => {
    if (!spans.length) return;
    rowLabel(scene, label);
    for (const [start, end, text] of spans) {
      scene.marks.push(bar(scene, start, end, kind, `${text || label}: ${clock(start)}${end > start ? `–${clock(end)}` : ""}`));
    }
    scene.y += ROW;
  };
  scene.y += 4;
  line("asked about", data.asked_us.map((one) => [one, one]), "place");
  if (!data.options.length) line("answer", data.spans, "place answer");
  for (const one of data.options) line(`${one.key})${one.is_answer ? " answer" : ""}`, one.spans, one.is_answer ? "place answer" : "place");
  line("rounds", data.rounds.map((one) => [one.current_us, one.current_us, `round ${one.round_index}: ${one.expected_output}`]), "place");
}

function drawLane(scene, lane) {
  scene.y += 6;
  const top = scene.y;
  const rows = lane.rows.slice(0, MOST_ROWS);
  scene.marks.push(svg("text", { class: "lane", x: 0, y: scene.y + 11 }, words(lane.kind)));
  scene.y += ROW;
  const facts = [];
  for (const row of rows) {
    rowLabel({ ...scene, marks: facts }, row.label);
    for (const fact of row.facts) facts.push(...factBars(scene, fact, row.label));
    scene.y += ROW;
  }
  const left = lane.rows.length - rows.length;
  if (left) { scene.marks.push(svg("text", { class: "label", x: 8, y: scene.y + 11 }, `and ${left} more`)); scene.y += ROW; }
  for (const [start, end] of lane.holes) {
    scene.marks.push(svg("rect", { class: "hole", x: scene.x(start), y: top, width: Math.max(0.5, scene.x(end) - scene.x(start)), height: scene.y - top },
      svg("title", {}, `${words(lane.kind)}: nobody looked from ${clock(start)} to ${clock(end)}`)));
  }
  scene.marks.push(...facts);
}

function rowLabel(scene, text) {
  const most = Math.floor((scene.gutter - 12) / LETTER);
  const short = words(text);
  scene.marks.push(svg("text", { class: "label", x: 8, y: scene.y + 11 },
    short.length > most ? `${short.slice(0, most - 1)}…` : short, svg("title", {}, short)));
}

function factBars(scene, fact, label) {
  const told = `${words(label)}: ${clock(fact.s)}–${clock(fact.e)}; begins between ${clock(fact.s0)} and ${clock(fact.s1)}, ends between ${clock(fact.e0)} and ${clock(fact.e1)}${fact.sure ? "" : "; may not be"}${fact.words ? `; said: “${fact.words}”` : ""}`;
  const bound = fact.e1 > fact.s0 ? bar(scene, fact.s0, fact.e1, "bound", told, 6) : null;
  const inner = bar(scene, fact.s, fact.e, `fact${fact.evidence ? " proof" : ""}${fact.sure ? "" : " unsure"}`, told);
  return [bound, inner].filter(Boolean);
}

function bar(scene, start, end, kind, text, high = 10) {
  const wide = Math.max(3, scene.x(end) - scene.x(start));
  return svg("rect", { class: kind, x: scene.x(start) - (end > start ? 0 : 1.5), y: scene.y + (ROW - high) / 2, width: wide, height: high, rx: 2 },
    svg("title", {}, text));
}

function placeCursor(one) {
  one.cursor.setAttribute("x1", one.x(one.time));
  one.cursor.setAttribute("x2", one.x(one.time));
}
