// The tasks of developers: a key from its creation to its end, and a webhook from a failure to its repair.

import { afterAll, describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { useDashboard, type Visit } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { createClient, expectSuccess } from '#tests/support/client.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { startReceiver } from '#tests/support/receiver.ts'
import { faultsAmong } from './faults.ts'
import { askAxe, keepPictures } from './page-checks.ts'

describe.skipIf(chromiumFile === undefined)('developers', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({
    settings: { SANDBOX_SETTLE_MS: '50', WEBHOOK_RETRY_SCHEDULE: '3600' },
  })
  const receiver = await startReceiver()
  afterAll(() => receiver.close())
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true, steppedUp: true })
  const below = `/b/${formatId('business', dashboard.business.id)}/staging`

  /** Resolves with the API's status for this key. */
  async function statusWith(key: string): Promise<number> {
    return (await createClient(`${dashboard.url}/staging`, key).get('/v1/balance')).status
  }

  async function secretOf({ page }: Visit): Promise<string> {
    const secret = (await page.getByRole('dialog').locator('code').first().textContent()) ?? ''
    await page.getByLabel('I have stored it').check()
    await page.getByRole('button', { name: 'Done' }).click()
    return secret
  }

  function copiedBy({ page }: Visit): Promise<string> {
    return page.evaluate(() => {
      const { clipboard } = navigator as unknown as { clipboard: { readText: () => Promise<string> } }
      return clipboard.readText()
    })
  }

  it('make a key, roll it, and revoke it by its name', async () => {
    const visit = await dashboard.visit({ as: owner })
    const { page, open, complaints } = visit
    await open(`${below}/keys`)
    await page.getByRole('button', { name: 'Create key' }).click()
    const making = page.getByRole('dialog')
    await making.getByLabel('Name').fill('checkout')
    for (const box of await making.getByRole('checkbox').all()) await box.uncheck()
    await making.getByLabel('Only from').fill('my office')
    await making.getByRole('button', { name: 'Create key' }).click()
    // Each list shows its own error.
    await making.getByText(/^scopes is wrong/).waitFor()
    await making.getByText(/^Only from is wrong/).waitFor()
    await making.getByLabel('Read payments').check()
    await making.getByLabel('Only from').fill('127.0.0.0/8, ::1')
    await making.getByRole('button', { name: 'Create key' }).click()
    // A secret that is shown once does not disappear by an accidental key press.
    await page.getByRole('heading', { name: 'The key “checkout”' }).waitFor()
    await page.keyboard.press('Escape')
    expect(await page.getByRole('button', { name: 'Done' }).getAttribute('aria-disabled')).toBe('true')
    const opened = page.context().waitForEvent('page')
    await page.getByRole('link', { name: 'Open the docs with this key' }).click()
    const docs = await opened
    // The page arrives with the placeholder sk_test_…, and its script replaces it.
    const sample = docs
      .locator('.key')
      .filter({ hasText: /sk_test_\w/ })
      .first()
    const shown = await sample.textContent()
    expect(docs.url()).not.toContain('sk_test_')
    await docs.close()
    const first = await secretOf(visit)
    expect(shown).toContain(first)
    expect(await statusWith(first)).toBe(200)
    expect(await page.getByText(first).count()).toBe(0)
    await page.getByText('read, from 127.0.0.0/8, ::1').waitFor()

    await page.getByRole('button', { name: 'Actions of checkout' }).first().click()
    await page.getByRole('menuitem', { name: 'Roll key' }).click()
    await page.getByLabel('The old key works for').selectOption('6')
    await page.getByRole('dialog').getByRole('button', { name: 'Roll key' }).click()
    await page.getByText('This is the only time that it is shown.').waitFor()
    const second = await secretOf(visit)
    for (const key of [first, second]) expect(await statusWith(key)).toBe(200)

    // The old key still works for a little less than six hours, and can be revoked before, in case it has leaked.
    const ending = page.getByRole('row', { name: /Ending/ })
    await ending.getByText('in 5 hours').waitFor()
    for (const [row, key] of [
      [ending, first],
      [page.getByRole('row', { name: /Active/ }).filter({ hasText: 'checkout' }), second],
    ] as const) {
      await row.getByRole('button', { name: 'Actions of checkout' }).click()
      await page.getByRole('menuitem', { name: 'Revoke key' }).click()
      const revoke = page.getByRole('dialog').getByRole('button', { name: 'Revoke key' })
      expect(await revoke.getAttribute('aria-disabled')).toBe('true')
      await page.getByRole('dialog').getByRole('textbox').fill('checkout')
      await revoke.click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await untilHolds(async () => expect(await statusWith(key)).toBe(401))
    }
    // The browser reports each answer of 400, and the first attempt here is refused with one.
    expect(faultsAmong(complaints).filter((complaint) => !complaint.includes('status of 400'))).toEqual([])
  })

  it('see why a webhook failed, mend the receiver, and send again all that failed', async () => {
    receiver.behave('/hook', { status: 500, body: '<script>document.title = "taken"</script>' })
    const visit = await dashboard.visit({ as: owner })
    const { page, open, complaints } = visit
    await open(`${below}/webhooks`)
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
    await page.getByRole('button', { name: 'Add subscription' }).first().click()
    await page.getByLabel('Address').fill(receiver.url('/hook'))
    await page.getByRole('checkbox', { name: /^transfer\.success/ }).check()
    await page.getByRole('dialog').getByRole('button', { name: 'Add subscription' }).click()
    for (const language of ['TypeScript', 'Python', 'Go', 'PHP', 'Java']) {
      await page.getByRole('tab', { name: language }).click()
      await page.getByRole('region', { name: `A receiver in ${language}` }).waitFor()
    }
    const secret = await secretOf(visit)
    expect(secret).toMatch(/^whsec_/)

    for (const reference of ['TOLD-1', 'TOLD-2']) {
      const bank = { bankSlug: 'access-bank', accountNumber: '0123456789', accountName: 'Ada Obi' }
      const body = { reference, amount: 150_000, ...bank }
      expectSuccess(await dashboard.staging.call('/v1/transfers/initiate', { method: 'POST', body }))
    }
    await receiver.received('/hook', 2)
    await open(`${below}/deliveries?status=failed`)
    await page.getByRole('link', { name: 'transfer.success' }).nth(1).waitFor()
    await page.getByRole('link', { name: 'transfer.success' }).first().click()
    await page.getByText('Its own log says why.').waitFor()
    await page.getByText('<script>document.title').waitFor()
    expect(await page.title()).not.toContain('taken')
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await untilHolds(async () => expect(await copiedBy(visit)).toContain('X-Webhook-Signature'))
    expect(await page.getByText('signed with the secret').count()).toBe(0)
    receiver.behave('/hook', 401)
    await page.getByRole('button', { name: 'Retry delivery' }).click()
    await page.getByText(`Attempts are signed with the secret that ends in ${secret.slice(-5)}.`).waitFor()

    await open(`${below}/webhooks`)
    await page
      .getByRole('row', { name: /Failing/ })
      .getByRole('link')
      .click()
    await page.getByRole('heading', { level: 1 }).getByText('Failing').waitFor()

    receiver.behave('/hook', 200)
    await open(`${below}/deliveries?status=failed`)
    await page.getByRole('button', { name: 'Retry all that failed' }).click()
    await page.getByRole('button', { name: 'Retry 2 failed' }).click()
    await receiver.received('/hook', 5)
    await open(`${below}/deliveries?status=delivered`)
    await page.getByRole('link', { name: 'transfer.success' }).nth(1).waitFor()
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('send again one delivery, or those of the selected that did not arrive, and see that they arrive', async () => {
    receiver.behave('/hook', 500)
    for (const reference of ['TOLD-3', 'TOLD-4']) {
      const bank = { bankSlug: 'access-bank', accountNumber: '0123456789', accountName: 'Ada Obi' }
      const body = { reference, amount: 150_000, ...bank }
      expectSuccess(await dashboard.staging.call('/v1/transfers/initiate', { method: 'POST', body }))
    }
    await receiver.received('/hook', 7)
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    await open(`${below}/deliveries`)
    const rows = page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr')
    await rows.filter({ hasText: 'Retrying' }).nth(1).waitFor()
    receiver.behave('/hook', 200)
    await rows.first().getByRole('link').click()
    await page.getByRole('button', { name: 'Retry delivery' }).click()
    await page.getByRole('heading', { level: 1 }).getByText('Delivered').waitFor()

    await page.goBack()
    await rows.filter({ hasText: 'Delivered' }).nth(2).waitFor()
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key)
    await page.getByText('2 selected', { exact: true }).last().waitFor()
    await page.getByRole('button', { name: 'Retry 1 delivery' }).click()
    await page.getByText('1 delivery will be sent again').waitFor()
    await rows.filter({ hasText: 'Delivered' }).nth(3).waitFor()
    await page.getByRole('button', { name: 'Clear selection' }).click()
    expect(await page.locator('tr[data-selected]').count()).toBe(0)
    expect(await receiver.received('/hook', 9)).toHaveLength(9)
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('see how a subscription fared in the last 24 hours, drawn, in words and as a table', async () => {
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    await open(`${below}/webhooks`)
    const strip = page.getByRole('img', { name: /^Last 24 hours\. 4 deliveries: 4 delivered, 0 failed\.$/ })
    await strip.waitFor()
    await page.getByRole('link', { name: receiver.url('/hook') }).click()
    await strip.waitFor()
    await page.getByText('4 deliveries: 4 delivered, 0 failed.', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Show as table' }).click()
    const cells = page.getByRole('table', { name: 'Last 24 hours' }).locator('tbody tr').first().getByRole('cell')
    expect(await cells.last().textContent()).toMatch(/^\d+$/)
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('may not retry by filters that the server does not take', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${below}/deliveries?codeClass=5xx`)
    const retry = page.getByRole('button', { name: 'Retry all that failed' })
    expect(await retry.getAttribute('aria-disabled')).toBe('true')
  })

  it('find a refused request in the log, and read in the docs what its error means', async () => {
    const refused = { reference: 'LOGGED-1', amount: 0, bankSlug: 'access-bank', accountNumber: '0123456789' }
    await dashboard.staging.post('/v1/transfers/initiate', refused)
    const item = { ...refused, accountName: 'Ada Obi', amount: 150_000 }
    const transfers = [item, { ...item, reference: 'LOGGED-2', accountNumber: '123' }]
    expectSuccess(await dashboard.staging.post('/v1/transfers/bulk', { transfers }))
    const { page, open, complaints } = await dashboard.visit({ as: owner })
    const refusal = page.getByRole('row', { name: /VALIDATION_ERROR/ })
    await untilHolds(async () => {
      await open(`${below}/requests`)
      await page.getByRole('table', { name: 'API requests' }).waitFor()
      expect(await page.getByText('Some items refused').count()).toBe(1)
    })
    await keepPictures(page, 'requests')
    await refusal.getByRole('link').click()
    await page.getByText('The answer was 400 VALIDATION_ERROR.').waitFor()
    await page.getByText('must be at least 1').waitFor()
    await keepPictures(page, 'request-refused')
    const opened = page.context().waitForEvent('page')
    await page.getByRole('link', { name: 'Read what it means' }).click()
    const docs = await opened
    await docs.locator('#validation_error').waitFor()
    expect(new URL(docs.url()).hash).toBe('#validation_error')
    await docs.close()

    await page.goBack()
    await page.getByRole('link', { name: 'POST /v1/transfers/bulk' }).click()
    await page.getByText('some of its items were refused', { exact: false }).waitFor()
    await page.getByText('transfers.1.accountNumber').waitFor()
    await page.getByRole('link', { name: 'VALIDATION_ERROR' }).waitFor()
    await keepPictures(page, 'request-bulk')
    expect(await askAxe(page, [])).toEqual([])
    expect(faultsAmong(complaints)).toEqual([])
  })

  it('without the right see the button, and why it is not for them', async () => {
    const viewer = await addPerson(dashboard, { role: 'support' })
    const { page, open } = await dashboard.visit({ as: viewer })
    await open(`${below}/webhooks`)
    const add = page.getByRole('button', { name: 'Add subscription' }).first()
    expect(await add.getAttribute('aria-disabled')).toBe('true')
    await open(`${below}/keys`)
    await page.getByText('Your role, support, may not see keys').waitFor()
  })
})
