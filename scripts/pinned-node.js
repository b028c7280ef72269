// Chooses the Node that runs Manilla: the package of the lock file if there is one for this platform, so that the service runs on
// the version that the tests ran on; else the Node of the machine. Plain JavaScript without imports of packages.

import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

/** True if npm installed this package as a dependency of another one. Then its dependencies are in a folder beside or above it. */
export const isDependency = root.split(path.sep).includes('node_modules')

/** Returns the folder of an installed package, or the one where it would be. */
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
/** The first version that runs TypeScript directly. A machine without a package of Node must have this one itself. */
const ownMajorMin = 24

/** Returns the path of the program, or the reason why Manilla cannot run. */
export function pinnedNode() {
  if (packaged.includes(platform)) {
    const file = path.join(packageFolder(`node-${platform}`), 'bin', 'node')
    if (existsSync(file)) return { file }
    // A project that leaves out optional packages must bring Node itself.
    if (!isDependency) return { missing: `The package node-${platform} is not there.` }
  }
  const major = Number.parseInt(process.versions.node, 10)
  if (major >= ownMajorMin) return { file: process.execPath }
  return {
    missing: `No package brings Node to ${platform} here, and yours is ${process.versions.node}: install Node ${ownMajorMin} or newer.`,
  }
}
