// Opening one virtual account: the rail gives a number while no transaction is open, then the lane makes it an account.

import type { Context, Tenant } from '#base/context.ts'
import { inLane } from '#base/db.ts'
import { Unavailable } from '#base/error.ts'
import { newUuid, type Uuid } from '#base/ids.ts'
import type { Lane, Operation } from '#base/lane.ts'
import type { Kobo } from '#base/money.ts'
import type { SecretBox } from '#base/secret.ts'
import type { NewAccount, RailBank, VirtualAccounts as AccountsPort } from '#rails/rail.ts'
import { railReferenceOf } from '#rails/reference.ts'
import type { AmountPolicy, VirtualAccount } from './account.ts'
import { bvnContext } from './create.ts'
import { claimOf, type Draft, type OpenCommand, type OpenOutcome } from './open.ts'
import { claimText, findRivals } from './sql-accounts.ts'
import { businessNameOf, findCustomers } from './sql.ts'

export type StaticRequest = { customerReference: string; bankSlug: string | undefined; accountName: string | undefined }

export type DynamicRequest = {
  amount: Kobo
  reference: string | null
  accountName: string | undefined
  expiresInMinutes: number
  amountPolicy: AmountPolicy
  narration: string | null
  metadata: string | null
}

export type OpeningOutcome =
  | { kind: 'opened'; account: VirtualAccount }
  | { kind: 'exists' }
  | { kind: 'unknown-customer' }
  | { kind: 'unknown-bank' }
  | { kind: 'unsupported-bank' }

export type Opener = {
  ctx: Context
  laneOf: (lane: number) => Lane
  opening: Operation<OpenCommand, OpenOutcome>
  /** Throws the sentence for a caller when the environment has no rail. */
  portOf: (tenant: Tenant) => AccountsPort
  box: SecretBox
  findBank: (slug: string) => RailBank | undefined
}

const attemptsMax = 10
const minuteMs = 60_000
/** What a payer's bank can show. */
const accountNameLengthMax = 100

export async function openStatic(opener: Opener, tenant: Tenant, request: StaticRequest): Promise<OpeningOutcome> {
  const { ctx, box, findBank, portOf } = opener
  const keys = [{ tenantId: tenant.id, reference: request.customerReference }]
  const [found] = await findCustomers(inLane(ctx.db, tenant.lane), keys)
  if (found === undefined) return { kind: 'unknown-customer' }
  const bank = request.bankSlug === undefined ? null : findBank(request.bankSlug)
  if (bank === undefined) return { kind: 'unknown-bank' }
  const port = portOf(tenant)
  const { reference, firstName, lastName, email, phoneNumber, sealedBvn } = found
  const customer = { id: found.id, reference }
  const claimed = await isClaimed(opener, tenant, { customer, reference, bankSlug: bank?.slug ?? port.defaultBankSlug })
  if (claimed) return { kind: 'exists' }
  const id = newUuid(ctx.clock.now())
  const order = {
    railReference: railReferenceOf(id),
    bank,
    accountName: request.accountName ?? `${firstName} ${lastName}`.slice(0, accountNameLengthMax),
    customer: {
      firstName,
      lastName,
      email,
      phoneNumber,
      bvn: sealedBvn === null ? null : box.open(sealedBvn, bvnContext(found.id)),
    },
  }
  const rest = { type: 'static' as const, reference, narration: null, metadata: null, order: null, customer }
  return open(opener, tenant, id, rest, (attempt) => port.createStatic({ ...order, attempt }))
}

export async function openDynamic(opener: Opener, tenant: Tenant, request: DynamicRequest): Promise<OpeningOutcome> {
  const { ctx, portOf } = opener
  const { amount, reference, narration, metadata, amountPolicy: policy } = request
  if (await isClaimed(opener, tenant, { customer: null, reference, bankSlug: '' })) return { kind: 'exists' }
  const port = portOf(tenant)
  const nowMs = ctx.clock.now()
  const id = newUuid(nowMs)
  const expiresAtMs = nowMs + request.expiresInMinutes * minuteMs
  const order = {
    railReference: railReferenceOf(id),
    bank: null,
    accountName: request.accountName ?? (await businessNameOf(ctx.db, tenant)),
    amount,
    currency: 'NGN' as const,
    expiresAtMs,
  }
  const terms = { amount, policy, expiresAt: new Date(expiresAtMs) }
  const rest = { type: 'dynamic' as const, reference, narration, metadata, order: terms, customer: null }
  return open(opener, tenant, id, rest, (attempt) => port.createDynamic({ ...order, attempt }))
}

type Rest = Pick<Draft, 'type' | 'reference' | 'narration' | 'metadata' | 'order' | 'customer'>

/** Asks the rail for numbers until one is free. A number that turns out not to be needed is given back. */
async function open(
  { laneOf, opening, portOf }: Opener,
  tenant: Tenant,
  id: Uuid,
  rest: Rest,
  ask: (attempt: number) => Promise<NewAccount>,
): Promise<OpeningOutcome> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const given = await ask(attempt)
    if (given.kind === 'unsupported-bank') return given
    if (given.kind === 'unavailable') throw railDown(given.detail)
    const { accountNumber, accountName, bankName, bankSlug } = given
    const draft = { ...rest, id, accountNumber, accountName, bankName, bankSlug, currency: 'NGN' as const }
    const outcome = await laneOf(tenant.lane).submit(opening, { tenant, draft })
    if (outcome.kind === 'opened') return outcome
    if (outcome.kind === 'exists') {
      await portOf(tenant).close({ railReference: railReferenceOf(id), accountNumber })
      return outcome
    }
  }
  throw new Unavailable('No account number is free right now. Try again shortly.')
}

type Claimed = Pick<Draft, 'customer' | 'reference' | 'bankSlug'>

/** Looked at before the rail is troubled; what decides is the same look in the lane. */
async function isClaimed({ ctx }: Opener, tenant: Tenant, about: Claimed): Promise<boolean> {
  const claim = claimOf(tenant.id, about)
  return claim !== undefined && (await findRivals(inLane(ctx.db, tenant.lane), [claim])).has(claimText(claim))
}

const railRetryAfterSeconds = 5

export function railDown(detail: string): Unavailable {
  return new Unavailable('The bank that holds virtual accounts does not answer now. Try again shortly.', {
    cause: new Error(detail),
    retryAfterSeconds: railRetryAfterSeconds,
  })
}
