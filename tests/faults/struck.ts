// Shared by tests in which a server dies during a call to a provider.

import { chmod, writeFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { expect } from 'vitest'
import { startServer } from '#tests/cli/support.ts'
import type { TestDatabase } from '#tests/support/database.ts'
import type { Running } from '#tests/support/launch.ts'
import { waitingForLocks } from '#tests/support/locks.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { newFolder } from '#tests/support/run.ts'
import { testSecretKey } from '#tests/support/service.ts'

export async function writeRailsFile(content: unknown): Promise<string> {
  const file = path.join(await newFolder('rails'), 'rails.json')
  await writeFile(file, JSON.stringify(content))
  await chmod(file, 0o600)
  return file
}

export function startWith(database: TestDatabase, file: string): Promise<Running & { port: number }> {
  const secrets = { DATABASE_URL: database.serviceUrl, SECRET_KEY: testSecretKey.toString('base64') }
  return startServer({ ...secrets, RAILS_FILE: file, DASHBOARD: 'off' })
}

/** The accounts that the providers were asked to pay, and the money that they were asked to return. */
export type Reached = { accounts: string[]; refunds: string[] }

/**
 * Passes time while no server runs: it ends leases, and lets payments that never reached a provider be absent for the
 * grace period. A process counts that period by its own monotonic clock, so this writes what such a process would have
 * written.
 */
export async function passTime(database: TestDatabase, { accounts, refunds }: Reached): Promise<void> {
  await asOwner(
    database,
    `update payment set submitted_at = null, submission_answer = 'unclear'
      where status = 'queued' and submitted_at is not null and account_number <> all($1::text[])`,
    [accounts],
  )
  await asOwner(
    database,
    `update deposit_refund r set status = 'WAITING' from deposit d
      where d.id = r.deposit_id and r.status = 'ASKED' and d.provider_id <> all($1::text[])`,
    [refunds],
  )
  const ago = "interval '25 minutes'"
  await asOwner(database, `update payment set due_at = due_at - ${ago}, submitted_at = submitted_at - ${ago}`)
  await asOwner(database, `update deposit_refund set due_at = due_at - ${ago}, asked_at = asked_at - ${ago}`)
  await asOwner(database, `update rail_notice set due_at = due_at - ${ago}`)
  // The dead servers no longer have a share of the provider's limits.
  await asOwner(database, `update rail_process set alive_until = alive_until - ${ago}`)
}

/** A refund without a lease is polled once a minute or less often. */
async function hurry(database: TestDatabase): Promise<void> {
  const rested = "due_at > now() and updated_at < now() - interval '2 seconds'"
  await asOwner(database, `update deposit_refund set due_at = now() where ${rested}`)
}

export async function untilStruck(database: TestDatabase, strike: Promise<void>, about = ''): Promise<void> {
  let struck = false
  await Promise.all([
    strike.then(() => (struck = true)),
    untilHolds(async () => {
      await hurry(database)
      expect(struck, about).toBe(true)
    }),
  ])
}

/** The rows are part of the failure's text. */
const unfinished = `
  select 'payment' as kind, to_jsonb(p) - 'request' as row, now() from payment p where status not in ('SUCCESS', 'FAILED')
  union all select 'refund', to_jsonb(r), now() from deposit_refund r where status <> 'REFUNDED'
  union all select 'notice', to_jsonb(n) - 'body', now() from rail_notice n where state <> 'done'`

export async function untilFinished(database: TestDatabase): Promise<void> {
  await untilHolds(async () => {
    await hurry(database)
    expect(await asOwner(database, unfinished)).toEqual([])
  })
}

export type Held = { untilAwaited(): Promise<void>; release(): Promise<void> }

/** Blocks the recording of a provider's answers until it is released. */
export async function holdRecords(database: TestDatabase): Promise<Held> {
  const owner = new pg.Client({ connectionString: database.ownerUrl })
  await owner.connect()
  await owner.query('begin')
  for (const table of ['payment', 'deposit_refund', 'rail_notice'])
    await owner.query(`select 1 from ${table} for update`)
  await owner.query('lock table deposit in share row exclusive mode')
  return {
    untilAwaited: () => untilHolds(async () => expect(await waitingForLocks(database)).not.toBe(0)),
    release: () => owner.end(),
  }
}
