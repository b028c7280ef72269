// Recipients from a file. Rows that can be read are saved, and their banks are asked for names in the background; the others
// come back with what is wrong in which cell.

import { recordEntry } from '#audit/record.ts'
import type { Context, Tenant } from '#platform/context.ts'
import { arraysOf, statement } from '#platform/db/db.ts'
import { newUuid } from '#platform/ids.ts'
import type { Currency } from '#platform/money.ts'
import { readPayeeCells, type PayeeCells, type PayeeKind, type PayeeOptions } from './cells.ts'
import type { Proposer } from './drafts.ts'
import { countRecipients, recipientsMax } from './recipients.ts'

export type RecipientCells = PayeeCells & { tags: string }
type RecipientCellError = { field: keyof RecipientCells; message: string; offers?: string[] }

/** `number`: the place of the row, from 1. No errors: the account is saved already. */
export type UnsavedRow = { number: number; errors: RecipientCellError[] }

export type ImportOutcome =
  | { kind: 'imported'; saved: number; unsaved: UnsavedRow[] }
  | { kind: 'too-many'; max: number }

type NewRecipient = {
  number: number
  kind: PayeeKind
  name: string
  institution: string
  accountNumber: string
  /** One a line. */
  tags: string
}

const insert = statement(
  'payouts.import_recipients',
  `insert into recipient (lane, tenant_id, id, kind, name, institution, account_number, tags, created_at, due_at)
   select $1, $2, v.id, v.kind, v.name, v.institution, v.account_number,
     coalesce(string_to_array(nullif(v.tags, ''), chr(10)), '{}'), $9, $9
     from unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
       as v (id, kind, name, institution, account_number, tags)
   on conflict (lane, tenant_id, institution, account_number) do nothing returning id`,
)

/** `currencies`: those that the business uses. Recipients are of their banks and operators. */
export async function importRecipients(
  ctx: Context,
  tenant: Tenant,
  { manager }: Proposer,
  cells: readonly RecipientCells[],
  currencies: readonly Currency[],
): Promise<ImportOutcome> {
  const { recipients, wrong } = readRows(cells, { environment: tenant.environment, currencies })
  return ctx.db
    .transaction(async (tx): Promise<ImportOutcome> => {
      const nowMs = ctx.clock.now()
      const rows = recipients.map((row) => ({ ...row, id: newUuid(nowMs) }))
      const columns = arraysOf(rows, 'id', 'kind', 'name', 'institution', 'accountNumber', 'tags')
      const inserted = await tx.query<{ id: string }>(insert, [tx.lane, tenant.id, ...columns, new Date(nowMs)])
      if ((await countRecipients(tx, tenant)) > recipientsMax) throw new TooMany()
      const saved = new Set(inserted.map(({ id }) => id))
      const known = rows.filter(({ id }) => !saved.has(id)).map(({ number }) => ({ number, errors: [] }))
      const unsaved = [...wrong, ...known].toSorted((left, right) => left.number - right.number)
      if (saved.size > 0) {
        const entry = { by: manager.by, tenantId: tenant.id, details: { recipients: saved.size } }
        recordEntry(tx, nowMs, { ...entry, act: 'recipients.imported' })
      }
      return { kind: 'imported', saved: saved.size, unsaved }
    }, tenant.lane)
    .catch((error: unknown): ImportOutcome => {
      if (error instanceof TooMany) return { kind: 'too-many', max: recipientsMax }
      throw error
    })
}

/** Rolls the import back. */
class TooMany extends Error {}

const tagsMax = 10
const tagLengthMax = 40

function readRows(cells: readonly RecipientCells[], options: PayeeOptions) {
  const recipients: NewRecipient[] = []
  const wrong: UnsavedRow[] = []
  const first = new Map<string, number>()
  for (const [index, row] of cells.entries()) {
    const number = index + 1
    const { name, kind, institution, accountNumber, errors: found } = readPayeeCells(row, options)
    const errors = found as RecipientCellError[]
    if (name === null && !errors.some(({ field }) => field === 'name'))
      errors.push({ field: 'name', message: 'Enter a name.' })
    const tags = new Set(
      row.tags
        .split(/[,;\n]/)
        .map((tag) => tag.trim())
        .filter((tag) => tag !== ''),
    )
    if (tags.size > tagsMax || [...tags].some((tag) => tag.length > tagLengthMax))
      errors.push({ field: 'tags', message: `Use at most ${tagsMax} tags of ${tagLengthMax} characters.` })
    const key = `${institution} ${accountNumber}`
    const earlier = first.get(key)
    if (institution !== null && accountNumber !== null && earlier !== undefined)
      errors.push({ field: 'account', message: `Row ${earlier} has this account too.` })
    if (errors.length > 0 || name === null || institution === null || accountNumber === null) {
      wrong.push({ number, errors })
      continue
    }
    first.set(key, number)
    recipients.push({ number, kind, name, institution, accountNumber, tags: [...tags].join('\n') })
  }
  return { recipients, wrong }
}
