// A day of a business: everything that a day asks of the service, over HTTP. The first day and the ten thousandth make
// the same requests, so both must cost the same.

import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { present } from '#platform/assert.ts'
import { formatId, newUuid } from '#platform/ids.ts'
import { toMoney } from '#platform/money.ts'
import { addUses, forgetMinutesBefore } from '#businesses/quota.ts'
import { findHolders } from '#virtual-accounts/account-owners.ts'
import { createAdopting, parseNoticeId } from '#deposits/adopt.ts'
import { listOpenRefunds } from '#deposits/refunds.ts'
import { raiseReviewItem, closeReviewItems } from '#review/review-queue.ts'
import { createFollow, followPending } from '#reporting/search-index.ts'
import { claimNotices, finishNotice, insertNotice, postponeNotice } from '#rail-notices/queries.ts'
import { pausePayouts, resumePayouts } from '#payments/brakes.ts'
import { findByRailReference } from '#payments/rail-notice.ts'
import type { createRoom } from '#tests/deposits/room.ts'
import { rightCode, phones, untilMomo } from '#tests/payments/momo-requests.ts'
import { neverEnding, transferBody, untilPaused, untilStatus } from '#tests/payments/requests.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { setCurrencies } from '#businesses/currencies.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { asOwner } from '#tests/support/owner.ts'
import { eventually } from '#tests/support/patience.ts'
import type { Receiver } from '#tests/support/receiver.ts'
import type { TestService } from '#tests/support/service.ts'

export type Shop = {
  service: TestService
  receiver: Receiver
  /** The deposits module, to which a provider's reports go. */
  room: ReturnType<typeof createRoom>
  day: number
}

export async function liveADay(shop: Shop): Promise<void> {
  const webhookId = await subscribe(shop)
  await payOut(shop)
  await sendMobileMoney(shop)
  await collect(shop)
  await takeDeposits(shop)
  await hearOfMoney(shop)
  await shareQuotas(shop)
  await askForHolders(shop)
  await hearRails(shop)
  await askAboutEvents(shop, webhookId)
  await tellWhoIsDisabled(shop)
  await askForLists(shop)
  await pauseAndResume(shop)
  await raiseExceptions(shop)
  await lookAtMoney(shop)
}

const events = ['transfer.success', 'transfer.failed', 'momo.collection.success', 'deposit.success']

async function subscribe({ service: { staging }, receiver, day }: Shop): Promise<string> {
  receiver.behave(`/slow-${day}`, 500, 200)
  await ask(staging.post('/v1/webhooks', { url: receiver.url(`/slow-${day}`), events }))
  return (await ask(staging.post('/v1/webhooks', { url: receiver.url(`/day-${day}`), events }))).id
}

async function payOut({ service: { staging }, day }: Shop): Promise<void> {
  const bodyOf = (name: string, changes = {}) => transferBody({ reference: `${name}-${day}`, ...changes })
  await ask(staging.post('/v1/transfers/initiate', bodyOf('PAY')))
  await ask(staging.post('/v1/transfers/initiate', bodyOf('PAY')))
  await ask(staging.post('/v1/transfers/initiate', bodyOf('BAD', { accountNumber: '9990000006' })))
  const many = Array.from({ length: 20 }, (_, index) => bodyOf(`MANY-${index}`))
  await ask(staging.post('/v1/transfers/bulk', { transfers: many }))
  await untilStatus(staging, `PAY-${day}`, 'SUCCESS')
  await untilStatus(staging, `BAD-${day}`, 'FAILED')
  await ask(staging.post('/v1/transfers/initiate', bodyOf('HAND', { accountNumber: neverEnding })))
  for (const status of ['SUCCESS', 'REVERSED']) {
    await ask(staging.post(`/v1/sandbox/transfers/HAND-${day}/complete`, { status }))
  }
}

async function sendMobileMoney({ service: { staging }, day }: Shop): Promise<void> {
  const body = { amount: 50_000, phoneNumber: phones.success }
  await ask(staging.post('/v1/momo/transfer', { ...body, reference: `MOMO-${day}` }))
  await untilMomo(staging, 'transfer', `MOMO-${day}`, 'SUCCESS')
  await ask(staging.post('/v1/momo/transfer', { ...body, phoneNumber: '+233240000001', reference: `CEDIS-${day}` }))
  await untilMomo(staging, 'transfer', `CEDIS-${day}`, 'SUCCESS')
}

async function collect({ service: { staging }, day }: Shop): Promise<void> {
  const reference = `COLLECT-${day}`
  await ask(staging.post('/v1/momo/collection', { reference, amount: 90_000, phoneNumber: phones.otp }))
  await ask(staging.post('/v1/momo/collection/verify-otp', { reference, otp: rightCode }))
  await untilMomo(staging, 'collection', reference, 'SUCCESS')
}

async function takeDeposits({ service: { staging }, day }: Shop): Promise<void> {
  const reference = `CUSTOMER-${day}`
  await ask(staging.post('/v1/customers', { reference, firstName: 'Ada', lastName: 'Obi' }))
  await ask(staging.patch(`/v1/customers/${reference}`, { email: 'ada@example.com' }))
  await ask(staging.get(`/v1/customers/${reference}`))
  const { accountNumber } = await ask(staging.post('/v1/virtual-accounts/static', { customerReference: reference }))
  const order = { amount: 70_000, reference: `ORDER-${day}`, expiresInMinutes: 30 }
  const dynamic = await ask(staging.post('/v1/virtual-accounts/dynamic', order))
  await ask(staging.post('/v1/sandbox/deposits', { accountNumber: dynamic.accountNumber, amount: 70_000 }))
  await ask(staging.post('/v1/sandbox/deposits', { accountNumber, amount: 30_000 }))
  const pending = await ask(staging.post('/v1/sandbox/deposits', { accountNumber, amount: 20_000, status: 'PENDING' }))
  await ask(staging.post(`/v1/sandbox/deposits/${pending.reference}/settle`, { status: 'SUCCESSFUL' }))
  await ask(staging.get(`/v1/deposits/${pending.reference}`))
  await ask(staging.get(`/v1/deposits/validate/${pending.reference}`))
  await ask(staging.get(`/v1/deposits?accountNumber=${accountNumber}`))
  await ask(staging.get(`/v1/deposits?customerReference=${reference}`))
  await ask(staging.get(`/v1/virtual-accounts?customerReference=${reference}`))
  await ask(staging.get(`/v1/virtual-accounts/${accountNumber}`))
  await ask(staging.delete(`/v1/virtual-accounts/${accountNumber}`))
}

/**
 * A provider reports money: for an account, once more for another one, and for an account without an owner, whose money
 * a person adopts.
 */
async function hearOfMoney({ room, day }: Shop): Promise<void> {
  const tenant = await room.newTenant()
  const accountNumber = await room.openStatic(tenant)
  await room.deposits.receive('production', room.notice({ accountNumber, providerId: `PAID-${day}` }))
  const other = await room.openStatic(await room.newTenant())
  await room.deposits.receive('production', room.notice({ accountNumber: other, providerId: `PAID-${day}` }))
  const byReference = { ...room.notice({ providerId: `BY-${day}` }), account: { railReference: `none-${day}` } }
  await room.deposits.receive('production', byReference)
  const late = await room.openDynamic(tenant, 10_000, 'exact')
  const less = { provider: 'simulator', accountNumber: late, amount: 1, providerId: `LESS-${day}` }
  await room.deposits.receive('production', room.notice(less))
  // A loop of the service may be quicker; then it has run the same statements.
  await listOpenRefunds(room.ctx, [tenant.lane])
  await room.deposits.sendBack(tenant.lane)
  const stray = room.notice({ providerId: `STRAY-${day}` })
  await room.deposits.receive('production', stray)
  const noticeId = parseNoticeId(`production:${stray.provider}:${stray.providerId}`)
  if (noticeId === undefined) throw new Error('a notice has an id')
  const by = { kind: 'terminal' as const, name: 'ada@office' }
  await createAdopting(room.ctx, room.lanes.of)({ noticeId, accountNumber, note: 'ticket 881', by })
}

/** Asks for the holders of a number, as when a rail gives out a number that is in use. */
async function askForHolders({ room }: Shop): Promise<void> {
  const accountNumber = await room.openStatic(await room.newTenant())
  const holders = await findHolders(room.ctx.db, [{ environment: 'production', accountNumber }])
  expect([...holders.values()]).toEqual([{ turn: 0, isOpen: true }])
}

/** A notice of a rail: stored, worked on in vain, and worked on again. */
async function hearRails({ service: { ctx }, day }: Shop): Promise<void> {
  const digest = createHash('sha256').update(`${day}`).digest()
  const [now, later] = [new Date(), new Date(Date.now() + 60_000)]
  const claim = { environment: 'production' as const, rail: 'bank', limit: 10 }
  await insertNotice(ctx.db, { ...claim, digest }, Buffer.from('sealed'), now)
  const [first] = await claimNotices(ctx.db, { ...claim, now, leaseEnd: later })
  await postponeNotice(ctx.db, present(first, 'a notice is due'), { dueAt: now, why: 'nobody answers', wasTried: true })
  const [again] = await claimNotices(ctx.db, { ...claim, now, leaseEnd: later })
  expect(await finishNotice(ctx.db, present(again, 'a notice is due again'), null)).toBe(true)
  expect(await findByRailReference(ctx.db, [1], newUuid(now.getTime()))).toBeUndefined()
}

/** Processes share their counts of quotas, and delete those of past minutes. */
async function shareQuotas({ service: { ctx }, day }: Shop): Promise<void> {
  const bucket = createHash('sha256').update(`${day}`).digest()
  for (const window of [day * 10, day * 10 + 5]) {
    expect(await addUses(ctx.db, [{ bucket, window, more: 100 }])).toEqual([100])
    await forgetMinutesBefore(ctx.db, window)
  }
}

async function askAboutEvents({ service, day, receiver }: Shop, webhookId: string): Promise<void> {
  const { staging } = service
  await receiver.received(`/day-${day}`, 25)
  await receiver.received(`/slow-${day}`, 26)
  const path = `/v1/webhooks/events?webhookId=${webhookId}`
  const delivery = await eventually('a delivery', async () => (await ask(staging.get(path))).events[0])
  await ask(staging.get(`/v1/webhooks/events/${delivery.id}`))
  await ask(staging.get(`/v1/webhooks/events?reference=PAY-${day}`))
  await ask(staging.get(`${path}&from=2020-01-01&to=2030-01-01`))
  const developer = await addPerson(service, { role: 'developer', business: service.business.id })
  await ask(developer.get(`${below(service, 'staging')}/webhooks/${webhookId}/hours`))
  await ask(staging.post(`/v1/webhooks/events/${delivery.id}/retry`, { force: true }))
  await ask(staging.post(`/v1/webhooks/${webhookId}/test`))
  await ask(staging.post('/v1/sandbox/webhooks/trigger', { event: 'transfer.success' }))
  await ask(staging.get(`/v1/webhooks/${webhookId}`))
  await ask(staging.patch(`/v1/webhooks/${webhookId}`, { events: ['transfer.success'] }))
  await ask(staging.post(`/v1/webhooks/${webhookId}/rotate-secret`))
  await receiver.received(`/day-${day}`, 27)
  const yesterday = new Date(Date.now() - 86_400_000).toISOString()
  await ask(staging.post('/v1/webhooks/events/retry', { from: yesterday, to: new Date().toISOString() }))
  // The rest of the day has subscriptions of its own.
  for (const { id } of (await ask(staging.get('/v1/webhooks'))).webhooks)
    await ask(staging.delete(`/v1/webhooks/${id}`))
}

/** The deliveries of a disabled subscription rest until its business asks for them. */
async function tellWhoIsDisabled({ service: { staging }, day, receiver }: Shop): Promise<void> {
  const path = `/disabled-${day}`
  receiver.behave(path, 500)
  const { id } = await ask(staging.post('/v1/webhooks', { url: receiver.url(path), events }))
  await ask(staging.post('/v1/sandbox/webhooks/trigger', { event: 'transfer.success' }))
  await receiver.received(path, 1)
  await ask(staging.patch(`/v1/webhooks/${id}`, { status: 'disabled' }))
  const delivery = await eventually('a delivery at rest', async () => {
    const [last] = (await ask(staging.get(`/v1/webhooks/events?webhookId=${id}`))).events
    return last.attempts > 0 && last.nextAttemptAt === null ? last : undefined
  })
  await ask(staging.post(`/v1/webhooks/events/${delivery.id}/retry`, { force: true }))
  await receiver.received(path, delivery.attempts + 1)
  await ask(staging.delete(`/v1/webhooks/${id}`))
}

async function askForLists({ service: { staging, url } }: Shop): Promise<void> {
  expect((await fetch(`${url}/metrics`)).status).toBe(200)
  await ask(staging.get('/v1/balance'))
  await ask(staging.post('/v1/sandbox/balance/fund', { amount: 1_000_000 }))
  for (const list of ['customers', 'virtual-accounts']) await ask(staging.get(`/v1/${list}?page=2`))
  const timed = ['transfers', 'momo/transfer', 'momo/collection', 'deposits', 'webhooks/events', 'balance/ledger']
  for (const list of timed) {
    for (const query of ['', '?page=2', '?from=2020-01-01&to=2030-01-01']) await ask(staging.get(`/v1/${list}${query}`))
  }
  const filtered = ['transfers?status=SUCCESS', 'transfers?status=FAILED', 'deposits?status=SUCCESSFUL']
  const ofLog = ['webhooks/events?status=failed', 'webhooks/events?event=transfer.failed']
  for (const list of [...filtered, ...ofLog, 'virtual-accounts?status=CLOSED']) await ask(staging.get(`/v1/${list}`))
}

async function pauseAndResume({ service: { ctx, business, staging } }: Shop): Promise<void> {
  const whose = { environments: ['staging' as const], businessId: business.id }
  await pausePayouts(ctx, whose)
  await untilPaused(staging, true)
  await resumePayouts(ctx, [1], whose)
  await untilPaused(staging, false)
}

/** Exceptions are rare, but acceptance and settling raise them. */
async function raiseExceptions({ service: { ctx, business }, day }: Shop): Promise<void> {
  const { staging } = business.tenants
  const fact = {
    kind: 'payment-stuck' as const,
    subject: `STUCK-${day}`,
    fact: 'for a day',
    reference: `STUCK-${day}`,
    currency: 'NGN' as const,
  }
  const lane = ctx.db.connection(`exceptions ${day}`)
  const owner = { environment: 'staging' as const, tenant: staging, amount: toMoney(1_000) }
  await lane.transaction(async (tx) => raiseReviewItem(ctx, tx, { ...fact, ...owner }), staging.lane)
  const settled = { kind: fact.kind, subject: fact.subject, note: 'It ended.' }
  await lane.transaction(async (tx) => closeReviewItems(ctx, tx, [settled]), staging.lane)
  await lane.close()
}

/** Requests that people make beside programs; each finds a record by its name, or reads a page. */
async function lookAtMoney(shop: Shop): Promise<void> {
  const { service, day } = shop
  const { ctx, business, staging } = service
  const tenant = business.tenants.staging
  const { sessionId, id } = await ask(staging.get(`/v1/transfers/PAY-${day}`))
  const person = await addPerson(service, { role: 'owner', isOperator: true })
  const here = below(service, 'staging')
  // The index needs ten seconds or more for tables that have just grown. So the test waits in the database: as many
  // requests would use up the quota of the person.
  const indexed = 'select 1 from search_term where lane = $1 and tenant_id = $2 and term = $3'
  await eventually('the finder has the session id', async () => {
    const [row] = await asOwner(service.database, indexed, [tenant.lane, tenant.id, sessionId])
    return row
  })
  expect((await ask(person.get(`${here}/find?q=${sessionId}`))).hits).not.toEqual([])
  const pasted = [id, `PAY-${day}`, `CUSTOMER-${day}`, 'ada@example.com', '08031112222', '0123456789', `ORDER-${day}`]
  const parts = ['ada obi', '₦1,500.00', `pay-${day}`]
  for (const text of [...pasted, ...parts]) await ask(person.get(`${here}/find?q=${encodeURIComponent(text)}`))
  const { virtualAccounts } = await ask(staging.get('/v1/virtual-accounts?limit=1'))
  for (const text of ['ada obi', virtualAccounts[0].accountNumber])
    await ask(person.get(`${here}/customers?search=${text}`))
  const unknown = (['deposit', 'webhook', 'event', 'key'] as const).map((kind) => formatId(kind, newUuid(Date.now())))
  const { customers } = await ask(staging.get('/v1/customers?limit=1'))
  // The search looks near the time in the id. On a slow machine, ids of the current time would find no rows there.
  for (const text of [customers[0].id, virtualAccounts[0].id, ...unknown])
    await ask(person.get(`${here}/find?q=${text}`))
  const [from, to] = [new Date(Date.now() - 86_400_000).toISOString(), new Date().toISOString()]
  for (const by of ['hour', 'day']) await ask(person.get(`${here}/figures?from=${from}&to=${to}&by=${by}`))
  for (const reference of [`PAY-${day}`, `HAND-${day}`, `COLLECT-${day}`])
    await ask(person.get(`${here}/payments/${reference}/story`))
  await ask(person.get(`${here}/search/transfers?amountFrom=1&metadata=nothing`))
  const ended = `endedFrom=${from}&endedTo=${to}`
  for (const status of ['SUCCESS', 'FAILED'])
    await ask(person.get(`${here}/search/transfers?status=${status}&${ended}`))
  await ask(person.get(`${here}/ended-deposits?status=SUCCESSFUL&${ended}`))
  for (const page of ['alerts', 'limits', 'pause']) await ask(person.get(`${here}/${page}`))
  for (const amount of [1_000, null])
    for (const currency of ['NGN', 'GHS']) await ask(person.patch(`${here}/low-balance`, { amount, currency }))
  // Production has no balance, so a currency can be switched off again.
  await setCurrencies(ctx, business.tenants.production, { on: ['GHS'], off: [] })
  await setCurrencies(ctx, business.tenants.production, { on: [], off: ['GHS'] })
  await ask(person.get(`${here}/currencies`))
  const { deliveries } = await ask(person.get(`${here}/deliveries?limit=1`))
  await ask(person.get(`${here}/deliveries/${deliveries[0].id}`))
  await ask(person.get('/operations'))
  await createFollow(ctx)(tenant.lane)
  // The worker runs this only when an item has been open for two minutes.
  const open = { now: new Date(), again: new Date(), limit: 10 }
  await ctx.db.transaction((tx) => followPending(tx, open), tenant.lane)
}

// Other tests check the answers.
// oxlint-disable-next-line typescript/no-explicit-any
async function ask(answer: ReturnType<TestService['staging']['get']>): Promise<any> {
  return expectSuccess(await answer)
}
