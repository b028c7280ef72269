// Which rail has to do with money that somebody told of: providers are known by their own names, whatever their rails are called.

import { environments, type Environment } from '#base/context.ts'
import type { RailRegistry } from '#rails/registry.ts'

type Known = { environment: Environment; provider: string; rail: string }

export function providersOf(rails: RailRegistry): Known[] {
  return environments.flatMap((environment) =>
    rails.namesOf(environment).flatMap((rail) => {
      const answer = rails.inbound(environment, { rail })
      return answer.kind === 'served' ? [{ environment, provider: answer.port.provider, rail }] : []
    }),
  )
}

export function railOfProvider(rails: RailRegistry, environment: Environment, provider: string): string | undefined {
  return providersOf(rails).find((one) => one.environment === environment && one.provider === provider)?.rail
}
