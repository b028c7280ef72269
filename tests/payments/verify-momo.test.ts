// The findings of `ledger verify` about mobile money; samples of webhooks are no payments.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { newUuid, type Uuid } from '#platform/ids.ts'
import { toMoney } from '#platform/money.ts'
import { type Breach, verifyLedger } from '#ledger/verify.ts'
import type { AcceptOutcome } from '#payments/accept.ts'
import type { Result } from '#payments/payment.ts'
import { paymentInvariants } from '#payments/verify.ts'
import { publicIdOf } from '#payments/wire.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { createTenant, startProcess, type Process } from './process.ts'
import { newReference } from './requests.ts'

const database = await useTestDatabase()
const [, , events, , collections] = paymentInvariants.map(({ name }) => name)
let process: Process
let tenant: Tenant

beforeEach(async () => {
  process = startProcess({ database, clock: createFakeClock(), leasesNew: false })
  // The simulator serves staging.
  tenant = await createTenant(process, 'staging')
})

async function breaches(rowsPerPage = 20_000): Promise<Omit<Breach, 'tenantId'>[]> {
  const all = await verifyLedger(process.ctx, { invariants: paymentInvariants, rowsPerPage })
  return all.filter(({ tenantId }) => tenantId === tenant.id).map(({ tenantId: _ours, ...breach }) => breach)
}

const tamper = (sql: string, id: Uuid): Promise<unknown> => asOwner(database, sql, [id])

describe('mobile money', () => {
  const proof: Result = { kind: 'succeeded', operatorReference: 'OP-1' }
  const refused: Result = { kind: 'failed', reason: 'PAYMENT_NOT_APPROVED' }
  const asked = {
    amount: toMoney(100_000),
    currency: 'NGN' as const,
    narration: null,
    metadata: null,
    operator: undefined,
  }
  const wallet = { ...asked, phoneNumber: '+2348000000008' }

  async function send(...results: Result[]): Promise<Uuid> {
    const reference = newReference()
    const outcome = await process.payments.sendMomo(tenant, { ...wallet, reference, accountName: null })
    return ended(outcome, reference, results)
  }

  async function collect(...results: Result[]): Promise<Uuid> {
    const reference = newReference()
    const outcome = await process.payments.collect(tenant, { ...wallet, reference, customerName: null })
    return ended(outcome, reference, results)
  }

  async function ended(outcome: AcceptOutcome, reference: string, results: Result[]): Promise<Uuid> {
    if (outcome.kind !== 'accepted') throw new Error(`it is ${outcome.kind}`)
    for (const result of results) await process.payments.complete(tenant, reference, result)
    return outcome.payment.id
  }

  const shown = (id: Uuid): string => publicIdOf({ kind: 'momo_collection', id })

  it('is found when the books count other money as under way than collections would bring', async () => {
    const id = await collect()
    expect(await breaches()).toEqual([])
    await tamper('update payment set amount = amount + 1 where id = $1', id)
    expect(await breaches()).toMatchObject([
      {
        invariant: 'incoming is what unfinished collections and PENDING deposits would bring',
        message: 'NGN incoming is 100000, unfinished collections and PENDING deposits would bring 100001',
      },
    ])
  })

  it('that is right has no breach, in any of its states', async () => {
    await send()
    await send(proof)
    await send(refused)
    await send(proof, { kind: 'reversed' })
    await collect()
    await collect(proof)
    await collect(refused)
    await collect({ kind: 'failed', reason: 'EXPIRED' })
    expect(await breaches(2)).toEqual([])
  })

  it('breaks where a collection has not the deposit that it names', async () => {
    const [right, gone, smaller] = [await collect(proof), await collect(proof), await collect(proof)]
    expect(right).toBeDefined()
    const ofCollection = '(select deposit_id from payment where id = $1)'
    await tamper(`update deposit set status = 'FAILED' where id = ${ofCollection}`, gone)
    await tamper(`update deposit set amount = amount - 1 where id = ${ofCollection}`, smaller)
    const found = (await breaches()).filter(({ invariant }) => invariant === collections)
    expect(found.flatMap(({ ids }) => ids).toSorted()).toEqual([shown(gone), shown(smaller)].toSorted())
  })

  it('breaks where a deposit is of no collection', async () => {
    const id = await collect(proof)
    await tamper(
      "update payment set status = 'FAILED', failure_reason = 'EXPIRED', deposit_id = null, deposit_reference = null where id = $1",
      id,
    )
    const found = (await breaches()).filter(({ invariant }) => invariant === collections)
    expect(found.map(({ message }) => message)).toEqual(['a deposit of no successful collection'])
  })

  it('breaks where an event is missing, doubled or of another status', async () => {
    const [silent, wrong] = [await collect(proof), await send(refused)]
    await tamper('delete from event where source_id = $1', silent)
    await tamper("update event set name = 'momo.transfer.success' where source_id = $1", wrong)
    const found = (await breaches()).filter(({ invariant }) => invariant === events)
    expect(found.flatMap(({ ids }) => ids).toSorted()).toEqual(
      [shown(silent), publicIdOf({ kind: 'momo_transfer', id: wrong })].toSorted(),
    )
  })
})

describe('a sample', () => {
  it('is about no payment and breaks nothing; an event that is none and has no payment does', async () => {
    const write = (sample: boolean): Promise<unknown> =>
      asOwner(
        database,
        `insert into event (lane, tenant_id, source_id, name, id, reference, data, created_at, sample)
         values ($1, $2, $3, 'momo.collection.success', $3, 'SAMPLE-1', '{}', now(), $4)`,
        [tenant.lane, tenant.id, newUuid(1), sample],
      )
    await write(true)
    expect(await breaches()).toEqual([])
    await write(false)
    expect((await breaches()).map(({ invariant }) => invariant)).toEqual([events])
  })
})
