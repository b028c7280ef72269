// What a person is told and sees of money that goes back.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#base/context.ts'
import { depositReference } from '#deposits/deposit.ts'
import { inLane } from '#base/db.ts'
import { findOpenRefunds } from '#deposits/sql-refunds.ts'
import { listOpenRefunds, readWithRefund } from '#deposits/list-refunds.ts'
import type { DepositNotice } from '#rails/rail.ts'
import type { RefundState } from '#rails/rail-refunds.ts'
import { exceptionsAbout } from '#tests/exceptions/open.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { refundingBank } from './refunding-bank.ts'
import { createRoom } from './room.ts'

const database = await useTestDatabase()
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

let answer: RefundState

const bank = refundingBank({ refund: () => Promise.resolve(answer), status: () => Promise.resolve(answer) })
const room = createRoom(database, [bank])
const { ctx } = room
const { clock } = ctx
let tenant: Tenant

beforeEach(async () => {
  await asOwner(database, 'delete from deposit_refund')
  tenant = await room.newTenant()
  answer = { kind: 'pending' }
})

const overpay = (changes: Partial<DepositNotice> = {}, owner = tenant) => room.overpay(owner, changes)

const sendBack = () => room.deposits.sendBack(tenant.lane)
const about = ({ providerId }: { providerId: string }) => exceptionsAbout(database, `production:bank:${providerId}`)

describe('a person', () => {
  it('is told which money of whom its provider does not send back, and why', async () => {
    const refund = await overpay()
    answer = { kind: 'failed', detail: 'not refundable' }
    await sendBack()
    expect(await about(refund)).toMatchObject([
      {
        kind: 'refund-refused',
        environment: 'production',
        tenant_id: tenant.id,
        reference: depositReference(refund.id),
        fact: 'bank does not send it back: not refundable',
        amount: '12000',
      },
    ])
    // That its provider tells of it again is nothing to ask about.
    expect(await room.deposits.hearOfRefund('production', refund)).toBe('ended')
  })

  it('is told after ten days to the millisecond that money is not back, and which', async () => {
    const refund = await overpay()
    await sendBack()
    clock.advance(10 * dayMs - 1)
    await sendBack()
    expect(await about(refund)).toEqual([])
    await asOwner(database, 'update deposit_refund set due_at = created_at')
    clock.advance(1)
    await sendBack()
    expect(await about(refund)).toMatchObject([
      { kind: 'refund-unsettled', fact: 'bank has not sent it back for ten days' },
    ])
  })

  it('is not told of money that is back when it is first asked about after ten days', async () => {
    const refund = await overpay()
    answer = { kind: 'refunded' }
    clock.advance(11 * dayMs)
    await sendBack()
    expect(await about(refund)).toEqual([])
  })

  it('is told of money of which no rail knows from the millisecond on in which an hour is over', async () => {
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

  it('need not look any more when it is with its payer after all', async () => {
    const refund = await overpay()
    clock.advance(10 * dayMs)
    await sendBack()
    expect(await about(refund)).toMatchObject([{ kind: 'refund-unsettled', closed_at: null }])
    answer = { kind: 'refunded' }
    clock.advance(dayMs)
    await sendBack()
    expect((await about(refund))[0]?.closed_at).not.toBeNull()
  })

  it('sees what is not with its payer yet, the oldest first, and two hundred at most', async () => {
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

  it('sees one with its deposit, and of money that was accepted that there is none', async () => {
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
