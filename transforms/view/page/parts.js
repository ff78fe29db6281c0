"use strict";
/* Sections of an item: options, rounds, stages, evidence, limits. */

const part = (title, ...children) => {
  const inside = children.flat().filter(Boolean);
  return inside.length ? el("section", { class: "part" }, el("h3", {}, title), inside) : null;
};

/** Pool of a distractor -> what the page says about it. From the pool `exchange:moment` comes an
    answer that would be right at another moment. */
const REASONS = { change: "the answer with a part changed", near: "near the answer, but wrong", halves: "one part is wrong",
  cases: "another statement", labels: "another label", opposite: "the opposite" };
const reasonOf = (kind) => words(kind.startsWith("exchange:") ? `correct at another ${kind.slice(9)}` : REASONS[kind] || kind.replace(":", ": "));

function optionsOf(item) {
  if (!(item.options || []).length) return null;
  return el("ol", { class: "options", "aria-label": "Options" }, item.options.map((one) =>
    el("li", { class: one.is_answer ? "right" : "" },
      el("span", { class: "letter" }, one.key),
      el("span", { class: "text" }, one.text, one.is_answer ? el("span", { class: "badge" }, "answer") : null),
      el("span", { class: "why" }, one.is_answer ? "" : reasonOf(one.kind || ""),
        one.value === null ? null : el("code", {}, plain(one.value))))));
}

function answerOf(item) {
  const value = item.answer_value;
  const typed = value && typeof value === "object" && !Array.isArray(value)
    ? el("dl", { class: "typed" }, Object.entries(value).map(([key, one]) =>
      [el("dt", {}, words(key.replace(/_us$/, "").replace(".", " "))), el("dd", {}, plain(one, key))])) : null;
  return part("Answer", item.answer_key ? null : el("p", { class: "answer-text" }, item.answer), typed);
}

function marksPart(marks) {
  const rounds = marks.some((one) => one.round !== null);
  return part("Said of it", tableOf(["by", ...(rounds ? ["round"] : []), "", "response"], marks.map((one) =>
    [one.model, ...(rounds ? [one.round ?? ""] : []), el("span", { class: `mark ${one.status}` }, one.status), one.response ?? ""]), "Responses of models and reviewers"));
}

function toldOf(item) {
  const texts = [["Context", item.context], ["Knowledge", item.knowledge], ["Clue", item.clue]];
  return texts.map(([title, text]) => text && part(title, el("p", {}, text)))
    .concat([(item.reasoning || []).length ? part("Reasoning", el("ol", {}, item.reasoning.map((one) => el("li", {}, one)))) : null,
      item.rubric ? part("Rubric", rubricOf(item.rubric)) : null]);
}

function rubricOf(rubric) {
  if (typeof rubric !== "object" || rubric === null) return el("p", {}, plain(rubric));
  return el("dl", { class: "typed" }, Object.entries(rubric).map(([key, value]) =>
    [el("dt", {}, words(key)), el("dd", {}, plain(value))]));
}

function roundsPart(item) {
  return part("Rounds", (item.rounds || []).length ? el("ol", { class: "rounds" }, item.rounds.map((one) =>
    el("li", { class: one.answerable ? "now" : "" },
      el("button", { type: "button", class: "time", onclick: () => film.on && film.on.seek(one.current_us) }, clock(one.current_us)),
      el("span", {}, one.expected_output,
        (one.accepted_outputs || []).length > 1 ? el("span", { class: "small" }, ` also ${one.accepted_outputs.join(", ")}`) : null)))) : null);
}

function stagesPart(state, stages, id) {
  return part("Chain", stages.length ? el("ol", { class: "stages" }, stages.map((one) =>
    el("li", { class: one.item_id === id ? "here" : "" },
      el("p", { class: "over" }, one.stage ? `Stage ${one.stage}` : "Main", el("br"), `${clock(one.start_us)}–${clock(one.end_us)}`),
      el("div", {},
        el("a", { href: hashOf({ ...state, id: one.item_id }), "aria-current": one.item_id === id ? "true" : null }, one.question),
        el("p", { class: "answer-text small" }, one.answer),
        one.context ? el("p", { class: "small" }, "Context: ", one.context) : null)))) : null);
}

const timeButton = (us) => el("button", { type: "button", class: "time", onclick: () => film.on && film.on.seek(us) }, clock(us));

function evidencePart(item, evidence) {
  const tables = Object.entries(evidence.rows).map(([kind, rows]) => evidenceTable(kind, rows, evidence.counts[kind]));
  const pointers = (item.evidence || []).filter((one) => one.kind === "window" || one.kind === "tracks");
  const told = pointers.map((one) => el("p", { class: "small" }, one.kind === "window" ? "The whole of " : `Track ${one.id}, `,
    one.start_us === one.end_us ? `the instant ${clock(one.start_us)}` : `${clock(one.start_us)}–${clock(one.end_us)}`));
  return part("Evidence", told, tables);
}

/** Labels that stand for "no verb" or "no target" begin with null. */
const doing = (pair) => [pair.verb, pair.target].filter((one) => one && !one.startsWith("null_")).map(words).join(" ") || "idle";

function evidenceTable(kind, rows, count) {
  const said = rows.map((one) => {
    const start = one.time_us ?? one.start_us ?? one.s_us ?? null;
    const box = [one.x1, one.y1, one.x2, one.y2];
    return [start === null ? "" : timeButton(start),
      words(one.label || (one.text ? "speech" : "none in view")),
      one.pairs ? one.pairs.map(doing).join(", ") : one.text || words(one.kind && one.kind !== kind ? one.kind : ""),
      box.every(Number.isFinite) ? el("code", {}, thousandths(box)) : "",
      one.source_path ? el("span", { class: "source" }, one.source_path, el("br"), one.pointer || "") : ""];
  });
  return [tableOf(["time", kind, "", "box", "file and place"], said, `Evidence: ${kind}`, 8),
    count > rows.length ? el("p", { class: "small" }, `${number(count - rows.length)} more rows`) : null];
}

function gatesPart(item) {
  return part("Gates passed", tableOf(["gate", "measured", "limit"], (item.checks || []).map((one) =>
    [words(one.name), plain(one.measured), one.limit || ""]), "Gates"));
}

function madePart(item, video) {
  const rows = [["Item", item.item_id], ["Template", `${item.template_id} version ${item.template_version}`],
    ["Rule", item.rule], ["Certain by", item.certain], ["Unit", item.unit],
    ["Without looking", item.blind && (item.blind.join(", ") || "no rule gets it")],
    ["Temporal mode", item.temporal_mode], ["Recording", `${item.dataset}/${item.video_id}`], ["Procedure", item.procedure],
    ["Window", `${clock(item.start_us)}–${clock(item.end_us)}`], ["Asked at", item.query_us === null ? null : clock(item.query_us)],
    ["Labels' resolution", item.resolution_us && seconds(item.resolution_us)], ["Labels by", item.label_source && words(item.label_source)],
    ["Licence", item.licence], ["Label files", video && (video.sources || []).map((one) => one.path).join(", ")]];
  const json = (title, value) => (value && Object.keys(value).length ? el("details", { class: "numbers" }, el("summary", {}, title),
    el("pre", { tabindex: 0, role: "region", "aria-label": title }, JSON.stringify(value, null, 1))) : null);
  return part("How it was made", el("dl", { class: "typed" }, rows.filter(([, value]) => value).map(([key, value]) =>
    [el("dt", {}, key), el("dd", {}, value)])), json("What was drawn", item.slots), json("Arguments of the rule", item.rule_args));
}

/** Rejected questions about the same time, with reasons; requested when the section is opened. */
function refusedPart(item) {
  if (window.SAMPLE || !item.window_id) return null;
  const home = el("div", {});
  const load = async () => {
    if (!box.open || home.firstChild) return;
    home.append(el("p", { class: "small" }, "Looking …"));
    const found = await ask("beside", { id: item.item_id });
    home.replaceChildren(tableOf(["template", "reason", "at", "what it says"], found.rows.map((one) => {
      const template = one.key.split(" ")[0];
      return [el("a", { href: hashOf({ view: "rejects", id: "", filters: {}, template }) }, template), words(one.code), words(one.where || ""), one.reason];
    }), "Not asked at this time", 12) || el("p", { class: "small" }, "Nothing was rejected here."));
  };
  const box = el("details", { class: "numbers", id: "refused", ontoggle: load }, el("summary", {}, "What was refused at the same time"), home);
  return part("Not asked", box);
}

/** The query that proves an item, which is shown and run on request. */
function proofPart(item) {
  if (!item.rule || window.SAMPLE) return null;
  const home = el("div", { class: "proved" });
  const tell = async (run) => {
    home.replaceChildren(el("p", { class: "small" }, run ? "Running …" : "Reading …"));
    try {
      const found = await ask("proof", { id: item.item_id, run: run ? 1 : 0 });
      home.replaceChildren(...(run ? found.results.map(resultOf) : [el("pre", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Query" }, found.sql)]));
    } catch (error) {
      home.replaceChildren(el("p", { class: "small" }, `No proof: ${error.message}`));
    }
  };
  return part("Proof", el("p", { class: "buttons" },
    el("button", { type: "button", id: "proof-run", onclick: () => tell(true) }, "Run the proof"),
    el("button", { type: "button", onclick: () => tell(false) }, "Show its query")), home);
}

/** One row as a list of names and values, several rows as a table. */
function resultOf(result) {
  if (result.rows.length !== 1) {
    return tableOf(result.columns, result.rows.map((row) => row.map((one) => plain(one))), "Result") || "";
  }
  return el("dl", { class: "typed" }, result.columns.map((name, k) =>
    [el("dt", {}, name), el("dd", {}, el("code", {}, JSON.stringify(result.rows[0][k])))]));
}
