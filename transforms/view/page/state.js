"use strict";
/* The part of the address after # states what the page shows, so that it can be bookmarked. */

const COUNTED = ["benchmark", "task", "template", "form", "unit", "temporal_mode", "level", "blind", "rule",
  "stage", "dataset", "video", "procedure", "split", "certain"];
const FILTERS = [...COUNTED, "answer", "mark", "q"];

/** The view of an empty address: the overview for a page of files, which contains only a sample. */
const HOME = window.SAMPLE ? "overview" : "items";

function readState() {
  const params = new URLSearchParams(location.hash.slice(1));
  const filters = {};
  for (const name of FILTERS) {
    const values = params.getAll(name);
    if (values.length && !(name === "q" && !values[0])) filters[name] = values;
  }
  const other = params.get("id") || Object.keys(filters).length ? "items" : HOME;
  const id = params.get("id") || "";
  return { view: params.get("view") || other, id, filters, template: params.get("of") || "",
    held: params.get("t") ? { id, t: params.get("t") } : null };
}

function hashOf(state) {
  const asked = { ...state.filters };
  if (state.view !== "items" || HOME !== "items") asked.view = state.view;
  if (state.template) asked.of = state.template;
  if (state.id) asked.id = state.id;
  if (state.id && state.held && state.held.id === state.id) asked.t = state.held.t;
  return `#${query(asked)}`;
}

const go = (change) => { location.hash = hashOf({ ...readState(), ...change }); };

/** The state after a value of a filter was chosen, or is no longer chosen. */
function toggled(state, name, value) {
  const filters = { ...state.filters };
  const old = filters[name] || [];
  const now = old.includes(value) ? old.filter((one) => one !== value) : [...old, value];
  if (now.length) filters[name] = now; else delete filters[name];
  return { ...state, view: "items", id: "", filters };
}

/** The time of an item in the address, in microseconds of the video, or null. */
function heldTime(id) {
  const { held } = readState();
  const time = held && held.id === id ? Math.round(Number(held.t) * 1e6) : NaN;
  return Number.isFinite(time) ? time : null;
}

/** Write the time that is shown into the address after a short delay. */
function holdTime(one) {
  clearTimeout(holdTime.soon);
  holdTime.soon = setTimeout(() => {
    const state = readState();
    if (state.id !== one.item.item_id || one.playing) return;
    history.replaceState(null, "", hashOf({ ...state, held: { id: state.id, t: (one.time / 1e6).toFixed(3) } }));
  }, 300);
}
