// Requests and answers of bulk transfers, for tests.

import { neverEnding, transferBody } from '#tests/payments/requests.ts'
import { expectSuccess, type Answer, type Client } from '#tests/support/client.ts'
import type { TestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'

export const bulkPath = '/v1/transfers/bulk'

export type Item = Record<string, unknown>

export const item = (changes: Item = {}): Item => transferBody({ accountNumber: neverEnding, ...changes })

export const sendBulk = (client: Client, transfers: unknown): Promise<Answer> => client.post(bulkPath, { transfers })

export const referencesOf = (list: Item[]): unknown[] => list.map(({ reference }) => reference)

export const outcomesOf = (answer: Answer): string[] =>
  expectSuccess(answer).results.map(({ outcome }: { outcome: string }) => outcome)

export async function countStored(database: TestDatabase, references: unknown[]): Promise<number> {
  return (await asOwner(database, 'select 1 from payment where reference = any($1)', [references])).length
}
