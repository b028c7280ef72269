// The database is away while people work: every page says so, and recovers by itself.

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { createTestDatabase } from '#tests/support/database.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { usePostgresProxy } from '#tests/support/postgres-proxy.ts'

/** A text that a page shows once it has its data. */
const sections: [link: string, shows: string][] = [
  ['Payments', 'No bank transfers yet'],
  ['Deposits', 'No deposit yet'],
  ['Balance', 'Opening balance'],
  ['Webhooks', 'No webhooks yet'],
  ['Team', 'What each role may do'],
  ['Settings', 'Time zone'],
]

describe.skipIf(chromiumFile === undefined)('while the database is away', async () => {
  if (chromiumFile === undefined) return
  const database = await createTestDatabase()
  const wire = await usePostgresProxy(database.serviceUrl)
  const dashboard = await useDashboard({ database: { ...database, serviceUrl: wire.url }, roles: ['api'] })
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true, steppedUp: true })
  const below = `/b/${formatId('business', dashboard.business.id)}/staging`
  const notice = (page: Page) => page.getByText('This page asks again by itself.')

  it('each page says so, and comes back by itself', async () => {
    const { page: first, context, open } = await dashboard.visit({ as: owner })
    await open(below)
    const tabs = await Promise.all(
      sections.map(async ([link, shows]) => {
        const page = await context.newPage()
        await page.goto(`${dashboard.address}${below}`)
        await page.getByRole('heading', { name: 'Home' }).waitFor()
        let refusals = 0
        page.on('response', (response) => (refusals += response.status() === 503 ? 1 : 0))
        return { page, link, shows, refusals: () => refusals }
      }),
    )
    await wire.close()
    for (const { page, link } of tabs) await page.getByRole('link', { name: link, exact: true }).click()
    await first.reload()
    for (const { page } of [...tabs, { page: first }]) await notice(page).waitFor()
    // More attempts than a page would make if it gave up.
    for (const { refusals } of tabs) await untilHolds(() => expect(refusals()).toBeGreaterThan(5))
    await wire.open()
    for (const { page, shows } of tabs) await page.getByText(shows).first().waitFor()
    await first.getByRole('heading', { name: 'Home' }).waitFor()
    for (const { page } of [...tabs, { page: first }]) {
      await notice(page).waitFor({ state: 'detached' })
      expect(await page.getByText('could not be loaded').count()).toBe(0)
    }
  })

  it('a form says so too, and keeps its input until it can be sent', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${below}/simulator`)
    const fund = page.getByRole('region', { name: 'Fund the balance' })
    await fund.getByLabel('Amount').fill('1,234.50')
    await wire.close()
    await fund.getByRole('button', { name: 'Fund balance' }).click()
    await fund.getByText('The database cannot be reached right now.').waitFor()
    expect(await fund.getByLabel('Amount').inputValue()).toBe('1,234.50')
    await wire.open()
    await untilHolds(async () => expectSuccess(await dashboard.staging.get('/v1/balance')))
    await fund.getByRole('button', { name: 'Fund balance' }).click()
    await page.getByText('is available now').waitFor()
  })
})
