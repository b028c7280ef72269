// `manilla listen` as a developer uses it: beside a server, before one, and through its restarts.

import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { createClient } from '#tests/support/client.ts'
import { killAndWait, postmasterPid } from '#tests/postgres/embedded/support.ts'
import { transferBody } from '#tests/payments/requests.ts'
import { hexSignature } from '#tests/events/reference.ts'
import type { Running } from '#tests/support/launch.ts'
import { eventually } from '#tests/support/patience.ts'
import { useReceiver, type Delivered, type Receiver } from '#tests/support/receiver.ts'
import { manilla, newDataDir, newMigratedDataDir, startManilla, startServer, testKey } from './support.ts'

const unknownBusiness = 'biz_01h455vb4pex5vsknk084sn02q'

async function newEnv() {
  return { DATA_DIR: await newMigratedDataDir(), BOOTSTRAP_TEST_KEY: testKey, SANDBOX_SETTLE_MS: '0' }
}

/** Repeats the request, as a client does whose server lost its database. */
async function transfer({ port }: { port: number }, reference: string): Promise<void> {
  const client = createClient(`http://127.0.0.1:${port}/staging`, testKey)
  await eventually(`the transfer ${reference}`, async () => {
    const { status } = await client.post('/v1/transfers/initiate', transferBody({ reference }))
    return status === 200 ? true : undefined
  })
  client.close()
}

const wentAway = /^Lost the database/gm

async function interrupt(running: Running) {
  running.signal('SIGINT')
  return running.ended
}

const referencesOf = ({ deliveries }: Receiver): string[] => deliveries.map(({ event }) => event.reference)

function expectSigned({ headers, body }: Delivered, secret: string): void {
  const [, t = '', v1 = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-webhook-signature'])) ?? []
  expect(v1).toBe(hexSignature(secret, Number(t), body))
  expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
    id: headers['x-webhook-id'],
  })
}

describe('through restarts of the server', () => {
  it('waits for one, loses nothing, repeats nothing, and never keeps the database from stopping', async () => {
    const env = await newEnv()
    const receiver = await useReceiver()
    const listening = await startManilla(['listen', '--forward-to', receiver.url()], { env })
    const says = (pattern: RegExp, times: number) =>
      eventually(`${pattern.source}, ${times} times`, () =>
        Promise.resolve((listening.stderr().match(pattern)?.length ?? 0) >= times ? true : undefined),
      )
    const arrives = (reference: string) =>
      eventually(reference, () => Promise.resolve(referencesOf(receiver).includes(reference) ? true : undefined))
    await says(/^No server runs on .+ Waiting …$/gm, 1)

    const first = await startServer(env)
    await transfer(first, 'FIRST')
    await arrives('FIRST')
    first.signal('SIGTERM')
    await first.ended
    expect(await postmasterPid(env.DATA_DIR)).toBeUndefined()
    await says(wentAway, 1)

    // The killed server leaves its PostgreSQL behind, and the listener notices nothing.
    const second = await startServer(env)
    await transfer(second, 'SECOND')
    await arrives('SECOND')
    second.signal('SIGKILL')
    await second.ended

    const third = await startServer(env)
    await transfer(third, 'THIRD')
    await arrives('THIRD')
    await killAndWait((await postmasterPid(env.DATA_DIR)) ?? 0, 'SIGKILL')
    await transfer(third, 'FOURTH')
    await arrives('FOURTH')

    const { code, stdout, stderr } = await interrupt(listening)
    third.signal('SIGTERM')
    await third.ended
    expect(referencesOf(receiver)).toEqual(['FIRST', 'SECOND', 'THIRD', 'FOURTH'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Forwarded 4 events\.$/m)
    // If PostgreSQL is back before the next look, the command reports neither its loss nor its return.
    expect(stdout.match(/^Reconnected/gm)).toHaveLength(stderr.match(wentAway)?.length ?? 0)
  })
})

describe('beside a server', async () => {
  const env = await newEnv()
  const listen = (url: string, ...args: string[]): Promise<Running> =>
    startManilla(['listen', '--forward-to', url, ...args], { env })
  const server = await startServer(env)

  it('prints a secret, signs with it, and shows each event with the answer and its time', async () => {
    const receiver = await useReceiver()
    const listening = await listen(receiver.url())
    const [, secret = ''] = await listening.says(/^Signed with +(whsec_\S{44})$/m)
    await listening.says(/^Listening to +Demo Business, staging$/m)
    await transfer(server, 'SHOWN-1')
    await listening.says(/^\d\d:\d\d:\d\d transfer\.success SHOWN-1 → 200 in \d+ ms$/m)
    const [received] = receiver.deliveries
    expect(received?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Manilla-Webhooks/1',
      'x-webhook-event': 'transfer.success',
      'x-webhook-attempt': '1',
    })
    expectSigned(received as Delivered, secret)
    expect(JSON.parse(received?.body ?? '')).toMatchObject({
      event: 'transfer.success',
      environment: 'sandbox',
      data: { reference: 'SHOWN-1', status: 'SUCCESS' },
    })
    expect(await interrupt(listening)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\nForwarded 1 event\.\n$/),
      stderr: '',
    })
  })

  it('--since and --secret: brings missed events, signed as before; --json: prints a document for each, nothing else', async () => {
    await transfer(server, 'MISSED-1')
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const receiver = await useReceiver()
    receiver.behave('/hook', ({ event }) => {
      const status = event.reference === 'MISSED-1' ? 500 : 200
      return Promise.resolve({ status, body: '{"from":"the receiver"}' })
    })
    const listening = await listen(receiver.url(), '--since', '1h', '--secret', secret, '--json')
    await listening.says(/MISSED-1/)
    const { code, stdout, stderr } = await interrupt(listening)
    expect(code).toBe(0)
    const documents = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(documents.map(({ reference }) => reference)).toEqual(referencesOf(receiver))
    expect(documents.at(-1)).toEqual({
      id: receiver.deliveries.at(-1)?.headers['x-webhook-id'],
      event: 'transfer.success',
      reference: 'MISSED-1',
      createdAt: expect.stringMatching(/Z$/),
      responseCode: 500,
      error: '{"from":"the receiver"}',
      durationMs: expect.any(Number),
    })
    expectSigned(receiver.deliveries[0] as Delivered, secret)
    expect(stderr).toMatch(/^Forwarded \d+ events?, of which 1 failed\. .+ --forward-to \S+ --since 10m$/m)
  })

  it('says why a receiver did not get an event, and goes on', async () => {
    // A port that no other test can get meanwhile.
    const listening = await listen('http://127.0.0.1:3/')
    await listening.says(/^Listening to/m)
    await transfer(server, 'NOBODY-1')
    await listening.says(/NOBODY-1 → failed after \d+ ms: nothing listens on this address; start your receiver$/m)
    await transfer(server, 'NOBODY-2')
    await listening.says(/NOBODY-2 → failed/)
    expect(await interrupt(listening)).toMatchObject({ code: 0 })
  })

  it('--business: one that does not exist ends it with a sentence', async () => {
    const { code, stderr } = await (await listen('http://localhost', '--business', unknownBusiness)).ended
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `There is no business ${unknownBusiness}. See: npx manilla businesses list\n`,
    })
  })

  it('--environment: forwards nothing of the other one', async () => {
    const receiver = await useReceiver()
    const listening = await listen(receiver.url(), '--environment', 'production', '--since', '1d')
    await listening.says(/^Listening to +Demo Business, production$/m)
    const staging = await listen(receiver.url(), '--since', '1d')
    await staging.says(/→ 200/)
    await interrupt(staging)
    expect(await interrupt(listening)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\nForwarded 0 events\.\n$/),
    })
  })
})

describe('--help', () => {
  it.each(['listen', 'trigger'])('of %s says what it takes, and gives an example to paste', async (command) => {
    const { code, stdout } = await manilla([command, '--help'], { env: {} })
    expect(code).toBe(0)
    expect(stdout).toMatch(new RegExp(`^Usage: manilla ${command} `))
    expect(stdout).toMatch(new RegExp(`^ {2}npx manilla ${command} `, 'm'))
  })
})

describe('a mistake', () => {
  it.each([
    [['--forward-to', 'localhost:3000/hook'], /write http:\/\/localhost:3000\/hook$/m],
    [['--forward-to', 'ftp://localhost'], /^--forward-to takes an http or https URL/],
    [['--forward-to', 'http://a:b@localhost'], /^--forward-to takes no user name and no password/],
    [['--forward-to', 'http://localhost', '--since', '10'], /a number and s, m, h or d, such as 10m/],
    [['--forward-to', 'http://localhost', '--secret', 'abc'], /whsec_ and the base64/],
    [['--forward-to', 'http://localhost', '--business', 'abc'], /is not the id of a business/],
    [['--forward-to', 'http://localhost', '--environment', 'moon'], /Allowed choices are staging, production/],
    [[], /--forward-to <url>' not specified/],
  ])('%j: a sentence on standard error, and it ends', async (args, sentence) => {
    const env = { DATA_DIR: await newDataDir() }
    const { code, stderr } = await manilla(['listen', ...args], { env })
    expect(code).toBe(2)
    expect(stderr).toMatch(sentence)
    expect(stderr).not.toMatch(/ {4}at /)
  })
})
