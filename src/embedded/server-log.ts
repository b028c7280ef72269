// The file that PostgreSQL writes its messages to, and what it said last.
import { constants, lstat, open, rm, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { giveToOwnerOf, ignoring } from './folder.ts'

const logBytesMax = 10 * 1024 * 1024
const tailBytes = 16 * 1024
const logMode = 0o600

/**
 * Keeps the log and one predecessor, each about as large as the limit. The file is emptied in place: PostgreSQL holds
 * it open for appending, and goes on at its new end. Lines written between the copy and the cut are lost.
 */
export async function limitLog(log: string): Promise<void> {
  if ((await logSize(log)) <= logBytesMax) return
  const current = await openLog(log)
  try {
    await rm(`${log}.1`, { force: true })
    const predecessor = await open(`${log}.1`, 'wx', logMode)
    try {
      await giveToOwnerOf(dirname(log), predecessor)
      await predecessor.writeFile(current.createReadStream({ start: 0, autoClose: false }))
    } finally {
      await predecessor.close()
    }
    await current.truncate(0)
  } finally {
    await current.close()
  }
}

/** For appending; the file is made when there is none. A link in its place is refused: it may lead anywhere. */
export async function openLog(log: string): Promise<FileHandle> {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW } = constants
  const file = await open(log, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, logMode)
  await giveToOwnerOf(dirname(log), file)
  return file
}

export async function logSize(log: string): Promise<number> {
  return (await lstat(log).catch(ignoring('ENOENT')))?.size ?? 0
}

/** What was written after `from`, the last part of it. */
export async function logSince(log: string, from: number): Promise<string> {
  const file = await open(log).catch(ignoring('ENOENT'))
  if (file === undefined) return ''
  try {
    const { size } = await file.stat()
    const start = Math.max(from, size - tailBytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.max(0, size - start)), 0, null, start)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

/** The line that says why: the last one of an error, else the last one at all, without time and process. */
export function tellingLine(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const errors = lines.filter((line) => /\b(FATAL|PANIC|ERROR|error):/.test(line))
  const line = errors.at(-1) ?? lines.at(-1) ?? 'it said nothing'
  return line.replace(/^.*?\b(?:FATAL|PANIC|ERROR|LOG|error):\s*/, '').trim()
}
