/* Gives the words of edited code the colours that they have in the code of the page. */

const TOKENS = /(?<c1>#.*)|(?<s2>(?:[rbfu]{0,2})(?:"""[^]*?(?:"""|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))|(?<mf>\b\d[\w.]*)|(?<n>[a-z_]\w*)|(?<o>[-+*/%@=<>!&|^~]+)|(?<p>[()[\]{}:;,.]+)/gi;
const KEYWORDS = /^(?:and|as|assert|break|class|continue|def|del|elif|else|except|finally|for|from|if|import|in|is|lambda|not|or|pass|raise|return|try|while|with|yield|None|True|False)$/;

// The classes of the names that a page has in its code.
const named = new WeakMap();
const classOf = (article, name) => {
  if (!named.has(article)) {
    named.set(article, new Map([...article.querySelectorAll(".highlight pre > code > span")]
      .map((span) => [span.textContent, span.className])));
  }
  return named.get(article).get(name) ?? "n";
};

/* The words of code that have a colour: where they begin and end, and their classes. */
const wordsOfCode = (article, text) => [...text.matchAll(TOKENS)].map((found) => {
  const [word] = found;
  const [kind] = Object.entries(found.groups).find(([, words]) => words !== undefined);
  const name = kind !== "n" ? kind : KEYWORDS.test(word) ? "k" : classOf(article, word);
  return [found.index, found.index + word.length, name];
});

/* --- While it is edited ------------------------------------------------------------------------ */

// Highlights leave the nodes as they are, so that a browser can undo what was typed. By class, their names.
const shades = new Map();
const painted = new WeakMap();
let sheet = null;

/* Reads the colour of each class from the style sheets of the site. */
const restyle = (article) => {
  const spans = [...shades.keys()].map((kind) => element("span", { class: kind }));
  const probe = element("div", { class: "highlight" }, element("pre", {}, element("code", {}, ...spans)));
  article.append(probe);
  const rules = [...shades.values()].map((name, at) => `::highlight(${name}){color:${getComputedStyle(spans[at]).color}}`);
  probe.remove();
  sheet.replaceSync(rules.join(""));
};
const shadesOf = (article, kinds) => {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    document.adoptedStyleSheets.push(sheet);
    new MutationObserver(() => restyle(document.querySelector("article")))
      .observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
  }
  const left = new Set(kinds.filter((kind) => !shades.has(kind)));
  for (const kind of left) {
    shades.set(kind, `vk-code-${shades.size}`);
    CSS.highlights.set(shades.get(kind), new Highlight());
  }
  if (left.size) restyle(article);
};

const paint = (article, code, words) => {
  for (const [kind, range] of painted.get(code) ?? []) CSS.highlights.get(shades.get(kind)).delete(range);
  const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
  const nodes = [];
  for (let node = walker.nextNode(), at = 0; node; at += node.length, node = walker.nextNode()) nodes.push([at, node]);
  const place = (at) => {
    const [begin, node] = nodes.findLast(([start]) => start <= at);
    return [node, at - begin];
  };
  shadesOf(article, words.map(([, , kind]) => kind));
  painted.set(code, words.map(([begin, end, kind]) => {
    const [[startContainer, startOffset], [endContainer, last]] = [place(begin), place(end - 1)];
    const range = new StaticRange({ startContainer, startOffset, endContainer, endOffset: last + 1 });
    CSS.highlights.get(shades.get(kind)).add(range);
    return [kind, range];
  }));
  code.dataset.painted = "";
};

/* --- And later ----------------------------------------------------------------------------------- */

const colour = (article, code) => {
  const text = code.textContent;
  const words = wordsOfCode(article, text);
  if (code.matches("[contenteditable]")) {
    if (globalThis.Highlight) paint(article, code, words);
    return;
  }
  const made = [];
  let end = 0;
  for (const [begin, next, kind] of words) {
    made.push(text.slice(end, begin), element("span", { class: kind }, text.slice(begin, next)));
    end = next;
  }
  code.replaceChildren(...made, text.slice(end));
};
