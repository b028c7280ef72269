// How long people wait on a processor that is slowed down four times. Run it with TIMINGS=on on a quiet machine: on a
// busy one it would judge the machine, so a run of all tests leaves it out.

import { describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { formatId } from '#platform/ids.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { fill } from './world.ts'

const isWanted = process.env['TIMINGS'] === 'on' && chromiumFile !== undefined
const slower = 4
const rounds = 3
const readyMsMost = 1_500
const interactionMsMost = 200
const taskMsMost = 250

type Entry = { name: string; duration: number }
type Seen = { timings: { longtask: Entry[]; event: Entry[] } }

describe.skipIf(!isWanted)('on a processor four times as slow', async () => {
  if (!isWanted) return
  const dashboard = await useDashboard({ settings: { SANDBOX_SETTLE_MS: '50' } })
  const world = await fill(dashboard.staging)
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true, steppedUp: true })
  const below = `/b/${formatId('business', dashboard.business.id)}/staging`
  const { page, context, open } = await dashboard.visit({ as: owner })
  await page.addInitScript(watch)
  await open(below)
  const protocol = await context.newCDPSession(page)
  await protocol.send('Emulation.setCPUThrottlingRate', { rate: slower })

  it.each([
    ['home', '', () => page.getByRole('img', { name: /^Money in and out from/ })],
    ['payments', '/payments', () => page.getByRole('link', { name: world.succeeded })],
  ])('%s is ready in time, the best of three, with no long task', async (name, address, shown) => {
    const took: number[] = []
    const tasks: number[] = []
    for (let round = 0; round < rounds; round++) {
      const startMs = performance.now()
      await page.goto(`${dashboard.address}${below}${address}`)
      await shown().waitFor()
      took.push(Math.round(performance.now() - startMs))
      tasks.push(longest((await seen(page)).longtask))
    }
    say(`${name}: ready in ${took.join(', ')} ms; longest tasks ${tasks.join(', ')} ms`)
    expect(Math.min(...took)).toBeLessThanOrEqual(readyMsMost)
    expect(Math.min(...tasks)).toBeLessThanOrEqual(taskMsMost)
  })

  it.each([
    [
      'filtering a list',
      async () => {
        await page.getByLabel('Status').selectOption('FAILED')
        await page.getByRole('link', { name: world.succeeded }).waitFor({ state: 'detached' })
      },
    ],
    [
      'opening a payment',
      async () => {
        await page.getByRole('link', { name: world.failed }).click()
        await page.getByRole('heading', { level: 1 }).getByText('Failed').waitFor()
      },
    ],
    [
      'opening the palette',
      async () => {
        await page.keyboard.press('Control+k')
        await page.getByRole('combobox', { name: 'Search' }).waitFor()
      },
    ],
  ])('%s is answered in time, the best of three', async (name, act) => {
    const took: number[] = []
    for (let round = 0; round < rounds; round++) {
      await open(`${below}/payments`)
      await page.getByRole('link', { name: world.succeeded }).waitFor()
      const before = (await seen(page)).event.length
      await act()
      took.push(longest((await seen(page)).event.slice(before)))
    }
    say(`${name}: the next picture after ${took.join(', ')} ms`)
    expect(Math.min(...took)).toBeLessThanOrEqual(interactionMsMost)
  })
})

/**
 * Runs in each page before its own scripts, and collects the browser's reports of long tasks and slow responses to
 * input.
 */
function watch(): void {
  const timings: Seen['timings'] = { longtask: [], event: [] }
  Object.assign(globalThis, { timings })
  for (const type of ['longtask', 'event'] as const) {
    const { PerformanceObserver: Observer } = globalThis as unknown as {
      PerformanceObserver: new (told: (list: { getEntries: () => Entry[] }) => void) => {
        observe: (options: object) => void
      }
    }
    const told = new Observer((list) => {
      for (const { name, duration } of list.getEntries()) timings[type].push({ name, duration })
    })
    told.observe({ type, buffered: true, durationThreshold: 16 })
  }
}

function seen(page: Page): Promise<Seen['timings']> {
  return page.evaluate(() => (globalThis as unknown as Seen).timings)
}

function longest(entries: Entry[]): number {
  return Math.round(Math.max(0, ...entries.map(({ duration }) => duration)))
}

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`)
}
