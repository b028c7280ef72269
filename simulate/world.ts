// One world: its database, tenants, receivers, providers, and the instances that start and stop in it.

import { present } from '#platform/assert.ts'
import { createBusiness } from '#businesses/business.ts'
import { setCurrencies } from '#businesses/currencies.ts'
import { createKey } from '#businesses/keys.ts'
import type { PgBouncer } from '#tests/support/pgbouncer.ts'
import { createTime, holdsWithin, realTime, type WorldTime } from './clocks.ts'
import type { WorldDatabase } from './databases/database.ts'
import { startInstance, type Instance } from './instance.ts'
import { createModel, type Model, type ModelTenant } from './model.ts'
import { createNoticeDoor, type NoticeDoor } from './notices.ts'
import type { AccountProvider } from './rails/accounts.ts'
import { createContradictingProvider, type ContradictingProvider } from './rails/contradicting.ts'
import { currenciesAbroad } from './rails/pawapay.ts'
import { startProviders, type Providers } from './rails/providers.ts'
import { wholeRoads, type Roads } from './rails/rails-files.ts'
import { createFarSide, type FarSide, type Fates } from './rails/far-side.ts'
import { startReceivers, type Receivers } from './receivers.ts'
import type { Chance } from './seed.ts'
import type { Switched } from './switches.ts'

export type Member = { instance: Instance; notices: NoticeDoor }

/**
 * The parts that an instance is started with. A part that is absent is taken from the instance that the new one
 * replaces.
 */
export type Behind = { sides?: FarSide[]; roads?: Roads }

export type World = {
  chance: Chance
  isOn: Switched
  time: WorldTime
  database: WorldDatabase
  model: Model
  /** The PgBouncer that instances connect to; undefined without the switch `pooler`. */
  pooler: PgBouncer | undefined
  /** The provider of virtual accounts in a world without `real-rails`. */
  provider: AccountProvider
  /**
   * Paystack, Monnify and, with the switch `pawapay`, pawaPay, for payouts and accounts; undefined without
   * `real-rails`.
   */
  providers: Providers | undefined
  /** The simulated provider of all payouts in the production environment. */
  contradicting: ContradictingProvider
  fates: Fates
  receivers: Receivers
  sides: { first: FarSide; other: FarSide }
  members: Member[]
  /**
   * True once the faults are over. From then on, calls to the simulated banks and operators neither hang nor get lost.
   */
  quiet: boolean
  /**
   * Starts an instance in place of the one that stopped at `place`, or an additional instance if `place` is undefined.
   */
  join(place?: number, behind?: Behind): Promise<void>
  addTenant(): Promise<ModelTenant>
  end(): Promise<void>
}

export type WorldOptions = { chance: Chance; isOn: Switched; database: WorldDatabase }

const instancesAtFirst = 3
const lanesAtFirst = 2
const tenantsAtFirst = 4
/** Clocks that NTP adjusts differ by less than this. */
export const skewMsMax = 700

export async function createWorld({ chance, isOn, database }: WorldOptions): Promise<World> {
  await database.ask(`update installation set lanes = ${lanesAtFirst}`)
  const time = createTime()
  const model = createModel(database.deaths.times > 1)
  const receivers = await startReceivers()
  const world: World = {
    chance,
    isOn,
    time,
    database,
    model,
    pooler: isOn('pooler') ? await present(database.startPooler, 'a pooler leads to this database')() : undefined,
    provider: { numbers: new Map(), chance: chance.fork('virtual accounts') },
    providers: isOn('real-rails') ? await startProviders(time, isOn) : undefined,
    contradicting: createContradictingProvider(),
    fates: { payouts: new Map(), collections: new Map() },
    receivers,
    sides: { first: createFarSide('bank A', time, model.wrong), other: createFarSide('bank B', time, model.wrong) },
    members: [],
    quiet: false,
    join: createJoining(() => world),
    addTenant: () => addTenant(world),
    end: () => Promise.all([receivers.close(), world.providers?.close(), world.pooler?.stop()]).then(() => undefined),
  }
  for (let count = 0; count < instancesAtFirst; count += 1) await startInTime(world)
  for (let count = 0; count < tenantsAtFirst; count += 1) await world.addTenant()
  return world
}

/** Tries to start an instance until it runs, as a supervisor does, because PostgreSQL may be down. */
export async function startInTime(world: World, place?: number, behind?: Behind): Promise<void> {
  let cause: unknown
  const started = (): Promise<boolean> =>
    world.join(place, behind).then(
      () => true,
      (error: unknown) => {
        cause = error
        return realTime(startPauseMs).then(() => false)
      },
    )
  if (!(await holdsWithin(world.database.deaths.awayMsMax, started)))
    throw new Error('an instance could not be started', { cause })
}

const startPauseMs = 100

function createJoining(worldOf: () => World): World['join'] {
  let started = 0
  return async (place, behind = {}) => {
    const world = worldOf()
    const { chance, time, database, provider, providers, contradicting, fates, members, sides } = world
    const at = place ?? members.length
    const number = started + 1
    const before = members[at]?.instance
    const roads = behind.roads ?? before?.roads ?? chance.fork(`roads of instance ${number}`).pick(wholeRoads)
    const instance = await startInstance({
      name: `instance ${number}`,
      time,
      database,
      databaseUrl:
        world.pooler?.url ?? database.serviceUrls[number % database.serviceUrls.length] ?? database.serviceUrls[0],
      aheadMs: chance.fork(`clock of instance ${number}`).between(-skewMsMax, skewMsMax),
      sides: behind.sides ?? before?.sides ?? [sides.first],
      provider,
      contradicting,
      roads,
      doors: await providers?.open(roads),
      fates,
      isQuiet: () => world.quiet,
    })
    started = number
    members[at] = { instance, notices: createNoticeDoor(instance) }
  }
}

async function addTenant({ members, model, isOn }: World): Promise<ModelTenant> {
  const [first] = members
  if (first === undefined) throw new Error('there is no instance to make a tenant with')
  const { ctx } = first.instance.app
  const name = `tenant ${model.tenants.length + 1}`
  const { id: businessId, tenants } = await createBusiness(ctx, name)
  if (isOn('pawapay')) await setCurrencies(ctx, tenants.staging, { on: currenciesAbroad, off: [] })
  const { secret: key } = await createKey(ctx, tenants.staging, name)
  const tenant: ModelTenant = { name, businessId, tenant: tenants.staging, key, accounts: [], subscriptions: [] }
  model.tenants.push(tenant)
  return tenant
}

export function anyMember({ members }: World, chance: Chance): Member {
  return chance.pick(members)
}
