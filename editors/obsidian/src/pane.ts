/** The pane with the failures of all notes. */

import { ItemView, type WorkspaceLeaf } from "obsidian";
import { fails, type Position, type Problem } from "./protocol";

export const PANE = "checked-vault-failures";

export class Pane extends ItemView {
  icon = "list-x";

  constructor(
    leaf: WorkspaceLeaf,
    private readonly found: ReadonlyMap<string, Problem[]>,
    private readonly verdict: () => string,
    private readonly open: (path: string, at: Position) => void,
  ) {
    super(leaf);
  }

  getViewType(): string {
    return PANE;
  }

  getDisplayText(): string {
    return "Failures";
  }

  async onOpen(): Promise<void> {
    this.draw();
  }

  draw(): void {
    const all = this.contentEl;
    all.empty();
    all.addClass("checked-vault-pane");
    all.createEl("p", { cls: "checked-vault-verdict", text: this.verdict() });
    for (const path of [...this.found.keys()].sort()) {
      const problems = this.found.get(path)?.filter(fails) ?? [];
      if (problems.length) {
        all.createEl("h6", { text: path.replace(/\.md$/, "") });
        const list = all.createEl("ul");
        for (const { message, range } of problems) {
          const item = list.createEl("li");
          const text = `${range.start.line + 1}: ${message.split("\n", 1)[0]}`;
          const button = item.createEl("button", { cls: "checked-vault-problem", text });
          button.setAttribute("aria-label", message);
          button.addEventListener("click", () => this.open(path, range.start));
        }
      }
    }
  }
}
