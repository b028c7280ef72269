// A payout that repeats every month, in a real browser: from the form to the forecast of the home page.

import { mkdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { faultsAmong } from './faults.ts'
import { askAxe, untilLoaded } from './page-checks.ts'

/** Set PICTURES to a folder to keep the pictures there. */
const pictures = process.env['PICTURES']
const phone = { width: 390, height: 844 }

describe.skipIf(chromiumFile === undefined)('schedules', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ settings: { SANDBOX_SETTLE_MS: '50' } })
  const api = below(dashboard, 'staging')
  const pages = `/b/${formatId('business', dashboard.business.id)}/staging`
  const strong = { hasFactor: true, steppedUp: true }
  const maker = await addPerson(dashboard, { role: 'owner', ...strong })
  const checker = await addPerson(dashboard, { role: 'finance', ...strong })
  if (pictures !== undefined) await mkdir(pictures, { recursive: true })

  type Page = Awaited<ReturnType<typeof dashboard.visit>>['page']

  /** Takes pictures in light and dark. */
  async function look(page: Page, name: string): Promise<void> {
    await untilLoaded(page)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      if (pictures !== undefined)
        await page.screenshot({ path: `${pictures}/${name}-${colorScheme}.png`, fullPage: true })
    }
    await page.emulateMedia({ colorScheme: 'light' })
    expect(await askAxe(page, [])).toEqual([])
  }

  it('are made in the form, approved on a phone, shown on the home page and paused', async () => {
    expectSuccess(await maker.patch(`${api}/payout-policy`, { mode: 'every' }))
    const form = await dashboard.visit({ as: maker })
    await form.open(`${pages}/payouts/new`)
    await form.page.getByRole('button', { name: 'Pay later or regularly' }).click()
    await form.page.getByLabel('Bank').fill('gtb')
    await form.page.getByRole('option', { name: 'Guaranty Trust Bank' }).click()
    await form.page.getByLabel('Account number').fill('0123456789')
    await form.page.getByText('Belongs to').waitFor()
    await form.page.getByLabel('Amount').fill('250,000')
    await form.page.getByRole('button', { name: 'Choose the time' }).click()
    const dialog = form.page.getByRole('dialog')
    await dialog.getByLabel('Repeats').selectOption('weekly')
    await look(form.page, 'dialog')
    await dialog.getByRole('button', { name: 'Submit schedule' }).click()
    await form.page.getByText('Waits for the approval of 1 other person.').waitFor()
    expect(faultsAmong(form.complaints)).toEqual([])

    const check = await dashboard.visit({ as: checker, size: phone })
    await check.open(`${pages}/approvals`)
    await check.page.getByRole('link', { name: /^Payout to/ }).click()
    await check.page.getByText(/^Every /).waitFor()
    await look(check.page, 'approve-phone')
    await check.page.getByRole('button', { name: 'Approve ₦250,000.00' }).click()
    await check.page.getByRole('dialog').getByRole('button', { name: 'Approve ₦250,000.00' }).click()
    await check.page.getByText('Each run is a payout of its own').waitFor()
    await look(check.page, 'schedule-phone')
    await check.open(`${pages}/`)
    await check.page.getByText('Next 30 days').waitFor()
    await look(check.page, 'home-phone')

    await form.open(`${pages}/`)
    await form.page.getByRole('link', { name: 'All schedules' }).waitFor()
    await look(form.page, 'home')
    await form.page.getByRole('link', { name: 'All schedules' }).click()
    await form.page.getByRole('cell', { name: /^Every / }).waitFor()
    await look(form.page, 'list')
    await form.page.getByRole('link', { name: /^Payout to/ }).click()
    await form.page.getByRole('button', { name: 'Pause schedule' }).click()
    await form.page.getByRole('dialog').getByRole('button', { name: 'Pause schedule' }).click()
    await form.page.getByText('No run is paid until a person resumes the schedule.').waitFor()
    await look(form.page, 'schedule')
    await form.page.getByRole('button', { name: 'Skip next run' }).click()
    const skip = form.page.getByRole('dialog')
    await skip.getByText(/^The run of .+ in Lagos is not paid/).waitFor()
    await skip.getByRole('button', { name: 'Skip next run' }).click()
    await skip.waitFor({ state: 'detached' })
    expect(faultsAmong([...form.complaints, ...check.complaints])).toEqual([])
  })
})
