"use strict";
/* One item: its question, its answer and its evidence. */

async function showItem(state) {
  const home = byId("main");
  stopFilm();
  document.body.classList.toggle("reading", Boolean(state.id));
  if (!state.id) { home.replaceChildren(el("p", { class: "empty" }, "Choose an item.")); return; }
  let found;
  try { found = await ask("item", { id: state.id }); } catch (error) {
    home.replaceChildren(el("p", { class: "empty" }, `This item cannot be shown: ${error.message}`));
    return;
  }
  if (readState().id !== state.id) return;
  drawItem(home, state, found);
}

function drawItem(home, state, found) {
  const { item } = found;
  const lanes = timelineOf(item.item_id);
  const film = filmOf(found, lanes.show, holdTime, heldTime(item.item_id));
  home.replaceChildren(
    el("div", { class: "item-head" },
      el("a", { class: "back", href: hashOf({ ...state, id: "" }) }, "‹ All items"),
      el("p", { class: "over" }, `${item.benchmark} · ${words(item.task)} · ${words(item.form)}${item.temporal_mode ? ` · ${item.temporal_mode}` : ""}`),
      el("span", { class: "turn" },
        el("button", { type: "button", "aria-label": "Previous item (k)", onclick: () => step(-1) }, "‹"),
        el("button", { type: "button", "aria-label": "Next item (j)", onclick: () => step(1) }, "›"))),
    el("h2", { class: "question" }, item.question),
    el("div", { class: "item-body" },
      optionsOf(item), item.answer_key ? null : answerOf(item),
      film || el("p", { class: "small no-film" }, noFilm(item)), lanes.box,
      item.answer_key ? answerOf(item) : null, marksPart(found.marks), roundsPart(item), stagesPart(state, found.stages, item.item_id), toldOf(item),
      evidencePart(item, found.evidence), gatesPart(item), proofPart(item), refusedPart(item), madePart(item, found.video)));
  home.scrollTop = 0;
  said(`Item: ${item.question}`);
}

function noFilm(item) {
  if (!item.media || !item.media.path) return "There are labels of this video, but no pictures.";
  return `To see pictures, start again with --root ${item.dataset}=DIR.`;
}
