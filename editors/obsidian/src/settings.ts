import { type App, type Plugin, PluginSettingTab, Setting } from "obsidian";
import type { Settings } from "./command";

/** What the tab needs of the plugin. */
interface Configured extends Plugin {
  settings: Settings;
  set(settings: Partial<Settings>): Promise<void>;
  disclosure(): string;
  restart(): Promise<void>;
}

export class SettingsTab extends PluginSettingTab {
  constructor(
    app: App,
    private readonly plugin: Configured,
  ) {
    super(app, plugin);
  }

  display(): void {
    const { containerEl, plugin } = this;
    const { settings } = plugin;
    containerEl.empty();
    containerEl.createEl("p", { text: plugin.disclosure() });

    const text = (
      name: string,
      desc: string,
      key: "command" | "environment",
      long = true,
    ) => {
      const one = new Setting(containerEl).setName(name).setDesc(desc);
      const set = (value: string) => void plugin.set({ [key]: value });
      if (long) {
        one.addTextArea((area) => area.setValue(settings[key]).onChange(set));
      } else {
        one.addText((field) => field.setValue(settings[key]).onChange(set));
      }
    };
    const number = (name: string, desc: string, key: "pause" | "patience", least: number) =>
      new Setting(containerEl)
        .setName(name)
        .setDesc(desc)
        .addText((field) =>
          field.setValue(String(settings[key])).onChange((value) => {
            if (Number(value) >= least && value.trim()) {
              void plugin.set({ [key]: Number(value) });
            }
          }),
        );

    text(
      "Python or command",
      "A Python that has the package, or a whole command line; quote paths with blanks. " +
        "If it is empty, these are looked for: an environment .venv or venv in the vault or in the " +
        "folder around it, the command vaultkit, Python.",
      "command",
      false,
    );
    text("Environment", "Variables of the server, one name=value a line.", "environment");
    new Setting(containerEl)
      .setName("Notes that run")
      .setDesc("Links and the form of all notes are always checked.")
      .addDropdown((choice) =>
        choice
          .addOptions({ all: "The code of all notes", open: "Only the code of open notes" })
          .setValue(settings.check)
          .onChange((check) => void plugin.set({ check: check as Settings["check"] })),
      );
    number("Pause", "Seconds after the last key before a note is checked.", "pause", 0);
    number("Patience", "Seconds to wait for an answer of the server.", "patience", 1);
    new Setting(containerEl)
      .setName("Restart the server")
      .setDesc("The other settings take effect then. A changed command is shown to you first.")
      .addButton((button) => button.setButtonText("Restart").onClick(() => void plugin.restart()));
  }
}
