// Payments on screen, in a real browser: the story of each ending, a payout by keyboard, a statement that adds up, and
// strangers' texts shown as plain text.

import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { faultsAmong } from './faults.ts'

const markup = '<script>document.title = "taken"</script><img src=x onerror="document.title = 1">'

describe.skipIf(chromiumFile === undefined)('money on screen', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ settings: { SANDBOX_SETTLE_MS: '50' } })
  const { staging } = dashboard
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true, steppedUp: true })
  const below = `/b/${formatId('business', dashboard.business.id)}`

  async function pay(reference: string, accountNumber: string, fields: object = {}): Promise<void> {
    const body = {
      reference,
      amount: 150_000,
      bankSlug: 'access-bank',
      accountNumber,
      accountName: 'Ada Obi',
      ...fields,
    }
    expectSuccess(await staging.call('/v1/transfers/initiate', { method: 'POST', body }))
  }

  async function ended(reference: string): Promise<void> {
    await untilHolds(async () => {
      expect(expectSuccess(await staging.get(`/v1/transfers/${reference}`)).isFinal).toBe(true)
    })
  }

  it.each([
    ['STORY-1', '0123456789', 'Succeeded', 'It succeeded.'],
    ['STORY-2', '9990000006', 'Failed', 'It failed: dormant account.'],
    ['STORY-3', '9990000009', 'Queued', 'The bank transfer was accepted.'],
  ])('tells the story of %s', async (reference, accountNumber, status, moment) => {
    await pay(reference, accountNumber)
    if (status !== 'Queued') await ended(reference)
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    await open(`${below}/staging/payments/${reference}`)
    await page.getByRole('heading', { level: 1 }).getByText(status).waitFor()
    await page.getByRole('region', { name: 'What happened' }).getByText(moment).waitFor()
    expect(await page.getByText('Not charged').count()).toBe(status === 'Failed' ? 1 : 0)
    const movements = page.getByRole('table', { name: 'Movements in the ledger' }).getByRole('row')
    expect(await movements.count()).toBeGreaterThan(1)
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('says in the head of one that waits how often its bank was asked, and when it is next', async () => {
    await pay('WAITS', '9990000009')
    const nextAt = new Date(Date.now() + 1_800_000).toISOString()
    const waits = `update payment set rail_word = 'unknown', asks = 3, due_at = $1 where reference = 'WAITS'`
    await asOwner(dashboard.database, waits, [nextAt])
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    await open(`${below}/staging/payments/WAITS`)
    const head = page.getByRole('main').locator('header')
    await head.getByText('The bank cannot say yet whether it succeeded. Asked 3 times, next at').waitFor()
    expect(await head.getByRole('time').getAttribute('datetime')).toBe(nextAt)
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('ends a payment by hand, and takes it back, without a reload', async () => {
    await pay('BY-HAND', '9990000009')
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    await open(`${below}/staging/payments/BY-HAND`)
    await page.getByRole('button', { name: 'Complete as …' }).click()
    await page.getByRole('menuitem', { name: 'Succeeded' }).click()
    await page.getByRole('heading', { level: 1 }).getByText('Succeeded').waitFor()
    await page.getByRole('button', { name: 'Complete as …' }).click()
    await page.getByRole('menuitem', { name: 'Returned by the bank' }).click()
    await page.getByRole('heading', { level: 1 }).getByText('Returned').waitFor()
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('shows what strangers wrote as text, wherever it stands', async () => {
    const metadata = { note: markup }
    await pay('MARKUP', '0123456789', { accountName: markup, narration: markup.slice(0, 90), metadata })
    await ended('MARKUP')
    const customer = { reference: 'CUST-M', firstName: '=HYPERLINK("x")', lastName: markup.slice(0, 60) }
    expectSuccess(await staging.call('/v1/customers', { method: 'POST', body: customer }))
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    for (const address of ['/payments', '/payments/MARKUP', '/customers', '/customers/CUST-M']) {
      await open(`${below}/staging${address}`)
      await page.getByText('<script>').first().waitFor()
      expect(await page.locator('main script, main img').count()).toBe(0)
      expect(await page.title()).toMatch(/^Staging · /)
    }
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('sends a payout by keyboard alone, with the name, the fee and the sum said before', async () => {
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    await open(`${below}/staging/payouts/new`)
    await page.getByLabel('Bank').focus()
    await page.keyboard.type('Zenith')
    await page.getByRole('option', { name: 'Zenith Bank' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.type('0123456789')
    await page.getByText('Belongs to').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.type('2,000.50')
    await page.getByText('Total with the fee: ₦2,010.50').waitFor()
    await page.keyboard.press('Enter')
    await page
      .getByRole('heading', { level: 1 })
      .getByText(/^payout-/)
      .waitFor()
    await page.getByText('₦2,000.50.').waitFor()
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('names every wrong field of a payout, and sends nothing', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${below}/staging/payouts/new?account=12345`)
    await page.getByLabel('Amount').fill('1.234')
    await page.getByRole('button', { name: 'Send payout' }).click()
    await page.getByText('Choose the bank from the list.').waitFor()
    expect(page.url()).toContain('/payouts/new')
  })

  it('keeps filters in the address, and says apart that nothing matches and that there is nothing yet', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${below}/staging/payments`)
    await page.getByRole('table', { name: 'Bank transfers' }).waitFor()
    await page.getByLabel('From', { exact: true }).fill('1 Jan 2020')
    await page.getByLabel('To', { exact: true }).fill('2 Jan 2020')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('table', { name: 'Bank transfers' }).waitFor()
    await page.getByRole('tab', { name: 'Collections' }).click()
    await page.getByRole('heading', { name: 'No collection yet' }).waitFor()
    expect(page.url()).toContain('tab=collections')
  })

  it('names where it looked for a missing payment, and that the other environment has it', async () => {
    await pay('ONLY-STAGING', '0123456789')
    await ended('ONLY-STAGING')
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${below}/production/payments/ONLY-STAGING`)
    await page.getByText(/was looked for in production/).waitFor()
    await page.getByRole('link', { name: 'It is in staging' }).click()
    await page.getByRole('heading', { level: 1 }).getByText('Succeeded').waitFor()
    expect(page.url()).toContain('/staging/payments/ONLY-STAGING')
  })

  it('keeps two environments in two tabs apart', async () => {
    const first = await dashboard.visit({ as: owner })
    const second = await first.context.newPage()
    await first.open(`${below}/staging/payments`)
    await second.goto(`${dashboard.address}${below}/production/payments`)
    await second.getByRole('heading', { name: 'No bank transfers yet' }).waitFor()
    await first.page.getByRole('table', { name: 'Bank transfers' }).waitFor()
    expect(await second.title()).not.toContain('Staging')
    expect(await second.getByText('STORY-1').count()).toBe(0)
  })

  it('leads from a collection that was paid to the deposit that it became', async () => {
    const body = { reference: 'COLLECTED', amount: 90_000, phoneNumber: '08000000001' }
    expectSuccess(await staging.call('/v1/momo/collection', { method: 'POST', body }))
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    await open(`${below}/staging/payments/COLLECTED`)
    await page.getByRole('heading', { level: 1 }).getByText('Succeeded').waitFor()
    await page.getByRole('link', { name: /^DEP/ }).click()
    await page.getByRole('heading', { level: 1 }).getByText(/^DEP/).waitFor()
    expect(page.url()).toContain('/staging/deposits/DEP')
    expect(faultsAmong(complaints)).toEqual([])
  })
})
