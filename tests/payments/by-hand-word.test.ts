// The command that an operator's decision about a payment becomes: how the payment ends, the reason, and the actor.

import { expect, it } from 'vitest'
import { toMoney } from '#platform/money.ts'
import type { Lane } from '#platform/db/lane.ts'
import { createSettleByHand, type ByHand, type SettleCommand } from '#payments/settle.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { createTenant, requestOf, startProcess } from './process.ts'

const database = await useTestDatabase()

it('a payment ends as a person decides, and a failure has the reason for unknown causes of its kind', async () => {
  const process = startProcess({ database, clock: createFakeClock(), leasesNew: false })
  const tenant = await createTenant(process, 'staging')
  const wallet = { phoneNumber: '+2348030000000', operator: 'mtn-momo', accountName: null, accountNumber: null }
  await process.payments.initiate(tenant, requestOf({ reference: 'BANK' }))
  await process.payments.sendMomo(tenant, { ...requestOf({ reference: 'WALLET', amount: toMoney(1_000) }), ...wallet })
  const told: SettleCommand[] = []
  const submit = async (_operation: unknown, command: SettleCommand) => (told.push(command), { kind: 'not-found' })
  const settle = createSettleByHand(process.ctx, () => ({ submit }) as unknown as Lane)
  const by: ByHand['by'] = { kind: 'terminal', name: 'ada@office' }
  const say = (reference: string, as: ByHand['as']) => settle(tenant, { reference, as, note: 'ticket 881', by })
  await say('BANK', 'failed')
  await say('WALLET', 'failed')
  await say('WALLET', 'success')
  expect(await say('NONE', 'failed')).toEqual({ kind: 'not-found' })
  const source = { kind: 'person', environment: 'staging', by, note: 'ticket 881' }
  expect(told).toMatchObject([
    { reference: 'BANK', source, result: { kind: 'failed', reason: 'PROVIDER_ERROR' } },
    { reference: 'WALLET', source, result: { kind: 'failed', reason: 'UNSPECIFIED_FAILURE' } },
    { reference: 'WALLET', source, result: { kind: 'succeeded' } },
  ])
  expect(told).toHaveLength(3)
})
