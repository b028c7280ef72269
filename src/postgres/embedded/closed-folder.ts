// Lets PostgreSQL run as an ordinary account from folders that the account may not enter, such as a checkout below
// /root. Opening those folders would open every file in them. Instead PostgreSQL gets the data folder as an open
// file, and a copy of its programs in a readable place.

import { closeSync, constants, openSync } from 'node:fs'
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
} from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Binaries } from './launch.ts'
import { ignoreErrors } from './folders.ts'

/** The file descriptor under which the program gets the folder, and the path that bypasses all parent folders. */
const handedFile = 3
const handedName = `/proc/self/fd/${handedFile}`

/** The path as a program sees it that was given `folder`. Paths elsewhere stay the same. */
export function handedPath(path: string, folder: string): string {
  return path === folder || path.startsWith(`${folder}/`) ? `${handedName}${path.slice(folder.length)}` : path
}

/** The reverse of `handedPath`: our path for one that such a program wrote down. */
export function ownPath(path: string, folder: string): string {
  return path === handedName || path.startsWith(`${handedName}/`) ? `${folder}${path.slice(handedName.length)}` : path
}

/** Calls `work` with the folder as an open file, to be passed to a program as its file descriptor 3. */
export function withFolderFile<T>(folder: string, work: (file: number) => T): T {
  const file = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    return work(file)
  } finally {
    closeSync(file)
  }
}

/** Copies of programs: only root can write here, every account can read, and it survives a restart of the machine. */
const copiesFolder = '/var/lib/manilla'
const openFolder = 0o755

/** A copy of the PostgreSQL programs that every account can reach. Undefined if this machine has no place for it. */
export async function copyPrograms(binaries: Binaries, parent = copiesFolder): Promise<Binaries | undefined> {
  const source = dirname(dirname(binaries.postgres))
  const { version } = JSON.parse(await readFile(join(source, '..', 'package.json'), 'utf8')) as { version: string }
  const copy = join(parent, `postgres-${version}`)
  const inCopy = (program: string): string => join(copy, relative(source, program))
  const copied = { postgres: inCopy(binaries.postgres), initdb: inCopy(binaries.initdb) }
  try {
    await mkdir(parent, { mode: openFolder }).catch(ignoreErrors('EEXIST'))
    if (!(await isOurs(parent))) return undefined
    if ((await lstat(copy).catch(ignoreErrors('ENOENT'))) === undefined) await copyWhole(source, copy)
    return copied
  } catch (error) {
    ignoreErrors('EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'ENOSPC')(error)
    return undefined
  }
}

/** Checks that no other account can have placed the programs that we are about to run. */
async function isOurs(folder: string): Promise<boolean> {
  const found = await lstat(folder)
  return found.isDirectory() && found.uid === process.geteuid?.() && (found.mode & 0o022) === 0
}

/**
 * Copies under a temporary name until it is complete. If two processes copy at once, the later one keeps the other's
 * copy.
 */
async function copyWhole(source: string, copy: string): Promise<void> {
  const unfinished = await mkdtemp(`${copy}.new-`)
  try {
    await copyFolder(source, unfinished)
    await rename(unfinished, copy).catch(ignoreErrors('EEXIST', 'ENOTEMPTY'))
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

async function copyFolder(source: string, target: string): Promise<void> {
  await chmod(target, openFolder)
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), join(target, entry.name)]
    if (entry.isDirectory()) {
      await mkdir(to)
      await copyFolder(from, to)
    } else if (entry.isSymbolicLink()) {
      await symlink(await readlink(from), to)
    } else {
      await copyFile(from, to)
      await chmod(to, ((await lstat(from)).mode & 0o111) === 0 ? 0o644 : openFolder)
    }
  }
}
