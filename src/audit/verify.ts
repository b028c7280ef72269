// `manilla audit verify`: recomputes the chain of hashes from the first entry to the last, and reports where it breaks.

import type { Context } from '#platform/context.ts'
import { firstHash, hashOf } from './entry.ts'
import { listEntriesAfter, readHead, type AuditEntryRow } from './queries.ts'

export type AuditCheck = {
  entries: bigint
  /**
   * The hash of the last verified entry. An operator notes it elsewhere, because a log that is rewritten gets another
   * hash.
   */
  hash: string
  fault: string | undefined
}

const pageRows = 5_000

/**
 * `noted`: the hash that an earlier run printed, in hex. Without this hash, a deletion of the newest entries cannot be
 * detected.
 */
export async function verifyAudit(
  { db }: Context,
  { noted, onProgress }: { noted?: string | undefined; onProgress?: (entries: bigint) => void } = {},
): Promise<AuditCheck> {
  // Entries that are added from now on are left to the next run.
  const head = await readHead(db)
  let isNotedFound = noted === undefined
  let [number, hash]: [bigint, Buffer] = [0n, firstHash]
  const checkOf = (fault: string | undefined): AuditCheck => ({ entries: number, hash: hash.toString('hex'), fault })
  while (number < head.number) {
    const rows = await listEntriesAfter(db, number, pageRows)
    if (rows.length === 0)
      return checkOf(`Entry ${number + 1n} and all that followed up to ${head.number} are missing.`)
    for (const row of rows) {
      const fault = faultOf(row, number + 1n, hash)
      if (fault !== undefined) return checkOf(fault)
      ;[number, hash] = [row.number, row.hash]
      isNotedFound ||= hash.toString('hex') === noted
      if (number === head.number) break
    }
    onProgress?.(number)
  }
  return checkOf(
    isNotedFound ? undefined : 'No entry has the noted hash: the entries up to it were cut off or rewritten.',
  )
}

function faultOf(row: AuditEntryRow, expected: bigint, previous: Buffer): string | undefined {
  if (row.number !== expected) return `Entry ${expected} is missing.`
  if (!hashOf(previous, row).equals(row.hash)) return `Entry ${expected} is not what was written.`
  return undefined
}
