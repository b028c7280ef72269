// Accepts transfers of a thousand businesses, so that each batch locks hundreds of balances instead of one.

import { defineScenario, type Rig } from '#bench/scenario.ts'
import { createTenant } from '#bench/tenant.ts'
import { transferRequest } from '#bench/transfer.ts'

const businesses = 1_000

async function createTenants(rig: Rig): Promise<{ keys: string[] }> {
  const keys: string[] = []
  for (let index = 0; index < businesses; index++) keys.push((await createTenant(rig, `Bench ${index}`)).key)
  return { keys }
}

export const scenario = defineScenario({
  title: 'POST /v1/transfers/initiate, 1 000 businesses, accepting alone',
  connections: [256],
  prepare: createTenants,
  request: ({ keys }, sequence) => transferRequest(keys[sequence % keys.length] ?? '', `BENCH-${sequence}`),
  service: { roles: ['api'] },
  naive: true,
  targets: [{ figure: 'service', of: 'naive', atLeast: 4 }],
})
