// What waits for a person, as a test asks for it.

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

/** All that was ever raised about this, in the order of raising. */
export function exceptionsAbout(database: { ownerUrl: string }, subject: string): Promise<Row[]> {
  return asOwner<Row>(database, 'select * from review_item where subject = $1 order by raised_at, id', [subject])
}
