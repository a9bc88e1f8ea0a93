/** Shows badges in Reading view. */

import type { Text } from "@codemirror/state";
import { MarkdownRenderChild, type MarkdownPostProcessorContext } from "obsidian";
import type { Documents } from "./documents";
import { badgeOf } from "./editor";
import { type Badge, fails, type Formula, offsetOf, type Problem } from "./protocol";

/** A part of a drawn note, for example a paragraph. */
class Section extends MarkdownRenderChild {
  constructor(
    element: HTMLElement,
    readonly context: MarkdownPostProcessorContext,
    private readonly sections: Set<Section>,
  ) {
    super(element);
  }

  onload(): void {
    this.sections.add(this);
  }

  onunload(): void {
    this.sections.delete(this);
  }

  clear(): void {
    for (const badge of this.containerEl.querySelectorAll(".checked-vault-badge")) {
      badge.remove();
    }
    this.containerEl.normalize(); // numbers were cut out of their text
  }

  draw(text: Text, formulas: Formula[], problems: Problem[], badges: Badge[]): void {
    this.clear();
    const lines = this.context.getSectionInfo(this.containerEl);
    if (!lines) {
      return; // a part of Live Preview; the editor shows its badges
    }
    const inside = ({ range: { start, end } }: { range: Formula["range"] }) =>
      start.line <= lines.lineEnd && end.line >= lines.lineStart;
    const own = formulas.filter(inside);
    const drawn = [...this.containerEl.querySelectorAll(".math")];
    for (const [index, formula] of own.entries()) {
      if (formula.label && drawn.length === own.length) {
        drawn[index].after(badgeOf(formula));
      } else if (formula.label.startsWith("✗")) {
        this.containerEl.append(badgeOf(formula)); // which formula it is cannot be told
      }
    }
    const ends = own.map(({ range }) => keyOf(range.end));
    for (const { range, message } of problems.filter(fails).filter(inside)) {
      const end = keyOf(range.end);
      if (!ends.includes(end)) {
        const label = badges.find(({ position }) => keyOf(position) === end)?.label ?? "✗";
        const words = text.sliceString(offsetOf(text, range.start), offsetOf(text, range.end));
        this.#place(words, badgeOf({ label, tooltip: message }));
      }
    }
  }

  /** Put a badge behind words, or at the end if they are not there exactly once. */
  #place(words: string, badge: HTMLElement): void {
    const found: [CharacterData, number][] = [];
    const nodes = this.containerEl.doc.createTreeWalker(this.containerEl, NodeFilter.SHOW_TEXT);
    for (let node = nodes.nextNode(); node && words; node = nodes.nextNode()) {
      const text = node.textContent ?? "";
      for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
        const around = `${text[at - 1] ?? " "}${text[at + words.length] ?? " "}`;
        if (!/\d/.test(around)) {
          found.push([node as CharacterData, at + words.length]);
        }
      }
    }
    if (found.length === 1) {
      const [[node, end]] = found;
      const behind = node.data.slice(end);
      node.deleteData(end, behind.length);
      node.after(badge, behind);
    } else {
      this.containerEl.append(badge);
    }
  }
}

function keyOf({ line, character }: { line: number; character: number }): string {
  return `${line}:${character}`;
}

/** The parts of all drawn notes. */
export class Reading {
  readonly #sections = new Set<Section>();

  constructor(private readonly documents: Documents) {}

  /** Take a part that was drawn; its badges are drawn when its note is known. */
  add(element: HTMLElement, context: MarkdownPostProcessorContext): void {
    context.addChild(new Section(element, context, this.#sections));
    window.setTimeout(() => void this.update(context.sourcePath));
  }

  /** Draw the badges of a note again. */
  async update(path: string): Promise<void> {
    const sections = () => [...this.#sections].filter((one) => one.context.sourcePath === path);
    if (sections().length) {
      const formulas = await this.documents.formulas(path);
      const known = this.documents.get(path);
      for (const section of sections()) {
        if (known && formulas) {
          section.draw(known.text, formulas, known.problems, known.badges);
        } else if (!known) {
          section.clear();
        }
      }
    }
  }

  clear(): void {
    for (const section of this.#sections) {
      section.clear();
    }
    this.#sections.clear();
  }
}
