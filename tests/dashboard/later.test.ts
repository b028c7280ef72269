// Code that a page loads later and that does not come, because the service is away or was updated: the page stays.

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { addPerson } from '#tests/support/dashboard.ts'

const sentence = 'This part of the page could not be loaded.'

describe.skipIf(chromiumFile === undefined)('a page whose later code does not come', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ roles: ['api'] })
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true })
  const support = await addPerson(dashboard, { role: 'support' })
  const below = `/b/${formatId('business', dashboard.business.id)}/staging`

  async function keepAway(page: Page, chunk: string): Promise<() => Promise<void>> {
    const files = new RegExp(`/${chunk}-[^/]*\\.js$`)
    await page.route(files, (route) => route.abort())
    return () => page.unroute(files)
  }

  it('says so in place of the calendar, and opens it when the code comes', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    const letCome = await keepAway(page, 'calendar')
    await open(`${below}/deposits`)
    const opener = page.getByRole('button', { name: 'Calendar: From' })
    await opener.click()
    await page.getByText(sentence, { exact: false }).or(page.getByText('This could not be loaded')).waitFor()
    expect(await page.getByText('This could not be loaded').count()).toBe(0)
    await letCome()
    await opener.click()
    await page.getByRole('dialog', { name: 'Choose a date: From' }).waitFor()
  })

  it('says so in place of the reason of a disabled button', async () => {
    const { page, open } = await dashboard.visit({ as: support })
    await keepAway(page, 'tooltip')
    await open(`${below}/payments`)
    await page.getByRole('main').locator('[aria-disabled=true]').first().click({ force: true })
    await page.getByText(sentence, { exact: false }).or(page.getByText('This could not be loaded')).waitFor()
    expect(await page.getByRole('heading', { level: 1, name: 'Payments' }).count()).toBe(1)
  })

  it('refuses the action that needs a second factor, and keeps the input of its form', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    const letCome = await keepAway(page, 'challenge-dialogs')
    await open(`${below}/settings`)
    const business = page.getByRole('region', { name: 'Business' })
    await business.getByLabel('Name').fill('Obi Stores')
    await business.getByRole('button', { name: 'Save settings' }).click()
    await page.getByRole('alert').waitFor()
    expect(await business.getByLabel('Name').inputValue()).toBe('Obi Stores')
    await letCome()
    await business.getByRole('button', { name: 'Save settings' }).click()
    await page.getByRole('dialog', { name: 'Confirm that it is you' }).waitFor()
  })
})
