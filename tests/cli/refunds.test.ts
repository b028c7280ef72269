// The commands about money that could not be accepted and goes back.

import { expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { depositReference } from '#deposits/deposit.ts'
import { createRoom } from '#tests/deposits/room.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { manilla } from './support.ts'

const database = await useTestDatabase()
const env = { DATABASE_URL: database.serviceUrl }
const room = createRoom(database)
const tenant = await room.newTenant()
const [row] = await asOwner<{ business_id: never }>(database, 'select business_id from tenant where id = $1', [
  tenant.id,
])
const ofBusiness = [
  '--business',
  formatId('business', row?.business_id ?? ('' as never)),
  '--environment',
  'production',
]

async function overpay(provider: string, providerId: string): Promise<string> {
  return depositReference((await room.overpay(tenant, { provider, providerId })).id)
}

it('lists refunds in progress and refused ones, and shows one with its deposit', async () => {
  const refused = await overpay('cash', 'C\u001b[2J')
  room.ctx.clock.advance(60 * 60_000)
  await room.deposits.sendBack(tenant.lane)
  const waiting = await overpay('simulator', 'S-1')
  const shown = await manilla(['deposits', 'refunds'], { env })
  expect(shown.stdout).toContain('cash:C?[2J')
  expect(shown.stdout).toMatch(new RegExp(`${waiting} .* ₦120\\.00 `))
  expect(shown.stdout).toMatch(new RegExp(`${refused} .* REFUSED .*no rail of this service`))
  const { refunds } = JSON.parse((await manilla(['deposits', 'refunds', '--json'], { env })).stdout)
  expect(refunds).toMatchObject([
    { deposit: refused, status: 'REFUSED', dueAt: null },
    { deposit: waiting, amount: 12_000, currency: 'NGN', status: 'WAITING', returnReason: 'OVERPAID' },
  ])
  const one = await manilla(['deposits', 'show', waiting, ...ofBusiness, '--json'], { env })
  expect(JSON.parse(one.stdout)).toMatchObject({
    reference: waiting,
    status: 'FAILED',
    returnReason: 'OVERPAID',
    refund: { status: 'WAITING' },
  })

  await room.deposits.sendBack(tenant.lane)
  expect((await manilla(['deposits', 'show', waiting, ...ofBusiness], { env })).stdout).toContain('REFUNDED')
  expect((await manilla(['deposits', 'refunds'], { env })).stdout).not.toContain(waiting)
})

it('resolves a refund that was paid back by other means, and lists it with --all only', async () => {
  const reference = await overpay('cash', 'C-2')
  room.ctx.clock.advance(60 * 60_000)
  await room.deposits.sendBack(tenant.lane)
  const resolve = ['deposits', 'refunds', 'resolve', reference, '--as', 'refunded', '--note', 'paid in cash']
  const { stdout } = await manilla(resolve, { env })
  expect(stdout).toBe(`The refund of ${reference} is now REFUNDED. Its review items are closed.\n`)
  expect((await manilla(['deposits', 'refunds'], { env })).stdout).not.toContain(reference)
  expect((await manilla(['deposits', 'refunds', '--all'], { env })).stdout).toContain(reference)
  const again = await manilla(resolve, { env })
  expect([again.stderr, again.code]).toEqual([
    `There is no open refund of ${reference}. See: npx manilla deposits refunds --all\n`,
    1,
  ])
})

it('says which deposit it does not know', async () => {
  const { stderr, code } = await manilla(['deposits', 'show', 'DEP1', ...ofBusiness], { env })
  expect([stderr, code]).toEqual([
    'There is no deposit DEP1 of this business in this environment. Check --business and --environment.\n',
    1,
  ])
})
