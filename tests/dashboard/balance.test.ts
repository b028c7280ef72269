// The balance on screen equals the ledger's, and changes while the page is open.

import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { formatMoney } from '#dashboard/format/money.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { addPerson, below as apiBelow } from '#tests/support/dashboard.ts'
import { transferBody, untilStatus } from '#tests/payments/requests.ts'
import { faultsAmong } from './faults.ts'
import { keepPictures } from './page-checks.ts'

describe.skipIf(chromiumFile === undefined)('the balance on screen', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ settings: { SANDBOX_SETTLE_MS: '50' } })
  const { staging } = dashboard
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true, steppedUp: true })
  const below = `/b/${formatId('business', dashboard.business.id)}/staging`

  async function openAccount(): Promise<string> {
    const body = { amount: 250_000 }
    const account = expectSuccess(await staging.call('/v1/virtual-accounts/dynamic', { method: 'POST', body }))
    return account.accountNumber as string
  }

  async function payInto(accountNumber: string, amount: number): Promise<string> {
    const answer = await staging.call('/v1/sandbox/deposits', { method: 'POST', body: { accountNumber, amount } })
    return expectSuccess(answer).reference as string
  }

  it('shows a deposit without a reload, as a hint of the stream brings it', async () => {
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    await open(`${below}/deposits`)
    await page.getByRole('heading', { name: 'No deposit yet' }).waitFor()
    const reference = await payInto(await openAccount(), 250_000)
    await page.getByRole('link', { name: reference }).waitFor()
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('says why money was not kept, with both sums', async () => {
    const reference = await payInto(await openAccount(), 249_900)
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    await open(`${below}/deposits/${reference}`)
    await page.getByText('Paid ₦2,499.00 of ₦2,500.00: too little. It goes back to the sender.').waitFor()
    await page.getByRole('heading', { name: 'Not confirmed' }).waitFor()
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('adds up: the rows lie between opening and closing, and the file says the same', async () => {
    const { page, open, context } = await dashboard.visit({ as: owner })
    await open(`${below}/balance`)
    const rows = page.getByRole('table', { name: /^Statement of/ }).locator('tbody tr')
    await rows.filter({ hasText: 'Fee of a deposit' }).first().waitFor()
    const [balance] = expectSuccess(await staging.get('/v1/balance')).balances as { available: number }[]
    const available = formatMoney(balance?.available)
    expect(await rows.first().locator('td').last().textContent()).toBe(available)
    const closing = page.locator('dl').filter({ hasText: 'Closing balance' })
    expect(await closing.textContent()).toContain(`Closing balance${available}`)
    const file = await context.request.get(
      `${dashboard.url.replace('127.0.0.1', 'localhost')}/dashboard/api${apiBelow(dashboard, 'staging')}/export/statement.csv?columns=number`,
      { headers: { 'Sec-Fetch-Site': 'same-origin' } },
    )
    const lines = (await file.text()).trimEnd().split('\r\n')
    // The first line has the column names.
    expect(lines.length - 1).toBe(await rows.count())
  })

  it('is of the days that a person chooses', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${below}/balance`)
    const rows = page.getByRole('table', { name: /^Statement of/ }).locator('tbody tr')
    await rows.filter({ hasText: 'Fee of a deposit' }).first().waitFor()
    const all = await rows.count()
    await page.getByLabel('Days', { exact: true }).selectOption('Today')
    await page.getByRole('table', { name: /^Statement of \d+ \w+ \d{4}$/ }).waitFor()
    await rows.filter({ hasText: 'Fee of a deposit' }).first().waitFor()
    expect(await rows.count()).toBe(all)
    expect(await page.getByLabel('From', { exact: true }).inputValue()).toMatch(/^\d{1,2} [A-Z][a-z]{2} \d{4}$/)
    await page.getByLabel('Days', { exact: true }).selectOption('Yesterday')
    await page.getByRole('heading', { name: 'No movements' }).waitFor()
    // The month after the chosen days, which is this one.
    await page.getByLabel('Days', { exact: true }).selectOption('Last month')
    await page.locator('[aria-label="Month after"]:not([aria-disabled])').click()
    await page.getByText('Fee of a deposit').first().waitFor()
    expect(page.url()).not.toMatch(/from=|month=/)
    // A month that no calendar here goes to is this one too.
    await open(`${below}/balance?month=9999-12`)
    await page.getByText('Fee of a deposit').first().waitFor()
  })

  it('lists the payouts of its days, one in a row with what a bank’s statement says', async () => {
    expectSuccess(await staging.post('/v1/transfers/initiate', transferBody({ reference: 'ROW-1' })))
    const payout = await untilStatus(staging, 'ROW-1', 'SUCCESS')
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    await open(`${below}/balance`)
    await page.getByLabel('View', { exact: true }).selectOption('Bank payouts')
    const row = page.getByRole('table', { name: /^Bank payouts of/ }).locator('tbody tr', { hasText: 'ROW-1' })
    await row.waitFor()
    const text = (await row.textContent()) ?? ''
    const sessionEnd = `…${payout.sessionId?.slice(-12)}`
    for (const part of [payout.accountName, payout.bankName, sessionEnd, 'Succeeded', formatMoney(payout.amount)])
      expect(text).toContain(part)
    await keepPictures(page, 'statement')
    expect(page.url()).toContain('view=transfers')
    await page.getByLabel('View', { exact: true }).selectOption('Wallet payouts')
    await page.getByRole('heading', { name: 'No payouts' }).waitFor()
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('walks the months by the arrows, and goes no further than this one', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${below}/balance`)
    await page
      .getByRole('table', { name: /^Statement of/ })
      .locator('tbody a, tbody td')
      .first()
      .waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.getByRole('heading', { name: 'No movements' }).waitFor()
    expect(page.url()).toMatch(/month=\d{4}-\d\d/)
    // The file has the rows of this month alone, and the dialog says so.
    await page.keyboard.press('e')
    await page.getByText(/^All rows of [A-Z][a-z]+ \d{4}, on all pages\./).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('ArrowRight')
    await page.getByText('Fee of a deposit').first().waitFor()
    expect(page.url()).not.toContain('month=')
  })

  it('leaves the arrows to a table that they scroll, and to an open menu', async () => {
    const { page, open } = await dashboard.visit({ as: owner, size: { width: 920, height: 800 } })
    await open(`${below}/balance`)
    const table = page.getByRole('table', { name: /^Statement of/ })
    await table.getByText('Fee of a deposit').first().waitFor()
    const region = page.locator('[tabindex="0"]', { has: table })
    const widths = await region.evaluate((element) => {
      const { scrollWidth, clientWidth } = element as unknown as Record<'scrollWidth' | 'clientWidth', number>
      return { scrollWidth, clientWidth }
    })
    expect(widths.scrollWidth).toBeGreaterThan(widths.clientWidth)
    await region.press('ArrowRight')
    await region.press('ArrowLeft')
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Save this view' }).waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('e')
    await page.keyboard.press('Escape')
    await page.getByRole('menuitem', { name: 'Save this view' }).waitFor({ state: 'detached' })
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(page.url()).not.toContain('month=')
  })

  it('closes an account only by its last four digits', async () => {
    const customer = { reference: 'CUST-1', firstName: 'Ada', lastName: 'Obi' }
    expectSuccess(await staging.call('/v1/customers', { method: 'POST', body: customer }))
    const body = { customerReference: 'CUST-1' }
    const account = expectSuccess(await staging.call('/v1/virtual-accounts/static', { method: 'POST', body }))
    const accountNumber = account.accountNumber as string
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${below}/accounts/${accountNumber}`)
    await page.getByRole('button', { name: 'Close account' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').fill('0000')
    expect(await dialog.getByRole('button', { name: 'Close account' }).getAttribute('aria-disabled')).toBe('true')
    await dialog.getByRole('textbox').fill(accountNumber.slice(-4))
    await dialog.getByRole('button', { name: 'Close account' }).click()
    await page.getByRole('heading', { level: 1 }).getByText('Closed').waitFor()
  })
})
