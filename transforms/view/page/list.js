"use strict";
/* The list of the selected items, fifty at a time. */

const PAGE = 50;
const listed = { items: [], key: null, total: null };

/** Show the page of the list that holds an item, or its first page. */
async function showList(state, where = {}) {
  const key = JSON.stringify(state.filters);
  const known = listed.items.some((one) => one.item_id === state.id);
  if (key === listed.key && !Object.keys(where).length && (known || !state.id)) return markCurrent(state);
  const found = await ask("items", { ...state.filters, limit: PAGE,
    ...(Object.keys(where).length ? where : state.id ? { at: state.id } : {}) });
  if (JSON.stringify(readState().filters) !== key) return null; // asked anew meanwhile
  if (key !== listed.key) listed.total = null;
  Object.assign(listed, found, { key });
  drawList(readState());
  return found;
}

function drawList(state) {
  const head = el("div", { class: "list-head" },
    el("h2", { id: "total" }, listed.total === null ? "…" : listed.total ? `${number(listed.total)} ${listed.total === 1 ? "item" : "items"}` : "No items",
      window.SAMPLE && SAMPLE.overview.items > SAMPLE.items.length ? el("span", { class: "small" }, ` drawn of ${number(SAMPLE.overview.items)}`) : null),
    el("span", { class: "turn" }, turn("Earlier items", "‹", listed.more_before, -1),
      turn("Later items", "›", listed.more_after, 1)));
  const rows = listed.items.map((one) => el("li", {}, rowOf(state, one)));
  byId("list").replaceChildren(head, rows.length ? el("ol", {}, rows)
    : el("p", { class: "empty" }, "No item fits all filters. Remove a filter."));
  markCurrent(state);
}

function rowOf(state, one) {
  const marks = Object.entries(one.marks || {}).filter(([, status]) => status !== "missing").map(([model, status]) =>
    el("span", { class: `mark ${status}`, title: model }, `${model}: ${status}`));
  return el("a", { href: hashOf({ ...state, view: "items", id: one.item_id }), "data-id": one.item_id },
    el("span", { class: "over" }, words(one.task), one.stage ? ` · stage ${one.stage}` : ""),
    el("span", { class: "question" }, one.question),
    el("span", { class: "under" }, el("span", {}, one.answer), marks),
    el("span", { class: "under faint" }, `${one.video_id} · ${clock(one.start_us)}–${clock(one.end_us)}`));
}

function turn(label, sign, possible, way) {
  return el("button", { type: "button", "aria-label": label, disabled: !possible,
    onclick: () => turnPage(way) }, sign);
}

async function turnPage(way) {
  const last = listed.items[way > 0 ? listed.items.length - 1 : 0];
  if (!last) return;
  await showList(readState(), way > 0 ? { after: last.item_id } : { before: last.item_id });
  const first = listed.items[way > 0 ? 0 : listed.items.length - 1];
  byId("list").scrollTop = way > 0 ? 0 : byId("list").scrollHeight;
  if (first) go({ view: "items", id: first.item_id });
}

function markCurrent(state) {
  for (const link of byId("list").querySelectorAll("[aria-current]")) link.removeAttribute("aria-current");
  const link = [...byId("list").querySelectorAll("a[data-id]")].find((one) => one.dataset.id === state.id);
  if (!link) return;
  link.setAttribute("aria-current", "true");
  link.scrollIntoView({ block: "nearest" });
}

/** Go to the next item, or to the previous item. */
async function step(way) {
  const state = readState();
  const at = listed.items.findIndex((one) => one.item_id === state.id);
  const next = listed.items[at < 0 ? 0 : at + way];
  if (next) return go({ view: "items", id: next.item_id });
  if (way > 0 ? listed.more_after : listed.more_before) return turnPage(way);
  return said(way > 0 ? "This is the last item." : "This is the first item.");
}
