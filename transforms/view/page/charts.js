"use strict";
/* Charts of the overview, drawn by Observable Plot. Each chart has a table of its numbers. Screen
   readers read the table; the chart is hidden from them. */

const BAR = 18;
const NARROW = 520;
const CHART_LETTER = 6.3;
const LINE = 14;
const SHADES = [0.95, 0.72, 0.54, 0.4, 0.29, 0.2];
const MODEL_COLOURS = ["var(--m1)", "var(--m2)", "var(--m3)", "var(--m4)", "var(--m5)", "var(--m6)"];
const percent = (part) => `${Math.round(100 * part)} %`;

/** A chart that is drawn again when its width changes; `make` draws it for a width. */
function chartOf(make, caption, rows) {
  const home = el("div", { class: "chart", "aria-hidden": "true" });
  let width = 0;
  new ResizeObserver(() => {
    const now = Math.floor(home.clientWidth);
    if (!now || now === width) return;
    width = now;
    home.replaceChildren(make(now));
  }).observe(home);
  const table = rows ? el("details", { class: "numbers" }, el("summary", {}, "Numbers"), rows) : null;
  return el("figure", {}, home, caption ? el("figcaption", { class: "small" }, caption) : null, table);
}

/** Length of the beginning (up to a dot or colon) that all names share, which a chart leaves out. */
function common(names) {
  const start = (names[0] || "").match(/^[^.:/]+[.:/] ?/);
  return start && names.length > 1 && names.every((one) => one.startsWith(start[0])) ? start[0].length : 0;
}

const shortened = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** A name in at most `lines` lines of `most` letters, broken at blanks, slashes and dots; the rest
    is left out. */
function inLines(text, most, lines) {
  if (lines === 1 || text.length <= most) return shortened(text, most);
  const head = text.slice(0, most + 1);
  const at = Math.max(head.lastIndexOf(" "), head.slice(0, most).search(/[/.][^/.]*$/));
  const end = at > 0 ? at + 1 : most;
  return `${text.slice(0, end).trimEnd()}\n${inLines(text.slice(end), most, lines - 1)}`;
}

/** A plot of rows, one below the other, with their names at the left. */
function rowsPlot(width, names, options) {
  const cut = common(names);
  const longest = Math.max(4, ...names.map((one) => one.length - cut));
  const narrow = width < NARROW;
  const left = Math.round(Math.min(longest * CHART_LETTER + 14, width * (narrow ? 0.42 : 0.34)));
  const most = Math.floor((left - 10) / CHART_LETTER);
  const two = narrow && longest > most; // names take two lines
  return Plot.plot({
    className: "plot", width, marginLeft: left, marginRight: 56, marginTop: 4, marginBottom: 26,
    height: names.length * Math.max(options.bar || BAR, two ? 2 * LINE + 4 : 0) + 34,
    ...options,
    x: { ticks: narrow ? 3 : 6, tickSize: 0, label: null, ...options.x },
    y: { domain: names, axis: null, padding: 0.3 },
    marks: [Plot.axisY({ tickSize: 0, label: null, tickFormat: (name) => inLines(name.slice(cut), most, two ? 2 : 1) }), ...options.marks],
  });
}

/** Open the address of a row when its bar is clicked. */
function leading(plot, rows, hash) {
  for (const node of plot.querySelectorAll("g[aria-label='bar'] rect")) {
    node.classList.add("leads");
    node.addEventListener("click", () => { location.hash = hash(rows[node.__data__]); });
  }
  return plot;
}

function countBars(rows, hash) {
  return (width) => {
    const names = rows.map((one) => one.name);
    const most = Math.max(1, ...rows.map((one) => one.items));
    const ticks = d3.ticks(0, most, width < NARROW ? 3 : 6).filter(Number.isInteger);
    const plot = rowsPlot(width, names, { x: { grid: true, ticks, tickFormat: number, domain: [0, most] }, marks: [
      Plot.barX(rows, { x: "items", y: "name", fill: "var(--fact)", rx: 2, title: (one) => `${one.name}: ${number(one.items)}` }),
      Plot.text(rows, { x: "items", y: "name", text: (one) => number(one.items), textAnchor: "start", dx: 5, fill: "var(--soft)" }),
    ] });
    return hash ? leading(plot, rows, hash) : plot;
  };
}

/** Videos as strips; the darker a part, the more items see it. */
function coverageStrips(videos) {
  const names = videos.map((one) => one.name);
  const parts = videos.flatMap((one) => one.bins.map((n, k) => ({ one, n,
    from: (one.duration_us / 6e7) * (k / one.bins.length), to: (one.duration_us / 6e7) * ((k + 1) / one.bins.length) })));
  const most = Math.max(1, ...parts.map((part) => part.n));
  return (width) => rowsPlot(width, names, { x: { tickFormat: (m) => `${m} min` }, marks: [
    Plot.barX(videos, { x: (one) => one.duration_us / 6e7, y: "name", fill: "var(--sunken)" }),
    Plot.rect(parts.filter((part) => part.n), { x1: "from", x2: "to", y: (part) => part.one.name, fill: "var(--fact)",
      fillOpacity: (part) => 0.15 + 0.85 * (part.n / most), inset: 0,
      title: (part) => `${part.one.name}, ${clock(part.from * 6e7)}–${clock(part.to * 6e7)}: seen by ${number(part.n)} items` }),
    Plot.text(videos, { x: (one) => one.duration_us / 6e7, y: "name", text: (one) => number(one.items), textAnchor: "start", dx: 5, fill: "var(--soft)" }),
  ] });
}

/** Shares of a template's answers, the most frequent first, with a line at the chance level. */
function answerShares(templates) {
  const names = templates.map((one) => one.template);
  const parts = templates.flatMap((one) => {
    let from = 0;
    return one.top.map(([text, n], k) => {
      const part = { one, k, text, n, from: from / one.items, to: (from + n) / one.items };
      from += n;
      return part;
    });
  });
  const known = templates.filter((one) => one.chance !== null);
  const guessed = templates.filter((one) => one.blind !== null);
  return (width) => rowsPlot(width, names, { marginRight: 26, x: { domain: [0, 1], tickFormat: percent }, marks: [
    Plot.barX(templates, { x: 1, y: "template", fill: "var(--sunken)" }),
    Plot.barX(parts, { x1: "from", x2: "to", y: (part) => part.one.template, fill: "var(--fact)", fillOpacity: (part) => SHADES[part.k],
      insetRight: 1, title: (part) => `${part.text}: ${percent(part.n / part.one.items)} (${number(part.n)} of ${number(part.one.items)})` }),
    Plot.tickX(known, { x: "chance", y: "template", stroke: "var(--chance)", strokeWidth: 2.5, inset: -3, title: (one) => `chance ${percent(one.chance)}` }),
    Plot.dot(guessed, { x: "blind", y: "template", r: 4, fill: "var(--blind)", stroke: "var(--ground)", title: (one) => `without the video ${percent(one.blind)}, by: ${one.by}` }),
  ] });
}

/** Scores with intervals: the models of each task below each other, with a line at the chance
    level. */
function scoreDots(rows, models) {
  const names = [...new Set(rows.map((one) => one.name))];
  const at = (one) => (models.indexOf(one.model) - (models.length - 1) / 2) * 11;
  const of = (model) => rows.filter((one) => one.model === model);
  const colour = (model) => MODEL_COLOURS[models.indexOf(model) % MODEL_COLOURS.length];
  return (width) => rowsPlot(width, names, { bar: 12 + 11 * models.length, marginRight: 26,
    x: { domain: [0, 1], grid: true, tickFormat: percent }, marks: [
      Plot.tickX(rows.filter((one) => one.chance !== null), { x: "chance", y: "name", stroke: "var(--chance)", strokeWidth: 2 }),
      models.flatMap((model) => [
        Plot.ruleY(of(model).filter((one) => one.low !== null), { x1: "low", x2: "high", y: "name", dy: at({ model }), stroke: colour(model), strokeWidth: 2 }),
        Plot.dot(of(model), { x: "score", y: "name", dy: at({ model }), r: 4, fill: colour(model), stroke: "var(--ground)",
          title: (one) => `${one.model}, ${one.name}: ${percent(one.score)} of ${number(one.n)}${one.low === null ? "" : ` (${percent(one.low)} to ${percent(one.high)})`}` }),
      ]),
    ] });
}

/** For each template the number of items, and of rejections by reason. */
function funnelBars(rows, hash) {
  const names = rows.map((one) => one.template);
  const parts = rows.flatMap((one) => {
    const all = [{ text: "asked", n: one.items, kind: 0 }, ...reasonsOf(one).map(([text, n], k) => ({ text, n, kind: k + 1 }))];
    const whole = all.reduce((sum, part) => sum + part.n, 0) || 1;
    let from = 0;
    return all.filter((part) => part.n).map((part) => {
      const drawn = { ...part, one, from: from / whole, to: (from + part.n) / whole };
      from += part.n;
      return drawn;
    });
  });
  return (width) => leading(rowsPlot(width, names, { marginRight: 26, x: { domain: [0, 1], tickFormat: percent }, marks: [
    Plot.barX(parts, { x1: "from", x2: "to", y: (part) => part.one.template, insetRight: 1,
      fill: (part) => (part.kind ? "var(--refused)" : "var(--good-bar)"), fillOpacity: (part) => (part.kind ? SHADES[Math.min(part.kind - 1, 5)] : 1),
      title: (part) => `${part.one.template}, ${part.text}: ${number(part.n)}` }),
  ] }), parts, (part) => hash(part.one));
}

const reasonsOf = (one) => one.rejects.map((r) => [`${words(r.code)}${r.where ? `: ${words(r.where)}` : ""}`, r.rows]);

/** The legend: what each colour means. */
function keysOf(pairs) {
  return el("p", { class: "legend" }, pairs.map(([fill, text, opacity]) => el("span", { class: "key" },
    svg("svg", { width: 14, height: 10, "aria-hidden": "true" }, svg("rect", { width: 14, height: 10, rx: 2, fill, "fill-opacity": opacity ?? 1 })), text)));
}
