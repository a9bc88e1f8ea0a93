/** The server: a process, and the messages of the protocol over its streams. */

import { type ChildProcess, spawn } from "child_process";

interface Message {
  id?: number | string;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { message: string };
}

interface Waiting {
  resolve: (result: unknown) => void;
  reject: (why: Error) => void;
  timer: number;
}

export interface Start {
  words: string[];
  folder: string;
  environment: Record<string, string | undefined>;
  /** Seconds to wait for an answer. */
  patience: number;
  /** The parameters of the first request. */
  greeting: object;
}

export interface Listener {
  /** Receive a notification or a request of the server. */
  heard(method: string, params: unknown): void;
  /** Receive the notice that the server has ended by itself, and its last words. */
  ended(why: string): void;
}

/** Seconds for the server to end before it is killed. */
const GRACE = 2;
/** Characters of the server's errors that are kept. */
const KEPT = 2000;

/** One process of the server. It is started once. */
export class Server {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  readonly #gone: Promise<void>;
  #received = new Uint8Array(0);
  #errors = "";
  #count = 0;
  #stopping = false;
  /** Whether the process runs and may be written to. */
  #alive = true;

  constructor(
    private readonly start: Start,
    private readonly listener: Listener,
  ) {
    const [command, ...words] = start.words;
    this.#child = spawn(command, words, {
      cwd: start.folder,
      env: start.environment,
      windowsHide: true,
    });
    this.#gone = new Promise((resolve) => {
      const end = (why: string) => {
        if (this.#alive) {
          this.#alive = false;
          this.#ended(why);
          resolve();
        }
      };
      this.#child.on("error", (error: Error & { code?: string }) =>
        end(error.code === "ENOENT" ? `${command} is not there` : error.message),
      );
      // Its last errors have arrived when its streams are closed.
      this.#child.on("close", (code, signal) =>
        end(this.#errors.trim().split("\n").at(-1) || `it ended (${signal ?? code})`),
      );
    });
    this.#child.stdout?.on("data", (chunk: Uint8Array) => this.#take(chunk));
    this.#child.stderr?.on("data", (chunk: Uint8Array) => {
      this.#errors = (this.#errors + new TextDecoder().decode(chunk)).slice(-KEPT);
    });
    this.#child.stdin?.on("error", () => undefined); // the process has ended, which is told above
  }

  /** Exchange greetings; end the server if it does not answer. */
  async greet(): Promise<void> {
    try {
      await this.request("initialize", this.start.greeting);
      this.notify("initialized", {});
    } catch (error) {
      this.end();
      throw error;
    }
  }

  request(method: string, params?: unknown, patience = this.start.patience): Promise<unknown> {
    const id = ++this.#count;
    return new Promise((resolve, reject) => {
      if (!this.#alive) {
        reject(new Error("the server does not run"));
        return;
      }
      const timer = window.setTimeout(() => {
        this.#waiting.delete(id);
        this.notify("$/cancelRequest", { id });
        reject(new Error(`the server did not answer within ${patience} s`));
      }, 1000 * patience);
      this.#waiting.set(id, { resolve, reject, timer });
      this.#send({ id, method, params });
    });
  }

  notify(method: string, params?: unknown): void {
    this.#send({ method, params });
  }

  /** Ask the server to end, and kill it if it does not. */
  async stop(): Promise<void> {
    this.#stopping = true;
    if (this.#alive) {
      const timer = window.setTimeout(() => this.#child.kill("SIGKILL"), 1000 * GRACE);
      await this.request("shutdown", undefined, GRACE).catch(() => undefined);
      this.notify("exit");
      await this.#gone;
      window.clearTimeout(timer);
    }
  }

  /** End the server at once, without waiting: the app ends. */
  end(): void {
    this.#stopping = true;
    this.#child.kill();
  }

  #ended(why: string): void {
    for (const { reject, timer } of this.#waiting.values()) {
      window.clearTimeout(timer);
      reject(new Error(why));
    }
    this.#waiting.clear();
    if (!this.#stopping) {
      this.listener.ended(why);
    }
  }

  #send(message: Message): void {
    if (this.#alive) {
      const body = new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", ...message }));
      this.#child.stdin?.write(`Content-Length: ${body.length}\r\n\r\n`);
      this.#child.stdin?.write(body);
    }
  }

  /** Take bytes, and pass on each whole message. */
  #take(chunk: Uint8Array): void {
    const all = new Uint8Array(this.#received.length + chunk.length);
    all.set(this.#received);
    all.set(chunk, this.#received.length);
    let begin = 0;
    for (;;) {
      const body = bodyOf(all, begin);
      if (!body || body.end > all.length) {
        break;
      }
      begin = body.end;
      this.#hear(JSON.parse(new TextDecoder().decode(all.subarray(body.begin, body.end))) as Message);
    }
    this.#received = all.slice(begin);
  }

  #hear(message: Message): void {
    if (message.method !== undefined) {
      if (message.id !== undefined) {
        this.#send({ id: message.id, result: null });
      }
      this.listener.heard(message.method, message.params);
      return;
    }
    const waiting = this.#waiting.get(message.id as number);
    if (waiting) {
      this.#waiting.delete(message.id as number);
      window.clearTimeout(waiting.timer);
      if (message.error) {
        waiting.reject(new Error(message.error.message));
      } else {
        waiting.resolve(message.result);
      }
    }
  }
}

/** Return where the body of the message begins and ends whose header begins at a place. */
function bodyOf(bytes: Uint8Array, at: number): { begin: number; end: number } | undefined {
  for (let end = at; end + 3 < bytes.length; end++) {
    // An empty line ends the header.
    if (bytes[end] === 13 && bytes[end + 1] === 10 && bytes[end + 2] === 13) {
      const header = new TextDecoder().decode(bytes.subarray(at, end));
      const length = Number(/content-length: *(\d+)/i.exec(header)?.[1]);
      return { begin: end + 4, end: end + 4 + length };
    }
  }
  return undefined;
}
