// A passkey from its creation to its removal, with Chromium's virtual authenticator: added as the second factor, used
// as the whole sign-in and for a step-up, and removed. Then a business that requires a second factor, as its owner and
// its member see it.

import { describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { formatId } from '#platform/ids.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { asOwner } from '#tests/support/owner.ts'
import { goodPassword } from '#tests/users/room.ts'
import { faultsAmong } from './faults.ts'
import { beFirst, firstEmail } from './first-person.ts'
import { keepPictures } from './page-checks.ts'

describe.skipIf(chromiumFile === undefined)('a passkey', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ roles: ['api'] })

  const { page, complaints } = await beFirst(dashboard)
  const touch = await playAuthenticator(page)

  it('is added with a name, and brings recovery codes as the first second factor', async () => {
    await openProfile(page)
    await page.getByRole('button', { name: 'Add passkey' }).click()
    await page.getByLabel('Name', { exact: true }).last().fill('Ada’s laptop')
    await page.getByRole('dialog').getByRole('button', { name: 'Add passkey' }).click()
    await page.getByRole('heading', { name: 'Recovery codes' }).waitFor()
    expect(await page.getByRole('dialog').getByRole('listitem').count()).toBe(10)
    await page.getByLabel('I have stored them').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText('Ada’s laptop').waitFor()
    await page.getByText('10 recovery codes left').waitFor()
    await keepPictures(page, 'passkeys')
  })

  it('signs in from the list that the browser offers in the field, and by the button', async () => {
    await signOut(page)
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    // The passkey offer in the e-mail field would take the touch that is meant for the button.
    const offersNone = 'PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)'
    await page.addInitScript(offersNone)
    await page.evaluate(offersNone)
    await signOut(page)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    expect(page.url()).toMatch(/staging$/)
  })

  it('is the second step after a password', async () => {
    await touch(false)
    await signOut(page)
    await page.getByLabel('E-mail address').fill(firstEmail)
    await page.getByLabel('Password').fill(goodPassword)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Enter your code' }).waitFor()
    await keepPictures(page, 'passkeys-second-step')
    await touch(true)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    expect(page.url()).toMatch(/staging$/)
  })

  it('confirms what asks for a second factor, and is removed', async () => {
    await openProfile(page)
    await page.getByText(/last used/).waitFor()
    await asOwner(dashboard.database, `update sign_in set stepped_up_until = now() - interval '1 second'`)
    await page.getByRole('button', { name: 'Rename the passkey Ada’s laptop' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Office laptop')
    await page.getByRole('button', { name: 'Rename passkey' }).click()
    await page.getByRole('button', { name: 'Remove the passkey Office laptop' }).click()
    await page.getByRole('button', { name: 'Remove passkey' }).click()
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor()
    await keepPictures(page, 'passkeys-step-up')
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('button', { name: 'Remove the passkey Office laptop' }).waitFor({ state: 'detached' })
    expect(faultsAmong(complaints).filter((complaint) => !/status of 40[13]/.test(complaint))).toEqual([])
  })
})

describe.skipIf(chromiumFile === undefined)('a compulsory second factor', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ roles: ['api'] })
  const below = `/b/${formatId('business', dashboard.business.id)}/staging`
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true, steppedUp: true })
  const viewer = await addPerson(dashboard, { role: 'viewer' })

  it('is set by an owner, who sees which members it stops; those can use only their profile', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${below}/settings`)
    await page.getByLabel('Viewers').check()
    await page.getByRole('button', { name: 'Save roles' }).click()
    await page
      .getByRole('dialog')
      .getByText(/^Person \d+ will reach nothing of this business until/)
      .waitFor()
    await keepPictures(page, 'compulsory-factor')
    await page.getByRole('dialog').getByRole('button', { name: 'Save roles' }).click()
    await page.getByText('Settings saved').waitFor()

    const theirs = await dashboard.visit({ as: viewer })
    await playAuthenticator(theirs.page)
    await theirs.open(`${below}/payments`)
    const demand = theirs.page.getByText('Test Business requires a second factor of your role, viewer.')
    await demand.waitFor()
    await keepPictures(theirs.page, 'factor-first')
    await theirs.page.getByRole('button', { name: 'Add passkey' }).click()
    await theirs.page.getByRole('dialog').getByRole('button', { name: 'Add passkey' }).click()
    await theirs.page.getByLabel('I have stored them').check()
    await theirs.page.getByRole('button', { name: 'Done' }).click()
    await demand.waitFor({ state: 'detached' })
    await theirs.page.getByRole('link', { name: 'Payments' }).click()
    await theirs.page.getByRole('heading', { name: 'Payments' }).waitFor()
    // The page may ask for payments before it knows that the role lacks a factor.
    expect(faultsAmong(theirs.complaints).filter((complaint) => !complaint.includes('status of 403'))).toEqual([])
  })
})

/**
 * Chromium's virtual authenticator verifies its user and stores passkeys. Resolves with a function that sets whether
 * the user touches it when asked.
 */
async function playAuthenticator(page: Page): Promise<(isTouched: boolean) => Promise<void>> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return async (enabled) => {
    await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
  }
}

async function openProfile(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Ada Obi' }).click()
  await page.getByRole('menuitem', { name: 'My profile' }).click()
  await page.getByRole('heading', { name: 'Passkeys' }).waitFor()
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Ada Obi' }).click()
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
  await page.waitForURL(/sign-in/)
}
