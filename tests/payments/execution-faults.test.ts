// A process dies, stalls, stops or cannot write while it has a payment, beside other processes on the same database. In
// each case the payment is sent once and ends once.

import { describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { Unavailable } from '#platform/errors.ts'
import type { Lane, Operation } from '#platform/db/lane.ts'
import type { PayoutState } from '#rails/rail.ts'
import { asOwner } from '#tests/support/owner.ts'
import { createScriptedPayout, succeeded, timesOf, unknown } from '#tests/support/scripted-rail.ts'
import { useExecuting } from './executing.ts'
import { createTenant, eventsOf, rowOf, turn, until } from './process.ts'

const { accept, clock, database, pass, rail, start, untilStatus } = await useExecuting()
const never = (): Promise<never> => new Promise(() => undefined)
/** The submission of the fake rail takes a second, and the margin is ten. */
const leaseSeconds = 11
let tenant: Tenant

/** A rail whose answer the test gives later. */
function held(): { answer: () => Promise<PayoutState>; say: (state: PayoutState) => void } {
  const said = Promise.withResolvers<PayoutState>()
  return { answer: () => said.promise, say: said.resolve }
}

describe('a process that dies', () => {
  it('between acceptance and submission leaves a payment that is asked about first, and sent when it does not exist', async () => {
    const dead = start({ rail: { ...createScriptedPayout(clock), submit: never } })
    tenant = await createTenant(dead)
    const other = start()
    const reference = await accept(dead, tenant)
    clock.advance((leaseSeconds - 1) * 1_000) // The timers of the first process never run again.
    expect(await other.payments.work(tenant.lane)).toBe(0)
    rail.onStatus = () => ({ kind: 'not-found' })
    rail.onSubmit = () => succeeded
    clock.advance(1_000)
    expect(await other.payments.work(tenant.lane)).toBe(1)
    clock.advance(15 * 60_000)
    expect(await other.payments.work(tenant.lane)).toBe(1)
    expect(await other.payments.work(tenant.lane)).toBe(1)
    await untilStatus(reference, 'SUCCESS')
    const laterSeconds = leaseSeconds + 900
    expect(timesOf(rail)).toEqual([`status ${leaseSeconds}`, `status ${laterSeconds}`, `submit ${laterSeconds}`])
  })

  it('after submission leaves a payment whose outcome another process learns, without sending it', async () => {
    const dead = start()
    tenant = await createTenant(dead)
    const other = start()
    const reference = await accept(dead, tenant)
    expect(timesOf(rail)).toEqual(['submit 0'])
    rail.onStatus = () => succeeded
    clock.advance(leaseSeconds * 1_000) // The timers of the first process never run again.
    expect(await other.payments.work(tenant.lane)).toBe(1)
    await untilStatus(reference, 'SUCCESS')
    expect(timesOf(rail)).toEqual(['submit 0', `status ${leaseSeconds}`])
  })

  it('in the middle of a claim leaves a payment that is asked about first', async () => {
    const dead = start({ leasesNew: false, rail: { ...createScriptedPayout(clock), submit: never } })
    tenant = await createTenant(dead)
    const other = start()
    const reference = await accept(dead, tenant)
    const claiming = dead.payments.work(tenant.lane)
    await until(async () => (await rowOf(database, reference)).submitted_at !== null, 'it is claimed')
    expect(await other.payments.work(tenant.lane)).toBe(0)
    clock.advance(leaseSeconds * 1_000)
    expect(await other.payments.work(tenant.lane)).toBe(1)
    expect(timesOf(rail)).toEqual([`status ${leaseSeconds}`])
    pass(1)
    expect(await claiming).toBe(1)
  })
})

describe('a process that stalls', () => {
  it('does not submit what it accepted when the commit took so long that the submission could outlive the lease', async () => {
    let stalled = true
    const slow = start({
      laneOf:
        ({ of }) =>
        (number) => {
          const lane = of(number)
          const submit: Lane['submit'] = async (operation, command) => {
            const outcome = await lane.submit(operation, command)
            if (stalled) clock.advance((leaseSeconds - 0.5) * 1_000)
            stalled = false
            return outcome
          }
          return { ...lane, submit }
        },
    })
    tenant = await createTenant(slow)
    const reference = await accept(slow, tenant)
    await until(async () => (await rowOf(database, reference)).submitted_at === null, 'it is given back, unsent')
    expect(timesOf(rail)).toEqual([])
    expect(await start().payments.work(tenant.lane)).toBe(1)
    expect(timesOf(rail)).toEqual([`submit ${leaseSeconds - 0.5}`])
  })

  it('cannot undo what the process that leased its payment next has stored', async () => {
    const { answer, say } = held()
    const slow = start({ rail: { ...createScriptedPayout(clock), submit: answer } })
    tenant = await createTenant(slow)
    const other = start()
    const reference = await accept(slow, tenant)
    clock.advance(leaseSeconds * 1_000)
    expect(await other.payments.work(tenant.lane)).toBe(1)
    const noted = await rowOf(database, reference)
    expect(noted.submitted_at).not.toBeNull()
    say({ ...unknown, sent: false })
    await turn()
    await slow.lanes.drain()
    expect(await rowOf(database, reference)).toEqual(noted)
  })

  it('moves no money twice if it settles a payment that has already ended', async () => {
    const { answer, say } = held()
    const slow = start({ rail: { ...createScriptedPayout(clock), submit: answer } })
    tenant = await createTenant(slow)
    const other = start()
    const reference = await accept(slow, tenant)
    rail.onStatus = () => succeeded
    clock.advance(leaseSeconds * 1_000)
    await other.payments.work(tenant.lane)
    await untilStatus(reference, 'SUCCESS')
    const ended = await rowOf(database, reference)
    say(succeeded)
    await turn()
    await slow.lanes.drain()
    expect(await rowOf(database, reference)).toEqual(ended)
    expect(await eventsOf(database, reference)).toEqual(['transfer.success'])
    expect(slow.lines).toEqual([])
    const movements = await asOwner(database, 'select kind from ledger_movement where reference = $1 order by id', [
      reference,
    ])
    expect(movements).toEqual([{ kind: 'hold' }, { kind: 'payout' }, { kind: 'payout_fee' }])
  })
})

describe('a process that cannot write the answer of a rail', () => {
  it('logs it, and the payment is asked about when its lease ends', async () => {
    let broken = false
    const unlucky = start({
      laneOf:
        ({ of }) =>
        (number) => {
          const lane = of(number)
          const submitOwn = <C, O>(operation: Operation<C, O>, command: C): Promise<O> =>
            broken
              ? Promise.reject(new Unavailable('The database cannot be reached right now.'))
              : lane.submitOwn(operation, command)
          return { ...lane, submitOwn }
        },
    })
    tenant = await createTenant(unlucky)
    rail.onSubmit = () => {
      broken = true
      return succeeded
    }
    const reference = await accept(unlucky, tenant)
    await until(() => unlucky.lines.some((line) => line.includes('a payment step failed')), 'it is logged')
    expect((await rowOf(database, reference)).status).toBe('queued')
    broken = false
    rail.onStatus = () => succeeded
    pass(leaseSeconds)
    expect(await unlucky.payments.work(tenant.lane)).toBe(1)
    await untilStatus(reference, 'SUCCESS')
    expect(timesOf(rail)).toEqual(['submit 0', `status ${leaseSeconds}`])
  })
})

describe('a process that stops', () => {
  it('returns its payments, so that another process asks at once', async () => {
    const stopping = start()
    tenant = await createTenant(stopping)
    const other = start()
    const reference = await accept(stopping, tenant)
    await stopping.payments.release()
    expect((await rowOf(database, reference)).due_at?.getTime()).toBe(clock.now())
    rail.onStatus = () => succeeded
    expect(await other.payments.work(tenant.lane)).toBe(1)
    await untilStatus(reference, 'SUCCESS')
    expect(timesOf(rail)).toEqual(['submit 0', 'status 0'])
    pass(5)
    expect(rail.asked).toHaveLength(2)
  })

  it('waits for the answers that are on their way, and writes them', async () => {
    const { answer, say } = held()
    const stopping = start({ rail: { ...createScriptedPayout(clock), submit: answer } })
    tenant = await createTenant(stopping)
    const reference = await accept(stopping, tenant)
    let released = false
    const releasing = stopping.payments.release().then(() => (released = true))
    await turn()
    expect(released).toBe(false)
    say(succeeded)
    await releasing
    expect((await rowOf(database, reference)).status).toBe('SUCCESS')
  })

  it('does not wait for ever', async () => {
    const stopping = start({ rail: { ...createScriptedPayout(clock), submit: never } })
    tenant = await createTenant(stopping)
    await accept(stopping, tenant)
    const releasing = stopping.payments.release()
    pass(20)
    await expect(releasing).resolves.toBeUndefined()
  })

  it('leases no payment that it accepts after that', async () => {
    const stopping = start()
    tenant = await createTenant(stopping)
    await stopping.payments.release()
    const row = await rowOf(database, await accept(stopping, tenant))
    expect(row).toMatchObject({ submitted_at: null })
    expect(row.due_at?.getTime()).toBe(clock.now())
    expect(timesOf(rail)).toEqual([])
  })
})
