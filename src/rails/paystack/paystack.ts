// The Paystack rail. A Nigerian account pays out to banks and wallets, resolves account names and opens accounts; one of
// another country pays out to wallets and collects from them. Both receive notices.
// docs/rails/paystack.md lists what must be requested and enabled there before the first call.

import { z } from 'zod'
import type { Clock } from '#platform/clock.ts'
import type { Net } from '#platform/http-client/client.ts'
import { type AccountAnswer, accountGate, type ConfirmAccount } from '#rails/account-gate.ts'
import type { Rail } from '#rails/rail.ts'
import { createVirtualAccounts } from './accounts.ts'
import { createMomoCollection } from './collections.ts'
import { currencyIn, payoutCountries, type PaystackCountry } from './countries.ts'
import { type PaystackCall, createCall } from './call.ts'
import { createBankDirectory, createMomoDirectory } from './directory.ts'
import { createNotices } from './notices.ts'
import { createMomoPayout, createPayout, createRecipients } from './payout.ts'
import { createRefunds } from './refunds.ts'
import { createFloat, createStatement } from './statement.ts'

const rows = z.array(z.object({ integration: z.union([z.int(), z.string().min(1)]) }))

const questions = [
  { endpoint: 'customer', path: '/customer?perPage=1' },
  { endpoint: 'list-ledger', path: '/balance/ledger?perPage=1' },
] as const

/**
 * Reads the account of the secret key. Paystack names it, as `integration`, in the rows of its lists; no documented
 * call names the account before it has a customer or a balance change.
 */
async function askAccount(call: PaystackCall): Promise<AccountAnswer> {
  for (const { endpoint, path } of questions) {
    const said = await call({ endpoint, method: 'GET', path })
    if (said.kind === 'unknown') return said
    if (said.kind === 'refusal') return { kind: 'unknown', detail: `${endpoint}: refused with ${said.status}` }
    const found = rows.safeParse(said.data).data
    if (found === undefined) return { kind: 'unknown', detail: `${endpoint}: its rows do not name the account` }
    const [row] = found
    if (row !== undefined) return { kind: 'account', id: String(row.integration) }
  }
  return { kind: 'none' }
}

type PaystackOptions = {
  name: string
  secretKey: string
  baseUrl?: string | undefined
  /** Domain of the email addresses that identify customers; if absent, the rail opens no accounts. */
  emailDomain?: string | undefined
  /** The bank of accounts whose business chose none. */
  dvaBank?: string | undefined
  /** Confirms before the first call which account the key belongs to (account-gate.ts). */
  confirm?: ConfirmAccount | undefined
  net: Net
  clock: Clock
  share?: (() => number) | undefined
  limits?: Partial<PaystackLimits> | undefined
}

type PaystackLimits = { submitMs: number; readMs: number; resolveMs: number }

const usualLimits: PaystackLimits = { submitMs: 30_000, readMs: 15_000, resolveMs: 10_000 }

const paystackUrl = 'https://api.paystack.co'

/** The bank of accounts, unless the rail's entry names one that our company agreed on with Paystack (`dvaBank`). */
const usualBank = 'titan-paystack'
/** Test mode has no other bank. */
const testBank = 'test-bank'

function usualBankOf(secretKey: string): string {
  return secretKey.startsWith('sk_test_') ? testBank : usualBank
}

function connect({ secretKey, baseUrl = paystackUrl, confirm, net, clock, share, limits }: PaystackOptions) {
  const times = { ...usualLimits, ...limits }
  const ungated = createCall({ net, clock, share, secretKey, baseUrl, readMs: times.readMs })
  return { call: accountGate({ call: ungated, ask: () => askAccount(ungated), confirm, clock }), ...times }
}

export function createPaystack(options: PaystackOptions) {
  const { name, secretKey, emailDomain, dvaBank: bankSlug = usualBankOf(options.secretKey), clock } = options
  const { call, submitMs, readMs, resolveMs } = connect(options)
  const recipients = createRecipients(call, 'NGN')
  const transfers = { call, country: 'NG' as const, recipients, clock, submitMs, readMs }
  return {
    name,
    payout: createPayout(transfers),
    bankDirectory: createBankDirectory(call, resolveMs),
    momoPayout: createMomoPayout(transfers),
    momoDirectory: createMomoDirectory(call, resolveMs),
    inbound: createNotices({ provider: name, call, secretKey }),
    refunds: createRefunds({ call, readMs }),
    float: createFloat(call),
    statement: createStatement(name, call),
    ...(emailDomain === undefined
      ? {}
      : { virtualAccounts: createVirtualAccounts({ call, clock, emailDomain, bankSlug }) }),
  } satisfies Rail
}

/** An account outside Nigeria, which has mobile money alone. */
export function createPaystackWallets(options: PaystackOptions & { country: Exclude<PaystackCountry, 'NG'> }) {
  const { name, secretKey, emailDomain, clock, country } = options
  const { call, submitMs, readMs } = connect(options)
  const currency = currencyIn[country]
  const recipients = createRecipients(call, currency)
  return {
    name,
    inbound: createNotices({ provider: name, call, secretKey }),
    refunds: createRefunds({ call, readMs }),
    float: createFloat(call, currency),
    statement: createStatement(name, call, currency),
    ...(payoutCountries.includes(country)
      ? { momoPayout: createMomoPayout({ call, country, recipients, clock, submitMs, readMs }) }
      : {}),
    ...(emailDomain === undefined
      ? {}
      : { momoCollection: createMomoCollection({ call, clock, country, emailDomain, submitMs }) }),
  } satisfies Rail
}
