#!/usr/bin/env node
// The command `manilla` in a checkout (`npx manilla …`): makes sure that the packages are there, then runs the real
// command on the pinned Node, whatever Node started this.

import { spawn, spawnSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const install = spawnSync(process.execPath, [path.join(root, 'scripts', 'install.js'), 'start'], {
  stdio: ['ignore', 2, 2],
})
if (install.status !== 0) process.exit(install.status ?? 1)

const node = path.join(root, 'node_modules', 'node', 'bin', 'node')
// On a large machine V8 would give its youngest objects 128 MB, of which a service like this uses a small part.
const flags = ['--max-semi-space-size=16']
const command = path.join(root, 'src', 'bin', 'manilla.ts')
const child = spawn(node, [...flags, command, ...process.argv.slice(2)], { stdio: 'inherit' })

// The terminal sends Ctrl-C to both of us; a supervisor sends its signal to this process alone.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1))
child.on('error', (error) => {
  console.error(`Could not run ${node}: ${error.message}. Remove node_modules and try again.`)
  process.exit(1)
})
