// Finding what somebody has pasted: by each shape, soon after it was written, whoever wrote it, and not after it was forgotten.

import { describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { searchRecords, shapeOf } from '#reporting/search.ts'
import { createFollow } from '#reporting/search-index.ts'
import { eraseCustomer } from '#privacy/erase.ts'
import { phones, untilMomo } from '#tests/payments/momo-requests.ts'
import { neverEnding, transferBody, untilStatus } from '#tests/payments/requests.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { createTestContext } from '#tests/support/context.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { useService } from '#tests/support/service.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '20' } })
const { staging, database, ctx } = service
const tenant = service.business.tenants.staging

const ask = async (answer: ReturnType<typeof staging.get>) => expectSuccess(await answer)

async function found(text: string, whose: Tenant = tenant): Promise<string[]> {
  const hits = await searchRecords(ctx, whose, shapeOf(text))
  return hits.map(({ kind, reference }) => `${kind} ${reference}`)
}

const untilFound = (text: string, hits: string[]) => untilHolds(async () => expect(await found(text)).toEqual(hits))

describe('a bank transfer', () => {
  it('is found by its account number two seconds after it was accepted, by the loop that works once a second', async () => {
    const clock = createFakeClock(Date.now())
    const own = createTestContext(database.connect(), clock)
    const { business, staging: other } = await service.addBusiness('In time')
    await ask(other.post('/v1/transfers/initiate', transferBody({ reference: 'SOON', accountNumber: '0777888999' })))
    // Two turns are what two seconds have, whatever this machine is busy with: one may have begun before the commit.
    const follow = createFollow(own)
    for (const lane of [business.tenants.staging.lane, business.tenants.staging.lane]) await follow(lane)
    expect(await found('0777888999', business.tenants.staging)).toEqual(['bank_transfer SOON'])
  })

  it('is found by reference and id at once, and by account number and session id soon after', async () => {
    const accountNumber = '0111222333'
    const { id } = await ask(staging.post('/v1/transfers/initiate', transferBody({ reference: 'T-1', accountNumber })))
    expect(await found(' T-1 ')).toEqual(['bank_transfer T-1'])
    expect(await found(id)).toEqual(['bank_transfer T-1'])
    await untilFound(accountNumber, ['bank_transfer T-1'])
    await untilFound('011 122 2333', ['bank_transfer T-1'])
    const { sessionId } = await untilStatus(staging, 'T-1', 'SUCCESS')
    await untilFound(sessionId, ['bank_transfer T-1'])
  })

  it('that does not end holds up nobody behind it, and is found by its session id when it has ended', async () => {
    const clock = createFakeClock(Date.now())
    const own = createTestContext(database.connect(), clock)
    const { business } = await service.addBusiness('Waiting')
    const other = (await service.addBusiness('Other')).staging
    expect(business.id).not.toBe(service.business.id)
    await ask(other.post('/v1/transfers/initiate', transferBody({ reference: 'STUCK', accountNumber: neverEnding })))
    await ask(other.post('/v1/transfers/initiate', transferBody({ reference: 'BEHIND', accountNumber: '0333444555' })))
    const { sessionId } = await untilStatus(other, 'BEHIND', 'SUCCESS')
    const rows = () => asOwner<{ term: string }>(database, `select term from search_term where term = $1`, [sessionId])
    clock.advance(200_000)
    const follow = createFollow(own)
    await untilHolds(async () => {
      await follow(1)
      expect(await rows()).toHaveLength(1)
    })
    await ask(other.post('/v1/sandbox/transfers/STUCK/complete', { status: 'SUCCESS' }))
    const stuck = (await untilStatus(other, 'STUCK', 'SUCCESS')).sessionId
    clock.advance(200_000)
    await untilHolds(async () => {
      await follow(1)
      expect(await asOwner(database, `select 1 from search_term where term = $1`, [stuck])).toHaveLength(1)
      expect(await asOwner(database, `select 1 from search_pending`)).toEqual([])
    })
  })
})

describe('mobile money, deposits, customers and accounts', () => {
  it('are found by phone, operator reference, ids, account number and e-mail', async () => {
    const { id } = await ask(
      staging.post('/v1/momo/transfer', { reference: 'M-1', amount: 50_000, phoneNumber: phones.success }),
    )
    const { operatorReference } = await untilMomo(staging, 'transfer', 'M-1', 'SUCCESS')
    await untilFound(phones.success, ['momo_transfer M-1'])
    await untilFound(operatorReference, ['momo_transfer M-1'])
    expect(await found(id)).toEqual(['momo_transfer M-1'])
    const customer = await ask(
      staging.post('/v1/customers', {
        reference: 'C-1',
        firstName: 'Ada',
        lastName: 'Obi',
        email: 'Ada.Obi@Example.com',
        phoneNumber: '08031112222',
      }),
    )
    for (const text of ['C-1', customer.id, 'ada.obi@example.COM', '+2348031112222', '0803 111 2222']) {
      expect(await found(text), text).toEqual(['customer C-1'])
    }
    const account = await ask(staging.post('/v1/virtual-accounts/static', { customerReference: 'C-1' }))
    expect(await found(account.accountNumber)).toEqual([`account ${account.accountNumber}`])
    expect(await found(account.id)).toEqual([`account ${account.accountNumber}`])
    const paid = { accountNumber: account.accountNumber, amount: 30_000, senderAccountNumber: '0999888777' }
    const deposit = await ask(staging.post('/v1/sandbox/deposits', paid))
    expect(await found(deposit.id)).toEqual(['deposit '])
    expect(await found(deposit.reference)).toEqual(['deposit '])
    await untilFound(deposit.senderAccountNumber, ['deposit '])
    expect(await found('nobody@example.com')).toEqual([])
  })

  it('are not found, and not in the finder any more, after their customer was erased', async () => {
    await ask(
      staging.post('/v1/customers', { reference: 'GONE', firstName: 'Ife', lastName: 'Ojo', email: 'ife@example.com' }),
    )
    const { accountNumber } = await ask(staging.post('/v1/virtual-accounts/static', { customerReference: 'GONE' }))
    const deposit = await ask(
      staging.post('/v1/sandbox/deposits', {
        accountNumber,
        amount: 30_000,
        senderAccountNumber: '0888777666',
        senderAccountName: 'NKEM UBA',
      }),
    )
    const sender = deposit.senderAccountNumber
    await untilFound(sender, ['deposit '])
    await untilFound('nkem', ['deposit '])
    await ask(staging.delete(`/v1/virtual-accounts/${accountNumber}`))
    expect((await eraseCustomer(ctx, tenant, { reference: 'GONE', note: 'asked' })).kind).toBe('erased')
    expect(await found(sender)).toEqual([])
    expect(await found('ife@example.com')).toEqual([])
    expect(await asOwner(database, 'select * from search_term where term = $1', [sender])).toEqual([])
    expect(await found('nkem')).toEqual([])
    expect(await asOwner(database, `select * from search_name where number = $1`, [sender])).toEqual([])
  })
})

describe('a part of what a person knows', () => {
  const known = { reference: 'PAYOUT-20260260', accountName: 'FAṢỌLA SEGUN ADE', amount: 9_889_677 }

  it('finds a bank transfer: a part of its reference, words of the name in any order and case, the amount', async () => {
    await ask(staging.post('/v1/transfers/initiate', transferBody({ ...known, accountNumber: '0222333444' })))
    const beginnings = [
      '20260260',
      'payout-2026026',
      'Payout-20260260',
      'Segun',
      'fasola seg',
      'segun fasola',
      'ade, SEG',
    ]
    for (const text of [...beginnings, '98896.77', '₦98,896.77', 'NGN 98,896.77']) {
      await untilFound(text, ['bank_transfer PAYOUT-20260260'])
    }
    for (const text of ['gun fasola', 'segun obi', '98896.78', '0260260']) expect(await found(text), text).toEqual([])
  })

  it('finds deposits by the name of the sender and the amount, and customers and recipients by name', async () => {
    const customer = { reference: 'C-2', firstName: 'Chidinma', lastName: 'Okonkwo' }
    await ask(staging.post('/v1/customers', customer))
    const { accountNumber } = await ask(staging.post('/v1/virtual-accounts/static', { customerReference: 'C-2' }))
    const paid = { accountNumber, amount: 4_400_044, senderAccountName: 'BAYO ADEWALE' }
    await ask(staging.post('/v1/sandbox/deposits', paid))
    for (const text of ['adewale b', '44,000.44']) await untilFound(text, ['deposit '])
    expect(await found('okonkwo')).toEqual(['customer C-2'])
    expect(await found('CHIDINMA OKO')).toEqual(['customer C-2'])
    await asOwner(
      database,
      `insert into recipient (lane, tenant_id, id, kind, name, institution, account_number, created_at)
       values ($1, $2, gen_random_uuid(), 'bank', 'Zainab Bello', 'wema-bank', '0123123123', now())`,
      [tenant.lane, tenant.id],
    )
    expect(await found('zainab')).toEqual(['recipient 0123123123'])
  })

  it('is looked for in what an earlier version indexed', async () => {
    await asOwner(database, `update search_progress set worded = 0`)
    await asOwner(database, `truncate search_word, search_name`)
    const follow = createFollow(createTestContext(database.connect(), createFakeClock(Date.now())))
    await untilHolds(async () => {
      await follow(tenant.lane)
      expect(await found('segun')).toEqual(['bank_transfer PAYOUT-20260260'])
      expect(await found('20260260')).toEqual(['bank_transfer PAYOUT-20260260'])
    })
  })
})

it('nobody finds what another business, or the other environment, has', async () => {
  await ask(staging.post('/v1/transfers/initiate', transferBody({ reference: 'MINE', accountNumber: '0555666777' })))
  await untilFound('0555666777', ['bank_transfer MINE'])
  const { business } = await service.addBusiness('Stranger')
  for (const whose of [business.tenants.staging, service.business.tenants.production]) {
    expect(await found('MINE', whose)).toEqual([])
    expect(await found('0555666777', whose)).toEqual([])
  }
})

it('several processes fill it at once, and each term stands in it once', async () => {
  await asOwner(database, 'truncate search_term, search_progress, search_pending')
  const followers = Array.from({ length: 4 }, () =>
    createFollow(createTestContext(database.connect(), createFakeClock(Date.now()))),
  )
  await untilHolds(async () => {
    await Promise.all(followers.map((follow) => follow(1)))
    const [row] = await asOwner<{ missing: number }>(
      database,
      `select count(*)::int as missing from payment p where not exists (
         select 1 from search_term f where f.lane = p.lane and f.tenant_id = p.tenant_id and f.kind = p.kind and f.ordinal = p.ordinal
           and f.term = coalesce(p.account_number, p.phone_number))`,
    )
    expect(row?.missing).toBe(0)
  })
})

it('a secret key is recognised, and not looked for', async () => {
  for (const text of [`sk_live_${'a'.repeat(40)}`, ` sk_test_abc`, 'Bearer sk_live_x', 'whsec_abc=']) {
    expect(shapeOf(text)).toEqual({ kind: 'secret-key' })
    expect(await searchRecords({ db: undefined as never }, tenant, shapeOf(text))).toEqual([])
  }
})
