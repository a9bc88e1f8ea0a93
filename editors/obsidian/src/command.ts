/** Finds the command that starts the server. Nothing runs here. */

export interface Settings {
  /** A Python, or a whole command line; empty: it is looked for. */
  command: string;
  /** Lines `NAME=VALUE`, added to the environment of the server. */
  environment: string;
  /** Which notes run: all, or those that are open. */
  check: "all" | "open";
  /** Seconds after the last key before a note is checked. */
  pause: number;
  /** Seconds to wait for an answer of the server. */
  patience: number;
}

export const DEFAULTS: Settings = {
  command: "",
  environment: "",
  check: "all",
  pause: 0.1,
  patience: 60,
};

export interface Machine {
  windows: boolean;
  /** The folders in which programs are looked for. */
  path: string;
  exists: (path: string) => boolean;
}

const SERVER = ["-P", "-m", "vaultkit", "lsp"];
const PYTHON = /(^|[\\/])(python[\d.]*|py)(\.exe)?$/i;

/** Return the words of the command that starts the server of a vault. */
export function commandOf(settings: Settings, vault: string, machine: Machine): string[] {
  const line = settings.command.trim();
  if (line) {
    const given = machine.exists(line) ? [line] : wordsOf(line, machine.windows);
    return given.length === 1 && PYTHON.test(given[0]) ? [...given, ...SERVER] : given;
  }
  const separator = machine.windows ? "\\" : "/";
  const above = vault.slice(0, Math.max(vault.lastIndexOf(separator), 0));
  const python = machine.windows ? ["Scripts", "python.exe"] : ["bin", "python"];
  for (const folder of above ? [vault, above] : [vault]) {
    for (const environment of [".venv", "venv"]) {
      const path = [folder, environment, ...python].join(separator);
      if (machine.exists(path)) {
        return [path, ...SERVER];
      }
    }
  }
  const folders = machine.path.split(machine.windows ? ";" : ":").filter(Boolean);
  const ending = machine.windows ? ".exe" : "";
  if (folders.some((folder) => machine.exists(`${folder}${separator}vaultkit${ending}`))) {
    return ["vaultkit", "lsp"];
  }
  return [machine.windows ? "py" : "python3", ...SERVER];
}

/** Split a command line. Quotes keep blanks; on Windows, a backslash separates folders. */
export function wordsOf(line: string, windows: boolean): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < line.length; at++) {
    const one = line[at];
    if (one === "\\" && !windows && quote !== "'" && at + 1 < line.length) {
      word = (word ?? "") + line[++at];
    } else if (quote ? one === quote : one === '"' || (one === "'" && !windows)) {
      quote = quote ? "" : one;
      word ??= "";
    } else if (/\s/.test(one) && !quote) {
      if (word !== undefined) {
        words.push(word);
      }
      word = undefined;
    } else {
      word = (word ?? "") + one;
    }
  }
  return word === undefined ? words : [...words, word];
}

/** Return words as a line that a reader understands; words with blanks are quoted. */
export function lineOf(words: string[]): string {
  return words.map((word) => (/\s/.test(word) || !word ? `"${word}"` : word)).join(" ");
}

/** Return the variables of lines `NAME=VALUE`. */
export function variablesOf(lines: string): Record<string, string> {
  const pairs = lines.split("\n").map((line) => /^\s*([A-Za-z_]\w*)=(.*?)\s*$/.exec(line));
  return Object.fromEntries(pairs.flatMap((pair) => (pair ? [[pair[1], pair[2]]] : [])));
}
