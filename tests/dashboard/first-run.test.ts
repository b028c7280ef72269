// The first journey: from the link that a start prints to a test payment that succeeds on screen.

import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { makeWelcomeLink } from '#users/links.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { faultsAmong } from './faults.ts'

const password = 'a river runs beside Lokoja'

describe.skipIf(chromiumFile === undefined)('the first person', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ settings: { SANDBOX_SETTLE_MS: '50' } })

  it('comes in by the link, and sees a test payment succeed', async () => {
    const token = await makeWelcomeLink(dashboard.ctx)
    const { page, open, complaints } = await dashboard.visit()
    await open('/sign-in')
    await page.getByText('No account exists yet.').waitFor()
    await page.getByText('npx manilla people welcome').waitFor()
    expect(await page.getByText('Forgot your password?').count()).toBe(0)
    await open(`/welcome#${token}`)
    await page.getByLabel('Your name').fill('Ada Obi')
    await page.getByLabel('E-mail address').fill('ada@example.ng')
    await page.getByLabel('Password').fill(password)
    await page.getByLabel('Name of the business').fill('Ada’s Bakery')
    await page.getByRole('button', { name: 'Create account' }).click()

    await page.getByText('Ada’s Bakery').first().waitFor()
    await page.getByRole('button', { name: 'Send a test payment' }).click()
    await page.getByText('Succeeded').first().waitFor()
    expect(await page.title()).toMatch(/^Staging · /)
    expect(faultsAmong(complaints)).toEqual([])
  })

  it.each(['', '/b/BUSINESS/staging/payments?status=FAILED'])(
    'signs in on the way to wherever they wanted to go: /dashboard%s',
    async (address) => {
      const wanted = address.replace('BUSINESS', formatId('business', dashboard.business.id))
      const { page, open, complaints } = await dashboard.visit()
      await open(wanted)
      await page.getByLabel('E-mail address').fill('ada@example.ng')
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('heading', { name: address === '' ? 'Home' : 'Payments', level: 1 }).waitFor()
      expect(page.url()).toContain(wanted)
      // A visitor who is not signed in gets 401, which the browser reports.
      expect(faultsAmong(complaints).filter((complaint) => !complaint.includes('status of 401'))).toEqual([])
    },
  )

  it('says that the link was used when another person follows it', async () => {
    expect(await makeWelcomeLink(dashboard.ctx)).toBeUndefined()
    const { page, open } = await dashboard.visit()
    await open('/welcome#used')
    await page.getByText('This link has expired or was already used.').waitFor()
    expect(await page.getByRole('button').count()).toBe(0)
  })
})
