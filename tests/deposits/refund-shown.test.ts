// What an operator reads and sees about money that goes back.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { depositReference } from '#deposits/deposit.ts'
import { inLane } from '#platform/db/db.ts'
import { findOpenRefunds } from '#deposits/refund-queries.ts'
import { listAllRefunds, listOpenRefunds, readWithRefund, resolveRefund } from '#deposits/refunds.ts'
import type { DepositNotice } from '#rails/rail.ts'
import type { RefundState } from '#rails/ports.ts'
import { exceptionsAbout } from '#tests/review/open.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { refundingBank } from './refunding-bank.ts'
import { createRoom } from './room.ts'

const database = await useTestDatabase()
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

let answer: RefundState
let absent = false
let requests = 0
/** The process is suspended for this long before it reads an answer. */
let suspendedMs = 0
let breaks = false

const bank = refundingBank({
  refund: () => ((requests += 1), Promise.resolve(answer)),
  status: () => {
    clock.advance(suspendedMs)
    if (breaks) return Promise.reject(new Error('a bug of the adapter'))
    return Promise.resolve(absent ? { kind: 'not-found' } : answer)
  },
})
const room = createRoom(database, [bank])
const { ctx } = room
const { clock } = ctx
let tenant: Tenant

beforeEach(async () => {
  await asOwner(database, 'delete from deposit_refund')
  tenant = await room.newTenant()
  answer = { kind: 'pending' }
  absent = false
  requests = 0
  suspendedMs = 0
  breaks = false
})

const overpay = (changes: Partial<DepositNotice> = {}, owner = tenant) => room.overpay(owner, changes)

const sendBack = (from = room) => from.deposits.sendBack(tenant.lane)
/** Only an absence that lasts permits a second request, so the service must ask the provider twice. */
const staysAbsent = async () => {
  clock.advance(dayMs)
  await sendBack()
  clock.advance(dayMs)
  await sendBack()
}
const statusOf = async ({ id }: { id: string }) =>
  (await asOwner<{ status: string }>(database, 'select status from deposit_refund where deposit_id = $1', [id]))[0]
    ?.status
const about = ({ providerId }: { providerId: string }) => exceptionsAbout(database, `production:bank:${providerId}`)

describe('a person', () => {
  it('sees which refund its provider refuses, and why', async () => {
    const refund = await overpay()
    answer = { kind: 'failed', detail: 'not refundable' }
    await sendBack()
    expect(await about(refund)).toMatchObject([
      {
        kind: 'refund-refused',
        environment: 'production',
        tenant_id: tenant.id,
        reference: depositReference(refund.id),
        fact: expect.stringMatching(/^bank does not send it back: not refundable \(20/),
        amount: '12000',
      },
    ])
    // The provider reports the refund again. The service asks about it, and it stays refused if the provider does not
    // have it.
    answer = { kind: 'unknown', detail: 'no answer' }
    expect(await room.deposits.applyRefundNotice('production', refund)).toBe('asked')
    await sendBack()
    expect(await statusOf(refund)).toBe('ASKED')
    absent = true
    await staysAbsent()
    expect(await statusOf(refund)).toBe('REFUSED')
    expect(await about(refund)).toHaveLength(1)
  })

  it('gets a review item about a refund exactly ten days after the money came', async () => {
    const refund = await overpay()
    await sendBack()
    clock.advance(10 * dayMs - 1)
    await sendBack()
    expect(await about(refund)).toEqual([])
    await asOwner(database, 'update deposit_refund set due_at = created_at')
    clock.advance(1)
    await sendBack()
    expect(await about(refund)).toMatchObject([
      {
        kind: 'refund-unsettled',
        fact: expect.stringMatching(/^bank has not sent it back for ten days \(asked for 20/),
      },
    ])
  })

  it('gets no item if the money is refunded when the service first asks after ten days', async () => {
    const refund = await overpay()
    answer = { kind: 'refunded' }
    clock.advance(11 * dayMs)
    await sendBack()
    expect(await about(refund)).toEqual([])
  })

  it('gets an item about a refund of an unknown provider after exactly an hour', async () => {
    const { providerId } = await overpay({ provider: 'cash' })
    const told = () => exceptionsAbout(database, `production:cash:${providerId}`)
    clock.advance(hourMs - 1)
    await sendBack()
    expect(await told()).toEqual([])
    await asOwner(database, 'update deposit_refund set due_at = created_at')
    clock.advance(1)
    await sendBack()
    expect(await told()).toMatchObject([{ kind: 'refund-refused' }])
  })

  it('has no open item any more when the payer has the money after all', async () => {
    const refund = await overpay()
    clock.advance(10 * dayMs)
    await sendBack()
    expect(await about(refund)).toMatchObject([{ kind: 'refund-unsettled', closed_at: null }])
    answer = { kind: 'refunded' }
    clock.advance(dayMs)
    await sendBack()
    expect((await about(refund))[0]?.closed_at).not.toBeNull()
  })

  it('sees open refunds, the oldest first, and two hundred at most', async () => {
    const refund = await overpay()
    clock.advance(1)
    const done = await overpay()
    clock.advance(1)
    const last = await overpay()
    await asOwner(
      database,
      `update deposit_refund set status = 'REFUNDED', due_at = null, asked_at = created_at where deposit_id = $1`,
      [done.id],
    )
    const ids = async (lanes: number[]) => (await listOpenRefunds(ctx, lanes)).map(({ depositId }) => depositId)
    expect(await ids([tenant.lane])).toEqual([refund.id, last.id])
    const first = async (limit: number) =>
      (await findOpenRefunds(inLane(ctx.db, tenant.lane), limit)).map(({ depositId }) => depositId)
    expect([await first(1), await first(9)]).toEqual([[refund.id], [refund.id, last.id]])
    expect(await ids([tenant.lane, tenant.lane])).toEqual([refund.id, refund.id, last.id, last.id])
    expect(
      await listOpenRefunds(
        ctx,
        Array.from({ length: 101 }, () => tenant.lane),
      ),
    ).toHaveLength(200)
  })

  it('sees a refund with its deposit, and that accepted money has no refund', async () => {
    const refund = await overpay()
    await overpay()
    const [owner] = await asOwner<{ id: string }>(database, 'select business_id as id from tenant where id = $1', [
      tenant.id,
    ])
    expect(await readWithRefund(ctx, tenant, depositReference(refund.id))).toMatchObject({
      deposit: { id: refund.id },
      refund: {
        depositId: refund.id,
        businessId: owner?.id,
        status: 'WAITING',
        environment: 'production',
        providerId: refund.providerId,
      },
    })
    const accepted = await room.deposits.receive(
      'production',
      room.notice({ accountNumber: await room.openStatic(tenant) }),
    )
    if (accepted.kind !== 'recorded') throw new Error(accepted.kind)
    const reference = depositReference(accepted.deposit.id)
    expect(await readWithRefund(ctx, tenant, reference)).toMatchObject({
      deposit: { id: accepted.deposit.id },
      refund: undefined,
    })
    expect(await readWithRefund(ctx, await room.newTenant(), reference)).toBeUndefined()
    expect(await readWithRefund(ctx, tenant, 'DEP1')).toBeUndefined()
  })
})

describe('a refund that is refused', () => {
  async function refuse() {
    const refund = await overpay()
    answer = { kind: 'failed', detail: 'not refundable' }
    await sendBack()
    expect(await statusOf(refund)).toBe('REFUSED')
    return { ...refund, reference: depositReference(refund.id) }
  }
  const resolve = (reference: string, as: 'refunded' | 'retry') =>
    resolveRefund(ctx, [tenant.lane], { reference, as, note: 'paid by hand, ticket 7', by: ctx.by })

  it('ends a notice that reports the refusal again', async () => {
    const refund = await overpay()
    answer = { kind: 'failed', detail: 'not refundable' }
    const tell = () => room.deposits.applyRefundNotice('production', { ...refund, says: 'failed' })
    await asOwner(database, "update deposit_refund set status = 'ASKED', asked_at = due_at where deposit_id = $1", [
      refund.id,
    ])
    expect(await tell()).toBe('asked')
    await sendBack()
    expect([await statusOf(refund), await tell()]).toEqual(['REFUSED', 'ended'])
    expect(await statusOf(refund)).toBe('REFUSED')
  })

  it('is asked about once after a notice that it needs a person', async () => {
    const refund = await overpay()
    expect(await room.deposits.applyRefundNotice('production', { ...refund, says: 'needs-attention' })).toBe('ended')
  })

  it('is REFUNDED, and its review item closed, when its provider has sent it back after all', async () => {
    const refund = await refuse()
    answer = { kind: 'refunded' }
    expect(await room.deposits.applyRefundNotice('production', refund)).toBe('asked')
    await sendBack()
    expect(await statusOf(refund)).toBe('REFUNDED')
    expect((await about(refund))[0]?.closed_at).not.toBeNull()
    expect(requests).toBe(1)
  })

  it('ends by the decision of a person who paid it back by other means, with an audit entry', async () => {
    const refund = await refuse()
    expect(await resolve(refund.reference, 'refunded')).toEqual({ kind: 'resolved', status: 'REFUNDED' })
    expect(await about(refund)).toMatchObject([{ kind: 'refund-refused', note: 'paid by hand, ticket 7' }])
    const acts = await asOwner<{ details: string }>(
      database,
      "select details from audit_entry where act = 'refund.resolved' and subject = $1",
      [refund.reference],
    )
    expect(JSON.stringify(acts)).toContain('paid by hand, ticket 7')
    expect(await listOpenRefunds(ctx, [tenant.lane])).toEqual([])
    expect(await listAllRefunds(ctx, [tenant.lane])).toMatchObject([{ status: 'REFUNDED' }])
    expect(await resolve(refund.reference, 'retry')).toEqual({ kind: 'not-open' })
  })

  it('is sent again if its provider has none, and raises another item if that is refused too', async () => {
    const refund = await refuse()
    expect(await resolve(refund.reference, 'retry')).toEqual({ kind: 'resolved', status: 'ASKED' })
    expect((await about(refund))[0]?.closed_at).not.toBeNull()
    answer = { kind: 'unknown', detail: 'no answer' }
    await sendBack()
    expect([await statusOf(refund), requests]).toEqual(['ASKED', 1])
    absent = true
    await staysAbsent()
    expect([await statusOf(refund), requests]).toEqual(['WAITING', 1])
    answer = { kind: 'failed', detail: 'not refundable' }
    clock.advance(1_000)
    await sendBack()
    expect([await statusOf(refund), requests]).toEqual(['REFUSED', 2])
    expect((await about(refund)).map(({ closed_at }) => closed_at === null)).toEqual([false, true])
  })

  it('raises another item if its provider shows it as pending after that, and then refuses it again', async () => {
    const refund = await refuse()
    await resolve(refund.reference, 'retry')
    for (const next of [{ kind: 'pending' }, { kind: 'failed', detail: 'not refundable' }] as const) {
      answer = next
      clock.advance(dayMs)
      await sendBack()
    }
    expect([await statusOf(refund), requests]).toEqual(['REFUSED', 1])
    expect((await about(refund)).map(({ closed_at }) => closed_at === null)).toEqual([false, true])
  })

  it('raises another item if it is sent again, and has not arrived ten days after the money came', async () => {
    const refund = await refuse()
    answer = { kind: 'unknown', detail: 'no answer' }
    await room.deposits.applyRefundNotice('production', refund)
    clock.advance(10 * dayMs)
    await sendBack()
    answer = { kind: 'failed', detail: 'not refundable' }
    clock.advance(dayMs)
    await sendBack()
    await resolve(refund.reference, 'retry')
    await sendBack()
    answer = { kind: 'pending' }
    clock.advance(1_000)
    await sendBack()
    expect([await statusOf(refund), requests]).toEqual(['ASKED', 2])
    clock.advance(dayMs)
    await sendBack()
    const open = (await about(refund)).filter(({ closed_at }) => closed_at === null)
    expect(open).toMatchObject([{ kind: 'refund-unsettled' }])
  })

  it('is not sent again for an absence that waited for a suspended process until the grace period was over', async () => {
    const refund = await refuse()
    await resolve(refund.reference, 'retry')
    absent = true
    clock.advance(dayMs)
    await sendBack()
    await asOwner(database, 'update deposit_refund set due_at = created_at')
    suspendedMs = 20 * minuteMs
    await sendBack()
    expect([await statusOf(refund), requests]).toEqual(['ASKED', 1])
    suspendedMs = 0
    clock.advance(dayMs)
    await sendBack()
    expect(await statusOf(refund)).toBe('WAITING')
  })

  it('is not sent again for an absence that another process saw before the operator decided', async () => {
    const refund = await overpay()
    answer = { kind: 'unknown', detail: 'refused with 400 X', why: 'refused' }
    await sendBack()
    absent = true
    const other = createRoom(database, [bank], clock.now() + minuteMs)
    await sendBack(other)
    await staysAbsent()
    expect(await statusOf(refund)).toBe('REFUSED')
    await resolve(depositReference(refund.id), 'retry')
    other.ctx.clock.advance(clock.now() - other.ctx.clock.now())
    await sendBack(other)
    expect([await statusOf(refund), requests]).toEqual(['ASKED', 1])
  })

  it('is not sent again when its provider has sent the first one back meanwhile', async () => {
    const refund = await refuse()
    await resolve(refund.reference, 'retry')
    answer = { kind: 'refunded' }
    await sendBack()
    expect([await statusOf(refund), requests]).toEqual(['REFUNDED', 1])
  })

  it('is sent again as an operator decided, although the first status query failed', async () => {
    const refund = await refuse()
    await resolve(refund.reference, 'retry')
    breaks = true
    await sendBack()
    expect([await statusOf(refund), requests]).toEqual(['ASKED', 1])
    breaks = false
    clock.advance(dayMs)
    await sendBack()
    expect([await statusOf(refund), requests]).toEqual(['WAITING', 1])
    answer = { kind: 'pending' }
    clock.advance(1_000)
    await sendBack()
    expect([await statusOf(refund), requests]).toEqual(['ASKED', 2])
  })

  it('is left alone while its provider may still send it back, unless it waits for an operator', async () => {
    const refund = await overpay()
    await sendBack()
    const reference = depositReference(refund.id)
    for (const as of ['refunded', 'retry'] as const) expect(await resolve(reference, as)).toEqual({ kind: 'under-way' })
    answer = { kind: 'pending', attention: 'give the account of the payer' }
    clock.advance(dayMs)
    await sendBack()
    expect(await about(refund)).toMatchObject([
      { kind: 'refund-unsettled', fact: expect.stringMatching(/^give the account of the payer \(asked for 20/) },
    ])
    expect(await resolve(reference, 'refunded')).toEqual({ kind: 'resolved', status: 'REFUNDED' })
    expect((await about(refund))[0]?.closed_at).not.toBeNull()
  })

  it('is not resolved if it does not exist', async () => {
    expect(await resolve('DEP1', 'refunded')).toEqual({ kind: 'not-open' })
  })
})
