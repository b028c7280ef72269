// What is new for a tenant since the last look: the latest rows of its lists, and those that a page shows by their names.
// Nothing is asked that grows with a table: the first page of each list, and a row for each name.

import type { Tenant } from '#base/context.ts'
import { depositReference } from '#deposits/deposit.ts'
import type { Deposits } from '#deposits/deposits.ts'
import type { Payments } from '#payments/payments.ts'

export type Noun = 'transfers' | 'momo-transfers' | 'collections' | 'deposits'

/** `isNew`: it was not there at the last look. Otherwise only pages that named it are told. */
export type Hint = { noun: Noun; reference: string; status: string; isNew: boolean }

export type HintRooms = { payments: Pick<Payments, 'list' | 'read'>; deposits: Pick<Deposits, 'list' | 'read'> }

/** How many rows each list had, and the status of each row that was looked at. */
export type Seen = { totals: Map<Noun, number>; statuses: Map<string, string> }

type Row = { noun: Noun; reference: string; status: string }

/** Of more new rows in a second, a page that is told of these looks at its list anyway. */
const newRowsMax = 20

const kinds = { transfers: 'bank_transfer', 'momo-transfers': 'momo_transfer', collections: 'momo_collection' } as const
const paymentNouns = Object.keys(kinds) as (keyof typeof kinds)[]

export function createHints({ payments, deposits }: HintRooms) {
  async function latest(tenant: Tenant, noun: Noun): Promise<{ rows: Row[]; total: number }> {
    const question = { page: 1, limit: newRowsMax }
    if (noun === 'deposits') {
      const { deposits: found, total } = await deposits.list(tenant, question)
      return { rows: found.map(({ id, status }) => ({ noun, reference: depositReference(id), status })), total }
    }
    const { payments: found, total } = await payments.list(tenant, kinds[noun], question)
    return { rows: found.map(({ reference, status }) => ({ noun, reference, status })), total }
  }

  async function named(tenant: Tenant, names: ReadonlySet<string>): Promise<Row[]> {
    const asked = [...names].map(async (reference): Promise<Row[]> => {
      const deposit = await deposits.read(tenant, reference)
      if (deposit !== undefined) return [{ noun: 'deposits', reference, status: deposit.status }]
      const found = await Promise.all(paymentNouns.map((noun) => payments.read(tenant, kinds[noun], reference)))
      return found.flatMap((payment, at) =>
        payment === undefined ? [] : [{ noun: paymentNouns[at] ?? 'transfers', reference, status: payment.status }],
      )
    })
    return (await Promise.all(asked)).flat()
  }

  /** Nothing is new at the first look. */
  return async (tenant: Tenant, names: ReadonlySet<string>, before?: Seen): Promise<{ hints: Hint[]; now: Seen }> => {
    const now: Seen = { totals: new Map(), statuses: new Map() }
    const hints: Hint[] = []
    for (const noun of [...paymentNouns, 'deposits'] as const) {
      const { rows, total } = await latest(tenant, noun)
      now.totals.set(noun, total)
      const added = before === undefined ? 0 : total - (before.totals.get(noun) ?? 0)
      hints.push(...rows.slice(0, Math.max(0, added)).map((row) => ({ ...row, isNew: true })))
    }
    for (const row of await named(tenant, names)) {
      const status = before?.statuses.get(row.reference)
      now.statuses.set(row.reference, row.status)
      if (status !== undefined && status !== row.status) hints.push({ ...row, isNew: false })
    }
    return { hints, now }
  }
}
