// A team by itself: password and code at the door, an invitation without mail, and what a role sees.

import { describe, expect, it } from 'vitest'
import { codeAt } from '#users/factor-secrets.ts'
import { goodPassword } from '#tests/users/room.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { asOwner } from '#tests/support/owner.ts'
import { faultsAmong } from './faults.ts'
import { beFirst, firstEmail } from './first-person.ts'

describe.skipIf(chromiumFile === undefined)('the people of a business', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard()

  const { page, complaints } = await beFirst(dashboard)

  it('are told where a second factor is needed, and led to it', async () => {
    // Whatever concerns the business as a whole wants a second factor. Each page of it says so and leads there; none is closed
    // to whoever may read it.
    await page.getByRole('link', { name: 'Production' }).click()
    await page.getByRole('link', { name: 'Go live' }).click()
    await page.getByRole('heading', { name: 'Everybody who may send money has a second factor' }).waitFor()
    await page.getByRole('link', { name: 'Staging' }).click()
    await page.getByRole('link', { name: 'Team' }).click()
    // By force: to the browser's driver what is disabled cannot be pressed. A person can, and is told why.
    await page.getByRole('button', { name: 'Invite person' }).click({ force: true })
    await page.getByText(/^Set up a second factor in your profile first: it is asked for/).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.getByRole('link', { name: 'Set one up' }).click()
    await page.getByRole('button', { name: 'Set up second factor' }).waitFor()
  })

  it('prove who they are twice, and a code counts once', async () => {
    // Not a moment after signing in, so the password is asked for again.
    await asOwner(dashboard.database, `update sign_in set proven_at = proven_at - interval '11 minutes'`)
    await page.getByRole('button', { name: 'Set up second factor' }).click()
    const again = page.getByRole('dialog').getByLabel('Password', { exact: true })
    await again.fill('somebody else’s password')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('password is wrong').waitFor()
    await again.fill(goodPassword)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Set up second factor' }).waitFor()
    // By the secret that stands beside the picture.
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
    await page.getByLabel('E-mail address').fill(firstEmail)
    await page.getByLabel('Password').fill(goodPassword)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Enter your code' }).waitFor()
    await page.getByRole('textbox', { name: 'Code' }).fill(code)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.locator('[name=code][aria-invalid=true]').waitFor()
    await page.getByRole('textbox', { name: 'Code' }).fill(codes[0] ?? '')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
  })

  it('come by a link, which in another browser makes an account whose role sees what is theirs', async () => {
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
    await other.page.getByLabel('New password').fill(`${goodPassword}!`)
    await other.page.getByRole('button', { name: 'Accept invitation' }).click()
    await other.page.getByRole('heading', { name: 'Home' }).waitFor()
    await other.page.getByRole('link', { name: 'Balance' }).waitFor()
    expect(await other.page.getByRole('link', { name: 'Balance' }).getAttribute('aria-disabled')).toBe('true')
    await other.page.goto(other.page.url().replace(/\/staging.*/, '/staging/balance'))
    await other.page.getByText('Your role, support, may not see balances. Owner: Ada Obi.').waitFor()
    const faults = faultsAmong([...complaints, ...other.complaints])
    expect(faults.filter((complaint) => !/status of 40[013]/.test(complaint))).toEqual([])
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
