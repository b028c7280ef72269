// Finding records: filters that survive a reload and can be shared, saved views, and pasted text.

import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { useDashboard, type Visit } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { addPerson, below as apiBelow } from '#tests/support/dashboard.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { faultsAmong } from './faults.ts'
import { askAxe } from './page-checks.ts'
import { fill } from './world.ts'

describe.skipIf(chromiumFile === undefined)('lists', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ settings: { SANDBOX_SETTLE_MS: '50' } })
  const { staging } = dashboard
  const world = await fill(staging)
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true, steppedUp: true })
  const colleague = await addPerson(dashboard, { role: 'viewer' })
  const below = `/b/${formatId('business', dashboard.business.id)}/staging`

  async function expectOnlyFailed({ page }: Visit): Promise<void> {
    await page.getByRole('link', { name: world.succeeded }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: world.failed }).waitFor()
    expect(await page.getByRole('table', { name: 'Bank transfers' }).locator('tbody tr').count()).toBe(1)
  }

  it('keep their filters over a reload, and show a colleague the same by their address', async () => {
    const visit = await dashboard.visit({ as: owner })
    await visit.open(`${below}/payments`)
    await visit.page.getByRole('link', { name: world.succeeded }).waitFor()
    await visit.page.getByLabel('Status').selectOption('FAILED')
    await expectOnlyFailed(visit)
    await visit.page.reload()
    await expectOnlyFailed(visit)
    const other = await dashboard.visit({ as: colleague })
    await other.page.goto(visit.page.url())
    await expectOnlyFailed(other)
    expect(faultsAmong([...visit.complaints, ...other.complaints])).toEqual([])
  })

  it('are saved under a name, and opened by the people they are shared with', async () => {
    const visit = await dashboard.visit({ as: owner })
    await visit.open(`${below}/payments?status=FAILED`)
    await visit.page.getByRole('button', { name: 'Views' }).click()
    await visit.page.getByRole('menuitem', { name: 'Save this view' }).click()
    await visit.page.getByRole('dialog').getByLabel('Name').fill('To look at')
    await visit.page.getByLabel('Share with all people of this business').check()
    await visit.page.getByRole('button', { name: 'Save view' }).click()
    await visit.page.getByRole('dialog').waitFor({ state: 'detached' })
    const other = await dashboard.visit({ as: colleague })
    await other.open(`${below}/payments`)
    await other.page.getByRole('link', { name: world.succeeded }).waitFor()
    await other.page.getByRole('button', { name: 'Views' }).click()
    await other.page.getByRole('menuitem', { name: 'To look at' }).click()
    await expectOnlyFailed(other)
    expect(faultsAmong([...visit.complaints, ...other.complaints])).toEqual([])
  })

  it('open the page of a pasted text, for each of its seven shapes, by keyboard alone', async () => {
    const transfer = expectSuccess(await staging.get(`/v1/transfers/${world.succeeded}`))
    const pasted: [shape: string, text: string, leadsTo: string][] = [
      ['reference', world.failed, world.failed],
      ['id', transfer.id, world.succeeded],
      ['account number of a payee', '9990000009', world.open],
      ['session', transfer.sessionId, world.succeeded],
      ['phone number', '0801 234 5678', world.customer],
      ['e-mail address', 'ADA@example.ng', world.customer],
      ['deposit', world.deposit, world.deposit],
    ]
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    await open(below)
    for (const [shape, text, leadsTo] of pasted) {
      // The search index has a text a moment after it was written.
      await untilHolds(async () => {
        const query = `find?q=${encodeURIComponent(text)}`
        expect(expectSuccess(await owner.get(`${apiBelow(dashboard, 'staging')}/${query}`)).hits, shape).toHaveLength(1)
      })
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search' }).fill(text)
      await page.getByRole('listbox').getByRole('option').first().filter({ hasNotText: 'Page' }).waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await page.waitForURL((url) => url.pathname.endsWith(`/${leadsTo}`))
    }
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('keep the text that is typed right after the shortcut, and link to pages that a second tab can open', async () => {
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    const typed = Promise.withResolvers<void>()
    await page.route('**/palette-*.js', async (route) => {
      await typed.promise
      await route.continue()
    })
    await open(below)
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('1,500.00')
    typed.resolve()
    const field = page.getByRole('combobox', { name: 'Search' })
    await field.waitFor()
    expect(await field.inputValue()).toBe('1,500.00')
    const hit = page.getByRole('option', { name: new RegExp(world.succeeded) })
    await hit.waitFor()
    const [other] = await Promise.all([page.context().waitForEvent('page'), hit.click({ button: 'middle' })])
    await other.waitForURL((url) => url.pathname.endsWith(`/${world.succeeded}`))
    await other.close()
    expect(await field.inputValue()).toBe('1,500.00')
    await field.fill('obi ada')
    await page.getByRole('option', { name: /Customer/ }).waitFor()
    expect(await askAxe(page, [])).toEqual([])
    await page.keyboard.press('Escape')
    await open(`${below}/customers?search=obi`)
    await page.getByRole('link', { name: world.customer }).waitFor()
    await page.getByRole('textbox', { name: 'Search' }).fill('0801 234 5679')
    await page.keyboard.press('Enter')
    await page.getByText('Nothing matches').first().waitFor()
    await open(`${below}/payments?payee=ada`)
    await page.getByRole('link', { name: world.succeeded }).waitFor()
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('never send a pasted secret key anywhere', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(below)
    const asked: string[] = []
    page.on('request', (request) => asked.push(`${request.url()} ${request.postData() ?? ''}`))
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search' }).fill(dashboard.liveKey)
    await page.getByText('This is a secret key. Do not paste it; it was not sent.').waitFor()
    await page.getByRole('combobox', { name: 'Search' }).fill('Deposits')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: world.deposit }).waitFor()
    expect(asked.filter((request) => request.includes(dashboard.liveKey))).toEqual([])
    expect(asked.length).toBeGreaterThan(0)
  })
})
