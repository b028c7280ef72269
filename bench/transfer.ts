// The requests for bank transfers that benchmarks send.

import type { BenchRequest } from './scenario.ts'

const transferOf = (reference: string): Record<string, unknown> => ({
  reference,
  amount: 1_000,
  bankSlug: 'guaranty-trust-bank',
  accountNumber: '0123456789',
  accountName: 'ADA OBI',
  narration: 'Invoice 881',
})

/** A bank transfer under this reference. */
export function transferRequest(key: string, reference: string): BenchRequest {
  return { method: 'POST', path: '/staging/v1/transfers/initiate', key, body: transferOf(reference) }
}

/** A bulk of this many bank transfers, whose references begin with this one. */
export function bulkRequest(key: string, reference: string, items: number): BenchRequest {
  const transfers = Array.from({ length: items }, (_, index) => transferOf(`${reference}-${index}`))
  return { method: 'POST', path: '/staging/v1/transfers/bulk', key, body: { transfers } }
}
