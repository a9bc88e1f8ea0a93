/** The notes that Obsidian shows, as the server knows them, and what it has found in them. */

import type { ChangeSet, Text } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { showBadges, showProblems } from "./effects";
import { type Badge, type Formula, type Problem, positionOf } from "./protocol";
import type { Server } from "./server";

/** A note that is shown. */
interface Document {
  version: number;
  text: Text;
  /** Its editors; a note in Reading view may have none. */
  views: Set<EditorView>;
  problems: Problem[];
  badges: Badge[];
}

/** Milliseconds within which several requests for badges become one. */
const SOON = 30;

export class Documents {
  readonly #shown = new Map<string, Document>();
  readonly #asked = new Map<string, number>();
  #server: Server | undefined;

  constructor(
    private readonly identified: (path: string) => { uri: string },
    /** Receives the notice that more is known of a note. */
    private readonly changed: (path: string) => void,
  ) {}

  get paths(): string[] {
    return [...this.#shown.keys()];
  }

  get(path: string): Document | undefined {
    return this.#shown.get(path);
  }

  /** Send all notes to a server that has started, or forget what one that has ended has found. */
  connect(server: Server | undefined): void {
    this.#server = server;
    for (const [path, one] of this.#shown) {
      one.version++;
      this.#show(path, one, [], []);
      this.#sendOpened(path, one);
    }
  }

  open(path: string, text: Text): Document {
    const known = this.#shown.get(path);
    if (known) {
      this.replace(path, text);
      return known;
    }
    const one = { version: 1, text, views: new Set<EditorView>(), problems: [], badges: [] };
    this.#shown.set(path, one);
    this.#sendOpened(path, one);
    return one;
  }

  close(path: string): void {
    if (this.#shown.delete(path)) {
      window.clearTimeout(this.#asked.get(path));
      this.#asked.delete(path);
      this.#server?.notify("textDocument/didClose", { textDocument: this.identified(path) });
    }
  }

  /** Follow the new name of a note. */
  rename(old: string, path: string): void {
    const one = this.#shown.get(old);
    if (one) {
      this.close(old);
      this.#shown.set(path, one);
      this.#sendOpened(path, one);
    }
  }

  attach(path: string, view: EditorView): void {
    const one = this.open(path, view.state.doc);
    one.views.add(view);
    // An editor takes no effects while it is made.
    window.setTimeout(() => {
      if (one.views.has(view)) {
        view.dispatch({ effects: [showProblems.of(one.problems), showBadges.of(one.badges)] });
      }
    });
  }

  detach(path: string, view: EditorView): void {
    this.#shown.get(path)?.views.delete(view);
  }

  /** Send the changes of an editor. A second editor of the same note repeats those of the first. */
  edit(path: string, before: Text, changes: ChangeSet, after: Text): void {
    const one = this.#shown.get(path);
    if (!one || one.text.eq(after)) {
      return;
    }
    if (!one.text.eq(before)) {
      this.replace(path, after);
      return;
    }
    const sent: object[] = [];
    changes.iterChanges((from, to, _from, _to, inserted) => {
      const range = { start: positionOf(before, from), end: positionOf(before, to) };
      sent.push({ range, text: inserted.toString() });
    });
    // From the end of the text on: no change moves the place of the next one.
    this.#send(path, one, after, sent.reverse());
  }

  /** Send a whole text, if it is another one. */
  replace(path: string, text: Text): void {
    const one = this.#shown.get(path);
    if (one && !one.text.eq(text)) {
      this.#send(path, one, text, [{ text: text.toString() }]);
    }
  }

  saved(path: string): void {
    if (this.#shown.has(path)) {
      this.#server?.notify("textDocument/didSave", { textDocument: this.identified(path) });
    }
  }

  /** Take the problems of a note, unless they are about an older text. */
  found(path: string, problems: Problem[], version: number | null | undefined): void {
    const one = this.#shown.get(path);
    if (one && (version === null || version === undefined || version === one.version)) {
      this.#show(path, one, problems);
      this.#askForBadges(path);
    }
  }

  /** Ask for the badges of all notes: code has run. */
  refresh(): void {
    for (const path of this.#shown.keys()) {
      this.#askForBadges(path);
    }
  }

  /** Return all formulas of a note, in order; none if the text has changed meanwhile. */
  async formulas(path: string): Promise<Formula[] | undefined> {
    const one = this.#shown.get(path);
    const version = one?.version;
    const asked = { textDocument: this.identified(path) };
    const found = one && (await this.#server?.request("vaultkit/formulas", asked).catch(() => null));
    return one?.version === version ? ((found as Formula[] | null) ?? undefined) : undefined;
  }

  #askForBadges(path: string): void {
    window.clearTimeout(this.#asked.get(path));
    this.#asked.set(path, window.setTimeout(() => void this.#fetchBadges(path), SOON));
  }

  async #fetchBadges(path: string): Promise<void> {
    const one = this.#shown.get(path);
    const version = one?.version;
    if (!one || !this.#server) {
      return;
    }
    const range = { start: { line: 0, character: 0 }, end: { line: one.text.lines, character: 0 } };
    const asked = { textDocument: this.identified(path), range };
    const badges = await this.#server.request("textDocument/inlayHint", asked).catch(() => null);
    if (badges && this.#shown.get(path) === one && one.version === version) {
      this.#show(path, one, one.problems, badges as Badge[]);
    }
  }

  #show(path: string, one: Document, problems: Problem[], badges?: Badge[]): void {
    one.problems = problems;
    one.badges = badges ?? one.badges;
    const effects = badges ? showBadges.of(badges) : showProblems.of(problems);
    for (const view of one.views) {
      if (view.state.doc.eq(one.text)) {
        view.dispatch({ effects: badges ? [showProblems.of(problems), effects] : effects });
      }
    }
    this.changed(path);
  }

  #send(path: string, one: Document, text: Text, contentChanges: object[]): void {
    one.text = text;
    one.version++;
    const textDocument = { ...this.identified(path), version: one.version };
    this.#server?.notify("textDocument/didChange", { textDocument, contentChanges });
  }

  #sendOpened(path: string, one: Document): void {
    const textDocument = {
      ...this.identified(path),
      languageId: "markdown",
      version: one.version,
      text: one.text.toString(),
    };
    this.#server?.notify("textDocument/didOpen", { textDocument });
  }
}

