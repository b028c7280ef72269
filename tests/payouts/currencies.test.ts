// Drafts in currencies other than naira: their cells, the approvals that they need, and the payments that they become.

import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { currencyOfRows, emptyCells, readCells, type Cells } from '#payouts/cells.ts'
import { contentHashOf } from '#payouts/draft-rows.ts'
import type { PayoutRow } from '#payouts/queries.ts'
import { parseId, type Uuid } from '#platform/ids.ts'
import { toMoney, type Currency } from '#platform/money.ts'
import { sha256 } from '#platform/secrets.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { useService } from '#tests/support/service.ts'

function read(currency: Currency, cells: Partial<Cells>) {
  return readCells(emptyCells(cells), { environment: 'staging', currency, ownReference: 'OWN-1' })
}

describe('the cells of a wallet', () => {
  it.each<[string, Currency, string, string, string, string]>([
    ['national form, operator by name', 'GHS', 'MTN Mobile Money Ghana', '0241234567', 'mtn-gh', '+233241234567'],
    ['without the 0 that a spreadsheet dropped', 'GHS', 'mtn-gh', '241234567', 'mtn-gh', '+233241234567'],
    ['operator by prefix', 'GHS', '', '0241234567', 'mtn-gh', '+233241234567'],
    ['one of several countries', 'XOF', '', '+2250500000001', 'mtn-ci', '+2250500000001'],
    ['national form where the operator says the country', 'XOF', 'mtn-ci', '0500000001', 'mtn-ci', '+2250500000001'],
    ['naira', 'NGN', '', '08030000000', 'mtn-momo', '+2348030000000'],
    ['a till, by the number of the business', 'KES', 'mpesa-till', '247 247', 'mpesa-till', '247247'],
  ])('are read: %s', (_, currency, bank, account, institution, accountNumber) => {
    const row = read(currency, { bank, account, amount: '50' })
    expect(row).toMatchObject({ kind: 'wallet', institution, accountNumber, errors: [] })
  })

  it.each<[string, Currency, Partial<Cells>, string, string]>([
    ['a bank', 'GHS', { bank: 'GTBank', account: '0241234567' }, 'bank', 'only mobile-money wallets can be paid'],
    ['a number of another country', 'GHS', { account: '08030000000' }, 'account', 'a phone number of Ghana'],
    ['a number that may be of several countries', 'XOF', { account: '97123456' }, 'account', 'begins with +'],
    ['a fraction of a whole currency', 'XOF', { amount: '1500.50' }, 'amount', 'XOF has no decimals.'],
    [
      'cents that the operator does not carry',
      'KES',
      { bank: 'mpesa-ke', amount: '10.50' },
      'amount',
      'whole KES only',
    ],
    ['a phone as a till', 'KES', { bank: 'mpesa-till', account: '0710000001' }, 'account', 'has 5 to 7 digits'],
    ['a paybill', 'KES', { bank: 'M-PESA paybill', account: '400200' }, 'bank', 'paid with the API'],
    ['another currency', 'GHS', { currency: 'KES' }, 'currency', 'Put payouts in KES into a file of their own.'],
    ['no currency', 'GHS', { currency: 'EUR' }, 'currency', 'No currency is called “EUR”.'],
  ])('have a fault beside them: %s', (_, currency, cells, field, message) => {
    const { errors } = read(currency, { amount: '50', ...cells })
    expect(errors).toContainEqual(expect.objectContaining({ field, message: expect.stringContaining(message) }))
  })

  it('carry amounts in the decimals of their currency', () => {
    expect(read('GHS', { amount: 'GHS 1,500.5' }).amount).toBe(150_050n)
    expect(read('XOF', { amount: '1500.00' }).amount).toBe(1_500n)
    expect(currencyOfRows([{}, { currency: ' ghs ' }, { currency: 'KES' }])).toBe('GHS')
    expect(currencyOfRows([{ currency: '₦' }, { currency: 'KES' }])).toBe('NGN')
  })
})

it('keeps the hash of drafts in naira, and gives those in another currency one of their own', () => {
  const [tenant, id] = [{ id: randomUUID() as Uuid }, randomUUID() as Uuid]
  const row = {
    number: 1,
    kind: 'wallet',
    amount: toMoney(5_000),
    institution: 'mtn-gh',
    reference: 'A-1',
  } as PayoutRow
  const cells = [1, 'wallet', '5000', 'mtn-gh', undefined, undefined, undefined, 'A-1']
  const before = sha256(JSON.stringify([1, tenant.id, id, [cells]]))
  expect(contentHashOf(tenant, { id, currency: 'NGN' }, [row])).toEqual(before)
  const hashes = (['NGN', 'GHS', 'KES'] as const).map((currency) => contentHashOf(tenant, { id, currency }, [row]))
  expect(new Set(hashes.map((hash) => hash.toString('hex'))).size).toBe(3)
})

describe('a draft in another currency', async () => {
  const service = await useService({ settings: { SANDBOX_SETTLE_MS: '20' } })
  const here = below(service, 'staging')
  const drafts = `${here}/payout-drafts`
  const owner = await addPerson(service, { role: 'owner' })
  const checker = await addPerson(service, { role: 'finance' })
  expectSuccess(await owner.patch(`${here}/currencies`, { on: ['GHS', 'XOF', 'USD'] }))

  const row = { amount: '1,500.00', account: '+233240000001', name: 'AMA MENSAH' }
  const create = (body: Record<string, unknown>) =>
    owner.post(drafts, { key: randomUUID(), title: 'Field staff', submit: true, ...body })

  async function untilPaid(id: string): Promise<void> {
    await untilHolds(async () => {
      const sql = `select status from payout_draft where id = '${parseId('payoutDraft', id)}'`
      expect(await asOwner(service.database, sql)).toEqual([{ status: 'done' }])
    })
  }

  it('is measured by its own policy and balance, and becomes a payment in its currency', async () => {
    const policy = { mode: 'above', above: 500_000_000, aboveIn: { GHS: 100_000 }, approvers: 1 }
    expectSuccess(await owner.patch(`${here}/payout-policy`, policy))
    const draft = expectSuccess(await create({ currency: 'GHS', rows: [row] }))
    expect(draft).toMatchObject({ status: 'waiting', currency: 'GHS', total: 150_000 })
    const { data: balances } = (await service.staging.get('/v1/balance')).body as { data: unknown }
    const fee = expectSuccess(await service.staging.get('/v1/fees?type=transfer&amount=150000&currency=GHS'))
    expect(draft.fees).toBe(fee.fee)
    const shown = expectSuccess(await checker.get(`${drafts}/${draft.id}`))
    expect(JSON.stringify(balances)).toContain(`"available":${shown.available}`)
    expectSuccess(await checker.post(`${drafts}/${draft.id}/approve`, { hash: draft.hash }))
    await untilPaid(draft.id)
    const payment = expectSuccess(await service.staging.get(`/v1/momo/transfer/${draft.id}-1`))
    expect(payment).toMatchObject({ amount: 150_000, currency: 'GHS', operator: 'mtn-gh', accountName: 'AMA MENSAH' })
    const small = expectSuccess(await create({ currency: 'GHS', rows: [{ ...row, amount: '1,000' }] }))
    expect(small).toMatchObject({ status: 'approved' })
    // No amount is set for XOF, so every payout needs approval.
    const cfa = { amount: '15', account: '+2250500000001', name: 'AWA KONE' }
    expect(expectSuccess(await create({ currency: 'XOF', rows: [cfa] }))).toMatchObject({
      status: 'waiting',
      total: 15,
    })
  })

  it('takes its currency from the column of a file, and has a fault beside another one', async () => {
    const rows = [
      { ...row, currency: 'GHS', account: '+233240000002' },
      { ...row, currency: 'KES', account: '+233240000003' },
    ]
    const draft = expectSuccess(await create({ rows, submit: false }))
    expect(draft).toMatchObject({ currency: 'GHS', rows: 2 })
    const wrong = expectSuccess(await owner.get(`${drafts}/${draft.id}/rows?only=errors`)).rows
    expect(wrong).toMatchObject([{ number: 2, errors: [{ field: 'currency', offers: ['GHS'] }] }])
    const mended = expectSuccess(await owner.patch(`${drafts}/${draft.id}/rows/2`, { currency: '' }))
    expect(mended).toMatchObject({ errors: [] })
  })

  it('is refused where its currency is off, or no wallet can be paid in it', async () => {
    const off = await create({ rows: [{ ...row, currency: 'KES' }] })
    expectError(off, 400, 'VALIDATION_ERROR')
    expect(JSON.stringify(off.body)).toContain('currency KES is not switched on')
    const none = await create({ currency: 'USD', rows: [row] })
    expectError(none, 400, 'VALIDATION_ERROR')
    expect(JSON.stringify(none.body)).toContain('no mobile-money operator is paid in USD')
  })

  it('is edited where the version before wrote its cells', async () => {
    const bank = { amount: '1,500.00', bank: 'GTBank', account: '2000000001', name: 'ADA OBI' }
    const draft = expectSuccess(await create({ rows: [bank], submit: false }))
    const where = `draft_id = '${parseId('payoutDraft', draft.id)}'`
    await asOwner(
      service.database,
      `update payout_draft_row set cells = (cells::jsonb - 'currency')::text where ${where}`,
    )
    const edited = expectSuccess(await owner.patch(`${drafts}/${draft.id}/rows/1`, { amount: '2,000' }))
    expect(edited).toMatchObject({ amount: 200_000, errors: [], cells: { currency: '' } })
  })

  it('is scheduled, with a forecast against the balance of its currency', async () => {
    const rows = [{ ...row, amount: '10', account: '+233240000009' }]
    const draft = expectSuccess(await create({ currency: 'GHS', rows, submit: false }))
    const date = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)
    const terms = { repeats: 'never', date, time: '09:00' }
    expectSuccess(await owner.post(`${drafts}/${draft.id}/schedule`, terms))
    const forecast = expectSuccess(await owner.get(`${here}/payout-forecast?currency=GHS`))
    expect(forecast).toMatchObject({ short: { runs: 1 }, next: [{ id: draft.id }] })
    expect(expectSuccess(await owner.get(`${here}/payout-forecast`))).toMatchObject({ long: { runs: 0 }, next: [] })
    expect(expectSuccess(await owner.get(`${here}/payout-schedules`)).schedules).toMatchObject([{ currency: 'GHS' }])
  })
})
