// The fee of a collection, for a person who is about to start it in the dashboard.

import { z } from 'zod'
import { dashboardEndpoint, type DashboardEndpoint } from '#api/dashboard/endpoint.ts'
import { currencyField } from '#api/server/fields.ts'
import { amountParameter } from '#api/v1/balance.ts'
import type { Payments } from '#payments/service.ts'
import { toMoney, toWire } from '#platform/money.ts'

export function collectionFeeEndpoint(payments: Payments): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'GET',
    path: '/dashboard/api/b/:business/:environment/collection-fee',
    permission: 'payments.see',
    query: z.object({ amount: amountParameter, currency: currencyField }),
    handle: ({ query: { amount, currency } }) => {
      const fee = payments.feeFor(amount, currency, 'momo_collection')
      return Promise.resolve({
        data: { amount: toWire(amount), fee: toWire(fee), credited: toWire(toMoney(amount - fee)) },
      })
    },
  })
}
