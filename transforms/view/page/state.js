"use strict";
/* What is looked at is the part of the address after #, so that it can be kept and gone back to. */

const COUNTED = ["benchmark", "task", "template", "form", "unit", "temporal_mode", "level", "blind", "rule",
  "stage", "dataset", "video", "procedure", "split", "certain"];
const FILTERS = [...COUNTED, "answer", "mark", "q"];

/** What an empty address shows: of a page of files the overview, since it holds a sample only. */
const HOME = window.SAMPLE ? "overview" : "items";

function readState() {
  const params = new URLSearchParams(location.hash.slice(1));
  const filters = {};
  for (const name of FILTERS) {
    const values = params.getAll(name);
    if (values.length && !(name === "q" && !values[0])) filters[name] = values;
  }
  const other = params.get("id") || Object.keys(filters).length ? "items" : HOME;
  return { view: params.get("view") || other, id: params.get("id") || "", filters,
    template: params.get("of") || "" };
}

function hashOf(state) {
  const asked = { ...state.filters };
  if (state.view !== "items" || HOME !== "items") asked.view = state.view;
  if (state.template) asked.of = state.template;
  if (state.id) asked.id = state.id;
  return `#${query(asked)}`;
}

const go = (change) => { location.hash = hashOf({ ...readState(), ...change }); };

/** The state with one value of a filter chosen, or no longer. */
function toggled(state, name, value) {
  const filters = { ...state.filters };
  const old = filters[name] || [];
  const now = old.includes(value) ? old.filter((one) => one !== value) : [...old, value];
  if (now.length) filters[name] = now; else delete filters[name];
  return { ...state, view: "items", id: "", filters };
}
