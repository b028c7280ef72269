// Which account a secret key belongs to. Paystack names it, as `integration`, in the rows of its lists. There is no documented
// call that names the account before it has a customer or a movement of its balance.

import { z } from 'zod'
import type { Clock } from '#platform/clock.ts'
import type { Net } from '#platform/http-client/client.ts'
import { type AccountAnswer, accountGate, type ConfirmAccount } from '#rails/account-gate.ts'
import type { Rail } from '#rails/rail.ts'
import { createVirtualAccounts } from './accounts.ts'
import { type Call, createCall } from './call.ts'
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

async function askAccount(call: Call): Promise<AccountAnswer> {
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

// Paystack: pays out to Nigerian banks and wallets, names the holders of accounts, and tells what happened by notices.
// docs/rails/paystack.md says what must be asked of them and switched on before the first call.

type PaystackOptions = {
  /** The rail's, by which payments remember it. */
  name: string
  secretKey: string
  baseUrl?: string | undefined
  /** Of the addresses that stand for customers; without it no accounts are opened. */
  emailDomain?: string | undefined
  /** Of accounts whose business chose no bank. */
  dvaBank?: string | undefined
  /** Asked before the first call, with what Paystack says of the account of the key. */
  confirm?: ConfirmAccount | undefined
  net: Net
  clock: Clock
  /** Which part of the provider's limits is this process's. */
  share?: (() => number) | undefined
  /** How long it is waited for. */
  limits?: Partial<Limits> | undefined
}

type Limits = { submitMs: number; readMs: number; resolveMs: number }

const usualLimits: Limits = { submitMs: 30_000, readMs: 15_000, resolveMs: 10_000 }

const paystackUrl = 'https://api.paystack.co'

/** Which one the account has is agreed with Paystack. */
const usualBank = 'titan-paystack'

export function createPaystack(options: PaystackOptions) {
  const {
    name,
    secretKey,
    baseUrl = paystackUrl,
    emailDomain,
    dvaBank: bankSlug = usualBank,
    confirm,
    net,
    clock,
    share,
    limits,
  } = options
  const { submitMs, readMs, resolveMs } = { ...usualLimits, ...limits }
  const ungated = createCall({ net, clock, share, secretKey, baseUrl, readMs })
  const call = accountGate({ call: ungated, ask: () => askAccount(ungated), confirm, clock })
  const transfers = { call, recipients: createRecipients(call), clock, submitMs, readMs }
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
