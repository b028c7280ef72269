// The cost of a page for a browser and for the service: how many requests it makes, that it repeats none and asks no
// other server, and how much it draws. Counts are the same on every machine, so they have limits; times do not
// (timings.test.ts).

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { neverEnding, transferBody } from '#tests/payments/requests.ts'
import { untilLoaded } from './page-checks.ts'

const rows = 100

describe.skipIf(chromiumFile === undefined)('a page', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ roles: ['api'] })
  const transfers = Array.from({ length: rows }, (_, at) =>
    transferBody({ reference: `COUNTED-${at}`, accountNumber: neverEnding }),
  )
  expectSuccess(await dashboard.staging.call('/v1/transfers/bulk', { method: 'POST', body: { transfers } }))
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true, steppedUp: true })
  const below = `/b/${formatId('business', dashboard.business.id)}/staging`

  it.each([
    { name: 'of the business', address: '', asks: 10, files: 60, draws: 1_500 },
    { name: 'of payments', address: '/payments', asks: 6, files: 72, draws: 1_500 },
    { name: 'of as many payments as one holds', address: `/payments?limit=${rows}`, asks: 6, files: 72, draws: 4_000 },
    { name: 'of a payment', address: '/payments/COUNTED-7', asks: 5, files: 66, draws: 1_500 },
    { name: 'of keys', address: '/keys', asks: 5, files: 60, draws: 1_500 },
  ])('$name asks and draws no more than it must', async ({ address, asks, files, draws }) => {
    const { page, open } = await dashboard.visit({ as: owner })
    const asked: string[] = []
    page.on('request', (request) => asked.push(`${request.method()} ${request.url()}`))
    await open(`${below}${address}`)
    await untilLoaded(page)
    // The page opens the stream last, so it has made all other requests by then.
    await untilHolds(() => expect(asked.some((request) => /\/live(\?|$)/.test(request))).toBe(true))
    const api = asked.filter((request) => request.includes('/dashboard/api/'))
    expect(api.filter((request, at) => api.indexOf(request) !== at)).toEqual([])
    expect(asked.filter((request) => !request.includes(dashboard.address))).toEqual([])
    expect(api.length, api.join('\n')).toBeLessThanOrEqual(asks)
    expect(asked.length - api.length, asked.join('\n')).toBeLessThanOrEqual(files)
    expect(await elementsOf(page)).toBeLessThanOrEqual(draws)
  })

  it('that is opened again fetches none of its scripts and styles again', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${below}/payments`)
    await untilLoaded(page)
    const first = await page.evaluate(transferred)
    expect(first.length).toBeGreaterThan(0)
    await page.goto(`${dashboard.address}${below}/payments?status=queued`)
    await untilLoaded(page)
    // Files that the first page had not loaded when it was left may come now.
    expect((await page.evaluate(transferred)).filter((name) => first.includes(name))).toEqual([])
  })
})

function elementsOf(page: Page): Promise<number> {
  return page.locator('*').count()
}

/** Runs in the page. Returns the scripts, styles and fonts that came over the network, without those from the cache. */
function transferred(): string[] {
  const { performance: told } = globalThis as unknown as {
    performance: { getEntriesByType: (type: string) => { name: string; transferSize: number }[] }
  }
  const files = told.getEntriesByType('resource').filter(({ name }) => name.includes('/assets/'))
  return files.filter(({ transferSize }) => transferSize > 0).map(({ name }) => name)
}
