// What every-page.test.ts holds of a page as it is opened, held of what it can become: a dialog over it, a business that has
// nothing yet, a role that may not, an answer that is a failure.
//
// PICTURES=FOLDER keeps a picture of each, as there.

import { describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { formatId } from '#platform/ids.ts'
import { useDashboard, type Visit } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { faultsAmong } from './faults.ts'
import { askAxe, askWidths, keepPictures, untilLoaded } from './page-checks.ts'
import { fill } from './world.ts'

/** Each dialog by the clicks that open it, one after the other. */
const dialogs: [address: string, ...clicks: (string | RegExp)[]][] = [
  ['/payments', 'Export'],
  ['/payments', 'Columns'],
  ['/payments', 'Views', 'Save this view'],
  ['/payments?status=FAILED', /^Search/],
  ['/keys', 'Create key'],
  ['/keys', /^Actions of/, 'Roll key'],
  ['/keys', /^Actions of/, 'Revoke key'],
  ['/webhooks', 'Add subscription'],
  ['/deliveries', 'Retry all that failed'],
  ['/customers', 'Create customer'],
  ['/accounts', 'Open account'],
  ['/team', 'Invite person'],
  ['/team', /^Manage Person/],
  ['/audit', /^API key created/],
  ['/settings', 'Pause payouts'],
  ['/profile', 'Remove second factor'],
]

const emptyPages = [
  '',
  '/payments',
  '/payments?tab=momo-transfers',
  '/payments?tab=collections',
  '/deposits',
  '/customers',
  '/accounts',
  '/balance',
  '/webhooks',
  '/deliveries',
  '/keys',
  '/simulator',
  '/audit',
]

describe.skipIf(chromiumFile === undefined)('every state', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ settings: { SANDBOX_SETTLE_MS: '50' } })
  await fill(dashboard.staging)
  const strong = { role: 'owner', hasFactor: true, steppedUp: true } as const
  const owner = await dashboard.visit({ as: await addPerson(dashboard, strong) })
  const { business: other } = await dashboard.addBusiness('Another')
  const newcomer = await dashboard.visit({ as: await addPerson(dashboard, { ...strong, business: other.id }) })
  const support = await dashboard.visit({ as: await addPerson(dashboard, { role: 'support' }) })
  const below = `/b/${formatId('business', dashboard.business.id)}/staging`

  it.each(dialogs)('is for everybody: a dialog of %s, opened by %s', async (address, ...clicks) => {
    await owner.open(`${below}${address}`)
    for (const name of clicks) await clickable(owner.page, name).click()
    await owner.page.getByRole('dialog').waitFor()
    expect(await lookAt(owner, `dialog ${address} ${clicks.join(' ')}`)).toEqual([])
  })

  it('is the same for all: the navigation on a phone, and the list of keys', async () => {
    await owner.open(`${below}/payments`)
    await owner.page.keyboard.press('?')
    await owner.page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    expect(await lookAt(owner, 'keys')).toEqual([])
    await owner.open(`${below}/payments`)
    const usual = owner.page.viewportSize() ?? { width: 1280, height: 800 }
    await owner.page.setViewportSize({ width: 390, height: 844 })
    await clickable(owner.page, 'Navigation').click()
    await owner.page.getByRole('dialog').getByRole('link', { name: 'Deposits' }).waitFor()
    expect(await lookAt(owner, 'drawer')).toEqual([])
    await owner.page.setViewportSize(usual)
  })

  it.each(emptyPages)('is for everybody: a business that has nothing yet, at %s', async (address) => {
    await newcomer.open(`/b/${formatId('business', other.id)}/staging${address}`)
    expect(await lookAt(newcomer, `empty ${address}`)).toEqual([])
  })

  it.each(['/balance', '/keys', '/payments', '/team', '/payouts/new'])(
    'is for everybody: what a role may not, at %s',
    async (address) => {
      await support.open(`${below}${address}`)
      expect(await lookAt(support, `refused ${address}`)).toEqual([])
    },
  )

  it('is the same for all: a failure, with the id of its request', async () => {
    await owner.open(`${below}/payments?failureReason=NONE`)
    await owner.page.getByRole('heading', { name: 'This could not be loaded' }).waitFor()
    expect(await lookAt(owner, 'failure')).toEqual([])
  })
})

function clickable(page: Page, name: string | RegExp) {
  const exact = typeof name === 'string'
  return page
    .getByRole('button', { name, exact })
    .or(page.getByRole('menuitem', { name, exact }))
    .and(page.locator(':not([aria-disabled="true"])'))
    .first()
}

async function lookAt(visit: Visit, name: string): Promise<string[]> {
  const { page, complaints } = visit
  await untilLoaded(page)
  const faults = [...(await askAxe(page, [])), ...(await askWidths(page))]
  await keepPictures(page, name)
  // A browser reports each refusal, and some of these states need one.
  return [...faults, ...faultsAmong(complaints.splice(0)).filter((complaint) => !/status of 40[03]/.test(complaint))]
}
