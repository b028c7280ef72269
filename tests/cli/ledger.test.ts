import { describe, expect, it } from 'vitest'
import { expectSuccess } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useService } from '#tests/support/service.ts'
import { transferBody, untilStatus } from '#tests/payments/requests.ts'
import { manilla } from './support.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '20' } })
const env = { DATABASE_URL: service.database.serviceUrl }

const numbers = ['0123456789', '9990000005', '9990000009', '0123456780']
const references = await Promise.all(
  numbers.map(async (accountNumber) => {
    const body = transferBody({ accountNumber })
    return expectSuccess(await service.staging.post('/v1/transfers/initiate', body)).reference as string
  }),
)
const [succeeded = '', failed = '', , other = ''] = references
await untilStatus(service.staging, succeeded, 'SUCCESS')
await untilStatus(service.staging, failed, 'FAILED')
await untilStatus(service.staging, other, 'SUCCESS')
const { id } = expectSuccess(await service.staging.get(`/v1/transfers/${succeeded}`))

describe('manilla ledger verify', () => {
  it('says that the books are right, beside a server that runs, and exits with 0', async () => {
    const ended = await manilla(['ledger', 'verify'], { env })
    expect(ended.stdout).toMatch(/^The books are right:\n(- .+\n){8,}$/)
    expect(ended.stderr).toContain('checking that reserved is what queued payments hold …')
    expect(ended.code).toBe(0)
  })

  it('prints one JSON document with --json', async () => {
    const ended = await manilla(['ledger', 'verify', '--json'], { env })
    const document = JSON.parse(ended.stdout)
    expect(document).toMatchObject({ ok: true, breaches: [] })
    expect(document.invariants).toContain('each payment has exactly the movements of its status, each once')
    expect(document.invariants).toContain('the totals of an account are the sums of its movements')
  })

  it('names the breach and exits with 1', async () => {
    const [movement] = await asOwner<{ id: string; amount: string }>(
      service.database,
      "select id, amount from ledger_movement where reference = $1 and kind = 'payout'",
      [succeeded],
    )
    const change = (amount: string) =>
      asOwner(service.database, 'update ledger_movement set amount = $2 where id = $1', [movement?.id, amount])
    await change('1')
    const ended = await manilla(['ledger', 'verify'], { env })
    expect(ended.code).toBe(1)
    expect(ended.stdout).toContain('BREACH: each payment has exactly the movements of its status, each once\n')
    expect(ended.stdout).toContain(`  ${id}\n`)
    expect(ended.stdout).toContain('BREACH: the totals of an account are the sums of its movements\n')
    const json = await manilla(['ledger', 'verify', '--json'], { env })
    expect(json.code).toBe(1)
    const breach = JSON.parse(json.stdout).breaches.find(({ ids }: { ids: string[] }) => ids.includes(id))
    expect(breach.tenantId).toBe(service.business.tenants.staging.id)
    await change(movement?.amount ?? '')
    expect((await manilla(['ledger', 'verify'], { env })).code).toBe(0)
  })

  it('says in one sentence when there is no database to look at', async () => {
    const ended = await manilla(['ledger', 'verify'], { env: { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' } })
    expect(ended.code).toBe(1)
    expect(ended.stdout).toBe('')
    expect(ended.stderr).toMatch(/^The database of DATABASE_URL cannot be .+\n$/)
  })
})
