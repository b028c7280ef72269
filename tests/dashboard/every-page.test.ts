// What holds of every page, in light and dark: no violation of axe's rules of any impact, and a browser that complains of
// nothing, under the policy that the pages are served with.
//
// PICTURES=FOLDER keeps a picture of each, at two sizes, for people to look at.

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatId } from '#base/ids.ts'
import { chromiumFile, useDashboard, type Visit } from '#tests/support/browser.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { pagesInside, pagesOutside } from './every-page.ts'
import { fill } from './world.ts'

type Finding = { id: string; impact: string; nodes: { target: string[]; failureSummary: string }[] }

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
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
    ...pagesInside(world).map((page) => `${below}/staging${page}`),
    ...['', '/payments', '/keys', '/go-live'].map((page) => `${below}/production${page}`),
  ]

  it.each(['light', 'dark'] as const)('has no violation of axe and no complaint of the browser, %s', async (theme) => {
    const findings: string[] = []
    const stranger = await dashboard.visit({ theme })
    for (const page of pagesOutside()) findings.push(...(await lookAt(stranger, page, theme)))
    const visit = await dashboard.visit({ theme, as: owner })
    for (const page of inside) findings.push(...(await lookAt(visit, page, theme)))
    expect(findings).toEqual([])
  })
})

async function lookAt(visit: Visit, address: string, theme: string): Promise<string[]> {
  const { page, complaints, open } = visit
  await open(address)
  await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
  await page.evaluate(axe)
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run: () => Promise<{ violations: Finding[] }> } }).axe.run(),
  )
  if (pictures !== undefined) await keepPictures(visit, path.join(pictures, `${nameOf(address)}-${theme}`))
  const said = complaints.splice(0).map((complaint) => `${address}: ${complaint}`)
  return [...violations.flatMap((finding) => sayFinding(address, finding)), ...said]
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
