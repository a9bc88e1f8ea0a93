/* Lists every check of every note, filtered by words, kind and note. Without it, the page has a table
of all notes, and a link to the data. */
(() => {
  "use strict";

  const FIRST = 200;  // Rows shown at first: thousands would take a phone long.
  const box = document.querySelector(".vk-checks");
  const rows = document.querySelectorAll(".vk-ledger tr[data-note]");
  if (!box || !rows.length) return;

  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const field = (label, input) => {
    // Otherwise the words of all choices would be part of the accessible name.
    input.setAttribute("aria-label", label);
    return element("label", {}, element("span", {}, label), input);
  };
  const choice = (every, values) =>
    element("select", {}, element("option", { value: "" }, every),
      ...values.map(([value, words]) => element("option", { value }, words)));
  const count = (number, one) =>
    `${number.toLocaleString("en")} ${number === 1 ? one : `${one}s`}`;
  const scope = ({ scope }) => ({ general: " in general", here: " here" })[scope] ?? "";
  // A number that occurs on the page is not proven, though its check holds.
  const verdict = ({ outcome, scope }) =>
    (scope === "found" ? "occurs" : { unjudged: "not judged" }[outcome] ?? outcome);
  const time = (seconds) => (seconds ? `${Number((seconds * 1000).toPrecision(2))} ms` : "");

  const notes = new Map([...rows].map((row) => {
    const link = row.querySelector("a");
    return [row.dataset.note, { name: link.textContent, href: link.getAttribute("href"), id: row.id }];
  }));

  const show = (found) => {
    const checks = [...notes.keys()].flatMap((note) =>
      (found[note] ?? []).map((check) => ({
        ...check, note, text: `${check.what} ${notes.get(note).name}`.toLowerCase(),
      })));
    const distinct = (key) => [...new Set(checks.map((check) => check[key]))];
    const words = element("input", { type: "search", placeholder: "words, a formula, a link", autocomplete: "off" });
    const kind = choice("All kinds", distinct("kind").map((value) => [value, value]));
    const note = choice("All notes", distinct("note").map((path) => [path, notes.get(path).name]));
    const outcome = choice("All outcomes", [...new Set(checks.map(verdict))].map((value) => [value, value]));
    const total = element("p", { role: "status" });
    const body = element("tbody");
    const more = element("button", { type: "button", class: "md-button" });

    const row = (check) => {
      const { name, href } = notes.get(check.note);
      const cells = [
        ["kind", check.kind],
        ["what", element("code", {}, check.what)],
        ["where", element("a", { href }, name), `, line ${check.line}`],
        ["outcome", element("span", { class: `vk-${check.outcome}` }, verdict(check), scope(check))],
        ["time", time(check.seconds)],
      ];
      return element("tr", {}, ...cells.map(([key, ...inside]) =>
        element("td", { class: `vk-checks__${key}` }, ...inside)));
    };

    let shown = [];
    const filter = (all = false) => {
      const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
      shown = checks.filter((check) =>
        (!kind.value || check.kind === kind.value) &&
        (!note.value || check.note === note.value) &&
        (!outcome.value || verdict(check) === outcome.value) &&
        wanted.every((word) => check.text.includes(word)));
      const some = all === true ? shown : shown.slice(0, FIRST);
      body.replaceChildren(...some.map(row));
      const fails = shown.filter((check) => check.outcome === "fails").length;
      total.textContent = count(shown.length, "check") + (fails ? `, ${fails} of them failing` : "");
      more.hidden = some.length === shown.length;
      more.textContent = `Show all ${count(shown.length, "check")}`;
    };
    // The foot of a note links to the address of its row.
    const arrive = () => {
      const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      if (!target?.dataset.note) return;
      note.value = distinct("note").includes(target.dataset.note) ? target.dataset.note : "";
      filter();
    };

    for (const input of [words, kind, note, outcome]) input.addEventListener("input", filter);
    more.addEventListener("click", () => filter(true));
    addEventListener("hashchange", () => box.isConnected && arrive());
    const heads = ["Kind", "What", "Where", "Outcome", "Time"];
    box.replaceChildren(
      element("form", { class: "vk-checks__form", role: "search", "aria-label": "Filter checks" },
        field("Find", words), field("Kind", kind), field("Note", note), field("Outcome", outcome)),
      total,
      element("table", { class: "vk-checks__list" },
        element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
        body),
      more,
      element("p", {}, "The same for machines: ", element("a", { href: box.dataset.checks }, "checks.json"), "."),
    );
    box.firstChild.addEventListener("submit", (event) => event.preventDefault());
    filter();
    arrive();
  };

  fetch(box.dataset.checks).then((answer) => answer.json()).then(show)
    // A page opened as a file may not fetch: the link to the data remains.
    .catch((reason) => console.info(`checks.json: ${reason}`));
})();
