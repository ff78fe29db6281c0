"use strict";
/* Requests to the server; a page of files computes the responses from `SAMPLE` (see sample.js). */

async function ask(path, asked = {}) {
  if (window.SAMPLE) return sampleAnswer(path, asked);
  const reply = await fetch(`api/${path}?${query(asked)}`);
  const told = await reply.json();
  if (!reply.ok) throw new Error(told.error || `status ${reply.status}`);
  return told;
}

function query(asked) {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) {
    for (const one of [value].flat()) if (one !== undefined && one !== null) params.append(name, one);
  }
  return params.toString();
}

/** The address of a picture; the server refuses times that the round (or the item) may not see. */
function pictureOf(id, time, round) {
  if (window.SAMPLE) return samplePicture(id, time);
  return `frame?${query({ id, t: Math.round(time), round })}`;
}
