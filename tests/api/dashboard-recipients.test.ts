// Saved recipients: their banks confirm the names, people pay them again, and the next approval shows a changed
// account.

import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { useService } from '#tests/support/service.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '20' } })
const here = below(service, 'staging')
const path = `${here}/recipients`
const owner = await addPerson(service, { role: 'owner' })
const maker = await addPerson(service, { role: 'finance' })
const checker = await addPerson(service, { role: 'finance' })

const bank = { kind: 'bank', institution: 'guaranty-trust-bank', tags: ['salaries'] }
const ada = { ...bank, name: 'Ada', accountNumber: '0123456789' }

describe('a recipient', () => {
  it('is saved with the name that its bank gives, once for each account', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => maker.post(path, ada)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
    const { recipients } = expectSuccess(await maker.get(path))
    expect(recipients).toMatchObject([{ ...ada, accountName: expect.any(String), lastPaidAt: null, changedAt: null }])
    expect(expectSuccess(await maker.get(`${path}?search=3456&tag=salaries`)).recipients).toHaveLength(1)
    expect(expectSuccess(await maker.get(`${path}?tag=rent`)).recipients).toEqual([])
    expect(expectSuccess(await maker.get(`${path}?search=%25`)).recipients).toEqual([])
  })

  it('is not saved when its bank knows no such account', async () => {
    expectError(await maker.post(path, { ...ada, accountNumber: '9990000007' }), 400, 'VALIDATION_ERROR')
    expectError(await maker.post(path, { ...ada, institution: 'no-bank' }), 400, 'VALIDATION_ERROR')
    expectError(await maker.post(path, { ...ada, kind: 'wallet' }), 400, 'VALIDATION_ERROR')
    // A bank that does not answer confirms nothing.
    const silent = expectSuccess(await maker.post(path, { ...ada, accountNumber: '9990000091' }))
    expect(silent).toMatchObject({ accountName: null, verifiedAt: null })
    expectSuccess(await maker.delete(`${path}/${silent.id}`, { shown: silent }))
    expectError(await maker.delete(`${path}/${silent.id}`, { shown: silent }), 404, 'NOT_FOUND')
  })

  it('is found by its name in any case, with and without its accents', async () => {
    const saved = expectSuccess(await maker.post(path, { ...bank, name: 'Ọlá-Ẹ̀bùn Ltd', accountNumber: '2000000077' }))
    for (const search of ['Ọlá', 'ọlá', 'OLA-E', 'ola ebun', '0077']) {
      const { recipients } = expectSuccess(await maker.get(`${path}?search=${encodeURIComponent(search)}`))
      expect(recipients.map(({ id }: { id: string }) => id)).toEqual([saved.id])
    }
    expectSuccess(await maker.delete(`${path}/${saved.id}`, { shown: saved }))
  })

  it('can be a wallet', async () => {
    const wallet = { kind: 'wallet', name: 'Bola', institution: 'mtn-momo', accountNumber: '08000000001' }
    expect(expectSuccess(await maker.post(path, wallet))).toMatchObject({ accountNumber: '+2348000000001' })
  })

  it('is marked when its account changed, until a payout to it is approved, and shows the time of its last payout', async () => {
    expectSuccess(await owner.patch(`${here}/payout-policy`, { mode: 'every' }))
    const [{ id }] = expectSuccess(await maker.get(`${path}?search=ada`)).recipients
    const moved = { ...ada, accountNumber: '2000000009' }
    const move = await maker.patch(`${path}/${id}`, { ...moved, shown: ada })
    expect(expectSuccess(move)).toMatchObject({ changedAt: expect.any(String) })
    const propose = async (amount: string) => {
      const rows = [{ amount, bank: 'GTB', account: '2000000009', name: 'ADA' }]
      const body = { key: randomUUID(), title: 'Ada', rows, submit: true }
      return expectSuccess(await maker.post(`${here}/payout-drafts`, body))
    }
    const flagsOf = async (draft: { id: string }): Promise<Record<string, number>> =>
      expectSuccess(await checker.get(`${here}/payout-drafts/${draft.id}`)).flags
    const draft = await propose('100')
    expect(await flagsOf(draft)).toMatchObject({ 'recipient-changed': 1 })
    const rowsWith = async (kind: string): Promise<number> =>
      expectSuccess(await checker.get(`${here}/payout-drafts/${draft.id}/rows?only=${kind}`)).total
    expect([await rowsWith('recipient-changed'), await rowsWith('amount-higher')]).toEqual([1, 0])
    expectSuccess(await checker.post(`${here}/payout-drafts/${draft.id}/approve`, { hash: draft.hash }))
    const next = await propose('200')
    expect(await flagsOf(next)).not.toHaveProperty('recipient-changed')
    const viewer = await addPerson(service, { role: 'viewer' })
    await untilHolds(async () => {
      const [recipient] = expectSuccess(await viewer.get(`${path}?search=ada`)).recipients
      if (recipient.lastPaidAt === null) throw new Error('it was not paid')
    })
    // A new name changes no account.
    const renamed = { ...moved, name: 'Ada Obi' }
    const named = expectSuccess(await maker.patch(`${path}/${id}`, { ...renamed, shown: moved }))
    expect(await flagsOf(next)).not.toHaveProperty('recipient-changed')
    expect(named.name).toBe('Ada Obi')
    const { entries } = expectSuccess(await owner.get(`${below(service)}/audit?act=recipient.changed`))
    expect(entries.at(-1)).toMatchObject({
      details: { account: 'guaranty-trust-bank …0009', accountBefore: 'guaranty-trust-bank …6789' },
    })
  })

  it('keeps the account that one person corrected when another saves what they were shown before', async () => {
    const shown = { ...ada, name: 'Chidi', accountNumber: '2000000021' }
    const { id } = expectSuccess(await maker.post(path, shown))
    const corrected = { ...shown, accountNumber: '2000000022' }
    expectSuccess(await checker.patch(`${path}/${id}`, { ...corrected, shown }))
    const late = await maker.patch(`${path}/${id}`, { ...shown, tags: ['rent'], shown })
    expectError(late, 409, 'CONFLICT')
    expect(late.body.error?.message).toBe(
      'Another person changed this recipient since you opened the page. Reload the page and check it again.',
    )
    // A request whose response was lost is repeated.
    expectSuccess(await checker.patch(`${path}/${id}`, { ...corrected, shown }))
    expect(expectSuccess(await maker.get(`${path}?search=chidi`)).recipients).toMatchObject([corrected])
    expectError(await maker.patch(`${path}/${id}`, shown), 400, 'VALIDATION_ERROR')
  })

  it('is not moved to the account of another one, and not changed by support', async () => {
    const before = { ...ada, accountNumber: '2000000011' }
    const other = expectSuccess(await maker.post(path, before))
    const taken = await maker.patch(`${path}/${other.id}`, { ...ada, accountNumber: '2000000009', shown: before })
    expectError(taken, 409, 'CONFLICT')
    const support = await addPerson(service, { role: 'support' })
    expectError(await support.delete(`${path}/${other.id}`), 403, 'FORBIDDEN')
  })
})

describe('recipients of a file', () => {
  const rowsOf = (numbers: string[]) =>
    numbers.map((account, index) => ({ name: `Staff ${index}`, bank: 'GTB', account, tags: 'staff, lagos' }))

  it('are saved, and their banks confirm them in the background; the others show their error', async () => {
    const rows = [
      ...rowsOf(['3000000001', '3000000002', '3000000001', '312345678']),
      { name: '', bank: 'Gtbnk', account: '3000000003', tags: '' },
      { name: 'Kemi', bank: 'mtn-momo', account: '0803 000 0055', tags: '' },
    ]
    const first = expectSuccess(await maker.post(`${path}/import`, { rows }))
    expect(first.saved).toBe(3)
    expect(first.unsaved).toMatchObject([
      { number: 3, errors: [{ field: 'account', message: 'Row 1 has this account too.' }] },
      { number: 4, errors: [{ field: 'account', offers: ['0312345678'] }] },
      { number: 5, errors: [{ field: 'bank' }, { field: 'name', message: 'Enter a name.' }] },
    ])
    // The same file again saves nothing twice.
    const again = expectSuccess(await maker.post(`${path}/import`, { rows: rows.slice(0, 2) }))
    expect(again).toEqual({
      saved: 0,
      unsaved: [
        { number: 1, errors: [] },
        { number: 2, errors: [] },
      ],
    })
    await untilHolds(async () => {
      const { recipients, tags } = expectSuccess(await maker.get(`${path}?tag=staff`))
      expect(tags).toEqual(expect.arrayContaining(['lagos', 'salaries', 'staff']))
      expect(recipients).toMatchObject([1, 2].map(() => ({ accountName: expect.any(String), changedAt: null })))
    })
    const { entries } = expectSuccess(await owner.get(`${below(service)}/audit?act=recipients.imported`))
    expect(entries).toMatchObject([{ details: { recipients: 3 } }])
    expectError(await maker.post(`${path}/import`, { rows: [] }), 400, 'VALIDATION_ERROR')
    const viewer = await addPerson(service, { role: 'viewer' })
    expectError(await viewer.post(`${path}/import`, { rows }), 403, 'FORBIDDEN')
  })

  it('are asked for again when that was long ago, and marked when the bank names another holder', async () => {
    expectSuccess(await maker.post(`${path}/import`, { rows: [{ ...rowsOf(['3000000007'])[0], name: 'Renamed' }] }))
    const one = async () => expectSuccess(await maker.get(`${path}?search=renamed`)).recipients[0]
    await untilHolds(async () => expect((await one()).accountName).toEqual(expect.any(String)))
    const { accountName } = await one()
    await asOwner(
      service.database,
      `update recipient set account_name = 'SOMEBODY ELSE', due_at = 'epoch' where account_number = '3000000007'`,
    )
    await untilHolds(async () => expect(await one()).toMatchObject({ accountName, changedAt: expect.any(String) }))
    const body = {
      key: randomUUID(),
      title: 'Renamed',
      rows: [{ amount: '100', bank: 'GTB', account: '3000000007', name: String(accountName) }],
      submit: true,
    }
    const draft = expectSuccess(await maker.post(`${here}/payout-drafts`, body))
    const { rows } = expectSuccess(await checker.get(`${here}/payout-drafts/${draft.id}/rows`))
    expect(rows[0].flags).toContainEqual({
      kind: 'recipient-changed',
      says: expect.stringMatching(/^The bank named another holder of the account of the recipient Renamed on /),
    })
  })

  it('are found by when they were paid', async () => {
    const never = expectSuccess(await maker.get(`${path}?paid=never`)).recipients
    const lately = expectSuccess(await maker.get(`${path}?paid=lately`)).recipients
    expect(never.length).toBeGreaterThan(0)
    expect(never.every(({ lastPaidAt }: { lastPaidAt: unknown }) => lastPaidAt === null)).toBe(true)
    expect(lately.length).toBeGreaterThan(0)
    expect(lately.every(({ lastPaidAt }: { lastPaidAt: unknown }) => typeof lastPaidAt === 'string')).toBe(true)
    expect(expectSuccess(await maker.get(`${path}?paid=not-lately`)).recipients).toEqual([])
  })

  it('can be wallets of other countries: their national form is read, and in a file those of a currency that is on', async () => {
    const wallet = { kind: 'wallet', name: 'Ama', institution: 'mtn-gh', accountNumber: '0241234567' }
    const saved = expectSuccess(await maker.post(path, wallet))
    expect(saved).toMatchObject({ accountNumber: '+233241234567', accountName: expect.any(String) })
    const nigerian = await maker.post(path, { ...wallet, accountNumber: '08030000000' })
    expectError(nigerian, 400, 'VALIDATION_ERROR')
    expect(JSON.stringify(nigerian.body)).toContain('must be a phone number of Ghana')
    const rows = [{ name: 'Kofi', bank: 'Telecel Cash (formerly Vodafone Cash)', account: '0201234567' }]
    const none = expectSuccess(await maker.post(`${path}/import`, { rows }))
    expect(none).toMatchObject({
      saved: 0,
      unsaved: [{ number: 1, errors: [{ field: 'bank' }] }],
    })
    expectSuccess(await owner.patch(`${here}/currencies`, { on: ['GHS'] }))
    expect(expectSuccess(await maker.post(`${path}/import`, { rows }))).toEqual({ saved: 1, unsaved: [] })
    for (const shown of expectSuccess(await maker.get(`${path}?search=%2B233`)).recipients)
      expectSuccess(await maker.delete(`${path}/${shown.id}`, { shown }))
  })
})
