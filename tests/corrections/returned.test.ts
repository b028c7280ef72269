// A payout succeeded and its money came back outside the API: an operator returns it, with the same effects as any
// return.

import { describe, expect, it } from 'vitest'
import type { Actor, Tenant } from '#platform/context.ts'
import { present } from '#platform/assert.ts'
import type { Tx } from '#platform/db/db.ts'
import { formatId, type Uuid } from '#platform/ids.ts'
import { amountMax, toMoney } from '#platform/money.ts'
import { createCorrections, type SettleRequest, correctionInvariants, reviewItemOf } from '#corrections/corrections.ts'
import { readFloat } from '#ledger/float.ts'
import { ledgerInvariants, verifyLedger } from '#ledger/verify.ts'
import { createSettleByHand, type Source } from '#payments/settle.ts'
import type { Draft } from '#payments/payment.ts'
import { paymentInvariants } from '#payments/verify.ts'
import { publicIdOf } from '#payments/wire.ts'
import { exceptionsAbout } from '#tests/review/open.ts'
import { balancesOf } from '#tests/ledger/books.ts'
import { drafts } from '#tests/payments/drafts.ts'
import { commandOf, useSettling } from '#tests/payments/settling.ts'
import { asOwner } from '#tests/support/owner.ts'
import { itemOf, newBreak, newException } from './items.ts'

const { database, ctx, lanes, open } = await useSettling()
const room = await open()
const [tenant, other] = room.tenants
const by: Actor = { kind: 'terminal', name: 'ada@office' }
const rail: Source = { kind: 'rail', environment: 'production', rail: 'a' }
const name = { environment: 'production' as const, rail: 'a' }
const corrections = createCorrections({ ctx, laneOf: lanes.of, settleByHand: createSettleByHand(ctx, lanes.of) })

const give = (reference: string, more: Partial<SettleRequest> = {}, whose: Tenant = tenant) =>
  corrections.settle(whose, { reference, as: 'returned', note: 'bank statement of 12 May', by, ...more })

async function paid(reference: string, draft: Partial<Draft> = {}): Promise<string> {
  const accepted = await room.accept(tenant, reference, { draft: commandOf(tenant, { reference, ...draft }).draft })
  if (accepted.kind !== 'accepted') throw new Error(`it is ${accepted.kind}`)
  await room.settle(tenant, reference, { result: { kind: 'succeeded' }, source: rail })
  return publicIdOf(accepted.payment)
}

const events = (reference: string) =>
  asOwner<{ name: string }>(database, 'select name from event where reference = $1 order by created_at, name', [
    reference,
  ])

async function float(): Promise<Record<string, bigint>> {
  const rows = await readFloat(ctx.db, name)
  return Object.fromEntries(rows.map(({ account, balance }) => [account, balance]))
}

const breaches = () =>
  verifyLedger(ctx, { invariants: [...ledgerInvariants, ...paymentInvariants, ...correctionInvariants] })

describe('a success whose money came back', () => {
  it.each([
    [false, { balance: 100_000n, bank: 0n }],
    [true, { balance: 0n, bank: 100_000n }],
  ])('is REVERSED with its money, fee, event, float and trace (to the bank: %s)', async (toBank, change) => {
    const reference = `back ${toBank}`
    const before = await balancesOf(ctx.db, tenant)
    const subject = await paid(reference)
    const floatBefore = await float()
    expect(await give(reference, { toBank })).toMatchObject({ kind: 'settled', payment: { status: 'REVERSED' } })
    expect(await balancesOf(ctx.db, tenant)).toEqual(before)
    expect((await events(reference)).map((one) => one.name).toSorted()).toEqual([
      'transfer.reversed',
      'transfer.success',
    ])
    const floatAfter = await float()
    for (const account of ['balance', 'bank'] as const)
      expect((floatAfter[account] ?? 0n) - (floatBefore[account] ?? 0n)).toBe(change[account])
    const acts = await asOwner(database, 'select act, details::json as details from audit_entry where subject = $1', [
      subject,
    ])
    const details = { as: 'reversed', note: 'bank statement of 12 May', reference, ...(toBank ? { toBank } : {}) }
    expect(acts).toEqual([{ act: 'payment.settled', details }])
    expect(await breaches()).toEqual([])
  })

  it('is returned once: the same again changes nothing, also when the rail says it as well', async () => {
    await paid('once')
    const outcomes = await Promise.all([
      give('once'),
      give('once'),
      room.settle(tenant, 'once', { result: { kind: 'reversed' }, source: rail }),
    ])
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['settled', 'unchanged', 'unchanged'])
    expect(await events('once')).toHaveLength(2)
    expect(await breaches()).toEqual([])
  })

  it('closes its open review items, also the one that the operator names, with the note', async () => {
    const subject = await paid('named')
    await room.settle(tenant, 'named', { result: { kind: 'failed', reason: 'DO_NOT_HONOR' }, source: rail })
    expect(await exceptionsAbout(database, subject)).toMatchObject([{ kind: 'payment-contradicted', closed_at: null }])
    const because = await newBreak(database, ctx)
    expect(await give('named', { because })).toMatchObject({ kind: 'settled' })
    expect(await exceptionsAbout(database, subject)).toMatchObject([{ note: 'it became REVERSED' }])
    expect(await itemOf(database, ctx, because)).toMatchObject({
      closed_at: expect.any(Date),
      note: 'bank statement of 12 May',
    })
  })

  it('keeps the note of the person where its own item is named', async () => {
    const subject = await paid('own')
    await room.settle(tenant, 'own', { result: { kind: 'failed', reason: 'DO_NOT_HONOR' }, source: rail })
    const [row] = await exceptionsAbout(database, subject)
    await give('own', { because: formatId('exception', row?.id as Uuid) })
    expect(await exceptionsAbout(database, subject)).toMatchObject([{ note: 'bank statement of 12 May' }])
  })

  it('keeps that note also behind another command of its batch that closes items', async () => {
    const subjects = [await paid('first'), await paid('second')]
    for (const reference of ['first', 'second'])
      await room.settle(tenant, reference, { result: { kind: 'failed', reason: 'DO_NOT_HONOR' }, source: rail })
    const [row] = await exceptionsAbout(database, subjects[1] ?? '')
    const item = present(reviewItemOf({ ...ctx, by }, formatId('exception', row?.id as Uuid)), 'it is an id')
    const note = 'bank statement of 13 May'
    const closeItem = async (tx: Tx) => (await item.lock(tx))?.close(note)
    const result = { kind: 'reversed' as const }
    await Promise.all([
      room.settle(tenant, 'first', { result, source: rail }),
      room.settle(tenant, 'second', {
        result,
        source: { kind: 'person', environment: 'production', note, by, closeItem },
      }),
    ])
    expect(await exceptionsAbout(database, subjects[0] ?? '')).toMatchObject([{ closed_at: null }])
    expect(await exceptionsAbout(database, subjects[1] ?? '')).toMatchObject([{ note: 'bank statement of 13 May' }])
  })
})

describe('nothing is returned', () => {
  it('that did not succeed, or was never paid out', async () => {
    await room.accept(tenant, 'queued')
    await room.accept(tenant, 'failed')
    await room.settle(tenant, 'failed', { result: { kind: 'failed', reason: 'DO_NOT_HONOR' }, source: rail })
    await paid('in', drafts.momo_collection)
    for (const reference of ['queued', 'failed', 'in'])
      expect(await give(reference)).toMatchObject({ kind: 'impossible' })
    expect(await give('NOBODYS')).toEqual({ kind: 'not-found' })
  })

  it('because of an item that is none, or about other money', async () => {
    await paid('mine')
    expect(await give('mine', { because: 'exc_01kf0fv2e0e03scdnf8qyb6afr' })).toEqual({ kind: 'no-item' })
    const because = await newException(database, ctx, other)
    expect(await give('mine', { because })).toEqual({ kind: 'other-business' })
    expect((await itemOf(database, ctx, because)).closed_at).toBeNull()
    expect((await room.rows(tenant)).find(({ reference }) => reference === 'mine')?.status).toBe('SUCCESS')
  })

  it('if the books have no room for it, and no further alarm is raised', async () => {
    const subject = await paid('much')
    const because = await newException(database, ctx, tenant)
    const available = (await balancesOf(ctx.db, tenant))['available'] ?? 0n
    const reserved = (await balancesOf(ctx.db, tenant))['reserved'] ?? 0n
    const rest = toMoney(amountMax - available - reserved)
    await corrections.adjust(tenant, { currency: 'NGN', amount: rest, because, note: 'x', by })
    expect(await give('much')).toMatchObject({ kind: 'no-room' })
    expect(await exceptionsAbout(database, subject)).toEqual([])
  })
})
