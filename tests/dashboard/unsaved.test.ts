// Input that a person entered is not lost silently: a form asks before the person leaves it.

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { askAxe, keepPictures } from './page-checks.ts'

describe.skipIf(chromiumFile === undefined)('unsaved input', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ settings: { SANDBOX_SETTLE_MS: '50' } })
  const pages = `/b/${formatId('business', dashboard.business.id)}/staging`
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true, steppedUp: true })

  it('of a page is kept until the person says that it may be lost', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${pages}/customers`)
    await goTo(page, 'Payments')
    await page.getByRole('link', { name: 'New payout' }).click()
    await page.getByLabel('Amount').fill('2,000')
    await goTo(page, 'Deposits')
    await page.getByRole('button', { name: 'Stay' }).and(page.locator(':focus')).waitFor()
    expect(await askAxe(page, [])).toEqual([])
    await keepPictures(page, 'unsaved')
    await page.keyboard.press('Escape')
    await question(page).waitFor({ state: 'detached' })
    expect(page.url()).toContain('/payouts/new')
    expect(await page.getByLabel('Amount').inputValue()).toBe('2,000')

    await page.goBack()
    await page.getByRole('button', { name: 'Stay' }).click()
    await question(page).waitFor({ state: 'detached' })
    expect(await page.getByLabel('Amount').inputValue()).toBe('2,000')
    await page.goBack()
    await page.getByRole('button', { name: 'Leave' }).click()
    await heading(page, 'Payments')
    expect(await question(page).count()).toBe(0)
  })

  it('is asked about by the browser before the window closes or loads anew', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${pages}/payouts/new`)
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.type())
      void dialog.dismiss()
    })
    await page.reload()
    await page.getByLabel('Narration').fill('Rent of March')
    expect(asked).toEqual([])
    await page.evaluate('location.reload()')
    await untilHolds(() => expect(asked).toEqual(['beforeunload']))
    expect(await page.getByLabel('Narration').inputValue()).toBe('Rent of March')
  })

  it('of a dialog is kept on Escape and on its cross, and dropped by Cancel', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${pages}/recipients`)
    const dialog = page.getByRole('dialog', { name: 'Add a recipient' })
    const add = page.getByRole('button', { name: 'Add recipient' }).first()
    await add.click()
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })

    await add.click()
    await page.getByLabel('Name').fill('Landlord')
    await page.keyboard.press('Escape')
    await question(page).getByRole('button', { name: 'Stay' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    await question(page).waitFor({ state: 'detached' })
    expect(await page.getByLabel('Name').inputValue()).toBe('Landlord')
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Leave' }).click()
    await dialog.waitFor({ state: 'detached' })

    await add.click()
    await page.getByLabel('Name').fill('Landlord')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    await goTo(page, 'Deposits')
    await heading(page, 'Deposits')
  })

  it('is none once it was sent, and still is after it was refused', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${pages}/profile`)
    await page.getByLabel('Name', { exact: true }).fill('')
    await page.getByRole('button', { name: 'Save name' }).click()
    await page.getByLabel('Name', { exact: true }).and(page.locator('[aria-invalid]')).waitFor()
    await goTo(page, 'Deposits')
    await page.getByRole('button', { name: 'Stay' }).click()
    await question(page).waitFor({ state: 'detached' })
    await page.getByLabel('Name', { exact: true }).fill('Ada Obi')
    await page.getByRole('button', { name: 'Save name' }).click()
    await page.getByText('Name saved').first().waitFor()
    await goTo(page, 'Deposits')
    await heading(page, 'Deposits')
    expect(await question(page).count()).toBe(0)
  })

  it('stays when a saved recipient is chosen after the amount was typed', async () => {
    const saved = { kind: 'bank', name: 'Landlord', institution: 'access-bank', accountNumber: '0123456789', tags: [] }
    expectSuccess(await owner.post(`${below(dashboard, 'staging')}/recipients`, saved))
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${pages}/payouts/new`)
    await page.getByLabel('Amount').fill('500,000')
    await page.getByLabel('Saved recipient').fill('land')
    await page.getByRole('option', { name: /^Landlord/ }).click()
    await page.getByText('Belongs to').waitFor()
    expect(await page.getByLabel('Account number').inputValue()).toBe('0123456789')
    expect(await page.getByLabel('Amount').inputValue()).toBe('500,000')
  })

  it('stays when the recipient changes between a wallet and a bank account', async () => {
    const wallet = { kind: 'wallet', name: 'Kwame', institution: 'mtn-momo', accountNumber: '08000000001', tags: [] }
    const bank = { kind: 'bank', name: 'Caretaker', institution: 'access-bank', accountNumber: '0123456788', tags: [] }
    for (const saved of [wallet, bank])
      expectSuccess(await owner.post(`${below(dashboard, 'staging')}/recipients`, saved))
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${pages}/payouts/new`)
    await page.getByLabel('Amount').fill('700')
    await page.getByLabel('Narration').fill('Rent')
    await page.getByLabel('Reference').fill('RENT-1')
    await page.getByLabel('Saved recipient').fill('kwa')
    await page.getByRole('option', { name: /^Kwame/ }).click()
    await page.getByText('Name at the operator').waitFor()
    await page.getByLabel('Saved recipient').fill('care')
    await page.getByRole('option', { name: /^Caretaker/ }).click()
    await page.getByText('Belongs to').waitFor()
    expect(await page.getByLabel('Amount').inputValue()).toBe('700')
    expect(await page.getByLabel('Narration').inputValue()).toBe('Rent')
    expect(await page.getByLabel('Reference').inputValue()).toBe('RENT-1')
  })

  it('of one part of the settings stays when another part is saved', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${pages}/settings`)
    const name = page.getByRole('region', { name: 'Business' }).getByLabel('Name')
    await name.fill('Obi Stores')
    await page.getByRole('button', { name: 'Switch off receipt links' }).click()
    await page.getByRole('button', { name: 'Switch on receipt links' }).waitFor()
    expect(await name.inputValue()).toBe('Obi Stores')
  })

  it('of the roles that need a second factor is asked about until their choice is confirmed', async () => {
    await addPerson(dashboard, { role: 'viewer' })
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${pages}/settings`)
    const dialog = page.getByRole('dialog', { name: 'These people have no second factor yet' })
    await page.getByLabel('Viewers').check()
    await page.getByRole('button', { name: 'Save roles' }).click()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    await goTo(page, 'Deposits')
    await page.getByRole('button', { name: 'Stay' }).click()
    await question(page).waitFor({ state: 'detached' })
    expect(await page.getByLabel('Viewers').isChecked()).toBe(true)
    await page.getByRole('button', { name: 'Save roles' }).click()
    await dialog.getByRole('button', { name: 'Save roles' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await page.getByLabel('Viewers').isChecked()).toBe(true)
    await goTo(page, 'Deposits')
    await heading(page, 'Deposits')
    expect(await question(page).count()).toBe(0)
  })

  it('of a schedule is still asked about when its rows may pay an account twice', async () => {
    const cells = { name: 'Ada Obi', bank: 'access-bank', account: '0123456786', amount: '10.00' }
    const draft = { key: 'twice-in-it', title: 'Salaries', rows: [cells, cells] }
    const { id } = expectSuccess(await owner.post(`${below(dashboard, 'staging')}/payout-drafts`, draft)) as {
      id: string
    }
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${pages}/approvals/${id}?schedule=new`)
    const dialog = page.getByRole('dialog', { name: 'Schedule this payout' })
    await dialog.getByLabel('Time in Lagos').fill('10:30')
    await dialog.getByRole('button', { name: 'Schedule payout' }).click()
    await dialog.getByText('an account that gets the same amount', { exact: false }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Stay' }).click()
    expect(await dialog.getByLabel('Time in Lagos').inputValue()).toBe('10:30')
  })

  it('is still asked about when the second payout was canceled, and not when it was sent', async () => {
    const first = { reference: 'FIRST', amount: 90_000, bankSlug: 'access-bank', accountNumber: '0123456787' }
    expectSuccess(await dashboard.staging.post('/v1/transfers/initiate', { ...first, accountName: 'ADA OBI' }))
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${pages}/payouts/new?bank=access-bank&account=0123456787`)
    await page.getByText('Belongs to').waitFor()
    await page.getByLabel('Amount').fill('900')
    await page.getByRole('button', { name: 'Send ₦900.00' }).click()
    const second = page.getByRole('dialog', { name: 'Send a second payout?' })
    await second.getByRole('button', { name: 'Cancel' }).click()
    await second.waitFor({ state: 'detached' })
    await goTo(page, 'Deposits')
    await page.getByRole('button', { name: 'Stay' }).click()
    await question(page).waitFor({ state: 'detached' })
    expect(await page.getByLabel('Amount').inputValue()).toBe('900')
    await page.getByRole('button', { name: 'Send ₦900.00' }).click()
    await second.getByLabel('Type 900.00 to confirm').fill('900.00')
    await second.getByRole('button', { name: 'Send a second payout' }).click()
    await page.waitForURL(/\/payments\/payout-/)
    expect(await question(page).count()).toBe(0)
    await goTo(page, 'Deposits')
    await heading(page, 'Deposits')
  })

  it('is asked about before signing out', async () => {
    const finance = await addPerson(dashboard, { role: 'finance' })
    const { page, open } = await dashboard.visit({ as: finance })
    await open(`${pages}/payouts/new`)
    await page.getByLabel('Narration').fill('Rent of March')
    const signOut = async (): Promise<void> => {
      await page.getByRole('navigation').getByRole('button').last().click()
      await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
    }
    await signOut()
    await page.getByRole('button', { name: 'Stay' }).click()
    await question(page).waitFor({ state: 'detached' })
    expect(await page.getByLabel('Narration').inputValue()).toBe('Rent of March')
    await signOut()
    await page.getByRole('button', { name: 'Leave' }).click()
    await page.waitForURL(/\/sign-in/)
  })

  it('of a sign-in or of a filter is dropped without a question', async () => {
    const { page, open } = await dashboard.visit()
    await open('/sign-in/code')
    await page.getByLabel('Code').fill('123')
    await page.getByRole('link', { name: 'Sign in as another person' }).click()
    await page.getByLabel('E-mail address').waitFor()
    const inside = await dashboard.visit({ as: owner })
    await inside.open(`${pages}/payments`)
    await inside.page.getByLabel('From', { exact: true }).fill('1 Jan 2026')
    await goTo(inside.page, 'Deposits')
    await heading(inside.page, 'Deposits')
    expect(await question(inside.page).count()).toBe(0)
  })
})

function question(page: Page) {
  return page.getByRole('dialog', { name: 'Leave without saving?' })
}

async function goTo(page: Page, section: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: section, exact: true }).click()
}

async function heading(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name }).waitFor()
}
