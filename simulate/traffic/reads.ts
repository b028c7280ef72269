// Reads lists and balances through the API. Every read must succeed, whatever amounts are in the books.

import type { Chance } from '#simulate/seed.ts'
import type { Model, ModelTenant } from '#simulate/model.ts'
import { anyMember, type Member, type World } from '#simulate/world.ts'
import { ask, isUnclear, type CallerAnswer } from './ask.ts'

const paths = [
  '/v1/balance',
  '/v1/balance/ledger?limit=100',
  '/v1/transfers?limit=100',
  '/v1/transfers?status=SUCCESS',
  '/v1/momo/transfer',
  '/v1/momo/collection',
  '/v1/deposits?limit=100',
  '/v1/customers',
  '/v1/virtual-accounts',
  '/v1/webhooks/events',
]

export async function readSomething(world: World, chance: Chance): Promise<void> {
  await readOne(world.model, anyMember(world, chance), chance.pick(world.model.tenants), chance.pick(paths))
}

export async function readEverything({ model, members }: World): Promise<void> {
  const [member] = members
  if (member === undefined) return
  for (const tenant of model.tenants) for (const path of paths) await readOne(model, member, tenant, path)
}

async function readOne(model: Model, { instance }: Member, tenant: ModelTenant, path: string): Promise<CallerAnswer> {
  const heard = await ask(model, instance, tenant, path)
  if (!isUnclear(heard) && heard.status !== 200)
    model.wrong.add(`GET ${path} was answered ${heard.status} ${heard.text}`)
  return heard
}
