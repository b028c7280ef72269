// Lists that update themselves, and the way from one record to the next.

import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { gathered } from '#dashboard/shell/gathered.ts'
import { createShown, namesOf } from '#dashboard/shell/shown.ts'
import { neverEnding, transferBody } from '#tests/payments/requests.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { faultsAmong } from './faults.ts'

describe('the records that are on screen', () => {
  it('are those of all parts of a page, until each takes its own back', () => {
    const [shown, told] = [createShown(), [] as string[]]
    const takeBack = shown.add(['A', 'B'])
    const unwatch = shown.watch((references) => told.push(references.join()))
    shown.add(['C'])
    takeBack()
    unwatch()
    shown.add(['D'])
    expect(told).toEqual(['A,B', 'A,B,C', 'C'])
  })

  it('are named once each, and as many as the server takes and an address can hold', () => {
    expect(namesOf(['B', 'A', 'B'])).toBe('A,B')
    expect(namesOf(Array.from({ length: 150 }, (_, index) => `R-${index}`)).split(',')).toHaveLength(100)
    const long = namesOf(Array.from({ length: 100 }, (_, index) => `${index}:`.padEnd(100, ':')))
    expect(long.length).toBeGreaterThan(1_000)
    expect(encodeURIComponent(long).length).toBeLessThanOrEqual(6_000)
  })
})

describe('the refresh after hints', () => {
  it('is one for many hints, and does not begin again before it has ended', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const ends: (() => void)[] = []
    const { hint, stop } = gathered(1_000, () => new Promise((resolve) => ends.push(resolve)))
    for (let number = 0; number < 3; number++) hint()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(ends).toHaveLength(1)
    hint()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(ends).toHaveLength(1)
    ends[0]?.()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(ends).toHaveLength(2)
    ends[1]?.()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(ends).toHaveLength(2)
    hint()
    stop()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(ends).toHaveLength(2)
  })
})

describe.skipIf(chromiumFile === undefined)('a list that lives', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ settings: { SANDBOX_SETTLE_MS: '50' } })
  const { staging } = dashboard
  const viewer = await addPerson(dashboard, { role: 'viewer' })
  const payments = `/b/${formatId('business', dashboard.business.id)}/staging/payments`

  const accept = async (reference: string): Promise<void> => {
    const body = transferBody({ reference, accountNumber: neverEnding })
    expectSuccess(await staging.call('/v1/transfers/initiate', { method: 'POST', body }))
  }
  const fail = async (reference: string): Promise<void> => {
    const body = { status: 'FAILED' }
    expectSuccess(await staging.call(`/v1/sandbox/transfers/${reference}/complete`, { method: 'POST', body }))
  }

  it('shows changes of its rows, and new rows, in every tab and without a reload', async () => {
    await accept('LIVE-1')
    const first = await dashboard.visit({ as: viewer })
    await first.open(payments)
    const second = await first.context.newPage()
    await second.goto(`${dashboard.address}${payments}/LIVE-1`)
    await second.getByRole('heading', { level: 1 }).getByText('Queued').waitFor()
    await fail('LIVE-1')
    await second.getByRole('heading', { level: 1 }).getByText('Failed').waitFor()
    await first.page
      .getByRole('row', { name: /LIVE-1/ })
      .getByText('Failed')
      .waitFor()
    await accept('LIVE-2')
    await first.page.getByRole('row', { name: /LIVE-2/ }).waitFor()
    expect(await first.page.getByText('Updates every 10 s').count()).toBe(0)
    expect(faultsAmong(first.complaints)).toEqual([])
  })

  it('shows a change that comes while its first answer is on its way', async () => {
    const asked = { amount: 250_000 }
    const { accountNumber } = expectSuccess(await staging.post('/v1/virtual-accounts/dynamic', asked))
    const { page, open } = await dashboard.visit({ as: viewer })
    let others = 0
    page.on('request', (request) => (others += request.url().endsWith(`/virtual-accounts/${accountNumber}`) ? 1 : 0))
    const [read, letThrough] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await page.route(
      /\/v1\/deposits\?/,
      async (route) => {
        const response = await route.fetch()
        read.resolve()
        await letThrough.promise
        await route.fulfill({ response })
      },
      { times: 1 },
    )
    await open(payments.replace('payments', `accounts/${accountNumber}`))
    await read.promise
    expectSuccess(await staging.post('/v1/sandbox/deposits', { accountNumber, amount: 250_000 }))
    // The hint of the deposit makes the page read its other data again.
    await untilHolds(() => expect(others).toBeGreaterThan(1))
    letThrough.resolve()
    await page.getByRole('table', { name: 'Deposits into this account' }).getByText('₦2,500.00').waitFor()
  })

  it('keeps the row under the pointer where it is, and says how many wait', async () => {
    await accept('HELD-1')
    const { page, open } = await dashboard.visit({ as: viewer })
    await open(payments)
    const row = page.getByRole('row', { name: /HELD-1/ })
    await row.hover()
    const place = await row.boundingBox()
    await accept('HELD-2')
    await accept('HELD-3')
    await page.getByRole('button', { name: '2 new' }).waitFor()
    expect(await page.getByRole('row', { name: /HELD-3/ }).count()).toBe(0)
    expect(await row.boundingBox()).toEqual(place)
    await page.getByRole('button', { name: '2 new' }).click()
    await page.getByRole('row', { name: /HELD-3/ }).waitFor()
  })

  it('leads on by key: ] to the next of the list, [ back, and Esc to the list again', async () => {
    for (const reference of ['WAY:1', 'WAY:2', 'WAY:3']) await accept(reference)
    const { page, open } = await dashboard.visit({ as: viewer })
    await open(payments)
    const isOpen = (reference: string) => page.getByRole('heading', { level: 1 }).getByText(reference).waitFor()
    await page.getByRole('link', { name: 'WAY:3' }).click()
    await isOpen('WAY:3')
    await page.keyboard.press(']')
    await isOpen('WAY:2')
    await page.reload()
    await isOpen('WAY:2')
    await page.keyboard.press(']')
    await isOpen('WAY:1')
    await page.keyboard.press('[')
    await isOpen('WAY:2')
    await page.keyboard.press('Escape')
    await page.getByRole('table', { name: 'Bank transfers' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/dashboard${payments}`)
  })

  it('names the records of the tabs that are open, and no longer those of a tab that was left', async () => {
    await accept('LEFT-1')
    const { page, context, open } = await dashboard.visit({ as: viewer })
    const streams: string[] = []
    page.on('request', (request) => (request.url().includes('/live') ? streams.push(request.url()) : 0))
    await open(payments.replace('payments', 'deposits'))
    const second = await context.newPage()
    await second.goto(`${dashboard.address}${payments}/LEFT-1`)
    await untilHolds(() => expect(streams.at(-1)).toContain('LEFT-1'))
    await second.goto('about:blank')
    await untilHolds(() => expect(streams.at(-1)).not.toContain('LEFT-1'))
  })

  it('asks an operator for a name once, however many payments change meanwhile', async () => {
    const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true, steppedUp: true })
    const { page, open } = await dashboard.visit({ as: owner })
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    const timesOf = (ending: string): number => asked.filter((path) => path.endsWith(ending)).length
    await open(payments.replace('payments', 'collect'))
    await page.getByLabel('Operator').fill('MTN')
    await page.getByRole('option', { name: /^MTN/ }).first().click()
    await page.getByLabel('Phone number').fill('08030000000')
    await page.keyboard.press('Tab')
    await page.getByText('Belongs to').waitFor()
    await page.getByLabel('Amount').fill('1,500')
    await page.getByText('Your balance gets').waitFor()
    const nouns = ['/momo/resolve', '/momo/operators', '/collection-fee']
    const before = nouns.map(timesOf)
    const currencies = timesOf('/currencies')
    await accept('MEANWHILE-1')
    await untilHolds(() => expect(timesOf('/currencies')).toBeGreaterThan(currencies))
    expect(nouns.map(timesOf)).toEqual(before)
  })
})
