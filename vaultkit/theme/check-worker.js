/* Runs the checks of a vault in Pyodide, off the page's own thread.
   Receives {boot: {…}} once, then {id, name, edits} for each note; posts each result when it is found.
   For {id, where, argument, seconds} it calls a function of the vault's modules. */
"use strict";

const TYPES = { js: "text/javascript", json: "application/json", wasm: "application/wasm" };
const NUMPY = /^(numpy)-([\d.]+)-.*\.whl$/;

// Shares of the time of a start that have passed when a part of it begins and ends, measured on one machine.
const STAGES = { "the interpreter": [0, .4], NumPy: [.4, .55], "the checker": [.55, .78], "the notes": [.78, 1] };

const real = { fetch: self.fetch.bind(self), importScripts: self.importScripts.bind(self) };
let check;
let call;

const hex = (buffer) =>
  [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/* Fetches a file, posts the progress, and compares its SHA-256 with the expected one. */
const get = async (address, sha256, progress) => {
  let answer;
  try {
    answer = await real.fetch(address);
  } catch {
    throw new Error(`${new URL(address).host} cannot be reached`);
  }
  if (!answer.ok) throw new Error(`${new URL(address).host} answers ${answer.status} for ${address}`);
  const parts = [];
  const reader = answer.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      progress(value.length);
    }
  } catch {
    throw new Error(`the connection to ${new URL(address).host} was interrupted`);
  }
  const data = await new Blob(parts).arrayBuffer();
  if (sha256 && hex(await crypto.subtle.digest("SHA-256", data)) !== sha256) {
    throw new Error(`${address} is not the file that this site was tested with, and was not run`);
  }
  return data;
};

const boot = async ({ pyodide, files, bundle, root, figures, signal }) => {
  if (!self.crypto?.subtle) {
    throw new Error("this address is not secure (https), and without that no file can be verified");
  }
  let loaded = 0;
  const total = Object.values(files).reduce((sum, [size]) => sum + size, bundle.size);
  const progress = (more) => postMessage({ loaded: (loaded += more), total });
  const names = Object.keys(files);
  const [engine, ...contents] = await Promise.all([
    get(bundle.address, "", progress),
    ...names.map((name) => get(new URL(name, pyodide).href, files[name][1], progress)),
  ]);
  const verified = new Map(names.map((name, index) => [name, contents[index]]));
  const numpy = names.find((name) => NUMPY.test(name));
  // Pyodide's own list of packages would be fetched for this one entry.
  const entry = {
    name: "numpy", version: NUMPY.exec(numpy)[2], file_name: numpy, install_dir: "site",
    sha256: files[numpy][1], package_type: "package", imports: ["numpy"], depends: [],
  };
  const info = { arch: "wasm32", platform: "emscripten_3_1_58", version: "0.27.7", python: "3.12.7" };
  const lock = JSON.stringify({ info: { abi_version: "2024_0", ...info }, packages: { numpy: entry } });
  verified.set("pyodide-lock.json", new TextEncoder().encode(lock).buffer);

  // From here on, every request is answered with verified files, or fails.
  const file = (address) => {
    const name = new URL(address, location).pathname.split("/").pop();
    if (!verified.has(name)) throw new TypeError(`nothing is fetched from here: ${address}`);
    return new Blob([verified.get(name)], { type: TYPES[name.split(".").pop()] ?? "" });
  };
  self.fetch = async (address) => new Response(file(address.url ?? address));
  self.importScripts = (...addresses) => {
    for (const address of addresses) {
      const blob = URL.createObjectURL(file(address));
      real.importScripts(blob);
      URL.revokeObjectURL(blob);
    }
  };
  const stage = (name) => postMessage({ stage: name, part: STAGES[name] });
  stage("the interpreter");
  self.importScripts("pyodide.js");
  const python = await self.loadPyodide({ indexURL: pyodide });
  stage("NumPy");
  await python.loadPackage("numpy", { messageCallback() {} });
  python.runPython("import numpy");
  verified.clear();
  stage("the checker");
  python.unpackArchive(engine, "zip", { extractDir: "/home/pyodide" });
  python.runPython(`
import importlib, json, os, sys
from pathlib import Path

sys.path[:0] = ["/home/pyodide/packages", "/home/pyodide/vault"]
os.chdir("/home/pyodide/vault")
from vaultkit.doors.browser import BrowserChecker
`);
  stage("the notes");
  python.runPython(`
desk = BrowserChecker(Path(${JSON.stringify(root)}), figures_module=${JSON.stringify(figures)})
desk.figures  # imported here, so that the first edit does not wait for it

def check(name, edits, report):
    desk.check(name, {int(k): v for k, v in json.loads(edits).items()}, lambda m: report(json.dumps(m)))

def call(where, argument):
    module, _, name = where.partition(":")
    return getattr(importlib.import_module(module), name)(argument)
`);
  [check, call] = ["check", "call"].map((name) => python.globals.get(name));
  if (signal) python.setInterruptBuffer(signal);
};

const words = (error) => String(error.message ?? error).trim().split("\n").pop();

self.onmessage = async ({ data }) => {
  try {
    if (data.boot) {
      await boot(data.boot);
      postMessage({ ready: true });
      return;
    }
    const began = performance.now();
    const report = (text) => postMessage({ id: data.id, ...JSON.parse(text) });
    if (data.where) {
      postMessage({ id: data.id, limit: data.seconds });
      postMessage({ id: data.id, answer: call(data.where, data.argument) });
    } else check(data.name, JSON.stringify(data.edits ?? {}), report);
    postMessage({ id: data.id, done: true, seconds: (performance.now() - began) / 1000 });
  } catch (error) {
    if (error.type === "KeyboardInterrupt") postMessage({ id: data.id, stopped: true });
    else postMessage({ id: data.id, failed: words(error), booting: Boolean(data.boot) });
  }
};
