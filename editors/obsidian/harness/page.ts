// The shipped bundle in a page: real CodeMirror 6, and the workspace of `obsidian-test-mocks`.

import * as commands from "@codemirror/commands";
import { markdown } from "@codemirror/lang-markdown";
import * as state from "@codemirror/state";
import * as view from "@codemirror/view";
import * as mocks from "obsidian-test-mocks/obsidian";
import { setup } from "obsidian-test-mocks/setup";
import * as command from "../src/command";
import { modules } from "./node";

setup();
const { Compartment, EditorState, RangeSetBuilder, StateField } = state;
const { Decoration, EditorView, keymap, lineNumbers, WidgetType } = view;

/** What the mocks do not show. */
const notices: string[] = [];
class Notice {
  constructor(message: string) {
    notices.push(message);
  }
}
Object.assign(mocks.Modal.prototype, {
    open(this: any) {
      this.modalEl.prepend(this.titleEl);
      document.body.append(this.containerEl);
      this.containerEl.addClass("modal");
      this.onOpen();
      for (const one of "getSuggestions" in this ? this.getSuggestions("") : []) {
        const element = this.resultContainerEl.createDiv({ cls: "suggestion" });
        this.renderSuggestion(one, element);
        element.onclick = () => this.selectSuggestion(one);
      }
    },
    close(this: any) {
      this.containerEl.remove();
      this.onClose();
    },
  });
const click = mocks.ButtonComponent.prototype.onClick;
mocks.ButtonComponent.prototype.onClick = function (this: any, run: never) {
  this.buttonEl.onclick = run;
  return click.call(this, run);
};
Object.assign(mocks.Platform, { isWin: false, isLinux: true });
Object.assign(window, { process: { env: {}, pid: null } });

const obsidian = { ...mocks, Notice };
const known: Record<string, unknown> = {
  obsidian,
  "@codemirror/state": state,
  "@codemirror/view": view,
  ...modules,
};

/** Draw formulas as Live Preview does, except that which the cursor is in. */
class Drawn extends WidgetType {
  constructor(
    private readonly tex: string,
    private readonly block: boolean,
  ) {
    super();
  }
  toDOM() {
    const cls = this.block ? "cm-embed-block math-block" : "math-inline";
    return createEl(this.block ? "div" : "span", { cls: `drawn ${cls}`, text: this.tex });
  }
  eq(other: Drawn) {
    return this.tex === other.tex;
  }
}
function drawn(now: state.EditorState) {
  const all = new RangeSetBuilder<view.Decoration>();
  for (const found of now.doc.toString().matchAll(/\$\$[\s\S]*?\$\$|\$[^$\n]+\$/g)) {
    const [from, to] = [found.index, found.index + found[0].length];
    const { main } = now.selection;
    if (main.to < from || main.from > to) {
      const block = found[0].startsWith("$$") && now.doc.lineAt(from).from === from;
      const widget = new Drawn(found[0].replaceAll("$", "").trim(), block);
      all.add(from, to, Decoration.replace({ widget, block }));
    }
  }
  return all.finish();
}
const livePreview = StateField.define<view.DecorationSet>({
  create: drawn,
  update: (_, { state: now }) => drawn(now),
  provide: (field) => EditorView.decorations.from(field),
});

/** Draw a note as Reading view does; a section is what blank lines separate. */
function sectionsOf(text: string) {
  const rows = text.split("\n");
  const found: { start: number; end: number; fenced: boolean }[] = [];
  let fence = false;
  for (const [number, row] of rows.entries()) {
    const mark = row.startsWith("```");
    if ((mark && !fence) || (row.trim() && !fence && (!rows[number - 1]?.trim() || found.at(-1)?.fenced))) {
      found.push({ start: number, end: number, fenced: mark });
    } else if (row.trim() && found.length) {
      found[found.length - 1].end = number;
    }
    fence = mark ? !fence : fence;
  }
  return found;
}
function elementOf(text: string, fenced: boolean) {
  const element = createDiv();
  if (fenced) {
    element.createEl("pre").createEl("code", { text: text.split("\n").slice(1, -1).join("\n") });
    return element;
  }
  const p = element.createEl("p");
  for (const piece of text.split(/(\$\$[\s\S]*?\$\$|\$[^$]+\$)/)) {
    if (piece.startsWith("$")) {
      const kind = piece.startsWith("$$") ? "math-block" : "math-inline";
      p.createSpan({ cls: `math ${kind}`, text: piece.replaceAll("$", "").trim() });
    } else {
      p.append(piece);
    }
  }
  return element;
}

/** One window of Obsidian with its vault. */
export class Window {
  app: any;
  plugin: any;
  leaves: { leaf: any; compartment: state.Compartment; editor?: view.EditorView; element: HTMLElement }[] = [];
  element = document.body.createDiv({ cls: "window" });

  constructor(base: string, files: Record<string, string>, settings: object) {
    const adapter = mocks.FileSystemAdapter.create__(base);
    this.app = mocks.App.createConfigured__({ adapter: adapter as never, files });
    this.plugin = this.make(settings);
  }

  make(settings: object) {
    const module = { exports: {} as any };
    new Function("module", "exports", "require", (window as any).bundle)(
      module,
      module.exports,
      (name: string) => known[name] ?? (() => { throw new Error(`no module ${name}`); })(),
    );
    const plugin = new module.exports.default(this.app, { id: "checked-vault" });
    plugin.data__ = settings;
    return plugin;
  }

  async load() {
    this.plugin.load();
    await new Promise((resolve) => setTimeout(resolve));
    this.element.append(...this.plugin.statusBarItems__);
    this.app.workspace.setLayoutReady__();
    this.configure();
  }

  unload() {
    this.plugin.unload();
    this.plugin.editorExtensions__ = [];
    this.plugin.statusBarItems__.forEach((item: HTMLElement) => item.remove());
    this.configure();
  }

  private configure() {
    for (const { editor, compartment } of this.leaves) {
      editor?.dispatch({ effects: compartment.reconfigure(this.plugin.editorExtensions__) });
    }
  }

  private async leafOf(path: string) {
    const file = this.app.vault.getFileByPath(path);
    const leaf = this.app.workspace.getLeaf(true);
    await leaf.setViewState({ type: "markdown" });
    const shown = mocks.MarkdownView.create2__(leaf) as any;
    shown.file = file;
    shown.data = await this.app.vault.read(file);
    leaf.view = shown;
    return { file, leaf, shown };
  }

  async open(path: string) {
    const { file, leaf, shown } = await this.leafOf(path);
    const compartment = new Compartment();
    const element = this.element.createDiv({ cls: "markdown-source-view" });
    const editor = new EditorView({
      parent: element,
      state: EditorState.create({
        doc: shown.data,
        extensions: [
          mocks.editorInfoField.init(() => ({ app: this.app, file, hoverPopover: null }) as never),
          lineNumbers(),
          EditorView.lineWrapping,
          commands.history(),
          keymap.of([...commands.defaultKeymap, ...commands.historyKeymap]),
          markdown(),
          EditorState.allowMultipleSelections.of(true),
          livePreview,
          compartment.of(this.plugin.editorExtensions__),
        ],
      }),
    });
    this.leaves.push({ leaf, compartment, editor, element });
    this.app.workspace.trigger("layout-change");
    return editor;
  }

  async read(path: string) {
    const { leaf, shown } = await this.leafOf(path);
    const element = this.element.createDiv({ cls: "markdown-preview-view" });
    this.leaves.push({ leaf, compartment: new Compartment(), element });
    this.app.workspace.trigger("layout-change");
    const text = shown.data as string;
    for (const { start, end, fenced } of sectionsOf(text)) {
      const part = elementOf(text.split("\n").slice(start, end + 1).join("\n"), fenced);
      element.append(part);
      const context = {
        sourcePath: path,
        getSectionInfo: () => ({ text, lineStart: start, lineEnd: end }),
        addChild: (child: any) => child.load(),
      };
      this.plugin.markdownPostProcessors__.forEach((process: any) => process(part, context));
    }
  }

  close(index: number) {
    const [{ leaf, editor, element }] = this.leaves.splice(index, 1);
    editor?.destroy();
    element.remove();
    leaf.detach();
    this.app.workspace.trigger("layout-change");
  }

  run(id: string, index = 0) {
    const { callback, editorCallback } = this.plugin.commands__.get(id);
    const { editor, leaf } = this.leaves[index] ?? {};
    const getCursor = () => {
      const { head } = editor!.state.selection.main;
      const line = editor!.state.doc.lineAt(head);
      return { line: line.number - 1, ch: head - line.from };
    };
    return callback ? callback() : editorCallback({ getCursor }, { file: leaf.view.file });
  }

  /** Show a view of the plugin. */
  async pane(type: string) {
    const leaf = this.app.workspace.getLeavesOfType(type)[0];
    leaf.view = this.plugin.views__.get(type)(leaf);
    this.element.append(leaf.view.containerEl);
    await leaf.view.onOpen();
  }

  settingsTab() {
    const [tab] = this.plugin.settingTabs__;
    tab.display();
    this.element.append(tab.containerEl);
  }
}

Object.assign(window, { Window, notices, commands, state, command });
