// Runs before `npm start`, `npm test` and the checks, on whatever Node the machine has: installs the packages of the
// lock file when they are absent or stale, and does nothing otherwise, whoever installed them. Plain JavaScript, no
// dependency.
//
//   node scripts/install.js start   what serving needs (quicker on a fresh clone)
//   node scripts/install.js all     what testing, checking and measuring need too

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const wanted = process.argv[2] === 'all' ? 'all' : 'start'
/** npm's own list of what it put there. It is written last, so an installation that was broken off has none. */
const inventory = path.join(root, 'node_modules', '.package-lock.json')
/** Brought by its package's install script, which a machine may forbid. */
const pinnedNode = path.join(root, 'node_modules', 'node', 'bin', 'node')

function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages
}

/** What is there must be what the lock file says; what is not there must be of no use here. */
function installed() {
  if (!existsSync(inventory) || !existsSync(pinnedNode)) return false
  const there = packagesOf(inventory)
  return Object.entries(packagesOf(path.join(root, 'package-lock.json'))).every(([place, locked]) => {
    if (!place.includes('node_modules/')) return true // Our own package, not one of npm's.
    // A workspace is a link into this tree, which npm may have listed without having made it.
    if (locked.link === true) return existsSync(path.join(root, place))
    const found = there[place]
    if (found !== undefined) return found.version === locked.version && found.integrity === locked.integrity
    // Optional ones are those of other platforms.
    return locked.optional === true || (wanted === 'start' && (locked.dev === true || locked.devOptional === true))
  })
}

function stop(sentence) {
  console.error(sentence)
  process.exit(1)
}

if (!installed()) {
  console.error(`installing packages (${wanted === 'all' ? 'with the tools for tests' : 'what serving needs'}) …`)
  const flags = ['ci', '--no-audit', '--no-fund', '--loglevel=error', ...(wanted === 'all' ? [] : ['--omit=dev'])]
  const run = spawnSync('npm', flags, { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' })
  if (run.status !== 0) {
    stop('Could not install the packages. Check the network and that this folder is writable, then try again.')
  }
  if (!existsSync(pinnedNode)) {
    stop(
      'npm left out the install scripts, without which there is no Node and no PostgreSQL. Allow them: npm ci --ignore-scripts=false',
    )
  }
}
