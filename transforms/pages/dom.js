"use strict";
/* Creates elements and formats values. Data of a dataset become text and never markup. */

const SVG = "http://www.w3.org/2000/svg";

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

const el = (tag, props, ...children) => fill(document.createElement(tag), props, children);
const svg = (tag, props, ...children) => fill(document.createElementNS(SVG, tag), props, children);
const byId = (id) => document.getElementById(id);
const said = (text) => { byId("said").textContent = text; };

/** A time of the video in microseconds as text: 83500000 -> "1:23.5". */
function clock(us) {
  const tenths = Math.round(us / 1e5);
  const [h, m] = [Math.floor(tenths / 36000), Math.floor(tenths / 600) % 60];
  const rest = ((tenths % 600) / 10).toFixed(1).padStart(4, "0");
  return h ? `${h}:${String(m).padStart(2, "0")}:${rest}` : `${m}:${rest}`;
}

const seconds = (us) => `${(us / 1e6).toFixed(2)} s`;
const number = (n) => n.toLocaleString("en");
const words = (name) => String(name).replaceAll("_", " ");
const thousandths = (box) => `[${box.map((side) => Math.round(side * 1000)).join(", ")}] ‰`;

/** Whether a number is a time in microseconds: whole numbers from 10000 on, because nothing else is
    so large. */
const isTime = (value) => Number.isInteger(value) && Math.abs(value) >= 10000;

/** A value as people read it: times in seconds, labels as words. */
function plain(value, name = "") {
  if (value === null || value === undefined) return "none";
  if (typeof value === "number" && (name.endsWith("_us") || isTime(value))) return seconds(value);
  if (/(^|\.)box/.test(name) && Array.isArray(value) && value.length === 4 && value.every(Number.isFinite)) return thousandths(value);
  if (Array.isArray(value)) {
    return value.length ? value.map((one) => plain(one, name)).join(", ") : "nothing";
  }
  if (typeof value === "object") {
    const parts = Object.entries(value).filter(([, one]) => one !== null)
      .sort(([a], [b]) => b.startsWith("start") - a.startsWith("start"));
    return parts.map(([key, one]) => `${words(key.replace(/_us$/, ""))} ${plain(one, key)}`).join(", ");
  }
  if (typeof value === "number") return String(Math.round(value * 1e6) / 1e6);
  return String(value);
}

/** A table whose cells are texts or elements; null without rows. If there are more rows than
    `first`, a button shows the others. */
function tableOf(heads, rows, caption, first = Infinity) {
  if (!rows.length) return null;
  if (rows.length > first + 2) {
    const whole = () => box.replaceWith(tableOf(heads, rows, caption));
    const box = el("div", {}, tableOf(heads, rows.slice(0, first), caption),
      el("button", { type: "button", class: "rest", onclick: whole }, `Show all ${number(rows.length)} rows`));
    return box;
  }
  const head = el("tr", {}, heads.map((one) => el("th", { scope: "col" }, one)));
  const body = rows.map((row) => el("tr", {}, row.map((one) => el("td", {}, one))));
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    el("table", {}, el("thead", {}, head), el("tbody", {}, body)));
}

/** A button that can be on or off. */
const pressed = (id, on, act, ...text) =>
  el("button", { type: "button", id, "aria-pressed": String(on), onclick: act }, text);

/** Replace the content of an element and keep the keyboard's focus; null and false are left out. */
function redrawn(home, ...children) {
  const held = document.activeElement && document.activeElement.id;
  home.replaceChildren();
  fill(home, {}, children);
  if (held && byId(held)) byId(held).focus();
}
