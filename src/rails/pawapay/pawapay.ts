// The pawaPay rail: pays out to mobile-money wallets and collects from them in the countries of the account.
// docs/rails/pawapay.md lists what must be requested and enabled there before the first call.

import type { Clock } from '#platform/clock.ts'
import type { Net } from '#platform/http-client/client.ts'
import { isLoopback } from '#rails/provider.ts'
import type { Rail } from '#rails/rail.ts'
import { createAccount, createFloat, createReadOffers } from './account.ts'
import { createCall } from './call.ts'
import { createMomoCollection } from './collections.ts'
import type { RequestSigning } from './http-signatures.ts'
import { createKeySet, createNotices } from './notices.ts'
import { createMomoPayout } from './payments.ts'
import { createStatement } from './statement.ts'

export type PawapayOptions = {
  name: string
  apiToken: string
  /** The key with which requests that move money are signed; if absent, they are not. */
  signing?: RequestSigning | undefined
  callbacks: 'signed' | 'unsigned'
  baseUrl: string
  /** The address of our notices, without which pawaPay makes no statement; if absent, the rail has no statements. */
  callbackUrl?: string | undefined
  net: Net
  clock: Clock
  share?: (() => number) | undefined
  limits?: Partial<PawapayLimits> | undefined
}

type PawapayLimits = { submitMs: number; readMs: number }

const usualLimits: PawapayLimits = { submitMs: 30_000, readMs: 15_000 }

export const pawapayUrls = { staging: 'https://api.sandbox.pawapay.io', production: 'https://api.pawapay.io' }

export function createPawapay(options: PawapayOptions) {
  const { name, apiToken, signing, callbacks, baseUrl, callbackUrl, net, clock, share } = options
  const { submitMs, readMs } = { ...usualLimits, ...options.limits }
  const call = createCall({ net, clock, share, apiToken, signing, baseUrl, readMs })
  const payments = { call, clock, submitMs, readMs }
  const signs = { requests: signing !== undefined, callbacks: callbacks === 'signed' }
  const account = createAccount(call, signs)
  const { wallets } = account
  const allowLoopback = isLoopback(baseUrl)
  return {
    name,
    momoPayout: createMomoPayout(payments),
    momoCollection: createMomoCollection(payments),
    inbound: createNotices({ provider: name, keys: createKeySet(call, clock), clock, callbacks }),
    account,
    readOffers: createReadOffers(call),
    float: createFloat(wallets),
    ...(callbackUrl === undefined
      ? {}
      : { statement: createStatement({ call, net, wallets, callbackUrl, allowLoopback }) }),
  } satisfies Rail
}
