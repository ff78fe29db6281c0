"use strict";
/* An overview of the dataset, and of the questions that were not asked. */

const MANY = 40;

const figures = (pairs) => el("dl", { class: "figures" }, pairs.filter(([, value]) => value !== null).map(([name, value]) =>
  el("div", {}, el("dt", {}, name), el("dd", {}, value))));

const hours = (us) => (us >= 3.6e9 ? `${(us / 3.6e9).toFixed(1)} h` : `${Math.round(us / 6e7)} min`);
const filterTo = (filters) => hashOf({ view: "items", id: "", filters });

async function showOverview() {
  const found = await ask("overview");
  const length = found.videos.reduce((sum, one) => sum + (one.duration_us || 0), 0);
  const refused = found.rejects.filter((one) => one.stage === "ask").reduce((sum, one) => sum + one.units, 0);
  redrawn(byId("main"),
    el("h2", { class: "question" }, found.items ? "What this dataset is made of" : "No item was made"),
    figures([["items", number(found.items)], ["tasks", number(found.tasks.length)], ["templates", number(found.counts.templates)],
      ["recordings", number(found.counts.videos)], ["of film", length ? hours(length) : null], ["refused", number(refused)]]),
    [scoresPart(found), tasksPart(found.tasks), coveragePart(found.videos), answersPart(found.answers), levelsPart(found.levels),
      rejectsPart(found.rejects), madeParts(found)]);
}

/** Bars for the first rows; the other rows are only in the table. */
const first = (rows) => (rows.length > MANY ? `The ${MANY} largest of ${number(rows.length)} are drawn.` : null);
const largest = (rows) => [...rows].sort((a, b) => b.items - a.items).slice(0, MANY);

function tasksPart(tasks) {
  const benchmarks = [...new Set(tasks.map((one) => one.benchmark))];
  return part("Items by task", benchmarks.map((name) => {
    const mine = tasks.filter((one) => one.benchmark === name);
    const to = (one) => filterTo({ benchmark: [one.benchmark], task: [one.task] });
    const bars = largest(mine).map((one) => ({ ...one, name: words(one.task) }));
    return [benchmarks.length > 1 ? el("h4", {}, name) : null, chartOf(countBars(bars, to), first(mine),
      tableOf(["task", "items", "templates", "recordings"], mine.map((one) =>
        [el("a", { href: to(one) }, words(one.task)), number(one.items), one.templates, one.videos]), `Items by task of ${name}`))];
  }));
}

function coveragePart(videos) {
  if (!videos.length) return null;
  const named = videos.map((one) => ({ ...one, name: `${one.dataset}/${one.video_id}`, duration_us: one.duration_us || 0 }));
  const drawn = largest(named).sort((a, b) => (a.name < b.name ? -1 : 1));
  const reached = (one) => one.bins.filter(Boolean).length / Math.max(1, one.bins.length);
  return part("Where in the recordings items look", chartOf(coverageStrips(drawn),
    `Each strip is a recording; the darker, the more items see that part. At the right the number of its items. ${first(named) || ""}`,
    tableOf(["recording", "procedure", "length", "seen", "items"], named.map((one) => [
      el("a", { href: filterTo({ video: [one.name] }) }, one.name), one.procedure || "", clock(one.duration_us),
      percent(reached(one)), number(one.items)]), "Recordings")));
}

function answersPart(templates) {
  if (!templates.length) return null;
  const drawn = largest(templates).sort((a, b) => (a.template < b.template ? -1 : 1));
  const most = (one) => (one.top.length ? one.top[0] : null);
  return part("Answers by template", chartOf(answerShares(drawn), first(templates),
    tableOf(["template", "items", "most frequent answer", "always saying it", "chance", "without looking", "by", "right letters"], templates.map((one) => [
      el("a", { href: filterTo({ template: [one.template] }) }, one.template), number(one.items), most(one) ? most(one)[0] : "all differ",
      most(one) ? percent(most(one)[1] / one.items) : "", one.chance === null ? "" : percent(one.chance),
      one.blind === null ? "" : percent(one.blind), one.by || "",
      Object.entries(one.letters).map(([key, n]) => `${key} ${number(n)}`).join(", ")]), "Answers by template")),
  keysOf([["var(--fact)", "the most frequent answer: what always saying it gets, without looking"], ["var(--fact)", "the next ones", 0.54],
    ["var(--sunken)", "answers that come once"], ["var(--chance)", "chance"],
    ...(templates.some((one) => one.blind !== null) ? [["var(--blind)", "the best rule that never looks"]] : [])]));
}

function levelsPart(levels) {
  const rows = levels.map((one) => ({ ...one, name: `level ${one.level}` }));
  return rows.length ? part("Levels", chartOf(countBars(rows, (one) => filterTo({ level: [String(one.level)] })), null,
    tableOf(["level", "items"], rows.map((one) => [one.level, number(one.items)]), "Levels"))) : null;
}

function rejectsPart(rejects) {
  const rows = rejects.filter((one) => one.stage !== "cut").map((one) => ({ ...one, name: `${words(one.code)} (${one.stage})`, items: one.units }));
  const summed = [...new Map(rows.map((one) => [one.name, { name: one.name, items: 0 }])).values()];
  for (const one of rows) summed.find((sum) => sum.name === one.name).items += one.items;
  return rows.length ? part("What was left out, by reason", chartOf(countBars(largest(summed), () => hashOf({ view: "rejects", id: "", filters: {} })), first(summed),
    tableOf(["stage", "reason", "outcome", "entries", "units or film", "for example"], rejects.map((one) =>
      [one.stage, words(one.code), one.outcome, number(one.rows), one.stage === "cut" ? clock(one.units) : number(one.units), one.example]), "Left out"))) : null;
}

function scoresPart(found) {
  const models = [...new Set(found.scores.map((one) => one.model))];
  if (!models.length) return null;
  const benchmarks = [...new Set(found.scores.map((one) => one.benchmark))];
  const charts = benchmarks.map((name) => {
    const rows = found.scores.filter((one) => one.benchmark === name).map((one) => ({ ...one, name: words(one.task) }));
    return [benchmarks.length > 1 ? el("h4", {}, name) : null, chartOf(scoreDots(rows, models), null,
      tableOf(["model", "task", "items", "score", "interval", "chance", "not read", "no answer"], rows.map((one) => [one.model, one.name, number(one.n),
        percent(one.score), one.low === null ? "" : `${percent(one.low)} to ${percent(one.high)}`, one.chance === null ? "" : percent(one.chance), number(one.unparsed), number(one.missing)]), `Scores by task of ${name}`))];
  });
  return part("Scores by task", el("p", { class: "small" }, "Mean score of the items that were asked, with 95 % intervals over recordings; an item without an answer scores 0."), charts,
  keysOf([...models.map((model, k) => [MODEL_COLOURS[k % MODEL_COLOURS.length], model]), ["var(--chance)", "chance"]]));
}

/** How the dataset was made: row counts, label files and settings. */
function madeParts(found) {
  const { books, review, inputs, settings } = found.made;
  const files = (inputs || []).flatMap((one) => (one.sources || []).map((file) =>
    [`${one.dataset}/${one.video_id}`, el("span", { class: "source" }, file.path), el("code", {}, file.sha256)]));
  const folded = (title, inside) => (inside ? el("details", { class: "numbers" }, el("summary", {}, title), inside) : null);
  return [part("How it was made",
    review ? el("p", {}, `Reviewers decided about ${number(review.decisions)} items; ${number(review.left_out)} items were left out because of this (chains as a whole). ${number(review.not_made.length)} decisions are about items that this build does not make.`) : null,
    books ? tableOf(["stage", "unit", "read", "kept", "rejected", "failed"], books.map((one) =>
      [one.stage, one.unit === "microseconds" ? "film" : one.unit, ...["read", "kept", "rejected", "failed"].map((name) =>
        (one.unit === "microseconds" ? clock(one[name]) : number(one[name])))]), "Row counts") : null,
    folded("Label files and their digests", tableOf(["recording", "file", "SHA-256"], files, "Label files")),
    folded("Settings of the run", settings ? el("pre", { tabindex: 0, role: "region", "aria-label": "Settings" }, JSON.stringify(settings, null, 2)) : null),
    el("p", { class: "small" }, "Digest of the whole output: ", el("code", {}, found.digest || "not recorded")))];
}

async function showRejects(state) {
  const funnel = await ask("funnel");
  const rows = state.template ? (await ask("rejects", { template: state.template })) : null;
  const to = (one) => hashOf({ ...state, template: one.template });
  const drawn = [...funnel].sort((a, b) => refusedOf(b) - refusedOf(a)).slice(0, MANY);
  redrawn(byId("main"),
    el("h2", { class: "question" }, "What was not asked"),
    el("p", {}, "For each template, the number of items, and of units without an item by the reason."),
    rows ? part(`Refused: ${state.template}`, el("p", { class: "small" }, `${number(rows.total)} rows${rows.total > rows.rows.length ? `, the first ${rows.rows.length} are shown` : ""}`),
      tableOf(["recording", "reason", "at", "what it says"], rows.rows.map((one) =>
        [`${one.dataset}/${one.video_id}`, words(one.code), words(one.where || ""), one.reason]), "Refused", 12)) : "",
    part("From window to item", chartOf(funnelBars(drawn, to), first(funnel), null),
      keysOf([["var(--good-bar)", "asked"], ["var(--refused)", "refused, the most frequent reason first"]])),
    part("By template", tableOf(["template", "units", "items", "refused", "reasons"], funnel.map((one) => funnelRow(state, one)), "Templates")));
}

const refusedOf = (one) => one.rejects.reduce((sum, r) => sum + r.rows, 0);

function funnelRow(state, one) {
  const told = reasonsOf(one).slice(0, 4).map(([text, n]) => `${number(n)} ${text}`);
  return [el("a", { href: hashOf({ ...state, template: one.template }) }, one.template), one.units == null ? "" : number(one.units),
    one.items ? el("a", { href: filterTo({ template: [one.template] }) }, number(one.items)) : "0",
    number(refusedOf(one)), told.join("; ") + (one.rejects.length > 4 ? "; …" : "")];
}
