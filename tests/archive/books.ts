// Books of three businesses over five months, and operations on them.

import { rm } from 'node:fs/promises'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { archiveMonths, listMonths, type SealedMonth, bringBack, type BroughtBack } from '#archive/archive.ts'
import { proveFile, type ArchiveProof } from '#archive/seal.ts'
import type { ArchiveSourceName } from '#archive/source.ts'
import type { Context, Tenant } from '#platform/context.ts'
import { createDb, type Db } from '#platform/db/db.ts'
import { dayMs } from '#platform/durations.ts'
import { createBusiness } from '#businesses/business.ts'
import { depositInvariants } from '#deposits/verify.ts'
import { type Breach, archiveInvariants, ledgerInvariants, verifyLedger, type VerifyOptions } from '#ledger/verify.ts'
import { paymentInvariants } from '#payments/verify.ts'
import { figureInvariants } from '#payments/stats.ts'
import { createFakeClock, type FakeClock } from '#tests/support/clock.ts'
import { createTestContext } from '#tests/support/context.ts'
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts'
import { newFolder } from '#tests/support/run.ts'
import { fillMonths } from './months.ts'

export const invariants = [
  ...ledgerInvariants,
  ...archiveInvariants,
  ...paymentInvariants,
  ...depositInvariants,
  ...figureInvariants,
]

export type Books = {
  database: TestDatabase
  ctx: Context
  /** The same, but as the owner of the tables. */
  ownerCtx: Context
  clock: FakeClock
  folder: string
  tenants: Tenant[]
  /** Messages about each step go to `tell`, which may throw. */
  archive(options?: {
    noun?: ArchiveSourceName
    monthsKept?: number
    tell?: (step: string) => void
  }): Promise<SealedMonth[]>
  /** `meanwhile` runs before the rows are restored or, by default, between them and the removal of the seal. */
  bringBack(file: string, meanwhile?: () => Promise<unknown>, before?: 'rows' | 'end'): Promise<BroughtBack>
  prove(file: string): Promise<ArchiveProof>
  months(): Promise<SealedMonth[]>
  fileOf(month: string, noun?: ArchiveSourceName): Promise<string>
  breaches(options?: VerifyOptions): Promise<Breach[]>
}

export const today = Date.parse('2026-06-20T12:00:00Z')

/** `whenDone` registers what to close at the end; by default the end of the test. */
export async function openBooks(whenDone: (close: () => Promise<void>) => void = onTestFinished): Promise<Books> {
  const database = await createTestDatabase()
  whenDone(() => database.drop())
  const folder = await newFolder('archive')
  whenDone(() => rm(folder, { recursive: true, force: true }))
  const clock = createFakeClock(today)
  const ctx = createTestContext(database.connect(), clock)
  const owned = createDb({ url: database.ownerUrl, log: ctx.log, metrics: ctx.metrics })
  whenDone(() => owned.close())
  const tenants: Tenant[] = []
  for (const [index, payments] of [300, 130, 0].entries()) {
    const tenant = (await createBusiness(ctx, `Business ${index}`)).tenants.production
    tenants.push(tenant)
    if (payments === 0) continue
    const from = new Date(Date.parse('2026-01-10T08:00:00Z') + index * 20 * dayMs)
    const everyMs = Math.floor((today - 40 * dayMs - from.getTime()) / payments)
    await fillMonths(ctx, database, { tenant, from, payments, everyMs })
  }
  const quiet = (): void => undefined
  const work = { restsPerWork: 0, tell: quiet }
  const ownerCtx = { ...ctx, db: owned }
  return {
    database,
    ctx,
    ownerCtx,
    clock,
    folder,
    tenants,
    archive: ({ noun = 'movements', ...options } = {}) =>
      archiveMonths(ownerCtx, noun, { folder, monthsKept: 1, ...work, ...options }),
    bringBack: (file, meanwhile, before = 'end') => {
      // The transactions for the start, for all rows of a small month, and for the end.
      const at = ['start', 'rows', 'end'].indexOf(before)
      let begun = 0
      const db: Db = {
        ...owned,
        transaction: async (run, lane) => {
          if (begun++ === at) await meanwhile?.()
          return owned.transaction(run, lane)
        },
      }
      return bringBack({ ...ownerCtx, db }, file, work)
    },
    months: () => listMonths(ctx),
    prove: (file) => proveFile(ctx, file),
    fileOf: async (month, noun = 'movements') => {
      const sealed = (await listMonths(ctx)).find((one) => one.noun === noun && one.month === month)
      return path.join(folder, sealed?.file ?? `no ${month}`)
    },
    breaches: (options = {}) => verifyLedger(ctx, { invariants, ...options }),
  }
}
