// Opening one virtual account: the lane writes that it is being opened, the rail gives a number while no transaction is
// open, and the lane makes it an account. Whoever dies between two of these steps leaves an opening, which the same
// request goes on with when it comes again, and which is given back when it does not (give-back.ts).

import { unreachable } from '#base/assert.ts'
import type { Tenant } from '#base/context.ts'
import { inLane } from '#base/db.ts'
import { minuteMs } from '#base/durations.ts'
import { Unavailable } from '#base/error.ts'
import { newUuid } from '#base/ids.ts'
import type { Operation, Writer } from '#base/lane.ts'
import type { Kobo } from '#base/money.ts'
import type { AmountPolicy } from './account.ts'
import {
  askRail,
  attemptsMax,
  closeAtRail,
  payeeOf,
  railDown,
  referenceOf,
  type Payee,
  type Windows,
} from './ask-rail.ts'
import type { BeginCommand, BeginOutcome } from './begin.ts'
import type { OpenCommand, OpenOutcome } from './open.ts'
import type { Opening, OpeningOutcome, Wanted } from './opening.ts'
import { deleteOpening } from './sql-openings.ts'
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

export type Opener = Writer &
  Windows & {
    beginning: Operation<BeginCommand, BeginOutcome>
    opening: Operation<OpenCommand, OpenOutcome>
  }

/** What a payer's bank can show. */
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
  const wanted: Wanted = {
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
  const wanted: Wanted = {
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

async function open(opener: Opener, tenant: Tenant, wanted: Wanted, payee: Payee | null): Promise<OpeningOutcome> {
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

/** Asks the rail for numbers until one is free. Whatever is thrown here leaves the opening as it is. */
async function carryOn(opener: Opener, tenant: Tenant, opening: Opening, payee: Payee | null): Promise<OpeningOutcome> {
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
        // Otherwise money for the account that has the number could be taken for this one's there.
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
