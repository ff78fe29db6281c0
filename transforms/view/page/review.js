"use strict";
/* A rater's sheet, one question at a time. Texts that reveal the answer come after the field for
   it. */

const rating = { rater: "", all: [], phrases: [], at: 0, saver: saverOf("review", bodyOf, "Saved in the sheet.") };

const current = () => rating.all[rating.at];
const done = (one) => one.said.valid === "yes" || (one.said.valid === "no" && one.said.wrong.length > 0);
const answered = (one) => !one.options.length || one.said.answer !== "";

/** Save a change in the sheet. */
function say(change) {
  const one = current();
  Object.assign(one.said, change);
  drawQuestion();
  rating.saver.keep(one);
}

function bodyOf(one) {
  return { rater: rating.rater, item_id: one.item_id, ...one.said };
}

function move(way) {
  rating.at = Math.min(rating.all.length - 1, Math.max(0, rating.at + way));
  rating.film = null;
  if (!rating.saver.unsaved.size) said("");
  drawQuestion();
  byId("main").scrollTop = 0;
}

function drawQuestion() {
  const one = current();
  const count = rating.all.filter((each) => done(each) && answered(each)).length;
  byId("progress").textContent = `Question ${rating.at + 1} of ${rating.all.length}, ${count} done`;
  byId("before").disabled = rating.at === 0;
  byId("next").disabled = rating.at === rating.all.length - 1;
  if (!rating.film) rating.film = { figure: one.pictures ? filmOf({ item: one, video: null, boxes: [], pictures: true, blind: true }, () => {}) : null };
  redrawn(byId("main"), el("p", { class: "over" }, `${words(one.kind)} · ${one.video_id} · ${clock(one.start_us)}–${clock(one.end_us)}`),
    el("h2", { class: "question" }, one.question),
    el("div", { class: rating.film.figure ? "rating" : "" }, rating.film.figure || el("p", { class: "small no-film" }, "There are no pictures of this video here."),
      el("div", { class: "item-body" }, answersOf(one), answered(one) ? judgement(one) : null)));
}

function answersOf(one) {
  if (!one.options.length) {
    return el("section", { class: "part" }, el("h3", {}, "Proposed answer"), el("p", { class: "answer-text" }, one.proposed));
  }
  return el("div", { class: "choices", role: "group", "aria-label": "Your answer" }, one.options.map(([letter, text]) =>
    pressed(`answer-${letter}`, one.said.answer === letter, () => say({ answer: letter }), el("kbd", {}, letter), text)));
}

function judgement(one) {
  const told = [["Context", one.context], ["Knowledge", one.knowledge], ["Clue", one.clue]].filter(([, text]) => text)
    .map(([title, text]) => el("section", { class: "part" }, el("h3", {}, title), el("p", {}, text)));
  const flaw = (text, k) => pressed(`flaw-${k}`, one.said.wrong.includes(text), () => toggleFlaw(k), el("kbd", {}, k + 1), text);
  const comment = el("textarea", { id: "comment", rows: 2, onchange: (event) => say({ comment: event.target.value }) });
  comment.value = one.said.comment;
  return [told, el("section", { class: "part" }, el("h3", {}, "May the question stay?"),
    el("div", { class: "choices row", role: "group", "aria-label": "May the question stay?" },
      pressed("valid-yes", one.said.valid === "yes", () => say({ valid: "yes" }), el("kbd", {}, "y"), "yes"),
      pressed("valid-no", one.said.valid === "no", () => say({ valid: "no" }), el("kbd", {}, "n"), "no"),
      pressed("valid-unclear", isUnclear(one), sayUnclear, el("kbd", {}, "u"), "unclear"))),
  el("section", { class: "part" }, el("h3", {}, one.said.valid === "no" ? "What is wrong? (at least one)" : "What is wrong, if anything?"),
    el("div", { class: "choices row", role: "group", "aria-label": "What is wrong" }, rating.phrases.map(flaw))),
  el("section", { class: "part" }, el("h3", {}, el("label", { for: "comment" }, "Comment")), comment)];
}

/* The first flaw of the list means that a question cannot be understood, so it cannot be valid. */
const isUnclear = (one) => one.said.valid === "no" && one.said.wrong.includes(rating.phrases[0]);
const sayUnclear = () => say({ valid: "no", wrong: [...new Set([rating.phrases[0], ...current().said.wrong])] });

function toggleFlaw(k) {
  const text = rating.phrases[k];
  const old = current().said.wrong;
  say({ wrong: old.includes(text) ? old.filter((one) => one !== text) : [...old, text] });
}

function onRatingKey(event) {
  if (!rating.all.length) return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const field = event.target.closest("input, select, textarea");
  if (field) { if (event.key === "Escape") field.blur(); return; }
  const one = current();
  const letter = event.key.length === 1 ? event.key.toUpperCase() : "";
  const ways = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };
  if (event.key in ways) move(ways[event.key]);
  else if (event.key === "," || event.key === ".") stepFilm(event.key === "." ? 1 : -1);
  else if (event.key === " " && !event.target.closest("button")) playFilm();
  else if (answered(one) && "yn".includes(event.key)) say({ valid: event.key === "y" ? "yes" : "no" });
  else if (answered(one) && event.key === "u") sayUnclear();
  else if (answered(one) && Number(event.key) >= 1 && Number(event.key) <= rating.phrases.length) toggleFlaw(Number(event.key) - 1);
  else if (one.options.some(([each]) => each === letter)) say({ answer: letter });
  else return;
  event.preventDefault();
}

/** The sheet that the address names, or the only sheet. */
async function showReview() {
  stopFilm();
  await rating.saver.queue;
  const raters = await ask("raters");
  const wanted = new URLSearchParams(location.hash.slice(1)).get("rater");
  const rater = raters.length === 1 ? raters[0].name : wanted;
  rating.all = [];
  byId("raters").hidden = raters.length === 1;
  byId("turn").hidden = !rater;
  byId("progress").textContent = "";
  said("");
  if (!rater) return showRaters(raters);
  const found = await ask("review", { rater });
  Object.assign(rating, { rater, all: found.questions, phrases: found.phrases, film: null });
  byId("name").textContent = `Review: ${found.name}`;
  rating.at = Math.max(0, rating.all.findIndex((one) => !(done(one) && answered(one))));
  return drawQuestion();
}

function beginRating() {
  addEventListener("hashchange", showReview);
  byId("before").addEventListener("click", () => move(-1));
  byId("next").addEventListener("click", () => move(1));
  document.addEventListener("keydown", onRatingKey);
  showReview();
}

beginRating();
