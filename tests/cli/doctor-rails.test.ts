// The doctor's findings about production rails: proved recently, never proved, or stopped.

import { expect, it } from 'vitest'
import { railFindings } from '#cli/doctor.ts'
import { parseConfig } from '#config.ts'
import type { RailsFile } from '#rails/rails-file.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'

const database = await useTestDatabase()
const clock = createFakeClock()
const ctx = createTestContext(database.connect(), clock)
const rails = {
  rails: { paystack: { environment: 'production' }, trial: { environment: 'staging' } },
} as unknown as RailsFile
const findings = (file: RailsFile | undefined = rails) => railFindings({ ...parseConfig({}), rails: file }, ctx)

const hourMs = 3_600_000
const prove = (hoursAgo: number): Promise<unknown> =>
  asOwner(
    database,
    `insert into rail_check (environment, rail, loop, began_at, proved_until) values ('production', 'paystack', 'close', $1, $2)
     on conflict (environment, rail, loop) do update set proved_until = excluded.proved_until`,
    [new Date(clock.now() - 99 * hourMs), new Date(clock.now() - hoursAgo * hourMs)],
  )

it('says nothing without rails, and nothing of those of staging', async () => {
  expect(await railFindings({ ...parseConfig({}), rails: undefined }, ctx)).toEqual([])
  expect(await findings()).toHaveLength(1)
})

it('fails for a rail that was never held against ours, and for one that is unproven for 26 hours', async () => {
  expect(await findings()).toMatchObject([
    { state: 'failed', message: expect.stringContaining('was never reconciled') },
  ])
  await prove(25)
  expect(await findings()).toMatchObject([
    { check: 'rail', state: 'ok', message: expect.stringContaining('25 hours ago') },
  ])
  await prove(26)
  expect(await findings()).toMatchObject([
    { state: 'failed', message: expect.stringContaining('last reconciled 26 hours ago') },
  ])
})

it('warns of open breaks, and fails for a rail that is stopped', async () => {
  await prove(1)
  await asOwner(
    database,
    `insert into rail_break (id, environment, rail, kind, subject, reference, fact, about_at, opened_at)
     values (gen_random_uuid(), 'production', 'paystack', 'float', 'x', '', '', $1, $1)`,
    [new Date(clock.now())],
  )
  expect(await findings()).toMatchObject([
    { state: 'warning', message: expect.stringContaining('1 open mismatches with paystack') },
  ])
  await asOwner(database, `insert into brake values ('production', null, 'paystack', 'double X', $1, 'a test')`, [
    new Date(clock.now()),
  ])
  expect(await findings()).toMatchObject([
    { state: 'failed', message: expect.stringContaining('is stopped: double X') },
  ])
})
