// An erased customer: no row names the customer any more, and the books are unchanged.

import { describe, expect, it } from 'vitest'
import { invariants } from '#cli/ledger.ts'
import { verifyLedger } from '#ledger/verify.ts'
import type { Tenant } from '#platform/context.ts'
import { eraseCustomer, type Erasure } from '#privacy/erase.ts'
import { settle } from '#tests/deposits/requests.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { useReceiver } from '#tests/support/receiver.ts'
import { useService } from '#tests/support/service.ts'
import { rowsWith, whereFound } from './everywhere.ts'
import { closeAccount, newPerson, payInto } from './people.ts'

// Refunds of the simulator stay under way for ten minutes, so that a test decides when one ends.
const service = await useService({ settings: { WEBHOOK_RETRY_SCHEDULE: '600', SANDBOX_SETTLE_MS: '600000' } })
const { staging: client, database, ctx, business } = service
const tenant: Tenant = business.tenants.staging
const receiver = await useReceiver()
receiver.behave('/kept', (delivered) => Promise.resolve({ status: 200, body: delivered.body }))
receiver.behave('/failing', (delivered) => Promise.resolve({ status: 500, body: delivered.body }))
for (const path of ['/kept', '/failing']) {
  const body = { url: receiver.url(path), events: ['customer.deposit.success'] }
  expectSuccess(await client.post('/v1/webhooks', body))
}

/** Waits until both receivers have answered and both answers are recorded. */
async function untilRecorded(depositReference: string): Promise<void> {
  await untilHolds(async () => {
    const rows = await asOwner(
      database,
      `select d.status from webhook_delivery d join webhook_attempt a on a.lane = d.lane and a.delivery_id = d.id
        where d.reference = $1 and a.response_body is not null order by d.status`,
      [depositReference],
    )
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['delivered', 'failed']))
  })
}

async function erase({ reference }: { reference: string }): Promise<Erasure> {
  const outcome = await eraseCustomer(ctx, tenant, { reference, note: 'asked for by letter 12' })
  if (outcome.kind !== 'erased') throw new Error(JSON.stringify(outcome))
  return outcome.erasure
}

async function expectBooksProved(): Promise<void> {
  expect(await verifyLedger(ctx, { invariants })).toEqual([])
}

const money = () =>
  asOwner(database, 'select id, status, amount, fee, provider_id, paid_at, updated_at from deposit order by id')

const tablesOf = (found: string[]): Set<string | undefined> => new Set(found.map((one) => one.split(':')[0]))

describe('an erased customer', () => {
  it('is found nowhere in the database, and a neighbour of the same business is as before', async () => {
    const ada = await newPerson(client, 'Ada')
    const ben = await newPerson(client, 'Ben')
    const settled = await payInto(client, ada)
    const failed = await settle(client, await payInto(client, ada, { status: 'PENDING' }), 'FAILED')
    const neighbours = await payInto(client, ben)
    for (const { reference } of [settled, neighbours]) await untilRecorded(reference)
    const notice = `insert into inbound_notice values ('staging', 'bank', $1, 'SUCCESSFUL', $2, 'NGN', 1, $3, $4, 'Bank', $5,
      now(), now(), $6)`
    for (const { accountNumber, identity } of [ada, ben]) {
      const { payer, payerNumber, narration } = identity
      const values = [`kept ${accountNumber}`, accountNumber, payer, payerNumber, narration, new Date()]
      await asOwner(database, notice, values)
    }
    await closeAccount(client, ada)
    // The search index follows a moment later, and must not add rows of Ben's meanwhile.
    await untilHolds(async () => {
      const progress = `select array[ordinal, ended, worded] as at, (select max(ordinal) from deposit) as last
        from search_progress where kind = 'deposit'`
      const [row] = await asOwner<{ at: bigint[]; last: bigint }>(database, progress)
      expect(row?.at.every((at) => at === row.last)).toBe(true)
      for (const { texts } of [ada, ben]) expect(tablesOf(await whereFound(database, texts))).toContain('search_term')
    })
    // Each text must be found now, or the search after the erasure would prove nothing.
    const before = await whereFound(database, ada.texts)
    for (const text of ada.texts)
      expect(
        before.some((one) => one.endsWith(`: ${text}`)),
        text,
      ).toBe(true)
    expect(tablesOf(before)).toEqual(
      new Set([
        'customer',
        'deposit',
        'event',
        'inbound_notice',
        'search_name',
        'search_term',
        'virtual_account',
        'webhook_attempt',
      ]),
    )
    const [bensRows, books] = [await rowsWith(database, [...ben.texts, ben.reference]), await money()]
    await expectBooksProved()

    const erasure = await erase(ada)

    expect(erasure).toMatchObject({ again: false, deposits: 2, events: 1, notices: 1, toReturn: [] })
    expect(erasure.answers).toBeGreaterThanOrEqual(2)
    expect(await whereFound(database, ada.texts)).toEqual([])
    expect(await rowsWith(database, [...ben.texts, ben.reference])).toEqual(bensRows)
    expect(await money()).toEqual(books)
    await expectBooksProved()
    const [row] = await asOwner(database, 'select bvn from customer where reference = $1', [ada.reference])
    expect(row).toEqual({ bvn: null })

    // The customer's record in the API keeps its shape.
    expect(expectSuccess(await client.get(`/v1/customers/${ada.reference}`))).toMatchObject({
      status: 'ERASED',
      firstName: 'erased',
      lastName: 'erased',
      email: null,
      phoneNumber: null,
      metadata: null,
    })
    expect(expectSuccess(await client.get(`/v1/deposits/${settled.reference}`))).toMatchObject({
      senderAccountName: 'erased',
      senderAccountNumber: 'erased',
      recipientAccountName: 'erased',
      narration: 'erased',
      recipientAccountNumber: ada.accountNumber,
      amount: 50_000,
      updatedAt: settled.updatedAt,
    })
    expect(expectSuccess(await client.get(`/v1/deposits/${failed.reference}`)).status).toBe('FAILED')
    const account = expectSuccess(await client.get(`/v1/virtual-accounts/${ada.accountNumber}`))
    expect(account).toMatchObject({ accountName: 'erased', status: 'CLOSED', metadata: null })
  })

  it('cannot be corrected, gets no account, and no other customer gets its reference', async () => {
    const person = await newPerson(client, 'Cora')
    await closeAccount(client, person)
    await erase(person)
    const path = `/v1/customers/${person.reference}`
    const sentence = /^This customer has been erased$/
    expectError(await client.patch(path, { firstName: 'Cora' }), 409, 'CONFLICT', sentence)
    const wanted = { customerReference: person.reference }
    expectError(await client.post('/v1/virtual-accounts/static', wanted), 409, 'CONFLICT', sentence)
    const body = { reference: person.reference, firstName: 'Dora', lastName: 'Eze' }
    expectError(await client.post('/v1/customers', body), 409, 'CONFLICT', /reference already exists/)
    expect(await whereFound(database, person.texts)).toEqual([])
  })

  it('has one entry in the audit log, which names no person', async () => {
    const person = await newPerson(client, 'Efe')
    await closeAccount(client, person)
    const [first, second] = [await erase(person), await erase(person)]
    expect([first.again, second.again]).toEqual([false, true])
    const acts = await asOwner<{ details: string }>(
      database,
      `select details from audit_entry where act = 'customer.erased' and details like $1`,
      [`%${person.reference}%`],
    )
    expect(acts.map(({ details }) => JSON.parse(details))).toEqual([
      { reference: person.reference, note: 'asked for by letter 12' },
    ])
  })

  it('whose money must go back keeps the name of the payer, and says so', async () => {
    const person = await newPerson(client, 'Folu')
    await closeAccount(client, person)
    const late = await payInto(client, person)
    expect(late.status).toBe('FAILED')
    const erasure = await erase(person)
    expect(erasure.toReturn).toEqual([late.reference])
    const { payer, payerNumber, narration } = person.identity
    // The search index follows a moment later, and may contain the payer whom the deposit still names.
    const places = (await whereFound(database, person.texts)).filter(
      (place) => !/^search_(term|name): Folu(payer|774)$/.test(place),
    )
    expect(places).toEqual([payer, payerNumber, narration].map((text) => `deposit: ${text}`).toSorted())
  })

  it('whose money went back names no payer after the next run', async () => {
    const person = await newPerson(client, 'Gbenga')
    await closeAccount(client, person)
    const late = await payInto(client, person)
    expect((await erase(person)).toReturn).toEqual([late.reference])
    await asOwner(
      database,
      `update deposit_refund set status = 'REFUNDED', due_at = null
        where deposit_id = (select id from deposit where sender_account_number = $1)`,
      [person.identity.payerNumber],
    )
    expect(await erase(person)).toMatchObject({ again: true, deposits: 1, toReturn: [] })
    expect(await whereFound(database, person.texts)).toEqual([])
  })
})
