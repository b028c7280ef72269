// A row of the table of payments, and the payment that it is.

import type { Uuid } from '#base/ids.ts'
import { toKobo, type Currency } from '#base/money.ts'
import type { Approval, BankFailureReason, MomoFailureReason } from '#rails/rail.ts'
import type { CollectionStatus, Payment, TransferStatus } from './payment.ts'

type CommonRow = {
  lane: number
  tenant_id: Uuid
  reference: string
  id: Uuid
  ordinal: bigint
  currency: Currency
  amount: bigint
  fee: bigint
  narration: string | null
  metadata: string | null
  created_at: Date
  updated_at: Date
  completed_at: Date | null
  submitted_at: Date | null
  asks: number
}

/** The columns that a kind does not have are null; its own are not, which the table's CHECKs hold to. */
export type PaymentRow = CommonRow &
  (
    | {
        kind: 'bank_transfer'
        status: TransferStatus
        bank_slug: string
        bank_name: string
        account_number: string
        account_name: string
        session_id: string | null
        failure_reason: BankFailureReason | null
      }
    | (WalletRow & { kind: 'momo_transfer'; status: TransferStatus; account_name: string | null })
    | (WalletRow & {
        kind: 'momo_collection'
        status: CollectionStatus
        customer_name: string | null
        approval: Approval['kind']
        otp_expires_at: Date | null
        otp_accepted_at: Date | null
        otp_hash: string | null
        otp_tries: number
        otp_wrong: number
        expires_at: Date
        deposit_id: Uuid | null
        deposit_reference: string | null
      })
  )

type WalletRow = {
  phone_number: string
  operator: string
  operator_reference: string | null
  failure_reason: MomoFailureReason | null
}

export const paymentColumnsOf = (
  r: string,
): string => `${r}.lane, ${r}.tenant_id, ${r}.reference, ${r}.id, ${r}.kind, ${r}.ordinal, ${r}.status, ${r}.currency,
  ${r}.amount, ${r}.fee, ${r}.bank_slug, ${r}.bank_name, ${r}.account_number, ${r}.account_name,
  ${r}.narration, ${r}.metadata, ${r}.session_id, ${r}.failure_reason, ${r}.created_at, ${r}.updated_at,
  ${r}.completed_at, ${r}.submitted_at, ${r}.asks, ${r}.phone_number, ${r}.operator, ${r}.operator_reference,
  ${r}.customer_name, ${r}.approval, ${r}.otp_expires_at, ${r}.otp_accepted_at, ${r}.otp_hash, ${r}.otp_tries,
  ${r}.otp_wrong, ${r}.expires_at, ${r}.deposit_id, ${r}.deposit_reference`

export const paymentColumns = paymentColumnsOf('p')

export function paymentOf(row: PaymentRow): Payment {
  const common = {
    lane: row.lane,
    tenantId: row.tenant_id,
    reference: row.reference,
    id: row.id,
    currency: row.currency,
    amount: toKobo(row.amount),
    fee: toKobo(row.fee),
    narration: row.narration,
    metadata: row.metadata,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    completedAt: row.completed_at,
    submittedAt: row.submitted_at,
    asks: row.asks,
  }
  if (row.kind === 'bank_transfer') {
    return {
      ...common,
      kind: row.kind,
      status: row.status,
      bankSlug: row.bank_slug,
      bankName: row.bank_name,
      accountNumber: row.account_number,
      accountName: row.account_name,
      sessionId: row.session_id,
      failureReason: row.failure_reason,
    }
  }
  const wallet = {
    phoneNumber: row.phone_number,
    operator: row.operator,
    operatorReference: row.operator_reference,
    failureReason: row.failure_reason,
  }
  if (row.kind === 'momo_transfer')
    return { ...common, ...wallet, kind: row.kind, status: row.status, accountName: row.account_name }
  return {
    ...common,
    ...wallet,
    kind: row.kind,
    status: row.status,
    customerName: row.customer_name,
    approval: row.approval,
    otpExpiresAt: row.otp_expires_at,
    otpAcceptedAt: row.otp_accepted_at,
    otpHash: row.otp_hash,
    otpTries: row.otp_tries,
    otpWrong: row.otp_wrong,
    expiresAt: row.expires_at,
    depositId: row.deposit_id,
    depositReference: row.deposit_reference,
  }
}
