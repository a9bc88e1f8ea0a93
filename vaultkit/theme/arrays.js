/* Highlights all occurrences of an array: its letter in formulas, its name in code, and
the output lines that print it, when a reader points at one of them, taps it, or reaches a formula
with the keyboard. The build found the occurrences, and the page contains them. */
(() => {
  "use strict";

  // The background of an array: the hue that the site's style sheet gives it, as `--vk-array-Q: 210` does, or a
  // grey. A colour of its own would be taken for that of another array.
  const PLAIN = "plain";
  const NAMED = "αalpha βbeta γgamma δdelta εepsilon ϵepsilon ηeta θtheta κkappa λlambda μmu νnu ξxi ρrho"
    + " σsigma τtau φphi ϕphi χchi ψpsi ωomega ΔDelta ΣSigma";
  const LETTERS = new Map(NAMED.split(" ").map((pair) => [pair[0], pair.slice(1)]));
  const FORMULA = "math[data-check]";
  const CODE = ".md-content [data-check^='block-'] pre > code";
  const OUTPUT = ".md-content [data-check^='output-'] :is(pre > code, table)";

  let arrays;         // Of this page: {name, hue, formulas, code, printed}; read when first asked for.
  let places;         // By array, its ranges of text; by element of code, its array.
  let lit = [];
  const styled = new Set();

  // Browsers match such rules with every element, so each is added with its first highlight.
  const rule = ({ hue, degrees }) => {
    if (styled.has(hue)) return;
    const [light, dark] = hue === PLAIN ? ["220 12% 84%", "220 12% 30%"] : [`${degrees} 85% 80%`, `${degrees} 60% 28%`];
    styled.add(hue);
    const [name, same] = [`::highlight(vk-array-${hue})`, `.vk-same[data-hue="${hue}"]`];
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`@media screen{
      ${name},${same}{color:#111;background-color:hsl(${light})}
      [data-md-color-scheme="slate"] ${name},[data-md-color-scheme="slate"] ${same}
      {color:#fff;background-color:hsl(${dark})}
      @media (forced-colors:active){
      ${name},[data-md-color-scheme] ${name}{color:HighlightText;background-color:Highlight}
      .vk-same[data-hue]{outline:2px solid Highlight}}}`);
    document.adoptedStyleSheets.push(sheet);
  };

  /* The name in code of a letter in a formula. */
  const spelled = (part) => {
    const [base, index] = part.children;
    if (part.matches("msub, msubsup")) return `${spelled(base)}_${index.textContent.replace(/[\s,]/g, "")}`;
    const text = part.textContent.normalize("NFKC").trim().replace(/\s+/g, "_");
    return LETTERS.get(text) ?? text;
  };
  const isNamed = (part, name) => {
    const text = spelled(part);
    return name === text || name === `${text}_` || (text.length > 1 && name === text.toLowerCase());
  };
  const letters = (formula, { name }) =>
    [...formula.querySelectorAll("msub, msubsup, mi, mtext")].filter((part) => isNamed(part, name)
      && !isPart(part));
  // The letters of W_Q are neither W nor Q.
  const isPart = (letter) => {
    const whole = letter.parentElement.closest("msub, msubsup");
    return whole !== null && (arrays.some(({ name }) => isNamed(whole, name)) || isPart(whole));
  };

  const part = (name) => document.querySelector(`.md-content [data-check="${name}"]`);

  /* The text between two positions in code. */
  const range = (code, from, to) => {
    const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    const found = new Range();
    let begun = false;
    for (let at = 0, node = walker.nextNode(); node; node = walker.nextNode()) {
      const end = at + node.length;
      if (!begun && from < end) {
        found.setStart(node, from - at);
        begun = true;
      }
      if (begun && to <= end) {
        found.setEnd(node, to - at);
        return found;
      }
      at = end;
    }
    return null;
  };
  const begins = (text) => text.split("\n").reduce((all, line) => [...all, all.at(-1) + line.length + 1], [0]);

  const read = () => {
    if (arrays) return;
    const store = document.querySelector("template.vk-evidence");
    const found = store ? JSON.parse(store.content.textContent).arrays ?? [] : [];
    const style = getComputedStyle(document.body);
    arrays = found.map(([name, formulas, code, printed]) => {
      const degrees = style.getPropertyValue(`--vk-array-${name}`).trim();
      return { name, hue: degrees ? name : PLAIN, degrees, formulas, code, printed };
    });
    places = { ranges: new Map(), arrays: new WeakMap() };
    for (const array of arrays) {
      const ranges = [];
      for (const [block, spots] of Object.entries(array.code)) {
        const code = part(`block-${block}`)?.querySelector("pre > code");
        if (!code) continue;
        const lines = begins(code.textContent);
        for (const [line, column] of spots) {
          const from = lines[line] + column;
          const found = range(code, from, from + array.name.length);
          if (found?.toString() !== array.name) continue;
          ranges.push(found);
          const word = found.startContainer.parentElement;
          if (word !== code) places.arrays.set(word, array);
        }
      }
      for (const [block, [first, last]] of Object.entries(array.printed)) {
        const output = part(`output-${block}`);  // its text is what was printed, also in tables
        if (!output) continue;
        const lines = begins(output.textContent);
        const found = range(output, lines[first], lines[last + 1] - 1);
        if (found) ranges.push(found);
      }
      places.ranges.set(array, ranges);
    }
  };

  const clear = () => {
    document.querySelectorAll(".vk-same").forEach((old) => old.classList.remove("vk-same"));
    for (const hue of styled) globalThis.CSS?.highlights?.delete(`vk-array-${hue}`);
    lit = [];
  };
  const show = (some) => {
    if (some.length === lit.length && some.every((array, at) => array === lit[at])) return;
    clear();
    lit = some;
    for (const array of some) {
      rule(array);
      for (const number of array.formulas) {
        const formula = part(`formula-${number}`);
        for (const letter of formula ? letters(formula, array) : []) {
          letter.classList.add("vk-same");
          letter.dataset.hue = array.hue;
        }
      }
      if (!globalThis.Highlight) continue;
      const name = `vk-array-${array.hue}`;
      const highlight = CSS.highlights.get(name) ?? new Highlight();
      for (const each of places.ranges.get(array)) highlight.add(each);
      CSS.highlights.set(name, highlight);
    }
  };

  /* The arrays of a place: one for a letter, all for a formula, the printed ones for an output. */
  const asked = (target) => {
    if (!(target instanceof Element)) return [];
    const whole = target.closest(".vk-math");
    const formula = target.closest(FORMULA) ?? whole?.querySelector(FORMULA);
    const code = formula ? null : target.closest(CODE);
    const output = formula || code ? null : target.closest(OUTPUT);
    if (!formula && !code && !output) return [];
    read();
    if (formula) {
      const number = Number(formula.dataset.check.slice("formula-".length));
      const its = arrays.filter((array) => array.formulas.includes(number));
      const one = its.filter((array) => letters(formula, array).some((letter) => letter.contains(target)));
      return one.length ? one : its;
    }
    if (code) {
      const array = places.arrays.get(target);
      return array ? [array] : [];
    }
    const block = output.closest("[data-check]").dataset.check.slice("output-".length);
    const printed = arrays.filter((array) => array.printed[block]);
    return printed.length === 1 ? printed : [];
  };

  document.addEventListener("pointerover", ({ target, pointerType }) => {
    if (pointerType === "touch") return;
    const some = asked(target);
    if (some.length) show(some);
    // A highlight by the keyboard stays until the focus moves.
    else if (lit.length) show(asked(document.activeElement?.matches(":focus-visible") ? document.activeElement : null));
  });
  document.addEventListener("click", ({ target }) => {
    const some = asked(target);
    if (some.length || lit.length) show(some);
  });
  document.addEventListener("focusin", ({ target }) => {
    if (!target.matches(":focus-visible")) return;
    // Except the box of a formula.
    if (target.closest(".vk-box")) return;
    const some = asked(target);
    if (some.length || lit.length) show(some);
  });
  document.addEventListener("keydown", ({ key }) => { if (key === "Escape" && lit.length) show([]); }, true);

  const forget = () => { arrays = undefined; clear(); };
  // `document$` is Material's: it emits after every page that was loaded in place, but for files.
  if (typeof document$ !== "undefined" && location.protocol !== "file:") document$.subscribe(forget);
})();
