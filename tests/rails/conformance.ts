// The conformance suite of all rails. A rail's own test file sets up a bench for each of its ports, with orders whose
// outcome is known, and calls the suites of that port.

import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { present } from '#platform/assert.ts'
import { amountMax, toMoney, type Money } from '#platform/money.ts'
import type {
  AccountResolution,
  BankDirectory,
  InboundNotices,
  NoticeAddress,
  RailNotice,
  Submission,
} from '#rails/rail.ts'
import type { FakeClock } from '#tests/support/clock.ts'
import { patienceMs } from '#tests/support/patience.ts'

/** How an order really ends. `lost`: the provider never received it. */
export type Fate = 'paid' | 'refused' | 'open' | 'returned' | 'lost'

type AnyState = { kind: string; askAgainAfterMs?: number }

export type SubmissionBench<Order, State extends AnyState> = {
  port: Submission<Order, State>
  clock: FakeClock
  reasons: readonly string[]
  scenarios: { title: string; fate: Fate; newOrder: () => Order }[]
  /** An order that succeeds. */
  newOrder: (amount: Money) => Order
  paymentsMade: (order: Order) => number
  amountArrived: (order: Order) => Money
}

/** The times at which a patient caller asks again if the rail gives no advice. */
const waitsMs = [1_000, 5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 86_400_000]
const questionsMax = 12

const finalKinds: Record<Fate, string[]> = {
  paid: ['succeeded'],
  refused: ['failed'],
  open: [],
  returned: ['succeeded', 'reversed'],
  lost: ['not-found'],
}
const openKinds = ['pending', 'unknown', 'otp-required']

export function describeSubmission<Order, State extends AnyState>(
  name: string,
  bench: SubmissionBench<Order, State>,
): void {
  const { port } = bench
  const answers = answersOf(bench.reasons)

  describe.each(bench.scenarios)(`${name}: $title`, ({ fate, newOrder }) => {
    let story: Story
    beforeAll(async () => {
      story = await tell(bench, newOrder())
    })

    it('answers in words of the contract', () => {
      for (const { state } of story) expect(answers.safeParse(state), textOf(state)).toMatchObject({ success: true })
    })

    it('answers within the lease', () => {
      for (const { durationMs } of story) expect(durationMs).toBeLessThan(port.submitLeaseMs)
    })

    it('says in the end what truly happened, and nothing else on the way there', () => {
      // An answer that does not know the payment decides nothing, unless it is the last one.
      const last = story.length - 1
      const decided = story
        .map(({ state }) => state.kind)
        .filter((kind, index) => !openKinds.includes(kind) && (kind !== 'not-found' || index === last))
      expect(decided.filter((kind, index) => kind !== decided[index - 1])).toEqual(finalKinds[fate])
    })

    it('is one payment, however often it is submitted', async () => {
      const order = newOrder()
      const first = await tell(bench, order)
      const second = await tell(bench, order)
      expect(bench.paymentsMade(order)).toBe(1)
      const results = [...first, ...second].flatMap(({ state }) => (state.kind === 'succeeded' ? [proofOf(state)] : []))
      expect(new Set(results).size).toBeLessThanOrEqual(1)
    })
  })

  describe(`${name}: amounts`, () => {
    it.each([1n, 2n ** 31n - 1n, 2n ** 31n, 2n ** 32n + 1n, amountMax])('pays %d kobo to the kobo', async (amount) => {
      const order = bench.newOrder(toMoney(amount))
      const story = await tell(bench, order)
      expect(story.at(-1)?.state.kind).toBe('succeeded')
      expect(bench.amountArrived(order)).toBe(amount)
    })
  })
}

type Story = { state: AnyState; durationMs: number }[]

/** Submits, and then asks as often as a patient caller would, until the rail expects no further answer. */
async function tell<Order, State extends AnyState>(bench: SubmissionBench<Order, State>, order: Order): Promise<Story> {
  const { port, clock } = bench
  const story: Story = [await timed(() => port.submit(order))]
  const waits = waitsMs[Symbol.iterator]()
  for (let question = 0; question < questionsMax; question++) {
    const askAgainAfterMs = story.at(-1)?.state.askAgainAfterMs ?? waits.next().value
    if (askAgainAfterMs === undefined) break
    clock.advance(askAgainAfterMs)
    story.push(await timed(() => port.status(order)))
  }
  return story
}

async function timed(call: () => Promise<AnyState>): Promise<Story[number]> {
  const startedAt = performance.now()
  const state = await call()
  return { state, durationMs: performance.now() - startedAt }
}

function proofOf(state: AnyState): string {
  const { askAgainAfterMs: _advice, ...proof } = state
  return textOf(proof)
}

function textOf(said: object): string {
  return JSON.stringify(said, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))
}

/** Strict: the contract has no other field. */
function answersOf(reasons: readonly string[]) {
  const kind = <Kind extends string>(value: Kind) => z.literal(value)
  const askAgainAfterMs = z.int().min(0).optional()
  const cost = z.bigint().min(0n).optional()
  const bank = {
    sessionId: z
      .string()
      .regex(/^\d{30}$/)
      .nullable(),
  }
  const operator = { operatorReference: z.string().min(1).nullable() }
  return z.union([
    z.strictObject({ kind: kind('pending'), askAgainAfterMs, exists: z.literal(true).optional() }),
    z.strictObject({ kind: kind('succeeded'), ...bank, askAgainAfterMs, cost }),
    z.strictObject({ kind: kind('succeeded'), ...operator, askAgainAfterMs, cost }),
    z.strictObject({
      kind: kind('failed'),
      reason: z.enum(reasons as [string]),
      created: z.literal(false).optional(),
    }),
    z.strictObject({ kind: kind('reversed'), ...bank }),
    z.strictObject({ kind: kind('reversed'), ...operator }),
    z.strictObject({ kind: kind('otp-required'), expiresAtMs: z.int() }),
    z.strictObject({
      kind: kind('unknown'),
      detail: z.string().min(1),
      sent: z.literal(false).optional(),
      askAgainAfterMs,
      why: z.enum(['float', 'misconfigured', 'refused', 'mismatch']).optional(),
    }),
    z.strictObject({ kind: kind('not-found') }),
  ])
}

type Question = Parameters<BankDirectory['resolve']>[0]

export type DirectoryBench = {
  directory: BankDirectory
  known: Question
  missing: Question
  /** Questions that get no usable answer. */
  silent: Question[]
}

export function describeBankDirectory(name: string, bench: DirectoryBench): void {
  const ask = async (question: Question): Promise<AccountResolution> => {
    const { state, durationMs } = await timed(() => bench.directory.resolve(question))
    // A user waits for this call, so it must end by itself, even if the bank never answers.
    expect(durationMs).toBeLessThan(patienceMs)
    return state as AccountResolution
  }

  describe(`${name}: name enquiry`, () => {
    it('names the holder of an account, the same one each time', async () => {
      const first = await ask(bench.known)
      expect(first).toEqual({
        kind: 'resolved',
        accountName: expect.stringMatching(/^[^\s\p{Ll}\p{C}](?:[^\p{Ll}\p{C}]*[^\s\p{Ll}\p{C}])?$/u),
      })
      expect(await ask(bench.known)).toEqual(first)
    })

    it('says not-found only of an account that does not exist', async () => {
      expect(await ask(bench.missing)).toEqual({ kind: 'not-found' })
    })

    it('says unavailable when the bank gives no usable answer', async () => {
      for (const question of bench.silent) {
        expect(await ask(question)).toEqual({ kind: 'unavailable', detail: expect.stringMatching(/./) })
      }
    })
  })
}

type Signed = { headers: Record<string, string>; rawBody: Buffer }

/** How a provider calls us in tests, which most signatures do not cover. */
export const noticeAddress: NoticeAddress = {
  method: 'POST',
  authority: 'pay.example.com',
  path: '/production/rails/pawapay/notices',
}

export type InboundBench = {
  inbound: InboundNotices
  genuine: Signed
  /** The contents of the notice, if it is not about a deposit. */
  told?: RailNotice
  /** Genuine, but not a notice. */
  signedNonsense: Signed
}

export function describeInbound(name: string, { inbound, genuine, told, signedNonsense }: InboundBench): void {
  const verify = async (headers: Parameters<InboundNotices['verify']>[0], rawBody: Buffer) =>
    inbound.verify(headers, rawBody, noticeAddress)

  describe(`${name}: notices of money that came in`, () => {
    it('reads a genuine notice, the same each time', async () => {
      expect(await verify(genuine.headers, genuine.rawBody)).toBe('genuine')
      const answer = await inbound.read(genuine.rawBody)
      const deposit = expect.objectContaining({ provider: inbound.provider })
      expect(answer).toEqual({ kind: 'notices', notices: [told ?? { about: 'deposit', deposit }] })
      expect(await inbound.read(genuine.rawBody)).toEqual(answer)
    })

    it('refuses a body in which any byte was changed', async () => {
      for (let index = 0; index < genuine.rawBody.length; index++) {
        const changed = Buffer.from(genuine.rawBody)
        changed[index] = (changed[index] ?? 0) ^ 1
        expect(await verify(genuine.headers, changed), `byte ${index}`).toBe('forged')
      }
    })

    it('refuses notices without a signature, or with another one', async () => {
      const [header, signature] = present(Object.entries(genuine.headers)[0], 'a signed notice has a header')
      for (const value of [
        undefined,
        '',
        'zz',
        signature.slice(2),
        [signature, signature],
        signature.replaceAll(/./g, '0'),
      ]) {
        expect(await verify({ ...genuine.headers, [header]: value }, genuine.rawBody), String(value)).toBe('forged')
      }
    })

    it('believes nothing of a signed body that is not a notice', async () => {
      expect(await verify(signedNonsense.headers, signedNonsense.rawBody)).toBe('genuine')
      expect(await inbound.read(signedNonsense.rawBody)).toEqual({ kind: 'unreadable' })
    })
  })
}
