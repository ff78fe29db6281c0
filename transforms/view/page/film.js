"use strict";
/* The pictures of an item, one at a time. No picture is requested from after the time that the
   question may see. */

const film = { on: null };
const FASTEST_US = 100000;

function stepOf(item, video) {
  const rate = item.media && item.media.fps_num ? item.media.fps_num / item.media.fps_den : 0;
  const period = rate ? 1e6 / rate : (video && video.period_us) || 1e6;
  return Math.max(period, FASTEST_US);
}

/** The pictures with controls. `tell` is called with the time that is shown, `hold` with the film
    when a person goes to a time. `first` is the time at which it begins. */
function filmOf(found, tell, hold = () => {}, first = null) {
  stopFilm();
  const { item, video } = found;
  const one = { item, tell, boxes: found.boxes, shown: true, outlined: true, outlines: {}, playing: 0, high: 1000, round: null,
    start: item.start_us, end: item.seen_us, step: stepOf(item, video), time: item.start_us,
    times: window.SAMPLE ? SAMPLE.pictures[item.item_id] : null };
  film.on = one;
  if (!found.pictures) { one.seek = (time) => tell(one.time = kept(one, time)); return null; }
  const [width, height] = [item.media.width, item.media.height];
  one.picture = el("img", { alt: "", decoding: "async", width, height });
  one.over = svg("svg", { viewBox: "0 0 1000 1000", class: "boxes", "aria-hidden": "true", visibility: "hidden" });
  one.lost = el("p", { class: "lost", hidden: true });
  one.picture.addEventListener("error", () => {
    if (one.looks.length) return seekFilm(one, one.looks.shift());
    one.lost.hidden = false;
    one.lost.textContent = "There is no picture of this instant.";
  });
  one.picture.addEventListener("load", () => {
    one.looks = [];
    one.lost.hidden = true;
    one.high = (1000 * one.picture.naturalHeight) / one.picture.naturalWidth;
    one.over.removeAttribute("visibility");
    one.over.setAttribute("viewBox", `0 0 1000 ${one.high}`);
    drawBoxes(one);
  });
  one.slide = el("input", { type: "range", min: one.start, max: Math.max(one.end, item.end_us), step: 1000, "aria-label": "Time in the window",
    oninput: (event) => one.seek(Number(event.target.value)) });
  one.later = el("span", { class: "later", hidden: true }, el("span", {}, "not yet"));
  one.cover = el("p", { class: "cover", hidden: true });
  one.told = el("output", {});
  one.button = el("button", { type: "button", onclick: () => playFilm(), "aria-label": "Play" }, "Play");
  one.toggle = el("button", { type: "button", onclick: () => toggleBoxes(), "aria-pressed": "true" }, "Boxes");
  const masked = found.boxes.some((box) => box.masked);
  one.toggleMasks = masked ? el("button", { type: "button", onclick: () => toggleMasks(), "aria-pressed": "true" }, "Masks") : null;
  one.looks = firstLooks(found, first);
  one.seek = (time) => { one.looks = []; seekFilm(one, time); hold(one); };
  const figure = el("figure", { class: "film" }, el("div", { class: "picture" }, one.picture, one.over, one.lost, one.cover),
    el("div", { class: "controls" }, one.button,
      el("button", { type: "button", "aria-label": "One picture back", onclick: () => stepFilm(-1) }, "‹"),
      el("button", { type: "button", "aria-label": "One picture on", onclick: () => stepFilm(1) }, "›"),
      el("span", { class: "slide" }, one.slide, one.later), one.told, found.blind || !(found.boxes.length || answerBoxes(item.answer_value).length) ? null : one.toggle, one.toggleMasks, roundsOf(one)));
  seekFilm(one, one.looks.shift());
  return figure;
}

/** Times to begin with, the best first; some videos have no picture at some of them. */
function firstLooks(found, first) {
  const { item } = found;
  const all = [first, firstLook(item), item.seen_us, ...found.boxes.map((box) => box.time_us)];
  return [...new Set(all.filter((time) => time !== null))].slice(0, 6);
}

/** The first time that the question names, or else the first time of the evidence that may be seen. */
function firstLook(item) {
  const rests = (item.evidence || []).map((one) => one.start_us).filter((one) => one >= item.start_us && one <= item.seen_us);
  return Math.min(...((item.asked_us || []).length ? item.asked_us : rests.length ? rests : [item.start_us]));
}

/** The nearest time that may be seen; in a page of files, the time of the last picture before it. */
function kept(one, time) {
  const inside = Math.min(one.end, Math.max(one.start, Math.round(time)));
  if (!one.times || !one.times.length) return inside;
  const past = one.times.filter((t) => t <= inside);
  return past.length ? past[past.length - 1] : one.times[0];
}

/** The time of the next picture, or of the previous picture. */
function after(one, way) {
  if (!one.times) return one.time + way * one.step;
  const later = one.times.filter((t) => (way > 0 ? t > one.time : t < one.time) && t <= one.end);
  return later.length ? later[way > 0 ? 0 : later.length - 1] : one.time + way * one.step;
}

function stepFilm(way) {
  if (film.on) film.on.seek(after(film.on, way));
}

function seekFilm(one, time) {
  one.time = kept(one, time);
  coverLater(one, time > one.end + 1000);
  one.picture.src = pictureOf(one.item.item_id, one.time, one.round);
  one.picture.alt = `The recording at ${clock(one.time)}`;
  one.slide.value = one.time;
  one.told.textContent = `${seconds(one.time - one.start)} of the window, ${clock(one.time)} of the recording`;
  drawBoxes(one);
  one.tell(one.time);
}

/** Mark the part of the window that the question may not see; at a time in it, the picture is
    covered. */
function coverLater(one, late) {
  const [from, to] = [Number(one.slide.min), Number(one.slide.max)];
  one.cover.hidden = !late;
  one.cover.textContent = `Hidden: the question may not see anything after ${clock(one.end)}.`;
  one.later.hidden = one.end >= to;
  one.later.style.width = `${(100 * (to - one.end)) / Math.max(1, to - from)}%`;
}

/** Draw the boxes of the annotated time that is shown, and the boxes in the answer. */
function drawBoxes(one) {
  const past = one.boxes.filter((box) => box.time_us <= one.time && one.time - box.time_us < Math.max(one.step, 1000));
  const last = past.reduce((time, box) => Math.max(time, box.time_us), -1);
  const now = past.filter((box) => box.time_us === last);
  const outlines = one.outlined && now.some((box) => box.masked) ? outlinesOf(one, last) : [];
  one.over.replaceChildren(...outlines.map((mask) => svg("path", { d: mask.path, class: "mask", transform: `scale(1 ${one.high / 1000})` },
    svg("title", {}, words(mask.label)))), ...(one.shown ? now.flatMap((box) => boxOf(box, "", one.high)) : []),
    ...(one.shown ? answerBoxes(one.item.answer_value, one.time, one.step).flatMap((box) => boxOf(box, "answer", one.high)) : []));
}

/** The outlines of masks at an annotated time; the first call requests them and draws them on
    arrival. */
function outlinesOf(one, time) {
  if (!(time in one.outlines)) {
    one.outlines[time] = [];
    ask("masks", { id: one.item.item_id, t: time }).then((found) => {
      one.outlines[time] = found;
      if (film.on === one) drawBoxes(one);
    }, () => {});
  }
  return one.outlines[time];
}

function boxOf(box, kind, high) {
  const [x, y] = [box.x1 * 1000, box.y1 * high];
  const [w, h] = [(box.x2 - box.x1) * 1000, (box.y2 - box.y1) * high];
  const text = box.label ? svg("text", { x: x + 6, y: Math.max(26, y - 8), class: kind }, words(box.label)) : null;
  return [svg("rect", { x, y, width: w, height: h, class: kind }), text].filter(Boolean);
}

/** The boxes in an answer that are near a time, or all boxes. If there are several, a box may be
    called `high.box` and its time `high.start`. */
function answerBoxes(value, time, step) {
  if (!value || typeof value !== "object") return [];
  if (Array.isArray(value)) return value.flatMap((one) => answerBoxes(one, time, step));
  return Object.entries(value).flatMap(([name, box]) => {
    const found = /^(.*\.)?box(_xyxy)?$/.exec(name);
    if (!found || !Array.isArray(box) || box.length !== 4 || !box.every(Number.isFinite)) return answerBoxes(box, time, step);
    const at = ["time_us", "time", "start"].map((key) => value[(found[1] || "") + key]).find(Number.isFinite);
    const [x1, y1, x2, y2] = box;
    return time === undefined || at === undefined || Math.abs(at - time) < step ? [{ x1, y1, x2, y2, label: "" }] : [];
  });
}

function roundsOf(one) {
  const rounds = one.item.rounds || [];
  if (!rounds.length) return null;
  const choose = (event) => {
    const value = event.target.value;
    const round = rounds.find((r) => String(r.round_index) === value);
    one.round = round ? round.round_index : null;
    one.end = round ? round.end_us : one.item.seen_us;
    one.seek(round ? one.end : one.time);
  };
  return el("label", { class: "as-round" }, "as seen in ", el("select", { onchange: choose },
    el("option", { value: "" }, "all rounds"),
    rounds.map((r) => el("option", { value: r.round_index }, `round ${r.round_index}`))));
}

function playFilm() {
  const one = film.on;
  if (!one || !one.button) return;
  if (one.playing) return stopFilm();
  if (one.time >= one.end) one.seek(one.start);
  one.button.textContent = "Pause";
  one.button.setAttribute("aria-label", "Pause");
  const pause = Math.max(120, Math.min(500, one.step / 1000));
  one.playing = setInterval(() => {
    if (!one.picture.complete) return;
    const next = after(one, 1);
    if (next > one.end || kept(one, next) === one.time) return stopFilm();
    one.seek(next);
    new Image().src = pictureOf(one.item.item_id, kept(one, after(one, 1)), one.round);
  }, pause);
}

function stopFilm() {
  const one = film.on;
  if (!one || !one.playing) return;
  clearInterval(one.playing);
  one.playing = 0;
  one.button.textContent = "Play";
  one.button.setAttribute("aria-label", "Play");
}

function toggleBoxes() {
  const one = film.on;
  if (!one || !one.over) return;
  one.shown = !one.shown;
  one.toggle.setAttribute("aria-pressed", String(one.shown));
  drawBoxes(one);
}

function toggleMasks() {
  const one = film.on;
  if (!one || !one.toggleMasks) return;
  one.outlined = !one.outlined;
  one.toggleMasks.setAttribute("aria-pressed", String(one.outlined));
  drawBoxes(one);
}
