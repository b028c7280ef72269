// A page that was open before the service was updated says so, and does not lose input.

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { askAxe, keepPictures } from './page-checks.ts'

describe.skipIf(chromiumFile === undefined)('a page of the previous version', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ roles: ['api'] })
  const owner = await addPerson(dashboard, { role: 'owner' })
  const below = `/b/${formatId('business', dashboard.business.id)}/staging`
  const notice = (page: Page) => page.getByText('Manilla was updated.', { exact: false })
  const comeBack = (page: Page) => page.evaluate(`dispatchEvent(new Event('visibilitychange'))`)

  it('says that there is a new one when the person comes back to it, and keeps its input', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    let version = 2
    await page.route(`${dashboard.address}/`, (route) =>
      route.fulfill({
        body: `<script type="module" crossorigin src="/dashboard/assets/index-${version}.js"></script>`,
      }),
    )
    await open(`${below}/payouts/new`)
    await page.getByLabel('Narration').fill('Rent of March')
    expect(await notice(page).count()).toBe(0)
    await comeBack(page)
    await notice(page).waitFor()
    expect(await askAxe(page, [])).toEqual([])
    await keepPictures(page, 'new-version')

    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.type())
      void dialog.dismiss()
    })
    await page.getByRole('button', { name: 'Reload page' }).click()
    await untilHolds(() => expect(asked).toEqual(['beforeunload']))
    expect(await page.getByLabel('Narration').inputValue()).toBe('Rent of March')

    await page.getByRole('button', { name: 'Later', exact: true }).click()
    await notice(page).waitFor({ state: 'detached' })
    version = 3
    await comeBack(page)
    await notice(page).waitFor()
  })

  it('says nothing when the server has the version of the page, or does not answer', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${below}/payments`)
    const answered = page.waitForResponse(`${dashboard.address}/`)
    await comeBack(page)
    expect((await answered).ok()).toBe(true)
    await page.route(`${dashboard.address}/`, (route) => route.fulfill({ status: 503 }))
    const refused = page.waitForResponse((response) => response.status() === 503)
    await comeBack(page)
    await refused
    await page.getByRole('link', { name: 'Deposits', exact: true }).click()
    await page.getByRole('heading', { name: 'Deposits', level: 1 }).waitFor()
    expect(await notice(page).count()).toBe(0)
  })
})
