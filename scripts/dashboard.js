// Builds the dashboard into dist/dashboard with Vite, before the service starts (scripts/install.js). Plain JavaScript without
// imports of packages, because it also runs on an old Node before any package is installed. Only the build needs Vite.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { pinnedNode } from './pinned-node.js'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const sources = path.join(root, 'dashboard')
const dist = path.join(root, 'dist')
const built = path.join(dist, 'dashboard')
/** The file with the fingerprint of the sources. It is written last, so an unfinished build has none. */
const fingerprintFile = 'fingerprint'
const unfinishedPrefix = 'building-'

/** Returns true if dist/dashboard was built from these sources. A package without the sources has nothing to build. */
export function isDashboardBuilt() {
  if (!existsSync(path.join(sources, 'package.json'))) return true
  const file = path.join(built, fingerprintFile)
  return existsSync(file) && readFileSync(file, 'utf8') === fingerprintSources()
}

/** The caller holds the lock of scripts/install.js, so no other process builds at the same time. */
export function buildDashboard() {
  mkdirSync(dist, { recursive: true })
  removeUnfinished()
  const unfinished = mkdtempSync(path.join(dist, unfinishedPrefix))
  try {
    const fingerprint = fingerprintSources()
    runVite(unfinished)
    writeFileSync(path.join(unfinished, fingerprintFile), fingerprint)
    // A folder with files cannot be replaced in one step. A service that finds none in between tries again.
    const old = mkdtempSync(path.join(dist, unfinishedPrefix))
    if (existsSync(built)) renameSync(built, path.join(old, 'dashboard'))
    renameSync(unfinished, built)
  } finally {
    removeUnfinished()
  }
}

function removeUnfinished() {
  for (const name of readdirSync(dist)) {
    if (name.startsWith(unfinishedPrefix)) rmSync(path.join(dist, name), { recursive: true, force: true })
  }
}

/** Hashes the sources, which include the settings of the build, and the lock file, which pins the build tools. */
function fingerprintSources() {
  const hash = createHash('sha256')
  for (const file of [...listFiles(sources), path.join(root, 'package-lock.json')]) {
    const content = readFileSync(file)
    hash.update(`${path.relative(root, file)}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex').slice(0, 32)
}

function listFiles(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .flatMap((entry) => {
      const file = path.join(folder, entry.name)
      return entry.isDirectory() ? listFiles(file) : [file]
    })
    .toSorted((left, right) => (left < right ? -1 : 1))
}

function runVite(outDir) {
  const program = [sources, root]
    .map((folder) => path.join(folder, 'node_modules', 'vite', 'bin', 'vite.js'))
    .find((file) => existsSync(file))
  if (program === undefined) throw new Error('Vite is not installed')
  const flags = ['build', '--outDir', outDir, '--emptyOutDir', '--configLoader', 'native', '--logLevel', 'warn']
  const run = spawnSync(pinnedNode().file ?? process.execPath, [program, ...flags], {
    cwd: sources,
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    // The build needs no setting of the service, and a debugger's NODE_OPTIONS would stop it.
    env: { NODE_ENV: 'production', NO_COLOR: '1' },
  })
  if (run.error !== undefined) throw run.error
  if (run.status !== 0) throw new Error(run.stderr.trim().slice(-2_000) || `Vite ended with code ${run.status}`)
}
