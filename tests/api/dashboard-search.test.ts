// Payments filtered by amount, bank, operator, reason and metadata: the search returns every match once, however small
// the pieces that it reads.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toMoney } from '#platform/money.ts'
import { searchPayments, type PaymentFilter } from '#payments/list.ts'
import { phones, untilMomo } from '#tests/payments/momo-requests.ts'
import { transferBody, untilStatus } from '#tests/payments/requests.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { parseCsv } from '#tests/support/csv.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { useService } from '#tests/support/service.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '20' } })
const { staging, ctx } = service
const tenant = service.business.tenants.staging
const viewer = await addPerson(service, { role: 'viewer' })
const owner = await addPerson(service, { role: 'owner' })
const here = below(service, 'staging')

// No other payment of this file has these banks.
const banks = ['access-bank', 'zenith-bank']
const fates = ['0123456789', '9990000006', '9990000007', '9990000009']
const sent = Array.from({ length: 40 }, (_, index) => ({
  reference: `S-${index}`,
  amount: 1_000 + (index % 9) * 100,
  bankSlug: banks[index % 2],
  accountNumber: fates[index % 4],
  metadata: { order: `ORDER "${index % 10}"`, note: 'x' },
}))
expectSuccess(await staging.post('/v1/transfers/bulk', { transfers: sent.map((one) => transferBody(one)) }))
for (const [index, { reference }] of sent.entries()) {
  const status = ['SUCCESS', 'FAILED', 'FAILED', 'queued'][index % 4] ?? ''
  await untilStatus(staging, reference, status)
}
const all = (
  await Promise.all([1, 2].map(async (page) => expectSuccess(await staging.get(`/v1/transfers?limit=20&page=${page}`))))
).flatMap(({ transfers }) => transfers as Record<string, unknown>[])

const search = async (query: string, noun = 'transfers') =>
  expectSuccess(await viewer.get(`${here}/search/${noun}?${query}`))
const referencesOf = ({ payments }: { payments: { reference: string }[] }) => payments.map(({ reference }) => reference)

describe('all payments that are as the filters say', () => {
  const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
  const filters: fc.Arbitrary<PaymentFilter> = fc.record({
    status: optional(fc.constantFrom('SUCCESS' as const, 'FAILED' as const, 'queued' as const, 'REVERSED' as const)),
    amountFrom: optional(fc.integer({ min: 900, max: 2_000 }).map(toMoney)),
    amountTo: optional(fc.integer({ min: 900, max: 2_000 }).map(toMoney)),
    bankSlug: optional(fc.constantFrom('access-bank', 'zenith-bank', 'wema-bank')),
    failureReason: optional(fc.constantFrom('DORMANT_ACCOUNT', 'INVALID_ACCOUNT')),
    payee: optional(fc.constantFrom('obi ADA', 'o', '999 000 0006', 'da obi')),
    metadata: optional(fc.integer({ min: 0, max: 11 }).map((index) => `ORDER "${index}"`)),
  })

  function isWanted(payment: Record<string, unknown>, filter: PaymentFilter): boolean {
    const { status, amountFrom, amountTo, bankSlug, failureReason, metadata, payee } = filter
    const isPayee = payee === '999 000 0006' ? payment['accountNumber'] === '9990000006' : payee !== 'da obi'
    return (
      isPayee &&
      (status === undefined || payment['status'] === status) &&
      (amountFrom === undefined || BigInt(payment['amount'] as number) >= amountFrom) &&
      (amountTo === undefined || BigInt(payment['amount'] as number) <= amountTo) &&
      (bankSlug === undefined || payment['bankSlug'] === bankSlug) &&
      (failureReason === undefined || payment['failureReason'] === failureReason) &&
      (metadata === undefined || Object.values(payment['metadata'] as object).includes(metadata))
    )
  }

  it('are found, each once and in their order, whatever the filters and the pieces are', async () => {
    const sizes = fc.record({ pieceRows: fc.bigInt(3n, 9n), questionRows: fc.bigInt(9n, 30n) })
    await fc.assert(
      fc.asyncProperty(filters, sizes, fc.integer({ min: 3, max: 12 }), async (filter, bounds, limit) => {
        const found: string[] = []
        let behind: bigint | undefined
        let looked = 0
        do {
          const answer = await searchPayments(ctx, tenant, 'bank_transfer', { filter, limit, behind }, bounds)
          expect(answer.payments.length).toBeLessThanOrEqual(limit)
          expect(answer.looked).toBeLessThanOrEqual(Number(bounds.questionRows))
          expect(answer.looked).toBeGreaterThan(0)
          found.push(...answer.payments.map(({ reference }) => reference))
          looked += answer.looked
          behind = answer.next
        } while (behind !== undefined)
        expect(found).toEqual(all.filter((one) => isWanted(one, filter)).map(({ reference }) => reference))
        expect(looked).toBe(all.length)
      }),
      { numRuns: 20, endOnFailure: true },
    )
  })
})

describe('the door', () => {
  it('shows records as the API does, and says where to continue and how far back it has searched', async () => {
    const first = await search('bankSlug=zenith-bank&amountFrom=1500&limit=3')
    const second = await search(`bankSlug=zenith-bank&amountFrom=1500&limit=100&behind=${first.next}`)
    const wanted = all.filter(({ bankSlug, amount }) => bankSlug === 'zenith-bank' && (amount as number) >= 1_500)
    expect([...first.payments, ...second.payments]).toEqual(wanted)
    expect(first.lookedBackTo).toBe(first.payments[2].createdAt)
    expect(second).toMatchObject({ next: null, lookedBackTo: null })
  })

  it('finds mobile money by its operator, and asks for a range of time', async () => {
    const body = { reference: 'S-MOMO', amount: 50_000, phoneNumber: phones.success, metadata: { till: '7' } }
    expectSuccess(await staging.post('/v1/momo/transfer', body))
    const { operator } = await untilMomo(staging, 'transfer', 'S-MOMO', 'SUCCESS')
    expect(referencesOf(await search(`operator=${operator}&metadata=7`, 'momo-transfers'))).toEqual(['S-MOMO'])
    expect(referencesOf(await search('operator=nobody', 'momo-transfers'))).toEqual([])
    expect(await search(`operator=${operator}&to=2020-01-01`, 'momo-transfers')).toMatchObject({ looked: 0 })
    expect(referencesOf(await search('amountTo=1', 'collections'))).toEqual([])
  })

  it('finds a text of the metadata as a whole, and never its name', async () => {
    expect(referencesOf(await search(`metadata=${encodeURIComponent('ORDER "3"')}`))).toHaveLength(4)
    for (const text of ['order', 'ORDER', '3', 'note', '"x"'])
      expect(referencesOf(await search(`metadata=${encodeURIComponent(text)}`)), text).toEqual([])
  })

  it.each([
    ['status=PENDING', 'status'],
    ['failureReason=NEVER', 'failureReason'],
    ['amountFrom=1.5', 'amountFrom'],
    ['amountTo=99999999999999999', 'amountTo'],
    ['behind=0', 'behind'],
  ])('refuses %s, and names the field', async (query, field) => {
    const answer = await viewer.get(`${here}/search/transfers?${query}`)
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(answer.text).toContain(`"field":"${field}"`)
  })

  it('knows three kinds of payments and no others', async () => {
    expectError(await viewer.get(`${here}/search/deposits`), 404, 'NOT_FOUND')
  })
})

it('the file has the rows of the page, and the log leaves out the searched metadata', async () => {
  const query = `status=FAILED&failureReason=DORMANT_ACCOUNT&to=2100-01-31&metadata=${encodeURIComponent('ORDER "1"')}`
  const shown = referencesOf(await search(query))
  expect(shown.length).toBeGreaterThan(1)
  const file = await owner.call(`${here}/export/transfers.csv?columns=reference&${query}`)
  expect(parseCsv(file.text).slice(1)).toEqual(shown.map((reference) => [reference]))
  const { entries } = expectSuccess(await owner.get(`${below(service)}/audit?act=data.exported`))
  expect(entries[0].details).toMatchObject({
    failureReason: 'DORMANT_ACCOUNT',
    to: '2100-01-31T23:59:59.999Z',
    metadata: 'a text',
  })
})
