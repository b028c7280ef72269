// The traffic of a business while machines fail: it sends transfers through one process, takes deposits through
// another, and gets webhooks about both. It remembers every answer, and how long there was none.

import { expect } from 'vitest'
import { createClient, expectSuccess, type Client } from '#tests/support/client.ts'
import { staticAccount, type Deposit } from '#tests/deposits/requests.ts'
import { createLoad, moment, type Load } from '#tests/faults/load.ts'
import { eventually, untilHolds } from '#tests/support/patience.ts'
import type { Delivered, Receiver } from '#tests/support/receiver.ts'

export type Traffic = {
  load: Load
  /** Resolves when this many more transfers were accepted and this many more deposits taken. */
  more(): Promise<void>
  /** The longest time without an acknowledged transfer since the last call, in milliseconds. */
  longestSilence(): number
  stop(): Promise<void>
  /** Checks that no acknowledged payment is lost or done twice, and that the receiver knows of all of them. */
  expectNothingLost(): Promise<void>
}

const transfersAtOnce = 6
const pauseMs = 50
const moreOfEach = 20
const events = ['transfer.success', 'transfer.failed', 'customer.deposit.success']

type Options = { transfersTo: string; depositsTo: string; key: string; receiver: Receiver }

export async function startTraffic({ transfersTo, depositsTo, key, receiver }: Options): Promise<Traffic> {
  const load = createLoad(transfersTo, key)
  const other = createClient(depositsTo, key)
  const hook = `/${key.slice(-8)}`
  expectSuccess(await load.client.post('/v1/webhooks', { url: receiver.url(hook), events }))
  const opening = await balanceOf(other)
  const { accountNumber } = await staticAccount(other)
  const deposits = new Map<string, Deposit>()
  const wrong: string[] = []
  let [going, paid] = [true, 0]
  let [since, longest] = [performance.now(), 0]

  async function send(): Promise<void> {
    while (going) {
      const outcomes = await Promise.all([load.burst(transfersAtOnce), moment(pauseMs)])
      longest = Math.max(longest, performance.now() - since)
      if (outcomes[0].includes('acknowledged')) since = performance.now()
    }
  }

  /** Sends deposits under new keys, each once. A provider would repeat a deposit until the service takes it. */
  async function receive(): Promise<void> {
    while (going) {
      const narration = `deposit ${(paid += 1)}`
      const body = { accountNumber, amount: 1_000 + paid, narration, status: 'SUCCESSFUL' }
      const [answer] = await Promise.all([other.post('/v1/sandbox/deposits', body), moment(pauseMs)])
      if (answer.status === 200) deposits.set(narration, answer.body.data as Deposit)
      else if (answer.status !== 503) wrong.push(`${narration} was answered ${answer.status} ${answer.text}`)
    }
  }

  const running = Promise.all([send(), receive()])
  return {
    load,
    async more() {
      const [transfers, taken] = [load.tally.acknowledged + moreOfEach, deposits.size + moreOfEach]
      await eventually('more of both', () =>
        Promise.resolve(load.tally.acknowledged >= transfers && deposits.size >= taken ? true : undefined),
      )
    },
    longestSilence() {
      const silence = longest
      longest = 0
      return silence
    },
    async stop() {
      going = false
      await running
    },
    async expectNothingLost() {
      await load.sendAllAgain()
      expect(load.wrong).toEqual([])
      expect(wrong).toEqual([])
      const kept = await everyDeposit(other)
      const byNarration = new Map(kept.map((deposit) => [deposit.narration, deposit]))
      expect(byNarration.size, 'no deposit was taken twice').toBe(kept.length)
      for (const [narration, told] of deposits) expect(byNarration.get(narration)).toEqual(told)
      await untilHolds(async () => expect(await balanceOf(other)).toBe(opening + sumOf(kept) - sumPaid(load)))
      const list = await other.get('/v1/transfers?limit=1')
      expect(list.body.meta?.pagination.total, 'no transfer was accepted twice').toBe(load.sent.size)
      await expectAllTold(() => receiver.at(hook), [...load.sent.keys(), ...kept.map(({ reference }) => reference)])
      for (const client of [load.client, other]) client.close()
    },
  }
}

/** Checks that each payment has one event: a receiver may get it again, with the same id and the same bytes. */
async function expectAllTold(deliveries: () => Delivered[], references: string[]): Promise<void> {
  await untilHolds(() => {
    const told = new Set(deliveries().map(({ event }) => event.reference))
    expect(references.filter((reference) => !told.has(reference))).toEqual([])
  })
  const bodies = new Map(deliveries().map(({ event, body }) => [event.id, body]))
  expect(bodies.size, 'one event for each payment').toBe(references.length)
  expect(deliveries().filter(({ event, body }) => bodies.get(event.id) !== body)).toEqual([])
}

async function balanceOf(client: Client): Promise<number> {
  const { balances } = expectSuccess(await client.get('/v1/balance')) as { balances: { ledger: number }[] }
  return balances[0]?.ledger ?? Number.NaN
}

function sumOf(deposits: Deposit[]): number {
  return deposits.reduce((sum, { amount, fee }) => sum + amount - fee, 0)
}

function sumPaid(load: Load): number {
  const paid = [...load.sent.values()].filter(({ ends }) => ends === 'SUCCESS')
  return paid.reduce((sum, { payment, fee }) => sum + payment.amount + fee, 0)
}

async function everyDeposit(client: Client): Promise<Deposit[]> {
  const all: Deposit[] = []
  for (let page = 1; ; page++) {
    const answer = await client.get(`/v1/deposits?limit=100&page=${page}`)
    all.push(...(expectSuccess(answer).deposits as Deposit[]))
    if (answer.body.meta?.pagination.hasNext !== true) return all
  }
}
