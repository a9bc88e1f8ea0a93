/* Python for the checks of a page in the reader's browser: a worker that stays from page to page. Nothing is
fetched before the first click. `VAULTKIT_ENGINE` is defined above: the addresses and hashes of Python.
The scripts `CHECKER` of `site/assets.py` are published as one, in one function. */

const here = document.currentScript.src;
const address = (path) => new URL(path, here).href;
// The build's time limit is for native Python; here Python is slower.
const PATIENCE = 2;
// Milliseconds in which code must react to an interrupt; after that its worker is terminated.
const GIVES_IN = 2000;

// The part of a bar that shows how much was loaded; the rest shows how Python starts.
const LOADED = .5;
const TICK = 200;  // milliseconds in which the bar comes nearer to the end of a part by SHARE
const SHARE = .03;

const { host } = new URL(address(VAULTKIT_ENGINE.pyodide));
// What a browser has fetched once comes from its cache.
const fetched = VAULTKIT_KEPT("python");
const FILES = address(VAULTKIT_ENGINE.pyodide) + VAULTKIT_ENGINE.bundle.address;
/* What a click will fetch; empty if it fetches nothing. The site's own host needs no name. */
const cost = () => (engine.loaded || fetched.all().files === FILES ? ""
  : `about ${VAULTKIT_ENGINE.megabytes} MB${host === location.host ? "" : ` from ${host}`}`);

class Stopped extends Error {}

const engine = {
  worker: null, ready: null, loaded: false, runs: 0, progress: () => {}, begins: () => {}, moving: 0, bar: null,
  // Of the present run: the receiver of results, and the function that aborts it.
  running: null, interrupt: null, refuse: () => {},
  // On an isolated host, a byte that Python watches; the signal of a stop; the run's end.
  signal: null, stopped: "", ending: 0, over: null,

  start() {
    if (this.ready) return this.ready;
    if (location.protocol === "file:") {
      return Promise.reject(new Error("This page was opened from a file, and a browser does not start " +
        "Python for such a page. Serve its folder (python -m http.server) and open it from there."));
    }
    this.ready = new Promise((resolve, reject) => {
      this.refuse = reject;
      const blocked = () => reject(new Error(!navigator.onLine ?
        "There is no network, and Python has to be loaded." : "The browser did not let a web worker start, and " +
        "the checks need one: a setting or an extension may forbid it."));
      try {
        this.worker = new Worker(address(VAULTKIT_ENGINE.worker));
      } catch {
        blocked();
        return;
      }
      this.worker.addEventListener("error", (event) => { event.preventDefault(); blocked(); });
      this.worker.addEventListener("message", ({ data }) => {
        if (data.loaded) this.progress(data.loaded, data.total);
        else if (data.stage) this.begins(data.stage, data.part);
        else if (data.ready) {
          this.loaded = true;
          fetched.keep({ files: FILES });
          this.unwatch();
          resolve();
        } else if (data.booting) reject(new Error(`Python could not be loaded: ${data.failed}.`));
        else this.running?.(data);
      });
      const { files, figures, root, bundle, pyodide } = VAULTKIT_ENGINE;
      this.signal = globalThis.crossOriginIsolated ? new Uint8Array(new SharedArrayBuffer(1)) : null;
      this.worker.postMessage({ boot: {
        signal: this.signal, files, figures, root, pyodide: address(pyodide), bundle: { ...bundle, address: address(bundle.address) },
      } });
    });
    this.ready.catch(() => this.end());
    return this.ready;
  },

  /* Shows in a bar and in words how far the start has come. */
  watch(bar, tell) {
    this.unwatch();
    this.bar = bar;
    bar.value = 0;
    bar.hidden = false;
    const fetches = cost();
    tell(fetches ? "loading Python …" : "starting Python …");
    // As many megabytes as were announced: files are sent compressed, and counted as they are unpacked.
    const { megabytes } = VAULTKIT_ENGINE;
    this.progress = (loaded, total) => {
      bar.value = LOADED * loaded / total;
      if (fetches) tell(`loading Python: ${Math.round(megabytes * loaded / total)} of ${megabytes} MB`);  // a screen reader reads each change
    };
    // How far a part has come is not known: the bar moves, and does not reach its end.
    this.begins = (part, [begin, end]) => {
      const at = (share) => LOADED + (1 - LOADED) * share;
      bar.value = at(begin);
      clearInterval(this.moving);
      this.moving = setInterval(() => { bar.value += SHARE * (at(end) - bar.value); }, TICK);
      tell(`starting Python: ${part} …`);
    };
  },

  /* Hides the bar. */
  unwatch() {
    clearInterval(this.moving);
    if (this.bar) this.bar.hidden = true;
    this.progress = this.begins = () => {};
  },

  /* Checks one note; `report` receives each result as it is found. */
  check(name, edits, report) {
    return this.run({ name, edits }, report);
  },

  /* Calls a function of the vault's modules ("module:name") with a text; it returns a text. */
  async call(where, argument, seconds) {
    let answer;
    await this.run({ where, argument, seconds }, (data) => { answer = data.answer ?? answer; });
    return answer;
  },

  async run(message, report) {
    await this.start();
    await this.over?.catch(() => {});
    await this.start();
    const id = ++this.runs;
    return this.over = new Promise((resolve, reject) => {
      let timer;
      const finish = (act, value) => {
        clearTimeout(timer);
        clearTimeout(this.ending);
        this.running = this.interrupt = this.over = null;
        this.stopped = "";
        act(value);
      };
      this.interrupt = (why) => finish(reject, new Stopped(why));
      this.running = (data) => {
        if (data.id !== id) return;
        if (data.limit) {
          clearTimeout(timer);
          data.limit *= PATIENCE;
          timer = setTimeout(() => this.stop(`Stopped after ${data.limit} s, which is the limit of a block: ` +
            "a loop in it may not end."), data.limit * 1000);
        }
        if (data.done) finish(resolve, data.seconds);
        else if (data.stopped) {
          finish(reject, new Stopped(`${this.stopped} Python stays loaded; only this run is lost.`));
        }
        else if (data.failed) finish(reject, new Error(`Nothing was judged: ${data.failed}`));
        else report(data);
      };
      if (this.signal) this.signal[0] = 0;  // a late message of the previous run
      this.worker.postMessage({ id, ...message });
    });
  },

  /* Interrupts Python if page and worker can share memory. Elsewhere, and if the code ignores the
  interrupt, terminates the worker, and starts another one. */
  stop(why) {
    const { interrupt, loaded, refuse, running, signal, worker } = this;
    if (!worker) return;
    if (signal && running && !this.stopped) {
      this.stopped = why;
      signal[0] = 2;  // SIGINT
      this.ending = setTimeout(() => this.stop(why), GIVES_IN);
      return;
    }
    this.end();
    if (!loaded) {
      refuse(new Stopped(why));
      return;
    }
    interrupt?.(`${why} Python starts again; what it had computed is lost.`);
    this.start().catch(() => {});
  },

  end() {
    this.worker?.terminate();
    this.unwatch();
    this.worker = this.ready = this.running = this.interrupt = this.signal = null;
    this.loaded = false;
  },
};
