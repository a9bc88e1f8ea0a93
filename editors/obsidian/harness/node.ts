// What the plugin uses of Node, over a server of the test, which starts the processes.

type Handler = (...given: never[]) => void;

class Emitter {
  private handlers: [string, Handler][] = [];

  on(name: string, handler: Handler): void {
    this.handlers.push([name, handler]);
  }

  emit(name: string, ...given: unknown[]): void {
    for (const [one, handler] of this.handlers) {
      if (one === name) {
        handler(...(given as never[]));
      }
    }
  }
}

/** Ask at once, as Node does. */
function ask(path: string, body?: unknown): unknown {
  const request = new XMLHttpRequest();
  request.open("POST", path, false);
  request.send(body as XMLHttpRequestBodyInit);
  return JSON.parse(request.responseText);
}

const bytesOf = (text: string) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0));

function spawn(command: string, words: string[], { cwd, env }: { cwd: string; env: object }) {
  const child = Object.assign(new Emitter(), {
    stdout: new Emitter(),
    stderr: new Emitter(),
    stdin: Object.assign(new Emitter(), {
      write: (body: string | Uint8Array) => error ?? ask(`/write/${id}`, body),
    }),
    // Nothing can be asked at once by a page that is being left.
    kill: (signal = "SIGTERM") => error ?? navigator.sendBeacon(`/kill/${id}`, signal),
  });
  const { id, error } = ask("/spawn", JSON.stringify({ words: [command, ...words], cwd, env })) as {
    id: number;
    error?: string;
  };
  const listen = async () => {
    for (;;) {
      const [name, text, signal] = await (await fetch(`/read/${id}`)).json();
      if (name === "close") {
        child.emit("close", text, signal);
        return;
      }
      child[name as "stdout" | "stderr"].emit("data", bytesOf(text));
    }
  };
  setTimeout(() => {
    if (error) {
      child.emit("error", Object.assign(new Error(`spawn ${command} ${error}`), { code: error }));
    } else {
      void listen();
    }
  });
  return child;
}

export const modules = {
  child_process: { spawn },
  fs: { existsSync: (path: string) => ask("/exists", path) },
  url: {
    pathToFileURL: (path: string) =>
      new URL(`file://${path.split("/").map(encodeURIComponent).join("/")}`),
    fileURLToPath: (uri: string) => decodeURIComponent(new URL(uri).pathname),
  },
};
