// The items of the review queue, for tests.

import { asOwner } from '#tests/support/owner.ts'

export type Row = {
  id: string
  kind: string
  environment: string
  subject: string
  fact: string
  reference: string
  tenant_id: string | null
  amount: string
  closed_at: Date | null
  note: string | null
}

export function exceptionsAbout(database: { ownerUrl: string }, subject: string): Promise<Row[]> {
  return asOwner<Row>(database, 'select * from review_item where subject = $1 order by raised_at, id', [subject])
}
