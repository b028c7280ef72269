// Payments as values, for tests that need no database.

import { newUuid } from '#platform/ids.ts'
import { toMoney } from '#platform/money.ts'
import { bornOf, type Moment, type Payment, type PaymentOf } from '#payments/payment.ts'
import type { Approval } from '#rails/rail.ts'
import { requestOf } from './process.ts'

export const at = new Date('2026-01-15T09:30:00.000Z')
const given = {
  lane: 1,
  tenantId: newUuid(at.getTime()),
  id: newUuid(at.getTime()),
  fee: toMoney(1_000),
  rail: 'simulator',
  attempts: 1,
  createdAt: at,
  updatedAt: at,
  completedAt: null,
  submittedAt: at,
  parkedAt: null,
  asks: 0,
  submissionAnswer: null,
  trace: null,
}

export const on = (time: Date): Moment => ({ at: time, nowMs: time.getTime() })

const asked = { reference: 'R-1', amount: toMoney(100_000), currency: 'NGN' as const, narration: null, metadata: null }
const wallet = { phoneNumber: '+2348030000000', operator: 'mtn-momo' }
export const handset = { kind: 'handset' as const }
export const code = { kind: 'otp' as const, validMs: 600_000 }

export function bankTransfer(changes: Partial<PaymentOf<'bank_transfer'>> = {}): Payment {
  const draft = { ...requestOf({ reference: 'R-1' }), kind: 'bank_transfer' as const, bankName: 'Guaranty Trust Bank' }
  return { ...bornOf(draft, given, at.getTime()), ...changes } as Payment
}

export function momoTransfer(changes: Partial<PaymentOf<'momo_transfer'>> = {}): Payment {
  const payee = { ...wallet, accountNumber: null, accountReference: null }
  const draft = { ...asked, ...payee, kind: 'momo_transfer' as const, accountName: null }
  return { ...bornOf(draft, given, at.getTime()), ...changes } as Payment
}

export function collection(changes: Partial<PaymentOf<'momo_collection'>> = {}, approval: Approval = handset) {
  const draft = { ...asked, ...wallet, kind: 'momo_collection' as const, customerName: null, approval }
  return { ...bornOf(draft, given, at.getTime()), ...changes } as PaymentOf<'momo_collection'>
}
