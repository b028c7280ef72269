// The examples of bank transfers.

import { completion, type Example, commonRefusals } from './example.ts'

const queued = {
  id: 'trf_01m80ryh10e00b3cpe2znq3xsb',
  reference: 'PAYOUT-1001',
  status: 'queued',
  isFinal: false,
  amount: 150_000,
  fee: 1_000,
  totalDebit: 151_000,
  currency: 'NGN',
  bankSlug: 'guaranty-trust-bank',
  bankName: 'Guaranty Trust Bank',
  accountNumber: '0123456789',
  accountName: 'ADA OBI',
  narration: 'Invoice 881',
  sessionId: null,
  failureReason: null,
  failureMessage: null,
  metadata: { orderId: '881' },
  createdAt: '2026-01-15T09:30:00.343Z',
  updatedAt: '2026-01-15T09:30:00.343Z',
  completedAt: null,
}

export const succeededTransfer = {
  ...queued,
  status: 'SUCCESS',
  isFinal: true,
  sessionId: '999999260115103001424857388560',
  updatedAt: '2026-01-15T09:30:01.381Z',
  completedAt: '2026-01-15T09:30:01.381Z',
}

const oneOfMany = {
  ...queued,
  id: 'trf_01m80ryjqee00955azhpay2crr',
  reference: 'PAYOUT-1002',
  amount: 250_000,
  totalDebit: 251_000,
  bankSlug: 'united-bank-for-africa',
  bankName: 'United Bank For Africa',
  accountNumber: '9990000009',
  accountName: 'CHINEDU EZE',
  narration: null,
  metadata: null,
  createdAt: '2026-01-15T09:30:02.085Z',
  updatedAt: '2026-01-15T09:30:02.085Z',
}

export const failedTransfer = {
  ...oneOfMany,
  status: 'FAILED',
  isFinal: true,
  failureReason: 'DO_NOT_HONOR',
  failureMessage: 'The bank refused without a reason. Ask the recipient to speak to the bank, or for another account.',
  updatedAt: '2026-01-15T09:30:02.132Z',
  completedAt: '2026-01-15T09:30:02.132Z',
}

export const transferExamples: Record<string, Example> = {
  initiateTransfer: {
    request: {
      reference: 'PAYOUT-1001',
      amount: 150_000,
      bankSlug: 'guaranty-trust-bank',
      accountNumber: '0123456789',
      accountName: 'ADA OBI',
      narration: 'Invoice 881',
      metadata: { orderId: '881' },
    },
    answer: queued,
    refusals: {
      CONFLICT: {
        message: `The reference PAYOUT-1001 was used with another amount before: ${queued.id}. Use a new reference.`,
        details: [{ field: 'amount', message: `differs from ${queued.id}, which has this reference`, code: 'differs' }],
      },
    },
  },
  initiateTransfers: {
    request: {
      transfers: [
        {
          reference: 'PAYOUT-1002',
          amount: 250_000,
          bankSlug: 'united-bank-for-africa',
          accountNumber: '9990000009',
          accountName: 'CHINEDU EZE',
        },
        {
          reference: 'PAYOUT-1003',
          amount: 300_000,
          bankSlug: 'gtbank',
          accountNumber: '0123456789',
          accountName: 'ADA OBI',
        },
      ],
    },
    answer: {
      results: [
        { index: 0, reference: 'PAYOUT-1002', outcome: 'accepted', transfer: oneOfMany, error: null },
        {
          index: 1,
          reference: 'PAYOUT-1003',
          outcome: 'refused',
          transfer: null,
          error: { code: 'INVALID_BANK', ...commonRefusals.INVALID_BANK },
        },
      ],
      accepted: 1,
      replayed: 0,
      refused: 1,
    },
    refusals: { PAYLOAD_TOO_LARGE: { message: 'The body is larger than 1024 KiB.' } },
  },
  listTransfers: { answer: { transfers: [succeededTransfer] } },
  getTransfer: { params: { reference: 'PAYOUT-1001' }, answer: succeededTransfer },
  completeTransfer: completion('transfer', failedTransfer),
}
