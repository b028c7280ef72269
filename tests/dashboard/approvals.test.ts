// Two people and a payout, in a real browser: one proposes it, the other approves or rejects it, on a phone too.

import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { addPerson, below, type TestPerson } from '#tests/support/dashboard.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { faultsAmong } from './faults.ts'
import { askAxe, untilLoaded } from './page-checks.ts'

/** Set PICTURES to a folder to keep the pictures there. */
const pictures = process.env['PICTURES']
const phone = { width: 390, height: 844 }

describe.skipIf(chromiumFile === undefined)('a maker and a checker', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ settings: { SANDBOX_SETTLE_MS: '50' } })
  const { staging } = dashboard
  const api = below(dashboard, 'staging')
  const pages = `/b/${formatId('business', dashboard.business.id)}/staging`
  const strong = { hasFactor: true, steppedUp: true }
  const owner = await addPerson(dashboard, { role: 'owner', ...strong })
  const maker = await addPerson(dashboard, { role: 'finance', ...strong })
  const checker = await addPerson(dashboard, { role: 'finance', ...strong })
  if (pictures !== undefined) await mkdir(pictures, { recursive: true })

  type Page = Awaited<ReturnType<typeof dashboard.visit>>['page']

  async function look(page: Page, name: string): Promise<void> {
    await untilLoaded(page)
    expect(await askAxe(page, [])).toEqual([])
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true })
  }

  async function propose(person: TestPerson, rows: Record<string, string>[], submit = true): Promise<string> {
    const body = { key: randomUUID(), title: 'Salaries November', rows, submit }
    return expectSuccess(await person.post(`${api}/payout-drafts`, body)).id
  }

  it('set a policy, propose a payout in the form, and approve it on a phone', async () => {
    const settings = await dashboard.visit({ as: owner })
    await settings.open(`${pages}/settings`)
    const policy = settings.page.getByRole('region', { name: 'Approvals' })
    await policy.getByLabel('What needs approval').selectOption('above')
    await policy.getByLabel('Above').fill('1,000')
    await policy.getByRole('button', { name: 'Save policy' }).click()
    await settings.page.getByText('Policy saved').waitFor()
    await look(settings.page, 'settings')

    const form = await dashboard.visit({ as: maker })
    await form.open(`${pages}/payouts/new`)
    await form.page.getByLabel('Bank').fill('gtb')
    await form.page.getByRole('option', { name: 'Guaranty Trust Bank' }).click()
    await form.page.getByLabel('Account number').fill('0123456789')
    await form.page.getByText('Belongs to').waitFor()
    await form.page.getByLabel('Amount').fill('1,500,000')
    await form.page.getByLabel('Narration').fill('Office rent')
    await form.page.getByRole('button', { name: 'Submit ₦1,500,000.00 for approval' }).click()
    await form.page.getByText('Waits for the approval of 1 other person.').waitFor()
    await look(form.page, 'maker-waits')
    expect(await form.page.getByRole('button', { name: /^Approve/ }).count()).toBe(0)
    expect(faultsAmong(form.complaints)).toEqual([])

    const check = await dashboard.visit({ as: checker, size: phone })
    await check.open(`${pages}/approvals`)
    await look(check.page, 'list-phone')
    await check.page.getByRole('link', { name: /^Payout to/ }).click()
    await check.page.getByText('This account was never paid before.').waitFor()
    await check.page.getByText('One million five hundred thousand naira').first().waitFor()
    await check.page.getByText('Narration: Office rent').waitFor()
    await look(check.page, 'approve-phone')
    await check.page.getByRole('button', { name: 'Approve ₦1,500,000.00' }).click()
    const dialog = check.page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Approve ₦1,500,000.00' }).click()
    await check.page.getByText('All rows were processed.').waitFor()
    await check.page
      .getByRole('main')
      .getByRole('link', { name: /^payout-/ })
      .waitFor()
    await untilHolds(async () => {
      const { transfers } = expectSuccess(await staging.get('/v1/transfers'))
      expect(transfers).toMatchObject([{ amount: 150_000_000, status: 'SUCCESS' }])
    })
    expect(faultsAmong(check.complaints)).toEqual([])
  })

  it('see what differs, reject with a reason, mend the rows and submit again', async () => {
    const rows = [
      { amount: '250000', bank: 'GTBank', account: '0123456789', name: 'NGOZI EZE' },
      { amount: '250000', bank: 'zenith bank', account: '2000000001', name: '' },
      { amount: '4000000', bank: 'access bank', account: '2000000002', name: 'BOLA ADE', narration: 'November' },
    ]
    const id = await propose(maker, rows, false)
    const make = await dashboard.visit({ as: maker })
    await make.open(`${pages}/approvals/${id}`)
    await make.page.getByText('Asking the bank for the name').first().waitFor({ state: 'detached' })
    await look(make.page, 'editing')
    await make.page.getByRole('button', { name: 'Submit for approval' }).click()
    await make.page.getByRole('dialog').getByRole('button', { name: 'Submit for approval' }).click()
    await make.page.getByText('Waits for the approval of 1 other person.').waitFor()

    const check = await dashboard.visit({ as: checker })
    await check.open(`${pages}/approvals/${id}`)
    await check.page.getByText('Check before you go on').waitFor()
    await check.page.getByText('The last payout to this account named', { exact: false }).first().waitFor()
    await look(check.page, 'review')
    const dark = await dashboard.visit({ as: checker, theme: 'dark' })
    await dark.open(`${pages}/approvals/${id}`)
    await untilLoaded(dark.page)
    if (pictures !== undefined) await dark.page.screenshot({ path: `${pictures}/review-dark.png`, fullPage: true })
    // Rejects by keyboard alone.
    await check.page.keyboard.press('r')
    await check.page.getByLabel('Reason').fill('Ngozi has left')
    await check.page.getByRole('button', { name: 'Reject payout' }).click()
    await check.page.getByText('Ngozi has left', { exact: false }).first().waitFor()

    await make.page.reload()
    await make.page.getByRole('button', { name: 'Edit again' }).click()
    await make.page.getByRole('dialog').getByRole('button', { name: 'Edit again' }).click()
    await make.page.getByRole('button', { name: 'Edit row 1' }).click()
    await make.page.getByLabel('Account number').fill('123456')
    await make.page.getByRole('button', { name: 'Save row' }).click()
    await make.page.getByText('1 row has an error. Correct or remove it.').waitFor()
    await look(make.page, 'row-error')
    await make.page.getByRole('button', { name: 'Edit row 1' }).click()
    await make.page.getByRole('button', { name: 'Remove row 1' }).click()
    await make.page.getByText('1 row has an error.', { exact: false }).waitFor({ state: 'detached' })
    await make.page.getByRole('button', { name: 'Submit for approval' }).click()
    await make.page.getByRole('dialog').getByRole('button', { name: 'Submit for approval' }).click()
    await make.page.getByText('Waits for the approval of 1 other person.').waitFor()

    await check.page.reload()
    await check.page.getByRole('button', { name: 'Approve ₦4,250,000.00' }).waitFor()
    await check.page.keyboard.press('a')
    const dialog = check.page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Approve ₦4,250,000.00' }).click()
    await check.page.getByText('All rows were processed.').waitFor()
    await look(check.page, 'done')
    expect(faultsAmong([...make.complaints, ...check.complaints])).toEqual([])
  })

  it('approve what the dialog showed, not what the maker put in its place since', async () => {
    const row = { amount: '7000000', bank: 'zenith bank', account: '2000000003', name: 'SEUN BELLO' }
    const id = await propose(maker, [row])
    const check = await dashboard.visit({ as: checker })
    await check.open(`${pages}/approvals/${id}`)
    await check.page.getByRole('button', { name: 'Approve ₦7,000,000.00' }).click()
    // The page follows what happens. It must not read the draft while nobody may approve it.
    const { promise: submitted, resolve: letThrough } = Promise.withResolvers<void>()
    await check.page.route(/payout-drafts/, async (route) => {
      await submitted
      await route.continue()
    })
    expectSuccess(await maker.post(`${api}/payout-drafts/${id}/withdraw`))
    expectSuccess(await maker.patch(`${api}/payout-drafts/${id}/rows/1`, { account: '2000000004' }))
    expectSuccess(await maker.post(`${api}/payout-drafts/${id}/submit`))
    letThrough()
    // The page reads the draft again, as it does when the approver comes back from another tab.
    const account = check.page.getByText('200 000 0004').first()
    await untilHolds(async () => {
      await check.page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`)
      expect(await account.count()).toBe(1)
    })
    await check.page.getByRole('dialog').getByRole('button', { name: 'Approve ₦7,000,000.00' }).click()
    await check.page.getByRole('dialog').getByText('changed', { exact: false }).waitFor()
    await check.page.keyboard.press('Escape')
    await check.page.keyboard.press('a')
    await check.page.getByRole('dialog').getByRole('button', { name: 'Approve ₦7,000,000.00' }).click()
    await check.page.getByText('All rows were processed.').waitFor()
  })

  it('cannot close a dialog whose action is on its way, so they read how it ended', async () => {
    const id = await propose(maker, [
      { amount: '8000000', bank: 'access bank', account: '2000000005', name: 'IFE OBI' },
    ])
    const check = await dashboard.visit({ as: checker })
    const { promise: answer, resolve: refuse } = Promise.withResolvers<void>()
    await check.page.route(/\/(approve|reject)$/, async (route) => {
      await answer
      const error = { code: 'CONFLICT', message: 'Another person changed this a moment ago.' }
      await route.fulfill({ status: 409, json: { success: false, error } })
    })
    await check.open(`${pages}/approvals/${id}`)
    const dialog = check.page.getByRole('dialog')
    await check.page.getByRole('button', { name: 'Reject' }).click()
    await dialog.getByLabel('Reason').fill('Wrong account')
    await dialog.getByRole('button', { name: 'Reject payout' }).click()
    await dialog.locator('[aria-busy=true]').waitFor()
    await check.page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.getByRole('button', { name: 'Cancel' }).click({ force: true })
    expect(await dialog.count()).toBe(1)
    refuse()
    await dialog.getByText('Another person changed this a moment ago.').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    await check.page.unrouteAll({ behavior: 'wait' })

    // The action is done, but a part of the page cannot be read again.
    const { promise: end, resolve: letThrough } = Promise.withResolvers<void>()
    await check.page.route(/\/rows\?/, async (route) => {
      await end
      await route.continue()
    })
    await check.page.getByRole('button', { name: 'Approve ₦8,000,000.00' }).click()
    await dialog.getByRole('button', { name: 'Approve ₦8,000,000.00' }).click()
    await dialog.waitFor({ state: 'detached' })
    letThrough()
    await check.page.getByText('All rows were processed.').waitFor()
    await check.page.unrouteAll({ behavior: 'wait' })
  })
})
