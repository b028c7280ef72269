// Opens one virtual account in three steps: the lane stores the opening, the rail provides a number while no
// transaction is open, and the lane creates the account. If the process dies between two steps, a repeated request
// continues the opening; otherwise its number is released (release.ts).

import { unreachable, present } from '#platform/assert.ts'
import type { Tenant } from '#platform/context.ts'
import { inLane } from '#platform/db/db.ts'
import type { Operation, Writer } from '#platform/db/lane.ts'
import { minuteMs } from '#platform/durations.ts'
import { Unavailable } from '#platform/errors.ts'
import { newUuid } from '#platform/ids.ts'
import type { Money } from '#platform/money.ts'
import type { SecretBox } from '#platform/secrets.ts'
import type { NewAccount, StaticAccountOrder, VirtualAccounts as AccountsPort } from '#rails/ports.ts'
import type { RailBank } from '#rails/rail.ts'
import { attemptReferenceOf, railReferenceOf } from '#rails/reference.ts'
import type { AmountPolicy, Provisioning, OpeningOutcome, NewProvisioning, AccountType } from './account.ts'
import { bvnContext } from './customers.ts'
import { deleteOpening } from './provisioning-queries.ts'
import type { BeginCommand, ProvisioningOutcome, OpenCommand, OpenOutcome } from './provisioning-steps.ts'
import { businessNameOf, findCustomers, type StoredCustomer } from './queries.ts'

export type StaticRequest = { customerReference: string; bankSlug: string | undefined; accountName: string | undefined }

export type DynamicRequest = {
  amount: Money
  reference: string | null
  accountName: string | undefined
  expiresInMinutes: number
  amountPolicy: AmountPolicy
  narration: string | null
  metadata: string | null
}

export type Opener = Writer &
  Windows & {
    beginning: Operation<BeginCommand, ProvisioningOutcome>
    opening: Operation<OpenCommand, OpenOutcome>
  }

/** The length that a payer's bank can show. */
const accountNameLengthMax = 100

export async function openStatic(opener: Opener, tenant: Tenant, request: StaticRequest): Promise<OpeningOutcome> {
  const { ctx, box, findBank, railFor, portOf } = opener
  const keys = [{ tenantId: tenant.id, reference: request.customerReference }]
  const [found] = await findCustomers(inLane(ctx.db, tenant.lane), keys)
  if (found === undefined) return { kind: 'unknown-customer' }
  if (found.status === 'ERASED') return { kind: 'erased-customer' }
  const bank = request.bankSlug === undefined ? null : findBank(request.bankSlug)
  if (bank === undefined) return { kind: 'unknown-bank' }
  const { id, reference, firstName, lastName } = found
  const rail = railFor(tenant, 'static')
  const nowMs = ctx.clock.now()
  const wanted: NewProvisioning = {
    id: newUuid(nowMs),
    type: 'static',
    reference,
    customer: { id, reference },
    bankSlug: bank?.slug ?? portOf(tenant, { rail, type: 'static' }).defaultBankSlug,
    accountName: request.accountName ?? `${firstName} ${lastName}`.slice(0, accountNameLengthMax),
    narration: null,
    metadata: null,
    order: null,
    rail,
    createdAt: new Date(nowMs),
  }
  return open(opener, tenant, wanted, payeeOf(box, found))
}

export async function openDynamic(opener: Opener, tenant: Tenant, request: DynamicRequest): Promise<OpeningOutcome> {
  const { ctx, railFor } = opener
  const { reference, narration, metadata, amount, amountPolicy: policy, expiresInMinutes } = request
  const accountName = request.accountName ?? (await businessNameOf(ctx.db, tenant))
  const nowMs = ctx.clock.now()
  const wanted: NewProvisioning = {
    id: newUuid(nowMs),
    type: 'dynamic',
    reference,
    customer: null,
    bankSlug: null,
    accountName,
    narration,
    metadata,
    order: { amount, policy, expiresAt: new Date(nowMs + expiresInMinutes * minuteMs) },
    rail: railFor(tenant, 'dynamic'),
    createdAt: new Date(nowMs),
  }
  return open(opener, tenant, wanted, null)
}

async function open(
  opener: Opener,
  tenant: Tenant,
  wanted: NewProvisioning,
  payee: AccountCustomer | null,
): Promise<OpeningOutcome> {
  const begun = await opener.laneOf(tenant.lane).submit(opener.beginning, { tenant, wanted })
  switch (begun.kind) {
    case 'begun':
      return carryOn(opener, tenant, begun.opening, payee)
    case 'exists':
    case 'erased-customer':
      return begun
    case 'given-up':
      throw beingGivenBack()
    default:
      return unreachable(begun)
  }
}

/** Requests numbers from the rail until one is free. An exception leaves the opening as it is. */
async function carryOn(
  opener: Opener,
  tenant: Tenant,
  opening: Provisioning,
  payee: AccountCustomer | null,
): Promise<OpeningOutcome> {
  const { ctx, laneOf } = opener
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const answer = await askRail(opener, tenant, { opening, payee, attempt })
    if (answer.kind === 'unavailable') throw railDown(answer.detail)
    if (answer.kind !== 'created') {
      await deleteOpening(ctx.db, opening)
      return answer
    }
    const { kind: _created, ...account } = answer
    const given = { ...account, railReference: referenceOf(opening, attempt) }
    const outcome = await laneOf(tenant.lane).submit(opener.opening, { tenant, opening, given })
    switch (outcome.kind) {
      case 'opened':
      case 'exists':
        return outcome
      case 'outrun':
        if (await closeAtRail(opener, tenant, opening, given)) await deleteOpening(ctx.db, opening)
        return { kind: 'exists' }
      case 'given-up':
        throw beingGivenBack()
      case 'number-taken':
        // Otherwise the rail could assign money for the number's real account to this one.
        if (given.handle !== null && !(await closeAtRail(opener, tenant, opening, given)))
          throw railDown('it did not close a number that another account has')
        break
      default:
        return unreachable(outcome)
    }
  }
  throw new Unavailable('No account number is free right now. Try again shortly.')
}

const givingBackSeconds = 5

function beingGivenBack(): Unavailable {
  return new Unavailable('The number of an earlier try is being given back. Try again shortly.', {
    retryAfterSeconds: givingBackSeconds,
  })
}

/** Access to the rails. */
export type Windows = {
  /** The name of the rail that opens new accounts. If there is none, throws the error for a caller. */
  railFor: (tenant: Tenant, type: AccountType) => string
  /** The port of the rail that has the account, or was asked for it. Throws if this rail no longer exists. */
  portOf: (tenant: Tenant, held: { rail: string; type: AccountType }) => AccountsPort
  findBank: (slug: string) => RailBank | undefined
  box: SecretBox
}

/** Numbers that a rail is asked for, if each belongs to another account already. */
export const attemptsMax = 10

/** The customer data of a static account that a rail receives. */
export type AccountCustomer = StaticAccountOrder['customer']

export function payeeOf(
  box: SecretBox,
  { id, firstName, lastName, email, phoneNumber, sealedBvn }: StoredCustomer,
): AccountCustomer {
  const bvn = sealedBvn === null ? null : box.open(sealedBvn, bvnContext(id))
  return { firstName, lastName, email, phoneNumber, bvn }
}

type NumberRequest = { opening: Provisioning; payee: AccountCustomer | null; attempt: number }

/**
 * Asks a rail for the number of an opening. The order is derived from the opening and the current customer data, so
 * every request is for the same account, and the rail promises to answer with the same number.
 */
export function askRail(
  { portOf, findBank }: Pick<Windows, 'portOf' | 'findBank'>,
  tenant: Tenant,
  { opening, payee, attempt }: NumberRequest,
): Promise<NewAccount> {
  const port = portOf(tenant, opening)
  const { accountName, bankSlug, order } = opening
  const bank = bankSlug === null || bankSlug === port.defaultBankSlug ? null : findBank(bankSlug)
  if (bank === undefined)
    return Promise.resolve({ kind: 'unavailable', detail: `the bank ${bankSlug} is not known any more` })
  const about = { railReference: railReferenceOf(opening.id), bank, accountName, attempt }
  if (payee !== null) return port.createStatic({ ...about, customer: payee })
  const { amount, policy, expiresAt } = present(order, 'an account without a payee is a dynamic one')
  return port.createDynamic({ ...about, amount, policy, currency: 'NGN', expiresAtMs: expiresAt.getTime() })
}

/** The reference under which the rail knows the account of this attempt. */
function referenceOf({ id }: Provisioning, attempt: number): string {
  return attemptReferenceOf({ railReference: railReferenceOf(id), attempt })
}

/** Returns true if the rail has closed the account. Closing it twice is harmless. */
export async function closeAtRail(
  { portOf }: Pick<Windows, 'portOf'>,
  tenant: Tenant,
  opening: Provisioning,
  { accountNumber, handle }: { accountNumber: string; handle: string | null },
): Promise<boolean> {
  const railReference = railReferenceOf(opening.id)
  const answer = await portOf(tenant, opening).close({ railReference, accountNumber, handle })
  return answer.kind === 'closed'
}

const retryAfterSeconds = 5

export function railDown(detail: string): Unavailable {
  return new Unavailable('The bank that holds virtual accounts does not answer now. Try again shortly.', {
    cause: new Error(detail),
    retryAfterSeconds,
  })
}
