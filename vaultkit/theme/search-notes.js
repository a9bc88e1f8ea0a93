/* Searches notes: their names, keywords, summaries and text, and what other notes say where they link to them.
Words are compared by stems, symbols in any notation: \sqrt{d_k}, √d_k and np.sqrt(d_k) are the same. The worker
`search.js` loads this script. */
"use strict";

/* English words, which the index brings: stems of words that are not searched for; stems of words of a question
that are not what it is about, unless it has no others; and how notes write what readers write in another way. */
const [STOP, ASKING] = [new Set(), new Set()];
let same = {};
const WHY = /\b(?:why|because)\b/i;
const GREEK = Object.fromEntries([..."αβγδεζηθικλμνξοπρστυφχψω"].map((letter, at) => [letter,
  ("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau " +
  "upsilon phi chi psi omega").split(" ")[at]]));
const LAYOUT = /\\(?:operatorname|text|mathrm|mathbf|mathbb|mathcal|left|right|frac|quad|,|;|!)\*?/g;
const TRANSPOSED = /\s*(?:\^\s*\{?\s*(?:\\top|⊤|T\b)\s*\}?|ᵀ|⊤|\.m?T\b|\.transpose\b)/g;

/* Replace symbols by words, in whichever notation they were typed. */
const plain = (text) => text
  .replace(TRANSPOSED, " transpose ")
  .replace(/\\top\b/g, " transpose ")
  .replace(/\\sqrt|√|\b(?:np|math|torch)\.sqrt/g, " sqrt ")
  .replace(/\b(?:square )?roots?\b/gi, " sqrt ")
  .replace(/\bmultiple\b/gi, "multi")
  .replace(/\\infty|∞/g, " infinity ")
  .replace(LAYOUT, " ")
  .replace(/[\\{}]/g, "")
  .replace(/([α-ω])((?:_\w+|[ᵢⱼ₀-₉]+)?)/g, (_, letter, index) => ` ${GREEK[letter] ?? letter}${index} `)
  .replace(/\b(\p{L})\s*[@·⋅*]\s*(?=\p{L}\b)/gu, "$1")  // Q @ K is QK.
  .normalize("NFKC");

/* Inflected forms of a word have the same stem, which need not be a word. */
const stem = (word) => {
  if (word.length < 4 || /[^a-z]/.test(word)) return word;
  let root = word.replace(/(ic)al(ly)?$/, "$1").replace(/([a-z]{4})(able|ability)$/, "$1").replace(/([a-z]{3})our/, "$1or").replace(/is(e[ds]?|ing|ations?)$/, "iz$1").replace(/ies$/, "y").replace(/(ss|us|is)$|s$/, "$1");
  root = root.replace(/([a-z]{3})(?:ations?|ation|ing|ed)$/, "$1").replace(/([a-z]{3})e$/, "$1");
  return root.replace(/([bdfglmnprt])\1$/, "$1");
};

/* Words without those that pass, unless there are no others. */
const without = (stop, words) => {
  const left = words.filter((word) => !stop.has(word));
  return left.length ? left : words;
};
/* What a question or a name is about: *what is softmax* and *softmax explained* are about softmax. */
const bare = (words) => without(ASKING, without(STOP, words)).join(" ");

/* The words of a text in small letters, in their order; names are divided at underscores. */
const TOKEN = /[\p{L}\p{N}_]+/gu;
const PRODUCT = /^(?:[A-Z](?:_[A-Za-z]+)?){2}$/;  // QK, XW_Q
const symbols = new Set();  // Names such as W_O and d_model, without underscores.
const wordsOf = (text, { products = true, known = () => false } = {}) => {
  const found = [];
  for (const [word] of plain(text).matchAll(TOKEN)) {
    const parts = products && PRODUCT.test(word) ? word.match(/[A-Z](?:_[A-Za-z]+)?/g)
      : word.split("_").filter((part) => part.length > 2);
    const all = (parts.length > 1 ? [word, ...parts] : [word])
      .map((part) => part.replaceAll("_", "").toLowerCase()).filter(Boolean);
    if (/^\p{L}_\p{L}/u.test(word)) symbols.add(all[0]);
    // A short name such as num_heads is looked for as a whole, where it is known.
    const whole = word.includes("_") && parts.length < 3 && !PRODUCT.test(word) && known(all[0]);
    found.push(...(whole ? all.slice(0, 1) : all));
  }
  return found;
};

const written = new Map();  // All words so far, with their stems.
const stemOf = (word) => {
  if (!written.has(word)) written.set(word, stem(word));
  return written.get(word);
};
const tokens = (text, options) => wordsOf(text, options).map(stemOf);

const counted = (list) => {
  const counts = new Map();
  for (const item of list) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
};

const sumOf = (numbers) => [...numbers].reduce((sum, number) => sum + number, 0);

/* ---- The index ------------------------------------------------------------------------------ */

const prepare = ({ words, notes }) => {
  for (const word of words.stop) STOP.add(stem(word));
  for (const word of words.asking) ASKING.add(stem(word));
  same = words.same;
  const inNotes = new Map();  // Number of notes with a stem.
  // Log-Sum-Exp is also written logsumexp.
  const joined = (name) => (/\p{L}-\p{L}/u.test(name) ? [name, name.replaceAll("-", "")] : [name]);
  const inHeads = new Map();  // The same in names, summaries and tags.
  const inKeywords = new Map();  // The same in these and in keywords.
  const read = notes.map(([url, title, aliases, tags, summary, linked, formulas, sections, said, keywords, shown]) => {
    const note = {
      url, title, shown, tags, summary, linked,
      names: [title, ...aliases].flatMap(joined).map((name) => tokens(name, { products: false })),  // KV Cache is no K V
      about: new Set(tokens(summary, { products: false })),
      reasons: WHY.test(`${title} ${aliases.join(" ")} ${summary}`),
      tagged: new Set(tags.flatMap((tag) => tokens(tag))),
      said: counted(tokens(said)),
      keywords: keywords.map((phrase) => [...new Set(without(STOP, tokens(phrase, { known: () => true })))])
        .filter((phrase) => phrase.length),
      stated: formulas.map((formula) => tokens(formula)),
      sections: sections.map(([anchor, heading, text]) => {
        const words = tokens(text);
        return { anchor, heading, text, headed: new Set(tokens(heading)), head: tokens(heading), words, counts: counted(words) };
      }),
    };
    const heads = new Set([...note.names.flat(), ...note.about, ...note.tagged]);
    note.saidLength = sumOf(note.said.values());
    note.counts = counted(note.sections.flatMap((section) => section.words));
    note.length = note.sections.reduce((sum, section) => sum + section.words.length, 0);
    for (const term of heads) inHeads.set(term, (inHeads.get(term) ?? 0) + 1);
    const asked = new Set(note.keywords.flat());
    for (const term of new Set([...heads, ...asked])) inKeywords.set(term, (inKeywords.get(term) ?? 0) + 1);
    for (const term of new Set([...heads, ...asked, ...note.counts.keys(), ...note.said.keys(),
      ...note.sections.flatMap((section) => [...section.headed])]))
      inNotes.set(term, (inNotes.get(term) ?? 0) + 1);
    return note;
  });
  const length = sumOf(read.map((note) => note.length));
  const parts = sumOf(read.map((note) => note.sections.length));
  const linked = Math.log1p(Math.max(1, ...read.map((note) => note.linked)));
  for (const note of read) note.known = Math.log1p(note.linked) / linked;
  const names = notes.flatMap(([, title, aliases]) => [title, ...aliases]).map((name) => wordsOf(name, { products: false }));
  return { notes: read, inNotes, inHeads, inKeywords,
    vocabulary: [...written].filter(([word, its]) => inNotes.has(its) && /^[a-z]/.test(word)),
    names: new Map(names.filter((name) => name.length > 1).map((name) => [name.join(""), name])),
    mean: length / Math.max(1, parts), noteMean: length / Math.max(1, read.length),
    saidMean: sumOf(read.map((note) => note.saidLength)) / Math.max(1, read.length) };
};

/* Whether at most some letters are wrong, missing, too many, or exchanged with the next one. */
const near = (one, other, most) => {
  if (Math.abs(one.length - other.length) > most) return false;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const [a, b] = [one.slice(at), other.slice(at)];
  if (!a && !b) return true;
  return most > 0 && (near(a.slice(1), b.slice(1), most - 1) || near(a.slice(1), b, most - 1) || near(a, b.slice(1), most - 1) ||
    (a[0] === b[1] && a[1] === b[0] && near(a.slice(2), b.slice(2), most - 1)));
};

/* The stems of the words that a misspelt word may be, or may become when it is typed to its end. */
const corrected = (word, { vocabulary, inKeywords }, most = word.length < 8 ? 1 : 2) => {
  const likely = (test) => vocabulary.filter(([other, its]) => other.length > 3 && test(other, its)).map(([, its]) => its);
  const isKeyword = (its) => inKeywords.has(its);
  if (word.length < 4) return [];
  const starts = (other) => other[0] === word[0] || (word.length > 5 && (other[0] === word[1] || other[1] === word[0] || other[1] === word[1]));
  const close = likely((other) => starts(other) && (near(word, other, 1) || near(stem(word), stem(other), 1)));
  if (close.length || most < 2) return close.some(isKeyword) ? close.filter(isKeyword) : close;
  return likely((other, its) => isKeyword(its) && starts(other) && near(word, other, 2));
};

/* A word as two or more words of names and keywords; nothing if it is none. */
const divided = (word, index) => {
  const isPart = (part) => part.length > 1 && !STOP.has(stem(part)) && index.inKeywords.has(stem(part));
  for (let at = word.length - 2; at > 1; at -= 1) {
    const [first, rest] = [word.slice(0, at), word.slice(at)];
    if (!isPart(first)) continue;
    const more = isPart(rest) ? [rest] : divided(rest, index);
    if (more.length) return [first, ...more];
  }
  return [];
};

/* The words of a question as notes write them: causal_mask, CausalMask and causalmask may be two words, *d model*
and *cross entropy* one. */
const respelt = (question, index) => {
  const isKnown = (word) => index.inNotes.has(stem(word)) || STOP.has(stem(word));
  const text = (/\p{Lu}{3}/u.test(question) && !/\p{Ll}/u.test(question) ? question.toLowerCase() : question)
    .replace(/(\p{L})['’](?=\p{L})/gu, "$1")
    .replace(/\p{L}{2,}(?:_\p{L}+)+|\p{L}*\p{Ll}\p{Lu}\p{L}+/gu, (name) => {
      const word = name.replaceAll("_", "").toLowerCase();
      return isKnown(word) && !index.names.has(word) ? name : name.replaceAll("_", " ").replace(/(\p{Ll})(?=\p{Lu})/gu, "$1 ");
    })
    .replace(/(?<![\p{L}_])\p{L}+(?![\p{L}_])/gu, (word) => (Object.hasOwn(same, word.toLowerCase()) ? same[word.toLowerCase()] : word));
  const words = wordsOf(text, { known: isKnown });
  const found = [];
  for (let at = 0; at < words.length; at += 1) {
    const [word, next = ""] = [words[at], words[at + 1]];
    const isSymbol = word.length === 1 && symbols.has(word + next) && index.inNotes.get(word + next) > 0.05 * index.notes.length;
    if (!at && word === "y" && STOP.has(stem(next))) found.push("why");
    else if (next && isKnown(word + next) && (isSymbol || (word.length > 1 && !(isKnown(word) && isKnown(next))))) {
      found.push(word + next);
      at += 1;
    } else if (index.names.has(word) && !index.inHeads.has(stem(word))) found.push(...index.names.get(word));
    else if (isKnown(word) || corrected(word, index, 1).length) found.push(word);
    else {
      const parts = divided(word, index);
      found.push(...(parts.length ? parts : [word]));
    }
  }
  return found;
};

/* The indexed stems that a word of the query matches: its own, those of its completions, its corrections. */
const meant = (word, index) => {
  const term = stem(word);
  const meanings = new Map();
  if (index.inNotes.has(term)) meanings.set(term, 1);
  // A symbol of two letters must be complete: W_O is not the beginning of `word`.
  if (term.length > 2 || (term.length > 1 && !meanings.size))
    for (const [other, its] of index.vocabulary)
      if (its !== term && (its.startsWith(term) || other.startsWith(word))) meanings.set(its, 0.6 * Math.min(1, term.length / its.length));
  if (!meanings.size) for (const its of corrected(word, index)) meanings.set(its, 1);
  // Completions and corrections count as much as exact matches.
  const most = Math.max(...meanings.values());
  return new Map([...meanings].map(([other, value]) => [other, value / most]));
};

/* ---- Ranking ----------------------------------------------------------------------------------- */

const WEIGHTS = { name: 12, keyword: 8, about: 4, tagged: 2, stated: 6, said: 2, headed: 4, text: 1 };
/* Words that are in no name, summary or tag (*forget*, *big*) are seldom what a question is about. */
const BESIDE = 0.3;
/* What all words of a question side by side count in a section, shared among the notes that have them so. */
const PHRASE = 30;

const best = (meanings, score) => {
  let most = 0;
  for (const [term, weight] of meanings) most = Math.max(most, weight * score(term));
  return most;
};

/* The share of a name that the query contains, at best: all of `Softmax`, half of `Softmax Saturation`. */
const naming = (note, terms) => Math.max(...note.names.map((name) => {
  const content = name.filter((word) => !STOP.has(word));
  if (!content.length) return 0;
  const said = content.map((word) => Math.max(0, ...terms.map(({ meanings }) => meanings.get(word) ?? 0)));
  return said.reduce((sum, value) => sum + value, 0) / content.length;
}));

/* The rarer a word, the more it says; `counts` has the number of notes with it. */
const rarityOf = (word, counts, total) => {
  const held = counts.get(word) ?? 1;
  return Math.log(1.1 + (total - held + 0.5) / (held + 0.5));
};

/* How well a question and a keyword phrase agree: the weight of the words that they share, times their share
of the question, times their share of the phrase; twice as well if the phrase has all words of the question.
One common word of a long phrase hardly counts. */
const keyed = (note, typed, weigh) => {
  const whole = sumOf(typed.map(({ weight }) => weight));
  return Math.max(0, ...note.keywords.map((phrase) => {
    const words = new Set(phrase);
    const asked = sumOf(typed.map(({ meanings, weight }) => weight * best(meanings, (term) => +words.has(term))));
    const held = sumOf(phrase.map((word) => weigh(word) * Math.max(0, ...typed.map(({ meanings }) => meanings.get(word) ?? 0))));
    const share = asked / whole;
    return asked * (share > 0.999 ? 2 : share ** 2) * (0.3 + 0.7 * held / sumOf(phrase.map(weigh)));
  }));
};

const follows = (words, sequence) => {
  const [first] = sequence;
  for (let at = words.indexOf(first); at >= 0; at = words.indexOf(first, at + 1))
    if (sequence.every((word, offset) => words[at + offset] === word)) return true;
  return false;
};

/* More occurrences score higher, with diminishing returns (BM25). */
const frequent = (count = 0, length = 1) => 2.2 * count / (count + 1.2 * length);

const rank = (question, index) => {
  const words = respelt(question, index);
  const asked = words.map(stem);
  const content = asked.filter((word) => !STOP.has(word));
  const distinct = [...new Set(without(STOP, asked))];
  if (!distinct.length) return [];
  const total = index.notes.length;
  const weigh = (word) => rarityOf(word, index.inKeywords, total) *
    (ASKING.has(word) || !index.inKeywords.has(word) ? BESIDE : 1);
  const typed = distinct.map((term) => {
    const meanings = meant(words[asked.indexOf(term)], index);
    const [likeliest = term] = [...meanings].find(([, value]) => value === 1) ?? [];
    const rarity = (counts) => rarityOf(likeliest, counts, total);
    const rare = rarity(index.inNotes) * (index.inHeads.has(likeliest) ? 1 : BESIDE);
    return { term, word: words[asked.indexOf(term)], meanings, rare, telling: rarity(index.inHeads), weight: weigh(likeliest) };
  });
  const subject = without(ASKING, distinct);
  const terms = typed.filter(({ term }) => subject.includes(term));
  const why = asked.includes("why") || asked.includes("reason");
  const weight = terms.reduce((sum, { rare }) => sum + rare, 0);
  // Words that few notes have side by side say more there than each of them does.
  const isPhrase = ({ words }) => content.length > 1 && (follows(words, content) || follows(words, asked));
  const phrases = new Set(index.notes.flatMap(({ sections }) => sections.filter(isPhrase)));
  const holding = index.notes.filter(({ sections }) => sections.some((section) => phrases.has(section))).length;
  const phrase = 0.8 * weight + (subject.length > 1 ? PHRASE / (1 + holding) : 0);
  const found = [];
  for (const note of index.notes) {
    const names = new Set(note.names.flat());
    const share = terms.reduce((sum, { meanings, rare }) => sum + rare * best(meanings, (term) => +names.has(term)), 0);
    const named = naming(note, terms) * (0.3 + 0.7 * share / (weight || 1));
    const exact = note.names.some((name) => name.join(" ") === asked.join(" ") || bare(name) === bare(asked));
    const length = 0.4 + 0.6 * note.length / index.noteMean;
    const saidLength = 0.4 + 0.6 * note.saidLength / (index.saidMean || 1);
    const whole = terms.map(({ meanings, rare, telling }) => Math.max(
      telling * WEIGHTS.name * named * best(meanings, (term) => +names.has(term)),
      Math.sqrt(telling * rare) * WEIGHTS.about * best(meanings, (term) => +note.about.has(term)),
      telling * WEIGHTS.tagged * best(meanings, (term) => +note.tagged.has(term))) +
      rare * best(meanings, (term) => frequent(note.counts.get(term), length)) +
      rare * WEIGHTS.said * best(meanings, (term) => frequent(note.said.get(term), saidLength)));
    // A formula is better evidence for a note, the more of it was typed.
    const stated = Math.max(0, ...note.stated.map((formula, at) => {
      const held = new Set(formula);
      const said = terms.filter(({ meanings }) => [...meanings.keys()].some((term) => held.has(term)));
      const whole = asked.length > 2 && follows(formula, asked) ? 2 : 1;
      return whole * said.length ** 3 / (terms.length * held.size) / (1 + 0.5 * at);
    }));
    const parts = note.sections.map((section) => {
      const length = 0.4 + 0.6 * section.words.length / index.mean;
      const scores = terms.map(({ meanings, rare }) => rare * (
        WEIGHTS.headed * best(meanings, (term) => +section.headed.has(term)) +
        WEIGHTS.text * best(meanings, (term) => frequent(section.counts.get(term), length))));
      const covered = terms.reduce((sum, { rare }, at) => sum + (scores[at] ? rare : 0), 0) / (weight || 1);
      const sum = scores.reduce((all, score) => all + score, 0);
      const called = asked.length > 1 && follows(section.head, asked);
      return { section, scores, score: sum * (0.3 + 0.7 * covered ** 2) + (phrases.has(section) ? phrase : 0) + (called ? 5 * weight : 0) };
    }).sort((a, b) => b.score - a.score);
    const keyword = keyed(note, typed, weigh);
    const phrased = new Set(note.keywords.flat());
    const hit = terms.map(({ meanings }, at) => whole[at] > 0 || best(meanings, (term) => +phrased.has(term)) ||
      parts.some(({ scores }) => scores[at] > 0));
    const covered = terms.reduce((sum, { rare }, at) => sum + (hit[at] ? rare : 0), 0) / (weight || 1);
    if (!hit.some(Boolean)) continue;
    const own = whole.reduce((sum, score) => sum + score, 0) + WEIGHTS.stated * stated + WEIGHTS.keyword * keyword + (exact ? 40 * weight : 0);
    const score = (own + (parts[0]?.score ?? 0) + 0.3 * (parts[1]?.score ?? 0)) * (0.1 + 0.9 * covered ** 2)
      * (0.75 + 0.25 * note.known) * (why && note.reasons && named ? 2.2 : 1);
    found.push({ note, score, own, parts: parts.filter((part) => part.score > 0), hit, terms });
  }
  const most = Math.max(...found.map(({ score }) => score));
  // One very good match does not hide all others.
  return found.sort((a, b) => b.score - a.score || a.note.title.localeCompare(b.note.title))
    .filter(({ score }, at) => at < 3 || score > 0.05 * most);
};

/* ---- Results ------------------------------------------------------------------------------------ */

const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/* The stems of a word, cached, since pages repeat their words. */
const stems = new Map();
const stemsOf = (word) => {
  if (!stems.has(word)) stems.set(word, tokens(word));
  return stems.get(word);
};

/* A symbol with an index, as titles have it. */
const typeset = (word) => word.replace(/^(√?)(\p{L})_([\p{L}\p{N}]+?)(ᵀ?)$/u, '$1<i class="vk-symbol">$2<sub>$3</sub></i>$4');

/* Mark the matching words; symbols count as words here. */
const marked = (text, terms, show = typeset) => escaped(text).replace(/(?:&#\d+;)|[\p{L}\p{N}_√ᵀ]+/gu, (word) => {
  if (word.startsWith("&#")) return word;
  const isFound = stemsOf(word).some((part) => terms.some(({ meanings }) => meanings.has(part)));
  return isFound ? `<mark>${show(word)}</mark>` : show(word);
});

const ROOM = 180;
const RULE = /^[-=_*\s]{3,}|^\| | \|$/g;  // of dashes, or between two cells of a table
const LINES = 3;
/* A block of code in the text of a section; its lines, and the spaces before them, are kept. */
const CODE = /\uE000([^\uE001]*)\uE001/g;
const linesOf = (code) => code.replaceAll("\uE003", " ").split("\uE002");

/* The excerpt of a section with most of the query's words: of its text, or of a block of code that has
more of them. */
const excerpt = (text, terms) => {
  const [value, shown] = excerptOf(text.replace(CODE, " ").replace(/\s+/g, " "), terms);
  let [most, best] = [value, `<p>${shown}</p>`];
  for (const [, code] of text.matchAll(CODE)) {
    const lines = linesOf(code);
    lines.forEach((line, at) => {
      if (!/[\p{L}\p{N}]/u.test(line)) return;  // An excerpt does not begin with an empty line or a rule.
      const some = lines.slice(at, at + LINES).join("\n");
      const said = terms.reduce((sum, { rare, meanings }) =>
        sum + rare * Math.max(0, ...stemsIn(some).map((part) => meanings.get(part) ?? 0)), 0);
      if (said > most) [most, best] = [said, `<pre><code>${marked(some, terms, (word) => word)}</code></pre>`];
    });
  }
  return best;
};
const stemsIn = (text) => [...text.matchAll(/\S+/g)].flatMap(([word]) => stemsOf(word));

/* The excerpt of a text, from word boundary to word boundary, and how much of the query it has. */
const excerptOf = (text, terms) => {
  const pieces = [...text.matchAll(/\S+\s*/g)].map(({ 0: word, index }) => {
    const parts = stemsOf(word.trimEnd());
    return { at: index, end: index + word.length,
      said: terms.map(({ meanings }) => Math.max(0, ...parts.map((part) => meanings.get(part) ?? 0))) };
  });
  let first = 0;
  let most = 0;
  pieces.forEach((piece, start) => {
    if (!piece.said.some(Boolean)) return;
    const nearby = terms.map(() => 0);
    for (let at = start; at < pieces.length && pieces[at].end <= piece.at + ROOM; at += 1)
      pieces[at].said.forEach((said, term) => { nearby[term] = Math.max(nearby[term], said); });
    const value = terms.reduce((sum, { rare }, at) => sum + rare * nearby[at], 0);
    if (value > most) [first, most] = [start, value];
  });
  const from = Math.max(0, first - 5);
  const begin = pieces[from]?.at ?? 0;
  const until = pieces.findLast(({ end }) => end <= begin + ROOM)?.end ?? text.length;
  return [most, `${begin ? "… " : ""}${marked(text.slice(begin, until).trim().replace(RULE, ""), terms)}${until < text.length ? " …" : ""}`];
};

const SECTIONS = 3;
const NOTES = 10;  // As many as Material shows at once, so that it counts what it shows.
const items = (question, index) => rank(question, index).slice(0, NOTES).map(({ note, score, own, parts, hit, terms }) => {
  // The words to mark on the page itself, without symbols, which would occur in every other word.
  const words = plain(question).toLowerCase().match(/\p{L}{3,}/gu) ?? [];
  const shown = Object.fromEntries(words.filter((word) => !STOP.has(word)).map((word) => [word, true]));
  const missing = Object.fromEntries(terms.filter((_, at) => !hit[at]).map(({ word }) => [word, false]));
  const article = { location: note.url, title: note.shown ?? marked(note.title, terms), text: `<p>${marked(note.summary, terms)}</p>`,
    terms: { ...shown, ...missing } };
  const inside = parts.filter(({ section }) => section.anchor).slice(0, SECTIONS).map(({ section }) => ({
    location: `${note.url}#${section.anchor}`, title: marked(section.heading, terms),
    text: excerpt(section.text, terms), terms: shown }));
  // Material sorts by score; the note itself comes first if its name was searched.
  const [top] = parts;
  const isMarked = `${article.title}${article.text}`.includes("<mark>");
  const about = !inside.length || (isMarked && (!top.section.anchor || own > top.score));
  if (about) return [{ ...article, score }, ...inside.map((part) => ({ ...part, score: score / 2 }))];
  return [{ ...inside[0], score }, { ...article, score: score / 2 },
    ...inside.slice(1).map((part) => ({ ...part, score: score / 2 }))];
});
