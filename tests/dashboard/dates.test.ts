// Dates as people in Lagos write them, in a browser whose language puts the month first: typed, chosen by keyboard, and refused
// at the field.

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { patienceMs } from '#tests/support/patience.ts'
import { faultsAmong } from './faults.ts'
import { askAxe, askWidths, keepPictures, untilLoaded } from './page-checks.ts'

/** A Monday in UTC. In Lagos, one hour ahead, it is Tuesday. */
const now = Date.parse('2026-11-23T23:30:00Z')
const todayInLagos = '24 Nov 2026'

describe.skipIf(chromiumFile === undefined)('a date', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ roles: ['api'] })
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true, steppedUp: true })
  const below = `/b/${formatId('business', dashboard.business.id)}/staging`

  async function openList(address: string): Promise<{ page: Page; complaints: string[] }> {
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    await page.clock.setFixedTime(now)
    await open(`${below}${address}`)
    await untilLoaded(page)
    return { page, complaints }
  }

  const search = (page: Page) => new URL(page.url()).searchParams
  const field = (page: Page, name: string) => page.getByLabel(name, { exact: true })
  const expectSearch = (page: Page, name: string, value: string | null) =>
    expect.poll(() => search(page).get(name), { timeout: patienceMs }).toBe(value)

  it('that was typed is understood, and shown with the name of its month', async () => {
    const { page, complaints } = await openList('/payments')
    await field(page, 'From').fill('03/04/2026')
    await page.keyboard.press('Enter')
    await expectSearch(page, 'from', '2026-04-03')
    expect(await field(page, 'From').inputValue()).toBe('3 Apr 2026')
    await field(page, 'To').fill('today')
    await page.keyboard.press('Tab')
    await expectSearch(page, 'to', '2026-11-24')
    expect(await field(page, 'To').inputValue()).toBe(todayInLagos)
    await field(page, 'From').fill('')
    await page.keyboard.press('Enter')
    await expectSearch(page, 'from', null)
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('that is wrong says so at its field, and asks for nothing', async () => {
    const { page, complaints } = await openList('/payments?from=31-02-2026')
    const from = field(page, 'From')
    expect(await from.getAttribute('aria-invalid')).toBe('true')
    await page.getByText('This is not a date. Enter a date such as 23 Nov 2026.').waitFor()
    await keepPictures(page, 'dates-wrong')
    expect(await askAxe(page, [])).toEqual([])
    expect(await askWidths(page)).toEqual([])
    await from.fill('25 Nov')
    await page.keyboard.press('Enter')
    await expectSearch(page, 'from', '2026-11-25')
    await field(page, 'To').fill('24 Nov')
    await page.keyboard.press('Enter')
    await page.getByText('This day is before the first day.').waitFor()
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('is chosen by keyboard alone', async () => {
    const { page, complaints } = await openList('/payments')
    await field(page, 'From').focus()
    await page.keyboard.press('ArrowDown')
    const grid = page.getByRole('grid', { name: 'November 2026' })
    const focused = (name: string) =>
      page.getByRole('button', { name, exact: true }).and(page.locator(':focus')).waitFor()
    await grid.waitFor()
    await focused(`Tuesday ${todayInLagos}`)
    await keepPictures(page, 'dates-calendar')
    expect(await askAxe(page, [])).toEqual([])
    const walk: [key: string, day: string][] = [
      ['ArrowLeft', 'Monday 23 Nov 2026'],
      ['ArrowUp', 'Monday 16 Nov 2026'],
      ['End', 'Sunday 22 Nov 2026'],
      ['ArrowRight', 'Monday 23 Nov 2026'],
      ['ArrowDown', 'Monday 30 Nov 2026'],
      ['ArrowDown', 'Monday 7 Dec 2026'],
      ['Home', 'Monday 7 Dec 2026'],
      ['PageUp', 'Saturday 7 Nov 2026'],
      ['PageDown', 'Monday 7 Dec 2026'],
      ['Shift+PageUp', 'Sunday 7 Dec 2025'],
    ]
    for (const [key, day] of walk) {
      await page.keyboard.press(key)
      await focused(day)
    }
    await page.keyboard.press('Enter')
    await expectSearch(page, 'from', '2025-12-07')
    const opener = page.getByRole('button', { name: 'Calendar: From' })
    await opener.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('gridcell', { selected: true }).waitFor()
    await focused('Sunday 7 Dec 2025')
    await page.keyboard.press('Escape')
    await page.getByRole('grid').waitFor({ state: 'detached' })
    await opener.and(page.locator(':focus')).waitFor()
    expect(search(page).get('from')).toBe('2025-12-07')
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('of a statement moves by the arrows without moving its month', async () => {
    const { page } = await openList('/balance')
    await page.getByRole('button', { name: 'Calendar: To' }).click()
    await page.getByRole('grid').waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.getByRole('button', { name: 'Next month' }).click()
    await page.getByRole('grid', { name: 'December 2026' }).waitFor()
    await page.getByRole('button', { name: 'Wednesday 23 Dec 2026' }).click()
    await expectSearch(page, 'to', '2026-12-23')
    expect(search(page).get('month')).toBeNull()
    await page.getByRole('button', { name: 'Calendar: To' }).click()
    await page.getByRole('grid').waitFor()
    await page.getByRole('button', { name: 'Calendar: To' }).click()
    await page.getByRole('grid').waitFor({ state: 'detached' })
    await field(page, 'Days').selectOption('Last month')
    await page.getByRole('heading', { name: 'No movements' }).waitFor()
    expect([search(page).get('from'), search(page).get('to')]).toEqual(['2026-10-01', '2026-10-31'])
  })

  it('of an export is judged before a file is made, and Escape closes its calendar alone', async () => {
    const { page, complaints } = await openList('/payments')
    await page.getByRole('button', { name: 'Export', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Export' })
    await dialog.getByLabel('Days', { exact: true }).selectOption('Last 7 days')
    expect(await dialog.getByLabel('From', { exact: true }).inputValue()).toBe('18 Nov 2026')
    await dialog.getByLabel('From', { exact: true }).fill('next week')
    await dialog.getByRole('button', { name: 'Export', exact: true }).click()
    await dialog.getByText('This is not a date. Enter a date such as 23 Nov 2026.').waitFor()
    await dialog.getByRole('button', { name: 'Calendar: From' }).click()
    await page.getByRole('grid').waitFor()
    expect(await askAxe(page, [])).toEqual([])
    await keepPictures(page, 'dates-export')
    await page.keyboard.press('Escape')
    await page.getByRole('grid').waitFor({ state: 'detached' })
    await dialog.getByLabel('From', { exact: true }).fill('25 Nov 2026')
    await dialog.getByRole('button', { name: 'Export', exact: true }).click()
    await dialog.getByText('This day is before the first day.').waitFor()
    await dialog.getByLabel('From', { exact: true }).fill('yesterday')
    const saved = page.waitForEvent('download')
    await page.keyboard.press('Enter')
    await saved
    expect(faultsAmong(complaints)).toEqual([])
  })
})
