// Input that a person entered is not lost silently: a form asks before the person leaves it.

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { askAxe, keepPictures } from './page-checks.ts'

describe.skipIf(chromiumFile === undefined)('unsaved input', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ settings: { SANDBOX_SETTLE_MS: '50' } })
  const pages = `/b/${formatId('business', dashboard.business.id)}/staging`
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true, steppedUp: true })

  it('of a page is kept until the person says that it may be lost', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${pages}/customers`)
    await goTo(page, 'Payments')
    await page.getByRole('link', { name: 'New payout' }).click()
    await page.getByLabel('Amount').fill('2,000')
    await goTo(page, 'Deposits')
    await page.getByRole('button', { name: 'Stay' }).and(page.locator(':focus')).waitFor()
    expect(await askAxe(page, [])).toEqual([])
    await keepPictures(page, 'unsaved')
    await page.keyboard.press('Escape')
    await question(page).waitFor({ state: 'detached' })
    expect(page.url()).toContain('/payouts/new')
    expect(await page.getByLabel('Amount').inputValue()).toBe('2,000')

    await page.goBack()
    await page.getByRole('button', { name: 'Stay' }).click()
    await question(page).waitFor({ state: 'detached' })
    expect(await page.getByLabel('Amount').inputValue()).toBe('2,000')
    await page.goBack()
    await page.getByRole('button', { name: 'Leave' }).click()
    await heading(page, 'Payments')
    expect(await question(page).count()).toBe(0)
  })

  it('is asked about by the browser before the window closes or loads anew', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${pages}/payouts/new`)
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.type())
      void dialog.dismiss()
    })
    await page.reload()
    await page.getByLabel('Narration').fill('Rent of March')
    expect(asked).toEqual([])
    await page.evaluate('location.reload()')
    await untilHolds(() => expect(asked).toEqual(['beforeunload']))
    expect(await page.getByLabel('Narration').inputValue()).toBe('Rent of March')
  })

  it('of a dialog is kept on Escape and on its cross, and dropped by Cancel', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${pages}/recipients`)
    const dialog = page.getByRole('dialog', { name: 'Add a recipient' })
    const add = page.getByRole('button', { name: 'Add recipient' }).first()
    await add.click()
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })

    await add.click()
    await page.getByLabel('Name').fill('Landlord')
    await page.keyboard.press('Escape')
    await question(page).waitFor()
    await page.keyboard.press('Enter')
    await question(page).waitFor({ state: 'detached' })
    expect(await page.getByLabel('Name').inputValue()).toBe('Landlord')
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Leave' }).click()
    await dialog.waitFor({ state: 'detached' })

    await add.click()
    await page.getByLabel('Name').fill('Landlord')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    await goTo(page, 'Deposits')
    await heading(page, 'Deposits')
  })

  it('is none once it was sent, and still is after it was refused', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${pages}/profile`)
    await page.getByLabel('Name', { exact: true }).fill('')
    await page.getByRole('button', { name: 'Save name' }).click()
    await page.getByLabel('Name', { exact: true }).and(page.locator('[aria-invalid]')).waitFor()
    await goTo(page, 'Deposits')
    await page.getByRole('button', { name: 'Stay' }).click()
    await question(page).waitFor({ state: 'detached' })
    await page.getByLabel('Name', { exact: true }).fill('Ada Obi')
    await page.getByRole('button', { name: 'Save name' }).click()
    await page.getByText('Name saved').first().waitFor()
    await goTo(page, 'Deposits')
    await heading(page, 'Deposits')
    expect(await question(page).count()).toBe(0)
  })

  it('stays when a saved recipient is chosen after the amount was typed', async () => {
    const saved = { kind: 'bank', name: 'Landlord', institution: 'access-bank', accountNumber: '0123456789', tags: [] }
    expectSuccess(await owner.post(`${below(dashboard, 'staging')}/recipients`, saved))
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${pages}/payouts/new`)
    await page.getByLabel('Amount').fill('500,000')
    await page.getByLabel('Saved recipient').fill('land')
    await page.getByRole('option', { name: /^Landlord/ }).click()
    await page.getByText('Belongs to').waitFor()
    expect(await page.getByLabel('Account number').inputValue()).toBe('0123456789')
    expect(await page.getByLabel('Amount').inputValue()).toBe('500,000')
  })

  it('of a sign-in or of a filter is dropped without a question', async () => {
    const { page, open } = await dashboard.visit()
    await open('/sign-in/code')
    await page.getByLabel('Code').fill('123')
    await page.getByRole('link', { name: 'Sign in as another person' }).click()
    await page.getByLabel('E-mail address').waitFor()
    const inside = await dashboard.visit({ as: owner })
    await inside.open(`${pages}/payments`)
    await inside.page.getByLabel('From', { exact: true }).fill('2026-01-01')
    await goTo(inside.page, 'Deposits')
    await heading(inside.page, 'Deposits')
    expect(await question(inside.page).count()).toBe(0)
  })
})

function question(page: Page) {
  return page.getByRole('dialog', { name: 'Leave without saving?' })
}

async function goTo(page: Page, section: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: section, exact: true }).click()
}

async function heading(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name }).waitFor()
}
