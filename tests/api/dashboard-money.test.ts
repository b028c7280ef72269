// Pages about money: figures, search, statements, deliveries, exports, and alerts.

import { describe, expect, it } from 'vitest'
import { pausePayouts, resumePayouts } from '#payments/brakes.ts'
import type { Context } from '#platform/context.ts'
import { sha256 } from '#platform/secrets.ts'
import type { ClaimedNotice } from '#rail-notices/notice.ts'
import { finishNotice, insertNotice } from '#rail-notices/queries.ts'
import { openBreaks } from '#reconciliation/mismatches.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { startReceiver } from '#tests/support/receiver.ts'
import { useService } from '#tests/support/service.ts'
import { transferBody, untilPaused, untilStatus } from '#tests/payments/requests.ts'
import { parseCsv } from '#tests/support/csv.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '20', WEBHOOK_RETRY_SCHEDULE: '1,1' } })
const { staging } = service
const owner = await addPerson(service, { role: 'owner' })
const support = await addPerson(service, { role: 'support' })
const here = below(service, 'staging')
const ask = async (answer: ReturnType<typeof staging.get>) => expectSuccess(await answer)

async function pay(reference: string, changes: Record<string, unknown> = {}) {
  await ask(staging.post('/v1/transfers/initiate', transferBody({ reference, ...changes })))
}

describe('figures', () => {
  it('say what went out and how it ended, hour by hour, beside the period before', async () => {
    await pay('F-1', { amount: 100_000 })
    await pay('F-2', { accountNumber: '9990000006' })
    await untilStatus(staging, 'F-1', 'SUCCESS')
    await untilStatus(staging, 'F-2', 'FAILED')
    const now = Date.now()
    const [from, to] = [new Date(now - 7_200_000).toISOString(), new Date(now).toISOString()]
    const figures = await ask(owner.get(`${here}/figures?from=${from}&to=${to}&by=hour`))
    expect(figures.totals).toMatchObject({
      out: { count: 1, amount: 100_000 },
      failed: 1,
      successRate: 0.5,
    })
    expect(figures.before).toMatchObject({ out: { count: 0, amount: 0 }, successRate: null })
    expect(figures.failureReasons).toEqual([{ noun: 'transfers', reason: 'DORMANT_ACCOUNT', count: 1 }])
    expect(figures.series.length).toBeGreaterThanOrEqual(3)
    expect(figures.series.reduce((sum: number, point: { out: number }) => sum + point.out, 0)).toBe(100_000)
  })

  it('are shown as the most that JSON shows exactly, where test money adds up to more', async () => {
    const { lane, id } = service.business.tenants.staging
    const took = Array.from({ length: 13 }, () => '0').join(', ')
    await asOwner(
      service.database,
      `insert into hourly_stat values ($1, $2, '2026-01-05T10:00:00Z', 'deposit', 'NGN', 'succeeded', '', 2000, 1e20, 1e19, ${took})`,
      [lane, id],
    )
    const figures = await ask(owner.get(`${here}/figures?from=2026-01-05&to=2026-01-06&by=hour`))
    const most = Number.MAX_SAFE_INTEGER
    expect(figures.totals).toMatchObject({ in: { count: 2000, amount: most }, fees: most })
  })

  it.each([
    '',
    '?from=2026-01-01&to=2026-01-02',
    '?from=2026-01-02&to=2026-01-01&by=day',
    '?from=2020-01-01&to=2026-01-01&by=day',
  ])('are refused for %s', async (query) =>
    expectError(await owner.get(`${here}/figures${query}`), 400, 'VALIDATION_ERROR'),
  )
})

describe('a pasted text', () => {
  it('is found here, offered from the other environment, and named by its shape', async () => {
    await pay('FIND-1', { accountNumber: '0444555666' })
    await untilHolds(async () => {
      const found = await ask(owner.get(`${here}/find?q=0444555666`))
      expect(found.hits).toMatchObject([
        { kind: 'transfer', reference: 'FIND-1', environment: 'staging', amount: 150_000 },
      ])
      expect(found.looksLike).toBe('account-number')
    })
    const other = await ask(owner.get(`${below(service, 'production')}/find?q=FIND-1`))
    expect(other).toMatchObject({ hits: [], elsewhere: [{ kind: 'transfer', reference: 'FIND-1' }] })
  })

  it('is not looked for, and in no line of the log, when it is a secret key', async () => {
    const secret = `sk_live_${'a1'.repeat(20)}`
    expect(await ask(owner.get(`${here}/find?q=${secret}`))).toEqual({
      hits: [],
      elsewhere: [],
      looksLike: 'secret-key',
    })
    expect(service.lines.filter((line) => line.includes('a1a1a1'))).toEqual([])
  })
})

describe('the statement', () => {
  it('adds up, and says so', async () => {
    const statement = await ask(owner.get(`${here}/statement?limit=100`))
    expect(statement.adds).toBe(true)
    expect(statement.opening).toBe(0)
    const sum = (side: string) =>
      statement.entries.reduce((total: number, one: Record<string, number>) => total + (one[side] ?? 0), 0)
    expect([sum('in'), sum('out')]).toEqual([statement.sumIn, statement.sumOut])
    expect(statement.closing).toBe(statement.entries[0].balanceAfter)
    const numbers = statement.entries.map(({ number }: { number: number }) => number)
    expect(numbers).toEqual(numbers.toSorted((left: number, right: number) => right - left))
    const last = statement.entries.at(-2)
    const later = await ask(owner.get(`${here}/statement?from=${last.at}`))
    expect(later).toMatchObject({ adds: true, closing: statement.closing })
    expect(later.opening + later.sumIn - later.sumOut).toBe(statement.closing)
  })

  it('is not for who answers customers', async () => {
    expectError(await support.get(`${here}/statement`), 403, 'FORBIDDEN')
    expectError(await support.get(`${here}/export/statement.csv`), 403, 'FORBIDDEN')
  })
})

describe('deliveries', () => {
  it('are listed over all subscriptions by the class of the answer, and one can be sent again by hand', async () => {
    const receiver = await startReceiver()
    receiver.behave('/broken', 500)
    const subscription = await ask(
      staging.post('/v1/webhooks', { url: receiver.url('/broken'), events: ['transfer.success'] }),
    )
    await pay('QUOTED', { narration: `it's "quoted" $(id) \`x\`` })
    const listed = await untilHolds(async () => {
      const found = await ask(owner.get(`${here}/deliveries?codeClass=5xx&subscription=${subscription.id}`))
      expect(found.deliveries).toHaveLength(1)
      return found.deliveries[0]
    })
    expect(await ask(owner.get(`${here}/deliveries?codeClass=2xx&subscription=${subscription.id}`))).toEqual({
      deliveries: [],
    })
    const detail = await ask(owner.get(`${here}/deliveries/${listed.id}`))
    expect(JSON.parse(detail.body)).toMatchObject({
      event: 'transfer.success',
      data: { narration: `it's "quoted" $(id) \`x\`` },
    })
    expect(detail.headers['X-Webhook-Id']).toBe(listed.id)
    expect(detail.curl).toContain(String.raw`it'\''s`)
    expect(detail.curl).not.toContain(subscription.secret)
    expect(detail.secretHint).toBe(`whsec_…${subscription.secret.slice(-5)}`)
    expect(detail.attempts[0]).toMatchObject({ number: 1, statusCode: 500 })
    await ask(staging.delete(`/v1/webhooks/${subscription.id}`))
    expect(await ask(owner.get(`${here}/deliveries/${listed.id}`))).toMatchObject({
      curl: null,
      headers: null,
      secretHint: null,
    })
    await receiver.close()
  })
})

describe('an export', () => {
  it('has all rows of the filter in the chosen columns, and counts them', async () => {
    await pay('EVIL', { accountName: '=HYPERLINK("x")', narration: '@cmd, "a"' })
    await untilStatus(staging, 'EVIL', 'SUCCESS')
    const total = (await staging.get('/v1/transfers?status=SUCCESS')).body.meta?.pagination?.total ?? 0
    const answer = await owner.get(
      `${here}/export/transfers.csv?status=SUCCESS&columns=reference,accountName,amount,narration,createdAt&zone=Africa/Lagos`,
    )
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8')
    const rows = parseCsv(answer.text)
    expect(rows[0]).toEqual([
      'reference',
      'accountName',
      'amount (NGN)',
      'narration',
      'createdAt (UTC)',
      'createdAt (Africa/Lagos)',
    ])
    expect(rows).toHaveLength(total + 1)
    const [, name, amount, narration, utc, local] = rows.find(([reference]) => reference === 'EVIL') ?? []
    expect([name, amount, narration]).toEqual([`'=HYPERLINK("x")`, '1500.00', `'@cmd, "a"`])
    expect(Date.parse(`${local?.replace(' ', 'T')}+01:00`)).toBe(Math.floor(Date.parse(utc ?? '') / 1_000) * 1_000)
  })

  it.each(['transfers', 'momo-transfers', 'collections', 'deposits', 'customers', 'virtual-accounts', 'statement'])(
    'of %s can be read',
    async (noun) => {
      const [head = [], ...rows] = parseCsv((await owner.get(`${here}/export/${noun}.csv`)).text)
      for (const row of rows) expect(row).toHaveLength(head.length)
      const sheet = await owner.get(`${here}/export/${noun}.xlsx`)
      expect(sheet.headers['content-type']).toBe('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')
      expect(sheet.headers['content-disposition']).toBe(`attachment; filename="${noun}.xlsx"`)
      expect(sheet.text.startsWith('PK\u0003\u0004')).toBe(true)
    },
  )

  it('is recorded with the person who made it, and refused to people without the right', async () => {
    const { entries } = await ask(owner.get(`${below(service)}/audit?act=data.exported`))
    expect(entries[0]).toMatchObject({ person: expect.stringMatching(/^per_/), details: { noun: expect.any(String) } })
    expectError(await support.get(`${here}/export/transfers.csv`), 403, 'FORBIDDEN')
    expectError(await owner.get(`${here}/export/secrets.csv`), 404, 'NOT_FOUND')
    expectError(await owner.get(`${here}/export/transfers.csv?columns=otpHash`), 400, 'VALIDATION_ERROR')
    expectError(await owner.get(`${here}/export/transfers.csv?status=SUCCESSFUL`), 400, 'VALIDATION_ERROR')
  })

  it('of deposits that ended in a period needs both ends of the period, and is not in the audit log if it is refused', async () => {
    const exportsOf = async () => (await ask(owner.get(`${below(service)}/audit?act=data.exported`))).entries.length
    const before = await exportsOf()
    for (const [given, missing] of [
      ['endedFrom', 'endedTo'],
      ['endedTo', 'endedFrom'],
    ])
      for (const query of [`${given}=2026-11-22T00:00:00Z`, `${given}=2026-11-22T00:00:00Z&check=1`]) {
        const answer = await owner.get(`${here}/export/deposits.csv?${query}`)
        expectError(answer, 400, 'VALIDATION_ERROR', `${missing} is required`)
      }
    expect(await exportsOf()).toBe(before)
  })
})

describe('the alerts', () => {
  it('show a receiver that fails, paused payouts, and production without a rail', async () => {
    expect(await ask(owner.get(`${here}/pause`))).toMatchObject({ isPaused: false, isByOperator: false, since: null })
    expectError(await support.post(`${here}/pause`, { isPaused: true }), 403, 'FORBIDDEN')
    expect(await ask(owner.post(`${here}/pause`, { isPaused: true }))).toMatchObject({
      isPaused: true,
      isByOperator: false,
    })
    await untilPaused(staging, true)
    const { alerts } = await ask(owner.get(`${here}/alerts`))
    expect(alerts.map(({ kind }: { kind: string }) => kind)).toContain('payouts-paused')
    await ask(owner.post(`${here}/pause`, { isPaused: false }))
    await untilPaused(staging, false)
    const production = await ask(owner.get(`${below(service, 'production')}/alerts`))
    expect(production.alerts).toMatchObject([
      { kind: 'rail-missing', severity: 'failed', says: expect.stringMatching(/RAILS_FILE/) },
    ])
    expect(await ask(owner.get(`${here}/limits`))).toEqual({ perPayment: null, perDay: null, leftToday: null })
    expectError(await support.get(`${here}/limits`), 403, 'FORBIDDEN')
  })
})

describe('the pause of a business', () => {
  it('that an operator set at the terminal is shown as the operator’s, and not ended here', async () => {
    const whose = { businessId: service.business.id, environment: 'staging' } as const
    const terminal: Context = { ...service.ctx, by: { kind: 'terminal', name: 'ada@ops' } }
    await pausePayouts(terminal, { ...whose, reason: 'We suspect fraud.' })
    const shown = { isPaused: true, isByOperator: true, reason: null }
    expect(await ask(owner.get(`${here}/pause`))).toMatchObject(shown)
    expectError(await owner.post(`${here}/pause`, { isPaused: false }), 403, 'FORBIDDEN')
    expect(await ask(owner.post(`${here}/pause`, { isPaused: true, reason: 'Ours' }))).toMatchObject(shown)
    expectError(await owner.post(`${here}/pause`, { isPaused: false }), 403, 'FORBIDDEN')
    await resumePayouts(terminal, [service.business.tenants.staging.lane], whose)
    expect(await ask(owner.get(`${here}/pause`))).toMatchObject({ isPaused: false, isByOperator: false })
    await untilPaused(staging, false)
  })

  it('ends without the pause of all businesses, which is not ended here', async () => {
    const whose = { environment: 'staging' } as const
    await pausePayouts(service.ctx, whose)
    await ask(owner.post(`${here}/pause`, { isPaused: true, reason: 'Ours' }))
    expect(await ask(owner.post(`${here}/pause`, { isPaused: false }))).toMatchObject({
      isPaused: true,
      isByOperator: true,
    })
    expectError(await owner.post(`${here}/pause`, { isPaused: false }), 403, 'FORBIDDEN')
    await resumePayouts(service.ctx, [service.business.tenants.staging.lane], whose)
    expect(await ask(owner.post(`${here}/pause`, { isPaused: false }))).toMatchObject({ isPaused: false })
    await untilPaused(staging, false)
  })
})

describe('operations', () => {
  it('shows the installation to operators only', async () => {
    const operator = await addPerson(service, { isOperator: true, hasFactor: true, steppedUp: true })
    expect(await ask(operator.get('/operations'))).toMatchObject({
      rails: [
        {
          name: 'simulator',
          kind: 'simulator',
          environment: 'staging',
          state: 'ok',
          wallets: [{ currency: 'NGN', country: null, amount: 100_000_000_000 }],
        },
      ],
      exceptions: [],
      notices: { stuck: 0 },
      pauses: [],
      backlog: [{ queue: 'payments' }, { queue: 'deliveries' }, { queue: 'accounts' }],
    })
    expectError(await owner.get('/operations'), 403, 'FORBIDDEN')
    expectError(await operator.post('/operations/exceptions/exc_1/close', { note: 'seen' }), 404, 'NOT_FOUND')
    expectError(await operator.post('/operations/breaks/brk_1/close', { note: 'seen' }), 404, 'NOT_FOUND')
  })

  it('shows when a rail last sent a notice, and what ended over all businesses', async () => {
    const operator = await addPerson(service, { isOperator: true, hasFactor: true, steppedUp: true })
    const overview = async () => await ask(operator.get('/operations'))
    expect((await overview()).rails[0].noticedAt).toBeNull()
    const notice = { environment: 'staging', rail: 'simulator', digest: sha256('a notice') } as const
    const at = new Date(service.ctx.clock.now())
    await insertNotice(service.ctx.db, notice, Buffer.from('sealed'), at)
    await pay('OVER-1')
    await pay('OVER-2', { accountNumber: '9990000006' })
    await untilStatus(staging, 'OVER-1', 'SUCCESS')
    await untilStatus(staging, 'OVER-2', 'FAILED')
    const { rails, ended } = await overview()
    expect(rails[0].noticedAt).toBe(at.toISOString())
    expect(ended).toHaveLength(2)
    const sum = (key: string): number =>
      ended.reduce((all: number, hour: Record<string, number>) => all + (hour[key] ?? 0), 0)
    expect(sum('succeeded')).toBeGreaterThanOrEqual(1)
    expect(sum('failed')).toBeGreaterThanOrEqual(1)
    await finishNotice(service.ctx.db, { ...notice, leaseEnd: at } as ClaimedNotice, 'nothing is served')
    expect((await overview()).rails[0].noticedAt).toBe(at.toISOString())
  })

  it('shows the mismatches between a rail’s list and our books until an operator closes them', async () => {
    const { ctx } = service
    const operator = await addPerson(service, { isOperator: true, hasFactor: true, steppedUp: true })
    const money = { amount: 100n, currency: 'GHS' }
    const fact = { kind: 'fee' as const, subject: 'L-1', reference: 'PAYOUT-1', ...money, fact: 'it took GHS 1' }
    const name = { environment: 'production' as const, rail: 'acme' }
    await ctx.db.transaction((tx) => openBreaks(ctx, tx, name, [{ ...fact, aboutAt: new Date(ctx.clock.now()) }]))
    const { breaks } = await ask(operator.get('/operations'))
    expect(breaks).toMatchObject([
      { kind: 'fee', rail: 'acme', reference: 'PAYOUT-1', amount: 100, currency: 'GHS', says: 'it took GHS 1' },
    ])
    const path = `/operations/breaks/${breaks[0].id}/close`
    await ask(operator.post(path, { note: 'the price list was old' }))
    expect((await ask(operator.get('/operations'))).breaks).toEqual([])
    expectError(await operator.post(path, { note: 'again' }), 409, 'CONFLICT')
    expectError(await owner.post(path, { note: 'not mine' }), 403, 'FORBIDDEN')
  })
})
