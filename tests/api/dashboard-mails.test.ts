// E-mails through the dashboard: invitations, forgotten passwords, choices, and the letters about approvals, keys, failed payouts and
// low balances. Also that no letter shows a secret or a full account number.

import { afterAll, expect, it } from 'vitest'
import { createAlertLetters } from '#reporting/alerts.ts'
import { textOf } from '#mail/letter.ts'
import { formatId } from '#platform/ids.ts'
import { addPerson, below, callsOf } from '#tests/support/dashboard.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { startFakeSmtp, type ReceivedMail } from '#tests/support/fakes/smtp-server.ts'
import { asOwner } from '#tests/support/owner.ts'
import { eventually } from '#tests/support/patience.ts'
import { goodPassword } from '#tests/users/room.ts'
import { useService } from '#tests/support/service.ts'

const smtp = await startFakeSmtp()
afterAll(() => smtp.close())
const service = await useService({ settings: { SMTP_URL: smtp.url(), MAIL_FROM: 'Manilla <no-reply@pay.example>' } })
const owner = await addPerson(service, { role: 'owner', hasFactor: true, steppedUp: true })
const finance = await addPerson(service, { role: 'finance', hasFactor: true, steppedUp: true })
const stranger = callsOf(service)
const production = below(service, 'production')

function mailTo(email: string, subject: RegExp): Promise<ReceivedMail> {
  return eventually(`an e-mail to ${email} about ${String(subject)}`, () =>
    Promise.resolve(smtp.mails.find(({ to, headers }) => to === email && subject.test(headers.get('subject') ?? ''))),
  )
}

function tokenIn({ text }: ReceivedMail): string {
  return /#([\w-]+)/.exec(text)?.[1] ?? ''
}

const invite = (email: string) => owner.post(`${below(service)}/invitations`, { email, role: 'viewer' })

it('sends an invitation by e-mail only, so that its maker cannot follow it', async () => {
  const answer = await invite('new@shop.example')
  expect(expectSuccess(answer)).toMatchObject({ email: 'new@shop.example', link: null })
  const mail = await mailTo('new@shop.example', /^Invitation to Test Business on Manilla$/)
  expect(JSON.stringify(answer)).not.toContain(tokenIn(mail))
  expect(expectSuccess(await stranger.post('/links/look', { token: tokenIn(mail) }))).toMatchObject({
    kind: 'invitation',
    email: 'new@shop.example',
  })
})

it('refuses more invitations than one address may get, and leaves the last one as it is', async () => {
  for (let count = 0; count < 5; count++) expectSuccess(await invite('flood@shop.example'))
  expectError(await invite('flood@shop.example'), 429, 'RATE_LIMIT_EXCEEDED')
  const mails = await eventually('five e-mails', () => {
    const sent = smtp.mails.filter(({ to }) => to === 'flood@shop.example')
    return Promise.resolve(sent.length === 5 ? sent : undefined)
  })
  const looked = await Promise.all(mails.map(async (mail) => stranger.post('/links/look', { token: tokenIn(mail) })))
  expect(looked.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404, 404])
})

it('sends a colleague a link to a new password by e-mail only, which names its maker', async () => {
  const viewer = await addPerson(service, { role: 'viewer' })
  const path = `${below(service)}/people/${formatId('person', viewer.id)}/reset-link`
  const answer = await owner.post(path)
  expect(expectSuccess(answer)).toMatchObject({ link: null })
  const mail = await mailTo(viewer.email, /new password/)
  expect(mail.text).toContain(`requested a new password for your account at Test Business`)
  expect(JSON.stringify(answer)).not.toContain(tokenIn(mail))
  for (let count = 1; count < 10; count++) expectSuccess(await owner.post(path))
  expectError(await owner.post(path), 429, 'RATE_LIMIT_EXCEEDED')
  const last = await eventually('ten e-mails', () => {
    const sent = smtp.mails.filter(({ to }) => to === viewer.email)
    return Promise.resolve(sent.length === 10 ? sent : undefined)
  })
  const looked = await Promise.all(last.map(async (one) => stranger.post('/links/look', { token: tokenIn(one) })))
  expect(looked.filter(({ status }) => status === 200)).toHaveLength(1)
})

it('answers a forgotten password in the same way for any address, and sends an e-mail only to accounts', async () => {
  const known = await stranger.post('/links/forgotten', { email: finance.email })
  const unknown = await stranger.post('/links/forgotten', { email: 'nobody@shop.example' })
  expect(expectSuccess(known)).toEqual(expectSuccess(unknown))
  const mail = await mailTo(finance.email, /new password/)
  const looked = expectSuccess(await stranger.post('/links/look', { token: tokenIn(mail) }))
  expect(looked).toMatchObject({ kind: 'reset', email: finance.email })
  expect(smtp.mails.some(({ to }) => to === 'nobody@shop.example')).toBe(false)
})

it('lets a network wait that asks too often', async () => {
  for (let count = 0; count < 3; count++)
    expectSuccess(await stranger.post('/links/forgotten', { email: `many${count}@shop.example` }))
  expectError(await stranger.post('/links/forgotten', { email: 'one@shop.example' }), 429, 'RATE_LIMIT_EXCEEDED')
})

it('lets each person choose their alerts', async () => {
  const path = `${below(service)}/mails`
  const before = expectSuccess(await finance.get(path))
  expect(before).toMatchObject({ sendsMail: true })
  const chosen = before.choices.map(({ kind, wants }: { kind: string; wants: boolean }) => [kind, wants])
  expect(chosen).toEqual([
    ['approval-waiting', true],
    ['payouts-failed', true],
    ['low-balance', true],
  ])
  const after = expectSuccess(await finance.patch(path, { kind: 'payouts-failed', wants: false }))
  expect(after.choices).toContainEqual(expect.objectContaining({ kind: 'payouts-failed', wants: false }))
  expectError(await finance.patch(path, { kind: 'mismatches', wants: true }), 403, 'FORBIDDEN')
  expectError(await finance.patch(path, { kind: 'invitation', wants: true }), 400, 'VALIDATION_ERROR')
})

it('tells owners of a new live key, without the key', async () => {
  const developer = await addPerson(service, { role: 'developer' })
  const made = expectSuccess(await owner.post(`${production}/keys`, { name: 'Backend' }))
  const mail = await mailTo(owner.email, /^New live API key for Test Business$/)
  expect(mail.raw).not.toContain(made.secret)
  expect(mail.text).toContain(made.secret.slice(-4))
  expect(smtp.mails.some(({ to }) => to === developer.email)).toBe(false)
})

it('tells those who want it of failed payouts of an hour and of a low balance, once', async () => {
  const { ctx, business } = service
  const { id, lane } = business.tenants.production
  const hour = new Date(Math.floor((ctx.clock.now() - 120_000) / 3_600_000) * 3_600_000 - 3_600_000).toISOString()
  await asOwner(
    service.database,
    `insert into hourly_stat values (${lane}, '${id}', '${hour}', 'bank_transfer', 'NGN', 'failed', 'INVALID_ACCOUNT', 3, 450000, 0,
       3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)`,
  )
  expectSuccess(await owner.patch(`${production}/low-balance`, { amount: 100_000 }))
  const shown = expectSuccess(await owner.get(`${production}/low-balance`))
  expect(shown.mails).toHaveLength(2)
  for (let turn = 0; turn < 2; turn++) await createAlertLetters(ctx)(lane)
  const failed = await mailTo(owner.email, /^3 payouts failed at Test Business$/)
  expect(failed.text).toContain('₦4,500.00')
  const low = await mailTo(finance.email, /^Low balance at Test Business: ₦0.00$/)
  expect(low.text).toContain('₦1,000.00')
  expect(low.text).toMatch(/production\/balance\s/)
  expect(
    smtp.mails.filter(({ to, headers }) => to === finance.email && /payouts failed/.test(headers.get('subject') ?? '')),
  ).toEqual([])
  const point = expectSuccess(await owner.get(`${production}/go-live`)).points.find(
    (one: { id: string }) => one.id === 'low-balance',
  )
  expect(point).toMatchObject({ state: 'done' })
})

it('tells of a low balance of another currency in that currency, once, and not when it is off', async () => {
  const { ctx, business } = service
  const { lane } = business.tenants.production
  expectSuccess(await owner.patch(`${production}/currencies`, { on: ['XOF', 'KES'] }))
  for (const currency of ['XOF', 'KES'])
    expectSuccess(await owner.patch(`${production}/low-balance`, { amount: 5_000, currency }))
  expectSuccess(await owner.patch(`${production}/currencies`, { off: ['KES'] }))
  for (let turn = 0; turn < 2; turn++) await createAlertLetters(ctx)(lane)
  const low = await mailTo(finance.email, /^Low balance at Test Business: XOF 0$/)
  expect(low.text).toContain('below your limit of XOF 5,000.')
  expect(low.text).toContain('production/balance?currency=XOF')
  const letters = await asOwner(
    service.database,
    `select id from letter where kind = 'low-balance' and recipient = '${finance.email}'`,
  )
  expect(letters).toHaveLength(2)
})

it('tells every business of a lane, however many rows one read has', async () => {
  const { ctx, database } = service
  const hour = new Date(Math.floor((ctx.clock.now() - 120_000) / 3_600_000) * 3_600_000 - 7_200_000).toISOString()
  const lanes = new Set<number>()
  const owners: string[] = []
  for (const number of [1, 2, 3, 4]) {
    const { business } = await service.addBusiness(`Paged ${number}`)
    const { id, lane } = business.tenants.production
    lanes.add(lane)
    owners.push((await addPerson(service, { role: 'owner', business: business.id })).email)
    await asOwner(
      database,
      `insert into hourly_stat select ${lane}, '${id}', '${hour}', 'bank_transfer', currency, 'failed', 'INVALID_ACCOUNT', 3, 450000, 0,
         3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 from unnest('{KES,NGN}'::text[]) as currency;
       insert into low_balance_alert values (${lane}, '${id}', 100000);
       insert into webhook_subscription (lane, tenant_id, id, url, events, status, secret, secret_hint, failing_since, created_at,
           updated_at)
         values (${lane}, '${id}', gen_random_uuid(), 'https://shop.example', '{transfer.success}', 'active', '\\x00', 'x',
           now() - interval '${number} hours', now(), now())`,
    )
  }
  for (const lane of lanes) await createAlertLetters(ctx, { rowsPerPage: 3 })(lane)
  const letters = await asOwner<{ recipient: string; kind: string; facts: string }>(
    database,
    `select recipient, kind from letter where kind in ('payouts-failed', 'low-balance', 'webhook-failing')`,
  )
  for (const email of owners)
    expect(
      letters
        .filter(({ recipient }) => recipient === email)
        .map(({ kind }) => kind)
        .toSorted(),
    ).toEqual(['low-balance', 'payouts-failed', 'webhook-failing'])
})

it('informs only the person of a sign-in from a new device and of a removed second factor', async () => {
  const invited = expectSuccess(
    await owner.post(`${below(service)}/invitations`, { email: 'newcomer@shop.example', role: 'viewer' }),
  )
  expect(invited).toMatchObject({ link: null })
  const token = tokenIn(await mailTo('newcomer@shop.example', /^Invitation/))
  const account = { name: 'New Person', password: goodPassword }
  expectSuccess(await stranger.post('/links/invitation', { token, ...account }))
  expectSuccess(await callsOf(service).post('/sign-in', { email: 'newcomer@shop.example', password: goodPassword }))
  const device = await mailTo('newcomer@shop.example', /^New device signed in to Manilla$/)
  expect(device.text).toContain('127.0.0.1')
  const person = await addPerson(service, {
    role: 'finance',
    hasFactor: true,
    steppedUp: true,
    totp: Buffer.alloc(20, 7),
  })
  expectSuccess(await person.delete('/factors/totp'))
  await mailTo(person.email, /^Second factor removed from your Manilla account$/)
  const others = smtp.mails.filter(({ headers }) => /device|factor/.test(headers.get('subject') ?? ''))
  expect(new Set(others.map(({ to }) => to))).toEqual(new Set(['newcomer@shop.example', person.email]))
})

it('tells of a failing webhook by its host alone, and operators of mismatches, once', async () => {
  const { ctx, business } = service
  const { id, lane } = business.tenants.production
  const operator = await addPerson(service, { isOperator: true })
  const hook = { url: 'https://hooks.shop.example/in?secret=s3cret', events: ['transfer.success'] }
  expectSuccess(await service.production.post('/v1/webhooks', hook))
  await asOwner(
    service.database,
    `update webhook_subscription set failing_since = now() - interval '1 hour' where lane = ${lane} and tenant_id = '${id}';
     insert into rail_break (id, environment, rail, kind, subject, reference, fact, about_at, opened_at)
     values (gen_random_uuid(), 'production', 'paystack', 'missing-here', 'one', 'one', '{}', now() - interval '2 hours', now() - interval '1 hour')`,
  )
  for (let turn = 0; turn < 2; turn++) for (const each of [1, lane]) await createAlertLetters(ctx)(each)
  const failing = await mailTo(owner.email, /^Webhook is failing at Test Business$/)
  expect(failing.text).toContain('hooks.shop.example')
  expect(failing.raw).not.toContain('s3cret')
  await mailTo(operator.email, /^1 reconciliation mismatch to review$/)
  const about = (subject: RegExp) => smtp.mails.filter(({ headers }) => subject.test(headers.get('subject') ?? ''))
  expect(about(/mismatch/).map(({ to }) => to)).toEqual([operator.email])
  expect(about(/^Webhook/).filter(({ to }) => to === owner.email)).toHaveLength(1)
  expect(about(/^Webhook/).filter(({ to }) => to === finance.email)).toEqual([])
})

it('writes no secret, no address of a webhook and no account number into a letter', () => {
  const business = { id: service.business.id, name: 'Shop 0123456789', timeZone: 'Africa/Lagos' }
  const texts = [
    textOf('webhook-failing', { business, host: 'hooks.shop.example', state: 'failing', sinceMs: 0 }, ''),
    textOf('webhook-failing', { business, host: 'hooks.shop.example', state: 'disabled', sinceMs: 0 }, ''),
    textOf('new-device', { device: 'curl <b>', address: '192.0.2.1', atMs: 0, timeZone: 'UTC' }, ''),
    textOf('factor-removed', { isByOperator: true, isLast: true, atMs: 0, timeZone: 'UTC' }, ''),
    textOf('mismatches', { count: 2, sinceMs: 0 }, ''),
    textOf('payout-stopped', { business, draft: 'pdr_1', title: 'Rent <b>', total: '₦2.00', reason: 'Late.' }, ''),
    textOf(
      'approval-waiting',
      { business, environment: 'production', draft: 'pdr_1', maker: 'Ada', rows: 2, total: '₦2.00' },
      '',
    ),
  ]
  for (const { subject, paragraphs, link } of texts) {
    const all = [subject, ...paragraphs].join('\n')
    expect(all).not.toMatch(/sk_(test|live)_|whsec_|https?:|<b>/)
    expect(all.replaceAll('Shop 0123456789', '')).not.toMatch(/\d{10}/)
    // A link opens a page, and only a button there changes anything.
    expect(link.path).toMatch(/^(\/b\/biz_\w+\/(production|staging)\/[\w/]+)?$/)
  }
})
