// Drafts: what a business asks for, together with what the directory and the rail say of it before the lane decides.

import type { Tenant } from '#base/context.ts'
import { findBank } from '#directory/banks.ts'
import { findOperator, predictOperator, type MomoOperator } from '#directory/operators.ts'
import type { RailRegistry } from '#rails/registry.ts'
import type { AcceptCommand } from './accept.ts'
import type { BankTransferRequest, MomoCollectionRequest, MomoTransferRequest } from './payment.ts'

export type Drafted = Pick<AcceptCommand, 'draft' | 'payeeIsKnown' | 'rail'>

export function draftBankTransfer(rails: RailRegistry, { environment }: Tenant, request: BankTransferRequest): Drafted {
  const bank = findBank(request.bankSlug)
  const draft = { ...request, kind: 'bank_transfer' as const, bankName: bank?.name ?? '' }
  return { draft, payeeIsKnown: bank !== undefined, rail: rails.payout(environment) }
}

export function draftMomoTransfer(rails: RailRegistry, tenant: Tenant, request: MomoTransferRequest): Drafted {
  const operator = operatorOf(tenant, request)
  const draft = { ...request, kind: 'momo_transfer' as const, operator: operator?.slug ?? '' }
  return { draft, payeeIsKnown: operator !== undefined, rail: rails.momoPayout(tenant.environment) }
}

export function draftMomoCollection(rails: RailRegistry, tenant: Tenant, request: MomoCollectionRequest): Drafted {
  const operator = operatorOf(tenant, request)
  const rail = rails.momoCollection(tenant.environment)
  const approval =
    operator === undefined || rail.kind === 'missing'
      ? { kind: 'handset' as const } // Acceptance refuses it, so no payer is asked.
      : rail.port.approval({ operator, phoneNumber: request.phoneNumber })
  const draft = { ...request, kind: 'momo_collection' as const, operator: operator?.slug ?? '', approval }
  return { draft, payeeIsKnown: operator !== undefined, rail }
}

/** The operator that the business names wins over the prefix, because numbers are ported. */
function operatorOf(
  { environment }: Tenant,
  { operator, phoneNumber }: { operator: string | undefined; phoneNumber: string },
): MomoOperator | undefined {
  return operator === undefined ? predictOperator(environment, phoneNumber) : findOperator(operator)
}
