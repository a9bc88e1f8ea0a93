#!/usr/bin/env bash
# Make the folder of a release: Obsidian wants the manifest at the root of a repository of its own,
# and the three files of the plugin at a release whose tag is the version.
set -euo pipefail
cd "$(dirname "$0")"
folder=${1:?usage: release.sh FOLDER}
npm run --silent check
npm run --silent lint
npm run --silent build
mkdir -p "$folder/release"
cp -r README.md BY_HAND.md manifest.json versions.json styles.css package.json tsconfig.json \
  build.mjs eslint.config.mjs src pictures ../../LICENSE "$folder"
cp dist/main.js dist/manifest.json dist/styles.css "$folder/release"
version=$(node -p 'JSON.parse(require("fs").readFileSync("manifest.json")).version')
echo "$folder: commit all but release/, tag it $version, and attach the files of release/ to that tag"
