// What belongs to one environment is not shown in another one, and what a person is asked stays as it was asked.

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { createBusiness } from '#businesses/business.ts'
import { neverEnding, transferBody } from '#tests/payments/requests.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { createClient, expectSuccess } from '#tests/support/client.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { untilHolds } from '#tests/support/patience.ts'

describe.skipIf(chromiumFile === undefined)('a page', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ roles: ['api'] })
  const api = below(dashboard, 'staging')
  const pages = `/b/${formatId('business', dashboard.business.id)}/staging`
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true, steppedUp: true })

  /** Makes the page read its data again, as on a change of the window. */
  async function readAgain(page: Page): Promise<void> {
    await page.clock.fastForward(10_000)
    await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`)
  }

  async function holdBack(page: Page, files: RegExp): Promise<() => void> {
    const { promise: end, resolve: letThrough } = Promise.withResolvers<void>()
    await page.route(files, async (route) => {
      await end
      await route.continue()
    })
    return letThrough
  }

  it('shows no rows and no input of staging in production', async () => {
    const body = transferBody({ reference: 'STAGED-1', accountNumber: neverEnding })
    expectSuccess(await dashboard.staging.call('/v1/transfers/initiate', { method: 'POST', body }))
    const { page, open } = await dashboard.visit({ as: owner })
    const letThrough = await holdBack(page, /\/production\/v1\/transfers\?/)
    await open(`${pages}/payments`)
    await page.getByRole('link', { name: 'STAGED-1' }).waitFor()
    await page.getByRole('link', { name: 'Production' }).click()
    await page.waitForURL(/production/)
    await page.getByRole('table', { name: 'Bank transfers' }).waitFor()
    expect(await page.getByRole('link', { name: 'STAGED-1' }).count()).toBe(0)
    letThrough()
    await page.unrouteAll({ behavior: 'wait' })
    await page.getByRole('link', { name: 'Staging' }).click()
    await page.getByRole('link', { name: 'New payout' }).click()
    await page.getByLabel('Narration').fill('Rent of March')
    await page.getByRole('link', { name: 'Production' }).click()
    await page.getByRole('button', { name: 'Leave' }).click()
    await page.waitForURL(/production\/payouts/)
    expect(await page.getByLabel('Narration').inputValue()).toBe('')
  })

  it('keeps a key that is shown once while the first steps are completed elsewhere', async () => {
    const { id } = await createBusiness(dashboard.ctx, 'New')
    const founder = await addPerson(dashboard, { role: 'developer', business: id })
    const { page, open } = await dashboard.visit({ as: founder })
    await page.clock.install()
    await open(`/b/${formatId('business', id)}/staging`)
    await page.getByRole('button', { name: 'Make a test key' }).click()
    const secret = (await page.locator('code', { hasText: /^sk_test_/ }).textContent()) ?? ''
    const client = createClient(`${dashboard.url}/staging`, secret)
    for (let number = 1; number <= 12; number++) {
      const body = transferBody({ reference: `STAGED-${number}`, accountNumber: neverEnding, amount: 1_000 + number })
      expectSuccess(await client.call('/v1/transfers/initiate', { method: 'POST', body }))
    }
    await readAgain(page)
    await page.getByRole('link', { name: 'STAGED-12' }).waitFor()
    expect(await page.getByText(secret, { exact: true }).count()).toBe(1)
  })

  it('asks about the pause that the person meant, also if another person pauses meanwhile', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await page.clock.install()
    await open(`${pages}/settings`)
    await page.getByRole('button', { name: 'Pause payouts' }).click()
    expectSuccess(await owner.post(`${api}/pause`, { isPaused: true, reason: 'Audit' }))
    const answered = page.waitForResponse(/\/pause$/)
    await readAgain(page)
    await answered
    const dialog = page.getByRole('dialog')
    await page.getByText('Reason: Audit').waitFor()
    await dialog.getByLabel('Reason').fill('Stop')
    await dialog.getByRole('button', { name: 'Pause payouts' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Reason: Stop').or(page.getByText('Reason: Audit')).waitFor()
    expectSuccess(await owner.post(`${api}/pause`, { isPaused: false, reason: 'Over' }))
  })

  it('closes the dialog of a done action also if its data cannot be read again', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${pages}/settings`)
    await page.getByRole('button', { name: 'Pause payouts' }).click()
    await page.getByLabel('Reason').fill('Audit')
    await page.route(/\/pause$/, (route, request) =>
      request.method() === 'POST'
        ? route.fallback()
        : route.fulfill({ status: 503, json: { success: false, error: { code: 'X', message: 'It is starting.' } } }),
    )
    await page.getByRole('dialog').getByRole('button', { name: 'Pause payouts' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.unrouteAll({ behavior: 'wait' })
    expectSuccess(await owner.post(`${api}/pause`, { isPaused: false, reason: 'Over' }))
  })

  it('makes recovery codes once for a double click', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    let made = 0
    page.on('request', (request) => (made += request.url().endsWith('/recovery-codes') ? 1 : 0))
    const letThrough = await holdBack(page, /\/recovery-codes$/)
    await open(`${pages}/profile`)
    await page.getByRole('button', { name: 'Make new recovery codes' }).dblclick()
    await untilHolds(() => expect(made).toBe(1))
    letThrough()
    await page.getByRole('dialog', { name: 'Recovery codes' }).waitFor()
    expect(made).toBe(1)
  })
})
