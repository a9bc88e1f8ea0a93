/* Compares the drawing of a page with the one after an edit. */

const SOME = 6;  // changes of a hidden part that are listed
const FEWEST = 3;  // numbers of an axis
const LATER = 1;  // units of a drawing by which a number may be beside its place

/* Pairs the texts of two drawings that are the same, in order; returns for each text of the second one that of the
first which it replaces, "" if it is new, or undefined if it is the same. */
const replaced = (before, after) => {
  if (before.length === after.length) return after.map((text, at) => (text === before[at] ? undefined : before[at]));
  // The longest row of texts that both have, from each pair of places to the end.
  const longest = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      longest[i][j] = before[i] === after[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  let i = 0;
  return after.map((text, j) => {
    while (i < before.length && before[i] !== text && longest[i + 1][j] > longest[i][j + 1]) i += 1;
    if (before[i] !== text) return "";
    i += 1;
    return undefined;
  });
};

/* The axes of a drawing: rows and columns of faint numbers whose places follow their values, with the place of two
of these and the first and last number. */
const axesOf = (svg) => {
  const lines = new Map();
  for (const text of svg.querySelectorAll("text.vk-muted")) {
    const words = text.textContent.trim();
    const value = Number(words.replaceAll(",", "").replace("−", "-"));
    if (!words || !Number.isFinite(value) || text.closest("[display=none]")) continue;
    const [x, y] = ["x", "y"].map((name) => Number(text.getAttribute(name)));
    for (const [line, place] of [[`horizontal ${y}`, x], [`vertical ${x}`, y]]) {
      lines.set(line, [...lines.get(line) ?? [], { place, value, words }]);
    }
  }
  return new Map([...lines].flatMap(([line, numbers]) => {
    const [first, last] = [numbers[0], numbers.at(-1)];
    const slope = (last.place - first.place) / (last.value - first.value);
    const placeOf = (value) => first.place + slope * (value - first.value);
    const isAxis = numbers.length >= FEWEST && Number.isFinite(slope) && slope
      && numbers.every(({ place, value }) => Math.abs(place - placeOf(value)) <= LATER);
    return isAxis ? [[line, { placeOf, range: `${first.words} to ${last.words}`, ends: [first, last] }]] : [];
  }));
};
/* Says which axes have another scale than in the drawing of the page; empty if none has. */
const otherScales = (old, svg) => {
  const before = axesOf(old);
  const told = [...axesOf(svg)].flatMap(([line, { ends, range }]) => {
    const was = before.get(line);
    const isSame = was && ends.every(({ place, value }) => Math.abs(was.placeOf(value) - place) <= LATER);
    return was && !isSame ? [`Its ${line.split(" ")[0]} axis has another scale: ${range}, and ${was.range} on the page.`] : [];
  });
  return [...new Set(told)].join(" ");
};

/* Marks the texts of a drawing that differ from those of the page, and returns in words what its marks do not show:
other scales, and changes of hidden parts, as those inside of a part to zoom into are. */
const compareDrawings = (old, svg) => {
  if (!old) return "";
  const [before, after] = [old, svg].map((one) => [...one.querySelectorAll("text")]);
  const inside = new Map();
  replaced(before.map((text) => text.textContent), after.map((text) => text.textContent)).forEach((was, at) => {
    const text = after[at];
    text.classList.toggle("vk-changed", was !== undefined);
    const part = was && text.closest("[display=none][data-part]")?.dataset.part;
    if (part) inside.set(part, [...inside.get(part) ?? [], `${was} → ${text.textContent}`]);
  });
  const hidden = [...inside].map(([part, told]) => [part, [...new Set(told)]])
    .map(([part, all]) => `${part.charAt(0).toUpperCase()}${part.slice(1)}: ${all.slice(0, SOME).join(", ")}`
      + `${all.length > SOME ? ` and ${all.length - SOME} more` : ""}.`);
  return [otherScales(old, svg), ...hidden].filter(Boolean).join(" ");
};

/* Parses a drawing of which the page already has one; its ids are removed, since they must be unique. */
const drawing = (text) => {
  const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  const label = svg.querySelector("desc")?.textContent ?? "";
  svg.querySelector("metadata")?.remove();  // its script would make it another thing to touch
  svg.querySelectorAll("[id]").forEach((part) => part.removeAttribute("id"));
  ["aria-labelledby", "aria-describedby"].forEach((name) => svg.removeAttribute(name));
  svg.setAttribute("aria-label", `With your edit: ${label}`);
  return document.importNode(svg, true);
};
