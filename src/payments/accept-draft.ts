// Drafts: what a business asks for, together with what the directory and the rail say of it before the lane decides.

import type { Tenant } from '#base/context.ts'
import type { Kobo } from '#base/money.ts'
import { findBank } from '#directory/banks.ts'
import { findOperator, predictOperator, type MomoOperator } from '#directory/operators.ts'
import type { Wish } from '#rails/choose.ts'
import type { RailRegistry } from '#rails/registry.ts'
import type { AcceptCommand } from './accept.ts'
import type { BankTransferRequest, MomoCollectionRequest, MomoTransferRequest } from './payment.ts'

export type Drafted = Pick<AcceptCommand, 'draft' | 'payeeIsKnown' | 'rail'>

export function draftBankTransfer(rails: RailRegistry, tenant: Tenant, request: BankTransferRequest): Drafted {
  const bank = findBank(request.bankSlug)
  const draft = { ...request, kind: 'bank_transfer' as const, bankName: bank?.name ?? '' }
  const rail = rails.payout(tenant.environment, { wish: wishOf(tenant, request, request.bankSlug) })
  return { draft, payeeIsKnown: bank !== undefined, rail }
}

export function draftMomoTransfer(rails: RailRegistry, tenant: Tenant, request: MomoTransferRequest): Drafted {
  const operator = operatorOf(tenant, request)
  const draft = { ...request, kind: 'momo_transfer' as const, operator: operator?.slug ?? '' }
  const rail = rails.momoPayout(tenant.environment, { wish: wishOf(tenant, request, draft.operator) })
  return { draft, payeeIsKnown: operator !== undefined, rail }
}

export function draftMomoCollection(rails: RailRegistry, tenant: Tenant, request: MomoCollectionRequest): Drafted {
  const operator = operatorOf(tenant, request)
  const rail = rails.momoCollection(tenant.environment, { wish: wishOf(tenant, request, operator?.slug ?? '') })
  const approval =
    operator === undefined || rail.kind === 'missing'
      ? { kind: 'handset' as const } // Acceptance refuses it, so no payer is asked.
      : rail.port.approval({ operator, phoneNumber: request.phoneNumber })
  const draft = { ...request, kind: 'momo_collection' as const, operator: operator?.slug ?? '', approval }
  return { draft, payeeIsKnown: operator !== undefined, rail }
}

/** A payment that is asked for again, under the same reference, is led the same way. */
function wishOf({ id }: Tenant, { amount, reference }: { amount: Kobo; reference: string }, payee: string): Wish {
  return { amount, payee, seed: `${id} ${reference}` }
}

/** The operator that the business names wins over the prefix, because numbers are ported. */
function operatorOf(
  { environment }: Tenant,
  { operator, phoneNumber }: { operator: string | undefined; phoneNumber: string },
): MomoOperator | undefined {
  return operator === undefined ? predictOperator(environment, phoneNumber) : findOperator(operator)
}
