// The examples of mobile-money transfers and collections.

import { completion, type Example, type Refusal } from './example.ts'

const queued = {
  id: 'mtr_01m80ryk6ye0089jw04j479m6c',
  reference: 'MOMO-1001',
  status: 'queued',
  isFinal: false,
  amount: 50_000,
  fee: 1_000,
  totalDebit: 51_000,
  currency: 'NGN',
  phoneNumber: '+2348030000000',
  accountNumber: null,
  accountReference: null,
  operator: 'mtn-momo',
  accountName: 'Ada Obi',
  narration: 'Refund 17',
  operatorReference: null,
  failureReason: null,
  failureMessage: null,
  metadata: null,
  createdAt: '2026-01-15T09:30:02.581Z',
  updatedAt: '2026-01-15T09:30:02.581Z',
  completedAt: null,
}

export const succeededMomoTransfer = {
  ...queued,
  status: 'SUCCESS',
  isFinal: true,
  operatorReference: 'SIM117748100461',
  updatedAt: '2026-01-15T09:30:03.601Z',
  completedAt: '2026-01-15T09:30:03.601Z',
}

export const failedMomoTransfer = {
  ...queued,
  id: 'mtr_01m80rynsbe00any1rzc0g23b5',
  reference: 'MOMO-1008',
  status: 'FAILED',
  isFinal: true,
  phoneNumber: '+2348000000008',
  accountName: null,
  narration: null,
  failureReason: 'RECIPIENT_NOT_FOUND',
  failureMessage: 'The operator knows no wallet of this number. Check number and operator, then use a new reference.',
  createdAt: '2026-01-15T09:30:05.218Z',
  updatedAt: '2026-01-15T09:30:05.243Z',
  completedAt: '2026-01-15T09:30:05.243Z',
}

const waiting = {
  id: 'mcl_01m80rym8de008yd1aakqn77ca',
  reference: 'COLLECT-1001',
  status: 'OTP_REQUIRED',
  isFinal: false,
  requiresOtp: true,
  otpExpiresAt: '2026-01-15T09:40:03.652Z',
  expiresAt: '2026-01-15T09:45:03.652Z',
  amount: 120_000,
  fee: 1_200,
  currency: 'NGN',
  phoneNumber: '+2348000000002',
  operator: 'mtn-momo',
  narration: 'Order 882',
  operatorReference: null,
  depositReference: null,
  failureReason: null,
  failureMessage: null,
  metadata: null,
  createdAt: '2026-01-15T09:30:03.652Z',
  updatedAt: '2026-01-15T09:30:03.652Z',
  completedAt: null,
}

export const succeededCollection = {
  ...waiting,
  status: 'SUCCESS',
  isFinal: true,
  operatorReference: 'SIM492262557782',
  depositReference: 'DEP01M80RYNPGE0088HHNVXQF6KY2',
  updatedAt: '2026-01-15T09:30:05.127Z',
  completedAt: '2026-01-15T09:30:05.127Z',
}

export const failedCollection = {
  ...waiting,
  id: 'mcl_01m80ryntxe00a88esdejb513s',
  reference: 'COLLECT-1008',
  status: 'FAILED',
  isFinal: true,
  requiresOtp: false,
  otpExpiresAt: null,
  expiresAt: '2026-01-15T09:45:05.268Z',
  phoneNumber: '+2348000000008',
  narration: null,
  failureReason: 'PAYMENT_NOT_APPROVED',
  failureMessage: 'The payer did not approve the payment. Ask the payer, then ask again under a new reference.',
  createdAt: '2026-01-15T09:30:05.268Z',
  updatedAt: '2026-01-15T09:30:05.275Z',
  completedAt: '2026-01-15T09:30:05.275Z',
}

const usedBefore = ({ reference, id }: { reference: string; id: string }): Refusal => ({
  message: `The reference ${reference} was used with another amount before: ${id}. Use a new reference.`,
  details: [{ field: 'amount', message: `differs from ${id}, which has this reference`, code: 'differs' }],
})

export const momoExamples: Record<string, Example> = {
  initiateMomoTransfer: {
    request: {
      reference: 'MOMO-1001',
      amount: 50_000,
      phoneNumber: '08030000000',
      accountName: 'Ada Obi',
      narration: 'Refund 17',
    },
    answer: queued,
    refusals: { CONFLICT: usedBefore(queued) },
  },
  listMomoTransfers: { answer: { transfers: [succeededMomoTransfer] } },
  getMomoTransfer: { params: { reference: 'MOMO-1001' }, answer: succeededMomoTransfer },
  completeMomoTransfer: completion('transfer', failedMomoTransfer),
  initiateMomoCollection: {
    request: {
      reference: 'COLLECT-1001',
      amount: 120_000,
      phoneNumber: '08000000002',
      customerName: 'Ada Obi',
      narration: 'Order 882',
    },
    answer: waiting,
    refusals: { CONFLICT: usedBefore(waiting) },
  },
  verifyCollectionOtp: {
    request: { reference: 'COLLECT-1001', otp: '123456' },
    answer: { ...waiting, status: 'PENDING', updatedAt: '2026-01-15T09:30:03.687Z' },
    refusals: { CONFLICT: { message: 'The collection is FAILED and does not wait for a code.' } },
  },
  listMomoCollections: { answer: { collections: [succeededCollection] } },
  getMomoCollection: { params: { reference: 'COLLECT-1001' }, answer: succeededCollection },
  completeMomoCollection: completion('collection', failedCollection),
}
