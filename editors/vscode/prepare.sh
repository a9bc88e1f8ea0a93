#!/usr/bin/env bash
# Install code-server, which is VS Code in a browser, from npm into a folder (by default here, where
# git ignores it), and compile its native modules. It needs Node, the headers of Node, make and a C++
# compiler.
set -euo pipefail
folder=${1:-$(dirname "$0")/.code-server}
mkdir -p "$folder"
cd "$folder"
echo '{}' >package.json  # npm would take the package around this folder
quiet=(--ignore-scripts --omit=dev --no-audit --no-fund --no-save)
npm install "${quiet[@]}" "code-server@${CODE_SERVER_VERSION:-4.100.3}"
code=node_modules/code-server/lib/vscode
(cd "$code" && npm install "${quiet[@]}")
(cd "$code/extensions" && npm install "${quiet[@]}")
nodedir=$(node -p 'require("path").resolve(process.execPath, "../..")')
export npm_config_nodedir=$nodedir
npm_config_node_gyp=$(npm root --global)/npm/node_modules/node-gyp/bin/node-gyp.js
export npm_config_node_gyp
for name in node-pty @vscode/spdlog native-watchdog; do
  (cd "$code/node_modules/$name" && node "$npm_config_node_gyp" rebuild)
done
(cd node_modules/argon2 && node ../@mapbox/node-pre-gyp/bin/node-pre-gyp rebuild --build-from-source)
