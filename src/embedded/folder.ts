// Writing and reading files safely, and the sentences for an operator whose DATA_DIR cannot be used.
import { constants, open, readFile, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { OperatorError } from '#base/error.ts'

/** For `.catch`: an error of the file system that is expected here becomes undefined. */
export function ignoring(...codes: string[]): (error: unknown) => undefined {
  return (error) => {
    if (!codes.includes(errorCode(error) ?? '')) throw error
  }
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

export async function readIfThere(path: string): Promise<string | undefined> {
  return await readFile(path, 'utf8').catch(ignoring('ENOENT'))
}

/** Undefined also for a link: it may lead to what is somebody else's. */
export async function readUnlinked(path: string): Promise<string | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(ignoring('ENOENT', 'ELOOP'))
  try {
    return await file?.readFile('utf8')
  } finally {
    await file?.close()
  }
}

/** The file is there with all of its content or not at all, whenever we are killed. It gets its folder's owner. */
export async function writeWhole(path: string, content: string, mode: number): Promise<void> {
  const unfinished = `${path}.new`
  await rm(unfinished, { force: true })
  const file = await open(unfinished, 'wx', mode)
  try {
    await file.writeFile(content)
    await file.chmod(mode)
    await giveToOwnerOf(dirname(path), file)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(unfinished, path)
  await syncFolder(dirname(path))
}

/**
 * What root writes for an ordinary user's DATA_DIR must remain usable by that user. The open file is given away, never
 * its name: that user may have put a link to another file in its place meanwhile.
 */
export async function giveToOwnerOf(folder: string, file: FileHandle): Promise<void> {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = await stat(folder)
  await file.chown(uid, gid)
}

/** Gives a folder away, or changes who may enter it. Fails when the name is a link. */
export async function giveFolder(path: string, owner: { uid: number; gid: number; mode?: number }): Promise<void> {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
  const folder = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  try {
    await folder.chown(owner.uid, owner.gid)
    if (owner.mode !== undefined) await folder.chmod(owner.mode)
  } finally {
    await folder.close()
  }
}

/** A rename survives a power cut only after its folder was written. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Turns an error of the file system into a sentence that names DATA_DIR; any other error is returned as it is. */
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

/** A user in a container often has a number and no name. */
function userName(): string {
  try {
    return `user ${userInfo().username}`
  } catch {
    return `user ${process.geteuid?.() ?? 'unknown'}`
  }
}
