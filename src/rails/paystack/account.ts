// Which account a secret key belongs to. Paystack names it, as `integration`, in the rows of its lists. There is no documented
// call that names the account before it has a customer or a movement of its balance.

import { z } from 'zod'
import type { AccountAnswer } from '#rails/account-gate.ts'
import type { Call } from './call.ts'

const rows = z.array(z.object({ integration: z.union([z.int(), z.string().min(1)]) }))

const questions = [
  { endpoint: 'customer', path: '/customer?perPage=1' },
  { endpoint: 'list-ledger', path: '/balance/ledger?perPage=1' },
] as const

export async function askAccount(call: Call): Promise<AccountAnswer> {
  for (const { endpoint, path } of questions) {
    const said = await call({ endpoint, method: 'GET', path })
    if (said.kind === 'unknown') return said
    if (said.kind === 'refusal') return { kind: 'unknown', detail: `${endpoint}: refused with ${said.status}` }
    const found = rows.safeParse(said.data).data
    if (found === undefined) return { kind: 'unknown', detail: `${endpoint}: its rows do not name the account` }
    const [row] = found
    if (row !== undefined) return { kind: 'account', id: String(row.integration) }
  }
  return { kind: 'none' }
}
