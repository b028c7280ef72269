// How each kind of payment differs from the bank transfer of commandOf (settling.ts), and a failure reason for each.

import type { Draft, PaymentKind } from '#payments/payment.ts'

const wallet = { phoneNumber: '+2348030000000', operator: 'mtn-momo', narration: null }

export const drafts: Record<PaymentKind, Partial<Draft>> = {
  bank_transfer: { kind: 'bank_transfer' },
  momo_transfer: { ...wallet, kind: 'momo_transfer', accountName: null, accountNumber: null, accountReference: null },
  momo_collection: { ...wallet, kind: 'momo_collection', customerName: null, approval: { kind: 'handset' } },
}

export const reasons = {
  bank_transfer: 'PROVIDER_ERROR',
  momo_transfer: 'OPERATOR_UNAVAILABLE',
  momo_collection: 'PAYMENT_NOT_APPROVED',
} as const
