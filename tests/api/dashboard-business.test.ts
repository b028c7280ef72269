// The settings of a business, further businesses, saved views, the audit log as its people see it.

import { describe, expect, it } from 'vitest'
import { verifyAudit } from '#audit/verify.ts'
import { formatId } from '#platform/ids.ts'
import { createKey } from '#businesses/keys.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { useService } from '#tests/support/service.ts'

const service = await useService({ roles: ['api'] })
const strong = { hasFactor: true, steppedUp: true }
const owner = await addPerson(service, { role: 'owner', ...strong })
const viewer = await addPerson(service, { role: 'viewer', ...strong })
const business = below(service)

describe('settings', () => {
  it('are changed one by one, and the log says from what to what', async () => {
    const before = expectSuccess(await owner.get(`${business}/settings`))
    expect(before).toMatchObject({ timeZone: 'Africa/Lagos', compulsoryFactorRoles: [] })
    const after = expectSuccess(await owner.patch(`${business}/settings`, { timeZone: 'Europe/London' }))
    expect(after).toEqual({ ...before, timeZone: 'Europe/London' })
    expect(expectSuccess(await owner.get(`${business}/settings`))).toEqual(after)
    const { entries } = expectSuccess(await owner.get(`${business}/audit?act=business.changed`))
    expect(entries[0].details).toEqual({ timeZone: 'Europe/London', timeZoneBefore: 'Africa/Lagos' })
  })

  it('take no empty name', async () => {
    expectError(await owner.patch(`${business}/settings`, { name: '  ' }), 400, 'VALIDATION_ERROR')
  })

  it.each(['Lagos', '+01:00', 'Africa/Atlantis', ''])('know no zone %j', async (timeZone) => {
    expectError(await owner.patch(`${business}/settings`, { timeZone }), 400, 'VALIDATION_ERROR')
  })

  it('that require a second factor let a person without one do nothing but set one up', async () => {
    const other = await service.addBusiness('Strict')
    const path = `/b/${formatId('business', other.business.id)}`
    const boss = await addPerson(service, { role: 'owner', business: other.business.id, ...strong })
    const without = await addPerson(service, { role: 'developer', business: other.business.id })
    const fund = (): ReturnType<typeof without.post> =>
      without.post(`${path}/staging/v1/sandbox/balance/fund`, { amount: 1 })
    expectSuccess(await fund())
    expectSuccess(await boss.patch(`${path}/settings`, { compulsoryFactorRoles: ['viewer'] }))
    expectSuccess(await fund())
    const changed = await boss.patch(`${path}/settings`, { compulsoryFactorRoles: ['developer', 'owner', 'owner'] })
    expect(expectSuccess(changed)).toMatchObject({ compulsoryFactorRoles: ['owner', 'developer'] })
    expectError(await fund(), 403, 'SECOND_FACTOR_REQUIRED')
    expectError(await without.get(`${path}/staging/v1/balance`), 403, 'SECOND_FACTOR_REQUIRED')
    expect(expectSuccess(await without.get('/me')).businesses).toMatchObject([{ isFactorCompulsory: true }])
    expectSuccess(await without.post('/passkeys/begin'))
    expectError(await boss.patch(`${path}/settings`, { compulsoryFactorRoles: ['king'] }), 400, 'VALIDATION_ERROR')
  })
})

describe('a further business', () => {
  it('is made by an owner, who owns it at once', async () => {
    const made = expectSuccess(await owner.post('/businesses', { name: 'Second Shop' }))
    const balance = expectSuccess(await owner.get(`/b/${made.id}/staging/v1/balance`))
    expect(balance.balances[0].available).toBe(100_000_000_000)
    expectError(await viewer.get(`/b/${made.id}/staging/v1/balance`), 404, 'NOT_FOUND')
  })

  it('cannot be created by another role', async () => {
    expectError(await viewer.post('/businesses', { name: 'Mine' }), 403, 'FORBIDDEN')
  })
})

describe('saved views', () => {
  const path = `${below(service, 'production')}/views`
  const view = { noun: 'transfers', name: 'Failed', query: 'status=FAILED', isShared: false }

  it('belong to the person who saved them, or are shared with all, and need no second factor', async () => {
    const plain = await addPerson(service, { role: 'viewer' })
    const own = expectSuccess(await plain.post(path, view))
    const shared = expectSuccess(await plain.post(path, { ...view, name: 'Ours', isShared: true }))
    const seen = expectSuccess(await owner.get(`${path}?noun=transfers`)).views
    expect(seen).toEqual([{ ...shared, isYours: false }])
    expectError(await viewer.delete(`${path}/${shared.id}`), 404, 'NOT_FOUND')
    expectError(await owner.delete(`${path}/${own.id}`), 404, 'NOT_FOUND')
    expectSuccess(await owner.delete(`${path}/${shared.id}`))
    expectSuccess(await plain.delete(`${path}/${own.id}`))
    expect(expectSuccess(await plain.get(path)).views).toEqual([])
  })

  it('stay in their environment', async () => {
    expectSuccess(await viewer.post(path, view))
    expect(expectSuccess(await viewer.get(path.replace('production', 'staging'))).views).toEqual([])
  })

  it('of others that only they see do not count against the limit of a person', async () => {
    const { lane, id } = service.business.tenants.production
    const [one, other] = [await addPerson(service, { role: 'viewer' }), await addPerson(service, { role: 'viewer' })]
    await asOwner(
      service.database,
      `insert into saved_view (lane, tenant_id, id, person_id, noun, name, query, is_shared, created_at)
       select ${lane}, '${id}', gen_random_uuid(), '${one.id}', 'deposits', 'Own', '', false, now()
         from generate_series(1, 500)`,
    )
    expectError(await one.post(path, view), 409, 'CONFLICT')
    expectSuccess(await other.post(path, view))
  })

  it('are refused with the fault of each field', async () => {
    expectError(await viewer.post(path, { ...view, noun: 'Not a list', name: '' }), 400, 'VALIDATION_ERROR')
  })
})

describe('the audit log', () => {
  it('has what a person asked of the API, before it was done, and how it failed', async () => {
    const developer = await addPerson(service, { role: 'developer' })
    const transfer = { reference: 'BY-HAND-1', amount: 100_000, bankSlug: 'guaranty-trust-bank' }
    const whole = { ...transfer, accountNumber: '0123456789', accountName: 'ADA OBI' }
    const path = `${below(service, 'staging')}/v1/transfers/initiate`
    expectSuccess(await developer.post(path, whole))
    expectError(
      await developer.post(path, { ...whole, reference: 'BY-HAND-2', amount: 10 ** 15 }),
      400,
      'INSUFFICIENT_BALANCE',
    )
    const { entries } = expectSuccess(await developer.get(`${business}/audit`))
    expect(
      entries.map((entry: Record<string, unknown>) => [entry['subject'], entry['outcome'], entry['details']]),
    ).toEqual([
      ['BY-HAND-2', 'failed', { operation: 'initiateTransfer', code: 'INSUFFICIENT_BALANCE' }],
      ['BY-HAND-2', 'asked', { operation: 'initiateTransfer' }],
      ['BY-HAND-1', 'done', { operation: 'initiateTransfer' }],
      ['BY-HAND-1', 'asked', { operation: 'initiateTransfer' }],
    ])
  })

  it('has the requests that were refused to a person', async () => {
    const curious = await addPerson(service, { role: 'viewer' })
    expectError(await curious.post(`${below(service, 'staging')}/keys`, { name: 'Mine' }), 403, 'FORBIDDEN')
    const { entries } = expectSuccess(
      await owner.get(`${business}/audit?outcome=refused&person=${formatId('person', curious.id)}`),
    )
    expect(entries).toHaveLength(1)
    expect(entries[0]).toMatchObject({ role: 'viewer', environment: 'staging', details: { code: 'FORBIDDEN' } })
  })

  it('can be filtered by record, by request and by outcome, also for a terminal', async () => {
    const key = expectSuccess(await owner.post(`${below(service, 'staging')}/keys`, { name: 'Looked for' })).key
    const ask = async (query: string): Promise<{ id: string; subject: string; requestId: string | null }[]> =>
      expectSuccess(await owner.get(`${business}/audit?limit=100&${query}`)).entries
    const [made, ...others] = await ask(`target=${key.id}`)
    expect(others).toEqual([])
    expect(made).toMatchObject({ subject: key.id, outcome: 'done' })
    expect(await ask(`target=${made?.requestId}`)).toEqual([made])
    expect(await ask(`target=${key.id.slice(0, -1)}`)).toEqual([])
    // An entry of a terminal has no outcome, and the page shows it as done.
    const { id } = await createKey(service.ctx, service.business.tenants.staging, 'At a terminal')
    const ofTerminal = formatId('key', id)
    expect((await ask('outcome=done')).map(({ subject }) => subject)).toContain(ofTerminal)
    const file = await owner.get(`${business}/audit.csv?outcome=done&target=${ofTerminal}`)
    expect(file.text.trimEnd().split('\r\n')).toHaveLength(2)
  })

  it('shows a person their own acts, and owners and admins all of them', async () => {
    const admin = await addPerson(service, { role: 'admin' })
    const of = async (person: typeof owner): Promise<Set<unknown>> => {
      const { entries } = expectSuccess(await person.get(`${business}/audit?person=${formatId('person', owner.id)}`))
      return new Set(entries.map((entry: { person: string }) => entry.person))
    }
    expect(await of(admin)).toEqual(new Set([formatId('person', owner.id)]))
    expect([...(await of(viewer))].filter((id) => id !== formatId('person', viewer.id))).toEqual([])
  })

  it('is paged, and its file has each entry once', async () => {
    const { pagination } = (await owner.get(`${business}/audit?limit=2`)).body.meta ?? {}
    expect(pagination).toMatchObject({ page: 1, limit: 2, hasNext: true })
    const file = await owner.get(`${business}/audit.csv`)
    expect(file.headers['content-disposition']).toBe('attachment; filename="audit.csv"')
    const lines = file.text.trimEnd().split('\r\n')
    const ids = lines.slice(1).map((line) => line.split(',')[0])
    expect(new Set(ids).size).toBe(ids.length)
    // The export itself is in the log before its first line is sent.
    expect(ids.length).toBe((pagination?.total ?? 0) + 1)
  })

  it('shows no number by which a business could tell how busy the others are', async () => {
    const [entry] = expectSuccess(await owner.get(`${business}/audit?limit=1`)).entries
    expect(entry.id).toMatch(/^[0-9a-f]{16}$/)
    expect(entry).not.toHaveProperty('number')
    const { text } = await owner.get(`${business}/audit.csv`)
    expect(text).toMatch(/^\ufeff?id,at,/)
  })

  it('does not show the address of a webhook to a person who may not see webhooks any more', async () => {
    const [secret, path] = ['hunter2-in-the-path', '/staging/v1/webhooks']
    const dev = await addPerson(service, { role: 'developer' })
    const wish = { url: `https://hooks.example.com/${secret}`, events: ['transfer.success'] }
    expectSuccess(await dev.post(`${business}${path}`, wish))
    expect((await dev.get(`${business}/audit`)).text).toContain(secret)
    await asOwner(service.database, `update membership set role = 'finance' where person_id = '${dev.id}'`)
    const answer = await dev.get(`${business}/audit`)
    expect(expectSuccess(answer).entries.map(({ act }: { act: string }) => act)).toContain('webhook.created')
    expect(answer.text).not.toContain(secret)
  })

  it('holds together', async () => {
    expect(await verifyAudit(service.ctx)).toMatchObject({ fault: undefined })
  })
})

describe('how many businesses a person makes', () => {
  it('is at most 50, also when they are made at once', async () => {
    const person = await addPerson(service, { role: 'owner', hasFactor: true, steppedUp: true })
    await asOwner(
      service.database,
      `insert into business (id, name, created_at) select gen_random_uuid(), 'Capped', now() from generate_series(1, 46);
       insert into membership (business_id, person_id, role, created_at)
         select id, '${person.id}', 'viewer', now() from business where name = 'Capped'`,
    )
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => person.post('/businesses', { name: 'One more' })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([
      200,
      200,
      200,
      ...Array.from({ length: 7 }, () => 409),
    ])
  })
})
