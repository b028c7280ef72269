// API keys that people create and revoke.

import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { createClient, expectError, expectSuccess } from '#tests/support/client.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { shareService } from '#tests/support/service.ts'

const service = await shareService()
const owner = await addPerson(service, { role: 'owner', hasFactor: true, steppedUp: true })
const staging = `${below(service, 'staging')}/keys`
const production = `${below(service, 'production')}/keys`

const opens = async (secret: string): Promise<number> =>
  (await createClient(`${service.url}/staging`, secret).get('/v1/balance')).status

describe('a key', () => {
  it('is shown once, works, and says who made it', async () => {
    const { key, secret } = expectSuccess(await owner.post(staging, { name: 'Till' }))
    expect(await opens(secret)).toBe(200)
    const { keys } = expectSuccess(await owner.get(staging))
    const listed = keys.find(({ id }: { id: string }) => id === key.id)
    expect(listed).toMatchObject({ name: 'Till', status: 'active', createdBy: owner.email, scopes: null, allow: null })
    expect(listed.lastFour).toBe(secret.slice(-4))
    expect(JSON.stringify(keys)).not.toContain(secret)
  })

  it('may do less, from fewer places, for a time', async () => {
    const wish = { name: 'Reader', scopes: ['read'], allow: ['203.0.113.0/24'], expiresInDays: 30 }
    const { key } = expectSuccess(await owner.post(staging, wish))
    expect(key).toMatchObject({ scopes: ['read'], allow: ['203.0.113.0/24'] })
    const days = (new Date(key.expiresAt).getTime() - new Date(key.createdAt).getTime()) / 86_400_000
    expect(Math.round(days)).toBe(30)
  })

  it('is rolled: the old one goes on for the overlap', async () => {
    const first = expectSuccess(await owner.post(staging, { name: 'Rolled' }))
    const rolled = expectSuccess(await owner.post(`${staging}/${first.key.id}/roll`, { overlapHours: 1 }))
    expect(rolled.old).toMatchObject({ id: first.key.id, status: 'expiring' })
    expect([await opens(first.secret), await opens(rolled.secret)]).toEqual([200, 200])
  })

  it('is revoked, and opens nothing from then on', async () => {
    const { key, secret } = expectSuccess(await owner.post(staging, { name: 'Revoked' }))
    const after = expectSuccess(await owner.post(`${staging}/${key.id}/revoke`))
    expect(after.key.status).toBe('revoked')
    expect(await opens(secret)).toBe(401)
    expectError(await owner.post(`${staging}/${key.id}/roll`, { overlapHours: 0 }), 409, 'CONFLICT')
  })

  it('is not there for another business, nor for the other environment', async () => {
    const other = await service.addBusiness('Another')
    const theirs = await addPerson(service, {
      role: 'owner',
      business: other.business.id,
      hasFactor: true,
      steppedUp: true,
    })
    const { key } = expectSuccess(await owner.post(staging, { name: 'Mine' }))
    const there = `/b/${formatId('business', other.business.id)}`
    for (const act of ['revoke', 'roll']) {
      const body = act === 'roll' ? { overlapHours: 0 } : {}
      expectError(await theirs.post(`${there}/staging/keys/${key.id}/${act}`, body), 404, 'NOT_FOUND')
      expectError(await owner.post(`${production}/${key.id}/${act}`, body), 404, 'NOT_FOUND')
    }
    expect(await opens(expectSuccess(await owner.post(staging, { name: 'Still' })).secret)).toBe(200)
  })

  it('names all that is wrong with a wish at once', async () => {
    const wish = { name: ' ', scopes: ['everything'], allow: ['nowhere'], expiresInDays: 0 }
    const answer = await owner.post(staging, wish)
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(answer.body.error?.details?.map(({ field }) => field)).toEqual(['name', 'scopes', 'allow', 'expiresInDays'])
    expectError(await owner.post(staging, { name: 'x'.repeat(101) }), 400, 'VALIDATION_ERROR')
  })
})

describe('the audit log', () => {
  it('says who made it, as what, by what and from where, and shows no secret', async () => {
    const { key, secret } = expectSuccess(await owner.post(staging, { name: 'Noted' }))
    const { entries } = expectSuccess(await owner.get(`${below(service)}/audit?act=key.created&limit=1`))
    expect(entries[0]).toMatchObject({
      actor: owner.email,
      actorKind: 'person',
      person: formatId('person', owner.id),
      role: 'owner',
      environment: 'staging',
      act: 'key.created',
      subject: key.id,
      outcome: 'done',
      address: '127.0.0.1',
    })
    expect(JSON.stringify(entries)).not.toContain(secret)
  })
})
