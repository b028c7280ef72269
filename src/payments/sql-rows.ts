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

export const paymentColumns = `p.lane, p.tenant_id, p.reference, p.id, p.kind, p.ordinal, p.status, p.currency, p.amount, p.fee,
  p.bank_slug, p.bank_name, p.account_number, p.account_name, p.narration, p.metadata, p.session_id, p.failure_reason,
  p.created_at, p.updated_at, p.completed_at, p.submitted_at, p.asks, p.phone_number, p.operator, p.operator_reference,
  p.customer_name, p.approval, p.otp_expires_at, p.otp_accepted_at, p.otp_hash, p.otp_tries, p.otp_wrong, p.expires_at,
  p.deposit_id, p.deposit_reference`

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
