// Several currencies on screen: switched on in the settings, chosen on the statement, and each amount in its own.

import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { untilMomo } from '#tests/payments/momo-requests.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { faultsAmong } from './faults.ts'
import { askAxe, askWidths, keepPictures, untilLoaded } from './page-checks.ts'

describe.skipIf(chromiumFile === undefined)('several currencies on screen', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ settings: { SANDBOX_SETTLE_MS: '50' } })
  const { staging } = dashboard
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true, steppedUp: true })
  const below = `/b/${formatId('business', dashboard.business.id)}/staging`

  it('offers no switch to a business of naira alone', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${below}/balance`)
    await page.getByText('₦1,000,000,000', { exact: false }).first().waitFor()
    expect(await page.getByLabel('Currency').count()).toBe(0)
    for (const form of ['payouts/new', 'upload', 'simulator']) {
      await open(`${below}/${form}`)
      await untilLoaded(page)
      expect(await page.getByLabel('Currency').count(), form).toBe(0)
    }
  })

  it('switches one on, and shows its balance, statement and payments without decimals', async () => {
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    await open(`${below}/settings`)
    const section = page.getByRole('region', { name: 'Currencies' })
    await section.getByText('Switched on in staging: NGN.', { exact: false }).waitFor()
    await section.getByLabel('Switch on').selectOption('XOF')
    await section.getByRole('button', { name: 'Switch on' }).click()
    await section.getByText('Switched on in staging: NGN, XOF.', { exact: false }).waitFor()

    const request = { reference: 'CFA-1', amount: 1_500, phoneNumber: '+2250500000001' }
    expectSuccess(await staging.post('/v1/momo/transfer', request))
    await untilMomo(staging, 'transfer', 'CFA-1', 'SUCCESS')

    await open(`${below}/balance`)
    await page.getByLabel('Currency').selectOption('XOF')
    await page.getByRole('heading', { name: 'Available' }).waitFor()
    await page.getByText('XOF\u00a0999,998,485', { exact: true }).first().waitFor()
    await open(`${below}/payments/CFA-1`)
    await page.getByText('XOF\u00a01,500', { exact: true }).first().waitFor()
    expect(await page.getByText('₦').count()).toBe(0)
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('shows no sum of another currency or month while the answer is on its way', async () => {
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    await open(`${below}/balance`)
    const closing = page.locator('dl').filter({ hasText: 'Closing balance' })
    await closing.getByText('₦', { exact: false }).first().waitFor()
    const { promise: answer, resolve: deliver } = Promise.withResolvers<void>()
    await page.route(/\/(statement|figures)\?/, async (route) => {
      await answer
      await route.continue()
    })
    await page.getByLabel('Currency').selectOption('XOF')
    await page.getByText('XOF\u00a0999,998,485', { exact: true }).first().waitFor()
    expect(await closing.count()).toBe(0)
    await page.getByRole('button', { name: 'Month before' }).click()
    expect(await closing.count()).toBe(0)
    await open(`${below}?currency=XOF`)
    await page.getByRole('region', { name: 'Volume' }).waitFor()
    deliver()
    await page.getByText('Success rate of payouts').waitFor()
    const { promise: next, resolve: deliverNext } = Promise.withResolvers<void>()
    await page.unrouteAll({ behavior: 'wait' })
    await page.route(/\/figures\?/, async (route) => {
      await next
      await route.continue()
    })
    await page.getByLabel('Period').selectOption('30 days')
    expect(await page.getByText('Success rate of payouts').count()).toBe(0)
    deliverNext()
    await page.getByText('Success rate of payouts').waitFor()
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('filters amounts and operators by the currency that is filtered by', async () => {
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    await open(`${below}/payments?tab=momo-transfers&currency=XOF`)
    await page.getByLabel('Amount from, in XOF').fill('1,400')
    await page.getByLabel('Amount to, in XOF').fill('1,600')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'CFA-1', exact: true }).waitFor()
    await page.getByRole('button', { name: 'More filters' }).waitFor({ state: 'detached' })
    const operators = page.getByLabel('Operator', { exact: true })
    expect(await operators.locator('option').allTextContents()).not.toContain('MTN MoMo PSB')
    await operators.selectOption('orange-ci')
    await page.getByRole('link', { name: 'CFA-1', exact: true }).waitFor({ state: 'detached' })
    await page.getByLabel('Amount from, in XOF').fill('1,400.50')
    expect(await page.getByLabel('Amount from, in XOF').getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel('Currency').selectOption('')
    await page.getByLabel('Amount from, in naira').waitFor()
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('pays a wallet by form, with its operator, its holder, the fee and the balance said in its currency', async () => {
    expectSuccess(await owner.patch(`${below}/currencies`, { on: ['GHS'] }))
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    await open(`${below}/simulator`)
    const fund = page.getByRole('region', { name: 'Fund the balance' })
    await fund.getByLabel('Currency').selectOption('GHS')
    await fund.getByLabel('Amount to add').fill('50')
    await fund.getByRole('button', { name: 'Fund balance' }).click()
    await page.getByText('GHS\u00a01,000,000,050.00 is available now').waitFor()

    await open(`${below}/payouts/new`)
    await page.getByLabel('Currency').selectOption('GHS')
    await page.getByText('GHS\u00a01,000,000,050.00 is available.').waitFor()
    await page.getByRole('button', { name: 'Send payout' }).click()
    await page.getByText('Choose the operator from the list.').waitFor()
    await page.getByText('Enter the phone number of the recipient.').waitFor()
    await page.getByText('Enter an amount in GHS.').waitFor()
    await page.getByLabel('Operator').fill('MTN')
    await page.getByRole('option', { name: 'MTN Mobile Money Ghana · Ghana, GHS' }).click()
    await page.getByLabel('Phone number').fill('024 123 4567')
    await page.keyboard.press('Tab')
    await page.getByText('Belongs to').waitFor()
    await page.getByLabel('Amount').fill('12.50')
    await page.getByText('Total with the fee: GHS').waitFor()
    expect(await askAxe(page, [])).toEqual([])
    expect(await askWidths(page)).toEqual([])
    await keepPictures(page, 'payout-ghs')
    await page.getByRole('button', { name: 'Send GHS\u00a012.50' }).click()
    await page.getByText('All rows were processed.').waitFor()
    await page.getByText('+233241234567').first().waitFor()
    await page.getByText('twelve Ghana cedis', { exact: false }).first().waitFor()
    expect(await page.getByText('₦').count()).toBe(0)
    await keepPictures(page, 'draft-ghs')
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('takes the currency of a file from its column, and shows another one beside its row', async () => {
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    await open(`${below}/upload`)
    await page.getByLabel('Currency of the file').waitFor()
    expect(await askWidths(page)).toEqual([])
    await page.getByText('All rows of a file are in one currency', { exact: false }).waitFor()
    await page.getByLabel('Currency of the file').selectOption('GHS')
    await page.getByText('Amounts are in GHS.', { exact: false }).waitFor()
    await page.getByLabel('Currency of the file').selectOption('')
    await keepPictures(page, 'upload-currency')
    const lines = [
      ['Name', 'Operator', 'Phone', 'Amount', 'Currency'],
      ['Ama Mensah', 'MTN Mobile Money Ghana', '0241234568', '20', 'GHS'],
      ['Kofi Boateng', 'Telecel Cash (formerly Vodafone Cash)', '0201234567', '30', 'KES'],
    ]
    await page.getByLabel('Or paste cells').fill(lines.map((line) => line.join('\t')).join('\n'))
    await page.getByRole('button', { name: 'Read rows' }).click()
    await page.getByRole('button', { name: 'Check 2 rows' }).click()
    await page.getByText('These payouts are in GHS. Put payouts in KES into a file of their own.').waitFor()
    await page.getByText('GHS\u00a050.00 to 2 recipients', { exact: false }).waitFor()
    await keepPictures(page, 'draft-currency-fault')
    expect(await askAxe(page, [])).toEqual([])
    await page.getByRole('button', { name: 'Edit row 2' }).click()
    await page.getByRole('button', { name: 'Use GHS' }).click()
    await page.getByRole('button', { name: 'Save row' }).click()
    await page.getByText('1 row has an error', { exact: false }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Send GHS\u00a050.00' }).waitFor()
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('sets the low-balance alert and the approval amount of each', async () => {
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    await open(`${below}/settings`)
    const low = page.getByRole('region', { name: 'Low balance' })
    await low.getByText('No alert is set for a low balance in staging.').waitFor()
    await low.getByLabel('Currency').selectOption('XOF')
    await low.getByText('No alert is set for a low balance of XOF in staging.').waitFor()
    await low.getByLabel('Alert below').fill('1,500.50')
    await low.getByRole('button', { name: 'Save alert' }).click()
    await low.getByText('XOF has no decimals.').waitFor()
    await low.getByLabel('Alert below').fill('2,000,000,000')
    await low.getByRole('button', { name: 'Save alert' }).click()
    await low.getByText('is available in staging: below XOF\u00a02,000,000,000.', { exact: false }).waitFor()

    const approvals = page.getByRole('region', { name: 'Approvals' })
    await approvals.getByLabel('What needs approval').selectOption('above')
    await approvals.getByLabel('Above', { exact: true }).fill('1,000,000')
    await approvals.getByText('If it is empty, every payout in XOF needs approval.').waitFor()
    await approvals.getByLabel('Above, in XOF').fill('25,000')
    await approvals.getByRole('button', { name: 'Save policy' }).click()
    await page.getByText('Policy saved').waitFor()
    const set = expectSuccess(await owner.get(`${below}/payout-policy`)).policy
    expect(set).toMatchObject({ above: 100_000_000, aboveIn: { XOF: 25_000 } })

    await open(below)
    await page.getByText(/^The available balance, XOF [\d,]+, is below XOF 2,000,000,000\.$/).waitFor()
    await page.getByRole('link', { name: 'View' }).click()
    await page.getByRole('heading', { level: 1, name: 'Balance' }).waitFor()
    await page.getByText('The available balance is below your alert of XOF\u00a02,000,000,000.').waitFor()
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('schedules payouts in their currency: the approval that they need, and the amount of a late run', async () => {
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    const cells = { name: 'Ama Mensah', bank: 'mtn-gh', account: '+233241234567', amount: '20.00' }
    const request = { key: 'schedule-ghs', title: 'Allowance', currency: 'GHS', rows: [cells] }
    const { id } = expectSuccess(await owner.post(`${below}/payout-drafts`, request)) as { id: string }
    await open(`${below}/approvals/${id}?schedule=new`)
    // The policy names no amount in GHS, so every payout in GHS needs approval. In naira, 2,000 minor units would not.
    const dialog = page.getByRole('dialog', { name: 'Schedule this payout' })
    await dialog.getByLabel('Approval').selectOption('each')
    await dialog.getByRole('button', { name: 'Submit schedule' }).click()
    await page.getByText('Before each run').waitFor()
    // The worker makes the draft of the next run at once, because people are asked two days before. It would write the old
    // state after this.
    const runs = 'select 1 as run from payout_draft where run_at is not null'
    await untilHolds(async () => expect(await asOwner(dashboard.database, runs)).toEqual([{ run: 1 }]))
    const late = `state = 'late', due_at = null, next_at = now() - interval '2 days'`
    await asOwner(dashboard.database, `update payout_schedule set ${late}`)
    await page.reload()
    await page.getByRole('button', { name: 'Send late run' }).click()
    await page.getByText(/^The run of .*, \d\d:\d\d in Lagos pays GHS\s20\.00 now\.$/).waitFor()
    expect(faultsAmong(complaints)).toEqual([])
  })
})
