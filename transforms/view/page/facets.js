"use strict";
/* Filters at the left: values with how many items each would give. */

const OPEN_AT_FIRST = new Set(["benchmark", "task", "form", "unit", "temporal_mode"]);
const SHOWN = 8;
const TITLES = { temporal_mode: "temporal mode", certain: "certain by" };

async function showFacets(state) {
  const found = await ask("facets", state.filters);
  if (JSON.stringify(readState().filters) !== JSON.stringify(state.filters)) return null;
  const home = byId("facets");
  const open = new Set([...home.querySelectorAll("details[open]")].map((one) => one.dataset.name));
  const first = !home.firstChild;
  const parts = FACET_NAMES.map((name) =>
    facetOf(state, name, found.facets[name], first ? OPEN_AT_FIRST.has(name) : open.has(name)));
  parts.push(...marksOf(state, found.marks, first || open.has("mark")));
  const chosen = Object.keys(state.filters).length;
  const clear = chosen ? el("a", { class: "clear", href: hashOf({ ...state, filters: {}, id: "" }) },
    "Clear all filters") : null;
  const wide = el("div", { class: "facet-body" }, clear, parts);
  const folded = home.querySelector(":scope > details");
  const outer = el("details", { class: "facets-all", open: folded ? folded.open : matchMedia("(min-width: 60rem)").matches },
    el("summary", {}, "Filters", chosen ? el("span", { class: "count" }, chosen) : null), wide);
  home.replaceChildren(outer);
  return found.total;
}

function facetOf(state, name, facet, open) {
  const chosen = state.filters[name] || [];
  const told = facet.values.filter(([value]) => value !== "");
  if (!told.length && !chosen.length) return null;
  return group(name, TITLES[name] || name, open || chosen.length > 0, facet.values.map(([value, n]) =>
    choice(state, name, value, value === "" ? "none" : words(value), n)), facet.left_out);
}

function marksOf(state, marks, open) {
  const models = [...new Set(marks.map((one) => one.model))];
  return models.map((model) => group("mark", `model: ${model}`, open,
    marks.filter((one) => one.model === model).map((one) =>
      choice(state, "mark", `${model}:${one.status}`, one.status, one.n)), 0));
}

function group(name, title, open, choices, leftOut) {
  const rest = choices.slice(SHOWN);
  const more = rest.length ? el("details", { class: "more", "data-name": `${name}+`,
    open: rest.some((one) => one.querySelector("[aria-current]")) },
  el("summary", {}, `${rest.length} more`), el("ul", {}, rest)) : null;
  return el("details", { "data-name": name, open }, el("summary", {}, title),
    el("ul", {}, choices.slice(0, SHOWN)), more,
    leftOut ? el("p", { class: "small" }, `${number(leftOut)} rarer ones are not listed`) : null);
}

function choice(state, name, value, text, n) {
  const on = (state.filters[name] || []).includes(value);
  return el("li", {}, el("a", { href: hashOf(toggled(state, name, value)),
    "aria-current": on ? "true" : null, class: on ? "on" : "" },
  el("span", { class: "value" }, text), el("span", { class: "count" }, number(n))));
}
