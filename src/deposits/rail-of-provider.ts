// Which rail has to do with money that somebody told of: providers are known by their own names, whatever their rails are called.

import { environments, type Environment } from '#base/context.ts'
import type { RailRegistry } from '#rails/registry.ts'

export function railOfProvider(rails: RailRegistry, environment: Environment, provider: string): string | undefined {
  return rails.namesOf(environment).find((name) => {
    const answer = rails.inbound(environment, { rail: name })
    return answer.kind === 'served' && answer.port.provider === provider
  })
}

export function providersOf(rails: RailRegistry): { environment: Environment; provider: string }[] {
  return environments.flatMap((environment) =>
    rails.namesOf(environment).flatMap((rail) => {
      const answer = rails.inbound(environment, { rail })
      return answer.kind === 'served' ? [{ environment, provider: answer.port.provider }] : []
    }),
  )
}
