// Payouts from a file in a real browser: 500 salaries with ten mistakes become 500 payments after a second person agreed.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { readTable, writeLine } from '#dashboard/format/sheet.ts'
import { matchColumns } from '#dashboard/pages/upload/columns-of.ts'
import { formatId } from '#platform/ids.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { asOwner } from '#tests/support/owner.ts'
import { askAxe, untilLoaded } from './page-checks.ts'

/** Where pictures are kept to be looked at; none without this setting. */
const pictures = process.env['PICTURES']

describe('a table of texts', () => {
  it('keeps leading zeros, quotes, line ends within quotes, and every separator', () => {
    expect(readTable('\uFEFFName,Account\r\n"Obi, ""Ada""",0123456789\r\n\r\n')).toEqual([
      ['Name', 'Account'],
      ['Obi, "Ada"', '0123456789'],
    ])
    expect(readTable('a;b\n1;"two\nlines"')).toEqual([
      ['a', 'b'],
      ['1', 'two\nlines'],
    ])
    expect(readTable('a\tb, c\n001\t')).toEqual([
      ['a', 'b, c'],
      ['001', ''],
    ])
    expect(readTable('"never closed')).toEqual([['never closed']])
    expect(readTable('')).toEqual([])
  })

  it('is written so that no cell is run as a formula', () => {
    expect(writeLine(['=1+1', '-5', 'a,b', 'plain'])).toBe(`'=1+1,'-5,"a,b",plain`)
  })

  it('has its columns found by the names that people give them', () => {
    expect(matchColumns(['S/N', 'Beneficiary Name', 'NUBAN', 'Bank Name', 'Net Pay (₦)'])).toEqual({
      name: 1,
      account: 2,
      bank: 3,
      amount: 4,
    })
    expect(matchColumns(['Account Name', 'Account No.', 'Bank', 'Amount', 'Ref'])).toMatchObject({
      name: 0,
      account: 1,
    })
  })
})

describe.skipIf(chromiumFile === undefined)('a file of salaries', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ settings: { SANDBOX_SETTLE_MS: '50' } })
  const api = below(dashboard, 'staging')
  const pages = `/b/${formatId('business', dashboard.business.id)}/staging`
  const owner = await addPerson(dashboard, { role: 'owner' })
  const maker = await addPerson(dashboard, { role: 'finance' })
  const checker = await addPerson(dashboard, { role: 'admin' })
  if (pictures !== undefined) await mkdir(pictures, { recursive: true })

  const rowOf = (index: number): string[] => {
    // A spreadsheet dropped the two zeros of the first ten.
    const account = index < 10 ? String(40_000_000 + index) : String(3_000_000_000 + index)
    return ['Ada Obi', 'GTBank', account, `${50_000 + index}.50`]
  }

  it('is mended row by row, approved on a phone, and paid once each', async () => {
    expectSuccess(await owner.patch(`${api}/payout-policy`, { mode: 'every' }))
    const head = ['Employee', 'Bank', 'Account No.', 'Net pay']
    const rows = Array.from({ length: 500 }, (_, index) => rowOf(index))
    const file = path.join(inject('runFolder'), 'salaries.csv')
    await writeFile(file, [head, ...rows].map(writeLine).join('\n'))
    const { page, open, complaints } = await dashboard.visit({ as: maker })
    await open(`${pages}/upload`)
    await untilLoaded(page)
    expect(await askAxe(page, [])).toEqual([])
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/upload.png` })
    await page.getByLabel('CSV file').setInputFiles(file)
    await page.getByRole('heading', { name: 'salaries.csv: 500 rows' }).waitFor()
    expect(await askAxe(page, [])).toEqual([])
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/match.png` })
    await page.getByRole('button', { name: 'Check 500 rows' }).click()
    await page.getByText('10 rows have errors. Correct or remove them.').waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download them' }).click(),
    ])
    const table = readTable(await readFile(await download.path(), 'utf8'))
    expect(table).toHaveLength(11)
    expect(table[1]).toMatchObject(['Ada Obi', 'GTBank', '40000000', '50000.50', '', '', expect.stringMatching(/zero/)])
    await page.getByLabel('Show').selectOption('errors')
    for (let left = 10; left > 0; left -= 1) {
      await page.getByRole('button', { name: `Edit row ${11 - left}`, exact: true }).click()
      await page.getByRole('button', { name: /^Use 00/ }).click()
      if (left === 10 && pictures !== undefined) await page.screenshot({ path: `${pictures}/mend.png` })
      await page.getByRole('button', { name: 'Save row' }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await page.getByLabel('Show').selectOption('')
    await page.getByText('1 to 100 of 500').waitFor()
    await page.getByRole('button', { name: 'Submit for approval' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Submit for approval' }).click()
    await page.getByText('Waits for the approval').waitFor()
    const address = new URL(page.url()).pathname.replace('/dashboard', '')

    const check = await dashboard.visit({ as: checker, size: { width: 390, height: 844 } })
    await check.open(address)
    await check.page.getByRole('button', { name: /^Approve ₦/ }).waitFor()
    await untilLoaded(check.page)
    if (pictures !== undefined) await check.page.screenshot({ path: `${pictures}/batch-phone.png` })
    await check.page.getByRole('button', { name: /^Approve ₦/ }).click()
    await check.page
      .getByRole('dialog')
      .getByRole('button', { name: /^Approve ₦/ })
      .click()
    await check.page.getByText('All rows were processed.').waitFor()
    await check.page.getByText('500 payouts, ₦').waitFor()
    if (pictures !== undefined) await check.page.screenshot({ path: `${pictures}/batch-done.png` })
    const paid = await asOwner(
      dashboard.database,
      'select count(*)::int, count(distinct account_number)::int as accounts, sum(amount)::text as sum from payment',
    )
    expect(paid).toEqual([{ count: 500, accounts: 500, sum: '2512500000' }])
    expect([...complaints, ...check.complaints]).toEqual([])
  })

  it('can be pasted from a spreadsheet', async () => {
    const { page, open } = await dashboard.visit({ as: maker })
    await open(`${pages}/upload`)
    await page.getByLabel('Or paste cells').fill('Name\tBank\tAccount\tAmount\nBola Ade\tUBA\t0123456789\t1,500.00\n')
    await page.getByRole('button', { name: 'Read rows' }).click()
    await page.getByRole('button', { name: 'Check 1 row' }).click()
    await page.getByText('United Bank For Africa · 012 345 6789').waitFor()
    expect(await page.getByText('₦1,500.00').count()).toBeGreaterThan(0)
  })
})
