// What explains why something cannot be used: said of one control at a time, wherever pointer and focus are.

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { formatId } from '#base/ids.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { faultsAmong } from './faults.ts'

const why = 'Your role, support, may not '

describe.skipIf(chromiumFile === undefined)('a tooltip', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ roles: ['api'] })
  const support = await addPerson(dashboard, { role: 'support' })
  const below = `/b/${formatId('business', dashboard.business.id)}/staging`

  it('gives way to that of the control which Tab comes to next, and is never shown beside it', async () => {
    const { page, open, complaints } = await dashboard.visit({ as: support })
    await open(`${below}/payments`)
    const explained = page.getByRole('main').locator(`[aria-description^="${why}"]`)
    await explained.nth(1).waitFor()
    await page.keyboard.press('Tab')
    await watch(page)
    const said = page.getByText(why)
    for (const control of [...(await explained.all()), ...(await explained.all()).toReversed()]) {
      await control.focus()
      await said.first().waitFor()
    }
    expect(await mostAtOnce(page)).toBe(1)
    // The pointer rests on one, and the focus on another.
    await explained.first().hover()
    await explained.last().focus()
    await said.first().waitFor()
    expect(await mostAtOnce(page)).toBe(1)
    await page.keyboard.press('Escape')
    await said.waitFor({ state: 'detached' })
    expect(faultsAmong(complaints)).toEqual([])
  })
})

type Watched = {
  mostAtOnce: number
  document: {
    body: unknown
    querySelectorAll: (selector: string) => Iterable<{ textContent: string; childElementCount: number }>
  }
  MutationObserver: new (changed: () => void) => { observe: (target: unknown, what: object) => void }
}

async function watch(page: Page): Promise<void> {
  await page.evaluate((text) => {
    const inPage = globalThis as unknown as Watched
    inPage.mostAtOnce = 0
    const look = (): void => {
      const shown = [...inPage.document.querySelectorAll('body div')].filter(
        ({ textContent, childElementCount }) => textContent.startsWith(text) && childElementCount === 0,
      )
      inPage.mostAtOnce = Math.max(inPage.mostAtOnce, shown.length)
    }
    new inPage.MutationObserver(look).observe(inPage.document.body, { childList: true, subtree: true })
  }, why)
}

function mostAtOnce(page: Page): Promise<number> {
  return page.evaluate(() => (globalThis as unknown as Watched).mostAtOnce)
}
