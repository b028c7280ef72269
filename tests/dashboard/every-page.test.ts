// What holds of every page: no violation of axe's rules of any impact, in light and dark; nothing that is lost on a narrow
// screen; all that can be clicked reached by keyboard; and a browser that complains of nothing, under the policy that the
// pages are served with.
//
// PICTURES=FOLDER keeps a picture of each, in both themes and at two sizes, for people to look at.

import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { useDashboard, type Visit } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { faultsAmong } from './faults.ts'
import { pagesInside, pagesOutside } from './every-page.ts'
import { askAxe, askKeyboard, askWidths, keepPictures, untilLoaded } from './page-checks.ts'
import { fill } from './world.ts'

const wrongPage = `<!doctype html><html lang="en"><title>Wrong</title>
  <style>:focus-visible { outline: 2px solid } .wide { width: 500px } .hand { cursor: pointer } .none { outline: none }
    .faint { color: #999; background: #aaa }</style>
  <main><h1>Wrong</h1><button>well</button><p class="wide">wide</p><p class="faint">faint</p><div class="hand">by hand</div>
  <button tabindex="-1">left out</button><button class="none">unseen</button></main>`

describe.skipIf(chromiumFile === undefined)('every page', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ settings: { SANDBOX_SETTLE_MS: '50' } })
  const { business, staging } = dashboard
  const world = await fill(staging)
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true, steppedUp: true, isOperator: true })
  const below = `/b/${formatId('business', business.id)}`
  const inside = [
    ...pagesInside(world).map((page) => `/staging${page}`),
    ...['', '/payments', '/keys', '/go-live'].map((page) => `/production${page}`),
  ]
  const stranger = await dashboard.visit()
  const visit = await dashboard.visit({ as: owner })
  // The browser may report a 404 after the next page was opened, so pages without a record have visits of their own.
  const [lostStranger, lost] = [await dashboard.visit(), await dashboard.visit({ as: owner })]

  it('fails the checks when it has a fault', async () => {
    const { page } = await dashboard.visit()
    await page.setContent(wrongPage)
    const faults = [...(await askAxe(page, [])), ...(await askWidths(page)), ...(await askKeyboard(page))].join('\n')
    expect(faults).toContain('light: color-contrast')
    expect(faults).toContain('dark: color-contrast')
    expect(faults).toContain('at 320 px: p “wide”')
    expect(faults).not.toContain('at 640 px')
    expect(faults).toContain('div “by hand” can be clicked and not reached')
    expect(faults).toContain('button “left out” is left out by Tab')
    expect(faults).toContain('button “unseen” does not show its focus')
    expect(faults).not.toContain('“well”')
  })

  it.each(pagesOutside())('is for everybody, by hand and by keyboard: %s', async (page) => {
    expect(await lookAt(isLost(page) ? lostStranger : stranger, page)).toEqual([])
  })

  it.each(inside)('is for everybody, by hand and by keyboard: %s', async (page) => {
    expect(await lookAt(isLost(page) ? lost : visit, `${below}${page}`)).toEqual([])
  })
})

async function lookAt(visit: Visit, address: string): Promise<string[]> {
  const { page, complaints, open } = visit
  await open(address)
  await untilLoaded(page)
  // The navigation is the same on every page, so axe checks it on the home page alone.
  const leaveOut = /(staging|production)$/.test(address) ? [] : ['nav']
  const faults = [...(await askAxe(page, leaveOut)), ...(await askWidths(page)), ...(await askKeyboard(page))]
  await keepPictures(page, address.replace(/^\/b\/[^/]+/, ''))
  return [...faults, ...faultsAmong(complaints.splice(0)).filter((complaint) => !isMeant(complaint, address))]
}

/** These pages are about a missing record. */
const isLost = (address: string): boolean => /NO-SUCH|#none/.test(address)

/** A browser reports each answer of 404. */
function isMeant(complaint: string, address: string): boolean {
  return complaint.includes('status of 404') && isLost(address)
}
