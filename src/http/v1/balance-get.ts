import { z } from 'zod'
import type { BalanceReader } from '#ledger/balance.ts'
import { toWire } from '#base/money.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { koboData, noParams, noQuery } from '#http/fields.ts'

const balance = z.object({
  currency: z.string(),
  available: koboData.describe('What can be spent now.'),
  reserved: koboData.describe('What unfinished payments hold.'),
  ledger: koboData.describe('Available and reserved together.'),
})

export function balanceGet(balances: BalanceReader): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/v1/balance',
    tag: 'Balance',
    summary: 'What the business has, per currency',
    params: noParams,
    query: noQuery,
    data: z.object({ balances: z.array(balance) }),
    handle: async ({ caller }) => {
      const list = await balances.read(caller.tenant)
      return {
        data: {
          balances: list.map(({ currency, available, reserved, ledger }) => ({
            currency,
            available: toWire(available),
            reserved: toWire(reserved),
            ledger: toWire(ledger),
          })),
        },
      }
    },
  })
}
