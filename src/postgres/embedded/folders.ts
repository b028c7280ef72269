// Socket folders and safe file access, with error messages for a DATA_DIR that cannot be used.
//
// The system limits the path of a socket to about a hundred bytes. For a deep DATA_DIR, the socket is in a temporary
// folder whose name is derived from DATA_DIR.

import { createHash } from 'node:crypto'
import { lstat, mkdir, rmdir, constants, open, readFile, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join, dirname } from 'node:path'
import { OperatorError } from '#platform/errors.ts'
import type { Cluster } from './cluster.ts'

export const socketName = '.s.PGSQL.5432'

const socketPathBytesMax = 100
const closedToOthers = 0o077

export async function makeSocketFolder(cluster: Cluster): Promise<string> {
  const folder = fits(cluster.run) ? cluster.run : shortFolder(cluster.dataDir)
  const { account } = cluster.launcher
  const made = await mkdir(folder, { mode: 0o700 }).then(() => true, ignoreErrors('EEXIST'))
  if (made === true && account !== undefined) await chownFolder(folder, account)
  // Checks the owner, because any user can create a folder in the temporary folder and pose as our server.
  const found = await lstat(folder)
  const uid = account?.uid ?? process.geteuid?.()
  if (found.isDirectory() && found.uid === uid && (found.mode & closedToOthers) === 0) return folder
  throw new OperatorError(
    `${folder}, meant for the database's socket, belongs to another user or is open to others: remove it, or set ` +
      'DATA_DIR to another folder.',
  )
}

/** Call this when the server has stopped. Removes a socket folder outside DATA_DIR. */
export async function removeSocketFolder(cluster: Cluster, folder: string): Promise<void> {
  if (folder !== cluster.run) await rmdir(folder).catch(() => undefined)
}

/** True if a server listens in the folder, even if its process is invisible because it is in another container. */
export async function serverAnswers(socketFolder: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(join(socketFolder, socketName))
    const answer = (value: boolean) => {
      socket.destroy()
      resolve(value)
    }
    socket.once('connect', () => answer(true))
    socket.once('error', () => answer(false))
  })
}

function shortFolder(dataDir: string): string {
  const name = `manilla-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`
  const folder = join(tmpdir(), name)
  return fits(folder) ? folder : join('/tmp', name)
}

function fits(folder: string): boolean {
  return Buffer.byteLength(join(folder, socketName)) <= socketPathBytesMax
}

/** For `.catch`: turns an expected file system error into undefined. */
export function ignoreErrors(...codes: string[]): (error: unknown) => undefined {
  return (error) => {
    if (!codes.includes(errorCode(error) ?? '')) throw error
  }
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

export async function readIfThere(path: string): Promise<string | undefined> {
  return await readFile(path, 'utf8').catch(ignoreErrors('ENOENT'))
}

/** Undefined for a link, because it may lead to another user's file. */
export async function readUnlinked(path: string): Promise<string | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(ignoreErrors('ENOENT', 'ELOOP'))
  try {
    return await file?.readFile('utf8')
  } finally {
    await file?.close()
  }
}

/** Writes the file completely or not at all, even if the process is killed. The file gets the owner of its folder. */
export async function writeWhole(path: string, content: string, mode: number): Promise<void> {
  const unfinished = `${path}.new`
  await rm(unfinished, { force: true })
  const file = await open(unfinished, 'wx', mode)
  try {
    await file.writeFile(content)
    await file.chmod(mode)
    await chownLike(dirname(path), file)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(unfinished, path)
  await syncFolder(dirname(path))
}

/**
 * Files that root writes in the DATA_DIR of an ordinary user must stay usable by that user. Changes the owner of the
 * open file and not of its path, which that user could replace with a link.
 */
export async function chownLike(folder: string, file: FileHandle): Promise<void> {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = await stat(folder)
  await file.chown(uid, gid)
}

/** Fails if the path is a link. */
export async function chownFolder(path: string, owner: { uid: number; gid: number; mode?: number }): Promise<void> {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
  const folder = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  try {
    await folder.chown(owner.uid, owner.gid)
    if (owner.mode !== undefined) await folder.chmod(owner.mode)
  } finally {
    await folder.close()
  }
}

/** A rename survives a power cut only after its folder was flushed. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export function explainFolderError(dataDir: string, error: unknown): unknown {
  const sentence = folderSentence(dataDir, errorCode(error) ?? '')
  return sentence === undefined ? error : new OperatorError(sentence, { cause: error })
}

function folderSentence(dataDir: string, code: string): string | undefined {
  const another = 'or set DATA_DIR to another folder.'
  if (code === 'ELOOP') return `DATA_DIR ${dataDir} holds a link in the place of a file: remove it, ${another}`
  if (['EEXIST', 'ENOTDIR'].includes(code)) {
    return `DATA_DIR ${dataDir} is not a folder, a file is in its way: move it, ${another}`
  }
  if (['EACCES', 'EPERM', 'EROFS'].includes(code)) {
    return `DATA_DIR ${dataDir} cannot be written by ${userName()}: give it to that user, ${another}`
  }
  if (['ENOSPC', 'EDQUOT'].includes(code)) {
    return `The disk that holds DATA_DIR ${dataDir} is full: make room, ${another}`
  }
  return undefined
}

/** A user in a container can have a number without a name. */
function userName(): string {
  try {
    return `user ${userInfo().username}`
  } catch {
    return `user ${process.geteuid?.() ?? 'unknown'}`
  }
}
