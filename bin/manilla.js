#!/usr/bin/env node
// The command `manilla` (`npx manilla …`): makes sure in a checkout that the packages are there, then runs the real command on
// the pinned Node, whatever Node started this.

import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { pinnedNode } from '#scripts/pinned-node.js'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const wanted = process.argv[2] === 'serve' ? 'start' : 'packages'
const install = spawnSync(process.execPath, [path.join(root, 'scripts', 'install.js'), wanted], {
  stdio: ['ignore', 2, 2],
})
if (install.status !== 0) process.exit(install.status ?? 1)

const { file: node, missing } = pinnedNode()
if (node === undefined) {
  console.error(missing)
  process.exit(1)
}
// Why these flags: bench/README.md. `npm start` has them from the same place.
const { config } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
const flags = config.nodeFlags.split(' ')
const command = path.join(root, 'src', 'bin', 'manilla.js')
// The channel carries nothing. Its end tells the command that this process is gone, also by kill -9.
const child = spawn(node, [...flags, command, ...process.argv.slice(2)], { stdio: [0, 1, 2, 'ipc'] })

// The terminal sends Ctrl-C to both of us; a supervisor sends its signal to this process alone.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1))
child.on('error', (error) => {
  console.error(`Could not run ${node}: ${error.message}. Remove node_modules and try again.`)
  process.exit(1)
})
