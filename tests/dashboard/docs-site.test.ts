// The documentation in a browser: what its script adds, and that every kind of page is accessible in light and dark.

import { describe, expect, it } from 'vitest'
import { useBrowser } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { useFrontDoor } from '#tests/support/front-door.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { askAxe, askWidths } from './page-checks.ts'

describe.skipIf(chromiumFile === undefined)('the documentation in a browser', async () => {
  if (chromiumFile === undefined) return
  const door = await useFrontDoor()
  const visit = await useBrowser(`${door.url}/docs`)

  it.each(['', '/receive-money', '/webhooks', '/errors', '/moving-over', '/reference/transfers'])(
    '%j is accessible, fits a phone and raises no complaint',
    async (address) => {
      const { page, open, complaints } = await visit()
      await open(address)
      expect(await askAxe(page, [])).toEqual([])
      expect(await askWidths(page)).toEqual([])
      expect(complaints).toEqual([])
    },
  )

  it('remembers the language and the theme on the next page', async () => {
    const { page, open } = await visit()
    await open('')
    await page.getByRole('tab', { name: 'PHP' }).first().click()
    await page.getByRole('button', { name: 'Dark' }).click()
    await open('/pay-out')
    expect(await page.getByRole('tab', { selected: true }).allTextContents()).toEqual(Array(4).fill('PHP'))
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
    await page.keyboard.press('Tab')
    await page.getByRole('tab', { name: 'PHP' }).first().focus()
    await page.keyboard.press('ArrowRight')
    expect(await page.getByRole('tab', { selected: true }).first().textContent()).toBe('Go')
  })

  it('finds a page by a word, with the keyboard alone', async () => {
    const { page, open } = await visit()
    await open('')
    await page.keyboard.press('/')
    await page.keyboard.type('insufficient')
    await page.getByRole('link', { name: 'INSUFFICIENT_BALANCE' }).waitFor()
    expect(await askAxe(page, [])).toEqual([])
    await page.keyboard.press('Enter')
    await untilHolds(() => expect(page.url()).toBe(`${door.url}/docs/errors#insufficient_balance`))
  })

  it('puts the staging key of the reader into the samples, keeps it for the tab, and takes no live key', async () => {
    const key = `sk_test_${'a'.repeat(40)}`
    const { page, open } = await visit()
    await open(`#key=${key}`)
    expect(page.url()).toBe(`${door.url}/docs`)
    expect(await page.locator('main').textContent()).toContain(`export MANILLA_API_KEY=${key}`)
    await open('/pay-out')
    expect(await page.locator('.tabs').first().textContent()).toContain(`apiKey: '${key}'`)
    await page.getByRole('button', { name: 'Key …aaaa' }).click()
    await page
      .getByLabel('Your staging key', { exact: true })
      .last()
      .fill(`sk_live_${'a'.repeat(40)}`)
    await page.getByRole('button', { name: 'Use in the samples' }).click()
    expect(await page.getByText('Never enter a live key here.').isVisible()).toBe(true)
    await page.getByRole('button', { name: 'Remove' }).click()
    expect(await page.locator('.tabs').first().textContent()).toContain('process.env.MANILLA_API_KEY')
  })

  it('copies a block of code', async () => {
    const { page, open } = await visit()
    await open('')
    await page.getByRole('button', { name: 'Copy' }).first().click()
    await untilHolds(async () => expect(await page.evaluate('navigator.clipboard.readText()')).toBe('npm start'))
  })
})
