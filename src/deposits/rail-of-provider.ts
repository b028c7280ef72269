// Which rail has to do with money that somebody told of: providers are known by their own names, whatever their rails are called.

import type { Environment } from '#base/context.ts'
import type { RailRegistry } from '#rails/registry.ts'

export function railOfProvider(rails: RailRegistry, environment: Environment, provider: string): string | undefined {
  return rails.namesOf(environment).find((name) => {
    const answer = rails.inbound(environment, { rail: name })
    return answer.kind === 'served' && answer.port.provider === provider
  })
}
