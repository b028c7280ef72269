import type { BenchRequest } from './scenario.ts'

/** A bank transfer under this reference. */
export function transferRequest(key: string, reference: string): BenchRequest {
  const body = {
    reference,
    amount: 1_000,
    bankSlug: 'guaranty-trust-bank',
    accountNumber: '0123456789',
    accountName: 'ADA OBI',
    narration: 'Invoice 881',
  }
  return { method: 'POST', path: '/staging/v1/transfers/initiate', key, body }
}
