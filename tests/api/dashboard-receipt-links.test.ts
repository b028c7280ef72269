// Links to receipts: who may create them, what a reader without an account sees, and how they end.

import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { transferBody } from '#tests/payments/requests.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { useService } from '#tests/support/service.ts'

const service = await useService({
  settings: { SANDBOX_SETTLE_MS: '0', RATE_LIMIT_ANONYMOUS_PER_MINUTE: '100', LOG_LEVEL: 'debug' },
})
const here = below(service, 'staging')
const [owner, finance, viewer] = [
  await addPerson(service, { role: 'owner', hasFactor: true, steppedUp: true }),
  await addPerson(service, { role: 'finance' }),
  await addPerson(service, { role: 'viewer' }),
]

async function pay(reference: string, more: object = {}): Promise<string> {
  expectSuccess(await service.staging.post('/v1/transfers/initiate', transferBody({ reference, ...more })))
  await untilHolds(async () => {
    expect(expectSuccess(await service.staging.get(`/v1/transfers/${reference}`)).isFinal).toBe(true)
  })
  return `${here}/payments/${reference}/receipt-links`
}

/** Opens it as a browser without cookies. */
function open(url: string, options: RequestInit = {}): Promise<Response> {
  return fetch(url, options)
}

describe('a receipt link', () => {
  it('shows the receipt to people without an account, and the account by its end', async () => {
    const path = await pay('SHARED-1', { accountName: 'Ṣadé <b>Obi</b> & Sons', accountNumber: '0123456789' })
    const { url, id, madeBy } = expectSuccess(await finance.post(path))
    expect(url).toMatch(/^http:\/\/localhost:\d+\/dashboard\/r\/[\w-]{48}$/)
    expect(expectSuccess(await finance.get(path))).toEqual({
      isOn: true,
      links: [{ id, madeBy, createdAt: expect.any(String) }],
    })
    const page = await open(url)
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('x-robots-tag')).toBe('noindex, nofollow')
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    expect(page.headers.get('access-control-allow-origin')).toBeNull()
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(
      /^default-src 'none'; img-src data:; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'; frame-/,
    )
    const html = await page.text()
    for (const shown of ['Test Business', 'Succeeded', 'SHARED-1', '••••••6789', 'Test payment in staging'])
      expect(html).toContain(shown)
    expect(html).toContain('Ṣadé &lt;b&gt;Obi&lt;/b&gt; &amp; Sons')
    for (const hidden of ['0123456789', 'trf_', '<script']) expect(html).not.toContain(hidden)
    const file = await open(`${url}/receipt.pdf`)
    expect(file.headers.get('content-type')).toBe('application/pdf')
    expect(Buffer.from(await file.arrayBuffer()).toString('latin1')).toMatch(/^%PDF-1\.7/)
    expect((await open(url, { method: 'POST' })).status).toBe(405)
    expect(service.lines.join('\n')).not.toContain(url.slice(-48))
    const { entries } = expectSuccess(await owner.get(`${below(service)}/audit?act=receipt-link.made`))
    expect(entries).toMatchObject([{ act: 'receipt-link.made', subject: 'SHARED-1' }])
  })

  it('shows at most half of a short account at a paybill', async () => {
    expectSuccess(await owner.patch(`${here}/currencies`, { on: ['KES'] }))
    const paybill = { operator: 'mpesa-paybill', accountNumber: '888880', accountReference: '4711' }
    const body = { reference: 'PAYBILL-1', amount: 10_000, ...paybill }
    expectSuccess(await service.staging.post('/v1/momo/transfer', body))
    const made = await untilHolds(async () =>
      expectSuccess(await finance.post(`${here}/payments/PAYBILL-1/receipt-links`)),
    )
    const html = await (await open(made.url)).text()
    expect(html).toContain('••11')
    expect(html).not.toContain('4711')
  })

  it('that was revoked or never was gets one and the same response', async () => {
    const path = await pay('SHARED-2')
    const [first, second] = [expectSuccess(await finance.post(path)), expectSuccess(await finance.post(path))]
    expectSuccess(await finance.delete(`${path}/${first.id}`))
    expectError(await finance.delete(`${path}/${first.id}`), 404, 'NOT_FOUND')
    const base = second.url.slice(0, -48)
    const [head, end] = [second.url.slice(-48, -1), String(second.url).endsWith('A') ? 'B' : 'A']
    const asked = [
      first.url,
      `${first.url}/receipt.pdf`,
      `${base}x`,
      base,
      `${base}${head}${end}`,
      `${second.url}/more`,
    ]
    const answers = await Promise.all([...asked, `${base}${'_'.repeat(48)}`].map((url) => open(url)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404))
    expect(new Set(await Promise.all(answers.map((one) => one.text()))).size).toBe(1)
    expect((await open(second.url)).status).toBe(200)
  })

  it('is for payouts that succeeded alone, and says when the bank returned one', async () => {
    expectError(await finance.post(await pay('FAILED-1', { accountNumber: '9990000007' })), 409, 'CONFLICT')
    expectError(await finance.post(`${here}/payments/NO-SUCH/receipt-links`), 404, 'NOT_FOUND')
    const path = await pay('RETURNED-1')
    const { url } = expectSuccess(await finance.post(path))
    const complete = '/v1/sandbox/transfers/RETURNED-1/complete'
    expectSuccess(await service.staging.post(complete, { status: 'REVERSED' }))
    const html = await (await open(url)).text()
    expect(html).toContain('The bank returned this payment after it had succeeded.')
    expect(html).not.toContain('Succeeded')
    expectError(await finance.post(path), 409, 'CONFLICT')
  })

  it('is not for viewers to make', async () => {
    const path = await pay('SHARED-3')
    expectError(await viewer.get(path), 403, 'FORBIDDEN')
    expectError(await viewer.post(path), 403, 'FORBIDDEN')
  })

  it('shows nothing while the business has switched them off', async () => {
    const path = await pay('SHARED-4')
    const { url } = expectSuccess(await finance.post(path))
    const settings = `${below(service)}/settings`
    expect(expectSuccess(await owner.patch(settings, { hasReceiptLinks: false }))).toMatchObject({
      hasReceiptLinks: false,
    })
    expect((await open(url)).status).toBe(404)
    expectError(await finance.post(path), 409, 'CONFLICT')
    expect(expectSuccess(await finance.get(path))).toMatchObject({ isOn: false, links: [{}] })
    expectSuccess(await owner.patch(settings, { hasReceiptLinks: true }))
    expect((await open(url)).status).toBe(200)
  })

  it('is one of twenty for each payout', async () => {
    const path = await pay('SHARED-5')
    for (let made = 0; made < 20; made += 1) expectSuccess(await finance.post(path))
    expectError(await finance.post(path), 409, 'CONFLICT')
  })

  it('is not asked for without end', async () => {
    const { url } = expectSuccess(await finance.post(await pay('SHARED-6')))
    const statuses = new Set<number>()
    // The quota is a hundred a minute, and the requests may fall into two minutes.
    for (let asked = 0; asked < 201 && !statuses.has(429); asked += 1) statuses.add((await open(url)).status)
    expect([...statuses]).toEqual([200, 429])
  })
})
