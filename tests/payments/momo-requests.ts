// Requests of mobile-money tests, and helpers that wait for their results.

import { expectSuccess, type Client } from '#tests/support/client.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { newReference } from './requests.ts'

export const phones = {
  success: '08000000001',
  otp: '08000000002',
  refused: '08000000003',
  insufficient: '08000000004',
  unknown: '08000000005',
  down: '08000000006',
  limit: '08000000007',
  neverEnding: '08000000008',
  shortOtp: '08000000009',
}

export const rightCode = '123456'

export function sendBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { reference: newReference('MOMO'), amount: 150_000, phoneNumber: phones.success, ...changes }
}

export function collectBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { reference: newReference('COLLECT'), amount: 200_000, phoneNumber: phones.success, ...changes }
}

export type MomoOperation = 'transfer' | 'collection'

/** Both operations, as far as tests of both need to tell them apart. */
export const momoOperations = {
  transfer: { path: '/v1/momo/transfer', body: sendBody },
  collection: { path: '/v1/momo/collection', body: collectBody },
}

export async function untilMomo(client: Client, operation: MomoOperation, reference: string, status: string) {
  return untilHolds(async () => {
    const data = expectSuccess(await client.get(`/v1/momo/${operation}/${reference}`))
    if (data.status !== status) throw new Error(`${reference} is ${data.status}, not ${status}`)
    return data
  })
}
