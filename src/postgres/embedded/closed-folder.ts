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
import { ignoring } from './folders.ts'

// How PostgreSQL is run as an ordinary account from folders that are closed to it, such as a checkout below /root. It
// gets no right to pass closed folders, since it would have that right on every file of the machine. Instead it is
// handed what it needs: the folder of the data as an open file, and its programs as a copy in an open place.

/** The number under which the program finds the folder open, and the name that leads there past all closed parents. */
const handedFile = 3
const handedName = `/proc/self/fd/${handedFile}`

/** What the program calls a path, when it is handed `folder`. Paths elsewhere keep their names. */
export function handedPath(path: string, folder: string): string {
  return path === folder || path.startsWith(`${folder}/`) ? `${handedName}${path.slice(folder.length)}` : path
}

/** What we call a path that a program wrote down which was handed `folder`. */
export function ownPath(path: string, folder: string): string {
  return path === handedName || path.startsWith(`${handedName}/`) ? `${folder}${path.slice(handedName.length)}` : path
}

/** Calls `work` with the folder as an open file, to be given to a program as its file number 3. */
export function handing<T>(folder: string, work: (file: number) => T): T {
  const file = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    return work(file)
  } finally {
    closeSync(file)
  }
}

/** Where copies of programs are kept: of root alone, readable by everybody, and kept over a restart of the machine. */
const copiesFolder = '/var/lib/manilla'
const openFolder = 0o755

/** A copy of PostgreSQL's folder that every account can reach. Undefined: there is no place for it on this machine. */
export async function copyPrograms(binaries: Binaries, parent = copiesFolder): Promise<Binaries | undefined> {
  const source = dirname(dirname(binaries.postgres))
  const { version } = JSON.parse(await readFile(join(source, '..', 'package.json'), 'utf8')) as { version: string }
  const copy = join(parent, `postgres-${version}`)
  const inCopy = (program: string): string => join(copy, relative(source, program))
  const copied = { postgres: inCopy(binaries.postgres), initdb: inCopy(binaries.initdb) }
  try {
    await mkdir(parent, { mode: openFolder }).catch(ignoring('EEXIST'))
    if (!(await isOurs(parent))) return undefined
    if ((await lstat(copy).catch(ignoring('ENOENT'))) === undefined) await copyWhole(source, copy)
    return copied
  } catch (error) {
    ignoring('EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'ENOSPC')(error)
    return undefined
  }
}

/** Nobody else may have put there what we are about to run. */
async function isOurs(folder: string): Promise<boolean> {
  const found = await lstat(folder)
  return found.isDirectory() && found.uid === process.geteuid?.() && (found.mode & 0o022) === 0
}

/** Under a name of its own until it is complete. Of two processes that copy at once, one is too late and gives way. */
async function copyWhole(source: string, copy: string): Promise<void> {
  const unfinished = await mkdtemp(`${copy}.new-`)
  try {
    await copyFolder(source, unfinished)
    await rename(unfinished, copy).catch(ignoring('EEXIST', 'ENOTEMPTY'))
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
