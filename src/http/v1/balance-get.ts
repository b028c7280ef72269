import { z } from 'zod'
import { toWire } from '#base/money.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { koboData, noParams, noQuery, record } from '#http/fields.ts'
import type { Balance } from '#ledger/balance.ts'
import type { Ledger } from '#ledger/ledger.ts'

const balance = record('Balance', {
  currency: z.string(),
  available: koboData.describe('What can be spent now.'),
  reserved: koboData.describe('What unfinished payments hold.'),
  ledger: koboData.describe('Available and reserved together.'),
})

export function balanceGet(ledger: Ledger): Endpoint {
  return endpoint({
    operationId: 'getBalance',
    method: 'GET',
    path: '/v1/balance',
    scope: 'read',
    tag: 'Balance',
    summary: 'What the business has, per currency',
    description:
      'What can be spent, what unfinished payments hold, and both together. Staging opens with ₦1,000,000,000.00.',
    params: noParams,
    query: noQuery,
    data: z.object({ balances: z.array(balance) }),
    handle: async ({ caller }) => {
      const balances = await ledger.balances(caller.tenant)
      return { data: { balances: balances.map(balanceData) } }
    },
  })
}

function balanceData({ currency, available, reserved, ledger }: Balance) {
  return { currency, available: toWire(available), reserved: toWire(reserved), ledger: toWire(ledger) }
}
