// A file held against its seal: the same bytes, the same sums, and the month before it as it was.

import type { Context } from '#base/context.ts'
import { inLane } from '#base/db.ts'
import { readSealed, readSeals, type NewSeal } from '#ledger/archive.ts'
import { readHeader } from './file.ts'
import { readWhole } from './seal.ts'
import { sumText } from './tally.ts'

export type Proof = { file: string; lane: number; month: string; rows: bigint; faults: string[] }

/** Throws when the file itself is damaged; `faults`: where it and the database do not agree. */
export async function proveFile({ db }: Pick<Context, 'db'>, file: string): Promise<Proof> {
  const { lane, month, previous } = await readHeader(file)
  const inItsLane = inLane(db, lane)
  const { rows, digest, tally, digests } = await readWhole(inItsLane, file)
  const seals = await readSeals(inItsLane)
  const at = seals.findIndex(({ until }) => until.getTime() === month.until.getTime())
  const seal = seals[at]
  const told = { file, lane, month: month.name, rows }
  if (seal === undefined) return { ...told, faults: ['the database has no seal of this month'] }
  const before = seals[at - 1]?.digest.toString('hex') ?? null
  const sealed = await readSealed(inItsLane, seal.until)
  const faults = [
    ...(seal.digest.equals(digest) ? [] : ['its rows are not those that were sealed']),
    ...(seal.rows === rows ? [] : [`it has ${rows} rows, its seal ${seal.rows}`]),
    ...(previous === before && (seal.previous?.toString('hex') ?? null) === before
      ? []
      : ['it does not follow the month before it']),
    ...(textOf(sealed) === textOf({ sums: tally.sums(), digests }) ? [] : ['the sums of its seal were changed']),
  ]
  return { ...told, faults }
}

function textOf({ sums, digests }: Pick<NewSeal, 'sums' | 'digests'>): string {
  const lines = [
    ...sums.map((sum) => sumText(sum).join(' ')),
    ...digests.map(({ tenantId, cause, count, digest }) => `${tenantId} ${cause} ${count} ${digest}`),
  ]
  return lines.toSorted().join('\n')
}
