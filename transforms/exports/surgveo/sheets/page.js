"use strict";
const sheet = JSON.parse(byId("sheet").textContent);
// The key contains a code, so that another study of the same name does not overwrite these scores.
const STORE = `surgqa-surgveo:${sheet.sheet}:${sheet.videos[0]?.code}`;
const ERROR_KEYS = ["q", "w", "e", "r", "t", "y"];
const films = [byId("generated"), byId("reference")];
const state = { videos: {}, at: 0, row: 0, column: 0 };

const blank = () => ({ scores: {}, errors: [], comment: "" });
const video = (k = state.at) => sheet.videos[k];
const given = (k = state.at) => (state.videos[video(k).code] ??= blank());
const fields = sheet.times.length * sheet.dimensions.length;
const done = (k) => Object.values(given(k).scores).reduce((n, one) => n + Object.keys(one).length, 0);

function say(text, bad = false) {
  said(text);
  byId("said").className = bad ? "bad" : "small";
}

// ---- keeping, saving, loading

function keep() {
  try {
    localStorage.setItem(STORE, JSON.stringify({ videos: state.videos, at: state.at }));
    return true;
  } catch (error) {
    say("This browser keeps nothing: save the sheet to a file before you close the page.", true);
    return false;
  }
}

function checked(videos) {
  // Scores of another sheet, or out of range, are an error.
  const out = {};
  const codes = new Set(sheet.videos.map((one) => one.code));
  const times = new Set(sheet.times.map(String));
  const names = new Set(sheet.dimensions.map((one) => one.id));
  const types = new Set(sheet.errors.map((one) => one.id));
  for (const [code, one] of Object.entries(videos)) {
    if (!codes.has(code)) throw new Error(`video ${code} is not on this sheet`);
    const mine = (out[code] = blank());
    for (const [time, scores] of Object.entries(one.scores)) {
      if (!times.has(time)) throw new Error(`${code} has a score at ${time} s`);
      for (const [name, score] of Object.entries(scores)) {
        if (!names.has(name)) throw new Error(`${code} has a dimension ${name}`);
        if (!Number.isInteger(score) || score < 1 || score > 5)
          throw new Error(`${code}, ${name} at ${time} s: ${score} is not from 1 to 5`);
        (mine.scores[time] ??= {})[name] = score;
      }
    }
    for (const name of one.errors) {
      if (!types.has(name)) throw new Error(`${code} has an error type ${name}`);
      if (!mine.errors.includes(name)) mine.errors.push(name);
    }
    mine.comment = String(one.comment ?? "");
  }
  return out;
}

function restore() {
  let text = null;
  try { text = localStorage.getItem(STORE); } catch (error) { return; }
  if (text === null) return;
  try {
    const kept = JSON.parse(text);
    state.videos = checked(kept.videos);
    state.at = Math.min(Math.max(0, kept.at | 0), sheet.videos.length - 1);
    say("Your scores were kept in this browser; go on where you stopped.");
  } catch (error) {
    say(`What this browser kept cannot be read (${error.message}); load a saved sheet.`, true);
  }
}

function ordered(one) {
  const scores = {};
  for (const time of sheet.times) {
    const line = {};
    for (const { id } of sheet.dimensions) {
      const score = one.scores[time]?.[id];
      if (score !== undefined) line[id] = score;
    }
    scores[time] = line;
  }
  const errors = sheet.errors.map((e) => e.id).filter((id) => one.errors.includes(id));
  return { scores, errors, comment: one.comment };
}

function asJson() {
  const lines = sheet.videos.map((one, k) =>
    `${JSON.stringify(one.code)}: ${JSON.stringify(ordered(given(k)))}`);
  return `{"format": ${JSON.stringify(sheet.format)}, "sheet": ${JSON.stringify(sheet.sheet)},\n` +
    `"videos": {\n${lines.join(",\n")}\n}}\n`;
}

const guarded = (text) => (/^ *[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) ? "'" + text : text);
const cell = (text) => (/[",;\r\n\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

function asCsv() {
  const rows = [sheet.header];
  sheet.videos.forEach((one, k) => {
    const mine = ordered(given(k));
    let [errors, comment] = [mine.errors.join(";"), mine.comment];
    for (const time of sheet.times) {
      for (const { id, asked, scale } of sheet.dimensions) {
        const score = mine.scores[time][id] ?? "";
        rows.push([sheet.sheet, k + 1, one.code, one.generated, one.reference, one.context, time,
          id, asked, scale, score, errors, comment]);
        [errors, comment] = ["", ""];  // of the whole video: on its first row
      }
    }
  });
  return "\ufeff" + rows.map((row) => row.map((one) => cell(guarded(String(one)))).join(",")).join("\r\n") + "\r\n";
}

function save(text, type, ending) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = sheet.sheet.replace(/[^\w.-]+/g, "_") + ending;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  const open = sheet.videos.filter((_, k) => done(k) < fields).length;
  say(open ? `Saved ${link.download}; ${open} video(s) are not finished.` : `Saved ${link.download}: complete.`);
}

async function load(file) {
  if (!file) return;
  try {
    const saved = JSON.parse(await file.text());
    if (saved.format !== sheet.format) throw new Error("it is no saved score sheet");
    if (saved.sheet !== sheet.sheet) throw new Error(`it is of sheet ${saved.sheet}, this one is ${sheet.sheet}`);
    state.videos = checked(saved.videos);
    keep();
    show(state.at);
    say(`Loaded ${file.name}.`);
  } catch (error) {
    say(`${file.name} was not loaded: ${error.message}`, true);
  }
}

// ---- the two videos

function seek(time) {
  for (const film of films) {
    film.pause();
    const last = Number.isFinite(film.duration) ? Math.max(0, film.duration - 0.02) : time;
    film.currentTime = Math.min(time, last);
  }
  tick(time);
}

function play() {
  if (!films[0].paused || !films[1].paused) return films.forEach((one) => one.pause());
  const end = films.every((one) => one.ended || one.currentTime >= one.duration - 0.05);
  const from = end ? 0 : Math.min(...films.map((one) => one.currentTime));
  films.forEach((one) => { one.currentTime = from; });
  films.forEach((one) => one.play().catch((error) => say(`A video cannot be played: ${error.message}`, true)));
}

function step(direction) {
  const now = Math.max(...films.map((one) => one.currentTime));
  const marks = direction > 0 ? sheet.times : [...sheet.times].reverse();
  const to = marks.find((one) => (direction > 0 ? one > now + 0.05 : one < now - 0.05));
  seek(to ?? (direction > 0 ? sheet.times.at(-1) : 0));
}

function tick(time) { byId("time").textContent = seconds(time * 1e6); }

function together() {
  // When both videos drift apart, the reference is set to the time of the generated video.
  const [a, b] = films;
  tick(a.currentTime);
  if (!a.paused && !b.paused && Math.abs(a.currentTime - b.currentTime) > 0.08) b.currentTime = a.currentTime;
}

// ---- showing

function build() {
  document.title = `Score sheet ${sheet.sheet}`;
  byId("name").textContent = `Score sheet ${sheet.sheet}`;
  byId("grid").append(el("thead", {}, el("tr", {}, el("td"), sheet.dimensions.map(({ name, asked }) =>
    el("th", { scope: "col" }, name, el("small", {}, asked))))),
  el("tbody", {}, sheet.times.map((time, row) => el("tr", {}, el("th", { scope: "row" }, `at ${time} s`),
    sheet.dimensions.map(({ name }, column) => el("td", { id: `cell-${row}-${column}`, role: "gridcell",
      "data-label": `${name} at ${time} s`, onclick: () => select(row, column) }))))));
  byId("marks").append(...sheet.times.map((time) => el("button", { type: "button", onclick: () => seek(time) }, `${time} s`)));
  byId("values").append(...[1, 2, 3, 4, 5].map((value) => el("button", { type: "button", onclick: () => score(value) }, el("kbd", {}, value))),
    el("button", { type: "button", onclick: () => score(null) }, "clear"));
  byId("errors").append(...sheet.errors.map(({ id, name }, k) =>
    pressed(`error-${id}`, false, () => toggle(id), el("kbd", {}, ERROR_KEYS[k].toUpperCase()), name)));
  byId("scale").append(el("thead", {}, el("tr", {}, el("td"), sheet.dimensions.map(({ name }) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, sheet.dimensions[0].anchors.map(([score], k) => el("tr", {}, el("th", { scope: "row" }, score),
      sheet.dimensions.map(({ anchors }) => el("td", {}, anchors[k][1]))))));
}

function show(k) {
  const moved = k !== state.at || !films[0].src;
  if (moved) [state.row, state.column] = [0, 0];
  state.at = k;
  const one = video();
  if (moved) {
    films[0].src = one.generated;
    films[1].src = one.reference;
    tick(0);
  }
  byId("position").textContent = `Video ${k + 1} of ${sheet.videos.length}`;
  byId("context").textContent = one.context;
  byId("comment").value = given().comment;
  refresh();
}

function refresh() {
  const mine = given();
  sheet.times.forEach((time, row) => sheet.dimensions.forEach(({ id }, column) => {
    const td = byId(`cell-${row}-${column}`);
    const score = mine.scores[time]?.[id];
    td.textContent = score ?? "";
    td.setAttribute("aria-label", `${td.dataset.label}: ${score ?? "no score"}`);
    td.setAttribute("aria-selected", String(row === state.row && column === state.column));
  }));
  // The meaning of the scores of the marked field is highlighted.
  for (const line of byId("scale").rows)
    [...line.cells].forEach((one, column) => one.classList.toggle("now", column === state.column + 1));
  for (const { id } of sheet.errors) byId(`error-${id}`).setAttribute("aria-pressed", String(mine.errors.includes(id)));
  const all = sheet.videos.reduce((n, _, k) => n + done(k), 0);
  const total = fields * sheet.videos.length;
  const whole = sheet.videos.filter((_, k) => done(k) === fields).length;
  byId("progress").max = total;
  byId("progress").value = all;
  byId("count").textContent = `${whole} of ${sheet.videos.length} videos, ${all} of ${total} scores`;
}

function select(row, column) {
  [state.row, state.column] = [row, column];
  refresh();
}

function move(rows, columns) {
  const [height, width] = [sheet.times.length, sheet.dimensions.length];
  select((state.row + rows + height) % height, (state.column + columns + width) % width);
}

function score(value) {
  const time = sheet.times[state.row];
  const { id } = sheet.dimensions[state.column];
  const line = (given().scores[time] ??= {});
  if (value === null) delete line[id]; else line[id] = value;
  if (keep()) say("");
  if (value === null) return refresh();
  const next = state.row * sheet.dimensions.length + state.column + 1;
  if (next < fields) return select(Math.floor(next / sheet.dimensions.length), next % sheet.dimensions.length);
  refresh();
  if (done(state.at) === fields) say("All scores of this video are given; Enter goes on.");
}

function toggle(id) {
  const mine = given();
  mine.errors = mine.errors.includes(id) ? mine.errors.filter((one) => one !== id) : [...mine.errors, id];
  if (keep()) say("");
  refresh();
}

function go(k) {
  if (k < 0 || k >= sheet.videos.length) return say(k < 0 ? "This is the first video." : "This was the last video; save the sheet.");
  say("");
  show(k);
  keep();
}

function unfinished() {
  const n = sheet.videos.length;
  for (let k = 1; k <= n; k++) if (done((state.at + k) % n) < fields) return go((state.at + k) % n);
  say("Every video is finished; save the sheet.");
}

// ---- keys

const saveJson = () => save(asJson(), "application/json", ".json");
const KEYS = {
  " ": play, "0": () => seek(0), ",": () => step(-1), ".": () => step(1),
  ArrowUp: () => move(-1, 0), ArrowDown: () => move(1, 0),
  ArrowLeft: () => move(0, -1), ArrowRight: () => move(0, 1),
  Backspace: () => score(null), Delete: () => score(null),
  Enter: () => go(state.at + 1), PageDown: () => go(state.at + 1), PageUp: () => go(state.at - 1),
  u: unfinished, c: () => byId("comment").focus(),
};
for (let k = 1; k <= 5; k++) KEYS[k] = () => score(k);
sheet.errors.forEach(({ id }, k) => { KEYS[ERROR_KEYS[k]] = () => toggle(id); });

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s") {
    event.preventDefault();
    return saveJson();
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target === byId("comment")) {
    if (event.key === "Escape") byId("comment").blur();
    return;
  }
  const name = event.target.tagName;
  // Keys that press a button go to the button or file field that has the focus.
  if ((name === "BUTTON" || name === "INPUT" || name === "SUMMARY") && (event.key === " " || event.key === "Enter")) return;
  const action = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

byId("comment").addEventListener("input", () => { given().comment = byId("comment").value; keep(); });
byId("save-json").addEventListener("click", saveJson);
byId("save-csv").addEventListener("click", () => save(asCsv(), "text/csv", ".csv"));
byId("load").addEventListener("change", (event) => { load(event.target.files[0]); event.target.value = ""; });
byId("play").addEventListener("click", play);
byId("restart").addEventListener("click", () => seek(0));
byId("previous").addEventListener("click", () => go(state.at - 1));
byId("next").addEventListener("click", () => go(state.at + 1));
byId("unfinished").addEventListener("click", unfinished);
// After a mouse click, keys go to the sheet again and not to the clicked button.
document.addEventListener("click", (event) => { if (event.detail) event.target.closest("button")?.blur(); });
films[0].addEventListener("timeupdate", together);
for (const film of films) film.addEventListener("error", () =>
  say(`The ${film.id} video cannot be shown: is ${film.getAttribute("src")} beside this page?`, true));

build();
restore();
show(state.at);
