import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions } from "vscode-languageclient/node";
import { findPython } from "./python";

/** What the server says about all notes of a folder. */
interface Status {
  folder: string;
  text: string;
  fail: number;
  waiting: number;
}

const INSTALL = "checked-vault[lsp]";
let client: LanguageClient | undefined;
let output: vscode.OutputChannel;
let bar: vscode.StatusBarItem;
const known = new Map<string, Status>();
/** Starts and stops one after the other. */
let last: Promise<void> = Promise.resolve();

export function activate(context: vscode.ExtensionContext): Promise<void> {
  output = vscode.window.createOutputChannel("Checked Vault");
  bar = vscode.window.createStatusBarItem("vaultkit.status", vscode.StatusBarAlignment.Left);
  bar.name = "Checked Vault";
  context.subscriptions.push(
    output,
    bar,
    vscode.commands.registerCommand("vaultkit.restart", restart),
    vscode.commands.registerCommand("vaultkit.showOutput", () => output.show()),
    vscode.workspace.onDidChangeConfiguration(configure),
  );
  return restart();
}

export function deactivate(): Promise<void> {
  last = last.then(stop, stop);
  return last;
}

function restart(): Promise<void> {
  last = last.then(stop, stop).then(start);
  return last;
}

async function stop(): Promise<void> {
  const stopped = client;
  client = undefined;
  known.clear();
  await stopped?.dispose().catch((error) => output.appendLine(String(error)));
}

async function start(): Promise<void> {
  say("$(sync~spin) Checked Vault", "Looking for Python", "vaultkit.showOutput");
  const { python, tried } = await findPython();
  if (!python) {
    await sayWhatIsMissing(tried);
    return;
  }
  output.appendLine(`${python} -P -m vaultkit lsp`);
  const options: LanguageClientOptions = {
    documentSelector: [{ language: "markdown", scheme: "file" }],
    outputChannel: output,
    initializationOptions: settings(),
  };
  const server = { command: python, args: ["-P", "-m", "vaultkit", "lsp"] };
  client = new LanguageClient("vaultkit", "Checked Vault", server, options);
  client.onNotification("vaultkit/status", showStatus);
  client.onNotification("vaultkit/message", showMessage);
  try {
    await client.start();
  } catch (error) {
    say("$(error) Checked Vault", String(error), "vaultkit.showOutput");
  }
}

function settings(): object {
  const given = vscode.workspace.getConfiguration("vaultkit");
  const [check, pause] = ["check", "pause"].map((name) => given.get(name));
  return { vaultkit: { check, pause, messages: "notification" } };
}

async function configure(event: vscode.ConfigurationChangeEvent): Promise<void> {
  if (event.affectsConfiguration("vaultkit.python")) {
    await restart();
  } else if (event.affectsConfiguration("vaultkit") && client?.isRunning()) {
    await client.sendNotification("workspace/didChangeConfiguration", { settings: settings() });
  }
}

/** Say which Pythons were tried, and how to install the server. */
async function sayWhatIsMissing(tried: string[]): Promise<void> {
  const what = `No Python was found that has ${INSTALL}. Tried:`;
  output.appendLine([what, ...tried.map((line) => `  ${line}`)].join("\n"));
  say("$(warning) Checked Vault: no Python", [what, ...tried].join("\n"), "vaultkit.showOutput");
  const [settings, help] = ["Choose Python", "How to install it"];
  // The message waits for the user; the server may be restarted meanwhile.
  void vscode.window
    .showWarningMessage(`${what} ${tried.join("; ")}`, settings, help)
    .then((answer) => {
      if (answer === settings) {
        void vscode.commands.executeCommand("workbench.action.openSettings", "vaultkit.python");
      } else if (answer === help) {
        const walkthrough = "attention-vault.checked-vault#start";
        void vscode.commands.executeCommand("workbench.action.openWalkthrough", walkthrough);
      }
    });
}

function showStatus(status: Status): void {
  known.set(status.folder, status);
  const all = [...known.values()];
  const fails = all.some((one) => one.fail > 0);
  const icon = fails ? "error" : all.some((one) => one.waiting > 0) ? "sync~spin" : "check";
  const words = all.map((one) => one.text).join("; ");
  say(`$(${icon}) ${words}`, `${words}\nShow the problems`, "workbench.actions.view.problems");
}

/** Show the result of a run: VS Code's own messages would join its lines. */
function showMessage({ text, fails }: { text: string; fails: boolean }): void {
  const first = text.split("\n", 1)[0];
  output.appendLine(text);
  output.show(true);
  if (fails) {
    void vscode.window.showWarningMessage(first);
  }
}

function say(text: string, tooltip: string, command: string): void {
  Object.assign(bar, { text, tooltip, command });
  bar.show();
}
