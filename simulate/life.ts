// Runs one world: creates it, runs traffic and faults, lets it fall quiet, and compares it with the model.

import { checkAccounts } from './checks/accounts.ts'
import { checkBalances } from './checks/balances.ts'
import { checkBooks, checkDeadlocks } from './checks/books.ts'
import { checkDeposits } from './checks/deposits.ts'
import { checkEvents } from './checks/events.ts'
import { checkStops } from './checks/held.ts'
import { createOthers } from './checks/others.ts'
import { checkPayments } from './checks/payments.ts'
import { checkProviders } from './checks/providers.ts'
import { realTime } from './clocks.ts'
import type { Cluster } from './databases/database.ts'
import { diesAgainAndAgain, startDeaths } from './faults/deaths.ts'
import { planFaults, type Planned } from './faults/plan.ts'
import { fallQuiet } from './quiet.ts'
import { createChance } from './seed.ts'
import type { SwitchName } from './switches.ts'
import { readEverything } from './traffic/reads.ts'
import { prepareTraffic, runTraffic } from './traffic/traffic.ts'
import { createWorld, type World } from './world.ts'

export type WorldRun = {
  seed: number
  on: Set<SwitchName>
  steps: number
  seconds: number
  /** With `patroni` or `citus`: the most deaths of a server. */
  deathsMax: number
  say: (text: string) => void
}

export type WorldResult = {
  wrong: string[]
  steps: number
  faults: number
  /** With `patroni` or `citus`: the number of deaths of a server. */
  deaths: number
  payments: number
  deliveries: number
  deadlocks: number
  worldMs: number
  realMs: number
}

export async function runWorld(cluster: Cluster, run: WorldRun): Promise<WorldResult> {
  const { seed, on, steps, seconds, say } = run
  const [startedMs, cpu] = [performance.now(), process.cpuUsage()]
  const database = await cluster.create(`world_${seed}_${(worlds += 1)}`)
  const world = await createWorld({ chance: createChance(seed), isOn: (name) => on.has(name), database })
  const bornMs = world.time.now()
  await prepareTraffic(world)
  say(`born after ${since(startedMs)}`)
  const endMs = startedMs + seconds * 1_000
  const result = await runTrafficAndFaults(world, (step) => step <= steps && performance.now() < endMs, run)
  say(`quiet after ${since(startedMs)}`)
  await fallQuiet(world)
  say(`ended after ${since(startedMs)}, ${cpuSince(cpu)} of it at work`)
  const deadlocks = await checkWorld(world)
  const deliveries = await database.ask<{ count: string }>('select count(*) from webhook_delivery')
  const worldMs = world.time.now() - bornMs
  await world.end()
  await database.drop()
  return {
    ...result,
    wrong: [...world.model.wrong],
    payments: world.model.payouts.length + world.model.collections.length,
    deliveries: Number(deliveries[0]?.count),
    deadlocks,
    worldMs,
    realMs: performance.now() - startedMs,
  }
}

let worlds = 0
const waitingMax = 2
/** A fault that takes longer than this counts as hung. It is much longer than a process takes to start. */
const strikeMsMax = 300_000

/** Runs the traffic and, one after the other, the faults, each when the traffic has reached its step. */
async function runTrafficAndFaults(
  world: World,
  goesOn: (step: number) => boolean,
  { deathsMax, say }: WorldRun,
): Promise<Pick<WorldResult, 'steps' | 'faults' | 'deaths'>> {
  const plan = planFaults(world, world.chance.fork('faults'))
  const { kill, times } = world.database.deaths
  const others = createOthers(world)
  const death = { times: diesAgainAndAgain(world) ? Math.min(times, deathsMax) : 0, kill: () => others.watch(kill) }
  const deaths = startDeaths(death, world.chance.fork('deaths'), say)
  let next = plan.next()
  let [steps, faults] = [0, 0]
  let [striking, waiting] = [Promise.resolve(), 0]
  async function strike(before: Promise<void>, { step, fault, chance }: Planned): Promise<void> {
    await before
    const beganMs = performance.now()
    const hangs = realTime(strikeMsMax).then(() => Promise.reject(new Error(`${fault.name} did not end`)))
    await Promise.race([fault.strike(world, chance), hangs])
    waiting -= 1
    say(`step ${step}: ${fault.name}, ${Math.round(performance.now() - beganMs)} ms`)
  }
  await runTraffic(world, (step) => {
    if (!goesOn(step) && deaths.over()) return false
    steps = step
    deaths.onStep(step)
    for (; step >= next.step; next = plan.next()) {
      // While a server is away, each fault takes seconds. So a fault is left out if one strikes and two wait already;
      // otherwise the queue would last long after the traffic has ended.
      if (waiting > waitingMax && diesAgainAndAgain(world)) continue
      ;[faults, waiting] = [faults + 1, waiting + 1]
      striking = strike(striking, next)
    }
    return true
  })
  await striking
  const died = await deaths.ended()
  others.judge()
  return { steps, faults, deaths: died }
}

async function checkWorld(world: World): Promise<number> {
  await readEverything(world)
  await checkPayments(world)
  await checkDeposits(world)
  await checkAccounts(world)
  await checkBalances(world)
  await checkEvents(world)
  await checkBooks(world)
  await checkProviders(world)
  const deadlocks = await checkDeadlocks(world)
  await checkStops(world)
  return deadlocks
}

function cpuSince(before: NodeJS.CpuUsage): string {
  const { user, system } = process.cpuUsage(before)
  return `${((user + system) / 1_000_000).toFixed(1)} s`
}

function since(startedMs: number): string {
  return `${((performance.now() - startedMs) / 1_000).toFixed(1)} s`
}
