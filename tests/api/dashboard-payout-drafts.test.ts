// Payouts that one user proposes and others approve. An approved payout is paid exactly once, also after crashes and
// retries.

import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createShown } from '#api/dashboard/payouts/drafts.ts'
import type { Payouts } from '#payouts/service.ts'
import type { Context } from '#platform/context.ts'
import { formatId, parseId } from '#platform/ids.ts'
import type { SignedIn } from '#users/service.ts'
import { balanceOf, neverEnding, transferBody, untilPaused } from '#tests/payments/requests.ts'
import { expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { addPerson, below, type TestPerson } from '#tests/support/dashboard.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { useService } from '#tests/support/service.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '20' } })
const here = below(service, 'staging')
const drafts = `${here}/payout-drafts`
const owner = await addPerson(service, { role: 'owner' })
const maker = await addPerson(service, { role: 'finance' })
const checker = await addPerson(service, { role: 'finance' })
const second = await addPerson(service, { role: 'admin' })

let made = 0
/** A row with an account of its own, so that no draft repeats another one. */
function row(changes: Record<string, string> = {}): Record<string, string> {
  made += 1
  const account = String(2_000_000_000 + made)
  return { amount: '1,500.00', bank: 'GTBank', account, name: 'ADA OBI', ...changes }
}

async function setPolicy(policy: Record<string, unknown>): Promise<void> {
  // The business has one owner, so no change waits for a second one.
  expect(expectSuccess(await owner.patch(`${here}/payout-policy`, policy)).proposal).toBeNull()
}

type Draft = { id: string; hash: string; status: string }

async function propose(rows = [row()], person = maker): Promise<Draft> {
  return expectSuccess(await person.post(drafts, { key: randomUUID(), title: 'Salaries', rows, submit: true }))
}

async function makeDraft(rows: Record<string, string>[], person = maker): Promise<Draft> {
  return expectSuccess(await person.post(drafts, { key: randomUUID(), title: 'Salaries', rows }))
}

function approve({ id, hash }: Draft, person: TestPerson = checker): Promise<Answer> {
  return person.post(`${drafts}/${id}/approve`, { hash })
}

/** Asks the database, because a person's quota is 600 requests a minute. */
async function untilDone({ id }: Draft) {
  const uuid = parseId('payoutDraft', id)
  await untilHolds(async () => {
    const sql = `select status from payout_draft where id = '${uuid}'`
    const [draft] = await asOwner<{ status: string }>(service.database, sql)
    if (draft?.status !== 'done') throw new Error(`${id} is ${draft?.status}`)
  })
  return expectSuccess(await maker.get(`${drafts}/${id}`))
}

type Seen = { flags: Record<string, number>; namesDue: number }

/** Asks as another person, who has a quota of their own. */
async function untilSeen(path: string, holds: (data: Seen) => boolean) {
  const person = await addPerson(service, { role: 'viewer' })
  await untilHolds(async () => {
    const data = expectSuccess(await person.get(path))
    if (!holds(data)) throw new Error(JSON.stringify(data))
  })
}

async function paid({ id }: Draft): Promise<number> {
  const sql = `select count(*)::int as count from payment where reference like '${id}-%'`
  const [found] = await asOwner<{ count: number }>(service.database, sql)
  return found?.count ?? 0
}

describe('a payout that needs one approval', () => {
  it('is paid once after another person approved it, and not before', async () => {
    await setPolicy({ mode: 'every' })
    const before = await balanceOf(service.staging)
    const draft = await propose()
    expect(draft).toMatchObject({ status: 'waiting', isYours: true, approvalsNeeded: 1, total: 150_000, fees: 1_000 })
    expectError(await approve(draft, maker), 403, 'FORBIDDEN')
    const alertsOf = async (person: TestPerson): Promise<string[]> =>
      expectSuccess(await person.get(`${here}/alerts`)).alerts.map(({ says }: { says: string }) => says)
    expect(await alertsOf(checker)).toContain('A payout waits for your approval.')
    expect(await alertsOf(maker)).not.toContain('A payout waits for your approval.')
    expect(await paid(draft)).toBe(0)
    expect(expectSuccess(await approve(draft))).toMatchObject({ status: 'approved' })
    await untilDone(draft)
    expect(await paid(draft)).toBe(1)
    const payment = expectSuccess(await service.staging.get(`/v1/transfers/${draft.id}-1`))
    expect(payment).toMatchObject({ amount: 150_000, bankSlug: 'guaranty-trust-bank', accountName: 'ADA OBI' })
    expect((await balanceOf(service.staging)).ledger).toBeGreaterThanOrEqual(before.ledger - 151_000)
    expect((await balanceOf(service.staging)).available).toBe(before.available - 151_000)
  })

  it('is paid once when all approvers click at once and twice', async () => {
    await setPolicy({ mode: 'every' })
    const draft = await propose()
    const clicks = [checker, second, owner, checker, second, owner].map((person) => approve(draft, person))
    const statuses = (await Promise.all(clicks)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(1)
    expect(statuses.every((status) => status === 200 || status === 409)).toBe(true)
    await untilDone(draft)
    expect(await paid(draft)).toBe(1)
    const log = expectSuccess(await owner.get(`${below(service)}/audit?act=payout.approved`)).entries
    expect(log.filter((entry: { subject: string }) => entry.subject === draft.id)).toHaveLength(1)
  })

  it('is one draft when the maker clicks twice', async () => {
    const body = { key: randomUUID(), title: 'Rent', rows: [row()], submit: true }
    const answers = await Promise.all([1, 2, 3].map(() => maker.post(drafts, body)))
    const ids = answers.flatMap((answer) => (answer.status === 200 ? [answer.body.data.id] : []))
    expect(new Set(ids).size).toBe(1)
  })

  it('is not returned for other content under its key', async () => {
    const rows = [row(), row()]
    const body = { key: randomUUID(), title: 'Rent', rows }
    const { id } = expectSuccess(await maker.post(drafts, body))
    const edited = [{ ...rows[0], amount: '2,500.00' }, rows[1]]
    const others = [{ rows: edited }, { rows: rows.slice(0, 1) }, { title: 'Fuel' }]
    for (const other of others) {
      const answer = await maker.post(drafts, { ...body, ...other, submit: true })
      expectError(answer, 409, 'CONFLICT', /already made a draft with other content/)
    }
    expect(expectSuccess(await maker.post(drafts, body)).id).toBe(id)
    expect(expectSuccess(await maker.get(`${drafts}/${id}`))).toMatchObject({ status: 'editing', total: 300_000 })
  })

  it('is one draft when two requests with other rows are sent at once', async () => {
    const body = { key: randomUUID(), title: 'Rent' }
    const answers = await Promise.all([1, 2, 3].map(() => maker.post(drafts, { ...body, rows: [row()] })))
    expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([200, 409, 409])
  })

  it('cannot be sent around the policy', async () => {
    await setPolicy({ mode: 'every' })
    const body = transferBody()
    expectError(await maker.post(`${here}/v1/transfers/initiate`, body), 403, 'APPROVAL_REQUIRED')
    expectError(await maker.post(`${here}/v1/transfers/bulk`, { transfers: [body] }), 403, 'APPROVAL_REQUIRED')
    const wallet = { reference: 'W-1', amount: 5_000, phoneNumber: '08000000001' }
    expectError(await maker.post(`${here}/v1/momo/transfer`, wallet), 403, 'APPROVAL_REQUIRED')
    // The policy does not apply to API keys.
    expectSuccess(await service.staging.post('/v1/transfers/initiate', body))
  })

  it('pays wallets too', async () => {
    const draft = await propose([row({ bank: '', account: '0800 000 0001', amount: '50' })])
    expectSuccess(await approve(draft))
    await untilDone(draft)
    expect(expectSuccess(await service.staging.get(`/v1/momo/transfer/${draft.id}-1`))).toMatchObject({ amount: 5_000 })
  })
})

describe('the policy', () => {
  it('above an amount asks for the sum of a draft or bulk request, in which items that are refused count nothing', async () => {
    await setPolicy({ mode: 'above', above: 300_000 })
    expect(await propose([row(), row()])).toMatchObject({ status: 'approved', approvalsNeeded: 0 })
    expect(await propose([row(), row({ amount: '1,500.01' })])).toMatchObject({ status: 'waiting' })
    const sent = await maker.post(`${here}/v1/transfers/initiate`, transferBody({ amount: 300_000 }))
    expectSuccess(sent)
    const more = transferBody({ amount: 150_001 })
    const transfers = [more, transferBody({ amount: 150_000 })]
    expectError(await maker.post(`${here}/v1/transfers/bulk`, { transfers }), 403, 'APPROVAL_REQUIRED')
    const hidden = [transferBody({ amount: 300_001 }), { amount: -300_001 }]
    expectError(await maker.post(`${here}/v1/transfers/bulk`, { transfers: hidden }), 403, 'APPROVAL_REQUIRED')
    expectSuccess(await maker.post(`${here}/v1/transfers/bulk`, { transfers: [null] }))
  })

  it('above an amount requires approval for every payout in another currency, unless that currency has its own amount', async () => {
    expectSuccess(await owner.patch(`${here}/currencies`, { on: ['GHS', 'XOF'] }))
    await setPolicy({ mode: 'above', above: 100_000_000 })
    const wallet = (reference: string, amount: number, phoneNumber = '+233240000001') =>
      maker.post(`${here}/v1/momo/transfer`, { reference, amount, phoneNumber })
    // GHS 50.00 are fewer minor units than ₦1,000,000.00, and the policy says nothing of cedis.
    const closed = /no amount for GHS, so every payout in GHS needs approval/
    expectError(await wallet('CEDI-1', 5_000), 403, 'APPROVAL_REQUIRED', closed)
    const lied = { reference: 'CEDI-1', amount: 5_000, phoneNumber: '+233240000001', currency: 'NGN' }
    expectError(await maker.post(`${here}/v1/momo/transfer`, lied), 403, 'APPROVAL_REQUIRED')
    expectSuccess(await wallet('NAIRA-1', 6_100, '08000000001'))

    await setPolicy({ mode: 'above', above: 100_000_000, aboveIn: { GHS: 5_000 } })
    expectSuccess(await wallet('CEDI-1', 5_000))
    expectError(await wallet('CEDI-2', 5_001), 403, 'APPROVAL_REQUIRED', /payouts above ₦1,000,000.00 or GHS 50.00/)
    expectError(await wallet('CFA-1', 1, '+2250500000001'), 403, 'APPROVAL_REQUIRED', /every payout in XOF/)
    expect(expectSuccess(await owner.get(`${here}/payout-policy`)).policy).toEqual({
      mode: 'above',
      above: 100_000_000,
      aboveIn: { GHS: 5_000 },
      approvers: 1,
    })
    for (const aboveIn of [{ GHS: 0 }, { NGN: 100 }, { EUR: 100 }, { GHS: 1.5 }])
      expectError(
        await owner.patch(`${here}/payout-policy`, { mode: 'above', above: 1, aboveIn }),
        400,
        'VALIDATION_ERROR',
      )
    // A policy replaces the one before as a whole.
    await setPolicy({ mode: 'above', above: 100_000_000 })
    expectError(await wallet('CEDI-3', 1), 403, 'APPROVAL_REQUIRED', closed)
    expect(expectSuccess(await owner.get(`${here}/payout-policy`)).policy).toEqual({
      mode: 'above',
      above: 100_000_000,
      approvers: 1,
    })
  })

  it('with two approvers waits for both, and counts no person twice', async () => {
    await setPolicy({ mode: 'every', approvers: 2 })
    const draft = await propose()
    for (const _ of [1, 2]) expect(expectSuccess(await approve(draft))).toMatchObject({ status: 'waiting' })
    expect(expectSuccess(await approve(draft, second))).toMatchObject({ status: 'approved' })
    await untilDone(draft)
    expect(await paid(draft)).toBe(1)
  })

  it('that became stricter holds for drafts that wait', async () => {
    await setPolicy({ mode: 'every' })
    const draft = await propose()
    await setPolicy({ mode: 'every', approvers: 2 })
    expect(expectSuccess(await approve(draft))).toMatchObject({ status: 'waiting', approvalsNeeded: 2 })
    await setPolicy({ mode: 'every' })
    expect(expectSuccess(await maker.get(`${drafts}/${draft.id}`))).toMatchObject({ approvalsNeeded: 2 })
  })

  it('does not count the approval of a person who has left', async () => {
    await setPolicy({ mode: 'every', approvers: 2 })
    const draft = await propose()
    const leaver = await addPerson(service, { role: 'finance' })
    expectSuccess(await approve(draft, leaver))
    await asOwner(service.database, `delete from membership where person_id = '${leaver.id}'`)
    expect(expectSuccess(await approve(draft))).toMatchObject({ status: 'waiting' })
    expect(expectSuccess(await approve(draft, second))).toMatchObject({ status: 'approved' })
  })

  it('is weakened by two owners where there are two, and strengthened by one', async () => {
    const other = await service.addBusiness('Two Owners')
    const place = `/b/${formatId('business', other.business.id)}/staging`
    const [one, two] = await Promise.all(
      [1, 2].map(() => addPerson(service, { role: 'owner', business: other.business.id })),
    )
    if (one === undefined || two === undefined) throw new Error('two owners')
    const path = `${place}/payout-policy`
    expect(expectSuccess(await one.patch(path, { mode: 'every', approvers: 2 })).policy.mode).toBe('every')
    const weaker = { mode: 'above', above: 100_000, approvers: 2 }
    expect(expectSuccess(await one.patch(path, weaker))).toMatchObject({
      policy: { mode: 'every' },
      proposal: { policy: weaker, isYours: true },
    })
    expectError(await one.post(`${path}/confirm`, weaker), 403, 'FORBIDDEN')
    expectError(await two.post(`${path}/confirm`, { ...weaker, above: 200_000 }), 409, 'CONFLICT')
    const [first, again] = await Promise.all([two.post(`${path}/confirm`, weaker), two.post(`${path}/confirm`, weaker)])
    expect([first.status, again.status].toSorted()).toEqual([200, 409])
    expect(expectSuccess(await two.get(path))).toMatchObject({ policy: weaker, proposal: null })
    // A stricter policy takes effect at once and ends a proposal.
    expectSuccess(await two.patch(path, { mode: 'off' }))
    expect(expectSuccess(await one.patch(path, { mode: 'every' })).proposal).toMatchObject({
      policy: { mode: 'every' },
    })
    expect(expectSuccess(await one.patch(path, { mode: 'every', approvers: 2 }))).toMatchObject({
      policy: { mode: 'every', approvers: 2 },
      proposal: null,
    })
    expectError(await one.patch(path, { mode: 'above' }), 400, 'VALIDATION_ERROR')
  })

  it('of production is changed with the second factor', async () => {
    const other = await service.addBusiness('Production')
    const place = `/b/${formatId('business', other.business.id)}/production`
    const plain = await addPerson(service, { role: 'owner', business: other.business.id, hasFactor: true })
    expectError(await plain.patch(`${place}/payout-policy`, { mode: 'every' }), 403, 'STEP_UP_REQUIRED')
    expectError(await plain.post(`${place}/payout-drafts`, { key: randomUUID() }), 403, 'STEP_UP_REQUIRED')
  })
})

describe('a draft', () => {
  it('that was withdrawn and changed needs a new approval of what it says now', async () => {
    await setPolicy({ mode: 'every', approvers: 2 })
    const draft = await propose()
    expectSuccess(await approve(draft))
    expectError(await second.post(`${drafts}/${draft.id}/withdraw`), 403, 'FORBIDDEN')
    expectSuccess(await maker.post(`${drafts}/${draft.id}/withdraw`))
    expectError(await approve(draft, second), 409, 'CONFLICT')
    expectSuccess(await maker.patch(`${drafts}/${draft.id}/rows/1`, { account: '2999999999' }))
    const again: Draft = expectSuccess(await maker.post(`${drafts}/${draft.id}/submit`))
    expect(again.hash).not.toBe(draft.hash)
    expectError(await approve(draft, second), 409, 'CONFLICT')
    expect(expectSuccess(await approve(again, second))).toMatchObject({
      status: 'waiting',
      approvals: [{ isYours: true }],
    })
    expect(expectSuccess(await approve(again))).toMatchObject({ status: 'approved' })
    await untilDone(again)
    expect(await paid(draft)).toBe(1)
  })

  it('is not sent if its rows were changed in the database', async () => {
    await setPolicy({ mode: 'every', approvers: 1 })
    const draft = await propose()
    await asOwner(service.database, `update payout_draft_row set amount = 999 where reference = '${draft.id}-1'`)
    expectError(await approve(draft), 409, 'CONFLICT')
    expect(await paid(draft)).toBe(0)
  })

  it('is rejected with a reason by any approver but its maker, once', async () => {
    const draft = await propose()
    const path = `${drafts}/${draft.id}/reject`
    expectError(await checker.post(path, { reason: ' ' }), 400, 'VALIDATION_ERROR')
    expectError(await maker.post(path, { reason: 'No' }), 403, 'FORBIDDEN')
    expect(expectSuccess(await checker.post(path, { reason: 'Wrong month' }))).toMatchObject({
      status: 'rejected',
      reason: 'Wrong month',
    })
    expectError(await second.post(path, { reason: 'Me too' }), 409, 'CONFLICT')
    expectError(await approve(draft, second), 409, 'CONFLICT')
    expect(await paid(draft)).toBe(0)
  })

  it('whose maker has a second account with the same address is not approved by it', async () => {
    const draft = await propose()
    const twin = await addPerson(service, { role: 'admin' })
    await asOwner(service.database, `update person set email = '${maker.email}' where id = '${twin.id}'`)
    expectError(await approve(draft, twin), 403, 'FORBIDDEN')
  })

  it('is not sent while payouts are paused, and goes on afterwards', async () => {
    const draft = await propose()
    const admin = await addPerson(service, { role: 'admin' })
    expectSuccess(await admin.post(`${here}/pause`, { isPaused: true }))
    await untilPaused(service.staging, true)
    expectSuccess(await approve(draft))
    const sql = `select due_at > now() + interval '3 s' as waits from payout_draft where status = 'approved'`
    await untilHolds(async () => {
      const rows = await asOwner<{ waits: boolean }>(service.database, sql)
      if (!rows.some(({ waits }) => waits)) throw new Error('it was not tried yet')
    })
    expect(await paid(draft)).toBe(0)
    expectSuccess(await admin.post(`${here}/pause`, { isPaused: false }))
    await untilDone(draft)
    expect(await paid(draft)).toBe(1)
  })
})

describe('rows', () => {
  it('show the fault beside each cell, and are corrected in place', async () => {
    await setPolicy({ mode: 'off' })
    const draft = await makeDraft([
      row({ amount: '1500.005' }),
      row({ account: '123456780' }),
      row({ bank: 'Zenit Bnk' }),
      row({ reference: 'PAY-1' }),
      row({ reference: 'PAY-1' }),
      row({ amount: '=1+1' }),
    ])
    const { rows } = expectSuccess(await maker.get(`${drafts}/${draft.id}/rows?only=errors`))
    const told = rows.map(({ number, errors }: { number: number; errors: { field: string; offers?: string[] }[] }) => [
      number,
      errors.map(({ field, offers }) => [field, offers ?? []]),
    ])
    expect(told).toEqual([
      [1, [['amount', []]]],
      [2, [['account', ['0123456780']]]],
      [3, [['bank', ['Zenith Bank']]]],
      [5, [['reference', []]]],
      [6, [['amount', []]]],
    ])
    expectError(await maker.post(`${drafts}/${draft.id}/submit`), 400, 'VALIDATION_ERROR')
    expectSuccess(await maker.patch(`${drafts}/${draft.id}/rows/1`, { amount: '1500.50' }))
    expectSuccess(await maker.patch(`${drafts}/${draft.id}/rows/2`, { account: '0123456780' }))
    expectSuccess(await maker.patch(`${drafts}/${draft.id}/rows/3`, { bank: 'zenith bank' }))
    // After the first row is deleted, the second is the only one with the reference.
    expectSuccess(await maker.delete(`${drafts}/${draft.id}/rows/4`))
    expectSuccess(await maker.delete(`${drafts}/${draft.id}/rows/6`))
    expect(expectSuccess(await maker.get(`${drafts}/${draft.id}`))).toMatchObject({ wrongRows: 0, rows: 4 })
    expectError(await checker.patch(`${drafts}/${draft.id}/rows/1`, { amount: '9' }), 403, 'FORBIDDEN')
    expectSuccess(await maker.post(`${drafts}/${draft.id}/submit`))
    const done = await untilDone(draft)
    expect(done.progress.map(({ count }: { count: number }) => count).reduce((a: number, b: number) => a + b)).toBe(4)
    expectSuccess(await service.staging.get('/v1/transfers/PAY-1'))
  })

  it('that may pay twice are confirmed by their number', async () => {
    const same = row()
    const draft = await makeDraft([same, same, same, row()])
    const path = `${drafts}/${draft.id}/submit`
    // The person saw another number before the rows changed.
    for (const body of [undefined, { confirmedDuplicates: 1 }, { confirmedDuplicates: 3 }]) {
      const refused = await maker.post(path, body)
      expectError(refused, 409, 'SECOND_PAYOUT')
      expect(refused.body.error?.details).toMatchObject([{ field: 'confirmedDuplicates', message: '2' }])
    }
    expectSuccess(await maker.post(path, { confirmedDuplicates: 2 }))
    await untilDone(draft)
    expect(await paid(draft)).toBe(4)
    // The draft flags a payment of the same day once the search index has it.
    const later = await makeDraft([same])
    await untilSeen(`${drafts}/${later.id}`, ({ flags }) => flags['duplicate-payment'] === 1)
  })

  it('whose sum is too large are shown, and not sent', async () => {
    const largest = Number.MAX_SAFE_INTEGER
    // The first exceeds it only with its fee, and the last one the range of the column.
    const counts = { '90,071,992,547,409.91': 1, '90,071,992,547,409.90': 2, '20261128045803': 5_000 }
    for (const [amount, count] of Object.entries(counts)) {
      const draft = await makeDraft(Array.from({ length: count }, () => row({ amount })))
      expect(expectSuccess(await maker.get(`${drafts}/${draft.id}`))).toMatchObject({ rows: count, total: largest })
      expectSuccess(await maker.get(`${drafts}?view=mine`))
      expectError(await maker.post(`${drafts}/${draft.id}/submit`), 400, 'VALIDATION_ERROR')
      expectSuccess(await maker.delete(`${drafts}/${draft.id}`))
    }
  })

  it('with a reference that a payment has are not sent', async () => {
    const body = transferBody()
    expectSuccess(await service.staging.post('/v1/transfers/initiate', body))
    const draft = await makeDraft([row({ reference: String(body['reference']) })])
    expectError(await maker.post(`${drafts}/${draft.id}/submit`), 400, 'VALIDATION_ERROR')
  })

  it('are resolved in the background, and show when the bank gives another name', async () => {
    const draft = await makeDraft([
      row({ name: 'SOMEBODY ELSE' }),
      row({ name: '', account: '9990000007' }),
      row({ name: '' }),
    ])
    await untilSeen(`${drafts}/${draft.id}`, ({ namesDue }) => namesDue === 0)
    const { rows } = expectSuccess(await maker.get(`${drafts}/${draft.id}/rows`))
    const kinds = rows.map(({ flags }: { flags: { kind: string }[] }) => flags.map(({ kind }) => kind))
    expect(kinds[0]).toContain('name-differs')
    expect(kinds[1]).toContain('name-unknown')
    expect(kinds[2]).toEqual(['first-payout'])
    expectError(await maker.post(`${drafts}/${draft.id}/submit`), 400, 'VALIDATION_ERROR')
    expectSuccess(await maker.delete(`${drafts}/${draft.id}/rows/2`))
    expectSuccess(await maker.post(`${drafts}/${draft.id}/submit`))
    await untilDone(draft)
    const { accountName } = expectSuccess(await service.staging.get(`/v1/transfers/${draft.id}-3`))
    expect(accountName).toBe(rows[2].resolvedName)
  })
})

describe('failed rows', () => {
  it('become one new draft, however often it is asked for', async () => {
    const draft = await propose([row({ account: '9990000005' }), row(), row({ account: neverEnding })])
    await untilDone(draft)
    await untilHolds(async () => {
      const { status } = expectSuccess(await service.staging.get(`/v1/transfers/${draft.id}-1`))
      if (status !== 'FAILED') throw new Error(status)
    })
    const answers = await Promise.all([1, 2, 3].map(() => maker.post(`${drafts}/${draft.id}/retry`)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
    const again = expectSuccess(answers.find(({ status }) => status === 200) as Answer)
    expect(again).toMatchObject({ rows: 1, status: 'editing' })
    // After it is discarded, it can be proposed again.
    expectSuccess(await maker.delete(`${drafts}/${again.id}`))
    expect(expectSuccess(await maker.post(`${drafts}/${draft.id}/retry`)).rows).toBe(1)
  })

  it('that were refused keep their reference', async () => {
    const { available } = await balanceOf(service.staging)
    const draft = await propose([row({ amount: String(available / 100) })])
    const done = await untilDone(draft)
    expect(done.progress).toMatchObject([{ outcome: 'refused', count: 1 }])
    // Roles that may not see the balance see the rows.
    const support = await addPerson(service, { role: 'support' })
    const [refused] = expectSuccess(await support.get(`${drafts}/${draft.id}/rows`)).rows
    expect(refused.refusal).toMatch(/^The balance did not cover ₦[\d,]+\.\d\d\.$/)
    const again = expectSuccess(await maker.post(`${drafts}/${draft.id}/retry`))
    const { rows } = expectSuccess(await maker.get(`${drafts}/${again.id}/rows`))
    expect(rows[0].reference).toBe(`${draft.id}-1`)
  })
})

it('a draft that was not decided within 72 hours expires', async () => {
  const clock = createFakeClock()
  const other = await useService({ clock, roles: ['api'] })
  const one = await addPerson(other, { role: 'owner' })
  const path = below(other, 'staging')
  expectSuccess(await one.patch(`${path}/payout-policy`, { mode: 'every' }))
  const body = { key: randomUUID(), title: 'Rent', rows: [row()], submit: true }
  const draft: Draft = expectSuccess(await one.post(`${path}/payout-drafts`, body))
  clock.advance(72 * 3_600_000)
  const late = await addPerson(other, { role: 'owner' })
  expectError(await late.post(`${path}/payout-drafts/${draft.id}/approve`, { hash: draft.hash }), 409, 'CONFLICT')
  expect(expectSuccess(await late.get(`${path}/payout-drafts`)).drafts).toMatchObject([{ status: 'expired' }])
})

it('that another request discards before the response is not found', async () => {
  const { tenants } = service.business
  const payouts = { draft: async () => undefined } as unknown as Payouts
  const shown = createShown({ ctx: { clock: createFakeClock() } as unknown as Context }, payouts)
  const place = { tenant: tenants.staging, person: {} as SignedIn }
  await expect(shown(place, tenants.staging.id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})
