// Failover: which other rail a payout may go to when its own rail does not have it, and why. Routes and rails are
// fakes; no row is written.

import { beforeEach, describe, expect, it } from 'vitest'
import { createFirstSeen } from '#platform/cache.ts'
import type { Db } from '#platform/db/db.ts'
import { minuteMs } from '#platform/durations.ts'
import { takeStep, type LeasedPayment, type StepMeans } from '#payments/execution/step.ts'
import type { Payment } from '#payments/payment.ts'
import { leavingAfter, railChangeOf } from '#payments/execution/failover.ts'
import type { RailState } from '#payments/execution/rail-call.ts'
import type { Rail } from '#rails/rail.ts'
import { railReferenceOf } from '#rails/formats.ts'
import { createRailRegistry, type Routing } from '#rails/registry.ts'
import { createTestContext, type TestContext } from '#tests/support/context.ts'
import { at, bankTransfer, collection, momoTransfer } from './made.ts'

type Route = ReturnType<Routing['routesOf']>[number]

const unsent = { kind: 'unknown', detail: 'no answer', sent: false } as const
const refused = { kind: 'failed', reason: 'PROVIDER_ERROR', created: false } as const
const port = { submitLeaseMs: 1_000, submit: async () => ({ ...unsent, why: 'float' }), status: async () => unsent }
/** The rail of this name can do everything, unless it says otherwise. */
const railOf = (name: string, ports: object = {}): Rail =>
  ({ name, payout: port, momoPayout: port, momoCollection: port, ...ports }) as unknown as Rail

let ctx: TestContext
let stopped: string[]
let poor: string[]
let leftBefore: string[]
let questions: number

beforeEach(() => {
  const query = async () => ((questions += 1), leftBefore.map((rail) => ({ rail })))
  ctx = createTestContext({ query } as unknown as Db)
  ctx.clock.advance(at.getTime() - ctx.clock.now())
  stopped = []
  poor = []
  leftBefore = []
  questions = 0
})

type Over = { rails?: Rail[]; routes?: Record<string, object> }

/** Every payout goes to a, then to b, then to c. */
function meansOver({ rails = [railOf('a'), railOf('b'), railOf('c')], routes = {} }: Over = {}): StepMeans {
  const over = rails.map(({ name }, index): Route => ({ rail: name, weight: index === 0 ? 1 : 0, ...routes[name] }))
  const policy = { policy: 'weight' as const, costs: {} }
  const routing: Routing = { ...policy, rails: { production: rails }, routesOf: () => over }
  return {
    ctx,
    rails: createRailRegistry({ clock: ctx.clock, settleMs: 0, routing }),
    stops: { isStopped: (rail) => stopped.includes(rail) },
    floats: { covers: async (_environment, rail) => !poor.includes(rail) },
    absences: createFirstSeen(ctx.clock),
    floatPatienceMs: minuteMs,
  }
}

function leasedOf(payment: Payment, sentBefore = false): LeasedPayment {
  const leaseEnd = new Date(ctx.clock.now() + minuteMs)
  return { payment, environment: 'production', sentBefore, leaseEnd, leaveBeforeMs: ctx.clock.monotonicMs() + minuteMs }
}

const ofA = (changes: object = {}): Payment => bankTransfer({ rail: 'a', ...changes })
const changeOf = (payment: Payment, means = meansOver()) => railChangeOf(means, leasedOf(payment), 'float')
const next = async (payment: Payment, means = meansOver()) => (await changeOf(payment, means))?.to

describe('the reason why another rail may have a payment', () => {
  it.each<[string, object, string | undefined]>([
    ['that did not leave, for the reason that it says', { ...unsent, why: 'float' }, 'float'],
    ['that did not leave for none', unsent, undefined],
    ['that did not leave, because it refused the name enquiry', { ...unsent, answered: true }, 'refused'],
    ['that may have left: no', { ...unsent, sent: true, why: 'float' }, undefined],
    ['that it refuses by a fault of its own', refused, 'refused'],
    ['that it refuses for the payee: no', { ...refused, reason: 'INVALID_ACCOUNT' }, undefined],
    ['that failed at it: no', { kind: 'failed', reason: 'PROVIDER_ERROR' }, undefined],
    ['that is on its way: no', { kind: 'pending' }, undefined],
  ])('%s', (_which, state, why) => {
    expect(leavingAfter(state as RailState)).toBe(why)
  })
})

describe('the next rail', () => {
  it('is the next of the route, and gets the reason and the lease', async () => {
    const { leaseEnd } = leasedOf(ofA())
    const change = { kind: 'rail-changed', from: 'a', to: 'b', why: 'float', leaseEnd, railReference: null }
    expect(await changeOf(ofA())).toEqual(change)
    expect(questions).toBe(0)
  })

  it('is no rail that the payment has left', async () => {
    leftBefore = ['b']
    expect(await next(ofA({ attempts: 2 }))).toBe('c')
    leftBefore = ['b', 'c']
    expect(await next(ofA({ attempts: 3 }))).toBeUndefined()
  })

  it('is not stopped, has enough for it, and serves it', async () => {
    stopped = ['b']
    expect(await next(ofA())).toBe('c')
    poor = ['c']
    expect(await next(ofA())).toBeUndefined()
    stopped = []
    expect(await next(ofA())).toBe('b')
    const unable = meansOver({ rails: [railOf('a'), railOf('b', { payout: undefined }), railOf('c')] })
    poor = []
    expect(await next(ofA(), unable)).toBe('c')
  })

  it('is one whose route takes its bank, or its operator', async () => {
    const others = { banks: { only: ['access-bank'] }, operators: ['9psb'] }
    expect(await next(ofA(), meansOver({ routes: { b: { banks: others.banks } } }))).toBe('c')
    expect(await next(ofA(), meansOver({ routes: { b: { banks: { only: ['guaranty-trust-bank'] } } } }))).toBe('b')
    const wallet = momoTransfer({ rail: 'a' })
    expect(await next(wallet, meansOver({ routes: { b: { operators: others.operators } } }))).toBe('c')
    expect(await next(wallet, meansOver({ routes: { b: { operators: ['mtn-momo'] } } }))).toBe('b')
  })

  it('finds it by a name of its own where it tells of payments', async () => {
    const telling = meansOver({ rails: [railOf('a'), railOf('b', { inbound: { tellsOfPayments: true } })] })
    const payment = ofA()
    expect(await changeOf(payment, telling)).toMatchObject({ to: 'b', railReference: railReferenceOf(payment.id) })
  })

  it('is none for a payment whose earlier submission was unclear, whatever the rail says now', async () => {
    const unclear = leasedOf(ofA({ submissionAnswer: 'unclear' }))
    for (const why of ['refused', 'float', 'stopped'] as const)
      expect(await railChangeOf(meansOver(), unclear, why)).toBeUndefined()
  })

  it('is none for a payment that names no rail, and none for money that comes in', async () => {
    expect(await next(ofA({ rail: null }))).toBeUndefined()
    expect(await next(collection({ rail: 'a' }))).toBeUndefined()
  })
})

describe('a step', () => {
  const stepOf = (payment: Payment, sentBefore: boolean) => takeStep(meansOver(), leasedOf(payment, sentBefore))

  it('leads to another rail when its own does not have the payment', async () => {
    expect(await stepOf(ofA(), false)).toMatchObject({ kind: 'change-rail', change: { to: 'b', why: 'float' } })
  })

  it('leads to another rail when its own is not configured any more, unless that may have the payment', async () => {
    expect(await stepOf(ofA({ rail: 'gone' }), false)).toMatchObject({ change: { from: 'gone', why: 'no-rail' } })
    expect(await stepOf(ofA({ rail: 'gone' }), true)).toMatchObject({ kind: 'wait', railAnswer: 'no-rail' })
  })

  it.each([
    ['the final refusal of its rail', 'b', { kind: 'settle', results: [{ kind: 'failed', reason: 'PROVIDER_ERROR' }] }],
    ['that the payment was not sent', 'a', { kind: 'wait', unsent: true }],
  ])('keeps %s if the stops cannot be read', async (_what, unreadable, step) => {
    const refusing = { ...port, submit: async () => refused }
    const means = meansOver({ rails: [railOf('a', { payout: refusing }), railOf('b')] })
    const isStopped = (rail: string) => (rail === unreadable ? Promise.reject(new Error('no database')) : false)
    expect(await takeStep({ ...means, stops: { isStopped } }, leasedOf(ofA(), false))).toMatchObject(step)
  })
})
