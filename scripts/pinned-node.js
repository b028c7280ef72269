// Which Node runs Manilla: the one of the lock file, wherever there is a package of it, so that every machine runs the
// version that the tests ran on. Plain JavaScript, no dependency.

import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const packaged = ['linux-x64', 'linux-arm64']
const platform = `${process.platform}-${process.arch}`
/** Runs TypeScript as it is. A machine without a package of Node has to bring this one itself. */
const ownMajorMin = 24

/** The path of the program, or what keeps Manilla from running. */
export function pinnedNode() {
  if (packaged.includes(platform)) {
    const file = path.join(root, 'node_modules', `node-${platform}`, 'bin', 'node')
    return existsSync(file) ? { file } : { missing: `The package node-${platform} is not there.` }
  }
  const major = Number.parseInt(process.versions.node, 10)
  if (major >= ownMajorMin) return { file: process.execPath }
  return {
    missing: `No package brings Node to ${platform}, and yours is ${process.versions.node}: install Node ${ownMajorMin} or newer.`,
  }
}
