// Payouts from a file in a real browser: what is read of files and cells, and how wrong rows are corrected.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { readTable, writeLine } from '#dashboard/format/sheet.ts'
import { readSheet } from '#dashboard/format/xlsx.ts'
import { xlsx } from '#api/dashboard/xlsx.ts'
import { findHead, matchColumns } from '#dashboard/pages/upload/columns-of.ts'
import { formatId } from '#platform/ids.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { faultsAmong } from './faults.ts'
import { askAxe, askWidths, untilLoaded } from './page-checks.ts'

/** Set PICTURES to a folder to keep the pictures there. */
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

  it('keeps account and phone numbers as texts in Excel, and is read back as it was', () => {
    const cells = ['+233241234567', '0123456789', 'a\rb']
    expect(writeLine(cells)).toBe(`"=""+233241234567""","=""0123456789""","a\rb"`)
    expect(readTable(writeLine(cells))).toEqual([['+233241234567', '0123456789', 'a\nb']])
    expect(readTable('="0123456789",Ada')).toEqual([['0123456789', 'Ada']])
  })

  it('is read of a sheet whose shared texts have empty ones', () => {
    const strings = '<sst><si/><si><t>Name</t></si><si><r><t/></r><r><t>Bank</t></r></si></sst>'
    const sheet = '<sheetData><row><c t="s"><v>1</v></c><c t="s"><v>2</v></c></row></sheetData>'
    expect(readSheet(sheet, strings)).toEqual([['Name', 'Bank']])
  })

  it('is read of a sheet with shared texts, gaps, numbers and escaped signs', () => {
    const strings =
      '<sst><si><t>Name</t></si><si><r><t>Ada </t></r><r><t xml:space="preserve">&amp; Co&#46;</t></r></si></sst>'
    const sheet =
      '<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>Amount</t></is></c></row>' +
      '<row r="2"/><row r="3"><c r="A3" t="s"><v>1</v></c><c r="B3"/><c r="C3"><v>0.30000000000000004</v></c>' +
      '<c r="D3"><v>1.23456789E9</v></c><c r="E3" t="str"><f>A1</f><v>=x</v></c></row></sheetData>'
    expect(readSheet(sheet, strings)).toEqual([
      ['Name', '', 'Amount'],
      ['Ada & Co.', '', '0.3', '1234567890', '=x'],
    ])
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

  it('may have a title above the names of its columns, and never loses a row that pays', () => {
    const [title, heads, row] = [['Salaries'], ['Name', 'Account'], ['Ada Obi', '0123456789']]
    expect(findHead([title, ['November 2026'], heads, row])).toBe(2)
    expect(findHead([heads, row])).toBe(0)
    expect(findHead([row, heads, row])).toBe(-1)
    expect(findHead([title])).toBe(-1)
  })
})

describe.skipIf(chromiumFile === undefined)('a file of salaries', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ settings: { SANDBOX_SETTLE_MS: '50' } })
  const pages = `/b/${formatId('business', dashboard.business.id)}/staging`
  const maker = await addPerson(dashboard, { role: 'finance' })
  if (pictures !== undefined) await mkdir(pictures, { recursive: true })

  const rowOf = (index: number): string[] => {
    // A spreadsheet dropped the leading zeros of the first two accounts.
    const account = index < 2 ? String(40_000_000 + index) : String(3_000_000_000 + index)
    return ['Ada Obi', 'GTBank', account, `${50_000 + index}.50`]
  }

  it('is mended row by row, and its wrong rows can be downloaded', async () => {
    const head = ['Employee', 'Bank', 'Account No.', 'Net pay']
    const rows = Array.from({ length: 12 }, (_, index) => rowOf(index))
    const file = path.join(inject('runFolder'), 'salaries.csv')
    await writeFile(file, [head, ...rows].map(writeLine).join('\n'))
    const { page, open, complaints } = await dashboard.visit({ as: maker })
    await open(`${pages}/upload`)
    await untilLoaded(page)
    expect(await askAxe(page, [])).toEqual([])
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/upload.png` })
    await page.getByLabel('Excel or CSV file').setInputFiles(file)
    await page.getByRole('heading', { name: 'salaries.csv: 12 rows' }).waitFor()
    expect(await askAxe(page, [])).toEqual([])
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/match.png` })
    await page.getByRole('button', { name: 'Check 12 rows' }).click()
    await page.getByText('2 rows have errors. Correct or remove them.').waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download them' }).click(),
    ])
    const text = await readFile(await download.path(), 'utf8')
    // Without the mark Excel reads UTF-8 as an old code page, and saves other letters.
    expect(text.startsWith('\uFEFF')).toBe(true)
    const table = readTable(text)
    expect(table).toHaveLength(3)
    expect(table[1]).toMatchObject(['Ada Obi', 'GTBank', '40000000', '50000.50', '', '', expect.stringMatching(/zero/)])
    expect(await askWidths(page)).toEqual([])
    await page.getByLabel('Show').selectOption('errors')
    for (const number of [1, 2]) {
      const edit = page.getByRole('button', { name: `Edit row ${number}`, exact: true })
      await edit.click()
      await page.getByRole('button', { name: /^Use 00/ }).click()
      if (number === 1 && pictures !== undefined) await page.screenshot({ path: `${pictures}/mend.png` })
      await page.getByRole('button', { name: 'Save row' }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await edit.waitFor({ state: 'detached' })
    }
    await page.getByLabel('Show').selectOption('')
    await page.getByRole('cell', { name: '12', exact: true }).waitFor()
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('can be an Excel file, and one that is none says so', async () => {
    async function* rows(): AsyncGenerator<string[]> {
      yield ['Bola & Sons', 'UBA', '0123456789', '1,500.00']
    }
    const parts: Uint8Array[] = []
    for await (const part of xlsx(['Name', 'Bank', 'Account', 'Amount'], rows())) parts.push(part)
    const [good, bad] = ['good.xlsx', 'bad.xlsx'].map((name) => path.join(inject('runFolder'), name))
    await writeFile(good ?? '', Buffer.concat(parts))
    await writeFile(bad ?? '', 'PK, but no file of Excel')
    const { page, open, complaints } = await dashboard.visit({ as: maker })
    await open(`${pages}/upload`)
    await page.getByLabel('Excel or CSV file').setInputFiles(bad ?? '')
    await page.getByText('This file cannot be read.', { exact: false }).waitFor()
    await page.getByLabel('Excel or CSV file').setInputFiles(good ?? '')
    await page.getByRole('button', { name: 'Check 1 row' }).click()
    await page.getByText('Bola & Sons').waitFor()
    await page.getByText('012 345 6789', { exact: false }).waitFor()
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('can be pasted from a spreadsheet', async () => {
    const { page, open } = await dashboard.visit({ as: maker })
    // The next day has begun in Lagos.
    await page.clock.setFixedTime(new Date('2026-11-30T23:30:00Z'))
    await open(`${pages}/upload`)
    await page.getByLabel('Or paste cells').fill('Name\tBank\tAccount\tAmount\nBola Ade\tUBA\t0123456789\t1,500.00\n')
    await page.getByRole('button', { name: 'Read rows' }).click()
    await page.getByRole('heading', { name: 'Pasted rows, 1 Dec 2026: 1 row' }).waitFor()
    await page.getByRole('button', { name: 'Check 1 row' }).click()
    await page.getByText('United Bank For Africa · 012 345 6789').waitFor()
    expect(await page.getByText('₦1,500.00').count()).toBeGreaterThan(0)
  })

  it('says that a draft was made if its answer was lost and the rows are others now, and makes one at the next click', async () => {
    const { page, open } = await dashboard.visit({ as: maker })
    const paste = async (amount: string): Promise<void> => {
      const row = `Ife Obi\tUBA\t0123456780\t${amount}`
      await page.getByLabel('Or paste cells').fill(`Name\tBank\tAccount\tAmount\n${row}\n`)
      await page.getByRole('button', { name: 'Read rows' }).click()
    }
    const check = page.getByRole('button', { name: 'Check 1 row' })
    await page.route(/\/payout-drafts$/, async (route) => {
      await route.fetch()
      await route.abort()
    })
    await open(`${pages}/upload`)
    await paste('2,500.00')
    await check.click()
    await page.getByText('The server could not be reached.').waitFor()
    await page.unrouteAll({ behavior: 'wait' })
    await page.getByRole('button', { name: 'Choose another file' }).click()
    await paste('3,500.00')
    await check.click()
    await page.getByText('An earlier attempt already made a draft with other content.', { exact: false }).waitFor()
    expect(page.url()).toContain('/upload')
    await check.click()
    await page.getByRole('cell', { name: '₦3,500.00' }).waitFor()

    await open(`${pages}/approvals?tab=mine`)
    await page.getByRole('cell', { name: '₦2,500.00' }).waitFor()
    expect(await page.getByRole('cell', { name: '₦3,500.00' }).count()).toBe(1)
  })
})
