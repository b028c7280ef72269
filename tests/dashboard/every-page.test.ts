// What holds of every page, in light and dark: no violation of axe's rules of any impact, and a browser that complains of
// nothing, under the policy that the pages are served with.
//
// PICTURES=FOLDER keeps a picture of each, at two sizes, for people to look at.

import path from 'node:path'
import axe from 'axe-core'
import { describe, expect, it } from 'vitest'
import { formatId } from '#base/ids.ts'
import { useDashboard, type Visit } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { pagesInside, pagesOutside } from './every-page.ts'
import { fill } from './world.ts'

type Finding = { id: string; impact: string; nodes: { target: string[]; failureSummary: string }[] }

const phone = { width: 390, height: 844 }
const pictures = process.env['PICTURES']

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

  describe.each(['light', 'dark'] as const)('%s', async (theme) => {
    const stranger = await dashboard.visit({ theme })
    const visit = await dashboard.visit({ theme, as: owner })

    it.each(pagesOutside())('has no violation of axe and no complaint of the browser: %s', async (page) => {
      expect(await lookAt(stranger, page, theme)).toEqual([])
    })

    it.each(inside)('has no violation of axe and no complaint of the browser: %s', async (page) => {
      expect(await lookAt(visit, `${below}${page}`, theme)).toEqual([])
    })
  })
})

async function lookAt(visit: Visit, address: string, theme: string): Promise<string[]> {
  const { page, complaints, open } = visit
  await open(address)
  await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run: () => Promise<{ violations: Finding[] }> } }).axe.run(),
  )
  if (pictures !== undefined) await keepPictures(visit, path.join(pictures, `${nameOf(address)}-${theme}`))
  const said = complaints
    .splice(0)
    .flatMap((complaint) => (isMeant(complaint, address) ? [] : `${address}: ${complaint}`))
  return [...violations.flatMap((finding) => sayFinding(address, finding)), ...said]
}

/** A browser reports each answer of 404; these pages are about one. */
function isMeant(complaint: string, address: string): boolean {
  return complaint.includes('status of 404') && /NO-SUCH|#none/.test(address)
}

function sayFinding(address: string, { id, impact, nodes }: Finding): string[] {
  return nodes.map(
    ({ target, failureSummary }) => `${address}: ${id} (${impact}) at ${target.join(' ')}: ${failureSummary}`,
  )
}

async function keepPictures({ page }: Visit, file: string): Promise<void> {
  const usual = page.viewportSize() ?? phone
  await page.screenshot({ path: `${file}-wide.png` })
  await page.setViewportSize(phone)
  await page.screenshot({ path: `${file}-phone.png` })
  await page.setViewportSize(usual)
}

function nameOf(address: string): string {
  return address
    .replace(/^\/b\/[^/]+/, '')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-/, '')
}
