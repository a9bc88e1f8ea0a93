import { type App, Modal, Setting, SuggestModal } from "obsidian";
import type { Action } from "./protocol";

/** Asks before the code of notes runs for the first time. */
export class Question extends Modal {
  #answered = false;

  constructor(
    app: App,
    private readonly paragraphs: string[],
    private readonly command: string,
    private readonly answer: (runs: boolean) => void,
  ) {
    super(app);
  }

  onOpen(): void {
    this.setTitle("Run the code of these notes?");
    for (const text of this.paragraphs) {
      this.contentEl.createEl("p", { text });
    }
    this.contentEl.createEl("pre", { cls: "checked-vault-command", text: this.command });
    new Setting(this.contentEl)
      .addButton((button) =>
        button
          .setButtonText("Run and check")
          .setCta()
          .onClick(() => this.#give(true)),
      )
      .addButton((button) => button.setButtonText("Not now").onClick(() => this.#give(false)));
  }

  onClose(): void {
    this.contentEl.empty();
    this.#give(false);
  }

  #give(runs: boolean): void {
    if (!this.#answered) {
      this.#answered = true;
      this.answer(runs);
      this.close();
    }
  }
}

/** Lets the user choose one of several edits. */
export class Choice extends SuggestModal<Action> {
  constructor(
    app: App,
    private readonly actions: Action[],
    private readonly choose: (action: Action) => void,
  ) {
    super(app);
  }

  getSuggestions(query: string): Action[] {
    const words = query.toLowerCase();
    return this.actions.filter(({ title }) => title.toLowerCase().includes(words));
  }

  renderSuggestion(action: Action, element: HTMLElement): void {
    element.setText(action.title);
  }

  onChooseSuggestion(action: Action): void {
    this.choose(action);
  }
}
