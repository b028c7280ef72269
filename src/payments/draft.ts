// Makes the draft of a payment from the request of a business: looks up the bank or operator, chooses the rail, and checks
// that the operator takes the currency and the amount, also that the amount is whole where the operator has no decimals.
// accept.ts refuses the drafts that fail here, in the order of its own checks.

import { findBank } from '#directory/banks.ts'
import { chooseOperator, type MomoOperator } from '#directory/operators.ts'
import type { Tenant } from '#platform/context.ts'
import type { Currency, Money } from '#platform/money.ts'
import { bankPayee, walletPayee, type RailPayee, type RailWish } from '#rails/choose.ts'
import { amountFaultOf, amountsOfDirectory, type CarriedAmounts } from '#rails/operator-offers.ts'
import type { RailRegistry } from '#rails/registry.ts'
import type { AcceptCommand, Unfit } from './accept.ts'
import type { BankTransferRequest, MomoCollectionRequest, MomoTransferRequest } from './payment.ts'

export type CheckedDraft = Pick<AcceptCommand, 'draft' | 'payeeIsKnown' | 'unfit' | 'rail'>

export function draftBankTransfer(rails: RailRegistry, tenant: Tenant, request: BankTransferRequest): CheckedDraft {
  const bank = findBank(request.bankSlug)
  const draft = { ...request, kind: 'bank_transfer' as const, bankName: bank?.name ?? '' }
  const rail = rails.payout(tenant.environment, { wish: wishOf(tenant, request, bankPayee(request.bankSlug)) })
  return { draft, payeeIsKnown: bank !== undefined, rail }
}

export function draftMomoTransfer(rails: RailRegistry, tenant: Tenant, request: MomoTransferRequest): CheckedDraft {
  const { accountNumber = null, accountReference = null } = request
  const operator = chooseOperator(tenant.environment, request)
  const draft = { ...request, ...ofOperator(operator), kind: 'momo_transfer' as const, accountNumber, accountReference }
  const payee = walletPayee(operator, draft.currency)
  const rail = rails.momoPayout(tenant.environment, { wish: wishOf(tenant, request, payee) })
  const carried = rails.carriedBy('momoPayout', tenant.environment, payee)
  // If no rail of the environment pays tills or paybills, they count as unknown.
  const payeeIsKnown = operator !== undefined && (operator.recipient === 'phone' || rail.kind === 'served')
  return { draft, payeeIsKnown, unfit: unfitOf(request, operator, carried), rail }
}

export function draftMomoCollection(rails: RailRegistry, tenant: Tenant, request: MomoCollectionRequest): CheckedDraft {
  const operator = chooseOperator(tenant.environment, request)
  const payee = walletPayee(operator, operator?.currency ?? 'NGN')
  const rail = rails.momoCollection(tenant.environment, { wish: wishOf(tenant, request, payee) })
  const carried = rails.carriedBy('momoCollection', tenant.environment, payee)
  const approval =
    operator === undefined || rail.kind === 'missing'
      ? { kind: 'handset' as const } // Acceptance refuses it, so no payer is asked.
      : rail.port.approval({ operator, phoneNumber: request.phoneNumber })
  const draft = { ...request, ...ofOperator(operator), kind: 'momo_collection' as const, approval }
  return { draft, payeeIsKnown: operator !== undefined, unfit: unfitOf(request, operator, carried), rail }
}

/** A repeated request with the same reference chooses the same route. */
function wishOf({ id }: Tenant, { amount, reference }: { amount: Money; reference: string }, to: RailPayee): RailWish {
  return { ...to, amount, seed: `${id} ${reference}` }
}

/** The currency of a wallet, till or paybill is that of its operator. One with an unknown operator cannot be paid. */
export function currencyOfMomo(
  tenant: Tenant,
  { operator, phoneNumber }: { operator?: string | null | undefined; phoneNumber?: string | null | undefined },
): Currency {
  return ofOperator(
    chooseOperator(tenant.environment, { operator: operator ?? undefined, phoneNumber: phoneNumber ?? null }),
  ).currency
}

/** Acceptance refuses a payment without an operator, so its currency does not matter. */
function ofOperator(operator: MomoOperator | undefined): { operator: string; currency: Currency } {
  return { operator: operator?.slug ?? '', currency: operator?.currency ?? 'NGN' }
}

function unfitOf(
  { amount, currency }: { amount: Money; currency: Currency | undefined },
  operator: MomoOperator | undefined,
  carried: readonly CarriedAmounts[],
): Unfit | undefined {
  if (operator === undefined) return undefined
  if (currency !== undefined && currency !== operator.currency) {
    return { kind: 'other-currency', currency: operator.currency }
  }
  const fault = amountFaultOf(carried.length === 0 ? [amountsOfDirectory(operator)] : carried, amount)
  return fault === undefined ? undefined : { ...fault, currency: operator.currency }
}
