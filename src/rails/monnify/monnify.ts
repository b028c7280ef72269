// The Monnify rail: pays out to Nigerian banks, resolves account names, opens accounts, sends deposits back and receives
// notices. docs/rails/monnify.md lists what must be requested and enabled there before the first call.

import type { Clock } from '#platform/clock.ts'
import type { Net } from '#platform/http-client/client.ts'
import type { Rail } from '#rails/rail.ts'
import { createCall } from './call.ts'
import { createBankDirectory } from './directory.ts'
import { createFloat, createStatement } from './statement.ts'
import { createVirtualAccounts } from './accounts.ts'
import { createNotices, type NoticeTrust } from './notices.ts'
import { createPayout } from './payout.ts'
import { createRefunds } from './refunds.ts'

export type MonnifyOptions = {
  name: string
  apiKey: string
  secretKey: string
  /** The contract of the accounts that customers pay into. */
  contractCode: string
  /** The number of the wallet that funds payouts. */
  wallet: string
  /** Domain of the email addresses that identify customers; if absent, the rail opens no accounts. */
  emailDomain?: string | undefined
  trust: NoticeTrust
  baseUrl: string
  net: Net
  clock: Clock
  share?: (() => number) | undefined
  limits?: Partial<MonnifyLimits> | undefined
}

type MonnifyLimits = { submitMs: number; readMs: number; resolveMs: number }

const usualLimits: MonnifyLimits = { submitMs: 30_000, readMs: 15_000, resolveMs: 10_000 }

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
      : { virtualAccounts: createVirtualAccounts({ call, clock, contractCode, emailDomain }) }),
  } satisfies Rail
}
