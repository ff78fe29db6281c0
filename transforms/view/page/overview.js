"use strict";
/* The dataset at a glance, and what was not asked. */

async function showOverview() {
  const found = await ask("overview");
  byId("main").replaceChildren(
    el("h2", { class: "question" }, `${number(found.items)} items`),
    el("p", { class: "small" }, "Digest ", el("code", {}, found.digest || "unknown")),
    part("Items by task", tableOf(["benchmark", "task", "items", "", "templates", "videos"], tasksOf(found.tasks), "Items by task")),
    part("Recordings", coverageOf(found.videos)),
    part("Models", tableOf(["model", "", "answers"], found.scores.map((one) =>
      [one.model, el("span", { class: `mark ${one.status}` }, one.status), number(one.n)]), "Answers by model")),
    part("Left out", tableOf(["stage", "reason", "outcome", "rows"], found.rejects.map((one) =>
      [one.stage, words(one.code), one.outcome, number(one.rows)]), "Left out")));
}

function tasksOf(tasks) {
  const most = Math.max(1, ...tasks.map((one) => one.items));
  return tasks.map((one) => [one.benchmark,
    el("a", { href: hashOf({ view: "items", id: "", filters: { benchmark: [one.benchmark], task: [one.task] } }) }, words(one.task)),
    number(one.items), share(one.items / most), one.templates, one.videos]);
}

const share = (part) => svg("svg", { class: "share", width: 120, height: 10, "aria-hidden": "true" },
  svg("rect", { width: Math.max(1, 120 * part), height: 10, rx: 2 }));

/** Each recording as a line, and on it the stretch that items reach. */
function coverageOf(videos) {
  const longest = Math.max(1, ...videos.map((one) => one.duration_us || 0));
  return tableOf(["recording", "procedure", "length", "reached by items", "items"], videos.map((one) => [
    el("a", { href: hashOf({ view: "items", id: "", filters: { video: [`${one.dataset}/${one.video_id}`] } }) }, `${one.dataset}/${one.video_id}`),
    one.procedure || "", clock(one.duration_us || 0), lineOf(one, 160 / longest), number(one.items)]), "Recordings");
}

function lineOf(one, scale) {
  const reach = one.first_us === null ? null : svg("rect", { x: one.first_us * scale, y: 0, width: Math.max(2, (one.last_us - one.first_us) * scale), height: 10, rx: 2 });
  return svg("svg", { class: "share", width: 160, height: 10, "aria-hidden": "true" },
    svg("line", { x1: 0, x2: (one.duration_us || 0) * scale, y1: 5, y2: 5 }), reach);
}

async function showRejects(state) {
  const funnel = await ask("funnel");
  const rows = state.template ? (await ask("rejects", { template: state.template })) : null;
  byId("main").replaceChildren(
    el("h2", { class: "question" }, "What was not asked"),
    el("p", {}, "Of each template the items, and the windows that gave none, by what they failed at."),
    tableOf(["template", "items", "refused", "reasons"], funnel.map((one) => funnelRow(state, one)), "Templates"),
    rows ? part(`Refused: ${state.template}`, el("p", { class: "small" }, `${number(rows.total)} rows${rows.total > rows.rows.length ? `, the first ${rows.rows.length} are shown` : ""}`),
      tableOf(["recording", "reason", "at", "what it says"], rows.rows.map((one) =>
        [`${one.dataset}/${one.video_id}`, words(one.code), words(one.where || ""), one.reason]), "Refused")) : "");
}

function funnelRow(state, one) {
  const refused = one.rejects.reduce((sum, r) => sum + r.rows, 0);
  const told = one.rejects.slice(0, 4).map((r) => `${number(r.rows)} ${words(r.code)}${r.where ? `: ${words(r.where)}` : ""}`);
  return [el("a", { href: hashOf({ ...state, template: one.template }) }, one.template), 
    one.items ? el("a", { href: hashOf({ view: "items", id: "", filters: { template: [one.template] } }) }, number(one.items)) : "0",
    number(refused), told.join("; ") + (one.rejects.length > 4 ? "; …" : "")];
}
