// A collection by form: the page shows the payer's name, the fee and the net amount first, and takes the code
// afterwards.

import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { untilMomo } from '#tests/payments/momo-requests.ts'
import { faultsAmong } from './faults.ts'
import { askAxe, askWidths, keepPictures } from './page-checks.ts'

describe.skipIf(chromiumFile === undefined)('a collection by form', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ settings: { SANDBOX_SETTLE_MS: '50' } })
  const pages = `/b/${formatId('business', dashboard.business.id)}/staging`
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true, steppedUp: true })

  it('is asked for by keyboard, with the name, the fee and the sum said before, and its code entered on its page', async () => {
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    await open(`${pages}/payments?tab=collections`)
    await page.getByRole('link', { name: 'Collect', exact: true }).click()
    await page.getByLabel('Operator').focus()
    await page.keyboard.type('9PSB')
    await page.getByRole('option', { name: /9PSB/ }).first().waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.type('0809 123 4567')
    await page.keyboard.press('Tab')
    await page.getByText('Belongs to').waitFor()
    await page.keyboard.type('2,000.50')
    await page.getByText('Your balance gets: ₦').waitFor()
    expect(await askAxe(page, [])).toEqual([])
    expect(await askWidths(page)).toEqual([])
    await keepPictures(page, 'collect')
    await page.keyboard.press('Enter')
    const reference = page.getByRole('heading', { level: 1 }).getByText(/^collection-/)
    await reference.waitFor()
    await page.getByRole('region', { name: 'Code of the payer' }).getByText('+2348091234567').waitFor()
    const name = await reference.textContent()
    expect(expectSuccess(await dashboard.staging.get(`/v1/momo/collection/${name}`))).toMatchObject({
      amount: 200_050,
      operator: '9psb',
      status: 'OTP_REQUIRED',
    })
    await open(`${pages}/audit`)
    await page.getByText('Request payment from a wallet').first().waitFor()
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('is in the currency of the operator, of the currencies that are switched on', async () => {
    expectSuccess(await owner.patch(`${below(dashboard, 'staging')}/currencies`, { on: ['UGX'] }))
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${pages}/collect`)
    await page.getByLabel('Operator').fill('Ghana')
    await page.getByText('No operator of this name.', { exact: false }).waitFor()
    await page.getByLabel('Operator').fill('Uganda')
    await page.getByRole('option', { name: 'MTN Mobile Money Uganda · Uganda, UGX' }).click()
    await page.getByLabel('Phone number').fill('0772123456')
    await page.keyboard.press('Tab')
    await page.getByText('Belongs to').waitFor()
    await page.getByLabel('Amount').fill('1500.5')
    await page.getByRole('button', { name: 'Request payment' }).click()
    await page.getByText('UGX has no decimals.').waitFor()
    await page.getByLabel('Amount').fill('1,500')
    await page.getByText('Your balance gets: UGX\u00a01,485').waitFor()
    await page.getByRole('button', { name: 'Request UGX\u00a01,500' }).click()
    await page
      .getByRole('heading', { level: 1 })
      .getByText(/^collection-/)
      .waitFor()
    await page.getByText('+256772123456').first().waitFor()
    expect(await page.getByText('₦').count()).toBe(0)
  })

  it('leads to its deposit, which was paid into no account, and back', async () => {
    const { staging } = dashboard
    const body = { reference: 'COLLECTED-1', amount: 150_000, phoneNumber: '+2348030000000', operator: 'mtn-momo' }
    expectSuccess(await staging.post('/v1/momo/collection', body))
    await untilMomo(staging, 'collection', 'COLLECTED-1', 'SUCCESS')
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    await open(`${pages}/payments/COLLECTED-1`)
    await page.getByRole('link', { name: /^DEP/ }).click()
    await page.getByRole('region', { name: 'Paid by a collection' }).waitFor()
    await page.getByText('You can fulfill the order.', { exact: false }).waitFor()
    expect(await page.getByRole('link', { name: 'Virtual account', exact: true }).count()).toBe(0)
    await keepPictures(page, 'deposit-of-collection')
    await page.getByRole('link', { name: 'Collections from this payer' }).click()
    await page.getByRole('link', { name: 'COLLECTED-1' }).waitFor()
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('names every wrong field and sends nothing', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${pages}/collect`)
    await page.getByRole('button', { name: 'Request payment' }).click()
    await page.getByText('Choose the operator from the list.').waitFor()
    await page.getByText('Enter the phone number of the payer.').waitFor()
    await page.getByText('Enter an amount in naira.').waitFor()
    expect(page.url()).toContain('/collect')
  })

  it('is not offered to a person without the right to it', async () => {
    const support = await addPerson(dashboard, { role: 'support', hasFactor: true })
    const { page, open } = await dashboard.visit({ as: support })
    await open(`${pages}/payments?tab=collections`)
    await page.getByRole('button', { name: 'New payout' }).waitFor()
    expect(await page.getByRole('link', { name: 'Collect', exact: true }).count()).toBe(0)
    await open(`${pages}/collect`)
    await page.getByRole('heading').first().waitFor()
    expect(await page.getByLabel('Operator').count()).toBe(0)
  })
})
