// Going live by the checklist. The step-up ends on the way, so the page asks for the second factor in place, and the
// action that the user had begun continues.

import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { createBusiness } from '#businesses/business.ts'
import { codeAt } from '#users/factor-codes.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { createClient, expectSuccess } from '#tests/support/client.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { faultsAmong } from './faults.ts'

describe.skipIf(chromiumFile === undefined)('going live', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ roles: ['api'] })
  // Made as the CLI makes it: without a key.
  const { id: business } = await createBusiness(dashboard.ctx, 'To be live')
  const totp = randomBytes(20)
  const owner = await addPerson(dashboard, { role: 'owner', business, hasFactor: true, steppedUp: true, totp })
  const below = `/b/${formatId('business', business)}/production`

  async function letStepUpRunOut(): Promise<void> {
    const past = `now() - interval '1 second'`
    await asOwner(dashboard.database, `update sign_in set stepped_up_until = ${past} where person_id = '${owner.id}'`)
  }

  /** A code counts once, so the second one is that of the next half minute, which the service already accepts. */
  const code = (later: number) => codeAt(totp, Math.floor(Date.now() / 30_000) + later)

  it('waives an open point with a reason, and makes the first live key, with a code whenever one is needed', async () => {
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    const confirm = page.getByRole('dialog', { name: 'Confirm that it is you' })

    async function giveCode(later: number): Promise<void> {
      await confirm.getByRole('textbox', { name: 'Code' }).fill(code(later))
      await confirm.getByRole('button', { name: 'Confirm' }).click()
      await confirm.waitFor({ state: 'detached' })
    }

    await open(`${below}/keys`)
    await page.getByRole('link', { name: 'Go live' }).last().click()
    const waive = page.getByRole('button', { name: /^Waive: / })
    await waive.first().waitFor()
    const points = await waive.count()
    expect(points).toBeGreaterThan(3)
    async function waiveFirst(): Promise<void> {
      await waive.first().click()
      await page.getByLabel('Reason').fill('Tried on another machine')
      await page.getByRole('button', { name: 'Waive point' }).click()
    }
    await waiveFirst()
    await page.getByLabel('Reason').waitFor({ state: 'detached' })
    await letStepUpRunOut()
    await waiveFirst()
    await confirm.waitFor()
    expect(await page.getByLabel('Reason').inputValue()).toBe('Tried on another machine')
    await giveCode(0)
    await page.getByLabel('Reason').waitFor({ state: 'detached' })
    for (let left = points - 2; left > 0; left--) {
      // The dialog closes after three seconds, also if the points have not been read again.
      await untilHolds(async () => expect(await waive.count()).toBe(left))
      await waiveFirst()
      await page.getByLabel('Reason').waitFor({ state: 'detached' })
    }
    await untilHolds(async () => expect(await page.getByText('Tried on another machine').count()).toBe(points))

    await letStepUpRunOut()
    await page.getByRole('link', { name: 'Make the first live key' }).click()
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Checkout')
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    await giveCode(1)
    const secret = (await page.getByRole('dialog').locator('code').first().textContent()) ?? ''
    expect(secret).toMatch(/^sk_live_/)
    expectSuccess(await createClient(`${dashboard.url}/production`, secret).get('/v1/balance'))
    await page.getByLabel('I have stored it').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await open(`${below}/go-live`)
    await page.getByText('This business has a live key.').waitFor()
    // The browser reports each answer of 403, and the service asks for the code with one.
    expect(faultsAmong(complaints).filter((complaint) => !complaint.includes('status of 403'))).toEqual([])
  })
})
