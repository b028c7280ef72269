// Saved recipients in a real browser: saved with the name of the bank, picked for a payout, and marked when they changed.

import { mkdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { faultsAmong } from './faults.ts'
import { askAxe, askWidths, keepPictures, untilLoaded } from './page-checks.ts'

/** Set PICTURES to a folder to keep the pictures there. */
const pictures = process.env['PICTURES']

describe.skipIf(chromiumFile === undefined)('recipients', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ settings: { SANDBOX_SETTLE_MS: '50' } })
  const api = below(dashboard, 'staging')
  const pages = `/b/${formatId('business', dashboard.business.id)}/staging`
  const strong = { hasFactor: true, steppedUp: true }
  const owner = await addPerson(dashboard, { role: 'owner', ...strong })
  const checker = await addPerson(dashboard, { role: 'finance', ...strong })
  if (pictures !== undefined) await mkdir(pictures, { recursive: true })

  it('are saved, picked in a payout, and pointed out to the approver after a change', async () => {
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    await open(`${pages}/recipients`)
    await page.getByRole('button', { name: 'Add recipient' }).first().click()
    await page.getByLabel('Name').fill('Landlord')
    await page.getByLabel('Bank', { exact: true }).fill('guaranty')
    await page.getByRole('option', { name: 'Guaranty Trust Bank' }).click()
    await page.getByLabel('Account number').fill('0123456789')
    await page.getByLabel('Tags').fill('rent, office')
    await page.getByRole('button', { name: 'Save recipient' }).click()
    const table = page.getByRole('table', { name: 'Recipients' })
    await table.getByText('rent, office').waitFor()
    expectSuccess(await owner.patch(`${api}/payout-policy`, { mode: 'every' }))

    await page.getByRole('button', { name: 'Edit Landlord' }).click()
    await page.getByLabel('Account number').fill('2000000009')
    await page.getByRole('button', { name: 'Save recipient' }).click()
    await table.getByText('200 000 0009').waitFor()
    await untilLoaded(page)
    expect(await askAxe(page, [])).toEqual([])
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/recipients.png` })

    await open(`${pages}/payouts/new`)
    await page.getByLabel('Saved recipient').fill('land')
    await page.getByRole('option', { name: /^Landlord/ }).click()
    await page.getByText('Belongs to').waitFor()
    expect(await page.getByLabel('Account number').inputValue()).toBe('2000000009')
    await page.getByLabel('Amount').fill('500,000')
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/pick.png` })
    await page.getByRole('button', { name: /for approval$/ }).click()
    await page.getByText('Waits for the approval').waitFor()
    const address = new URL(page.url()).pathname.replace('/dashboard', '')

    const check = await dashboard.visit({ as: checker, size: { width: 390, height: 844 } })
    await check.open(address)
    await check.page.getByText('changed the account of the recipient Landlord').waitFor()
    await check.open(`${pages}/recipients`)
    await untilLoaded(check.page)
    if (pictures !== undefined) await check.page.screenshot({ path: `${pictures}/recipients-phone.png` })
    expect(faultsAmong([...complaints, ...check.complaints])).toEqual([])
  })

  it('are imported from a file, mended where they are wrong, filtered by tag, and paid as wallets', async () => {
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    await open(`${pages}/recipients`)
    await page.getByRole('link', { name: 'Import' }).first().click()
    await page
      .getByLabel('Or paste cells')
      .fill(
        [
          'Name\tBank\tNUBAN\tDepartment',
          'Bola Ade\tGTB\t3000000001\tlogistics',
          'Chidi Eze\tGTB\t312345678\tlogistics',
          'Dayo Wallet\tmtn-momo\t08000000001\triders',
        ].join('\n'),
      )
    await page.getByRole('button', { name: 'Read rows' }).click()
    await page.getByRole('button', { name: 'Save 3 rows' }).click()
    await page.getByText('2 recipients saved.').waitFor()
    await page.getByText('A spreadsheet may have dropped a zero').waitFor()
    // The row is corrected to one that is wrong in another way.
    await page.getByLabel('Bank').fill('No such bank')
    await page.getByRole('button', { name: 'Save 1 row' }).click()
    await page.getByText('No bank is called “No such bank”.', { exact: false }).waitFor()
    await page.getByLabel('Bank').fill('GTB')
    await keepPictures(page, 'recipients-import')
    expect(await askAxe(page, [])).toEqual([])
    expect(await askWidths(page)).toEqual([])
    await page.getByRole('button', { name: 'Use 0312345678' }).click()
    await page.getByRole('button', { name: 'Save 1 row' }).click()
    await page.getByText('3 recipients saved.').waitFor()
    await page.getByRole('link', { name: 'View recipients' }).click()
    await page.getByLabel('Tag', { exact: true }).selectOption('riders')
    const table = page.getByRole('table', { name: 'Recipients' })
    await table.getByText('Dayo Wallet').waitFor()
    await table.getByText('Bola Ade').waitFor({ state: 'detached' })
    await keepPictures(page, 'recipients')
    await page.getByRole('link', { name: 'Pay Dayo Wallet' }).click()
    await page.getByText('+2348000000001').first().waitFor()
    await page.getByLabel('Amount').fill('2,500')
    await keepPictures(page, 'wallet-payout')
    expect(await askAxe(page, [])).toEqual([])
    await page.getByRole('button', { name: 'Submit ₦2,500.00 for approval' }).click()
    await page.getByText('Waits for the approval').waitFor()
    expect(faultsAmong(complaints)).toEqual([])
  })
})
