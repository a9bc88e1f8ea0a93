/** Shows problems and badges in an editor. */

import { type EditorState, RangeSet, StateField, type Text } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  GutterMarker,
  gutter,
  hoverTooltip,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from "@codemirror/view";
import { editorInfoField } from "obsidian";
import type { Documents } from "./documents";
import { showBadges, showProblems } from "./effects";
import { type Badge, fails, offsetOf, type Problem } from "./protocol";

interface Shown {
  underlines: DecorationSet;
  badges: DecorationSet;
  marks: RangeSet<GutterMarker>;
}

const FAILS = "✗";

/** Return the element of a badge. */
export function badgeOf({ label, tooltip }: Pick<Badge, "label" | "tooltip">): HTMLElement {
  const kind = label.startsWith(FAILS) ? "fails" : label.startsWith("✓") ? "holds" : "other";
  const element = createSpan({ cls: `checked-vault-badge mod-${kind}`, text: label });
  if (tooltip) {
    element.setAttribute("aria-label", tooltip); // Obsidian shows it
  }
  return element;
}

class Badges extends WidgetType {
  constructor(
    private readonly badges: Badge[],
    private readonly block: boolean,
  ) {
    super();
  }

  eq(other: Badges): boolean {
    const [one, two] = [this, other].map((all) => all.badges.map((b) => [b.label, b.tooltip]));
    return this.block === other.block && JSON.stringify(one) === JSON.stringify(two);
  }

  toDOM(): HTMLElement {
    const badges = this.badges.map(badgeOf);
    if (badges.length === 1 && !this.block) {
      return badges[0];
    }
    const cls = `checked-vault-badges${this.block ? " mod-block" : ""}`;
    const all = this.block ? createDiv({ cls }) : createSpan({ cls });
    all.append(...badges);
    return all;
  }
}

class Mark extends GutterMarker {
  constructor(private readonly fails: boolean) {
    super();
  }

  eq(other: Mark): boolean {
    return this.fails === other.fails;
  }

  toDOM(): HTMLElement {
    const kind = this.fails ? "mod-fails" : "mod-other";
    return createSpan({ cls: `checked-vault-mark ${kind}`, text: this.fails ? FAILS : "·" });
  }
}

const MARKS = { fails: new Mark(true), other: new Mark(false) };

function underlinesOf(text: Text, problems: Problem[]): DecorationSet {
  const ranges = problems.flatMap((problem) => {
    const from = offsetOf(text, problem.range.start);
    const to = offsetOf(text, problem.range.end);
    const kind = ["", "error", "warning", "information", "hint"][problem.severity];
    const cls = `checked-vault-underline mod-${kind}`;
    const mark = Decoration.mark({ class: cls, message: problem.message });
    return to > from ? [mark.range(from, to)] : [];
  });
  return Decoration.set(ranges, true);
}

function marksOf(text: Text, problems: Problem[]): RangeSet<GutterMarker> {
  const lines = new Map<number, boolean>();
  for (const problem of problems.filter(({ severity }) => severity <= 3)) {
    const { from } = text.lineAt(offsetOf(text, problem.range.start));
    lines.set(from, fails(problem) || lines.get(from) === true);
  }
  const ranges = [...lines].map(([at, fail]) => (fail ? MARKS.fails : MARKS.other).range(at));
  return RangeSet.of(ranges, true);
}

/**
 * Return the badges as widgets.
 *
 * Live Preview replaces displays, callouts and tables by blocks, which hide what is in them. So
 * their badges are blocks themselves, below them; of callouts and tables, only failures.
 */
function badgesOf(text: Text, badges: Badge[]): DecorationSet {
  const places = new Map<string, { at: number; block: boolean; badges: Badge[] }>();
  for (const badge of badges) {
    const offset = offsetOf(text, badge.position);
    const row = text.lineAt(offset);
    const container = /^\s*[>|]/.test(row.text);
    if (container && !badge.label.startsWith(FAILS)) {
      continue;
    }
    const display =
      text.sliceString(row.from, offset).endsWith("$$") &&
      !text.sliceString(offset, row.to).trim();
    const block = display || container;
    const at = block ? endOfBlock(text, row.number, container) : offset;
    const key = `${at} ${block}`;
    const place = places.get(key) ?? { at, block, badges: [] };
    place.badges.push(badge);
    places.set(key, place);
  }
  const ranges = [...places.values()].map(({ at, block, badges }) =>
    Decoration.widget({ widget: new Badges(badges, block), block, side: 1 }).range(at),
  );
  return Decoration.set(ranges, true);
}

function endOfBlock(text: Text, number: number, container: boolean): number {
  const begins = /^\s*[>|]/.exec(text.line(number).text)?.[0].trim();
  while (container && number < text.lines && text.line(number + 1).text.trim()[0] === begins) {
    number++;
  }
  return text.line(number).to;
}

const shown = StateField.define<Shown>({
  create: () => ({
    underlines: Decoration.none,
    badges: Decoration.none,
    marks: RangeSet.of<GutterMarker>([]),
  }),
  update(before, transaction) {
    let { underlines, badges, marks } = before;
    if (transaction.docChanged) {
      underlines = underlines.map(transaction.changes);
      badges = badges.map(transaction.changes);
      marks = marks.map(transaction.changes);
    }
    const text = transaction.state.doc;
    for (const effect of transaction.effects) {
      if (effect.is(showProblems)) {
        underlines = underlinesOf(text, effect.value);
        marks = marksOf(text, effect.value);
      } else if (effect.is(showBadges)) {
        badges = badgesOf(text, effect.value);
      }
    }
    const same =
      underlines === before.underlines && badges === before.badges && marks === before.marks;
    return same ? before : { underlines, badges, marks };
  },
  provide: (field) => [
    EditorView.decorations.from(field, ({ underlines }) => underlines),
    EditorView.decorations.from(field, ({ badges }) => badges),
  ],
});

/** Return the messages about a place, and the range that they are about. */
function messagesAt(state: EditorState, at: number) {
  const messages: string[] = [];
  let [from, to] = [at, at];
  state.field(shown).underlines.between(at, at, (begin, end, mark) => {
    messages.push((mark.spec as { message: string }).message);
    [from, to] = [Math.min(from, begin), Math.max(to, end)];
  });
  return { messages, from, to };
}

const hover = hoverTooltip((view, at) => {
  const { messages, from, to } = messagesAt(view.state, at);
  if (!messages.length) {
    return null;
  }
  const create = () => {
    const dom = createDiv({ cls: "checked-vault-hover" });
    for (const message of messages) {
      dom.createEl("pre", { text: message });
    }
    return { dom };
  };
  return { pos: from, end: to, above: true, create };
});

function pathOf(state: EditorState): string | undefined {
  const file = state.field(editorInfoField, false)?.file;
  return file?.extension === "md" ? file.path : undefined;
}

/** Return the extension of all editors. */
export function extensionOf(documents: Documents) {
  class Connection {
    private path: string | undefined;

    constructor(private readonly view: EditorView) {
      this.follow();
    }

    update({ docChanged, startState, state, changes }: ViewUpdate): void {
      if (pathOf(state) !== this.path) {
        this.destroy();
        this.follow();
      } else if (docChanged && this.path !== undefined) {
        documents.edit(this.path, startState.doc, changes, state.doc);
      }
    }

    destroy(): void {
      if (this.path !== undefined) {
        documents.detach(this.path, this.view);
      }
    }

    private follow(): void {
      this.path = pathOf(this.view.state);
      if (this.path !== undefined) {
        documents.attach(this.path, this.view);
      }
    }
  }

  return [
    shown,
    hover,
    gutter({ class: "checked-vault-gutter", markers: (view) => view.state.field(shown).marks }),
    ViewPlugin.fromClass(Connection),
  ];
}
