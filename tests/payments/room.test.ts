// The payments service as its callers see it: fees, references, which process takes a payment, and one failure among
// many payments.

import { beforeEach, describe, expect, it } from 'vitest'
import { paymentData } from '#payments/wire.ts'
import { present } from '#platform/assert.ts'
import type { Tenant } from '#platform/context.ts'
import { Unavailable } from '#platform/errors.ts'
import type { Operation } from '#platform/db/lane.ts'
import { toMoney } from '#platform/money.ts'
import type { MomoCollection, Rail } from '#rails/rail.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { createScriptedPayout } from '#tests/support/scripted-rail.ts'
import { createTenant, requestOf, rowOf, startProcess, turn, type Process, type ProcessOptions } from './process.ts'

const database = await useTestDatabase()
const clock = createFakeClock()
const rail = createScriptedPayout(clock)
const collections: MomoCollection = {
  submitLeaseMs: 1_000,
  approval: () => ({ kind: 'handset' }),
  submit: async () => ({ kind: 'pending' }),
  status: async () => ({ kind: 'pending' }),
  submitOtp: async () => ({ kind: 'not-waiting' }),
}

beforeEach(() => rail.forget())

async function open(options: Partial<ProcessOptions> = {}): Promise<{ process: Process; tenant: Tenant }> {
  const process = startProcess({ database, clock, rail, ports: { momoCollection: collections }, ...options })
  return { process, tenant: await createTenant(process) }
}

/** For this amount a transfer costs ₦25, and a collection ₦60. */
const amount = toMoney(600_000)
const wallet = { phoneNumber: '+2348030000000', operator: 'mtn-momo', customerName: null }

function collectionOf() {
  const { reference, currency, narration, metadata } = requestOf()
  return { reference, amount, currency, narration, metadata, ...wallet }
}

describe('a payment', () => {
  it('costs what its kind costs', async () => {
    const { process, tenant } = await open({ leasesNew: false })
    const sent = await process.payments.initiate(tenant, requestOf({ amount }))
    expect(sent).toMatchObject({ kind: 'accepted', payment: { fee: 2_500n } })
    const collected = await process.payments.collect(tenant, collectionOf())
    expect(collected).toMatchObject({ kind: 'accepted', payment: { fee: 6_000n } })
    expect(process.payments.feeFor(amount)).toBe(2_500n)
  })

  it('is read as what it is, and as nothing else', async () => {
    const { process, tenant } = await open({ leasesNew: false })
    const request = requestOf()
    await process.payments.initiate(tenant, request)
    const read = (kind: 'bank_transfer' | 'momo_transfer') => process.payments.read(tenant, kind, request.reference)
    expect(await read('bank_transfer')).toMatchObject({ reference: request.reference })
    expect(await read('momo_transfer')).toBeUndefined()
    expect(await process.payments.read(tenant, 'bank_transfer', 'NO-SUCH')).toBeUndefined()
  })

  it('is shown as the whole payment would be, to its tenant and as its kind alone', async () => {
    const { process, tenant } = await open({ leasesNew: false })
    const { payments } = process
    const asked = { bank_transfer: requestOf(), momo_collection: collectionOf() }
    await payments.initiate(tenant, asked.bank_transfer)
    await payments.collect(tenant, asked.momo_collection)
    const stranger = await createTenant(process)
    for (const kind of ['bank_transfer', 'momo_collection'] as const) {
      const { reference } = asked[kind]
      const whole = present(await payments.read(tenant, kind, reference), 'it was accepted')
      const shown = present(await payments.readShown(tenant, kind, reference), 'it was accepted')
      expect(paymentData(shown)).toEqual(paymentData(whole))
      expect(await payments.readShown(tenant, 'momo_transfer', reference)).toBeUndefined()
      expect(await payments.readShown(stranger, kind, reference)).toBeUndefined()
    }
  })

  it('is noted with the name that its rail knows it by where that rail tells of payments, and there alone', async () => {
    const nameAt = async (tellsOfPayments: boolean): Promise<unknown> => {
      const inbound = { provider: 'fake', tellsOfPayments, verify: () => 'forged', read: async () => ({}) }
      const { process, tenant } = await open({
        leasesNew: false,
        rails: [{ name: 'fake', payout: rail, inbound } as unknown as Rail],
      })
      const request = requestOf()
      await process.payments.initiate(tenant, request)
      type Named = { rail_reference: string | null }
      const named = 'select rail_reference from payment where reference = $1'
      return (await asOwner<Named>(database, named, [request.reference]))[0]?.rail_reference
    }
    expect([await nameAt(true), await nameAt(false)]).toEqual([expect.any(String), null])
  })

  it('is taken up by who accepts it, once', async () => {
    const { process, tenant } = await open()
    const request = requestOf()
    const outcomes = []
    for (const one of [request, request, { ...request, amount }])
      outcomes.push((await process.payments.initiate(tenant, one)).kind)
    expect(outcomes).toEqual(['accepted', 'replayed', 'differs'])
    await process.payments.release()
    expect(rail.asked.map(({ call }) => call)).toEqual(['submit'])
  })

  it('is left to others by who carries nothing', async () => {
    const { process, tenant } = await open({ leasesNew: false })
    const request = requestOf()
    expect((await process.payments.initiate(tenant, request)).kind).toBe('accepted')
    await turn()
    expect([rail.asked, (await rowOf(database, request.reference)).submitted_at]).toEqual([[], null])
  })
})

describe('one of many that is not accepted by a fault of ours', () => {
  /** The second of many submitted payments fails like this. */
  const failing = (fault: Error): Partial<ProcessOptions> => ({
    leasesNew: false,
    laneOf:
      ({ of }) =>
      (number) => {
        const lane = of(number)
        const submitAll = <C, O>(operation: Operation<C, O>, commands: C[], goesOn?: boolean): Promise<O>[] => {
          const [first, , ...others] = lane.submitAll(operation, commands, goesOn)
          return [first as Promise<O>, Promise.reject(fault), ...others]
        }
        return { ...lane, submitAll }
      },
  })
  const requests = () => [requestOf(), requestOf(), requestOf()]

  it('fails alone, and the log knows it by its reference', async () => {
    const { process, tenant } = await open(failing(new Error('no such thing')))
    const many = requests()
    const outcomes = await process.payments.initiateMany(tenant, many, { keyId: null }, false)
    expect(outcomes.map(({ kind }) => kind)).toEqual(['accepted', 'failed', 'accepted'])
    expect(process.lines.map((line) => JSON.parse(line))).toMatchObject([
      { tenant: tenant.id, reference: many[1]?.reference, err: { message: 'no such thing' } },
    ])
  })

  it('is reported for all when the service is not available', async () => {
    const { process, tenant } = await open(failing(new Unavailable('The database cannot be reached right now.')))
    const asked = process.payments.initiateMany(tenant, requests(), { keyId: null }, false)
    await expect(asked).rejects.toThrow(Unavailable)
    expect(process.lines).toEqual([])
  })
})
