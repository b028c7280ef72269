// A session that ends while the page asks for the second factor: the person signs in again, and the question comes back.

import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { formatId, type Uuid } from '#platform/ids.ts'
import { createSecretBox } from '#platform/secrets.ts'
import { codeAt, sealTotp } from '#users/factor-codes.ts'
import { goodPassword } from '#tests/users/room.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { asOwner } from '#tests/support/owner.ts'
import { testSecretKey } from '#tests/support/service.ts'
import { beFirst } from './first-person.ts'

describe.skipIf(chromiumFile === undefined)('a session that ends at the wrong moment', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ roles: ['api'] })

  it('is renewed before the second factor is given, and the action continues', async () => {
    const { page, open } = await beFirst(dashboard)
    const totp = randomBytes(20)
    const [person] = await asOwner<{ id: string }>(dashboard.database, 'select id from person')
    const id = (person?.id ?? '') as Uuid
    const sealed = sealTotp(createSecretBox(testSecretKey), id, totp).toString('hex')
    await asOwner(dashboard.database, `update person set totp_secret = '\\x${sealed}'`)
    const code = (later: number) => codeAt(totp, Math.floor(Date.now() / 30_000) + later)

    await page.clock.install()
    await open(`/b/${formatId('business', dashboard.business.id)}/staging/settings`)
    const business = page.getByRole('region', { name: 'Business' })
    await business.getByLabel('Name').fill('Obi Stores')
    await business.getByRole('button', { name: 'Save settings' }).click()
    const confirm = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await confirm.waitFor()

    await asOwner(dashboard.database, 'delete from sign_in')
    const again = page.getByRole('dialog', { name: 'Sign in again' })
    // The page reads its data again when its window is shown again, if they are older than five seconds.
    await page.clock.fastForward(10_000)
    await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`)
    await again.getByLabel('Password').fill(goodPassword)
    await again.getByRole('button', { name: 'Sign in' }).click()
    await again.getByRole('textbox', { name: 'Code' }).fill(code(0))
    await again.getByRole('button', { name: 'Sign in' }).click()
    await confirm.getByRole('textbox', { name: 'Code' }).fill(code(1))
    await confirm.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('Settings saved').waitFor()
    expect(await business.getByLabel('Name').inputValue()).toBe('Obi Stores')
  })
})
