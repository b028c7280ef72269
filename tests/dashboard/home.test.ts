// Home while money moves: its figures and alerts follow without a reload, and each figure opens the list that it counts.

import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { phones } from '#tests/payments/momo-requests.ts'
import { neverEnding, transferBody } from '#tests/payments/requests.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { asOwner } from '#tests/support/owner.ts'
import { faultsAmong } from './faults.ts'
import { askAxe, askWidths, keepPictures, untilLoaded } from './page-checks.ts'

describe.skipIf(chromiumFile === undefined)('Home', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ roles: ['api'] })
  const { staging, database } = dashboard
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true, steppedUp: true })
  const below = `/b/${formatId('business', dashboard.business.id)}/staging`

  const pay = async (reference: string, amount: number): Promise<void> => {
    expectSuccess(
      await staging.post(
        '/v1/transfers/initiate',
        transferBody({ reference, amount, accountNumber: neverEnding, accountName: `Payee ${reference}` }),
      ),
    )
  }
  const end = async (reference: string, status: string, path = 'transfers'): Promise<void> => {
    expectSuccess(await staging.post(`/v1/sandbox/${path}/${reference}/complete`, { status }))
  }

  it('moves with the money, and its alerts appear and leave', async () => {
    await pay('A', 100_000)
    await end('A', 'SUCCESS')
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    await open(below)
    const volume = page.getByRole('region', { name: 'Volume' })
    const figure = (name: string, amount: string) =>
      volume
        .getByRole('link', { name, exact: true })
        .locator('xpath=ancestor::div[2]')
        .getByText(amount, { exact: true })
    await figure('Out', '₦1,000.00').waitFor()
    await volume.getByText('1 of 1', { exact: false }).waitFor()
    await page.evaluate(`document.body.dataset.opened = 'once'`)
    await pay('B', 200_000)
    await end('B', 'SUCCESS')
    await figure('Out', '₦3,000.00').waitFor()
    await end('B', 'REVERSED')
    await figure('Out', '₦1,000.00').waitFor()
    await figure('Returned', '₦2,000.00').waitFor()
    await volume.getByRole('button', { name: 'Show as table' }).click()
    await volume.getByRole('cell', { name: '₦2,000.00' }).waitFor()
    const hook = { url: 'https://shop.example.com/hook', events: ['deposit.success'] }
    expectSuccess(await staging.post('/v1/webhooks', hook))
    await asOwner(database, 'update webhook_subscription set failing_since = now()')
    await pay('C', 300_000)
    await end('C', 'FAILED')
    await page.getByText(/hook is failing/).waitFor()
    await volume.getByRole('link', { name: '1 failed' }).waitFor()
    await asOwner(database, 'update webhook_subscription set failing_since = null')
    await pay('D', 400_000)
    await page.getByText(/hook is failing/).waitFor({ state: 'detached' })
    expect(await page.evaluate('document.body.dataset.opened')).toBe('once')
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('each figure opens the list of exactly what it counts, of banks and wallets', async () => {
    for (const [reference, status] of [
      ['M-1', 'SUCCESS'],
      ['M-2', 'FAILED'],
    ] as const) {
      const body = { reference, amount: 50_000, phoneNumber: phones.neverEnding }
      expectSuccess(await staging.post('/v1/momo/transfer', body))
      await end(reference, status, 'momo/transfer')
    }
    const collection = { reference: 'C-1', amount: 70_000, phoneNumber: phones.neverEnding }
    expectSuccess(await staging.post('/v1/momo/collection', collection))
    await end('C-1', 'SUCCESS', 'momo/collection')
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    const links = page.getByRole('region', { name: 'Volume' }).getByRole('link')
    const look = async (name: string): Promise<void> => {
      await untilLoaded(page)
      await keepPictures(page, name)
      expect(await askWidths(page)).toEqual([])
      expect(await askAxe(page, [])).toEqual([])
    }
    await open(`${below}?period=30d`)
    await links.first().waitFor()
    await look('home')
    for (const [name, says] of [
      ['In', '1 row, ₦700.00 in all'],
      ['Banks ₦1,000.00', '1 row, ₦1,000.00 in all'],
      ['Wallets ₦500.00', '1 row, ₦500.00 in all'],
      ['1 to banks', '1 row, ₦3,000.00 in all'],
      ['1 to wallets', '1 row, ₦500.00 in all'],
      ['Collections paid', '1 row, ₦700.00 in all'],
      ['Returned', '1 row, ₦2,000.00 in all'],
    ] as const) {
      await open(`${below}?period=30d`)
      await links.and(page.getByRole('link', { name, exact: true })).click()
      await page.getByText(says, { exact: true }).waitFor()
      expect(await page.locator('a[data-row]').count(), name).toBe(1)
    }
    await look('list')
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('the statement of the same days says what Home counts', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${below}/balance`)
    const says = page.getByText('Home counts these days without fees, and payouts on the day they ended:')
    await says.waitFor()
    expect(await says.textContent()).toMatch(/In ₦700\.00, Out ₦1,500\.00, Returned ₦2,000\.00\.$/)
    await keepPictures(page, 'statement')
  })
})
