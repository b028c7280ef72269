// The first step of archiving a month: writes its rows to a file, reads the file back, and seals its totals in the
// database. When the seal is committed, the month counts as archived. A run that was interrupted before the commit
// starts again and writes the same file.

import { rm } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { recordEntry } from '#audit/record.ts'
import type { Context } from '#platform/context.ts'
import { type InLane, inLane, type Tx } from '#platform/db/db.ts'
import { OperatorError } from '#platform/errors.ts'
import { readFile, writeFile, type VerifiedFile, readHeader } from './file.ts'
import { monthOf, type ArchiveReading, type ArchiveSource, type ArchiveSourceName, type Month } from './source.ts'

const linesAtOnce = 2_000

export type SealOptions = { folder: string; tell: (step: string) => void }

export async function sealMonth(
  ctx: Context,
  { noun, lane, month }: { noun: ArchiveSource; lane: InLane; month: Month },
  { folder, tell, previous }: SealOptions & { previous: Buffer | null },
): Promise<void> {
  const header = { noun, lane: lane.lane, month, previous: previous?.toString('hex') ?? null }
  tell(`writing ${month.name} of lane ${lane.lane}`)
  const lines = noun.lines(lane, month, linesAtOnce)
  const file = await writeFile(header, lines, { folder, nowMs: ctx.clock.now() })
  tell(`reading ${file}`)
  const reading = noun.createReading(lane, month)
  const whole = await readWhole(file, reading)
  if (!isDeepStrictEqual(whole.header, header)) throw new OperatorError(`${file} was replaced while it was read.`)
  const fault = await reading.fault()
  tell(`sealing ${month.name} of lane ${lane.lane}`)
  if (fault === undefined && (await commitSeal(ctx, reading, { ...whole, previous }))) return
  // Another run may have sealed the month first, and may have removed rows while this file was written.
  const theirs = (await noun.readSeals(lane)).find(({ until }) => until.getTime() === month.until.getTime())
  if (theirs !== undefined) return theirs.digest.equals(whole.digest) ? undefined : rm(file)
  throw new OperatorError(`Lane ${lane.lane} is not archived: ${fault}. Run: npx manilla ledger verify`)
}

/** Returns false if the month was already sealed. */
function commitSeal(
  ctx: Context,
  reading: ArchiveReading,
  { header, rows, digest, previous }: VerifiedFile & { previous: Buffer | null },
): Promise<boolean> {
  const { noun, lane, month } = header
  const { name, since, until } = month
  return ctx.db.transaction(async (tx) => {
    const sealedAt = new Date(ctx.clock.now())
    if (previous !== null) await lockPrevious(tx, noun, { since, previous })
    if (!(await reading.seal(tx, { since, until, rows, digest, previous, sealedAt }))) return false
    const details = { noun: noun.name, lane, month: name, rows: rows.toString(), digest: digest.toString('hex') }
    recordEntry(tx, sealedAt.getTime(), { by: ctx.by, act: 'archive.sealed', details })
    return true
  }, lane)
}

/**
 * Throws if the previous month was restored since its digest was read. Without this check, the rows of a restored
 * month, which are in the table again, would count as archived. The lock keeps other processes from restoring the month
 * until this transaction ends.
 */
async function lockPrevious(
  tx: Tx,
  noun: ArchiveSource,
  { since, previous }: { since: Date; previous: Buffer },
): Promise<void> {
  if ((await noun.lockSealOf(tx, since))?.digest.equals(previous) === true) return
  const { name } = monthOf(new Date(since.getTime() - 1))
  throw new OperatorError(`Another process is restoring ${name}. Run the command again when it has finished.`)
}

function readWhole(file: string, reading: ArchiveReading): Promise<VerifiedFile> {
  return readFile(
    file,
    (lines) => reading.compare(lines),
    () => reading.tally,
  )
}

// Compares a file with its seal: the digest, the sums and the previous month.

export type ArchiveProof = {
  file: string
  noun: ArchiveSourceName
  lane: number
  month: string
  rows: bigint
  faults: string[]
}

/** Throws if the file itself is damaged. `faults` lists the differences between the file and the database. */
export async function proveFile({ db }: Pick<Context, 'db'>, file: string): Promise<ArchiveProof> {
  const { noun, lane, month, previous } = await readHeader(file)
  const inItsLane = inLane(db, lane)
  const reading = noun.createReading(inItsLane, month)
  const { rows, digest } = await readWhole(file, reading)
  const seals = await noun.readSeals(inItsLane)
  const at = seals.findIndex(({ until }) => until.getTime() === month.until.getTime())
  const seal = seals[at]
  const about = { file, noun: noun.name, lane, month: month.name, rows }
  if (seal === undefined) return { ...about, faults: ['the database has no seal of this month'] }
  const before = seals[at - 1]?.digest.toString('hex') ?? null
  const faults = [
    ...(seal.digest.equals(digest) ? [] : ['its rows are not those that were sealed']),
    ...(seal.rows === rows ? [] : [`it has ${rows} rows, its seal ${seal.rows}`]),
    ...(previous === before && (seal.previous?.toString('hex') ?? null) === before
      ? []
      : ['it does not follow the month before it']),
    ...((await reading.isSealed(seal.until)) ? [] : ['the sums of its seal were changed']),
  ]
  return { ...about, faults }
}
