// A button whose action fails says why, and the page stays usable.

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'

const sentence = 'Another person changed this a moment ago.'

describe.skipIf(chromiumFile === undefined)('a button whose action fails', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ roles: ['api'] })
  const api = below(dashboard, 'staging')
  const pages = `/b/${formatId('business', dashboard.business.id)}/staging`
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true, steppedUp: true })

  /** Refuses requests of this method to paths with this ending. */
  async function refuse(page: Page, method: string, ending: RegExp): Promise<void> {
    await page.route(ending, (route, request) =>
      request.method() === method
        ? route.fulfill({ status: 409, json: { success: false, error: { code: 'CONFLICT', message: sentence } } })
        : route.fallback(),
    )
  }

  it('says so when a row of a draft is not removed', async () => {
    const cells = { name: 'Ada Obi', bank: 'access-bank', account: '012345678', amount: '10.00' }
    const draft = { key: 'remove-row', title: 'Salaries', rows: [cells, cells] }
    const { id } = expectSuccess(await owner.post(`${api}/payout-drafts`, draft)) as { id: string }
    const { page, open } = await dashboard.visit({ as: owner })
    await refuse(page, 'DELETE', /\/rows\/1$/)
    const { promise: end, resolve: letThrough } = Promise.withResolvers<void>()
    await page.route(/\/rows\/1$/, async (route) => {
      await end
      await route.fallback()
    })
    await open(`${pages}/approvals/${id}`)
    await page.getByRole('button', { name: 'Edit row 1', exact: true }).click()
    await page.getByRole('button', { name: 'Remove row 1' }).click()
    // The dialog stays until the answer, so that the person reads it.
    await page.keyboard.press('Escape')
    letThrough()
    await page.getByRole('dialog').getByText(sentence).waitFor()
  })

  it('says so when a sign-in is not ended', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await page.route(/\/sign-ins$/, async (route) => {
      const response = await route.fetch()
      const { data } = (await response.json()) as { data: { signIns: object[] } }
      const other = { ...data.signIns[0], id: 'other', isThis: false }
      await route.fulfill({ response, json: { success: true, data: { signIns: [...data.signIns, other] } } })
    })
    await refuse(page, 'DELETE', /\/sign-ins\/other$/)
    await open(`${pages}/profile`)
    await page.getByRole('button', { name: /^End the sign-in/ }).click()
    await page.getByText(sentence).waitFor()
    expect(await page.getByRole('button', { name: /^End the sign-in/ }).count()).toBe(1)
  })

  it('says so when a subscription is not enabled', async () => {
    const hook = { url: 'https://shop.example.com/webhooks', events: ['transfer.success'] }
    const { id } = expectSuccess(await owner.post(`${api}/v1/webhooks`, hook)) as { id: string }
    expectSuccess(await owner.patch(`${api}/v1/webhooks/${id}`, { status: 'disabled' }))
    const { page, open } = await dashboard.visit({ as: owner })
    await refuse(page, 'PATCH', new RegExp(`/webhooks/${id}$`))
    await open(`${pages}/webhooks/${id}`)
    await page.getByRole('button', { name: 'Enable subscription' }).click()
    await page.getByText(sentence).waitFor()
  })

  it('says so when a view is not deleted, and in plain words when one is not saved', async () => {
    const view = { noun: 'deposits', name: 'Mine', query: '?status=FAILED', isShared: false }
    expectSuccess(await owner.post(`${api}/views`, view))
    const { page, open } = await dashboard.visit({ as: owner })
    await refuse(page, 'DELETE', /\/views\/[^/]+$/)
    await refuse(page, 'POST', /\/views$/)
    await open(`${pages}/deposits`)
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Delete “Mine”' }).click()
    await page.getByText(sentence).waitFor()
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Save this view' }).click()
    await page.getByLabel('Name').fill('Theirs')
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByRole('alert').getByText(sentence, { exact: true }).waitFor()
  })

  it('says so when the person is not signed out', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await refuse(page, 'POST', /\/sign-out$/)
    await open(pages)
    await page.getByRole('navigation').getByRole('button').last().click()
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
    await page.getByText(`You may still be signed in. ${sentence}`).waitFor()
    expect(page.url()).not.toContain('sign-in')
  })

  it('says so when a form without input is refused, and does not call that unsaved input', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await refuse(page, 'PATCH', /\/settings$/)
    await open(`${pages}/settings`)
    await page.getByRole('button', { name: 'Switch off receipt links' }).click()
    await page.getByText(sentence).waitFor()
    await page.getByRole('link', { name: 'Deposits' }).click()
    await page.getByRole('heading', { level: 1, name: 'Deposits' }).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  it('is there, with the failure, when the pause of payouts cannot be read', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await page.route(/\/pause$/, (route) => {
      const error = { code: 'INTERNAL_ERROR', message: 'An unexpected error occurred.' }
      return route.fulfill({ status: 500, json: { success: false, error } })
    })
    await open(`${pages}/settings`)
    const section = page.getByRole('region', { name: 'Payouts' })
    await section.getByText('An unexpected error occurred.').waitFor()
    await page.unroute(/\/pause$/)
    await section.getByRole('button', { name: 'Try again' }).click()
    await section.getByRole('button', { name: 'Pause payouts' }).waitFor()
    expect(await section.getByRole('alert').count()).toBe(0)
  })

  it('shows a new invitation, whose link nothing can show again, also while the team cannot be read', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${pages}/team`)
    await page.getByRole('button', { name: 'Invite person' }).click()
    await page.route(/\/people$/, (route) => {
      const error = { code: 'SERVICE_UNAVAILABLE', message: 'The service is starting.' }
      return route.fulfill({ status: 503, json: { success: false, error } })
    })
    await page.getByLabel('E-mail address').fill('bola@example.ng')
    await page.getByRole('button', { name: 'Make invitation' }).click()
    expect(await page.getByRole('dialog').locator('code').textContent()).toContain('/dashboard/invitation#')
  })

  it('calls a link used up only if the service says so, and not after too many requests', async () => {
    const { page } = await dashboard.visit()
    const error = { code: 'RATE_LIMIT_EXCEEDED', message: 'Too many requests. Wait a minute.' }
    const answer = { status: 429, json: { success: false, error } }
    await page.route(/\/links\/look$/, (route) => route.fulfill(answer))
    await page.goto(`${dashboard.address}/invitation#token`)
    await page.getByText(error.message).waitFor()
    await page.unroute(/\/links\/look$/)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('This link has expired or was already used.', { exact: false }).waitFor()
    expect(await page.getByText(error.message).count()).toBe(0)
  })

  it('opens the payout that was sent, also while other data of the page does not load', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${pages}/payouts/new?bank=guaranty-trust-bank&account=0123456789&amount=150000`)
    await page.getByText('Belongs to').waitFor()
    const { promise: end, resolve: letThrough } = Promise.withResolvers<void>()
    await page.route(/\/v1\/balance$/, async (route) => {
      await end
      await route.continue()
    })
    await page.getByRole('button', { name: 'Send ₦1,500.00' }).click()
    await page.getByRole('heading', { name: 'What happened' }).waitFor()
    expect(page.url()).toContain('/payments/payout-')
    letThrough()
    await page.unrouteAll({ behavior: 'wait' })
  })
})
