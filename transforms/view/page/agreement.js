"use strict";
/* The raters and, when all of them are done, their agreement and the decisions about the questions. */

const today = () => new Date().toISOString().slice(0, 10);

function showRaters(raters) {
  byId("name").textContent = "Review";
  const whole = raters.every((one) => one.done === one.questions);
  byId("main").replaceChildren(el("h2", { class: "question" }, "Who are you?"),
    el("ul", { class: "raters" }, raters.map((one) => el("li", {},
      el("a", { href: `#${query({ rater: one.name })}` }, one.name),
      el("progress", { max: one.questions, value: one.done, "aria-label": `${one.name}: done` }),
      el("span", { class: "small" }, one.done === one.questions ? "done" : `${one.done} of ${one.questions}`)))),
    whole ? el("div", { id: "agreement" }) : el("p", { class: "small" }, "The agreement of the raters is shown when all of them are done."));
  if (whole) showAgreement();
}

async function showAgreement() {
  const home = byId("agreement");
  try {
    drawAgreement(home, await ask("agreement", { date: today() }));
  } catch (error) {
    home.replaceChildren(el("p", { class: "small" }, `The agreement cannot be computed: ${error.message}`));
  }
}

function drawAgreement(home, found) {
  const { units, items } = found;
  redrawn(home,
    el("dl", { class: "figures" }, [["questions", items.reviewed], ["kept", items.kept], ["dropped", items.dropped],
      ["disputed", items.disputed], ["contested", items.contested], ["units untouched", `${Math.round(100 * units.share_untouched)} %`]]
      .map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))),
    kappaPart("Agreement on answers", found.agreement.answer), kappaPart("Agreement on what may stay", found.agreement.valid),
    accuracyPart(found), flawsPart(found.wrong), layerPart());
}

const section = (title, ...inside) => el("section", { class: "part" }, el("h3", {}, title), inside);
const kappa = (value) => (value === null ? "undefined" : value.toFixed(3));

/** Cohen's kappa of each pair of raters, its mean, and Fleiss' kappa of three or more raters; one
    row for each kind of question. */
function kappaPart(title, kinds) {
  const rows = Object.entries(kinds);
  if (!rows.length || !rows[0][1].pairs.length) return null;
  const heads = rows[0][1].pairs.map((one) => one.raters.join(" / "));
  const several = heads.length > 1;
  return section(title, tableOf(["kind", "questions", ...heads.map((pair) => `κ ${pair}`), "mean κ", ...(several ? ["Fleiss' κ of all"] : [])],
    rows.map(([kind, one]) => [words(kind), one.n, ...one.pairs.map((pair) => kappa(pair.kappa)), kappa(one.mean), ...(several ? [kappa(one.fleiss)] : [])]), title),
  el("p", { class: "small" }, "For pairs of raters: Cohen's κ. κ is undefined if all raters always give the same answer."));
}

function accuracyPart(found) {
  const rows = Object.entries(found.accuracy);
  return rows.length ? section("Answers that are the reference", tableOf(["kind", "questions", ...found.reviewers], rows.map(([kind, one]) =>
    [words(kind), one.n, ...Object.values(one.reviewers).map((mine) => mine.share.toFixed(3))]), "Accuracy")) : null;
}

function flawsPart(wrong) {
  const rows = Object.entries(wrong);
  return rows.length ? section("Found wrong", tableOf(["what", "raters"], rows.map(([name, n]) => [words(name), n]), "Found wrong")) : null;
}

function layerPart() {
  const date = el("input", { type: "date", id: "date", value: today() });
  const write = async () => {
    try {
      const { written } = await send("layer", { date: date.value });
      said(`Written: ${written}. Build again with --review and this file.`);
    } catch (error) { said(`Not written: ${error.message}`); }
  };
  return section("Decisions", el("p", {}, "The decisions are written to a file next to the sheets. A build with --review FILE leaves out the dropped items."),
    el("p", { class: "buttons" }, el("label", { for: "date" }, "Date "), date, el("button", { type: "button", id: "write", onclick: write }, "Write the decisions")));
}
