// Monnify: pays out to Nigerian banks, names the holders of accounts, and tells what happened by notices.
// docs/rails/monnify.md says what must be asked of them and switched on before the first call.

import type { Clock } from '#platform/clock.ts'
import type { Net } from '#platform/http-client/client.ts'
import type { Rail } from '#rails/rail.ts'
import { createCall } from './call.ts'
import { createBankDirectory } from './directory.ts'
import { createFloat, createStatement } from './statement.ts'
import { createVirtualAccounts } from './accounts.ts'
import { createNotices, type Trust } from './notices.ts'
import { createPayout } from './payout.ts'
import { createRefunds } from './refunds.ts'

export type MonnifyOptions = {
  /** The rail's, by which payments remember it. */
  name: string
  apiKey: string
  secretKey: string
  /** Of the accounts that customers pay into. */
  contractCode: string
  /** The number of the wallet from which payouts are paid. */
  wallet: string
  /** Of the addresses that stand for customers; without it no accounts are opened. */
  emailDomain?: string | undefined
  trust: Trust
  baseUrl: string
  net: Net
  clock: Clock
  /** Which part of the provider's limits is this process's. */
  share?: (() => number) | undefined
  /** How long it is waited for. */
  limits?: Partial<Limits> | undefined
}

type Limits = { submitMs: number; readMs: number; resolveMs: number }

const usualLimits: Limits = { submitMs: 30_000, readMs: 15_000, resolveMs: 10_000 }

export const monnifyUrls = { staging: 'https://sandbox.monnify.com', production: 'https://api.monnify.com' }

export function createMonnify(options: MonnifyOptions) {
  const { name, apiKey, secretKey, contractCode, emailDomain, wallet, trust, baseUrl, net, clock, share } = options
  const limits = { ...usualLimits, ...options.limits }
  const call = createCall({ net, clock, share, apiKey, secretKey, baseUrl, readMs: limits.readMs })
  return {
    name,
    payout: createPayout({ call, clock, wallet, ...limits }),
    bankDirectory: createBankDirectory(call, limits.resolveMs),
    inbound: createNotices({ provider: name, call, secretKey, trust }),
    refunds: createRefunds({ call, readMs: limits.readMs }),
    float: createFloat(call, wallet),
    statement: createStatement({ provider: name, call, wallet }),
    ...(emailDomain === undefined
      ? {}
      : { virtualAccounts: createVirtualAccounts({ call, contractCode, emailDomain }) }),
  } satisfies Rail
}
