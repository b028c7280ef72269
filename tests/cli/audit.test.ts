import os from 'node:os'
import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useService } from '#tests/support/service.ts'
import { manilla } from './support.ts'

const service = await useService()
const env = { DATABASE_URL: service.database.serviceUrl }
const business = formatId('business', service.business.id)

type Listed = {
  act: string
  by: { kind: string; name: string; address: string | null }
  subject: string
  details: unknown
}

async function listed(...options: string[]): Promise<Listed[]> {
  const ended = await manilla(['audit', 'list', '--json', ...options], { env })
  expect(ended.code, ended.stderr).toBe(0)
  return JSON.parse(ended.stdout).entries
}

describe('manilla audit', () => {
  it('lists acts of a key and of a terminal, and for a business only its own', async () => {
    const body = { url: 'http://127.0.0.1:9/hooks', events: ['transfer.success'] }
    const { id } = expectSuccess(await service.staging.post('/v1/webhooks', body))
    expectSuccess(await service.staging.patch(`/v1/webhooks/${id}`, { events: ['transfer.failed'] }))
    expectSuccess(await service.staging.post(`/v1/webhooks/${id}/rotate-secret`, {}))
    expectSuccess(await service.staging.delete(`/v1/webhooks/${id}`))
    await manilla(['keys', 'create', '--business', business, '--environment', 'staging', '--name', 'CI'], { env })

    const entries = await listed('--business', business)
    expect(entries.map(({ act }) => act).slice(0, 5)).toEqual([
      'key.created',
      'webhook.deleted',
      'webhook.secret-rotated',
      'webhook.changed',
      'webhook.created',
    ])
    const [atTerminal, , , changed, created] = entries
    expect(atTerminal?.by).toEqual({
      kind: 'terminal',
      name: `${os.userInfo().username}@${os.hostname()}`,
      address: null,
    })
    expect(changed).toMatchObject({ subject: id, details: { events: ['transfer.failed'] } })
    expect(created).toMatchObject({ subject: id, details: body })
    expect(created?.by).toEqual({ kind: 'key', name: expect.stringMatching(/^key_/), address: '127.0.0.1' })
    expect(await listed('--business', formatId('business', service.business.tenants.staging.id))).toEqual([])
  })

  it('says that nothing matches, and not that there is nothing', async () => {
    const said = async (...words: string[]): Promise<string> => (await manilla(words, { env })).stdout
    expect(await said('audit', 'list', '--act', 'archive.sealed')).toBe('No entry of the audit log matches.\n')
    expect(await said('exceptions', 'list', '--kind', 'payment-stuck')).toBe(
      'Nothing of the kind payment-stuck to review.\n',
    )
    expect(await said('people', 'list', '--business', business)).toBe(`${business} has no users.\n`)
    expect(await said('deposits', 'refunds', '--all')).toBe('There are no refunds.\n')
  })

  it('proves that the log is whole, and exits with 1 when it is not', async () => {
    await manilla(['keys', 'create', '--business', business, '--environment', 'staging'], { env })
    const whole = await manilla(['audit', 'verify'], { env })
    expect(whole.stdout).toMatch(/^The audit log is complete: \d+ entries\. .+ [0-9a-f]{64}\n$/)
    expect(whole.code).toBe(0)
    await asOwner(service.database, "update audit_entry set actor = 'somebody else' where number = 1")
    const broken = await manilla(['audit', 'verify'], { env })
    expect(broken.stdout).toContain('BROKEN after 0 entries: Entry 1 is not what was written.')
    expect(broken.code).toBe(1)
  })
})
