#!/usr/bin/env node
// The command `manilla` in a checkout (`npx manilla …`): makes sure that the packages are there, then runs the real
// command on the pinned Node, whatever Node started this.

import { spawn, spawnSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const install = spawnSync(process.execPath, [path.join(root, 'scripts', 'install.js'), 'start'], { stdio: ['ignore', 2, 2] })
if (install.status !== 0) process.exit(install.status ?? 1)

const node = path.join(root, 'node_modules', 'node', 'bin', 'node')
const child = spawn(node, [path.join(root, 'src', 'bin', 'manilla.ts'), ...process.argv.slice(2)], { stdio: 'inherit' })

// The terminal sends Ctrl-C to both of us; a supervisor sends its signal to this process alone.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1))
