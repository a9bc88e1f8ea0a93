/* Flashcards with repetition: shows the cards of a page one by one, and stores in the browser when
each is due again. Without scripts, each card is a question that unfolds.

   SM-2 (P. A. Wozniak, 1990) decides when a card is due: an answer is graded 0 to 5; a card
   answered well returns after 1 day, 6 days, then the last interval times its ease; a failed one
   starts again. A card graded below 4 is shown again in the same session: after three others if it was
   forgotten, else at the end. Unlike in SM-2, a card
   graded 5 skips one of the first two intervals: otherwise two buttons would promise one day. */
(() => {
  "use strict";

  const NEW = 10; // Cards that a session adds to those that are due.
  const { all, keep } = VAULTKIT_KEPT("cards");
  const GRADES = [["Again", 1], ["Hard", 3], ["Good", 4], ["Easy", 5]];

  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const button = (words, act, name = "md-button") => {
    const made = element("button", { type: "button", class: name }, words);
    made.addEventListener("click", act);
    return made;
  };
  const count = (number, one) => `${number} ${number === 1 ? one : `${one}s`}`;

  /* --- When a card is due ---------------------------------------------------------------------- */

  /* Days since 1970 in the reader's time zone. */
  const today = () => {
    const now = new Date();
    return Math.floor((now.getTime() - now.getTimezoneOffset() * 60_000) / 86_400_000);
  };

  /* The state of a card, {times, ease, days, due}, after an answer with a grade, by SM-2. */
  const graded = ({ times = 0, ease = 2.5, days = 0 } = {}, grade, day) => {
    if (grade < 3) return { times: 0, ease, days: 1, due: day + 1 };
    const eased = Number(Math.max(1.3, ease + 0.1 - (5 - grade) * (0.08 + (5 - grade) * 0.02)).toFixed(4));
    const past = times + (grade === 5 && times < 2 ? 1 : 0);
    const next = [1, 6][past] ?? Math.ceil(Math.max(days, 6) * eased);
    return { times: past + 1, ease: eased, days: next, due: day + next };
  };

  /* --- A session ------------------------------------------------------------------------------- */

  /* A copy of a card's content that no script on the page mistakes for the card itself. */
  const copy = (nodes) => nodes.map((node) => {
    const made = node.cloneNode(true);
    for (const part of [made, ...(made.querySelectorAll?.("*") ?? [])]) {
      if (part.nodeType !== 1) continue;
      for (const name of ["id", "data-check", "data-asks", "tabindex", "role", "aria-expanded", "aria-haspopup"]) {
        if (name !== "role" || part.getAttribute("role") === "button") part.removeAttribute(name);
      }
    }
    return made;
  });

  const prepare = () => {
    const box = document.querySelector(".vk-deck:not([data-ready])");
    if (!box) return;
    box.dataset.ready = "";
    const cards = new Map([...document.querySelectorAll("details.flashcard")].map((card) => [card.id, card]));
    const again = new Set(); // What this session has asked, and asks again.
    let queue = [];
    let asked = 0;

    const status = element("p", { class: "vk-deck__said", role: "status" });
    const begin = button("Practise", () => {
      const { due, fresh } = waiting();
      start([...due, ...fresh.slice(0, NEW)]);
    }, "md-button md-button--primary");
    const save = button("Export", () => {
      const file = new Blob([JSON.stringify(all(), null, 1)], { type: "application/json" });
      const link = element("a", { href: URL.createObjectURL(file), download: "flashcards-progress.json" });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href));
    });
    const forget = button("Reset", () => {
      if (!confirm("Forget in this browser how well you know these cards?")) return;
      const kept = all();
      for (const id of cards.keys()) delete kept[id];
      keep(kept);
      showStatus();
    });
    const acts = element("div", { class: "vk-deck__acts" }, begin, save, forget);
    const stage = element("section", { class: "vk-deck__card", "aria-label": "Card", tabindex: "-1" });
    stage.hidden = true;
    box.prepend(status, acts, stage);

    const waiting = () => {
      const kept = all();
      const due = [...cards.keys()].filter((id) => kept[id]?.due <= today());
      due.sort((a, b) => kept[a].due - kept[b].due);
      return { due, fresh: [...cards.keys()].filter((id) => !kept[id]) };
    };
    const showStatus = (before = "") => {
      const { due, fresh } = waiting();
      const kept = all();
      const next = [...cards.keys()].map((id) => kept[id]?.due).filter((day) => day > today());
      const coming = next.length ? `, the next ${days(Math.min(...next) - today())}` : "";
      status.textContent = `${before}${count(due.length, "card")} due${due.length ? "" : coming}, `
        + `${fresh.length} new of ${cards.size}.`;
      begin.disabled = !due.length && !fresh.length;
      save.disabled = forget.disabled = fresh.length === cards.size;
    };
    const days = (number) => (number === 1 ? "tomorrow" : `in ${number} days`);

    const start = (ids) => {
      queue = ids;
      asked = 0;
      document.addEventListener("keydown", keys);
      acts.hidden = true;
      stage.hidden = false;
      show();
    };
    const end = () => {
      document.removeEventListener("keydown", keys);
      queue = [];
      again.clear();
      stage.hidden = true;
      stage.replaceChildren();
      acts.hidden = false;
      showStatus(asked ? `Done: ${count(asked, "answer")}. ` : "");
      begin.focus({ preventScroll: true });
    };

    let reveal, choices; // What the keys do now.
    const show = () => {
      if (!queue.length) {
        end();
        return;
      }
      const card = cards.get(queue[0]);
      const summary = card.querySelector(":scope > summary");
      const question = element("div", { class: "vk-deck__question" }, ...copy([...summary.childNodes]));
      const turn = button("Show the answer", () => reveal());
      status.textContent = `${count(queue.length, "card")} left in this session.`;
      choices = [];
      reveal = () => {
        reveal = null;
        const id = queue[0];
        const known = all()[id];
        const repeated = again.has(id);
        const answer = element("div", { class: "vk-deck__answer", tabindex: "-1" },
          ...copy([...card.children].filter((part) => part !== summary)));
        choices = GRADES.map(([words, grade], at) => {
          const then = grade < 3 ? `after ${count(soon(queue.length - 1), "card")}`
            : grade < 4 ? "at the end" : repeated ? "" : days(graded(known, grade, 0).days);
          const made = button("", () => grading(id, grade, repeated), "vk-deck__grade");
          made.append(element("kbd", {}, String(at + 1)), ` ${words}`);
          if (then) made.append(element("small", {}, then));
          return made;
        });
        turn.replaceWith(answer, element("div", {
          class: "vk-deck__grades", role: "group", "aria-label": "How well did you know it?",
        }, ...choices));
        answer.focus({ preventScroll: true });
      };
      stage.replaceChildren(question, turn, button("End", end, "vk-deck__end"),
        element("p", { class: "vk-deck__keys" }, "Space: the answer · 1 to 4: how well you knew it · Esc: end"));
      stage.focus({ preventScroll: true });
    };
    /* After how many of the cards that are left a forgotten card comes back. */
    const soon = (left) => Math.min(3, left);
    const grading = (id, grade, repeated) => {
      asked += 1;
      queue.shift();
      // Only the first answer of a session changes the day on which the card is due.
      if (!repeated) keep({ ...all(), [id]: graded(all()[id], grade, today()) });
      if (grade < 4) {
        again.add(id);
        queue.splice(grade < 3 ? soon(queue.length) : queue.length, 0, id);
      } else again.delete(id);
      show();
    };
    const keys = (event) => {
      if (!box.isConnected) {
        document.removeEventListener("keydown", keys);
        return;
      }
      const { target } = event;
      if (event.altKey || event.ctrlKey || event.metaKey || target.closest?.("input, textarea, select, [contenteditable]")) return;
      if (event.key === "Escape") end();
      else if (event.key === " " && reveal && !target.closest?.("button, a, summary")) {
        event.preventDefault();
        reveal();
      } else if (!reveal && choices[Number(event.key) - 1]) {
        event.preventDefault();
        choices[Number(event.key) - 1].click();
      }
    };
    showStatus();
  };
  // `document$` is Material's: it emits after every page that was loaded in place.
  if (typeof document$ === "undefined") prepare();
  else document$.subscribe(prepare);
})();
