// A day of Lagos ends at 23:00 UTC. Filters, chart and export put a payment around that moment on the same day.

import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { parseCsv } from '#tests/support/csv.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { untilHolds } from '#tests/support/patience.ts'

/** Half a minute before and after the midnights that begin and end 21 November, and a week before noon of the 22nd. */
const moments = [
  ['EARLY', '2026-11-15T05:00:00Z', 1_600_000],
  ['BEFORE', '2026-11-20T22:59:30Z', 100_000],
  ['FIRST', '2026-11-20T23:00:30Z', 200_000],
  ['LAST', '2026-11-21T22:59:30Z', 400_000],
  ['AFTER', '2026-11-21T23:00:30Z', 800_000],
] as const
const day = '2026-11-21'
const ofDay = ['FIRST', 'LAST']

describe.skipIf(chromiumFile === undefined)('a day of Lagos', async () => {
  if (chromiumFile === undefined) return
  const clock = createFakeClock(Date.parse('2026-11-15T00:00:00Z'))
  const dashboard = await useDashboard({ clock, roles: ['api'] })
  const { staging } = dashboard
  for (const [reference, at, amount] of moments) {
    clock.advance(Date.parse(at) - clock.now())
    const bank = { bankSlug: 'access-bank', accountNumber: '9990000009', accountName: 'Ada Obi' }
    const body = { reference, amount, ...bank }
    expectSuccess(await staging.call('/v1/transfers/initiate', { method: 'POST', body }))
    const ended = { status: 'SUCCESS' }
    expectSuccess(await staging.call(`/v1/sandbox/transfers/${reference}/complete`, { method: 'POST', body: ended }))
  }
  clock.advance(Date.parse('2026-11-22T12:00:00Z') - clock.now())
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true, steppedUp: true })
  const below = `/b/${formatId('business', dashboard.business.id)}/staging`
  const { page, open } = await dashboard.visit({ as: owner })
  await page.clock.setFixedTime(clock.now())
  const rows = page.getByRole('table', { name: 'Bank transfers' }).locator('tbody tr')
  const listed = () => rows.getByRole('link').allTextContents()

  it('has the same payments in the list that is filtered by it, and in the file', async () => {
    await open(`${below}/payments`)
    await page.getByRole('link', { name: 'BEFORE' }).waitFor()
    await page.getByLabel('From', { exact: true }).fill('21/11/2026')
    await page.getByLabel('To', { exact: true }).fill('21 Nov')
    await page.keyboard.press('Enter')
    await untilHolds(async () => expect((await listed()).toSorted()).toEqual(ofDay))

    await page.getByRole('button', { name: 'Export' }).click()
    const saved = page.waitForEvent('download')
    await page.getByLabel('Format').selectOption('csv')
    await page.getByRole('dialog').getByRole('button', { name: 'Export' }).click()
    const [head = [], ...lines] = parseCsv(await readFile(await (await saved).path(), 'utf8'))
    const cell = (line: string[], column: string) => line[head.indexOf(column)]
    expect(lines.map((line) => cell(line, 'reference')).toSorted()).toEqual(ofDay)
    for (const line of lines) expect(cell(line, 'createdAt (Africa/Lagos)')).toMatch(new RegExp(`^${day}`))
  })

  it('has their sum in the chart of days', async () => {
    await open(`${below}?period=30d`)
    await page.getByRole('button', { name: 'Show as table' }).click()
    const row = page
      .getByRole('table', { name: 'Money in and out' })
      .getByRole('row')
      .filter({ hasText: '21 Nov 2026' })
    expect(await row.getByRole('cell').allTextContents()).toEqual([
      '21 Nov 2026',
      '₦0.00',
      '₦6,000.00',
      '₦0.00',
      '2',
      '0',
    ])
  })

  it.each([
    ['1d', '₦8,000.00', 1],
    ['7d', '₦15,000.00', 4],
    ['30d', '₦31,000.00', 5],
    ['90d', '₦31,000.00', 5],
  ])('figures of %s lead to the list of exactly what they count', async (period, out, count) => {
    await open(`${below}?period=${period}`)
    await page.getByRole('region', { name: 'Volume' }).getByText(out).waitFor()
    await page.getByRole('region', { name: 'Volume' }).getByRole('link', { name: 'Out', exact: true }).click()
    await untilHolds(async () => expect((await listed()).length).toBe(count))
  })
})
