"use strict";
/* Responses for a page of files: the same as those of the server, computed from the page's data. */

function fits(one, filters, without) {
  for (const [name, values] of Object.entries(filters)) {
    if (name === without || name === "limit" || name === "at" || name === "after" || name === "before") continue;
    if (name === "q") {
      const { item } = SAMPLE.item[one.item_id];
      const text = [item.question, item.answer, item.context, item.knowledge, item.clue, ...(item.reasoning || []),
        ...item.options.map((option) => option.text)].map((part) => (part || "").toLowerCase());
      const wanted = values[0].toLowerCase().split(/\s+/).filter(Boolean);
      if (!wanted.every((word) => text.some((part) => part.includes(word)))) return false;
    } else if (name === "mark") {
      const model = (value) => value.slice(0, value.lastIndexOf(":"));
      const mine = (value) => `${model(value)}:${one.marks[model(value)] || "missing"}` === value;
      const asked = [...new Set(values.map(model))].filter((each) => without !== `mark:${each}`);
      if (!asked.every((each) => values.some((value) => model(value) === each && mine(value)))) return false;
    } else if (!values.includes(one.facets[name] ?? "")) return false;
  }
  return true;
}

const SAMPLE_ANSWERS = {
  about: () => ({ name: SAMPLE.overview.name }),
  overview: () => SAMPLE.overview,
  funnel: () => SAMPLE.funnel,
  rejects: (asked) => SAMPLE.rejects[asked.template] || { rows: [], total: 0 },
  item: (asked) => SAMPLE.item[asked.id],
  masks: (asked) => SAMPLE.masks[asked.id][asked.t] || [],
  timeline: (asked) => SAMPLE.timeline[asked.id] && SAMPLE.timeline[asked.id][asked.whole],
  items: (asked) => samplePage(SAMPLE.items.filter((one) => fits(one, asked)), asked),
  answers: (asked) => ({ left_out: 0, other_items: 0,
    values: counted(SAMPLE.items.filter((one) => fits(one, asked, "answer")).map((one) => one.facets.answer ?? "")) }),
  facets: (asked) => ({
    total: SAMPLE.items.filter((one) => fits(one, asked)).length,
    facets: Object.fromEntries(COUNTED.map((name) => [name, { left_out: 0,
      values: counted(SAMPLE.items.filter((one) => fits(one, asked, name)).map((one) => one.facets[name] ?? "")) }])),
    marks: sampleMarks(asked),
  }),
};

async function sampleAnswer(path, asked) {
  const found = SAMPLE_ANSWERS[path](asked);
  if (!found) throw new Error("nothing there");
  return found;
}

function samplePage(all, asked) {
  let first = 0;
  if (asked.at) first = all.findIndex((one) => one.item_id >= asked.at);
  if (asked.after) first = all.findIndex((one) => one.item_id > asked.after);
  if (asked.before) first = all.findIndex((one) => one.item_id === asked.before) - asked.limit;
  if (first < 0) first = asked.before ? 0 : all.length;
  const items = all.slice(first, first + asked.limit);
  return { items, more_before: first > 0 && items.length > 0, more_after: first + asked.limit < all.length };
}

function counted(values) {
  const counts = new Map();
  for (const value of values) counts.set(String(value), (counts.get(String(value)) || 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

const MODELS = () => [...new Set(SAMPLE.items.flatMap((one) => Object.keys(one.marks)))].sort();

function sampleMarks(asked) {
  return MODELS().flatMap((model) => counted(SAMPLE.items.filter((one) => fits(one, asked, `mark:${model}`)).map((one) => one.marks[model] || "missing"))
    .map(([status, n]) => ({ model, status, n })));
}

const samplePicture = (id, time) => (SAMPLE.shots ? SAMPLE.shots[`${id}-${time}`] : `pictures/${id}-${time}.jpg`);
