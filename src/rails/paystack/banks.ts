// Which banks Paystack pays to, held against those that we know: by the code under which a transfer names one.

import { z } from 'zod'
import { detailOf } from '#rails/outcome.ts'
import type { BankComparison, RailBank } from '#rails/rail.ts'
import type { Call } from './call.ts'
import { cursorAfter, pageQuery } from './pages.ts'

const listedBanks = z.array(z.object({ code: z.string(), active: z.boolean().nullish() }))

/** More than there are banks, at a hundred a page. */
const pagesMax = 50

export async function compareBanks(call: Call, ours: readonly RailBank[]): Promise<BankComparison> {
  const codes = new Set<string>()
  let cursor = ''
  for (let page = 1; page <= pagesMax; page += 1) {
    const query = new URLSearchParams({ currency: 'NGN', ...pageQuery(cursor) })
    const said = await call({ endpoint: 'list-banks', method: 'GET', path: `/bank?${query.toString()}` })
    if (said.kind !== 'success') return { kind: 'unavailable', detail: detailOf('list-banks', said) }
    const listed = listedBanks.safeParse(said.data).data
    const next = cursorAfter(cursor, said.meta, listed?.length ?? 0)
    if (listed === undefined || next === undefined)
      return { kind: 'unavailable', detail: 'list-banks: a page that cannot be read' }
    for (const { code, active } of listed) if (active !== false) codes.add(code)
    cursor = next
    if (cursor === '') break
  }
  return { kind: 'compared', listed: codes.size, missing: ours.filter(({ code }) => !codes.has(code)) }
}
