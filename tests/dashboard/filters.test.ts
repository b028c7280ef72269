// Lists on screen: filters that have no index, an exported file, and a payer's code.

import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { phones, rightCode } from '#tests/payments/momo-requests.ts'
import { transferBody, untilStatus } from '#tests/payments/requests.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { parseCsv } from '#tests/support/csv.ts'
import { faultsAmong } from './faults.ts'

describe.skipIf(chromiumFile === undefined)('a list', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ settings: { SANDBOX_SETTLE_MS: '50' } })
  const { staging } = dashboard
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true, steppedUp: true })
  const below = `/b/${formatId('business', dashboard.business.id)}/staging`

  it('is picked out by amount, bank, reason and metadata, in the address, and its file holds the same', async () => {
    const send = async (reference: string, fields: object): Promise<void> => {
      const body = transferBody({ reference, ...fields })
      expectSuccess(await staging.call('/v1/transfers/initiate', { method: 'POST', body }))
    }
    await send('SMALL', { amount: 50_000, bankSlug: 'zenith-bank' })
    await send('LARGE', { amount: 250_000_50, bankSlug: 'zenith-bank', metadata: { order: 'ORDER-7' } })
    await send('BAD', { amount: 250_000_50, accountNumber: '9990000006' })
    await untilStatus(staging, 'BAD', 'FAILED')
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    const isThere = (reference: string) => page.getByRole('link', { name: reference, exact: true })
    await open(`${below}/payments`)
    await page.getByRole('button', { name: 'More filters' }).click()
    await page.getByLabel('Amount from, in naira').fill('a lot')
    expect(await page.getByLabel('Amount from, in naira').getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel('Amount from, in naira').fill('1,000')
    await page.keyboard.press('Enter')
    await isThere('SMALL').waitFor({ state: 'detached' })
    await page.getByLabel('Bank', { exact: true }).selectOption({ label: 'Zenith Bank' })
    await isThere('BAD').waitFor({ state: 'detached' })
    await page.getByText('1 row of 3 that were searched').waitFor()
    await page.reload()
    await isThere('LARGE').waitFor()
    expect(await page.getByLabel('Amount from, in naira').inputValue()).toBe('1,000')

    await page.getByRole('button', { name: 'Export', exact: true }).click()
    await page.getByLabel('Format').selectOption('csv')
    await page.getByLabel('Zone', { exact: true }).selectOption('UTC')
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('dialog').getByRole('button', { name: 'Export' }).click(),
    ])
    const [head = [], ...rows] = parseCsv(await readFile(await file.path(), 'utf8'))
    expect(head).toContain('createdAt (UTC)')
    expect(rows.map((cells) => cells[head.indexOf('reference')] ?? cells[0])).toEqual(['LARGE'])

    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    await page.getByLabel('Why it failed', { exact: true }).selectOption('DORMANT_ACCOUNT')
    await isThere('BAD').waitFor()
    await page.getByLabel('Why it failed', { exact: true }).selectOption('')
    await page.getByLabel('Metadata', { exact: true }).fill('ORDER-7')
    await page.keyboard.press('Enter')
    await isThere('BAD').waitFor({ state: 'detached' })
    await isThere('LARGE').waitFor()
    await page.getByLabel('Metadata', { exact: true }).fill('nobody')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('of collections finds one that waits for its payer’s code, and the code is entered there', async () => {
    const body = { reference: 'CODE-1', amount: 90_000, phoneNumber: phones.otp }
    expectSuccess(await staging.call('/v1/momo/collection', { method: 'POST', body }))
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${below}/payments/CODE-1`)
    await page.getByRole('heading', { level: 1 }).getByText('Code needed').waitFor()
    await page.getByLabel('Code', { exact: true }).fill('0001')
    await page.getByRole('button', { name: 'Send code' }).click()
    await page.getByText(/is wrong/).waitFor()
    await page.getByLabel('Code', { exact: true }).fill(rightCode)
    await page.getByRole('button', { name: 'Send code' }).click()
    await page.getByRole('heading', { level: 1 }).getByText('Succeeded').waitFor()
    expect(await page.getByRole('button', { name: 'Send code' }).count()).toBe(0)
  })
})
