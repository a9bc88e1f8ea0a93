/* Answers the messages of Material's search box in place of Material's own search worker. Every page loads this
script; the index and the script that searches it are loaded when the search box is opened. */
"use strict";

const [SETUP, READY, QUERY, RESULT] = [0, 1, 2, 3];  // Material's types of messages.

/* Shown instead of results if the index cannot be fetched; it links to the list of all pages. */
const UNREACHABLE = [[{ location: "", title: "Search does not work right now", score: 1, terms: {},
  text: "<p>Its index could not be fetched. Typing goes on to ask for it; the notes are listed on the home page.</p>" }]];

const addressOf = (name) => new URL(new URLSearchParams(location.search).get(name), location.href);
let loading;
const load = () => {
  loading ??= fetch(addressOf("index"))
    .then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(`${answer.status}`))))
    .then((read) => {
      if (typeof prepare === "undefined") importScripts(addressOf("program"));
      return prepare(read);
    })
    .catch((reason) => { loading = undefined; throw reason; });  // The next key asks again.
  return loading;
};

let latest = 0;
addEventListener("message", async ({ data: { type, data } }) => {
  if (type === SETUP) postMessage({ type: READY });
  if (type !== QUERY) return;
  latest += 1;
  const turn = latest;
  // A fast typist sends a query at every key: answer only the latest.
  await new Promise((resolve) => { setTimeout(resolve); });
  if (turn !== latest) return;
  let found = [];
  try {
    // Material sends an empty query as soon as the page is loaded.
    if (data.trim()) {
      const index = await load();
      if (turn === latest) found = items(data, index);
    }
  } catch (reason) {
    console.info(`search index: ${reason}`);
    found = UNREACHABLE;
  }
  if (turn === latest) postMessage({ type: RESULT, data: { items: found } });
});
// The page sends a message when its search box gets the focus.
new BroadcastChannel("vaultkit-search").addEventListener("message", () => load().catch(() => {}));
