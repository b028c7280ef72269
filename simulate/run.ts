// `npm run simulate`: runs one world for each seed, in which everything goes wrong that may, and exits with 1 if the service did
// something wrong in one of them. Without --seed and --seeds it draws a seed. It prints each seed with its result.

import { randomInt } from 'node:crypto'
import { readOptions, refuse, wholeNumber } from '#scripts/options.ts'
import type { Cluster } from './databases/database.ts'
import { cameLater, knownSeeds } from './known-seeds.ts'
import type { WorldResult } from './life.ts'
import { grounds, isSwitchName, switches, switchNames, withImplied, type SwitchName } from './switches.ts'
import { followTheWorld } from './timers.ts'
import { reasonAgainst } from './requirements.ts'

const usage = `npm run simulate [-- OPTION …]: worlds in which everything goes wrong that may; see simulate/README.md

  --seed 42        run the world of this seed (default: a random seed)
  --seeds 20       run 20 worlds: from --seed on, or the known seeds and then 1 to 20
  --steps 300      steps of traffic in each world (default: 300)
  --seconds 10     run each world for this long, in place of --steps
  --deaths 1       with patroni and citus: at most so many deaths of a server (default: 5)
  --with NAME,…    switch these on
  --without NAME,… switch these off
  --verbose        print each fault when it strikes

Switches (* on by default):
${switchNames.map((name) => `${switches[name].byDefault ? '*' : ' '} ${name.padEnd(20)} ${switches[name].what}`).join('\n')}`

const { values } = readOptions(usage, {
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    steps: { type: 'string' },
    seconds: { type: 'string' },
    deaths: { type: 'string' },
    with: { type: 'string' },
    without: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
})

type Order = { seed: number; on: Set<SwitchName>; steps: number }

const stepsUsual = 300
const stepsForever = 10_000_000
const seedsBelow = 1_000_000

const [withNames, withoutNames] = [namesIn('with', values.with), namesIn('without', values.without)]
const steps = values.seconds === undefined ? wholeNumber('steps', values.steps ?? String(stepsUsual)) : stepsForever
const seconds = values.seconds === undefined ? Infinity : wholeNumber('seconds', values.seconds)
const deathsMax = values.deaths === undefined ? Infinity : wholeNumber('deaths', values.deaths)

followTheWorld()
// Loaded only now, so that `--help` does not wait for the service to load.
const [{ machine, startDatabase }, { runWorld }] = await Promise.all([
  import('./databases/start.ts'),
  import('./life.ts'),
])
const reason = reasonAgainst(chosen([]), machine)
if (reason !== undefined) refuse(reason)
const cluster = await startDatabase(chosen([]))
let failed = 0
for (const order of orders()) if (!(await runOne(cluster, order))) failed += 1
await cluster.stop()
process.exit(failed === 0 ? 0 : 1)

/**
 * Returns one world, or with `--seeds` that many worlds, whose seeds begin at --seed. Without --seed: first the known
 * seeds, then those from 1 on.
 */
function orders(): Order[] {
  const usual = chosen([])
  if (values.seeds === undefined) {
    const seed = values.seed === undefined ? randomInt(seedsBelow) : wholeNumber('seed', values.seed)
    return [{ seed, on: usual, steps }]
  }
  const first = values.seed === undefined ? 1 : wholeNumber('seed', values.seed)
  const fresh = Array.from({ length: wholeNumber('seeds', values.seeds) }, (_, index) => ({
    seed: first + index,
    on: usual,
    steps,
  }))
  const known = knownSeeds
    .filter(({ needs }) => needs.every((name) => chosen([]).has(name)))
    .map(({ seed, needs }) => ({ seed, on: asFound(needs), steps }))
  return values.seed === undefined ? [...known, ...fresh] : fresh
}

/** A switch that did not exist yet would change the world of an old seed, so it is off unless the user or the seed names it. */
function asFound(needs: readonly SwitchName[]): Set<SwitchName> {
  return new Set(
    [...chosen(needs)].filter((name) => withNames.includes(name) || needs.includes(name) || !cameLater.includes(name)),
  )
}

function chosen(needs: readonly SwitchName[]): Set<SwitchName> {
  const names = switchNames.filter(
    (name) => switches[name].byDefault || withNames.includes(name) || needs.includes(name),
  )
  return new Set(withImplied(names.filter((name) => !withoutNames.includes(name))))
}

async function runOne(on: Cluster, order: Order): Promise<boolean> {
  const say = values.verbose ? (text: string) => console.log(`  ${text}`) : () => undefined
  const result = await runWorld(on, { ...order, seconds, deathsMax, say }).catch((error: unknown) => {
    console.log(`seed ${order.seed}: the world broke, which is a fault of its own; repeat: ${commandFor(order)}`)
    throw error
  })
  console.log(sentence(order, result))
  for (const wrong of result.wrong) console.log(`  WRONG: ${wrong}`)
  if (result.wrong.length > 0) console.log(`  repeat: ${commandFor(order)}`)
  return result.wrong.length === 0
}

function sentence(
  { seed }: Order,
  { steps: made, faults, deaths, payments, deliveries, deadlocks, worldMs, realMs, wrong }: WorldResult,
): string {
  const died = deaths === 0 ? '' : `${deaths} deaths, `
  const verdict = wrong.length === 0 ? 'right' : `${wrong.length} WRONG`
  const time = `${Math.round(worldMs / 60_000)} min in ${(realMs / 1_000).toFixed(1)} s`
  return `seed ${seed}: ${verdict}; ${made} steps, ${faults} faults, ${died}${payments} payments, ${deliveries} deliveries, ${deadlocks} deadlocks, ${time}`
}

function commandFor({ seed, on }: Order): string {
  const added = switchNames.filter((name) => on.has(name) && !switches[name].byDefault)
  const removed = switchNames.filter((name) => !on.has(name) && switches[name].byDefault)
  const size = values.seconds === undefined ? `--steps ${steps}` : `--seconds ${seconds}`
  const words = [
    `--seed ${seed}`,
    size,
    ...(values.deaths === undefined ? [] : [`--deaths ${values.deaths}`]),
    ...(added.length > 0 ? [`--with ${added.join(',')}`] : []),
    ...(removed.length > 0 ? [`--without ${removed.join(',')}`] : []),
  ]
  return `npm run simulate -- ${words.join(' ')}`
}

function namesIn(option: string, text = ''): SwitchName[] {
  const names = text.split(',').filter((name) => name !== '')
  if (names.includes('all')) return switchNames.filter((name) => !grounds.includes(name))
  return names.map((name) => {
    if (isSwitchName(name)) return name
    return refuse(`--${option} ${name}: there is no such switch. There are: ${switchNames.join(', ')}, all`)
  })
}
