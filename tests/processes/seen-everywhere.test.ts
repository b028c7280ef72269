// Every process obeys a change that another process or a command made: three real processes on one database. Each
// notices it within a second or so (platform/cache.ts, worker/loops.ts), without a message.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '#platform/clock.ts'
import { formatId } from '#platform/ids.ts'
import { laneNumbers } from '#businesses/lanes.ts'
import { manilla } from '#tests/cli/support.ts'
import { createLoad } from '#tests/faults/load.ts'
import { transferBody, untilPaused, untilStatus } from '#tests/payments/requests.ts'
import { createClient, expectSuccess, type Client } from '#tests/support/client.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { useService } from '#tests/support/service.ts'
import { addBusiness, command, settings, startProcess, stopProcess, type Process } from './support.ts'

const database = await useTestDatabase()
const ctx = { ...createTestContext(database.connect()), clock: systemClock }
const env = { DATABASE_URL: database.serviceUrl }
const lanesAtFirst = 2
const lanesLater = 4
const processes: Process[] = []
/** A process that accepts payments and executes none. */
const door = await useService({ database, roles: ['api'] })

beforeAll(async () => {
  const start = (): Promise<Process> => startProcess({ ...env, LANES: String(lanesAtFirst) })
  processes.push(await start(), ...(await Promise.all([start(), start()])))
})

afterAll(async () => {
  await Promise.all(processes.map(stopProcess))
})

/** Asks every process the same at once, until each gives the expected answer. */
async function expectEverywhere(key: string, check: (client: Client) => Promise<void>): Promise<void> {
  await Promise.all(
    processes.map(async (process) => {
      const client = process.as(key)
      await check(client)
      client.close()
    }),
  )
}

const answers = (status: number) => (client: Client) =>
  untilHolds(async () => expect((await client.get('/v1/balance')).status).toBe(status))

describe('every process', () => {
  it('knows a key that was just made, and refuses it once it is revoked', async () => {
    const business = await addBusiness(ctx)
    const id = formatId('business', business.id)
    const made = await command<{ id: string; key: string }>(
      env,
      'keys',
      'create',
      '--business',
      id,
      '--environment',
      'staging',
    )
    // No process has looked this key up before, so none has cached it.
    await expectEverywhere(made.key, answers(200))
    await command(env, 'keys', 'revoke', made.id)
    await expectEverywhere(made.key, answers(401))
  })

  it('keeps to a limit as soon as it is set, and as soon as it is lifted', async () => {
    const { id, key } = await addBusiness(ctx)
    const set = (limit: string) =>
      command(
        env,
        'limits',
        'set',
        '--business',
        formatId('business', id),
        '--environment',
        'staging',
        '--per-payment',
        limit,
      )
    const pays = (client: Client) => client.post('/v1/transfers/initiate', transferBody({ amount: 100_001 }))
    await expectEverywhere(key, async (client) => void expectSuccess(await pays(client)))
    await set('100000')
    await expectEverywhere(key, (client) =>
      untilHolds(async () => expect((await pays(client)).body.error?.code).toBe('LIMIT_EXCEEDED')),
    )
    await set('none')
    await expectEverywhere(key, (client) => untilHolds(async () => void expectSuccess(await pays(client))))
  })

  it('stops and goes on paying out when all payouts are paused and resumed', async () => {
    const { key } = await addBusiness(ctx)
    await expectEverywhere(key, (client) => untilPaused(client, false))
    await command(env, 'payouts', 'pause')
    await expectEverywhere(key, (client) => untilPaused(client, true))
    await command(env, 'payouts', 'resume')
    await expectEverywhere(key, (client) => untilPaused(client, false))
  })
})

describe('LANES', () => {
  it('is raised by a start of one process while the others serve, and each takes the new lanes up', async () => {
    const [first, second] = processes
    const load = createLoad(`http://127.0.0.1:${second?.port}/staging`, (await addBusiness(ctx)).key)
    const running = load.run(8)
    await load.acknowledged(20)
    expect(await laneNumbers(ctx)).toHaveLength(lanesAtFirst)
    if (first !== undefined) await stopProcess(first)
    processes[0] = await startProcess({ ...env, LANES: String(lanesLater) })
    expect(await laneNumbers(ctx)).toHaveLength(lanesLater)
    const newcomer = await addBusiness(ctx, (lane) => lane > lanesAtFirst)
    await load.acknowledged(load.tally.acknowledged + 20)
    await running.stop()
    expect({ wrong: load.wrong, broken: load.tally.broken }).toEqual({ wrong: [], broken: 0 })
    load.client.close()
    await expectEachToWorkFor(newcomer)
  })

  it('stops a start, and fails the doctor, where it is less than the lanes in use', async () => {
    const sentence = `LANES is 1, and businesses live in lanes up to ${lanesLater}`
    await addBusiness(ctx, (lane) => lane === lanesLater)
    const tooFew = { ...settings, ...env, LANES: '1', PORT: '0' }
    const served = await manilla(['serve'], { env: tooFew })
    expect(served).toMatchObject({ code: 1, stderr: expect.stringContaining(sentence) })
    const doctor = await manilla(['doctor', '--json'], { env: tooFew })
    expect(doctor.code).toBe(1)
    const { findings } = JSON.parse(doctor.stdout) as { findings: { check: string; state: string; message: string }[] }
    expect(findings).toContainEqual({ check: 'lanes', state: 'failed', message: expect.stringContaining(sentence) })
    expect(await laneNumbers(ctx)).toHaveLength(lanesLater)
  })
})

/**
 * Any process can work on a payment that another one accepted and does not execute; the two others stand still
 * meanwhile.
 */
async function expectEachToWorkFor({ key }: { key: string }): Promise<void> {
  for (const worker of processes) {
    const others = processes.filter((one) => one !== worker)
    for (const other of others) other.signal('SIGSTOP')
    try {
      const client = createClient(`${door.url}/staging`, key)
      const body = transferBody()
      expectSuccess(await client.post('/v1/transfers/initiate', body))
      await untilStatus(client, String(body['reference']), 'SUCCESS')
      client.close()
    } finally {
      for (const other of others) other.signal('SIGCONT')
    }
  }
}
