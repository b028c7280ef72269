// The entries of a statement, each with the other party of its payment or deposit.

import { depositReference, type Deposit } from '#deposits/deposit.ts'
import { readDepositsOf } from '#deposits/list.ts'
import { findOperator } from '#directory/operators.ts'
import { walkStatement, type StatementEntry } from '#ledger/statement.ts'
import { readPaymentsOf } from '#payments/list.ts'
import type { Payment } from '#payments/payment.ts'
import type { Context, Tenant } from '#platform/context.ts'
import type { TimeRange } from '#platform/db/numbered-list.ts'
import type { Currency } from '#platform/money.ts'

/** The recipient of a payout, or the sender of a deposit. What is unknown, or was erased, is empty. */
export type Counterparty = {
  name: string
  /** An account number, or a phone number. */
  account: string
  /** A bank, or an operator of mobile money. */
  institution: string
  /** What the bank or the operator calls the payout. */
  sessionId: string
}

export type StatementLine = StatementEntry & { counterparty: Counterparty | undefined }

/** Yields the lines of a period in batches, the latest first. */
export async function* walkStatementLines(
  ctx: Pick<Context, 'db'>,
  tenant: Tenant,
  currency: Currency,
  time: TimeRange,
): AsyncGenerator<StatementLine[]> {
  for await (const entries of walkStatement(ctx, tenant, currency, time)) {
    const [payments, deposits] = await Promise.all([
      readPaymentsOf(ctx, tenant, referencesOf(entries, paymentTypes)),
      readDepositsOf(ctx, tenant, referencesOf(entries, depositTypes)),
    ])
    const payees = new Map(payments.map((payment) => [payment.reference, payeeOf(payment)]))
    const senders = new Map(deposits.map((deposit) => [depositReference(deposit.id), senderOf(deposit)]))
    yield entries.map((entry) => ({
      ...entry,
      counterparty: (depositTypes.has(entry.type) ? senders : payees).get(entry.reference),
    }))
  }
}

const paymentTypes = new Set(['hold', 'release', 'reversal', 'fee_refund'])
const depositTypes = new Set(['deposit', 'deposit_fee'])

function referencesOf(entries: readonly StatementEntry[], types: ReadonlySet<string>): string[] {
  return [...new Set(entries.filter(({ type }) => types.has(type)).map(({ reference }) => reference))]
}

function payeeOf(payment: Payment): Counterparty {
  if (payment.kind === 'bank_transfer') {
    const { accountName, accountNumber, bankName, sessionId } = payment
    return { name: accountName, account: accountNumber, institution: bankName, sessionId: sessionId ?? '' }
  }
  const { operator, phoneNumber, operatorReference } = payment
  return {
    name: (payment.kind === 'momo_transfer' ? payment.accountName : null) ?? '',
    account: phoneNumber,
    institution: findOperator(operator)?.name ?? operator,
    sessionId: operatorReference ?? '',
  }
}

function senderOf({ senderAccountName, senderAccountNumber, senderBankName }: Deposit): Counterparty {
  return { name: senderAccountName, account: senderAccountNumber, institution: senderBankName, sessionId: '' }
}
