// Runs before `npm start`, `npm test` and the checks, on whatever Node the machine has: installs the packages of the
// lock file when they are absent or stale, and does nothing otherwise. Plain JavaScript, no dependency.
//
//   node scripts/install.js start   what serving needs (quicker on a fresh clone)
//   node scripts/install.js all     what testing, checking and measuring need too

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const marker = path.join(root, 'node_modules', '.manilla-installed')
const wanted = process.argv[2] === 'all' ? 'all' : 'start'
const lock = createHash('sha256')
  .update(readFileSync(path.join(root, 'package-lock.json')))
  .digest('hex')

function installed() {
  if (!existsSync(marker)) return false
  const [set, hash] = readFileSync(marker, 'utf8').trim().split(' ')
  return hash === lock && (set === 'all' || set === wanted)
}

if (!installed()) {
  console.error(`installing packages (${wanted === 'all' ? 'with the tools for tests' : 'what serving needs'}) …`)
  const flags = ['ci', '--no-audit', '--no-fund', '--loglevel=error', ...(wanted === 'all' ? [] : ['--omit=dev'])]
  const run = spawnSync('npm', flags, { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' })
  if (run.status !== 0) {
    console.error('Could not install the packages. Check the network and that this folder is writable, then try again.')
    process.exit(1)
  }
  writeFileSync(marker, `${wanted} ${lock}\n`)
}
