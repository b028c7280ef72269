// Which rail serves which port in which environment. Staging has the simulator. Production has none until an operator
// names one, and a caller that needs a missing port is told which setting would bring it.

import type { Clock } from '#base/clock.ts'
import type { Environment } from '#base/context.ts'
import { Unavailable } from '#base/error.ts'
import type { Rail } from './rail.ts'
import { createSimulator } from './simulator/simulator.ts'

type Ports = Required<Omit<Rail, 'name'>>

type RailSetting = 'STAGING_RAIL' | 'PRODUCTION_RAIL'

export type PortAnswer<Port> = { kind: 'served'; port: Port } | { kind: 'missing'; setting: RailSetting }

/** One question per port: `registry.payout('production')`. */
export type RailRegistry = { [Name in keyof Ports]: (environment: Environment) => PortAnswer<Ports[Name]> }

export type RailRegistryOptions = {
  clock: Clock
  /** How long after its submission a simulated payment has its outcome. */
  settleMs: number
  /** Rails for some environments that replace the usual ones. */
  rails?: Partial<Record<Environment, Rail>> | undefined
}

const settings: Record<Environment, RailSetting> = { staging: 'STAGING_RAIL', production: 'PRODUCTION_RAIL' }

export function createRailRegistry(options: RailRegistryOptions): RailRegistry {
  const { clock, settleMs } = options
  const rails: Partial<Record<Environment, Rail>> = { staging: createSimulator({ clock, settleMs }), ...options.rails }
  function question<Name extends keyof Ports>(name: Name): (environment: Environment) => PortAnswer<Ports[Name]> {
    return (environment) => {
      const port = rails[environment]?.[name] as Ports[Name] | undefined
      return port === undefined ? { kind: 'missing', setting: settings[environment] } : { kind: 'served', port }
    }
  }
  return {
    bankDirectory: question('bankDirectory'),
    payout: question('payout'),
    momoDirectory: question('momoDirectory'),
    momoPayout: question('momoPayout'),
    momoCollection: question('momoCollection'),
    virtualAccounts: question('virtualAccounts'),
    inbound: question('inbound'),
  }
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
