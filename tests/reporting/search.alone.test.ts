// Search by each kind of text: rows are found soon after they are written, and not after they are erased.

import { describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { keysOfName, nameKeys } from '#platform/db/folded-names.ts'
import { searchRecords, shapeOf } from '#reporting/search.ts'
import { createFollow } from '#reporting/search-index.ts'
import { prefixesOf, wordsOf } from '#reporting/search-words.ts'
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
  it('is found by its account number after two turns of the loop, which begin within four seconds', async () => {
    const clock = createFakeClock(Date.now())
    const own = createTestContext(database.connect(), clock)
    const { business, staging: other } = await service.addBusiness('In time')
    await ask(other.post('/v1/transfers/initiate', transferBody({ reference: 'SOON', accountNumber: '0777888999' })))
    // One turn may have begun before the commit, so this runs two.
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

  it('that does not end delays no later one, and is found by its session id when it has ended', async () => {
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

describe('references that many payments share the beginning of', () => {
  const references = Array.from({ length: 25 }, (_, index) => `Pay-OUT_${index + 2_001}ab`)
  const last = [...references, 'Pay-OUT_Mixed-7001'].slice(-20).map((reference) => `bank_transfer ${reference}`)

  it('are found by any part in any case, and have no rows of their own', async () => {
    const { business, staging: other } = await service.addBusiness('Of one beginning')
    const { id, lane } = business.tenants.staging
    for (const reference of [...references, 'Pay-OUT_Mixed-7001']) {
      await ask(other.post('/v1/transfers/initiate', transferBody({ reference, amount: 7_700_077 })))
    }
    const follow = createFollow(createTestContext(database.connect(), createFakeClock(Date.now())))
    const rows = (text: string) => asOwner<{ word: string }>(database, text, [id])
    const untilIndexed = () =>
      untilHolds(async () => {
        await follow(lane)
        expect(await rows(`select 1 from search_progress where tenant_id = $1 and worded = 26`)).toHaveLength(1)
      })
    await untilIndexed()
    await rows(
      `with words as (delete from search_word where tenant_id = $1),
            terms as (delete from search_term where tenant_id = $1 and term = '=7700077')
       update search_progress set worded = 0 where tenant_id = $1`,
    )
    await untilIndexed()
    expect(await rows(`select 1 from search_term where tenant_id = $1 and term = '=7700077'`)).toHaveLength(20)
    // Only the reference with mixed case after the common beginning needs words of its own.
    const words = await rows(`select word from search_word where tenant_id = $1 order by word`)
    expect(words.map(({ word }) => word)).toEqual(['7001', 'mixed-7001', 'out_mixed-7001', 'pay-out_mixed-7001'])
    const whose = business.tenants.staging
    for (const text of ['2007A', '2007ab', 'OUT_2007', 'out_2007', 'pay-out_2007', 'PAY-OUT_2007AB']) {
      expect(await found(text, whose), text).toEqual(['bank_transfer Pay-OUT_2007ab'])
    }
    for (const text of ['7001', 'MIXED', 'out_mix']) {
      expect(await found(text, whose), text).toEqual(['bank_transfer Pay-OUT_Mixed-7001'])
    }
    for (const text of ['pay', 'OUT', 'out_', '77,000.77'])
      expect((await found(text, whose)).toSorted(), text).toEqual(last)
    for (const text of ['007ab', 'ay-out', 'x-2007']) expect(await found(text, whose), text).toEqual([])
  })
})

describe('the words of a reference', () => {
  const uuid = '3f2a1b9c-1111-4222-8333-abcdef123456'
  const words = (reference: string, ...known: string[]) => wordsOf([reference], new Set(known)).words[0]

  it.each([
    ['X', ['x']],
    ['PAYOUT-20260260', ['payout-20260260', '20260260']],
    ['INV000042', ['inv000042', '000042']],
    ['A-b--inv_2026:0042.', ['a-b--inv_2026:0042.', 'inv_2026:0042.', '2026:0042.', '0042.']],
    ['a-7', ['a-7']],
    ['7f3a912c', ['7f3a912c']],
    [uuid.toUpperCase(), [uuid, 'abcdef123456']],
    [`refund-${uuid}-200`, [`refund-${uuid}-200`, `${uuid}-200`, 'abcdef123456-200', '200']],
  ])('%s are it as a whole and its last parts', (reference, expected) => {
    expect(wordsOf([reference], undefined).words).toEqual([expected])
  })

  it('leave out those that a search finds behind a known beginning', () => {
    expect(words('PAYOUT-2026-0042', '')).toEqual(['2026-0042', '0042'])
    expect(words('PAYOUT-2026-0042', '', 'PAYOUT-')).toEqual(['0042'])
    expect(words('PAYOUT-2026-0042', '', 'PAYOUT-2026-')).toEqual([])
    expect(words('Payout-2026-ab', 'Payout-')).toEqual([])
    expect(words('Payout-2026-aB', 'Payout-')).toEqual(['payout-2026-ab', '2026-ab'])
  })

  it('add the beginnings that twenty payments of a step share, and at most fifty', () => {
    const twenty = Array.from({ length: 20 }, (_, index) => `A-20260101-${index + 100}`)
    expect([...wordsOf(twenty, new Set()).beginnings]).toEqual(['', 'A-', 'A-20260101-'])
    expect([...wordsOf(twenty.slice(1), new Set()).beginnings]).toEqual([''])
    const known = new Set(Array.from({ length: 49 }, (_, index) => `K${index}-`))
    expect([...wordsOf(twenty, known).beginnings]).toEqual([...known, ''])
  })
})

it('a typed text is looked for behind each beginning, and with its end', () => {
  expect(prefixesOf('20a', ['', 'PAY-'])).toEqual(['20a', '20A', 'PAY-20a', 'PAY-20A'])
  expect(prefixesOf('pAy-2', ['Pay-'])).toEqual(['Pay-2', 'Pay-pay-2', 'Pay-PAY-2'])
  expect(prefixesOf('ay', ['Pay-'])).toEqual(['Pay-ay', 'Pay-AY'])
  expect(prefixesOf('out', ['Pay-Out-'])).toEqual(['Pay-Out-', 'Pay-Out-out', 'Pay-Out-OUT'])
})

it('the keys of a name are the same here and in PostgreSQL', async () => {
  const names = [
    'Ada N. OBI',
    ' Fa\u1e63\u1ecdla  S\u00e9gun ',
    'O\u2019Brien-Eze',
    '',
    '...',
    '\u00a0ada\u00a0',
    'a a',
    'One Two three four five six',
    `${'x'.repeat(99)} yz`,
    `\u{1f600}${'y '.repeat(70)}`,
  ]
  for (const name of names) {
    const keys = await asOwner<{ name: string }>(
      database,
      `select n.name from (select $1::text as name) as r cross join lateral ${nameKeys('r.name')}`,
      [name],
    )
    expect(keysOfName(name).toSorted(), name).toEqual([...new Set(keys.map((key) => key.name))].toSorted())
  }
})

it('a search finds nothing of another business, or of the other environment', async () => {
  await ask(staging.post('/v1/transfers/initiate', transferBody({ reference: 'MINE', accountNumber: '0555666777' })))
  await untilFound('0555666777', ['bank_transfer MINE'])
  const { business } = await service.addBusiness('Stranger')
  for (const whose of [business.tenants.staging, service.business.tenants.production]) {
    expect(await found('MINE', whose)).toEqual([])
    expect(await found('0555666777', whose)).toEqual([])
  }
})

it('the index has each term once, also if several processes fill it at once', async () => {
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

it('a secret key is recognized, and not looked for', async () => {
  for (const text of [`sk_live_${'a'.repeat(40)}`, ` sk_test_abc`, 'Bearer sk_live_x', 'whsec_abc=']) {
    expect(shapeOf(text)).toEqual({ kind: 'secret-key' })
    expect(await searchRecords({ db: undefined as never }, tenant, shapeOf(text))).toEqual([])
  }
})
