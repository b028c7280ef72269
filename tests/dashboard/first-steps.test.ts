// The home page of a business without a payment, as its developer sees it: a key, the commands with the key filled in,
// and a test payment by a click.

import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { createBusiness } from '#businesses/business.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { createClient, expectSuccess } from '#tests/support/client.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { faultsAmong } from './faults.ts'
import { keepPictures, untilLoaded } from './page-checks.ts'

describe.skipIf(chromiumFile === undefined)('a developer’s first steps', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ settings: { SANDBOX_SETTLE_MS: '50' } })
  const { id: business } = await createBusiness(dashboard.ctx, 'Just begun')
  const developer = await addPerson(dashboard, { role: 'developer', business })

  it('are a key that works, commands that have it, and a payment that is seen to succeed', async () => {
    const { page, open, complaints } = await dashboard.visit({ as: developer })
    await open(`/b/${formatId('business', business)}/staging`)
    const steps = page.getByRole('region', { name: 'First steps' })
    await steps.getByRole('button', { name: 'Make a test key' }).click()
    await steps.getByText('Your test key, shown once, and three commands to paste:').waitFor()
    const [key = '', ...commands] = await steps.locator('code').allTextContents()
    expect(key).toMatch(/^sk_test_/)
    expect(commands).toHaveLength(3)
    expect(commands.filter((command) => !command.includes(`Bearer ${key}`))).toEqual([])
    expectSuccess(await createClient(`${dashboard.url}/staging`, key).get('/v1/balance'))
    expect(await steps.getByRole('button', { name: 'Make a test key' }).count()).toBe(0)
    await steps.getByRole('button', { name: 'Send a test payment' }).click()
    const head = page.getByRole('heading', { level: 1 })
    await head.getByText(/^TEST-/).waitFor()
    await head.getByText('Succeeded').waitFor()
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('stay after a payment by a click, until a test key was used and a webhook was added', async () => {
    const { id } = await createBusiness(dashboard.ctx, 'Clicked first')
    const founder = await addPerson(dashboard, { role: 'developer', business: id })
    const { page, open } = await dashboard.visit({ as: founder })
    const home = `/b/${formatId('business', id)}/staging`
    await open(home)
    let sent = 0
    page.on('request', (request) => (request.url().endsWith('/transfers/initiate') ? (sent += 1) : 0))
    await page.getByRole('button', { name: 'Send a test payment' }).dblclick()
    await page.getByRole('heading', { level: 1 }).getByText('Succeeded').waitFor()
    expect(sent).toBe(1)
    await open(home)
    const steps = page.getByRole('region', { name: 'First steps' })
    await steps.getByRole('listitem').filter({ hasText: 'Send a payment' }).getByText('Done').waitFor()
    expect(await steps.getByRole('button', { name: 'Send a test payment' }).count()).toBe(0)
    await keepPictures(page, 'first-steps')
    await steps.getByRole('button', { name: 'Make a test key' }).click()
    const key = (await steps.locator('code').first().textContent()) ?? ''
    const apiStep = steps.getByRole('listitem').filter({ hasText: 'Call the API' })
    const client = createClient(`${dashboard.url}/staging`, key)
    expectSuccess(await client.get('/v1/balance'))
    await untilHolds(async () => {
      await open(home)
      await steps.waitFor()
      expect(await apiStep.getByText('Done', { exact: true }).count()).toBe(1)
    })
    await steps.getByRole('link', { name: 'Add a webhook' }).click()
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
    const body = { url: 'https://shop.example.com/webhooks', events: ['transfer.success'] }
    expectSuccess(await client.call('/v1/webhooks', { method: 'POST', body }))
    await untilHolds(async () => {
      await open(home)
      await page.getByRole('heading', { name: 'Last payments' }).waitFor()
      await untilLoaded(page)
      expect(await steps.count()).toBe(0)
    })
  })
})
