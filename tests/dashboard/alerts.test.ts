// The alerts of the home page, and the pages that they link to.

import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { asOwner } from '#tests/support/owner.ts'
import { neverEnding, transferBody } from '#tests/payments/requests.ts'
import { faultsAmong } from './faults.ts'

describe.skipIf(chromiumFile === undefined)('an alert', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ roles: ['api'] })
  const { staging, database } = dashboard
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true, steppedUp: true })
  const below = `/b/${formatId('business', dashboard.business.id)}/staging`

  it('of a low balance is set in the settings, shown on home and above the balance, and turned off', async () => {
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    await open(`${below}/settings`)
    const section = page.getByRole('region', { name: 'Low balance' })
    await section.getByText('No alert is set for a low balance in staging.').waitFor()
    await section.getByLabel('Alert below').fill('1,5')
    await section.getByRole('button', { name: 'Save alert' }).click()
    await section.locator('[aria-invalid="true"]').waitFor()
    await section.getByLabel('Alert below').fill('2,000,000,000')
    await section.getByRole('button', { name: 'Save alert' }).click()
    await section.getByText('₦1,000,000,000.00 is available in staging: below ₦2,000,000,000.00.').waitFor()
    await open(below)
    const alert = page.getByText('The available balance, ₦1,000,000,000.00, is below ₦2,000,000,000.00.')
    await alert.waitFor()
    await page.getByRole('link', { name: 'View' }).click()
    await page.getByRole('heading', { level: 1, name: 'Balance' }).waitFor()
    await page.getByText('The available balance is below your alert of ₦2,000,000,000.00.').waitFor()
    await open(`${below}/settings`)
    await section.getByLabel('Alert below').fill('')
    await section.getByRole('button', { name: 'Save alert' }).click()
    await section.getByText('No alert is set for a low balance in staging.').waitFor()
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('leads to what it is about', async () => {
    const late = transferBody({ reference: 'LATE', accountNumber: neverEnding })
    expectSuccess(await staging.post('/v1/transfers/initiate', late))
    await asOwner(database, `update payment set created_at = created_at - interval '1 hour' where reference = 'LATE'`)
    const hook = { url: 'https://shop.example.com/hook', events: ['transfer.success'] }
    expectSuccess(await staging.post('/v1/webhooks', hook))
    await asOwner(database, 'update webhook_subscription set failing_since = now()')
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    for (const [says, title, there] of [
      [/has not ended after ten minutes/, 'Payments', 'LATE'],
      [/is failing/, 'Webhooks', hook.url],
    ] as const) {
      await open(below)
      await page.getByText(says).locator('..').getByRole('link', { name: 'View' }).click()
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
      await page.getByRole('link', { name: there }).waitFor()
    }
    await page.getByRole('link', { name: hook.url }).click()
    await page.getByRole('heading', { level: 1, name: `${hook.url} Failing` }).waitFor()
    expect(faultsAmong(complaints)).toEqual([])
  })
})
