// Tasks of finance and support people, in a real browser: find a bank by the name they use, see every fault of a form at
// once, tell a failed search from a missing payment, and print a receipt that proves a payment.

import { describe, expect, it } from 'vitest'
import { pausePayouts, resumePayouts } from '#payments/brakes.ts'
import { formatId } from '#platform/ids.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { askAxe, askWidths, keepPictures } from './page-checks.ts'

describe.skipIf(chromiumFile === undefined)('finance and support people', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ settings: { SANDBOX_SETTLE_MS: '50' } })
  const { staging } = dashboard
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true, steppedUp: true })
  const below = `/b/${formatId('business', dashboard.business.id)}/staging`

  async function pay(reference: string, accountNumber: string): Promise<void> {
    const body = { reference, amount: 150_000, bankSlug: 'access-bank', accountNumber, accountName: 'Ada Obi' }
    expectSuccess(await staging.call('/v1/transfers/initiate', { method: 'POST', body }))
    await untilHolds(async () => {
      expect(expectSuccess(await staging.get(`/v1/transfers/${reference}`)).isFinal).toBe(true)
    })
  }

  it.each([
    ['gtb', 'Guaranty Trust Bank'],
    ['uba', 'United Bank For Africa'],
    ['058', 'Guaranty Trust Bank'],
  ])('find a bank by “%s”', async (typed, name) => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${below}/payouts/new`)
    await page.getByLabel('Bank').fill(typed)
    const bank = page.getByRole('option', { name, exact: true })
    await bank.waitFor()
    expect(await bank.count()).toBe(1)
  })

  it('see all faults of a payout at once, by the labels of the form', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${below}/payouts/new`)
    await page.getByLabel('Account number').fill('123456789')
    await page.getByLabel('Amount').fill('15.005')
    await page.getByLabel('Narration').fill('x'.repeat(101))
    await page.getByRole('button', { name: /^Send/ }).click()
    await page.getByText('Choose the bank from the list.').waitFor()
    for (const label of ['Account number', 'Amount', 'Narration']) {
      expect(await page.getByLabel(label).getAttribute('aria-invalid'), label).toBe('true')
    }
    await page.getByText('An account number has 10 digits.').waitFor()
    await page.getByText('Narration must have at most 100 characters.').waitFor()
  })

  it('learn that payouts are paused before they fill in the form', async () => {
    const { ctx, business } = dashboard
    const whose = { environment: 'staging' } as const
    const { page, open } = await dashboard.visit({ as: owner })
    await pausePayouts(ctx, whose)
    await open(`${below}/payouts/new`)
    const notice = page.getByText('Payouts are paused in staging, so this payout would be refused.')
    await notice.waitFor()
    expect(await notice.textContent()).toContain('The operator of this service paused them.')
    await resumePayouts(ctx, [business.tenants.staging.lane], whose)
  })

  it('can tell a search that failed from a payment that does not exist', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(below)
    await page.keyboard.press('/')
    await page.getByRole('combobox', { name: 'Search' }).fill('NO-SUCH-PAYMENT')
    await page.getByText('No record matches.').waitFor()
    await page.route('**/find?*', (route) => route.fulfill({ status: 503, json: { code: 'UNAVAILABLE' } }))
    await page.getByRole('combobox', { name: 'Search' }).fill('ANOTHER-PAYMENT')
    await page.getByText('This does not mean that the record does not exist.').waitFor()
    expect(await page.getByText('No record matches.').count()).toBe(0)
    await page.unroute('**/find?*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('No record matches.').waitFor()
  })

  it('open by Enter what they have typed, and no result of an earlier text', async () => {
    await pay('ENTER-ONE', '0123456789')
    await pay('ENTER-TWO', '2000000001')
    const { page, open } = await dashboard.visit({ as: owner })
    await open(below)
    await page.keyboard.press('/')
    const field = page.getByRole('combobox', { name: 'Search' })
    await field.fill('ENTER-ONE')
    await page.getByRole('option', { name: /ENTER-ONE/ }).waitFor()
    const { promise: answer, resolve: deliver } = Promise.withResolvers<void>()
    await page.route(/find\?q=ENTER-TWO/, async (route) => {
      await answer
      await route.continue()
    })
    await field.fill('ENTER-TWO')
    await page.getByText('Searching …').waitFor()
    await field.press('Enter')
    expect(page.url()).not.toContain('ENTER-ONE')
    deliver()
    await page.getByRole('option', { name: /ENTER-TWO/ }).waitFor()
    await field.press('Enter')
    await page.getByRole('heading', { name: 'What happened' }).waitFor()
    expect(page.url()).toContain('ENTER-TWO')
  })

  it('see kind and reference of what they find', async () => {
    await pay('FOUND-1', '0123456789')
    const { page, open } = await dashboard.visit({ as: owner })
    await open(below)
    await page.keyboard.press('/')
    await page.getByRole('combobox', { name: 'Search' }).fill('FOUND-1')
    const hit = page.getByRole('option', { name: /FOUND-1/ }).first()
    await hit.waitFor()
    expect(await hit.textContent()).toMatch(/Ada Obi\s*Bank transfer · FOUND-1 · ₦1,500.00 · Succeeded · /)
  })

  it('print a receipt of a payment that succeeded, and of no other', async () => {
    await pay('PAID-1', '0123456789')
    await pay('FAILED-1', '9990000006')
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${below}/payments/FAILED-1`)
    await page.getByRole('heading', { level: 1 }).getByText('Failed', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Print receipt' }).count()).toBe(0)
    await open(`${below}/payments/PAID-1`)
    await page.getByRole('button', { name: 'Print receipt' }).waitFor()
    await page.emulateMedia({ media: 'print' })
    await page.getByRole('heading', { name: 'Payment receipt' }).waitFor()
    await page.getByText('One thousand five hundred naira').waitFor()
    const receipt = page.getByRole('article')
    for (const fact of ['Ada Obi', '0123456789', 'Access Bank', 'PAID-1', 'Test payment in staging']) {
      await receipt.getByText(fact).first().waitFor()
    }
    await receipt.getByText(/^\d+ \w{3}, \d\d:\d\d:\d\d WAT$/).waitFor()
    expect(await page.getByRole('button').count()).toBe(0)
    expect(await page.getByRole('region', { name: 'In the ledger' }).isVisible()).toBe(false)
  })

  it('share a receipt by a link, which people without an account can read, and revoke it', async () => {
    await pay('PAID-2', '0123456789')
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${below}/payments/PAID-2`)
    await page.getByRole('button', { name: 'Share receipt' }).click()
    const dialog = page.getByRole('dialog', { name: 'Share receipt' })
    await dialog.getByRole('button', { name: 'Create link' }).click()
    await dialog.getByRole('button', { name: 'Copy link' }).waitFor()
    await keepPictures(page, 'share-receipt')
    expect(await askAxe(page, [])).toEqual([])
    const url = (await dialog.locator('code').textContent()) ?? ''
    const stranger = await dashboard.visit()
    await stranger.page.goto(url)
    await stranger.page.getByRole('heading', { level: 1 }).waitFor()
    await stranger.page.getByText('₦1,500.00').waitFor()
    await keepPictures(stranger.page, 'public-receipt')
    expect(await askAxe(stranger.page, [])).toEqual([])
    expect(await askWidths(stranger.page)).toEqual([])
    await dialog.getByRole('button', { name: /^Revoke the link of/ }).click()
    await dialog.getByRole('button', { name: 'Revoke link' }).click()
    await dialog.getByRole('button', { name: 'Create link' }).waitFor()
    expect((await fetch(url)).status).toBe(404)
  })

  it('are led back from a page that a list does not have', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${below}/payments?page=999`)
    await page.getByRole('heading', { name: 'There is no page 999' }).waitFor()
    await page.getByRole('button', { name: 'Go to the first page' }).click()
    const row = page.getByRole('table', { name: 'Bank transfers' }).getByText('PAID-1')
    await row.waitFor()
    expect(await row.count()).toBe(1)
  })
})
