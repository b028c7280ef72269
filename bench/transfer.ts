// Makes the requests for bank transfers that scenarios send, and counts the transfers that have ended.

import { asOwner } from './owner.ts'
import type { BenchRequest, Progress, Rig } from './scenario.ts'

const transferOf = (reference: string): Record<string, unknown> => ({
  reference,
  amount: 1_000,
  bankSlug: 'guaranty-trust-bank',
  accountNumber: '0123456789',
  accountName: 'ADA OBI',
  narration: 'Invoice 881',
})

export function transferRequest(key: string, reference: string): BenchRequest {
  return { method: 'POST', path: '/staging/v1/transfers/initiate', key, body: transferOf(reference) }
}

/** Makes a bulk request; the references of its items begin with `reference`. */
export function bulkRequest(key: string, reference: string, items: number): BenchRequest {
  const transfers = Array.from({ length: items }, (_, index) => transferOf(`${reference}-${index}`))
  return { method: 'POST', path: '/staging/v1/transfers/bulk', key, body: { transfers } }
}

export function countTransfers({ ownerUrl }: Rig): Promise<Progress> {
  return asOwner(ownerUrl, async (owner) => {
    const answer = await owner.query(
      `select count(*) filter (where status = 'SUCCESS')::float8 as done,
              count(*) filter (where status = 'queued')::float8 as waiting from payment`,
    )
    const [row] = answer.rows as Progress[]
    return row ?? { done: 0, waiting: 0 }
  })
}
