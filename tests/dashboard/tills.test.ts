// Payouts to M-PESA tills and paybills in the dashboard: the form, the pages of a payment, the lists.

import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { untilMomo } from '#tests/payments/momo-requests.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { faultsAmong } from './faults.ts'
import { askAxe, askWidths, keepPictures } from './page-checks.ts'

describe.skipIf(chromiumFile === undefined)('tills and paybills on screen', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ settings: { SANDBOX_SETTLE_MS: '50' } })
  const { staging } = dashboard
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true, steppedUp: true })
  const below = `/b/${formatId('business', dashboard.business.id)}/staging`

  it('pays a till by form, through a draft, and shows its number', async () => {
    expectSuccess(await owner.patch(`${below}/currencies`, { on: ['KES'] }))
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    await open(`${below}/payouts/new?currency=KES`)
    await page.getByLabel('Operator').fill('till')
    await page.getByRole('option', { name: 'M-PESA till (Buy Goods) · Kenya, KES' }).click()
    await page.getByLabel('Till number').fill('1234')
    await page.getByLabel('Name of the business').fill('Corner Shop')
    await page.getByLabel('Amount').fill('1,500')
    await page.getByRole('button', { name: 'Send KES\u00a01,500.00' }).click()
    await page.getByText('Enter the 5 to 7 digits of the till number.').waitFor()
    await page.getByLabel('Till number').fill('247247')
    expect(await askAxe(page, [])).toEqual([])
    expect(await askWidths(page)).toEqual([])
    await keepPictures(page, 'payout-till')
    await page.getByRole('button', { name: 'Send KES\u00a01,500.00' }).click()
    await page.getByText('All rows were processed.').waitFor()
    await page.getByText('247247').first().waitFor()
    await keepPictures(page, 'draft-till')
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('pays a paybill at once, asks before a second one, and shows the account on its page and its receipt', async () => {
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    const fill = async (reference: string): Promise<void> => {
      await open(`${below}/payouts/new?currency=KES`)
      await page.getByLabel('Operator').fill('paybill')
      await page.getByRole('option', { name: 'M-PESA paybill · Kenya, KES' }).click()
      await page.getByLabel('Paybill number').fill('400200')
      await page.getByLabel('Account at the paybill').fill('INV-2026/11')
      await page.getByLabel('Amount').fill('1,500')
      await page.getByLabel('Reference').fill(reference)
    }
    await fill('PAYBILL-1')
    await page.getByLabel('Account at the paybill').fill('')
    await page.getByRole('button', { name: 'Send KES\u00a01,500.00' }).click()
    await page.getByText('Enter the account at the paybill.').waitFor()
    await page.getByLabel('Account at the paybill').fill('INV-2026/11')
    expect(await askAxe(page, [])).toEqual([])
    expect(await askWidths(page)).toEqual([])
    await keepPictures(page, 'payout-paybill')
    await page.getByRole('button', { name: 'Send KES\u00a01,500.00' }).click()
    await untilMomo(staging, 'transfer', 'PAYBILL-1', 'SUCCESS')
    await page.getByText('Paybill number').first().waitFor()
    await page.getByText('INV-2026/11').first().waitFor()
    expect(await askAxe(page, [])).toEqual([])
    await keepPictures(page, 'payment-paybill')
    await page.emulateMedia({ media: 'print' })
    await page.getByRole('article').getByText('M-PESA paybill').waitFor()
    await page.emulateMedia({ media: 'screen' })

    await fill('PAYBILL-2')
    await page.getByRole('button', { name: 'Send KES\u00a01,500.00' }).click()
    const asked = page.getByRole('alertdialog').or(page.getByRole('dialog'))
    await asked.getByText('the paybill 400200, account INV-2026/11', { exact: false }).waitFor()
    await asked.getByRole('textbox').fill('1,500.00')
    await asked.getByRole('button', { name: 'Send a second payout' }).click()
    await untilMomo(staging, 'transfer', 'PAYBILL-2', 'SUCCESS')
    // The operator refused the first attempt, which the browser reports.
    expect(faultsAmong(complaints).filter((one) => !one.includes('409'))).toEqual([])
  })

  it('finds both by their numbers, and exports them with the account', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${below}/payments?tab=momo-transfers&payee=400200`)
    await page.getByRole('link', { name: 'PAYBILL-1', exact: true }).waitFor()
    await keepPictures(page, 'momo-transfers-paybill')
    const { text } = await owner.get(`${below}/export/momo-transfers.csv?payee=400200`)
    expect(text).toContain('accountReference')
    expect(text).toContain('INV-2026/11')
  })
})
