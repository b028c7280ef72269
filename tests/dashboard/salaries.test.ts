// A month's salaries in a real browser against a real process: 500 people in a spreadsheet with ten mistakes, corrected in place,
// approved by a second person on a phone. The process is killed while they are paid, and each is paid once.

import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { xlsx } from '#api/dashboard/xlsx.ts'
import { findBank } from '#directory/banks.ts'
import { present } from '#platform/assert.ts'
import { systemClock } from '#platform/clock.ts'
import { formatId } from '#platform/ids.ts'
import { simulatedBankDirectory } from '#rails/simulator/directory.ts'
import { expectBooksRight, untilAllHaveEnded } from '#tests/faults/proof.ts'
import { addBusiness, startProcess } from '#tests/processes/support.ts'
import { useBrowser } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { createTestContext } from '#tests/support/context.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { freePort } from '#tests/support/launch.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import type { TestService } from '#tests/support/service.ts'
import { useSite } from '#tests/support/site.ts'
import { faultsAmong } from './faults.ts'
import { askAxe, askWidths, keepPictures, untilLoaded } from './page-checks.ts'

const people = 500
const phone = { width: 390, height: 844 }

const gtBank = present(findBank('guaranty-trust-bank'), 'a bank of the directory')

type Cells = (string | number | { decimal: string })[]

/** The salary of person `number`, from 1, under the name that the bank confirms. */
async function salaryOf(number: number): Promise<Cells> {
  const accountNumber = String(3_000_000_000 + number)
  const named = await simulatedBankDirectory.resolve({ bank: gtBank, accountNumber })
  const name = named.kind === 'resolved' ? named.accountName : ''
  return [number, name, 'GTBank', accountNumber, { decimal: `${50_000 + number - 1}.50` }, '', '']
}

/** The table's columns: number, name, bank, account, amount, narration, reference. */
const columns = { bank: 2, account: 3, amount: 4, narration: 5, reference: 6 } as const
type Column = keyof typeof columns
const mistakes: {
  row: number
  column: Column
  wrong: Cells[number]
  says: string
  mend: { use: string } | { type: string }
}[] = [
  // A spreadsheet stored the account as a number and dropped its zeros.
  { row: 3, column: 'account', wrong: 40_000_003, says: 'dropped a zero', mend: { use: '0040000003' } },
  { row: 21, column: 'account', wrong: '30000000021', says: 'has 10 digits', mend: { type: '3000000021' } },
  { row: 77, column: 'bank', wrong: 'Guarantee Trust', says: 'Did you mean', mend: { use: 'Guaranty Trust Bank' } },
  { row: 140, column: 'bank', wrong: '', says: 'Enter the bank.', mend: { type: '058' } },
  { row: 201, column: 'amount', wrong: '50,200.505', says: 'two decimals', mend: { type: '50,200.50' } },
  { row: 260, column: 'amount', wrong: '', says: 'Enter an amount', mend: { type: '50259.50' } },
  { row: 333, column: 'amount', wrong: '50k', says: 'in naira, such as', mend: { type: '₦50,332.50' } },
  { row: 410, column: 'reference', wrong: 'PAY 410', says: 'begins with a letter', mend: { type: 'PAY-410' } },
  { row: 480, column: 'narration', wrong: 'x'.repeat(101), says: 'at most 100', mend: { type: 'November' } },
]

async function writeSalaries(file: string): Promise<void> {
  const rows = await Promise.all(Array.from({ length: people }, (_, index) => salaryOf(index + 1)))
  for (const { row, column, wrong } of mistakes) rows[row - 1]?.splice(columns[column], 1, wrong)
  // The tenth mistake: one person appears twice.
  rows.push(await salaryOf(90))
  const heads = ['S/N', 'Employee', 'Bank', 'Account No.', 'Net pay', 'Narration', 'Reference']
  async function* lines(): AsyncGenerator<Cells> {
    yield* [[], heads, ...rows]
  }
  const parts: Uint8Array[] = []
  for await (const part of xlsx(['Adunni Foods Ltd', '', '', 'Salaries'], lines())) parts.push(part)
  await writeFile(file, Buffer.concat(parts))
}

describe.skipIf(chromiumFile === undefined)('the salaries of a month', async () => {
  if (chromiumFile === undefined) return
  await useSite()
  const database = await useTestDatabase()
  const [port, clock] = [String(await freePort()), systemClock]
  const { id, key } = await addBusiness({ ...createTestContext(database.connect()), clock })
  const start = () =>
    startProcess({
      DATABASE_URL: database.serviceUrl,
      LANES: '2',
      DASHBOARD: 'on',
      PORT: port,
      SANDBOX_SETTLE_MS: '50',
    })
  let server = await start()
  const service = {
    database,
    ctx: { clock },
    business: { id },
    url: `http://127.0.0.1:${port}`,
  } as unknown as TestService
  const api = below(service, 'staging')
  const pages = `/b/${formatId('business', id)}/staging`
  const visit = await useBrowser(`http://localhost:${port}/dashboard`)
  const [owner, maker, checker] = [
    await addPerson(service, { role: 'owner' }),
    await addPerson(service, { role: 'finance' }),
    await addPerson(service, { role: 'admin' }),
  ]

  it('are corrected in place, approved on a phone, and paid once each around kill -9', async () => {
    expectSuccess(await owner.patch(`${api}/payout-policy`, { mode: 'every' }))
    const ada = { kind: 'bank', name: 'Ada Obi', institution: 'guaranty-trust-bank', tags: [] }
    const shown = { ...ada, accountNumber: '3000000499' }
    const saved = await maker.post(`${api}/recipients`, shown)
    const recipient = `${api}/recipients/${expectSuccess(saved).id}`
    expectSuccess(await maker.patch(recipient, { ...ada, accountNumber: '3000000500', shown }))

    const file = path.join(inject('runFolder'), 'salaries.xlsx')
    await writeSalaries(file)
    const { page, open, complaints } = await visit({ as: maker })
    await open(`${pages}/upload`)
    await page.getByLabel('Excel or CSV file').setInputFiles(file)
    await page.getByRole('button', { name: `Check ${people + 1} rows` }).click()
    await page.getByText('9 rows have errors. Correct or remove them.').waitFor()
    await page.getByLabel('Show').selectOption('errors')
    // A row moves when a row above it leaves the list, and a click would meet another row.
    const edit = (row: number) => page.getByRole('button', { name: `Edit row ${row}`, exact: true })
    await edit(1).waitFor({ state: 'detached' })
    for (const { row, column, says, mend } of mistakes) {
      await edit(row).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText(says).waitFor()
      if ('use' in mend) await dialog.getByRole('button', { name: `Use ${mend.use}`, exact: true }).click()
      else await dialog.getByRole('textbox', { name: labels[column] }).fill(mend.type)
      await dialog.getByRole('button', { name: 'Save row' }).click()
      await dialog.waitFor({ state: 'detached' })
      await edit(row).waitFor({ state: 'detached' })
    }
    await page.getByRole('link', { name: 'View: 1 row repeats another row' }).click()
    await page.getByText('Row 90 pays the same amount to this account.').waitFor()
    await keepPictures(page, 'salaries-repeated')
    await page.getByRole('button', { name: 'Edit row 501' }).click()
    await page.getByRole('button', { name: 'Remove row 501' }).click()
    await page.getByText('1 row repeats another row').first().waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Submit for approval' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Submit for approval' }).click()
    await page.getByText('Waits for the approval').waitFor()

    const check = await visit({ as: checker, size: phone })
    await check.open(`${pages}/approvals`)
    await check.page.getByRole('link', { name: 'salaries.xlsx' }).click()
    await check.page.getByRole('link', { name: 'View: 1 saved recipient has a new account' }).click()
    await check.page.getByText('changed the account of the recipient Ada Obi').waitFor()
    await untilLoaded(check.page)
    await keepPictures(check.page, 'salaries-changed-recipient')
    expect(await askAxe(check.page, [])).toEqual([])
    expect(await askWidths(check.page)).toEqual([])
    expect(faultsAmong([...complaints, ...check.complaints])).toEqual([])
    const approve = { name: /^Approve ₦25,125,000.00/ }
    await check.page.getByRole('button', approve).click()

    // A row of the second 200 stays locked, so the worker cannot record their results: when the process is killed, the
    // first 200 are recorded, the second 200 are payments all the same, and the last 100 are not sent.
    const lock = await lockRow(database.ownerUrl, 300)
    await check.page.getByRole('dialog').getByRole('button', approve).click()
    const countOfPayments = () => asOwner(database, 'select count(*)::int from payment')
    await untilHolds(async () => expect(await countOfPayments()).toEqual([{ count: 400 }]))
    server.signal('SIGKILL')
    expect((await server.ended).signal).toBe('SIGKILL')
    await lock.end()
    server = await start()
    onTestFinished(() => server.signal('SIGTERM'))

    await check.page.getByText('All rows were processed.').waitFor()
    await check.page.getByText(`${people} payouts, ₦25,125,000.00`).waitFor()
    await keepPictures(check.page, 'salaries-paid')
    await untilAllHaveEnded(database)
    const paid = await asOwner(
      database,
      `select count(*)::int, count(distinct account_number)::int as accounts, sum(amount)::text as kobo, array_agg(distinct status) as statuses
         from payment`,
    )
    expect(paid).toEqual([{ count: people, accounts: people, kobo: '2512500000', statuses: ['SUCCESS'] }])
    await expectBooksRight(database)
    expect(await server.as(key).get('/v1/transfers/PAY-410')).toMatchObject({ status: 200 })
  })
})

const labels = {
  bank: 'Bank',
  account: 'Account number',
  amount: 'Amount in naira',
  narration: 'Narration',
  reference: 'Reference',
}

/** Locks one row of the only draft until the connection ends. */
async function lockRow(url: string, number: number): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('begin')
  await client.query('select 1 from payout_draft_row where number = $1 for update', [number])
  return client
}
