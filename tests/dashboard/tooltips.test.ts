// The tooltip of a disabled control explains why it is disabled: for one control at a time, however quickly the focus
// moves on.

import type { Locator } from 'playwright-core'
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
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true })
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

  it('opens under a resting pointer, and stays while the pointer is on its text', async () => {
    const { page, open, complaints } = await dashboard.visit({ as: support })
    await page.clock.install()
    await open(`${below}/payments`)
    await page.getByRole('main').locator('[aria-disabled=true]').first().hover({ force: true })
    const said = page.getByText(why)
    await said.hover()
    await page.clock.runFor(10_000)
    expect(await said.count()).toBe(1)
    await page.mouse.move(0, 0)
    await said.waitFor({ state: 'detached' })
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('appears for a press that comes before its code, and the control keeps the focus', async () => {
    const { page, open, complaints } = await dashboard.visit({ as: support })
    const { promise: arrival, resolve: deliver } = Promise.withResolvers<void>()
    await page.route(/\/tooltip-[^/]*\.js$/, async (route) => {
      await arrival
      await route.continue()
    })
    await open(`${below}/payments`)
    const control = page.getByRole('main').locator('[aria-disabled=true]').first()
    await control.focus()
    await control.press('Enter')
    deliver()
    await page.getByText(why).waitFor()
    await expectFocus(control)
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('comes to a button that is disabled by its own press, and the button keeps the focus', async () => {
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    await open(`${below}/balance`)
    const after = page.getByRole('button', { name: 'Month after' })
    await page.getByRole('button', { name: 'Month before' }).click()
    await page.locator('button[aria-label="Month after"]:not([aria-disabled])').waitFor()
    await after.press('Enter')
    await page.locator('button[aria-label="Month after"][aria-disabled]').waitFor()
    await expectFocus(after)
    await after.press('Enter')
    await page.getByText('This is the current month.').waitFor()
    expect(faultsAmong(complaints)).toEqual([])
  })
})

async function expectFocus(control: Locator): Promise<void> {
  expect(await control.and(control.page().locator(':focus')).count()).toBe(1)
}
