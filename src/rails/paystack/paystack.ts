// Paystack: pays out to Nigerian banks and wallets, names the holders of accounts, and tells what happened by notices.
// docs/rails/paystack.md says what must be asked of them and switched on before the first call.

import type { Clock } from '#base/clock.ts'
import type { Net } from '#base/net.ts'
import { accountGate, type ConfirmAccount } from '#rails/account-gate.ts'
import type { Rail } from '#rails/rail.ts'
import { askAccount } from './account.ts'
import { createVirtualAccounts } from './accounts.ts'
import { createCall } from './call.ts'
import { createBankDirectory, createMomoDirectory } from './directory.ts'
import { createFloat } from './float.ts'
import { createNotices } from './notices.ts'
import { createMomoPayout, createPayout } from './payout.ts'
import { createRecipients } from './recipients.ts'
import { createRefunds } from './refunds.ts'
import { createStatement } from './statement.ts'

export type PaystackOptions = {
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

export const paystackUrl = 'https://api.paystack.co'

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
