// `manilla trigger`: the server sends a sample to the subscriptions of its event, and the command shows their answers.

import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { createClient, expectSuccess } from '#tests/support/client.ts'
import { eventually } from '#tests/support/patience.ts'
import { useReceiver } from '#tests/support/receiver.ts'
import { manilla, newDataDir, newMigratedDataDir, startServer, testKey } from './support.ts'

const env = { DATA_DIR: await newMigratedDataDir(), BOOTSTRAP_TEST_KEY: testKey }
const server = await startServer(env)
const client = createClient(`http://127.0.0.1:${server.port}/staging`, testKey)

async function subscribe(url: string, event: string) {
  return expectSuccess(await client.post('/v1/webhooks', { url, events: [event] })) as { id: string; secret: string }
}

describe('beside a server', () => {
  it('prints the number of deliveries, and each answer', async () => {
    const [good, bad] = [await useReceiver(), await useReceiver()]
    bad.behave('/hook', { status: 500, body: '{"from":"the receiver"}' })
    const [first, second] = [
      await subscribe(good.url(), 'transfer.failed'),
      await subscribe(bad.url(), 'transfer.failed'),
    ]
    await subscribe(good.url(), 'deposit.success')
    const { code, stdout, stderr } = await manilla(['trigger', 'transfer.failed'], { env })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const lines = stdout.trim().split('\n').toSorted()
    expect(lines).toHaveLength(3)
    expect(stdout).toMatch(/^A sample of transfer\.failed for 2 subscriptions:$/m)
    expect(stdout).toMatch(new RegExp(`^${first.id} ${good.url()} → 200 in \\d+ ms$`, 'm'))
    expect(stdout).toMatch(
      new RegExp(`^${second.id} ${bad.url()} → 500 in \\d+ ms: .+\\. The next attempt is at .+Z$`, 'm'),
    )
    expect(good.deliveries).toHaveLength(1)
    const [{ body, headers } = { body: '', headers: {} }] = good.deliveries
    expect(new Webhook(first.secret).verify(body, headers as Record<string, string>)).toMatchObject({
      event: 'transfer.failed',
      environment: 'sandbox',
      reference: expect.stringMatching(/^SAMPLE-/),
      data: { status: 'FAILED' },
    })
  })

  it('--json: one document, with the records of the log', async () => {
    const receiver = await useReceiver()
    const { id } = await subscribe(receiver.url(), 'transfer.reversed')
    const { code, stdout } = await manilla(['trigger', 'transfer.reversed', '--json'], { env })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      event: 'transfer.reversed',
      deliveries: [{ webhookId: id, url: receiver.url(), status: 'delivered', attempts: 1, responseCode: 200 }],
    })
  })

  it('says that no subscription has the event, and how to create one', async () => {
    const { code, stdout, stderr } = await manilla(['trigger', 'momo.transfer.success'], { env })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^No subscription includes momo\.transfer\.success, .+ POST \/v1\/webhooks .+\n$/)
  })

  it('--environment: tells the subscriptions of the other one nothing', async () => {
    const { code } = await manilla(['trigger', 'transfer.failed', '--environment', 'production'], { env })
    expect(code).toBe(1)
  })
})

describe('without a server', () => {
  it('says that the next one sends it, which it does', async () => {
    const receiver = await useReceiver()
    const { id } = await subscribe(receiver.url(), 'customer.deposit.success')
    client.close()
    server.signal('SIGTERM')
    await server.ended
    const { code, stdout } = await manilla(['trigger', 'customer.deposit.success'], { env })
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        'A sample of customer.deposit.success for 1 subscription:\n' +
        `${id} ${receiver.url()} → sent when the server starts (npm start)\n`,
    })
    const next = await startServer(env)
    await eventually('the sample', () => Promise.resolve(receiver.deliveries[0]))
    next.signal('SIGTERM')
    await next.ended
  })
})

describe('a mistake', () => {
  it.each([
    [['transfer.lost'], /^There is no event "transfer\.lost"\. Use one of: transfer\.success, .+\.\n$/],
    [['transfer.success', '--business', 'abc'], /is not the id of a business/],
    [[], /argument 'event'/],
  ])('%j: a sentence on standard error and no stack', async (args, sentence) => {
    const { code, stdout, stderr } = await manilla(['trigger', ...args], { env: { DATA_DIR: await newDataDir() } })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(sentence)
    expect(stderr).not.toMatch(/ {4}at /)
  })
})
