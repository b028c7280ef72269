// The keyboard alone: everything that moves money, from start to end; dialogs that take the focus and give it back; and
// a walk by Tab that reaches every control and gets out again.

import type { Locator } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { faultsAmong } from './faults.ts'
import type { InPage } from './page-checks.ts'
import { fill } from './world.ts'

/** More stops than any page has. */
const stopsMax = 150

describe.skipIf(chromiumFile === undefined)('by keyboard', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ settings: { SANDBOX_SETTLE_MS: '50' } })
  const world = await fill(dashboard.staging)
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true, steppedUp: true })
  const below = `/b/${formatId('business', dashboard.business.id)}/staging`
  const { page, open, complaints } = await dashboard.visit({ as: owner })
  const button = (name: string | RegExp) => page.getByRole('button', { name })

  it('a payout is sent, ended and returned', async () => {
    await open(`${below}/payments`)
    await enter(page.getByRole('link', { name: 'New payout' }))
    await tabTo(page.getByRole('combobox', { name: 'Bank' }))
    await type('Zenith')
    await page.getByRole('option', { name: 'Zenith Bank' }).waitFor()
    await type('ArrowDown', 'Enter')
    await tabTo(page.getByLabel('Account number'))
    await type('9990000009')
    await page.getByText('Belongs to').waitFor()
    await tabTo(page.getByLabel('Amount'))
    await type('2,000.50')
    await enter(button('Send ₦2,000.50'))
    const head = page.getByRole('heading', { level: 1 })
    await head.getByText('Queued').waitFor()
    await choose('Complete as …', 'Succeeded')
    await head.getByText('Succeeded').waitFor()
    await choose('Complete as …', 'Returned by the bank')
    await head.getByText('Returned').waitFor()
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('the balance is funded, an account paid into, and the deposit settled', async () => {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search' }).and(page.locator(':focus')).waitFor()
    await type('Simulator', 'Enter')
    await tabTo(page.getByLabel('Amount to add'))
    await type('Control+a', '1,234.50', 'Enter')
    await page.getByText('is available now').waitFor()
    await tabTo(page.getByRole('combobox', { name: 'Account' }))
    await type(world.account.slice(0, 3))
    await page.getByRole('option').first().waitFor()
    await type('ArrowDown', 'Enter')
    await tabTo(page.getByLabel('Amount', { exact: true }))
    await type('75.00')
    await tabTo(page.getByLabel('The money'))
    await type('ArrowDown')
    await enter(button('Pay in'))
    await enter(button('Settle deposit'))
    await page.getByRole('heading', { level: 1 }).getByText('Succeeded').waitFor()
    expect(faultsAmong(complaints)).toEqual([])
  })

  it.each([
    ['/payments', 'Export'],
    ['/webhooks', 'Add subscription'],
    ['/keys', 'Create key'],
    ['/team', 'Invite person'],
    ['/customers', 'Create customer'],
    ['/accounts', 'Open account'],
    ['', /^Search/],
  ])('a dialog of %s keeps the focus while it is open, and gives it back: %s', async (address, name) => {
    await open(`${below}${address}`)
    const opener = button(name).first()
    await enter(opener)
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    const inside = dialog.and(page.locator(':focus-within'))
    for (let stop = 0; stop < 12; stop++) {
      await inside.waitFor()
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await opener.and(page.locator(':focus')).waitFor()
    expect(await dialog.count()).toBe(0)
  })

  it('j and k walk through the rows of all lists of a page, and c copies the reference of the current one', async () => {
    await open(`${below}/customers/${world.customer}`)
    // The lists answer in any order, so the test waits for each.
    await page
      .locator('a[data-row]')
      .filter({ hasText: /^\d{3} \d{3} \d{4}$/ })
      .waitFor()
    await page.locator('a[data-row]').nth(1).waitFor()
    const focused = () => page.evaluate(nameFocused)
    const names: string[] = []
    for (const key of ['j', 'j', 'k']) {
      await page.keyboard.press(key)
      names.push(await focused())
    }
    // The only account of its list, and the latest deposit of its list.
    const [account = '', deposit = ''] = await page.locator('a[data-row]').allTextContents()
    expect(account.replaceAll(' ', '')).toBe(world.account)
    expect(names).toEqual([account, deposit, account])
    await page.keyboard.press('c')
    await page.getByText(`Copied ${world.account}`).waitFor()
  })

  it('x selects rows, and no longer: c copies the references of all, and Escape ends it', async () => {
    await open(`${below}/payments`)
    const rows = page.locator('a[data-row]')
    await page.getByRole('link', { name: world.succeeded }).waitFor()
    const [first, second] = await rows.allTextContents()
    const selected = page.locator('tr[data-selected]')
    await type('j', 'x', 'j', 'x', 'j', 'x')
    await page.getByRole('status').filter({ hasText: '3 selected' }).waitFor()
    await type('x')
    await page.getByRole('status').filter({ hasText: '2 selected' }).waitFor()
    expect(await selected.locator('a[data-row]').count()).toBe(2)
    await type('c')
    await page.getByText('Copied 2 references').waitFor()
    // The third row is not selected any more.
    expect(await page.evaluate(readClipboard)).toBe(`${first}\n${second}`)
    await type('Escape')
    await selected.first().waitFor({ state: 'detached' })
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('a walk by Tab begins with the way past the navigation, comes past every control, and leaves the page', async () => {
    await open(`${below}/payments`)
    await page.getByRole('link', { name: world.succeeded }).waitFor()
    const passed: string[] = []
    do {
      await page.keyboard.press('Tab')
      passed.push(await page.evaluate(nameFocused))
    } while (passed.at(-1) !== '' && passed.length < stopsMax)
    expect(passed[0]).toBe('Skip to the page')
    expect(passed.at(-1)).toBe('')
    for (const name of ['Payments', 'New payout', 'Export', 'Views', world.succeeded]) expect(passed).toContain(name)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await tabTo(page.getByRole('link', { name: 'New payout' }), 3) // The links for payouts from a file and for a collection come first.
    expect(faultsAmong(complaints)).toEqual([])
  })

  async function type(...keys: string[]): Promise<void> {
    const named = /^(Arrow|Enter|Control|Tab|Escape)/
    for (const key of keys) await (named.test(key) ? page.keyboard.press(key) : page.keyboard.type(key))
  }

  async function enter(target: Locator): Promise<void> {
    await tabTo(target)
    await page.keyboard.press('Enter')
  }

  /** Chooses an action of a menu, which opens with its first action focused. */
  async function choose(menu: string, action: string): Promise<void> {
    await enter(button(menu))
    const item = page.getByRole('menuitem', { name: action })
    await item.waitFor()
    for (let stop = 0; (await item.and(page.locator(':focus')).count()) === 0 && stop < 10; stop++)
      await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
  }

  async function tabTo(target: Locator, most = stopsMax): Promise<void> {
    await target.waitFor()
    for (let stop = 0; stop <= most; stop++) {
      if ((await target.and(page.locator(':focus')).count()) === 1) return
      await page.keyboard.press('Tab')
    }
    throw new Error(`Tab does not come to ${String(target)} within ${most} stops`)
  }
})

/** Runs in the page. */
function nameFocused(): string {
  const { activeElement, body } = (globalThis as unknown as InPage).document
  if (activeElement === null || activeElement === body) return ''
  const name = (activeElement.getAttribute('aria-label') ?? activeElement.textContent).trim()
  return name === '' ? activeElement.tagName : name
}

/** Runs in the page. */
function readClipboard(): Promise<string> {
  const { clipboard } = navigator as unknown as { clipboard: { readText: () => Promise<string> } }
  return clipboard.readText()
}
