"use strict";
/* Shows what the address states; keys change the address. */

const VIEWS = { items: "Items", overview: "Overview", rejects: "Not asked" };
const KEYS = [["j, ↓", "next item"], ["k, ↑", "item before"], ["/", "search"], ["b", "boxes on and off"], ["m", "masks on and off"],
  ["blank", "play and pause"], [", and .", "one picture back and on"], ["o", "overview"], ["i", "items"],
  ["Esc", "leave the search, close this"], ["?", "these keys"]];
const ACTS = {
  j: () => step(1), ArrowDown: () => step(1), k: () => step(-1), ArrowUp: () => step(-1),
  b: () => toggleBoxes(), m: () => toggleMasks(), " ": () => playFilm(), "/": () => byId("q").focus(), "?": () => byId("help").showModal(),
  ",": () => stepFilm(-1), ".": () => stepFilm(1),
  o: () => go({ view: "overview", id: "" }), i: () => go({ view: "items" }),
};

async function show() {
  const state = readState();
  document.body.dataset.view = state.view;
  byId("q").value = (state.filters.q || [""])[0];
  byId("views").replaceChildren(...Object.entries(VIEWS).map(([name, title]) =>
    el("a", { href: hashOf({ ...state, view: name, id: "", template: "" }), "aria-current": name === state.view ? "page" : null }, title)));
  try {
    if (state.view === "overview") { document.body.classList.remove("reading"); stopFilm(); return await showOverview(); }
    if (state.view === "rejects") { document.body.classList.remove("reading"); stopFilm(); return await showRejects(state); }
    await showItems(state);
  } catch (error) {
    byId("main").replaceChildren(el("p", { class: "empty" }, `This cannot be shown: ${error.message}`));
  }
}

const shown = { filters: null };

async function showItems(state) {
  const key = JSON.stringify(state.filters);
  const item = showItem(state);
  if (key !== shown.filters || !byId("facets").firstChild) {
    shown.filters = key;
    const counted = showFacets(state);
    await showList(state);
    const total = await counted;
    if (total !== null) { listed.total = total; drawList(readState()); }
  } else {
    await showList(state);
  }
  await item;
  const wide = matchMedia("(min-width: 60rem)").matches;
  const same = hashOf(readState()) === hashOf(state);
  if (!state.id && wide && same && listed.items.length) location.replace(hashOf({ ...state, id: listed.items[0].item_id }));
}

function search() {
  const filters = { ...readState().filters, q: [byId("q").value.trim()] };
  if (!filters.q[0]) delete filters.q;
  go({ view: "items", id: "", filters });
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const field = event.target.closest("input, select, textarea, dialog");
  if (field && field.id === "q" && event.key === "Escape") {
    event.preventDefault(); // a browser would empty the field and leave the list as it is
    field.value = (readState().filters.q || [""])[0];
    return field.blur();
  }
  if (field && field.id === "q" && event.key === "Enter") { event.preventDefault(); field.blur(); return search(); }
  if (field || !Object.hasOwn(ACTS, event.key)) return;
  if (event.key === " " && event.target.closest("button, a, summary")) return;
  event.preventDefault();
  ACTS[event.key]();
}

function begin() {
  byId("keys").replaceChildren(...KEYS.flatMap(([key, what]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, what)]));
  byId("help-open").addEventListener("click", () => byId("help").showModal());
  byId("help-close").addEventListener("click", () => byId("help").close());
  byId("search").addEventListener("submit", (event) => { event.preventDefault(); byId("q").blur(); search(); });
  byId("q").addEventListener("input", () => { if (!byId("q").value && readState().filters.q) search(); });
  document.addEventListener("keydown", onKey);
  window.addEventListener("hashchange", show);
  ask("about").then((found) => {
    byId("name").textContent = found.name;
    document.title = `${found.name} · surgqa view`;
  }, () => {});
  show();
}

begin();
