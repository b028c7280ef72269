// What the dashboard is made of, and the fingerprint of it: another letter anywhere is another build.

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')
export const sourceFolder = path.join(root, 'dashboard')
/** What `npm run build` makes ahead, for images. */
export const builtAhead = path.join(root, 'dist', 'dashboard')

/** The settings of the build are among the sources, and the lock file says with which packages it is built. */
export async function fingerprintSources(): Promise<string> {
  const hash = createHash('sha256')
  const files = [...(await listFiles(sourceFolder)), path.join(root, 'package-lock.json')]
  for (const file of files) {
    const content = await readFile(file)
    hash.update(`${path.relative(root, file)}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex').slice(0, 32)
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted()
}
