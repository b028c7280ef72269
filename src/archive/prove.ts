// A file held against its seal: the same bytes, the same sums, and the month before it as it was.

import type { Context } from '#base/context.ts'
import { inLane } from '#base/db.ts'
import { readHeader } from './file.ts'
import type { NounName } from './noun.ts'
import { readWhole } from './seal.ts'

export type Proof = { file: string; noun: NounName; lane: number; month: string; rows: bigint; faults: string[] }

/** Throws when the file itself is damaged; `faults`: where it and the database do not agree. */
export async function proveFile({ db }: Pick<Context, 'db'>, file: string): Promise<Proof> {
  const { noun, lane, month, previous } = await readHeader(file)
  const inItsLane = inLane(db, lane)
  const reading = noun.createReading(inItsLane, month)
  const { rows, digest } = await readWhole(file, reading)
  const seals = await noun.readSeals(inItsLane)
  const at = seals.findIndex(({ until }) => until.getTime() === month.until.getTime())
  const seal = seals[at]
  const told = { file, noun: noun.name, lane, month: month.name, rows }
  if (seal === undefined) return { ...told, faults: ['the database has no seal of this month'] }
  const before = seals[at - 1]?.digest.toString('hex') ?? null
  const faults = [
    ...(seal.digest.equals(digest) ? [] : ['its rows are not those that were sealed']),
    ...(seal.rows === rows ? [] : [`it has ${rows} rows, its seal ${seal.rows}`]),
    ...(previous === before && (seal.previous?.toString('hex') ?? null) === before
      ? []
      : ['it does not follow the month before it']),
    ...((await reading.isSealed(seal.until)) ? [] : ['the sums of its seal were changed']),
  ]
  return { ...told, faults }
}
