"use strict";
/* The filters at the left: each value with the number of items that it would select. */

const OPEN_AT_FIRST = new Set(["benchmark", "task", "form", "unit", "temporal_mode"]);
const SHOWN = 8;
const TITLES = { temporal_mode: "temporal mode", certain: "certain by", blind: "without looking" };
const MARK_WORDS = { unparsed: "could not be read", unscored: "not scored", missing: "no answer", "missing:r": "not checked" };
const REVIEWERS = "reviewers";

async function showFacets(state) {
  const found = await ask("facets", state.filters);
  if (JSON.stringify(readState().filters) !== JSON.stringify(state.filters)) return null;
  const home = byId("facets");
  const open = new Set([...home.querySelectorAll("details[open]")].map((one) => one.dataset.name));
  const first = !home.firstChild;
  const parts = COUNTED.map((name) =>
    facetOf(state, name, found.facets[name], first ? OPEN_AT_FIRST.has(name) : open.has(name)));
  parts.splice(COUNTED.indexOf("template") + 1, 0, answerFacet(state, open.has("answer")));
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
  const ordered = [...facet.values].sort(([a], [b]) => chosen.includes(b) - chosen.includes(a));
  return group(name, TITLES[name] || name, open || chosen.length > 0, ordered.map(([value, n]) =>
    choice(state, name, value, value === "" ? "none" : words(value), n)), facet.left_out);
}

/** The filter for answers, which are counted on request because there may be as many as items. */
function answerFacet(state, open) {
  const chosen = state.filters.answer || [];
  const home = el("div", {});
  const load = async () => {
    if (home.firstChild) return;
    home.append(el("p", { class: "small" }, "Counting …"));
    const found = await ask("answers", state.filters);
    const choices = found.values.map(([value, n]) => choice(state, "answer", value, value, n));
    home.replaceChildren(el("div", {}, choicesOf("answer", choices),
      found.other_items ? el("p", { class: "small" }, `${number(found.other_items)} items with rarer answers`) : null));
  };
  const box = el("details", { "data-name": "answer", open: open || chosen.length > 0, ontoggle: () => { if (box.open) load(); } },
    el("summary", {}, "answer"), home);
  return box;
}

/** The filter for the results of each model; the reviewers' decisions are called `checked`. */
function marksOf(state, marks, open) {
  const models = [...new Set(marks.map((one) => one.model))];
  return models.map((model) => group("mark", model === REVIEWERS ? "checked by people" : `model: ${model}`, open,
    marks.filter((one) => one.model === model).map((one) =>
      choice(state, "mark", `${model}:${one.status}`, MARK_WORDS[model === REVIEWERS ? `${one.status}:r` : one.status] || one.status, one.n)), 0));
}

function group(name, title, open, choices, leftOut) {
  return el("details", { "data-name": name, open }, el("summary", {}, title), choicesOf(name, choices),
    leftOut ? el("p", { class: "small" }, `${number(leftOut)} rarer values are not listed`) : null);
}

/** The first choices; the others are folded. */
function choicesOf(name, choices) {
  const rest = choices.slice(SHOWN);
  const more = rest.length ? el("details", { class: "more", "data-name": `${name}+`,
    open: rest.some((one) => one.querySelector("[aria-current]")) },
  el("summary", {}, `${rest.length} more`), el("ul", {}, rest)) : null;
  return [el("ul", {}, choices.slice(0, SHOWN)), more];
}

function choice(state, name, value, text, n) {
  const on = (state.filters[name] || []).includes(value);
  return el("li", {}, el("a", { href: hashOf(toggled(state, name, value)),
    "aria-current": on ? "true" : null, class: on ? "on" : "" },
  el("span", { class: "value" }, text), el("span", { class: "count" }, number(n))));
}
