"use strict";
/* The page for a labelling round, one picture at a time. A person moves, names, adds and removes
   boxes, and clicks on the labels that the round asks for. */

const STEP = 0.004;
const desk = { frames: [], labels: [], at: 0, picked: null, label: "", pointing: false, layer: null, saver: saverOf("frame", told, "Saved in the round.") };

const frame = () => desk.frames[desk.at];
const box = () => (desk.picked === null ? null : frame().boxes[desk.picked]);

function told(one) {
  return { file: one.file, done: one.done, boxes: one.boxes };
}

/** Save a change of this picture. */
function changed() {
  drawDesk();
  desk.saver.keep(frame());
}

/** The labels that the round asks for and that this picture does not have yet. */
const wanted = (one) => one.asked.filter((label) => !one.boxes.some((each) => each.label === label));

/** From now on, a click in the picture adds a point with this label. */
function askFor(label) {
  Object.assign(desk, { label: label || desk.label, pointing: Boolean(label), picked: null });
  drawDesk();
}

/** Add a point with the current label; it replaces an earlier point with this label. */
function addPoint([x, y]) {
  const { boxes } = frame();
  const before = boxes.findIndex((each) => each.label === (desk.label || desk.labels[0]) && isPoint(each.box));
  if (before >= 0) boxes.splice(before, 1);
  add([x, y, x, y]);
}

/** Add a point for the label that is asked for, and ask for the next label. */
function point(at) {
  if (!desk.pointing) return pick(null);
  addPoint(at);
  return askFor(wanted(frame())[0]);
}

function pick(k) {
  desk.picked = k;
  if (box()) desk.label = box().label;
  drawDesk();
}

function place(k, sides) {
  frame().boxes[k].box = sides;
  changed();
}

function add(sides) {
  frame().boxes.push({ id: null, label: desk.label || desk.labels[0], box: sides });
  desk.picked = frame().boxes.length - 1;
  changed();
}

function drop() {
  if (!box()) return;
  frame().boxes.splice(desk.picked, 1);
  desk.picked = null;
  changed();
}

function rename(label) {
  desk.label = label;
  if (!box()) return;
  box().label = label;
  changed();
}

function finish() {
  frame().done = !frame().done;
  changed();
  if (frame().done && desk.at < desk.frames.length - 1) go(1);
}

function go(way) {
  const to = Math.min(desk.frames.length - 1, Math.max(0, desk.at + way));
  if (to === desk.at) return;
  show(to);
  if (!desk.saver.unsaved.size) said("");
  drawDesk();
  byId("main").scrollTop = 0;
}

function show(to) {
  const [asked] = wanted(desk.frames[to]);
  Object.assign(desk, { at: to, picked: null, layer: null, pointing: Boolean(asked), label: asked || desk.label });
}

function pictureOfRound(one) {
  desk.layer = layerOf({ pick, add, point, change: place });
  const picture = el("img", { src: `picture?${query({ file: one.file })}`, alt: `Picture ${desk.at + 1} of the round`, draggable: "false" });
  picture.addEventListener("load", () => { desk.layer.high = (1000 * picture.naturalHeight) / picture.naturalWidth; drawDesk(); });
  picture.addEventListener("error", () => said("This picture cannot be shown."));
  desk.figure = el("figure", { class: "film" }, el("div", { class: "picture" }, picture, desk.layer.node));
}

function drawDesk() {
  const one = frame();
  byId("progress").textContent = `Picture ${desk.at + 1} of ${desk.frames.length}, ${desk.frames.filter((each) => each.done).length} done`;
  byId("before").disabled = desk.at === 0;
  byId("next").disabled = desk.at === desk.frames.length - 1;
  if (!desk.layer) pictureOfRound(one);
  Object.assign(desk.layer, { boxes: one.boxes, picked: desk.picked,
    outlines: one.boxes.filter((each) => each.id in one.outlines).map((each) => one.outlines[each.id]) });
  if (!desk.layer.drag) drawLayer(desk.layer);
  const side = byId("side");
  if (side && desk.figure.isConnected) return redrawn(side, ...sideOf(one));
  return redrawn(byId("main"), el("h2", { class: "unseen" }, "Boxes of a picture"),
    el("div", { class: "rating" }, desk.figure, el("div", { class: "item-body", id: "side" }, sideOf(one))));
}

function sideOf(one) {
  const labels = el("select", { id: "label", onchange: (event) => rename(event.target.value) },
    desk.labels.map((label) => el("option", { value: label, selected: label === (box() ? box().label : desk.label || desk.labels[0]) }, words(label))));
  return [
    one.asked.length ? el("section", { class: "part" }, el("h3", {}, "Asked for"),
      el("p", {}, "Click once inside each of these that is in view, or draw a box around it."),
      el("div", { class: "choices", role: "group", "aria-label": "Asked for" }, one.asked.map((label, k) =>
        pressed(`asked-${k}`, desk.pointing && desk.label === label, () => askFor(desk.pointing && desk.label === label ? null : label),
          words(label), wanted(one).includes(label) ? "" : " ✓")))) : null,
    el("section", { class: "part" }, el("h3", {}, "Boxes"),
      one.boxes.length ? el("div", { class: "choices", role: "group", "aria-label": "Boxes" }, one.boxes.map((each, k) =>
        pressed(`box-${k}`, k === desk.picked, () => pick(k === desk.picked ? null : k), k < 9 ? el("kbd", {}, k + 1) : null, words(each.label))))
        : el("p", {}, "No box: nothing that is searched for is in view."),
      one.left ? el("p", { class: "small" }, `${one.left} other shapes are not changed.`) : null),
    el("section", { class: "part" }, el("h3", {}, el("label", { for: "label" }, box() ? "Name of this box" : "Name of the next box")), labels,
      el("p", { class: "buttons after" }, el("button", { type: "button", id: "add", onclick: () => add([0.4, 0.4, 0.6, 0.6]) }, el("kbd", {}, "n"), " Add a box"),
        el("button", { type: "button", id: "point", onclick: () => addPoint([0.5, 0.5]) }, el("kbd", {}, "p"), " Add a point"),
        el("button", { type: "button", id: "drop", disabled: !box(), onclick: drop }, el("kbd", {}, "Del"), " Remove the box"))),
    el("section", { class: "part" }, pressed("done", one.done, finish, el("kbd", {}, "Enter"), one.done ? " This picture is done" : " Done, next picture")),
    el("p", { class: "small" }, "Draw a box with the pointer. Pull its corners, or move it with the arrow keys (with Shift, its lower right corner). "
      + "For a point, a model finds the outline. 1 to 9 select a box, j and k go to the next and the previous picture, u to the next picture that is not done."),
  ];
}

const ARROWS = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] };

function unfinished() {
  const left = desk.frames.findIndex((one) => !one.done);
  if (left >= 0) go(left - desk.at);
}

function onDeskKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || !desk.frames.length || event.target.closest("select")) return;
  const acts = { j: () => go(1), k: () => go(-1), u: unfinished, n: () => add([0.4, 0.4, 0.6, 0.6]), Delete: drop, Backspace: drop,
    p: () => addPoint([0.5, 0.5]), Escape: () => askFor(null) };
  if (event.key in ARROWS && box()) place(desk.picked, (event.shiftKey && !isPoint(box().box) ? stretched : shifted)(box().box, ...ARROWS[event.key]));
  else if (event.key === "Enter" && !event.target.closest("button")) finish();
  else if (Number(event.key) >= 1 && Number(event.key) <= frame().boxes.length) pick(Number(event.key) - 1);
  else if (Object.hasOwn(acts, event.key)) acts[event.key]();
  else return;
  event.preventDefault();
}

async function beginDesk() {
  const found = await ask("round");
  Object.assign(desk, { frames: found.frames, labels: found.labels });
  byId("name").textContent = `Corrections: ${found.name}`;
  document.title = `${found.name} · surgqa label correct`;
  byId("before").addEventListener("click", () => go(-1));
  byId("next").addEventListener("click", () => go(1));
  document.addEventListener("keydown", onDeskKey);
  show(Math.max(0, found.frames.findIndex((one) => !one.done)));
  drawDesk();
}

beginDesk();
