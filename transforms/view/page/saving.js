"use strict";
/* Sends the entries of people to the server, one change after the other, so that the last change is
   stored. */

async function send(path, told) {
  const reply = await fetch(`api/${path}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(told) });
  const answer = await reply.json();
  if (!reply.ok) throw new Error(answer.error);
  return answer;
}

/** Keeps changes until they are sent, also if sending failed before. `bodyOf` returns the data that
    are sent for a change. */
function saverOf(path, bodyOf, saved) {
  const one = { unsaved: new Set(), queue: Promise.resolve() };
  const saveAll = async () => {
    for (const what of [...one.unsaved]) {
      const body = bodyOf(what);
      try {
        await send(path, body);
        if (JSON.stringify(body) === JSON.stringify(bodyOf(what))) one.unsaved.delete(what);
      } catch (error) {
        said(`Not saved yet (${one.unsaved.size}): ${error.message}. It is tried again with the next change.`);
        return;
      }
    }
    if (!one.unsaved.size) said(saved);
  };
  one.keep = (what) => {
    one.unsaved.add(what);
    said("Saving …");
    one.queue = one.queue.then(saveAll);
  };
  addEventListener("beforeunload", (event) => { if (one.unsaved.size) event.preventDefault(); });
  return one;
}
