// Load that remembers every request, for tests that kill processes: an acknowledged request must be true afterwards,
// and any other one must come true exactly once when the client repeats it under the same reference.

import { isDeepStrictEqual } from 'node:util'
import type { Currency } from '#platform/money.ts'
import { createClient, type Answer, type Client } from '#tests/support/client.ts'
import { patienceMs } from '#tests/support/patience.ts'

/** `unavailable`: 503. `broken`: the connection ended without an answer. Neither says whether the payment exists. */
export type Outcome = 'acknowledged' | 'unavailable' | 'broken'

export type Sent = {
  kind: 'bank_transfer' | 'momo_transfer' | 'momo_collection'
  currency: Currency
  payment: { reference: string; amount: number } & Record<string, unknown>
  fee: number
  /** The end that the simulator derives from its account or phone number. */
  ends: 'SUCCESS' | 'FAILED'
  /** The data of the first answer. */
  data: Answer['body']['data']
}

export type Load = {
  client: Client
  sent: Map<string, Sent>
  tally: Record<Outcome, number>
  /**
   * Answers that the service must never give: a 500, a 503 without Retry-After, no answer at all, a replay that
   * differs.
   */
  wrong: string[]
  /**
   * Sends new payments over this many connections, until it is stopped or its connection breaks. `goesOn`: a broken
   * connection counts as one request without an answer, as where processes come and go behind one address.
   */
  run(connections: number, how?: { goesOn: boolean }): { stop(): Promise<void> }
  /** Sends this many new payments at once. */
  burst(count: number): Promise<Outcome[]>
  /** Resolves when this many are acknowledged. */
  acknowledged(count: number): Promise<void>
  /** Repeats every payment, as clients do that do not know its state, until each is acknowledged. */
  sendAllAgain(): Promise<void>
}

const paymentsMax = 50_000
const attemptsMax = 200

const paths: Record<Sent['kind'], string> = {
  bank_transfer: '/v1/transfers/initiate',
  momo_transfer: '/v1/momo/transfer',
  momo_collection: '/v1/momo/collection',
}

export function createLoad(baseUrl: string, key: string, newPayment: (number: number) => Sent = newTransfer): Load {
  const client = createClient(baseUrl, key)
  const sent = new Map<string, Sent>()
  const tally = { acknowledged: 0, unavailable: 0, broken: 0 }
  const wrong: string[] = []
  let waiting: { count: number; resolve: () => void }[] = []

  async function send(one: Sent): Promise<Outcome> {
    const outcome = await attempt(one)
    tally[outcome] += 1
    if (outcome !== 'acknowledged') return outcome
    for (const { resolve } of waiting.filter(({ count }) => tally.acknowledged >= count)) resolve()
    waiting = waiting.filter(({ count }) => tally.acknowledged < count)
    return outcome
  }

  async function attempt(one: Sent): Promise<Outcome> {
    const answer = await withinLimit(client.post(paths[one.kind], one.payment))
    if (answer === 'broken') return 'broken'
    const { reference } = one.payment
    if (answer === 'silence') wrong.push(`${reference} had no answer within ${patienceMs} ms`)
    else if (answer.status === 200) note(one, answer)
    else if (answer.status !== 503) wrong.push(`${reference} was answered ${answer.status} ${answer.text}`)
    else if (!(Number(answer.headers['retry-after']) >= 1))
      wrong.push(`${reference} was answered 503 without Retry-After`)
    return answer !== 'silence' && answer.status === 200 ? 'acknowledged' : 'unavailable'
  }

  function note(one: Sent, { body, headers }: Answer): void {
    const { reference, amount } = one.payment
    const asPayout = { status: 'queued', totalDebit: amount + one.fee }
    const expected = {
      ...one.payment,
      fee: one.fee,
      isFinal: false,
      ...(one.kind === 'momo_collection' ? { status: 'PENDING' } : asPayout),
    }
    for (const [field, value] of Object.entries(expected)) {
      if (!isDeepStrictEqual(body.data?.[field], value))
        wrong.push(`${reference} was answered with ${field} ${String(body.data?.[field])}`)
    }
    const again = one.data !== undefined
    if (again && headers['idempotent-replayed'] !== 'true') wrong.push(`${reference} was accepted twice`)
    if (again && !isDeepStrictEqual(one.data, body.data))
      wrong.push(`${reference} was answered differently the second time`)
    one.data = body.data
  }

  function sendNext(): Promise<Outcome> {
    const one = newPayment(sent.size)
    sent.set(one.payment.reference, one)
    return send(one)
  }

  return {
    client,
    sent,
    tally,
    wrong,
    run(connections, { goesOn } = { goesOn: false }) {
      let stopped = false
      const worker = async (): Promise<void> => {
        while (!stopped && sent.size < paymentsMax) if ((await sendNext()) === 'broken' && !goesOn) return
      }
      const workers = Array.from({ length: connections }, worker)
      return {
        async stop() {
          stopped = true
          await Promise.all(workers)
        },
      }
    },
    burst: (count) => Promise.all(Array.from({ length: count }, sendNext)),
    acknowledged: (count) =>
      tally.acknowledged >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve })),
    async sendAllAgain() {
      const left = [...sent.values()]
      const worker = async (): Promise<void> => {
        for (let one = left.pop(); one !== undefined; one = left.pop()) {
          let attempts = 1
          while ((await send(one)) !== 'acknowledged' && attempts < attemptsMax) attempts += 1
          if (attempts === attemptsMax)
            wrong.push(`${one.payment.reference} was not acknowledged in ${attemptsMax} attempts`)
        }
      }
      await Promise.all(Array.from({ length: 32 }, worker))
    },
  }
}

async function withinLimit(answer: Promise<Answer>): Promise<Answer | 'broken' | 'silence'> {
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<'silence'>((resolve) => {
    timer = setTimeout(() => resolve('silence'), patienceMs)
  })
  const heard = await Promise.race([answer.catch(() => 'broken' as const), silence])
  clearTimeout(timer)
  return heard
}

const amounts = [50_000, 2_000_000, 7_500_000]
const fees = [1_000, 2_500, 5_000]

/** Covers every step of the fees; one in eight goes to an account that refuses the money. */
function newTransfer(number: number): Sent {
  const fails = number % 8 === 7
  return {
    kind: 'bank_transfer',
    currency: 'NGN',
    payment: {
      reference: `PAYOUT-${number}`,
      amount: (amounts[number % 3] ?? 0) + number,
      bankSlug: 'guaranty-trust-bank',
      accountNumber: fails ? '9990000005' : String(1_000_000_000 + number),
      accountName: 'ADA OBI',
      narration: `Invoice ${number}`,
      metadata: { number: String(number) },
    },
    fee: fees[number % 3] ?? 0,
    ends: fails ? 'FAILED' : 'SUCCESS',
    data: undefined,
  }
}

/** Numbers from 0 to 1 that follow from the seed (mulberry32), so that a run that failed can be run again. */
export function createChance(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** FAULT_ROUNDS multiplies the usual rounds; FAULT_SEED repeats a run. */
export const roundsFactor = Number(process.env['FAULT_ROUNDS'] ?? 1)
export const seed = Number(process.env['FAULT_SEED'] ?? 1)

/** For faults at a moment that no event marks. */
export function moment(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
