import { execFile } from "child_process";
import { existsSync } from "fs";
import { fileURLToPath, pathToFileURL } from "url";
import {
  debounce,
  type Editor,
  FileSystemAdapter,
  MarkdownView,
  Notice,
  Platform,
  Plugin,
  TFile,
} from "obsidian";
import { commandOf, DEFAULTS, lineOf, type Settings, variablesOf } from "./command";
import { Choice, Question } from "./dialogs";
import { Documents } from "./documents";
import { extensionOf } from "./editor";
import { PANE, Pane } from "./pane";
import {
  type Action,
  applied,
  type DocumentEdit,
  type Lens,
  offsetOf,
  type Position,
  type Problem,
  type Status,
  textOf,
} from "./protocol";
import { Reading } from "./reading";
import { Server } from "./server";
import { SettingsTab } from "./settings";

/** The name under which this device keeps the command that the user has allowed. */
const ALLOWED = "checked-vault-allowed";
/** A server that ends by itself is started again, at most so often in so many seconds. */
const RESTARTS = { most: 3, within: 60, after: 1 };
/** Where Homebrew and others install programs, which an app on macOS does not look at. */
const MAC_PATH = "/opt/homebrew/bin:/usr/local/bin";
/** Seconds for the login shell to start. */
const SHELL_PATIENCE = 5;

export default class CheckedVault extends Plugin {
  settings: Settings = DEFAULTS;
  readonly #documents = new Documents(
    (path) => this.#identified(path),
    (path) => void this.#reading.update(path),
  );
  readonly #reading = new Reading(this.#documents);
  /** What was found in each note of the vault. */
  readonly #found = new Map<string, Problem[]>();
  #server: Server | undefined;
  #bar: HTMLElement | undefined;
  #verdict = "";
  #ends: number[] = [];
  /** Starts and stops, one after the other. */
  #last: Promise<void> = Promise.resolve();
  #unloaded = false;

  async onload(): Promise<void> {
    this.settings = { ...DEFAULTS, ...((await this.loadData()) as Partial<Settings> | null) };
    this.#bar = this.addStatusBarItem();
    this.#bar.addClass("checked-vault-status", "mod-clickable");
    this.registerDomEvent(this.#bar, "click", () => void this.#showPane());
    const open = (path: string, at: Position) => void this.#goTo(path, at);
    this.registerView(PANE, (leaf) => new Pane(leaf, this.#found, () => this.#verdict, open));
    this.registerEditorExtension(extensionOf(this.#documents));
    this.registerMarkdownPostProcessor((element, context) => this.#reading.add(element, context));
    this.addSettingTab(new SettingsTab(this.app, this));
    this.#addCommands();

    const { vault, workspace } = this.app;
    this.registerEvent(workspace.on("layout-change", this.#follow));
    this.registerEvent(workspace.on("file-open", this.#follow));
    this.registerEvent(workspace.on("active-leaf-change", this.#follow));
    this.registerEvent(vault.on("modify", (file) => void this.#modified(file.path)));
    this.registerEvent(vault.on("rename", (file, old) => this.#documents.rename(old, file.path)));
    // The app waits for nothing when it ends.
    this.registerEvent(workspace.on("quit", () => this.#server?.end()));
    this.registerDomEvent(window, "beforeunload", () => this.#server?.end());
    workspace.onLayoutReady(() => void this.restart());
  }

  onunload(): void {
    this.#unloaded = true;
    this.#follow.cancel();
    this.#drawPanes.cancel();
    this.#reading.clear();
    this.#last = this.#last.then(() => this.#stop());
  }

  /** Save settings; those of the checks take effect at once. */
  async set(settings: Partial<Settings>): Promise<void> {
    this.settings = { ...this.settings, ...settings };
    await this.saveData(this.settings);
    if ("check" in settings || "pause" in settings) {
      this.#server?.notify("workspace/didChangeConfiguration", { settings: this.#options() });
    }
  }

  /** Say what the plugin runs. */
  disclosure(): string {
    const shell = Platform.isMacOS ? " Your login shell is asked for its path." : "";
    return (
      "Checking a note runs its Python code on this computer, with your rights, also of notes that " +
      `are not open. The plugin starts the command below.${shell} ` +
      "It installs nothing and sends nothing over the network; the code of your notes may."
    );
  }

  restart(): Promise<void> {
    this.#last = this.#last
      .then(() => this.#stop())
      .then(() => this.#start())
      .catch((error: Error) => this.#say("⚠ not checked", error.message));
    return this.#last;
  }

  // --- The server ----------------------------------------------------------------------------

  get #folder(): string {
    const { adapter } = this.app.vault;
    return adapter instanceof FileSystemAdapter ? adapter.getBasePath() : "";
  }

  async #start(): Promise<void> {
    if (this.#unloaded) {
      return;
    }
    const { settings } = this;
    const folder = this.#folder;
    const inherited = process.env.PATH ?? "";
    const words = commandOf(settings, folder, {
      windows: Platform.isWin,
      path: Platform.isMacOS ? `${inherited}:${MAC_PATH}` : inherited,
      exists: existsSync,
    });
    if (!(await this.#allows(words))) {
      this.#say("⏸ not checked", "You have not allowed the code of these notes to run");
      return;
    }
    this.#say("… starting", lineOf(words));
    const path = Platform.isMacOS ? await loginPath(`${inherited}:${MAC_PATH}`) : inherited;
    const uri = pathToFileURL(folder).href;
    const environment = { ...process.env, PATH: path, ...variablesOf(settings.environment) };
    const greeting = {
      processId: process.pid,
      rootUri: uri,
      capabilities: { workspace: { inlayHint: { refreshSupport: true } } },
      initializationOptions: this.#options(),
    };
    const { patience } = settings;
    let runs = false;
    const server: Server = new Server(
      { words, folder, environment, patience, greeting },
      {
        heard: (method, params) => server === this.#server && this.#heard(method, params),
        // One that never ran is not started again.
        ended: (why) => runs && server === this.#server && this.#ended(why),
      },
    );
    this.#server = server;
    try {
      await server.greet();
      runs = true;
      this.#documents.connect(server);
    } catch (error) {
      this.#server = undefined;
      const why = `${lineOf(words)}: ${(error as Error).message}`;
      this.#say("⚠ not checked", why);
      new Notice(`Checked Vault could not start its server.\n${why}`);
    }
  }

  async #stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.#forget();
    await server?.stop();
  }

  /** Return whether the user has allowed a command on this device, and ask if not. */
  async #allows(words: string[]): Promise<boolean> {
    const { environment } = this.settings;
    const asked = JSON.stringify([words, environment]);
    if (this.app.loadLocalStorage(ALLOWED) === asked) {
      return true;
    }
    this.#say("? may notes run?", "A question is open");
    const paragraphs = [this.disclosure(), `It starts in the folder ${this.#folder}.`];
    const command = [lineOf(words), environment.trim()].filter(Boolean).join("\n");
    const answer = await new Promise<boolean>((resolve) => {
      const question = new Question(this.app, paragraphs, command, resolve);
      this.register(() => question.close());
      question.open();
    });
    if (answer) {
      this.app.saveLocalStorage(ALLOWED, asked);
    }
    return answer && !this.#unloaded;
  }

  #options(): object {
    const { check, pause } = this.settings;
    return { vaultkit: { check, pause } };
  }

  #heard(method: string, params: unknown): void {
    if (method === "textDocument/publishDiagnostics") {
      const { uri, diagnostics, version } = params as {
        uri: string;
        diagnostics: Problem[];
        version?: number | null;
      };
      const path = this.#pathOf(uri);
      if (diagnostics.length) {
        this.#found.set(path, diagnostics);
      } else {
        this.#found.delete(path);
      }
      this.#documents.found(path, diagnostics, version);
      this.#drawPanes();
    } else if (method === "workspace/inlayHint/refresh") {
      this.#documents.refresh();
    } else if (method === "vaultkit/status") {
      const status = params as Status;
      const sign = status.fail ? "✗" : status.waiting ? "…" : "✓";
      this.#say(`${sign} ${status.text}`, "Show the failures");
    } else if (method === "window/showMessage") {
      new Notice((params as { message: string }).message);
    }
  }

  /** Start the server again, unless it ends again and again. */
  #ended(why: string): void {
    this.#server = undefined;
    this.#forget();
    const now = Date.now();
    this.#ends = [...this.#ends.filter((end) => now - end < 1000 * RESTARTS.within), now];
    this.#say("⚠ not checked", `The server has ended: ${why}`);
    if (this.#ends.length <= RESTARTS.most) {
      const timer = window.setTimeout(() => void this.restart(), 1000 * RESTARTS.after);
      this.register(() => window.clearTimeout(timer));
    } else {
      new Notice(`The server of Checked Vault ends again and again.\n${why}`);
    }
  }

  #forget(): void {
    this.#found.clear();
    this.#documents.connect(undefined);
    this.#drawPanes();
  }

  #pathOf(uri: string): string {
    const same = (path: string) => (Platform.isWin ? path.replaceAll("\\", "/") : path);
    const [path, folder] = [same(fileURLToPath(uri)), `${same(this.#folder)}/`];
    const inside = Platform.isWin
      ? path.toLowerCase().startsWith(folder.toLowerCase())
      : path.startsWith(folder);
    // Obsidian composes accents, which the file system of macOS may not.
    return (inside ? path.slice(folder.length) : path).normalize("NFC");
  }

  // --- What Obsidian shows -------------------------------------------------------------------

  #say(words: string, tooltip: string): void {
    this.#verdict = words;
    this.#bar?.setText(words);
    this.#bar?.setAttribute("aria-label", tooltip);
    this.#drawPanes();
  }

  readonly #drawPanes = debounce(() => {
    for (const { view } of this.app.workspace.getLeavesOfType(PANE)) {
      if (view instanceof Pane) {
        view.draw();
      }
    }
  }, 100);

  /** Open the notes that are shown without an editor, and close those that are not shown. */
  readonly #follow = debounce(() => {
    const shown = new Set<string>();
    for (const { view } of this.app.workspace.getLeavesOfType("markdown")) {
      if (view instanceof MarkdownView && view.file) {
        shown.add(view.file.path);
        if (!this.#documents.get(view.file.path)) {
          this.#documents.open(view.file.path, textOf(view.getViewData()));
        }
      }
    }
    for (const path of this.#documents.paths) {
      if (!shown.has(path) && !this.#documents.get(path)?.views.size) {
        this.#documents.close(path);
      }
    }
  }, 50);

  async #modified(path: string): Promise<void> {
    const file = this.app.vault.getFileByPath(path);
    if (file && this.#documents.get(path)?.views.size === 0) {
      this.#documents.replace(path, textOf(await this.app.vault.cachedRead(file)));
    }
    this.#documents.saved(path);
  }

  async #showPane(): Promise<void> {
    const { workspace } = this.app;
    const leaf = workspace.getLeavesOfType(PANE).at(0) ?? workspace.getRightLeaf(false);
    await leaf?.setViewState({ type: PANE, active: true });
    if (leaf) {
      await workspace.revealLeaf(leaf);
    }
  }

  async #goTo(path: string, at: Position): Promise<void> {
    const file = this.app.vault.getFileByPath(path);
    if (!file) {
      new Notice(`${path} is not a file of this vault`);
      return;
    }
    const leaf = this.app.workspace.getLeaf(false);
    await leaf.openFile(file, { active: true, eState: { line: at.line } });
    if (leaf.view instanceof MarkdownView) {
      const place = { line: at.line, ch: at.character };
      leaf.view.editor.setCursor(place);
      leaf.view.editor.scrollIntoView({ from: place, to: place }, true);
    }
  }

  // --- Commands ------------------------------------------------------------------------------

  #addCommands(): void {
    const atCursor = (
      id: string,
      name: string,
      run: (path: string, at: Position) => Promise<void>,
    ) =>
      this.addCommand({
        id,
        name,
        editorCallback: (editor: Editor, { file }) => {
          const { line, ch } = editor.getCursor();
          if (file instanceof TFile) {
            run(file.path, { line, character: ch }).catch(
              (error: Error) => new Notice(error.message),
            );
          }
        },
      });
    atCursor("write-output", "Write this output", (path, at) => this.#writeOutput(path, at));
    atCursor("bind-number", "Bind this number", (path, at) => this.#bindNumber(path, at));
    atCursor("fix", "Fix this line", (path, at) => this.#fix(path, at));
    atCursor("run-to", "Run to here", (path, at) => this.#runTo(path, at));
    this.addCommand({ id: "check", name: "Check the vault", callback: () => void this.#check() });
    this.addCommand({
      id: "failures",
      name: "Show the failures",
      callback: () => void this.#showPane(),
    });
    this.addCommand({
      id: "restart",
      name: "Restart the server",
      callback: () => void this.restart(),
    });
  }

  async #check(): Promise<void> {
    if (this.#server) {
      this.#server.notify("workspace/didChangeConfiguration", { settings: this.#options() });
    } else {
      await this.restart();
    }
    await this.#showPane();
  }

  /** Write the output nearest to a place that is not the real one. */
  async #writeOutput(path: string, { line }: Position): Promise<void> {
    const actions = await this.#actions(path, 0, this.#documents.get(path)?.text.lines ?? 0);
    const outputs = actions.filter(({ title }) => title === "Write this output");
    const distance = ({ diagnostics }: Action) =>
      Math.abs((diagnostics?.[0].range.start.line ?? 0) - line);
    const [nearest] = outputs.sort((one, other) => distance(one) - distance(other));
    if (nearest) {
      await this.#apply(nearest);
    } else {
      new Notice("Every output that was checked is the real one");
    }
  }

  async #bindNumber(path: string, position: Position): Promise<void> {
    const asked = { textDocument: this.#identified(path), position };
    const found = (await this.#request("vaultkit/bindings", asked)) as Action[];
    this.#offer(found, "No expression of the code has this value and suits this sentence");
  }

  /** Run the blocks up to that at a place, or to the last one above it; a notice shows the result. */
  async #runTo(path: string, { line }: Position): Promise<void> {
    const asked = { textDocument: this.#identified(path) };
    const blocks = (await this.#request("textDocument/codeLens", asked)) as Lens[];
    const last = blocks.filter(({ range }) => range.start.line <= line).pop();
    if (last) {
      await this.#request("workspace/executeCommand", last.command);
    } else {
      new Notice("No code above");
    }
  }

  async #fix(path: string, { line }: Position): Promise<void> {
    this.#offer(await this.#actions(path, line, line), "Nothing to fix in this line");
  }

  #offer(actions: Action[], nothing: string): void {
    if (actions.length > 1) {
      new Choice(this.app, actions, (action) => void this.#apply(action)).open();
    } else if (actions.length) {
      void this.#apply(actions[0]);
    } else {
      new Notice(nothing);
    }
  }

  #identified(path: string) {
    return { uri: pathToFileURL(`${this.#folder}/${path}`).href };
  }

  async #actions(path: string, first: number, last: number): Promise<Action[]> {
    const range = { start: { line: first, character: 0 }, end: { line: last, character: 1000 } };
    const asked = { textDocument: this.#identified(path), range, context: { diagnostics: [] } };
    return (await this.#request("textDocument/codeAction", asked)) as Action[];
  }

  async #request(method: string, params: object): Promise<unknown> {
    if (!this.#server) {
      throw new Error("The notes are not checked: the server does not run");
    }
    return this.#server.request(method, params);
  }

  /** Make the edits of an action; in an editor, they can be undone. */
  async #apply({ edit }: Action): Promise<void> {
    const { vault, workspace } = this.app;
    const changes = edit?.documentChanges ?? [];
    const edits = changes.filter((one): one is DocumentEdit => "edits" in one);
    for (const { textDocument } of edits) {
      const shown = this.#documents.get(this.#pathOf(textDocument.uri));
      if (shown && textDocument.version !== null && textDocument.version !== shown.version) {
        new Notice("The note has changed meanwhile: try again");
        return;
      }
    }
    for (const change of changes) {
      if ("edits" in change) {
        await this.#edit(this.#pathOf(change.textDocument.uri), change);
      } else if (change.kind === "create") {
        const path = this.#pathOf(change.uri);
        const own = edits.find(({ textDocument }) => textDocument.uri === change.uri);
        await vault.create(path, applied("", own?.edits ?? []));
        await workspace.openLinkText(path, "");
        return; // the edits of a new file are its text
      }
    }
  }

  async #edit(path: string, { edits }: DocumentEdit): Promise<void> {
    const shown = this.#documents.get(path);
    const view = shown && [...shown.views][0];
    const file = this.app.vault.getFileByPath(path);
    if (view) {
      const text = view.state.doc;
      const changes = edits.map(({ range, newText }) => ({
        from: offsetOf(text, range.start),
        to: offsetOf(text, range.end),
        insert: newText,
      }));
      view.dispatch({ changes, userEvent: "input" });
    } else if (file) {
      await this.app.vault.process(file, (text) => applied(text, edits));
    }
  }
}

/** Return the path of the user's login shell, which apps on macOS do not get. */
function loginPath(otherwise: string): Promise<string> {
  const shell = process.env.SHELL ?? "/bin/zsh";
  const words = ["-l", "-i", "-c", 'printf "<<%s>>" "$PATH"'];
  return new Promise((resolve) => {
    execFile(shell, words, { timeout: 1000 * SHELL_PATIENCE }, (_error, out) =>
      resolve(/<<(.*)>>/s.exec(out)?.[1] ?? otherwise),
    );
  });
}
