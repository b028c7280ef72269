// `manilla customers show` and `erase`, as a person at a terminal uses them: the commands of docs/runbooks/privacy.md.

import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { useService } from '#tests/support/service.ts'
import { settle } from '#tests/deposits/requests.ts'
import { closeAccount, newPerson, payInto } from '#tests/privacy/people.ts'
import type { Ended } from '#tests/support/launch.ts'
import { manilla, root } from './support.ts'

const secretKey = randomBytes(32)
// Refunds of the simulator stay under way for ten minutes, so that a test decides when one ends.
const service = await useService({ secretKey, settings: { SANDBOX_SETTLE_MS: '600000' } })
const { staging: client, database, business } = service
const env = { DATABASE_URL: database.serviceUrl, SECRET_KEY: secretKey.toString('base64') }
const where = ['--business', formatId('business', business.id), '--environment', 'staging']

const show = (reference: string, ...more: string[]): Promise<Ended> =>
  manilla(['customers', 'show', reference, ...where, ...more], { env })
const erase = (reference: string, ...more: string[]): Promise<Ended> =>
  manilla(['customers', 'erase', reference, ...where, '--note', 'letter 12', ...more], { env })

describe('manilla customers show', () => {
  it('prints everything that is stored: the BVN, accounts, deposits and events', async () => {
    const person = await newPerson(client, 'Ada')
    const deposit = await payInto(client, person)
    const { stdout, code } = await show(person.reference, '--json')
    expect(code).toBe(0)
    const { firstName, lastName, email, note, accountName, payer, payerNumber, narration } = person.identity
    const held = JSON.parse(stdout)
    expect(held).toMatchObject({
      customer: { reference: person.reference, firstName, lastName, email, bvn: '22212345678', metadata: { note } },
      accounts: [{ accountNumber: person.accountNumber, accountName, status: 'ACTIVE' }],
      openings: [],
      hasMoreDeposits: false,
      notices: [],
    })
    const sender = { senderAccountName: payer, senderAccountNumber: payerNumber, narration }
    expect(held.deposits).toMatchObject([
      { reference: deposit.reference, amount: 50_000, ...sender, events: [{ name: 'customer.deposit.success' }] },
    ])
    expect(held.deposits[0].events[0].data.customer.email).toBe(email)
  })

  it('prints what there is in a few lines without --json, never the BVN, and leaves a trace', async () => {
    const person = await newPerson(client, 'Ben')
    const { stdout } = await show(person.reference)
    expect(stdout).toMatch(/^field +value\ncustomer +cus_\w+\nstatus +ACTIVE\nname +Benfirst Benlast\n/)
    expect(stdout).toMatch(/^BVN +held$/m)
    expect(stdout).not.toContain('22212345678')
    const log = await manilla(['audit', 'list', '--act', 'customer.shown', '--json'], { env })
    const [latest] = JSON.parse(log.stdout).entries
    expect(latest).toMatchObject({ act: 'customer.shown', details: { reference: person.reference } })
  })
})

describe('manilla customers erase', () => {
  it('is refused with each obstacle in turn, and says what to do about it', async () => {
    const person = await newPerson(client, 'Cora')
    const pending = await payInto(client, person, { status: 'PENDING' })
    const open = await erase(person.reference)
    expect([open.code, open.stdout]).toEqual([1, ''])
    expect(open.stderr).toBe(
      `The customer has open accounts: ${person.accountNumber}. The business must close each of them first: DELETE /v1/virtual-accounts/NUMBER. Nothing was erased.\n`,
    )
    await closeAccount(client, person)
    expect((await erase(person.reference)).stderr).toMatch(
      /^1 deposits of the customer are PENDING\. .* Nothing was erased\.\n$/,
    )
    await settle(client, pending, 'SUCCESSFUL')
    expect((await erase(person.reference)).code).toBe(0)
  })

  it('says what it erased and what it kept; again, that it was erased before; and a restore finds it in the audit log', async () => {
    const person = await newPerson(client, 'Dayo')
    await payInto(client, person)
    await closeAccount(client, person)
    const late = await payInto(client, person)
    const first = await erase(person.reference)
    expect(first.stdout).toContain(
      `Erased ${person.reference}.\nErased: the personal data, the names of the accounts, and the payers in 1 deposits, 1 events,`,
    )
    expect(first.stdout).toContain(
      'Kept, because the law requires complete books: references and ids, amounts and times',
    )
    expect(first.stdout).toContain(
      `Kept, because the money must be returned: the payers of ${late.reference}. Run this command again`,
    )
    const again = await erase(person.reference, '--json')
    expect(JSON.parse(again.stdout)).toMatchObject({
      reference: person.reference,
      again: true,
      toReturn: [late.reference],
    })
    const runbook = await readFile(path.join(root, 'docs/runbooks/privacy.md'), 'utf8')
    const [, line = ''] = /^npx manilla (audit list --act customer\.erased .*) > erasures\.json$/m.exec(runbook) ?? []
    const log = JSON.parse((await manilla(line.split(' '), { env })).stdout)
    expect(log.entries[0]).toMatchObject({
      act: 'customer.erased',
      environment: 'staging',
      business: formatId('business', business.id),
      details: { reference: person.reference, note: 'letter 12' },
    })
    expect((await show(person.reference)).stdout).toMatch(/^status +ERASED$/m)
    expect(expectSuccess(await client.get(`/v1/customers/${person.reference}`)).status).toBe('ERASED')
  })
})

it.each([
  [['show', 'NOBODY', ...where], /There is no customer NOBODY/],
  [['erase', 'NOBODY', ...where, '--note', 'x'], /There is no customer NOBODY/],
  [['erase', 'NOBODY', ...where, '--note', ' '], /A note must have 1 to 500 characters/],
  [
    ['erase', 'NOBODY', '--business', 'biz_1', '--environment', 'staging', '--note', 'x'],
    /is not the id of a business/,
  ],
  [['erase', 'NOBODY', ...where], /^Required option '--note <text>' not specified/],
])('%j gets one sentence', async (args, sentence) => {
  const { code, stdout, stderr } = await manilla(['customers', ...args], { env })
  expect([code, stdout]).toEqual([String(sentence).includes('There is no') ? 1 : 2, ''])
  expect(stderr).toMatch(sentence)
  expect(stderr.trim().split('\n')).toHaveLength(1)
})
