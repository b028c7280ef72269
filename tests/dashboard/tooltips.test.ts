// The tooltip of a disabled control explains why it is disabled: for one control at a time, however quickly the focus
// moves on.

import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { faultsAmong } from './faults.ts'

const why = 'Your role, support, may not '

describe.skipIf(chromiumFile === undefined)('a tooltip', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ roles: ['api'] })
  const support = await addPerson(dashboard, { role: 'support' })
  const below = `/b/${formatId('business', dashboard.business.id)}/staging`

  it('gives way to that of the control which the focus comes to next', async () => {
    const { page, open, complaints } = await dashboard.visit({ as: support })
    await open(`${below}/payments`)
    const explained = page.getByRole('main').locator(`[aria-description^="${why}"]`)
    await explained.nth(1).waitFor()
    await page.keyboard.press('Tab')
    await explained.evaluateAll((controls) => {
      for (const control of controls) (control as unknown as { focus: () => void }).focus()
    })
    const said = page.getByText(why)
    const last = (await explained.last().getAttribute('aria-description')) ?? ''
    await page.getByText(last, { exact: true }).waitFor()
    await untilHolds(async () => expect(await said.count()).toBe(1))
    await page.keyboard.press('Escape')
    await said.waitFor({ state: 'detached' })
    expect(faultsAmong(complaints)).toEqual([])
  })
})
