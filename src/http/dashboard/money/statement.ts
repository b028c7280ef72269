// The statement of the available balance for a period, with what was there before and after it.

import { z } from 'zod'
import { ApiError } from '#base/error.ts'
import { toWire } from '#base/money.ts'
import { archivedError } from '#http/archived.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#http/dashboard/endpoint.ts'
import type { EndpointParts } from '#http/dashboard/routes.ts'
import { fromParameter, limitParameter, pageParameter, toParameter } from '#http/fields.ts'
import { paginationOf } from '#http/paging.ts'
import { entriesSummedMax, readStatement, type StatementEntry } from '#ledger/statement.ts'

export function statementEndpoint(ctx: EndpointParts['ctx']): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'GET',
    path: '/dashboard/api/b/:business/:environment/statement',
    permission: 'balance.see',
    query: z.object({ page: pageParameter, limit: limitParameter, from: fromParameter, to: toParameter }),
    handle: async ({ tenant, query: { page, limit, from, to } }) => {
      const statement = await readStatement(ctx, tenant, 'NGN', { page, limit, from, before: to })
      if (statement.kind === 'too-long') throw tooLong()
      if (statement.kind === 'archived') throw archivedError(statement)
      const { opening, closing, sumIn, sumOut, adds, entries, total } = statement
      const sums = { opening: toWire(opening), closing: toWire(closing), sumIn: toWire(sumIn), sumOut: toWire(sumOut) }
      return { data: { ...sums, adds, entries: entries.map(shown) }, pagination: paginationOf(page, limit, total) }
    },
  })
}

function tooLong(): ApiError {
  const message = `from and to hold more than ${entriesSummedMax} entries: ask for a shorter period, or export it`
  return new ApiError('VALIDATION_ERROR', message, { details: [{ field: 'from', message }] })
}

function shown({ number, createdAt, type, reference, in: came, out, balanceAfter }: StatementEntry) {
  return {
    number: Number(number),
    at: createdAt.toISOString(),
    what: type,
    reference,
    in: toWire(came),
    out: toWire(out),
    balanceAfter: toWire(balanceAfter),
  }
}
