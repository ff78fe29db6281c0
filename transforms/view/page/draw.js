"use strict";
/* Boxes on a picture, which the pointer draws, moves and resizes, and points, which are boxes
   without area. A box is [x1, y1, x2, y2] in fractions of the picture. */

const LEAST = 0.01;
const CORNERS = [[0, 1], [2, 1], [2, 3], [0, 3]];

const bounded = (value) => Math.min(1, Math.max(0, value));
const ordered = ([x1, y1, x2, y2]) => [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)];
const isBox = ([x1, y1, x2, y2]) => x2 - x1 >= LEAST && y2 - y1 >= LEAST;
const isPoint = ([x1, y1, x2, y2]) => x1 === x2 && y1 === y2;

/** The box after a move, inside the picture. */
function shifted([x1, y1, x2, y2], dx, dy) {
  const [x, y] = [Math.min(1 - x2, Math.max(-x1, dx)), Math.min(1 - y2, Math.max(-y1, dy))];
  return [x1 + x, y1 + y, x2 + x, y2 + y];
}

/** The box after a move of its right and lower side. */
const stretched = ([x1, y1, x2, y2], dx, dy) =>
  [x1, y1, bounded(Math.max(x1 + LEAST, x2 + dx)), bounded(Math.max(y1 + LEAST, y2 + dy))];

/** A layer over a picture.  `acts`: `pick(k)`, `change(k, box)` and `add(box)` when the pointer lets
    go, `point([x, y])` when it did not move.  `outlines`: paths in thousandths of the picture's sides. */
function layerOf(acts) {
  const one = { high: 1000, boxes: [], outlines: [], picked: null, drag: null,
    node: svg("svg", { viewBox: "0 0 1000 1000", class: "boxes drawn", "aria-hidden": "true" }) };
  const place = (event) => {
    const area = one.node.getBoundingClientRect();
    return [bounded((event.clientX - area.left) / area.width), bounded((event.clientY - area.top) / area.height)];
  };
  one.node.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    event.preventDefault();
    one.node.setPointerCapture(event.pointerId);
    one.drag = dragOf(one, event.target, place(event), acts);
  });
  one.node.addEventListener("pointermove", (event) => {
    if (!one.drag) return;
    one.drag.box = one.drag.at(place(event));
    drawLayer(one);
  });
  one.node.addEventListener("pointerup", () => letGo(one, acts));
  one.node.addEventListener("pointercancel", () => { one.drag = null; drawLayer(one); });
  return one;
}

/** What a drag that starts here does: pull a corner, move a box, or draw a new box. */
function dragOf(one, target, [x, y], acts) {
  const { corner, box } = target.dataset;
  if (corner !== undefined) {
    const [across, along] = CORNERS[corner];
    const from = one.boxes[one.picked].box;
    return { k: one.picked, at: ([px, py]) => ordered(from.map((side, s) => (s === across ? px : s === along ? py : side))) };
  }
  if (box === undefined) return { k: null, from: [x, y], at: ([px, py]) => ordered([x, y, px, py]) };
  const from = one.boxes[box].box;
  acts.pick(Number(box));
  return { k: Number(box), at: ([px, py]) => shifted(from, px - x, py - y) };
}

function letGo(one, acts) {
  const drag = one.drag;
  one.drag = null;
  if (drag && drag.box && isBox(drag.box)) return drag.k === null ? acts.add(drag.box) : acts.change(drag.k, drag.box);
  if (drag && drag.box && drag.k !== null && isPoint(drag.box)) return acts.change(drag.k, drag.box);
  if (drag && drag.k === null) acts.point(drag.from);
  return drawLayer(one);
}

function drawLayer(one) {
  one.node.setAttribute("viewBox", `0 0 1000 ${one.high}`);
  const boxes = one.boxes.map((each, k) => (one.drag && one.drag.k === k && one.drag.box ? { ...each, box: one.drag.box } : each));
  const fresh = one.drag && one.drag.k === null && one.drag.box ? [rectOf(one, one.drag.box, { class: "picked" })] : [];
  const outlines = one.outlines.map((path) => svg("path", { d: path, class: "mask", transform: `scale(1 ${one.high / 1000})` }));
  const corners = one.picked === null || !boxes[one.picked] || isPoint(boxes[one.picked].box) ? [] : CORNERS;
  one.node.replaceChildren(...outlines, ...boxes.flatMap((each, k) => [
    shapeOf(one, each.box, { class: k === one.picked ? "picked" : "", "data-box": k }),
    svg("text", { x: each.box[0] * 1000 + 6, y: Math.max(26, each.box[1] * one.high - 8) }, words(each.label))]),
  ...fresh, ...corners.map(([across, along], k) =>
    svg("circle", { cx: boxes[one.picked].box[across] * 1000, cy: boxes[one.picked].box[along] * one.high, r: 11, "data-corner": k })));
}

const shapeOf = (one, box, props) => (isPoint(box)
  ? svg("circle", { cx: box[0] * 1000, cy: box[1] * one.high, r: 14, ...props, class: `point ${props.class}` }) : rectOf(one, box, props));

function rectOf(one, [x1, y1, x2, y2], props) {
  return svg("rect", { x: x1 * 1000, y: y1 * one.high, width: (x2 - x1) * 1000, height: (y2 - y1) * one.high, ...props });
}
