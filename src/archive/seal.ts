// The first half of archiving a month: its rows are written into a file, the file is read back, and what it comes to is sealed
// in the database. Up to that commit nothing has happened; from it on the seal speaks for the month. Whoever is cut off before
// begins again and writes the same file.

import { rm } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { record } from '#audit/record.ts'
import type { Context } from '#base/context.ts'
import type { InLane } from '#base/db.ts'
import { OperatorError } from '#base/error.ts'
import {
  findLastEntry,
  insertSeal,
  movementLines,
  readDigests,
  readSeals,
  type SealedDigest,
  type SealedSum,
} from '#ledger/archive.ts'
import { readFile, writeFile, type Whole } from './file.ts'
import type { Month } from './month.ts'
import type { Left, Tally } from './tally.ts'

const linesAtOnce = 2_000

export type SealOptions = { folder: string; tell: (step: string) => void }

/** `previous`: the digest of the month before. */
export async function sealMonth(
  ctx: Context,
  lane: InLane,
  month: Month,
  { folder, tell, previous }: SealOptions & { previous: Buffer | null },
): Promise<void> {
  const header = { lane: lane.lane, month, previous: previous?.toString('hex') ?? null }
  tell(`writing ${month.name} of lane ${lane.lane}`)
  const file = await writeFile(folder, header, movementLines(lane, month, linesAtOnce), ctx.clock.now())
  tell(`reading ${file}`)
  const whole = await readWhole(lane, file)
  if (!isDeepStrictEqual(whole.header, header)) throw new OperatorError(`${file} was replaced while it was read.`)
  const [fault] = whole.tally.breaks(await leftBefore(lane, whole.tally.sums(), month))
  tell(`sealing ${month.name} of lane ${lane.lane}`)
  if (fault === undefined && (await keepSeal(ctx, lane, { ...whole, previous }))) return
  // Whoever else archives may have been quicker, and have taken rows out while this file was written.
  const theirs = (await readSeals(lane)).find(({ until }) => until.getTime() === month.until.getTime())
  if (theirs !== undefined) return theirs.digest.equals(whole.digest) ? undefined : rm(file)
  throw new OperatorError(`Lane ${lane.lane} is not archived: ${fault}. Run: npx manilla ledger verify`)
}

/** Says whether the month was not sealed already. */
function keepSeal(
  ctx: Context,
  lane: InLane,
  { header, rows, digest, tally, digests, previous }: WholeWithDigests & { previous: Buffer | null },
): Promise<boolean> {
  const { name, since, until } = header.month
  return ctx.db.transaction(async (tx) => {
    const sealedAt = new Date(ctx.clock.now())
    const seal = { since, until, rows, digest, previous, sealedAt, sums: tally.sums(), digests }
    if (!(await insertSeal(tx, seal))) return false
    const details = { lane: lane.lane, month: name, rows: rows.toString(), digest: digest.toString('hex') }
    record(tx, sealedAt.getTime(), { by: ctx.by, act: 'archive.sealed', details })
    return true
  }, lane.lane)
}

export type WholeWithDigests = Whole & { digests: SealedDigest[] }

/** A whole file, and what its rows come to when they are held against what caused them. */
export async function readWhole(lane: InLane, file: string): Promise<WholeWithDigests> {
  const digests = new Map<string, SealedDigest>()
  const whole = await readFile(file, async (lines) => {
    for (const part of await readDigests(lane, lines)) {
      const key = `${part.tenantId} ${part.cause}`
      const known = digests.get(key)
      const digest = BigInt(known?.digest ?? 0) + BigInt(part.digest)
      digests.set(key, { ...part, count: (known?.count ?? 0n) + part.count, digest: digest.toString() })
    }
  })
  return { ...whole, digests: [...digests.values()] }
}

/** Where the statements stood when the month before was sealed. */
async function leftBefore(lane: InLane, sums: SealedSum[], { since }: Month): Promise<Parameters<Tally['breaks']>[0]> {
  const left = new Map<string, Left>()
  for (const { tenantId, currency } of sums.filter(({ name }) => name === 'available')) {
    const found = await findLastEntry(lane, { tenantId, currency, until: since })
    if (found !== undefined) left.set(`${tenantId} ${currency}`, found)
  }
  return (tenantId, currency) => left.get(`${tenantId} ${currency}`)
}
