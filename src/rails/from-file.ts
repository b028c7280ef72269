// Creates the rails of RAILS_FILE.

import type { Clock } from '#platform/clock.ts'
import { environments } from '#platform/context.ts'
import type { Net } from '#platform/http-client/client.ts'
import type { ConfirmAccount } from './account-gate.ts'
import { createMonnify, monnifyUrls } from './monnify/monnify.ts'
import { createPawapay, pawapayUrls } from './pawapay/pawapay.ts'
import { createPaystack, createPaystackWallets } from './paystack/paystack.ts'
import type { Rail } from './rail.ts'
import { routesOf, type RailEntry, type RailsFile } from './rails-file.ts'
import type { Routing } from './registry.ts'

/**
 * `share`: this process's share of a provider's limits (processes.ts). `confirm`: blocks calls until the rail is
 * known to have the same account as before; if absent, all calls pass. `noticesUrl`: where a rail sends its notices.
 */
export type MakingRails = {
  net: Net
  clock: Clock
  share?: (() => number) | undefined
  confirm?: ((name: string, entry: RailEntry) => ConfirmAccount) | undefined
  noticesUrl?: ((name: string, entry: RailEntry) => string) | undefined
}

export function routingOf(file: RailsFile, making: MakingRails): Routing {
  const rails = Object.fromEntries(
    environments.map((environment) => [
      environment,
      Object.entries(file.rails)
        .filter(([, entry]) => entry.environment === environment)
        .map(([name, entry]) => createRail(name, entry, making)),
    ]),
  )
  const { policy, costs } = file
  return { rails, policy, costs, routesOf: (...which) => routesOf(file, ...which) }
}

export function createRail(name: string, entry: RailEntry, making: MakingRails): Rail {
  const rail = createNamed(name, entry, making)
  return entry.label === undefined ? rail : { ...rail, label: entry.label }
}

function createNamed(name: string, entry: RailEntry, { confirm, noticesUrl, ...making }: MakingRails): Rail {
  switch (entry.kind) {
    case 'paystack': {
      const { secretKey, baseUrl, emailDomain, dvaBank, country = 'NG' } = entry
      const account = { ...making, name, secretKey, baseUrl, emailDomain, confirm: confirm?.(name, entry) }
      return country === 'NG' ? createPaystack({ ...account, dvaBank }) : createPaystackWallets({ ...account, country })
    }
    case 'monnify': {
      const { environment, apiKey, secretKey, contractCode, wallet, emailDomain, trust } = entry
      const { baseUrl = monnifyUrls[environment] } = entry
      return createMonnify({ ...making, name, apiKey, secretKey, contractCode, wallet, emailDomain, trust, baseUrl })
    }
    case 'pawapay': {
      const { environment, apiToken, signing, callbacks, baseUrl = pawapayUrls[environment] } = entry
      const callbackUrl = noticesUrl?.(name, entry)
      return createPawapay({ ...making, name, apiToken, signing, callbacks, baseUrl, callbackUrl })
    }
  }
}
