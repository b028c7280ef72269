// The balance below which a business wants to be told: who sets it, and whether it is so now.

import { z } from 'zod'
import type { Environment, Tenant } from '#base/context.ts'
import type { Uuid } from '#base/ids.ts'
import { formatNaira, toWire, zero, type Kobo } from '#base/money.ts'
import { readLowBalance, setLowBalance } from '#businesses/low-balance.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#http/dashboard/endpoint.ts'
import { hrefOf } from '#http/dashboard/pages.ts'
import type { EndpointParts } from '#http/dashboard/routes.ts'
import { amount } from '#http/fields.ts'

type Parts = Pick<EndpointParts, 'ctx' | 'rooms'>

const path = '/dashboard/api/b/:business/:environment/low-balance'

export function lowBalanceEndpoints(parts: Parts): DashboardEndpoint[] {
  return [
    dashboardEndpoint({
      method: 'GET',
      path,
      permission: 'balance.see',
      handle: async ({ tenant }) => ({ data: shown(await lowBalanceNow(parts, tenant)) }),
    }),
    dashboardEndpoint({
      method: 'PATCH',
      path,
      permission: 'alerts.change',
      body: z.object({ amount: amount.nullable() }),
      handle: async ({ tenant, body, by }) => {
        await setLowBalance({ ...parts.ctx, by: by() }, tenant, body.amount)
        return { data: shown(await lowBalanceNow(parts, tenant)) }
      },
    }),
  ]
}

type Alerted = { id: string; kind: 'balance-low'; severity: 'asks'; says: string; href: string }
type Place = { business: Uuid; environment: Environment }

/** For who may see the balance: it names one. */
export async function lowBalanceAlert(parts: Parts, tenant: Tenant, place: Place): Promise<Alerted | undefined> {
  const { amount: threshold, available, isLow } = await lowBalanceNow(parts, tenant)
  if (!isLow || threshold === null) return undefined
  const says = `The available balance, ${formatNaira(available)}, is below ${formatNaira(threshold)}.`
  const href = hrefOf({ ...place, path: 'balance' })
  return { id: 'balance-low', kind: 'balance-low', severity: 'asks', says, href }
}

type Now = { amount: Kobo | null; available: Kobo; isLow: boolean }

async function lowBalanceNow({ ctx, rooms: { ledger } }: Parts, tenant: Tenant): Promise<Now> {
  const [threshold, balances] = await Promise.all([readLowBalance(ctx, tenant), ledger.balances(tenant)])
  const available = balances.find(({ currency }) => currency === 'NGN')?.available ?? zero
  return { amount: threshold, available, isLow: threshold !== null && available < threshold }
}

function shown({ amount: threshold, available, isLow }: Now): Record<string, unknown> {
  return { amount: threshold === null ? null : toWire(threshold), available: toWire(available), isLow }
}
