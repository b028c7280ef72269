// Which rail serves which port in which environment. Staging has the simulator. Production has none until an operator
// names one, and a caller that needs a missing port is told which setting would bring it. An environment can have several
// rails: what is new goes to the first that has the port, and what went to another before is asked for there, by name.

import { assert } from '#base/assert.ts'
import type { Clock } from '#base/clock.ts'
import { environments, type Environment } from '#base/context.ts'
import { Unavailable } from '#base/error.ts'
import type { Rail } from './rail.ts'
import { createSimulator } from './simulator/simulator.ts'
import { withTimeLimits, type LateCall } from './time-limits.ts'

type Ports = Required<Omit<Rail, 'name'>>

type RailSetting = 'STAGING_RAIL' | 'PRODUCTION_RAIL'

/** `rail`: the name of the rail whose port it is. */
export type PortAnswer<Port> = { kind: 'served'; port: Port; rail: string } | { kind: 'missing'; setting: RailSetting }

type PortQuestions = {
  [Name in keyof Ports]: (environment: Environment, rail?: string) => PortAnswer<Ports[Name]>
}

/**
 * One question per port. `registry.payout('production')`: of the rail that new payments go to;
 * `registry.payout('production', 'acme')`: of that rail and no other.
 */
export type RailRegistry = PortQuestions & {
  /** All that an environment has, by name. */
  namesOf(environment: Environment): string[]
}

export type Rails = Partial<Record<Environment, Rail[]>>

export type RailRegistryOptions = {
  clock: Clock
  /** How long after its submission a simulated payment has its outcome. */
  settleMs: number
  /** Rails for some environments that replace the usual ones. The first that has a port serves it. */
  rails?: Rails | undefined
  /** Told of each call that a rail did not end in time. */
  onLate?: ((late: LateCall) => void) | undefined
}

const settings: Record<Environment, RailSetting> = { staging: 'STAGING_RAIL', production: 'PRODUCTION_RAIL' }

export function createRailRegistry({ clock, settleMs, rails: given, onLate }: RailRegistryOptions): RailRegistry {
  const rails: Rails = { staging: [createSimulator({ clock, settleMs })], ...given }
  const limited = (environment: Environment): Rail[] =>
    (rails[environment] ?? []).map((rail) => withTimeLimits(rail, onLate ?? (() => undefined)))
  const served: Record<Environment, Rail[]> = { staging: limited('staging'), production: limited('production') }
  requireNames(environments.flatMap((environment) => served[environment].map(({ name }) => name)))

  function question<Name extends keyof Ports>(port: Name): PortQuestions[Name] {
    const ask = (environment: Environment, name?: string): PortAnswer<Ports[Name]> => {
      const rail = served[environment].find(
        (one) => one[port] !== undefined && (name === undefined || one.name === name),
      )
      return rail === undefined
        ? { kind: 'missing', setting: settings[environment] }
        : { kind: 'served', port: rail[port] as Ports[Name], rail: rail.name }
    }
    return ask as PortQuestions[Name]
  }
  return {
    bankDirectory: question('bankDirectory'),
    payout: question('payout'),
    momoDirectory: question('momoDirectory'),
    momoPayout: question('momoPayout'),
    momoCollection: question('momoCollection'),
    virtualAccounts: question('virtualAccounts'),
    inbound: question('inbound'),
    float: question('float'),
    namesOf: (environment) => served[environment].map(({ name }) => name),
  }
}

/** A payment notes the name of its rail and nothing else of it, so one name is one rail of one environment. */
function requireNames(names: string[]): void {
  assert(!names.includes(''), 'a rail has a name')
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  assert(twice === undefined, `there is one rail with the name ${twice}`)
}

/** An operator needs longer than seconds to set up a provider. */
const missingRetryAfterSeconds = 60

/** The port, or the sentence for a caller (503). `operation` begins it: `Bank transfers`. */
export function requirePort<Port>(answer: PortAnswer<Port>, operation: string): Port {
  if (answer.kind === 'served') return answer.port
  throw new Unavailable(
    `${operation} are not available here: no rail is configured. Missing setting: ${answer.setting}.`,
    {
      retryAfterSeconds: missingRetryAfterSeconds,
    },
  )
}
