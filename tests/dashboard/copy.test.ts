// A text that the browser does not let the page copy is shown, selected, so that the user can copy it.

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { neverEnding, transferBody } from '#tests/payments/requests.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { faultsAmong } from './faults.ts'
import { askAxe } from './page-checks.ts'

const noPermission = `navigator.clipboard.writeText = () => Promise.reject(new DOMException('denied', 'NotAllowedError'))`
const insecureOrigin = `Object.defineProperty(navigator, 'clipboard', { value: undefined })`

describe.skipIf(chromiumFile === undefined)('a text that the browser does not copy', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ roles: ['api'] })
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true, steppedUp: true })
  const below = `/b/${formatId('business', dashboard.business.id)}/staging`
  for (const reference of ['COPY-1', 'COPY-2']) {
    const body = transferBody({ reference, accountNumber: neverEnding })
    expectSuccess(await dashboard.staging.call('/v1/transfers/initiate', { method: 'POST', body }))
  }

  async function visitWith(refusal: string) {
    const visit = await dashboard.visit({ as: owner })
    await visit.page.addInitScript(refusal)
    return visit
  }

  /** Reads the selected text, and closes the dialog that shows it. */
  async function takeSelected(page: Page): Promise<string> {
    await page.getByRole('dialog', { name: 'Copy the text yourself' }).waitFor()
    await page.getByLabel('Text').and(page.locator(':focus')).waitFor()
    const selected = await page.evaluate<string>('getSelection().toString()')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Copy the text yourself' }).waitFor({ state: 'detached' })
    return selected
  }

  it.each([
    ['without permission', noPermission],
    ['at an insecure origin', insecureOrigin],
  ])('is shown and selected %s, and the page stays as it was', async (_, refusal) => {
    const { page, open, complaints } = await visitWith(refusal)
    await open(`${below}/payments/COPY-1`)
    const button = page.getByRole('heading', { level: 1 }).getByRole('button', { name: 'Copy the reference' })
    await button.click()
    await page.getByRole('dialog', { name: 'Copy the text yourself' }).waitFor()
    expect(await askAxe(page, [])).toEqual([])
    expect(await takeSelected(page)).toBe('COPY-1')
    await button.and(page.locator(':focus')).waitFor()
    expect(await page.getByText('Copied').count()).toBe(0)
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('is shown over the dialog with a new key, which stays open', async () => {
    const { page, open } = await visitWith(noPermission)
    await open(`${below}/keys`)
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('Name').fill('Server')
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    const secret = await page.getByRole('dialog').locator('code').first().textContent()
    await page.getByRole('button', { name: 'Copy key' }).click()
    expect(await takeSelected(page)).toBe(secret)
    expect(await page.getByRole('dialog').locator('code').first().textContent()).toBe(secret)
  })

  it('is shown for references that are copied by key', async () => {
    const { page, open, complaints } = await visitWith(noPermission)
    await open(`${below}/payments`)
    await page.getByRole('link', { name: 'COPY-2' }).waitFor()
    for (const key of ['j', 'c']) await page.keyboard.press(key)
    expect(await takeSelected(page)).toBe('COPY-2')
    for (const key of ['x', 'j', 'x', 'c']) await page.keyboard.press(key)
    expect(await takeSelected(page)).toBe('COPY-2\nCOPY-1')
    await page.getByRole('button', { name: 'Copy references' }).click()
    expect(await takeSelected(page)).toBe('COPY-2\nCOPY-1')
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('is shown over its row, and a click in the dialog does not open the row', async () => {
    const { page, open } = await visitWith(noPermission)
    await open(`${below}/payments?columns=reference,accountNumber`)
    const row = page.getByRole('row', { name: /COPY-2/ })
    await row.hover()
    await row.getByRole('button', { name: 'Copy the account number' }).click()
    const dialog = page.getByRole('dialog', { name: 'Copy the text yourself' })
    await dialog.getByText('Your browser did not let').click()
    await dialog.getByRole('heading').click()
    expect(await dialog.count()).toBe(1)
    expect(new URL(page.url()).pathname).toBe(`/dashboard${below}/payments`)
  })
})
