// Every kind of e-mail, read from a mail server and followed in a real browser to its page. No link changes anything by
// itself.

import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { createAlertLetters } from '#reporting/alerts.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { addPerson, below, type TestPerson } from '#tests/support/dashboard.ts'
import { startFakeSmtp, type ReceivedMail } from '#tests/support/fakes/smtp-server.ts'
import { asOwner } from '#tests/support/owner.ts'
import { eventually, untilHolds } from '#tests/support/patience.ts'
import { goodPassword } from '#tests/users/room.ts'
import { faultsAmong } from './faults.ts'
import { keepPictures } from './page-checks.ts'

describe.skipIf(chromiumFile === undefined)('the link of an e-mail', async () => {
  if (chromiumFile === undefined) return
  const smtp = await startFakeSmtp()
  afterAll(() => smtp.close())
  const dashboard = await useDashboard({ settings: { SMTP_URL: smtp.url(), MAIL_FROM: 'no-reply@pay.example' } })
  const strong = { hasFactor: true, steppedUp: true }
  const owner = await addPerson(dashboard, { role: 'owner', ...strong })
  const maker = await addPerson(dashboard, { role: 'finance', ...strong })
  const production = below(dashboard, 'production')
  const staging = below(dashboard, 'staging')
  const newcomer = 'bola@example.ng'

  async function linkTo(email: string, subject: RegExp): Promise<string> {
    const isIt = ({ to, headers }: ReceivedMail): boolean => to === email && subject.test(headers.get('subject') ?? '')
    const { text } = await eventually(`an e-mail to ${email}`, () => Promise.resolve(smtp.mails.find(isIt)))
    // The service of a test listens on any free port, so its settings, and the links, say 0.
    const link = /^http\S+$/m.exec(text)?.[0] ?? ''
    return link.replace('http://localhost:0', new URL(dashboard.address).origin)
  }

  /** Opens the link in a browser of its own and waits for the page that it leads to. */
  async function follow(link: string, title: string, as?: TestPerson): Promise<Page> {
    const { page, complaints } = await dashboard.visit(as === undefined ? {} : { as })
    await page.goto(link)
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    expect(faultsAmong(complaints).filter((complaint) => !complaint.includes('status of 401'))).toEqual([])
    return page
  }

  it('makes an account, leads through the sign-in to what waits for approval, and to a new password', async () => {
    expectSuccess(await owner.post(`${below(dashboard)}/invitations`, { email: newcomer, role: 'finance' }))
    const invited = await follow(await linkTo(newcomer, /^Invitation/), 'Join Test Business')
    await invited.getByLabel('Your name').fill('Bola Ade')
    await invited.getByLabel('New password').fill(goodPassword)
    await invited.getByRole('button', { name: 'Accept invitation' }).click()
    await invited.getByRole('heading', { name: 'Home' }).waitFor()

    expectSuccess(await owner.patch(`${staging}/payout-policy`, { mode: 'every' }))
    const rows = [{ amount: '2500', bank: 'GTBank', account: '0123456789', name: 'ADA OBI' }]
    const draft = { key: randomUUID(), title: 'Rent', rows, submit: true }
    const { id } = expectSuccess(await maker.post(`${staging}/payout-drafts`, draft))
    const waiting = await follow(await linkTo(newcomer, /waits for your approval$/), 'Sign in')
    await waiting.getByLabel('E-mail address').fill(newcomer)
    await waiting.getByLabel('Password').fill(goodPassword)
    await waiting.getByRole('button', { name: 'Sign in', exact: true }).click()
    await waiting.getByRole('heading', { name: 'Rent' }).waitFor()
    await waiting.getByRole('button', { name: 'Approve ₦2,500.00' }).waitFor()
    await keepPictures(waiting, 'mail-approval')
    // Opening the link approves nothing.
    expect(expectSuccess(await maker.get(`${staging}/payout-drafts/${id}`))).toMatchObject({ status: 'waiting' })

    const device = await follow(await linkTo(newcomer, /^New device signed in/), 'Sign in')
    await device.getByRole('link', { name: 'Forgot your password?' }).click()
    await device.getByLabel('E-mail address').fill(newcomer)
    await device.getByRole('button', { name: 'Send link' }).click()
    const reset = await follow(await linkTo(newcomer, /^Choose a new password/), 'Set a new password')
    await reset.getByLabel('New password').fill(`${goodPassword}!`)
    await reset.getByRole('button', { name: 'Set password' }).click()
    await reset.getByRole('heading', { name: 'Home' }).waitFor()
  })

  it('leads to the keys when there is a new live key, and to the sign-in when a second factor was removed', async () => {
    expectSuccess(await owner.post(`${production}/keys`, { name: 'Backend' }))
    await follow(await linkTo(owner.email, /^New live API key/), 'API keys', owner)
    const person = await addPerson(dashboard, { role: 'viewer', ...strong, totp: Buffer.alloc(20, 7) })
    expectSuccess(await person.delete('/factors/totp'))
    await follow(await linkTo(person.email, /^Second factor removed/), 'Sign in')
  })

  it('leads to the payouts that failed, the balance that is low, the webhook that fails, and the mismatch', async () => {
    const { ctx, business, database } = dashboard
    const { id, lane } = business.tenants.production
    const operator = await addPerson(dashboard, { role: 'owner', ...strong, isOperator: true })
    const hour = new Date(Math.floor((ctx.clock.now() - 120_000) / 3_600_000) * 3_600_000 - 3_600_000).toISOString()
    expectSuccess(await owner.patch(`${production}/low-balance`, { amount: 100_000 }))
    const hook = { url: 'https://hooks.shop.example/in', events: ['transfer.success'] }
    expectSuccess(await dashboard.production.post('/v1/webhooks', hook))
    await asOwner(
      database,
      `insert into hourly_stat values (${lane}, '${id}', '${hour}', 'bank_transfer', 'NGN', 'failed', 'INVALID_ACCOUNT', 3, 450000, 0,
         3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
       update webhook_subscription set failing_since = now() - interval '1 hour' where lane = ${lane} and tenant_id = '${id}';
       insert into rail_break (id, environment, rail, kind, subject, reference, fact, about_at, opened_at)
       values (gen_random_uuid(), 'production', 'paystack', 'missing-here', 'one', 'one', '{}', now() - interval '2 hours', now() - interval '1 hour')`,
    )
    for (const each of [1, lane]) await createAlertLetters(ctx)(each)
    await follow(await linkTo(owner.email, /^3 payouts failed/), 'Payments', owner)
    await follow(await linkTo(owner.email, /^Low balance/), 'Balance', owner)
    await follow(await linkTo(owner.email, /^Webhook is failing/), 'Webhooks', owner)
    const home = await follow(await linkTo(operator.email, /^1 reconciliation mismatch/), 'Home', operator)
    await home.getByRole('link', { name: 'Operations' }).click()
    await home.getByRole('heading', { name: 'Operations', level: 1 }).waitFor()

    // The mail server has a letter before the service records that it was sent.
    await untilHolds(async () => {
      const sent = `select distinct kind from letter where status = 'sent' order by kind`
      const kinds = await asOwner<{ kind: string }>(database, sent)
      expect(kinds.map(({ kind }) => kind)).toEqual([
        'approval-waiting',
        'factor-removed',
        'invitation',
        'live-key',
        'low-balance',
        'mismatches',
        'new-device',
        'payouts-failed',
        'reset',
        'webhook-failing',
      ])
    })
  })
})
