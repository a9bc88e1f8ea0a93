/* What the checks of a page have found: compared with the build, counted, and put into words. Nothing here
reads or changes the page. */

const KINDS = ["block", "equation", "shape", "number", "sentence", "prediction", "link", "mirror"];

const count = (number, one) =>
  `${number.toLocaleString("en")} ${number === 1 ? one : `${one}s`}`;
const time = (seconds) =>
  seconds < 1 ? `${Math.max(1, Math.round(seconds * 1000))} ms` : `${seconds.toFixed(1)} s`;
const list = (counts) => KINDS.filter((kind) => counts[kind])
  .map((kind) => count(counts[kind], kind === "mirror" ? "copy of a file" : kind)
    .replace("copy of a files", "copies of files")).join(", ");

let published;
/* The build's results of a note; null if it had not checked it, undefined if that is unknown. */
const ledger = async (name) => {
  published ??= fetch(address(VAULTKIT_ENGINE.ledger)).then((answer) => answer.json());
  try {
    return (await published)[name];
  } catch {
    published = undefined;
    return undefined;
  }
};

/* Counts the outcomes that differ from the build's. Typesetting is not checked here. */
const differences = (found, built) => {
  const left = new Map();
  const key = ({ kind, what, outcome }) => `${kind}\n${what}\n${outcome}`;
  const judged = (check) => KINDS.includes(check.kind);
  for (const check of built.filter(judged)) left.set(key(check), (left.get(key(check)) ?? 0) + 1);
  let other = 0;
  for (const check of found.filter(judged)) {
    const remaining = left.get(key(check)) ?? 0;
    if (remaining) left.set(key(check), remaining - 1);
    else other += 1;
  }
  const missing = [...left.values()].reduce((sum, number) => sum + number, 0);
  return Math.max(other, missing);
};
/* As the foot of the page says it. */
const notJudged = (found) => {
  const all = found.filter((check) => check.outcome === "unjudged");
  const words = all.filter((check) => check.kind === "comparison").length;
  if (!words) return all.length && `${all.length} not judged`;
  if (words === all.length) return `${count(words, "comparison")} not judged`;
  return `${all.length} not judged, ${words === 1 ? "1 of them a comparison" : `${words} of them comparisons`}`;
};
const totals = (found) => {
  const by = (outcome, one, many) => {
    const counts = {};
    for (const { kind, outcome: its } of found) if (its === outcome) counts[kind] = (counts[kind] ?? 0) + 1;
    const all = KINDS.reduce((sum, kind) => sum + (counts[kind] ?? 0), 0);
    return all && `${list(counts)} ${all === 1 ? one : many}`;
  };
  const of = (outcome) => found.filter((check) => check.outcome === outcome).length;
  return [by("holds", "holds", "hold"), by("fails", "fails", "fail"),
    notJudged(found), of("excepted") && count(of("excepted"), "exception")]
    .filter(Boolean).join("; ");
};

/* A reader's edit is an experiment: what it changes is shown beside what it was, without red. Only these fail,
and are red:
- an edited block whose code does not run;
- a law that no longer holds: see `isLaw`.
A sentence never fails: what it says in general, the page checks on an example, and the edit makes another one.
Nor does a formula or shape about the numbers of the page. `edits` are the edited blocks, by their numbers. */
const outcomeOf = (check, edits, built, found) => {
  const { kind, block, outcome, reason } = check;
  const lacks = reason === "lacks";
  if (!Object.keys(edits).length || !(["fails", "unjudged"].includes(outcome) || lacks)) return outcome;
  // What a reader has typed is reported.
  if (kind === "block" && block in edits && !check.fix) return "fails";
  // Where a block did not run, what is below it cannot be judged; code may stand below the text about it.
  const broken = found.some((other) => other.kind === "block" && other.outcome === "fails"
    && (other.line <= check.line || reason === "unbound"));
  const needsRun = !["form", "mirror"].includes(kind);
  if (broken && needsRun && (kind !== "block" || lacks || reason === "unbound")) return "unjudged";
  const before = counterpart(check, built);
  if (lacks || before?.outcome === outcome) return outcome;
  if (kind === "block") return check.fix ? "changed" : "fails";
  if (["unbound", "uncomputable", "sizes"].includes(reason)) return "unjudged";
  return isLaw(check, before) ? "fails" : "changed";
};
const GREEK = ("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho - sigma " +
  "tau upsilon phi chi psi omega").split(" ");
const letterOf = (name) => (GREEK.includes(name) ? String.fromCharCode(945 + GREEK.indexOf(name)) : name);
/* Says why an edit leaves a formula that cannot be computed; empty if it can be. */
const unfit = ({ reason, sizes = [] }) => {
  if (reason === "uncomputable") return "This formula cannot be computed with your edit.";
  if (reason !== "sizes") return "";
  const told = sizes.map(([name, shape]) =>
    `${letterOf(name)} ${shape.length > 1 ? `is ${shape.join(" × ")}` : `has ${count(shape[0], "number")}`}`);
  return `The sizes no longer fit: ${told.join(", ")}.`;
};

/* The build's check of the same statement: an edit may move it by lines, and the same words may occur
in a line more than once. */
const counterpart = ({ kind, what, line, column }, built) => built
  ?.filter((other) => other.kind === kind && other.what === what)
  .map((other) => [Math.abs(other.line - line) + (other.column === column ? 0 : .5), other])
  .sort(([one], [other]) => one - other)[0]?.[1];

/* A law holds for other numbers, too: trials have shown it, or the formula relates names to names. A
trial cannot change what a block imports, so that it shows the second kind for this page only.
An edit does not break it if it makes all numbers of one side 0, or leaves a number undefined (0/0): pages name such
exceptions in words, “unless all numbers are equal”. */
const isLaw = (check, before) => !isDegenerate(check)
  && (before?.scope === "general" ? ["equation", "shape"].includes(check.kind) : Boolean(check.is_law));
const isDegenerate = (check) => {
  const sides = check.kind === "equation" && sidesOf(reasonOf(check));
  return Boolean(sides) && [sides.left, sides.right].some((side) => /\bnan\b/.test(side) || !/[1-9a-z]/i.test(side));
};

const compare = (found, built) => {
  if (built === undefined) return "The build's own list of checks cannot be reached.";
  if (built === null) return "The build of this site had not checked this note.";
  const other = differences(found, built);
  if (!other) return "The build found the same, check by check.";
  return `${other === 1 ? "1 outcome is" : `${other} outcomes are`} different from what the build found.`;
};
/* Says what fails with an edit. */
const broken = (found) => {
  const fails = (...own) => found.filter(({ kind, outcome }) => outcome === "fails" && own.includes(kind)).length;
  const [formulas, shapes, blocks] = [fails("equation"), fails("shape"), fails("block")];
  return [
    formulas && `${count(formulas, "formula")} no longer ${formulas === 1 ? "holds" : "hold"}`,
    shapes && `${count(shapes, "shape")} no longer ${shapes === 1 ? "fits" : "fit"}`,
    blocks && `${count(blocks, "block")} ${blocks === 1 ? "does" : "do"} not run`,
  ].filter(Boolean).join(", ");
};
const differing = (kinds) => {
  const counts = ["output", "number", "figure", "statement"]
    .map((kind) => [kind, kinds.filter((own) => own === kind).length]).filter(([, many]) => many);
  const examples = kinds.filter((own) => own === "example").length;
  return [
    counts.length && `${counts.map(([kind, many]) => count(many, kind)).join(", ")} changed`,
    examples && `${count(examples, "statement")} ${examples === 1 ? "comes" : "come"} out differently`,
  ].filter(Boolean).join(", ");
};
/* Says what an edit has changed: `kinds` are those of the parts of the page that show it.
The second part says what fails. */
const changed = (found, kinds) => {
  const [differs, fails] = [differing(kinds), broken(found)];
  return [`${differs || (fails ? "" : "nothing else changes")}${differs && fails ? ", " : ""}`, fails];
};
/* The same for the foot of a page, in three parts. */
const experiment = (found, kinds, seconds) => {
  const judged = found.filter((check) => KINDS.includes(check.kind));
  const of = (outcome) => judged.filter((check) => check.outcome === outcome).length;
  const left = of("unjudged") ? `, ${count(of("unjudged"), "check")} not judged` : "";
  const [differs, fails] = changed(found, kinds);
  return [`With your edit: ${differs}`, fails,
    `${left}; ${count(of("holds"), "check")} as before, in ${time(seconds)}. Words, and whole numbers without a mark, stay as they were.`];
};

/* Puts every row of an array on its own line; what is not part of an array is a sentence. */
const inRows = (text) => {
  const rows = text.replaceAll(" ]", "]").replace(/(?<=\]|\] \.\.\.) (?=\[|\.\.\. \[)/g, "\n ");
  return rows === text ? text
    : rows.replace(/ (?=\[\[)/g, "\n").replace(/(?<=\]\])[,;] /g, "\n").replace(/^ +(?=\w)/gm, "");
};
const isRow = (line) => /^ *(?:\[|\.\.\.)/.test(line);

/* Reads what is known of a formula whose sides differ: what they are, and where they differ most. */
const DIFFER = /^does not hold:?\s+left ([^]+?), right ([^]+?); the (?:largest )?difference is (.+?)(?: at ([^:\n]+))?(?:: ([^:\n]+?) ([=≈∼≠<>≤≥≪≫]) (.+?) does not hold)?(?:\n[^]*)?$/;
const sidesOf = (text) => {
  const [, left, right, difference, place, one, relation = "=", other] = DIFFER.exec(text) ?? [];
  if (!left) return null;
  const where = [place && `at ${place}`, one && `${one} and ${other}`].filter(Boolean).join(": ");
  const differ = "=≈∼".includes(relation) ? `its two sides differ${difference === "inf" ? "" : ` by up to ${difference}`}${where && ` (${where})`}`
    : `${one} ${relation} ${other} is false${place ? ` at ${place}` : ""}`;
  return { left, right, differ, areNumbers: ![left, right].some(isRow) };
};
const inSides = (text) => {
  const sides = sidesOf(text);
  if (!sides) return text;
  const { left, right, differ, areNumbers } = sides;
  if (areNumbers) return `does not hold: its left side is ${left}, its right side is ${right}.`;
  return `does not hold: ${differ}.\nLeft side:\n${inRows(left)}\nRight side:\n${inRows(right)}`;
};

/* Says in a sentence what the usual errors mean: of sizes in NumPy, of code that cannot be read, of names. */
const UNREAD = "Python cannot read this code";
const ERRORS = [
  [/matmul: .*\(size (\d+) is different from (\d+)\)/, "The inner sizes of @ do not fit: $2 on its left, $1 on its right."],
  [/shapes \(.*\) and \(.*\) not aligned: (\d+) \(dim \d+\) != (\d+)/, "The inner sizes of this product do not fit: $1 on its left, $2 on its right."],
  [/inhomogeneous shape/, "The rows of this array do not have the same length."],
  [/could not be broadcast together with shapes (\(.*?\)) (\(.*?\))/,
    "The sizes $1 and $2 do not fit: compared from the last one, two sizes must be equal, or one of them 1."],
  [/could not broadcast input array from shape (\(.*?\)) into shape (\(.*?\))/, "An array of size $1 does not fit into one of size $2."],
  [/zero-size array to reduction operation (\w+)/, "An array without numbers has no $1."],
  [/index (-?\d+) is out of bounds for axis (\d+) with size (\d+)/, "There is no index $1: axis $2 has $3 entries, counted from 0."],
  [/^SyntaxError: unmatched/, `${UNREAD}: a bracket is closed that was never opened.`],
  [/^SyntaxError: '.' was never closed/, `${UNREAD}: a bracket is opened and never closed.`],
  [/^SyntaxError: closing parenthesis '(.)' does not match opening parenthesis '(.)'/, `${UNREAD}: $1 cannot close the bracket $2.`],
  [/^SyntaxError: unterminated .*string/, `${UNREAD}: a text in quotation marks has no end.`],
  [/^SyntaxError: expected ':'/, `${UNREAD}: a colon is missing.`],
  [/^IndentationError: expected an indented block/, `${UNREAD}: the line after a colon must be indented.`],
  [/^(?:IndentationError|TabError)/, `${UNREAD}: the indent of a line is not that of its block.`],
  [/^SyntaxError/, `${UNREAD}.`],
  [/^NameError: name '(\w+)' is not defined/, "No code above defines $1."],
  [/^KeyError: (.+)/, "The dictionary has no entry $1."],
];
const inWords = (error) => {
  for (const [pattern, told] of ERRORS) {
    const found = pattern.exec(error);
    if (found) return told.replace(/\$(\d)/g, (_, which) => found[which].replace(/,(?=\d)/g, ", "));
  }
  return "";
};

/* Returns why a check fails, in the digits of the page, without the formula itself, which the reader sees. */
const reasonOf = ({ what, why = "", shown = why }) => {
  const quoted = `$${what.trim().split(/\s+/).join(" ")}$`;
  return shown.startsWith(quoted) ? shown.slice(quoted.length).replace(/^[:\s]+/, "") : shown;
};
const plain = (check) => {
  const text = reasonOf(check);
  // The error comes first, then the code; files and lines of the vault and of libraries mean nothing to a
  // reader. An error of syntax has no header.
  const traced = /^(?:Traceback[^\n]*\n+|(?= *File "))([^]*\n)(\S[^\n]*)\s*$/.exec(text);
  const code = traced?.[1].replace(/^ *File "(?:numpy|\/lib|\/home\/pyodide)\/.*\n(?: {4}.*\n)*/gm, "").replace(/^ *File "[^"]*\.(?:md|ipynb)", line \d+.*\n/gm, "")
    .replace(/^ {4}/gm, "");
  const kept = traced ? [inWords(traced[2]), traced[2], code].filter(Boolean).join("\n")
    : inRows(inSides(text)).replaceAll("of this note", "of this page");
  const told = kept.replace(/\n?--update writes the real output/, "").replace(/^stopped at line \d+: /, "stopped: ");
  return told.charAt(0).toUpperCase() + told.slice(1);
};
