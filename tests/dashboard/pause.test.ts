// The pause on the settings page: an owner sets and lifts it, and cannot lift a pause that the operator set.

import { describe, expect, it } from 'vitest'
import type { Context } from '#platform/context.ts'
import { formatId } from '#platform/ids.ts'
import { pausePayouts, resumePayouts } from '#payments/brakes.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { faultsAmong } from './faults.ts'

describe.skipIf(chromiumFile === undefined)('the brake', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ roles: ['api'] })
  const { ctx, business } = dashboard
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true, steppedUp: true })
  const below = `/b/${formatId('business', business.id)}/staging`

  it('is pulled and let go with a word of what it does, and home says that it is pulled', async () => {
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    await open(`${below}/settings`)
    const payouts = page.getByRole('region', { name: 'Payouts' })
    for (const [verb, says] of [
      ['Pause payouts', /^Payouts are paused in staging since \d+ \w+, [\d:]+\.$/],
      ['Resume payouts', /^Payouts go out in staging\./],
    ] as const) {
      await payouts.getByRole('button', { name: verb }).click()
      await page.getByRole('dialog').getByRole('button', { name: verb }).click()
      await payouts.getByText(says).waitFor()
    }
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('of production is set and lifted with a reason, which the page shows', async () => {
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    await open(`${below.replace('staging', 'production')}/settings`)
    const payouts = page.getByRole('region', { name: 'Payouts' })
    for (const [verb, says] of [
      ['Pause payouts', /^Payouts are paused in production since .* Reason: The bank is down\.$/],
      ['Resume payouts', /^Payouts go out in production\./],
    ] as const) {
      await payouts.getByRole('button', { name: verb }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: verb }).click()
      await dialog.getByText('Reason is required').waitFor()
      await dialog.getByLabel('Reason').fill('The bank is down.')
      await dialog.getByRole('button', { name: verb }).click()
      await payouts.getByText(says).waitFor()
    }
    // The browser reports the two answers that ask for a reason.
    expect(faultsAmong(complaints).filter((one) => !one.includes('400 (Bad Request)'))).toEqual([])
  })

  it.each([
    ['of all businesses', {}],
    ['of this business', { businessId: business.id }],
  ])('%s that the operator set is shown as the operator’s, and cannot be lifted here', async (_which, only) => {
    const whose = { environment: 'staging', ...only } as const
    const operator: Context = { ...ctx, by: { kind: 'terminal', name: 'ada@ops' } }
    await pausePayouts(operator, whose)
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${below}/settings`)
    await page.getByText(/^Payouts are paused in staging since .*, by the operator of this service\.$/).waitFor()
    const resume = page.getByRole('button', { name: 'Resume payouts' })
    expect(await resume.getAttribute('aria-disabled')).toBe('true')
    await resume.and(page.locator('[aria-description*="only the operator can resume them"]')).waitFor()
    await open(below)
    await page.getByText('Payouts are paused: new ones are refused, and none is sent.').waitFor()
    await resumePayouts(operator, [business.tenants.staging.lane], whose)
  })
})
