// A team that sets itself up: sign-in with password and code, an invitation without e-mail, and the pages that a role
// sees.

import { afterAll, describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { codeAt } from '#users/factor-codes.ts'
import { goodPassword } from '#tests/users/room.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { startFakeSmtp } from '#tests/support/fakes/smtp-server.ts'
import { asOwner } from '#tests/support/owner.ts'
import { eventually } from '#tests/support/patience.ts'
import { faultsAmong } from './faults.ts'
import { beFirst, firstEmail } from './first-person.ts'
import { keepPictures } from './page-checks.ts'

describe.skipIf(chromiumFile === undefined)('the people of a business', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard()

  const { page, complaints } = await beFirst(dashboard)

  it('see where a second factor is needed, and a link to it', async () => {
    // Everything that concerns the whole business needs a second factor. Each page says so and links to it, and a user
    // without one may still read the pages.
    await page.getByRole('link', { name: 'Production' }).click()
    await page.getByRole('link', { name: 'Go live' }).click()
    await page.getByRole('heading', { name: 'Everyone who can send money has a second factor' }).waitFor()
    await page.getByRole('link', { name: 'Staging' }).click()
    await page.getByRole('link', { name: 'Team' }).click()
    // With `force`, because the browser's driver cannot press a disabled button. A person can, and gets the reason.
    await page.getByRole('button', { name: 'Invite person' }).click({ force: true })
    await page.getByText(/^Set up a second factor in your profile first: it is asked for/).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.getByRole('link', { name: 'Set one up' }).click()
    await page.getByRole('button', { name: 'Set up second factor' }).waitFor()
  })

  it('prove who they are twice, and a code counts once', async () => {
    // The sign-in was not a moment ago, so the page asks for the password again.
    await asOwner(dashboard.database, `update sign_in set proven_at = proven_at - interval '11 minutes'`)
    await page.getByRole('button', { name: 'Set up second factor' }).click()
    const again = page.getByRole('dialog').getByLabel('Password', { exact: true })
    await again.fill('somebody else’s password')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('password is wrong').waitFor()
    await again.fill(goodPassword)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Set up second factor' }).waitFor()
    // Reads the secret that is shown beside the QR code.
    const secret = (await page.getByRole('dialog').locator('code').textContent()) ?? ''
    const code = codeOf(secret)
    await page.getByRole('textbox', { name: 'Code' }).fill(code)
    await page.getByRole('button', { name: 'Confirm code' }).click()
    await page.getByRole('heading', { name: 'Recovery codes' }).waitFor()
    const codes = await page.getByRole('dialog').getByRole('listitem').allTextContents()
    expect(codes).toHaveLength(10)
    await page.getByLabel('I have stored them').check()
    await page.getByRole('button', { name: 'Done' }).click()

    // Signs in again: the service refuses the used code and accepts a recovery code.
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

  it('come by a link, which in another browser makes an account whose role sees only its pages', async () => {
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

describe.skipIf(chromiumFile === undefined)('an admin', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ roles: ['api'] })
  const admin = await addPerson(dashboard, { role: 'admin', hasFactor: true, steppedUp: true })
  const owner = await addPerson(dashboard, { role: 'owner' })
  const viewer = await addPerson(dashboard, { role: 'viewer' })

  it('manages neither owners nor other admins, and is told why', async () => {
    const { page, open } = await dashboard.visit({ as: admin })
    await open(`/b/${formatId('business', dashboard.business.id)}/staging/team`)
    await page.getByRole('row', { name: owner.email }).getByRole('button').click({ force: true })
    await page.getByText('Only an owner can manage owners and admins.').waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.getByRole('row', { name: viewer.email }).getByRole('button').click()
    expect(await page.getByRole('dialog').getByLabel('Role').inputValue()).toBe('viewer')
  })
})

describe.skipIf(chromiumFile === undefined)('with a mail server', async () => {
  if (chromiumFile === undefined) return
  const smtp = await startFakeSmtp()
  afterAll(() => smtp.close())
  const dashboard = await useDashboard({ settings: { SMTP_URL: smtp.url(), MAIL_FROM: 'no-reply@pay.example' } })
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true, steppedUp: true })
  const viewer = await addPerson(dashboard, { role: 'viewer' })

  const mailsTo = (email: string) =>
    eventually(`an e-mail to ${email}`, () =>
      Promise.resolve(smtp.mails.find(({ to, text }) => to === email && text.includes('#'))),
    )

  it('links go to their people by e-mail, and the page shows none', async () => {
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    await open(`/b/${formatId('business', dashboard.business.id)}/staging/team`)
    await page.getByRole('button', { name: 'Invite person' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('They get an e-mail with a link').waitFor()
    await keepPictures(page, 'team-invite-by-mail')
    await dialog.getByLabel('E-mail address').fill('bola@example.ng')
    await dialog.getByRole('button', { name: 'Send invitation' }).click()
    await page.getByText('Invitation sent to bola@example.ng').waitFor()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('cell', { name: 'bola@example.ng', exact: true }).waitFor()
    await mailsTo('bola@example.ng')

    await page.getByRole('row', { name: viewer.email }).getByRole('button').click()
    await keepPictures(page, 'team-reset-by-mail')
    await dialog.getByRole('button', { name: 'Send reset link' }).click()
    await page.getByText(`Link sent to ${viewer.email}`).waitFor()
    await dialog.waitFor({ state: 'detached' })
    await mailsTo(viewer.email)
    expect(faultsAmong(complaints)).toEqual([])
  })
})

/** The code that an app would show now for a secret in base 32, which has five bits in a letter. */
function codeOf(secret: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  const bits = secret
    .split(/\s*/)
    .map((letter) => letters.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  const bytes = bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []
  return codeAt(Buffer.from(bytes), Math.floor(Date.now() / 30_000))
}
