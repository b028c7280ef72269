// Which banks Monnify pays to, held against those that we know: by the code under which a disbursement names one.

import { z } from 'zod'
import { detailOf } from '#rails/outcome.ts'
import type { BankComparison, RailBank } from '#rails/rail.ts'
import { bankCodeOf } from './bank-codes.ts'
import type { Call } from './call.ts'

const listedBanks = z.array(z.object({ code: z.string() }))

export async function compareBanks(call: Call, ours: readonly RailBank[]): Promise<BankComparison> {
  const said = await call({ endpoint: 'list-banks', method: 'GET', path: '/api/v1/banks' })
  if (said.kind !== 'success') return { kind: 'unavailable', detail: detailOf('list-banks', said) }
  const listed = listedBanks.safeParse(said.body).data
  if (listed === undefined) return { kind: 'unavailable', detail: 'list-banks: an answer that cannot be read' }
  const codes = new Set(listed.map(({ code }) => code))
  return { kind: 'compared', listed: codes.size, missing: ours.filter((bank) => !codes.has(bankCodeOf(bank) ?? '')) }
}
