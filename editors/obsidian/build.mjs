// Bundle the plugin into dist/, with what else a release has.
import { copyFileSync, mkdirSync } from "node:fs";
import { build } from "esbuild";

mkdirSync("dist", { recursive: true });
await build({
  entryPoints: ["src/main.ts"],
  bundle: true,
  minify: true,
  charset: "utf8",
  format: "cjs",
  target: "es2022",
  outfile: "dist/main.js",
  // Obsidian gives these to its plugins; a second copy of CodeMirror would not fit its editor.
  external: ["obsidian", "electron", "@codemirror/*", "@lezer/*", "child_process", "fs", "url"],
});
for (const name of ["manifest.json", "styles.css"]) {
  copyFileSync(name, `dist/${name}`);
}
