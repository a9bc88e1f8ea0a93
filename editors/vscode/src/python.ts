import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";

const run = promisify(execFile);
/** Milliseconds within which a Python must answer; the first start after an installation is slow. */
const PATIENCE = 30_000;

/** What a Python answered: that it has the server, or why it cannot be used. */
interface Answer {
  command: string;
  problem: string;
}

/** Return the first Python that has the server, and what those before it answered. */
export async function findPython(): Promise<{ python?: string; tried: string[] }> {
  const tried: string[] = [];
  for (const command of new Set(await candidates())) {
    const answer = await ask(command);
    if (!answer.problem) {
      return { python: command, tried };
    }
    tried.push(`${answer.command}: ${answer.problem}`);
  }
  return { tried };
}

async function candidates(): Promise<string[]> {
  const chosen = vscode.workspace.getConfiguration("vaultkit").get<string>("python")?.trim();
  if (chosen) {
    return [chosen];
  }
  const windows = process.platform === "win32";
  const inside = windows ? ["Scripts", "python.exe"] : ["bin", "python"];
  const folders = vscode.workspace.workspaceFolders ?? [];
  const environments = folders
    .filter((folder) => folder.uri.scheme === "file")
    .flatMap((folder) => [".venv", "venv"].map((name) => join(folder.uri.fsPath, name, ...inside)))
    .filter((path) => existsSync(path));
  const ofExtension = await choiceOfPythonExtension();
  return [...environments, ...ofExtension, ...(windows ? ["py", "python"] : ["python3", "python"])];
}

async function choiceOfPythonExtension(): Promise<string[]> {
  try {
    const extension = vscode.extensions.getExtension("ms-python.python");
    const api = await extension?.activate();
    const path: unknown = api?.environments?.getActiveEnvironmentPath()?.path;
    return typeof path === "string" ? [path] : [];
  } catch {
    return [];
  }
}

async function ask(command: string): Promise<Answer> {
  try {
    await run(command, ["-P", "-c", "import vaultkit.doors.language_server"], {
      timeout: PATIENCE,
    });
    return { command, problem: "" };
  } catch (error) {
    const { code, stderr } = error as { code?: string | number; stderr?: string };
    const last = stderr?.trim().split("\n").at(-1);
    const problem = code === "ENOENT" ? "not there" : last || String(error);
    return { command, problem };
  }
}
