// A team by itself: password and code at the door, an invitation without mail, and what a role sees.

import { describe, expect, it } from 'vitest'
import { makeWelcomeLink } from '#people/links.ts'
import { codeAt } from '#people/totp.ts'
import { useDashboard, type Visit } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'

const password = 'a river runs beside Lokoja'

describe.skipIf(chromiumFile === undefined)('the people of a business', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard()

  async function welcome(): Promise<Visit> {
    const token = await makeWelcomeLink(dashboard.ctx)
    const visit = await dashboard.visit()
    await visit.open(`/welcome#${token}`)
    await visit.page.getByLabel('Your name').fill('Ada Obi')
    await visit.page.getByLabel('E-mail address').fill('ada@example.ng')
    await visit.page.getByLabel('Password').fill(password)
    await visit.page.getByRole('button', { name: 'Create account' }).click()
    await visit.page.getByRole('heading', { name: 'Home' }).waitFor()
    return visit
  }

  it('prove who they are twice, and a code counts once; another role sees what is theirs', async () => {
    const { page, complaints } = await welcome()
    // A second factor, by the secret that stands beside the picture.
    await page.getByRole('button', { name: 'Ada Obi' }).click()
    await page.getByRole('menuitem', { name: 'My profile' }).click()
    await page.getByRole('button', { name: 'Set up second factor' }).click()
    const secret = (await page.getByRole('dialog').locator('code').textContent()) ?? ''
    const code = codeOf(secret)
    await page.getByRole('textbox', { name: 'Code' }).fill(code)
    await page.getByRole('button', { name: 'Confirm code' }).click()
    await page.getByRole('heading', { name: 'Recovery codes' }).waitFor()
    const codes = await page.getByRole('dialog').getByRole('listitem').allTextContents()
    expect(codes).toHaveLength(10)
    await page.getByLabel('I have stored them').check()
    await page.getByRole('button', { name: 'Done' }).click()

    // In again: the code that was used is refused, a recovery code is taken.
    await page.getByRole('button', { name: 'Ada Obi' }).click()
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
    await page.getByLabel('E-mail address').fill('ada@example.ng')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Enter your code' }).waitFor()
    await page.getByRole('textbox', { name: 'Code' }).fill(code)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.locator('[name=code][aria-invalid=true]').waitFor()
    await page.getByRole('textbox', { name: 'Code' }).fill(codes[0] ?? '')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()

    // An invitation is a link; in another browser it makes an account with that role.
    await page.getByRole('link', { name: 'Team' }).click()
    await page.getByRole('button', { name: 'Invite person' }).click()
    await page.getByLabel('E-mail address').fill('bola@example.ng')
    await page.getByLabel('Role', { exact: true }).selectOption('support')
    await page.getByRole('button', { name: 'Make invitation' }).click()
    const link = (await page.getByRole('dialog').locator('code').textContent()) ?? ''
    expect(link).toContain('/dashboard/invitation#')
    const other = await dashboard.visit()
    await other.page.goto(link)
    await other.page.getByLabel('Your name').fill('Bola Ade')
    await other.page.getByLabel('New password').fill(`${password}!`)
    await other.page.getByRole('button', { name: 'Accept invitation' }).click()
    await other.page.getByRole('heading', { name: 'Home' }).waitFor()
    await other.page.getByRole('link', { name: 'Balance' }).waitFor()
    expect(await other.page.getByRole('link', { name: 'Balance' }).getAttribute('aria-disabled')).toBe('true')
    await other.page.goto(other.page.url().replace(/\/staging.*/, '/staging/balance'))
    await other.page.getByText('Your role, support, may not see balances. Owner: Ada Obi.').waitFor()
    expect([...complaints, ...other.complaints].filter((complaint) => !/status of 40[013]/.test(complaint))).toEqual([])
  })
})

/** What an app would show now for a secret as it is written: base 32, of five bits a letter. */
function codeOf(secret: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  const bits = secret
    .split(/\s*/)
    .map((letter) => letters.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  const bytes = bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []
  return codeAt(Buffer.from(bytes), Math.floor(Date.now() / 30_000))
}
