// A month of movements or events in a file, readable without this program: lines of JSON, compressed with gzip. The
// first line describes the file and contains the digest of the previous month; then each row is a line; the last line
// has the row count, the sums, and the SHA-256 of all bytes before it. A file gets its name once it is complete and
// flushed. The name contains the digest, so a file never replaces a file with other content.

import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { OperatorError } from '#platform/errors.ts'
import { newUuid } from '#platform/ids.ts'
import type { ArchiveSource, ArchiveSourceName, ArchiveTotals, Month } from './source.ts'
import { events } from './events.ts'
import { movements } from './movements.ts'

const format = 'manilla-archive/1'

type ArchiveHeader = { noun: ArchiveSource; lane: number; month: Month; previous: string | null }

export type VerifiedFile = { header: ArchiveHeader; rows: bigint; digest: Buffer }

export function fileNameOf(noun: ArchiveSourceName, lane: number, { name }: Month, digest: Buffer): string {
  const folder = `lane-${String(lane).padStart(5, '0')}`
  return path.join(folder, `${noun}-${name}-${digest.toString('hex').slice(0, 16)}.jsonl.gz`)
}

export async function writeFile(
  header: ArchiveHeader,
  lines: AsyncIterable<string[]>,
  { folder, nowMs }: { folder: string; nowMs: number },
): Promise<string> {
  const hash = createHash('sha256')
  const part = path.join(folder, `${newUuid(nowMs)}.part`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    const handle = await open(part, 'wx', 0o600)
    const content = Readable.from(contentOf(header, lines, hash))
    await pipeline(content, createGzip(), handle.createWriteStream({ flush: true }))
    const file = path.join(folder, fileNameOf(header.noun.name, header.lane, header.month, hash.digest()))
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
    await rename(part, file)
    for (const directory of [path.dirname(file), folder]) await flush(directory)
    return file
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}

async function flush(directory: string): Promise<void> {
  const handle = await open(directory)
  await handle.sync()
  await handle.close()
}

async function* contentOf(header: ArchiveHeader, batches: AsyncIterable<string[]>, hash: Hash): AsyncGenerator<string> {
  const tally = tallyOf(header)
  const hashed = (text: string): string => {
    hash.update(text)
    return text
  }
  yield hashed(`${headerLine(header)}\n`)
  for await (const lines of batches) {
    for (const line of lines) tally.add(line)
    yield hashed(lines.map((line) => `${line}\n`).join(''))
  }
  yield `${lastLine(tally, hash)}\n`
}

type HeaderLine = { noun: string; lane: number; month: string; since: string; until: string; previous: string | null }

function headerLine({ noun: { name: noun, columns }, lane, month, previous }: ArchiveHeader): string {
  const { name, since, until } = month
  const names = columns.map(([column]) => column)
  return JSON.stringify({ format, noun, lane, month: name, since, until, previous, columns: names })
}

function lastLine(tally: ArchiveTotals, hash: Hash): string {
  const digest = hash.copy().digest('hex')
  return JSON.stringify({ rows: tally.rows().toString(), digest, sums: tally.summary() })
}

export async function readHeader(file: string): Promise<ArchiveHeader> {
  for await (const [line = ''] of linesOf(file)) return parseHeader(file, line)
  throw damaged(file, 'it is empty')
}

/** `onRows` gets every row. Throws a message for the operator if any byte was changed. */
export async function readFile(
  file: string,
  onRows: (lines: string[], firstRow: bigint) => Promise<void>,
  createTally: (header: ArchiveHeader) => ArchiveTotals = tallyOf,
): Promise<VerifiedFile> {
  const hash = createHash('sha256')
  let header: ArchiveHeader | undefined
  let tally: ArchiveTotals | undefined
  let held: string | undefined
  for await (const lines of linesOf(file)) {
    // Holds back the newest line, because only the end of the file shows which line is the last.
    const [first, ...rest] = held === undefined ? lines : [held, ...lines]
    const all = first === undefined ? [] : [first, ...rest]
    held = all.pop()
    if (all.length === 0) continue
    hash.update(all.map((line) => `${line}\n`).join(''))
    if (header === undefined || tally === undefined) {
      header = parseHeader(file, all.shift() ?? '')
      tally = createTally(header)
    }
    const firstRow = tally.rows()
    addAll(file, tally, all)
    if (all.length > 0) await onRows(all, firstRow)
  }
  if (header === undefined || tally === undefined || held === undefined) throw damaged(file, 'it has no end')
  if (held !== lastLine(tally, hash)) throw damaged(file, 'its last line does not agree with its rows')
  return { header, rows: tally.rows(), digest: hash.digest() }
}

function tallyOf({ noun, month }: ArchiveHeader): ArchiveTotals {
  return noun.createTally(month)
}

function addAll(file: string, tally: ArchiveTotals, lines: string[]): void {
  try {
    for (const line of lines) tally.add(line)
  } catch (error) {
    throw damaged(file, error instanceof OperatorError ? error.message : 'one of its rows cannot be read')
  }
}

function parseHeader(file: string, line: string): ArchiveHeader {
  try {
    const { noun: called, lane, month: name, since, until, previous } = JSON.parse(line) as HeaderLine
    const noun = Object.values(archiveSources).find((one) => one.name === called)
    const month = { name, since: new Date(since), until: new Date(until) }
    if (noun !== undefined && headerLine({ noun, lane, month, previous }) === line)
      return { noun, lane, month, previous }
  } catch {
    // The error is thrown below.
  }
  throw damaged(file, `its first line is not that of a ${format}`)
}

const linesAtOnce = 2_000

async function* linesOf(file: string): AsyncGenerator<string[]> {
  const source = createReadStream(file)
  const unpacked = createGunzip()
  // Passes on the error of a missing file. The error of a truncated file comes from the gunzip stream itself.
  source.on('error', (error) => unpacked.destroy(error))
  source.pipe(unpacked).setEncoding('utf8')
  let rest = ''
  let lines: string[] = []
  try {
    for await (const text of unpacked as AsyncIterable<string>) {
      const pieces = (rest + text).split('\n')
      rest = pieces.pop() ?? ''
      lines.push(...pieces)
      if (lines.length < linesAtOnce) continue
      yield lines
      lines = []
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new OperatorError(`There is no file ${file}. Check the path, or take a copy of it from elsewhere.`)
    throw damaged(file, error instanceof Error ? error.message : String(error))
  } finally {
    source.destroy()
  }
  if (rest !== '') throw damaged(file, 'its last line has no end')
  yield lines
}

function damaged(file: string, why: string): OperatorError {
  return new OperatorError(`${file} cannot be trusted: ${why}. Take a copy of it from elsewhere.`)
}

export const archiveSources: Record<ArchiveSourceName, ArchiveSource> = { movements, events }
