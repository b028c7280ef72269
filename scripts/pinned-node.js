// Which Node runs Manilla: the one of the lock file, wherever there is a package of it, so that every machine runs the
// version that the tests ran on. Plain JavaScript, no dependency.

import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

/** True if npm installed this package for another one, with all that it needs beside or above it. */
export const isDependency = root.split(path.sep).includes('node_modules')

/** The folder of an installed package, or where it would be. */
export function packageFolder(name) {
  const own = path.join(root, 'node_modules', name)
  for (let folder = root; isDependency && folder !== path.dirname(folder); folder = path.dirname(folder)) {
    const found = path.join(folder, 'node_modules', name)
    if (existsSync(found)) return found
  }
  return own
}

const packaged = ['linux-x64', 'linux-arm64']
const platform = `${process.platform}-${process.arch}`
/** Runs TypeScript as it is. A machine without a package of Node has to bring this one itself. */
const ownMajorMin = 24

/** The path of the program, or what keeps Manilla from running. */
export function pinnedNode() {
  if (packaged.includes(platform)) {
    const file = path.join(packageFolder(`node-${platform}`), 'bin', 'node')
    if (existsSync(file)) return { file }
    // Whoever leaves out the optional packages of a dependency brings Node themselves.
    if (!isDependency) return { missing: `The package node-${platform} is not there.` }
  }
  const major = Number.parseInt(process.versions.node, 10)
  if (major >= ownMajorMin) return { file: process.execPath }
  return {
    missing: `No package brings Node to ${platform} here, and yours is ${process.versions.node}: install Node ${ownMajorMin} or newer.`,
  }
}
