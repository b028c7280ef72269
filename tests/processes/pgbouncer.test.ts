// PgBouncer between the service and PostgreSQL. In session mode everything works, with real traffic of two real
// processes. In a mode that shares sessions, every process refuses to start before it has done anything.

import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { systemClock } from '#platform/clock.ts'
import { connectionsPerProcessMax, statement } from '#platform/db/db.ts'
import { findPooler } from '#platform/db/pooler.ts'
import { manilla } from '#tests/cli/support.ts'
import { createLoad } from '#tests/faults/load.ts'
import { expectMoneyMovedOnce, untilAllHaveEnded } from '#tests/faults/proof.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { createTestContext } from '#tests/support/context.ts'
import { openForTest, useTestDatabase } from '#tests/support/database.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { hasPgBouncer, launchPgBouncer, type PgBouncer, type PgBouncerOptions } from '#tests/support/pgbouncer.ts'
import { newFolder } from '#tests/support/run.ts'
import { useVerifyingReceiver } from '#tests/support/verifying-receiver.ts'
import { addBusiness, command, settings, startProcess, stopProcess } from './support.ts'

const database = await useTestDatabase()
const receiver = await useVerifyingReceiver()
const processes = 2
const enough = (processes + 1) * connectionsPerProcessMax

if (!hasPgBouncer)
  process.stderr.write('There is no pgbouncer on this machine: tests that put it in front are skipped.\n')

async function usePgBouncer(options: Pick<PgBouncerOptions, 'mode' | 'poolSize'>): Promise<PgBouncer> {
  const [folder, runFolder] = [await newFolder('pgbouncer'), inject('runFolder')]
  const pgBouncer = await launchPgBouncer({ ...options, url: database.serviceUrl, folder, runFolder })
  onTestFinished(() => pgBouncer.stop())
  return pgBouncer
}

type Finding = { check: string; state: string; message: string }

async function poolerFinding(DATABASE_URL: string): Promise<Finding | undefined> {
  const { stdout } = await manilla(['doctor', '--json'], { env: { ...settings, DATABASE_URL } })
  return (JSON.parse(stdout) as { findings: Finding[] }).findings.find(({ check }) => check === 'pooler')
}

it('PostgreSQL itself is not taken for a pooler', async () => {
  expect(await findPooler(database.serviceUrl)).toEqual({ kind: 'none' })
})

describe.skipIf(!hasPgBouncer)('PgBouncer in session mode', () => {
  it('carries the traffic of two processes from acceptance to verified webhooks, and the books are whole', async () => {
    const pgBouncer = await usePgBouncer({ mode: 'session', poolSize: enough })
    const env = { DATABASE_URL: pgBouncer.url, LANES: '4' }
    expect(await poolerFinding(pgBouncer.url)).toMatchObject({
      state: 'ok',
      message: expect.stringContaining(
        `default_pool_size must be at least ${connectionsPerProcessMax} for each process`,
      ),
    })
    const [first, second] = [await startProcess(env), await startProcess(env)]
    const { key } = await addBusiness({ ...createTestContext(database.connect()), clock: systemClock })
    const client = first.as(key)
    const hook = { url: receiver.url, events: ['transfer.success', 'transfer.failed'] }
    receiver.secrets.push(expectSuccess(await client.post('/v1/webhooks', hook)).secret)
    const load = createLoad(`http://127.0.0.1:${second.port}/staging`, key)
    const running = load.run(16)
    await load.acknowledged(200)
    await running.stop()
    // The first process goes on with what the second may have left.
    await stopProcess(second)
    await untilAllHaveEnded(database)
    await untilHolds(() => expect(told()).toBe(load.sent.size))
    expect(receiver.arrivals.filter(({ genuine }) => !genuine)).toEqual([])
    expect({ wrong: load.wrong, tally: load.tally }).toMatchObject({ wrong: [], tally: { unavailable: 0, broken: 0 } })
    load.client.close()
    expect(await pgBouncer.sessions()).toBeLessThanOrEqual(connectionsPerProcessMax)
    expect(await command(env, 'ledger', 'verify')).toMatchObject({ ok: true })
    await expectMoneyMovedOnce(database, { ...load, client })
    client.close()
    await stopProcess(first)
  })

  it('hands a session on without any setting of its earlier client', async () => {
    const { url } = await usePgBouncer({ mode: 'session', poolSize: 1 })
    // Each session begins with the question whether lanes are spread.
    const settingsOf = statement(
      'test.pooled_session',
      `select pg_backend_pid() as pid, current_setting('plan_cache_mode') as plans, current_setting('role') as role,
              (select count(*)::int from pg_prepared_statements) as prepared`,
    )
    const first = openForTest(database, { url })
    const [keyed] = await first.readers.query(settingsOf)
    await first.close()
    const [listed] = await openForTest(database, { url }).query(settingsOf)
    expect(keyed).toEqual({ pid: listed?.['pid'], plans: 'force_generic_plan', role: 'manilla_service', prepared: 2 })
    expect(listed).toMatchObject({ plans: 'force_custom_plan', role: 'manilla_service', prepared: 2 })
  })

  it('that has no session left to give is named at the start, and by the doctor', async () => {
    const { url } = await usePgBouncer({ mode: 'session', poolSize: 1 })
    const message = `raise its default_pool_size to at least ${connectionsPerProcessMax} for each process`
    const served = await manilla(['serve'], { env: { ...settings, DATABASE_URL: url, PORT: '0' } })
    expect(served).toMatchObject({ code: 1, stderr: expect.stringContaining(message) })
    expect(await poolerFinding(url)).toMatchObject({ state: 'failed', message: expect.stringContaining(message) })
  })
})

describe.skipIf(!hasPgBouncer).each(['transaction', 'statement'] as const)('PgBouncer in %s mode', (mode) => {
  it('is refused by every start and command, and named by the doctor, with the setting to change', async () => {
    const { url } = await usePgBouncer({ mode, poolSize: enough })
    const sentence = 'leads through a pooler that shares sessions between connections'
    for (const args of [
      ['serve'],
      ['migrate'],
      ['businesses', 'list'],
      ['listen', '--forward-to', 'http://127.0.0.1:9'],
    ]) {
      const refused = await manilla(args, { env: { ...settings, DATABASE_URL: url, PORT: '0' } })
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(sentence) })
      expect(refused.stderr).toContain('set pool_mode = session')
    }
    expect(await poolerFinding(url)).toMatchObject({ state: 'failed', message: expect.stringContaining(sentence) })
  })
})

/** The number of payments that the receiver has heard of; an event may arrive twice. */
function told(): number {
  return new Set(receiver.arrivals.map(({ body }) => String(body.data.reference))).size
}
