// The rows of a draft, a hundred at a time. The maker corrects them here.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { banksQuery, operatorsQuery } from '#api/directory.ts'
import {
  draftRowsQuery,
  rowsPerPage,
  type DraftDetail,
  type DraftRow,
  type FlagKind,
  type RowFilter,
} from '#api/drafts.ts'
import { countOf, groupAccountNumber, orDash } from '#format/ids.ts'
import { paths } from '#shell/paths.ts'
import { usePlace } from '#shell/place.ts'
import { moneyColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'
import { useSearchState } from '#table/filters.ts'
import { Button } from '#ui/button.tsx'
import { Field, Select } from '#ui/field.tsx'
import { Row, Section } from '#ui/layout.tsx'
import { EmptyState } from '#ui/states.tsx'
import { EditRow } from './edit-row.tsx'
import styles from './drafts.module.css'

const filters: { value: RowFilter | ''; label: string }[] = [
  { value: '', label: 'All rows' },
  { value: 'errors', label: 'With errors' },
  { value: 'flags', label: 'To check' },
  { value: 'refused', label: 'Refused' },
]

/** The flags of rows, in the order in which an approver should look at them. */
const flagWords: [kind: FlagKind, one: string, many: string][] = [
  ['duplicate-payment', 'row repeats a payment of the last 24 hours', 'rows repeat payments of the last 24 hours'],
  ['duplicate-in-draft', 'row repeats another row', 'rows repeat other rows'],
  ['duplicate-in-other-draft', 'row is in another open draft too', 'rows are in other open drafts too'],
  ['name-differs', 'name differs from the name at the bank', 'names differ from the names at the banks'],
  ['name-unknown', 'account was not confirmed by its bank', 'accounts were not confirmed by their banks'],
  ['name-changed', 'name differs from the last payout', 'names differ from the last payouts'],
  ['recipient-changed', 'saved recipient has a new account', 'saved recipients have new accounts'],
  ['amount-higher', 'amount is unusually high', 'amounts are unusually high'],
  ['first-payout', 'account is paid for the first time', 'accounts are paid for the first time'],
]

export function flagsOf({ flags }: DraftDetail): { value: FlagKind; label: string }[] {
  return flagWords.flatMap(([kind, one, many]) => {
    const count = flags[kind] ?? 0
    return count === 0 ? [] : [{ value: kind, label: countOf(count, one, many) }]
  })
}

export function DraftRows({ draft }: { draft: DraftDetail }) {
  const place = usePlace()
  const [search, change] = useSearchState()
  const [edited, setEdited] = useState<DraftRow>()
  const choices = [...filters, ...flagsOf(draft)]
  const only = choices.find(({ value }) => value !== '' && value === search['only'])?.value
  const page = Math.max(1, Math.floor(Number(search['page'] ?? 1)) || 1)
  const { data, error, refetch } = useQuery(draftRowsQuery(place, draft, only === '' ? undefined : only, page))
  const isMended = draft.status === 'editing' && draft.isYours
  const hasWallets = data?.rows.some(({ kind }) => kind === 'wallet') ?? false
  const columns = useColumns(hasWallets, isMended ? setEdited : undefined)
  const total = data?.total ?? 0
  return (
    <Section
      title="Recipients"
      actions={
        draft.rows < 2 ? undefined : (
          <Field label="Show">
            {(ties) => (
              <Select
                {...ties}
                isSmall
                choices={choices}
                value={only ?? ''}
                onChange={(event) => change({ only: event.target.value || undefined, page: undefined })}
              />
            )}
          </Field>
        )
      }
    >
      <DataTable
        label="Recipients"
        columns={columns}
        rows={data?.rows}
        failure={error}
        onRetry={() => void refetch()}
        keyOf={({ number }) => String(number)}
        empty={<EmptyState title="No rows" says="No row of this draft matches." />}
      />
      <Pages page={page} total={total} onChange={(next) => change({ page: String(next) })} />
      {edited === undefined ? null : <EditRow draft={draft} row={edited} onClose={() => setEdited(undefined)} />}
    </Section>
  )
}

function Pages({ page, total, onChange }: { page: number; total: number; onChange: (page: number) => void }) {
  if (total <= rowsPerPage) return null
  const isLast = page * rowsPerPage >= total
  return (
    <Row>
      <Button
        isSmall
        disabledReason={page > 1 ? undefined : 'This is the first page.'}
        onClick={() => onChange(page - 1)}
      >
        Previous
      </Button>
      <span>
        {(page - 1) * rowsPerPage + 1} to {Math.min(page * rowsPerPage, total)} of {total.toLocaleString('en-NG')}
      </span>
      <Button isSmall disabledReason={isLast ? 'This is the last page.' : undefined} onClick={() => onChange(page + 1)}>
        Next
      </Button>
    </Row>
  )
}

function useColumns(hasWallets: boolean, onEdit: ((row: DraftRow) => void) | undefined): Column<DraftRow>[] {
  const place = usePlace()
  const { data = [] } = useQuery(banksQuery(place))
  const { data: operators = [] } = useQuery({ ...operatorsQuery(place), enabled: hasWallets })
  const banks = new Map([...data, ...operators].map(({ slug, name }) => [slug, name]))
  return [
    { id: 'number', head: 'Row', cell: ({ number }) => number.toLocaleString('en-NG'), align: 'end' },
    {
      id: 'recipient',
      head: 'Recipient',
      cell: (row) => <Recipient row={row} bank={banks.get(row.institution ?? '') ?? row.institution} />,
      isOnPhone: true,
      isWrapped: true,
    },
    moneyColumn('amount', 'Amount', ({ amount }) => amount, { isOnPhone: true }),
    ...(onEdit === undefined
      ? []
      : [
          {
            id: 'actions',
            head: '',
            cell: (row: DraftRow) => (
              <Button isSmall onClick={() => onEdit(row)} aria-label={`Edit row ${row.number}`}>
                Edit
              </Button>
            ),
            align: 'end' as const,
            isOnPhone: true,
          },
        ]),
  ]
}

/** A reference that the service makes is not shown before it leads to a payment. */
function Reference({ row: { cells, reference, outcome } }: { row: DraftRow }) {
  const place = usePlace()
  if (reference === null || (outcome !== 'accepted' && cells.reference === '')) return null
  return (
    <span className={styles.account}>
      Reference: {outcome === 'accepted' ? <Link to={paths.payment(place, reference)}>{reference}</Link> : reference}
    </span>
  )
}

function Recipient({ row, bank }: { row: DraftRow; bank: string | null }) {
  const { cells, kind: payee, accountName, resolvedName, accountNumber, narration, errors, flags, refusal } = row
  const isAsked = row.resolution === 'due' && row.outcome === null
  const namer = payee === 'wallet' ? 'operator' : 'bank'
  const isNameFlagged = flags.some(({ kind }) => kind === 'name-differs')
  return (
    <div className={styles.recipient}>
      <span className={styles.name}>{accountName ?? resolvedName ?? (cells.name || 'No name')}</span>
      <span className={styles.account}>
        {bank ?? orDash(cells.bank)} ·{' '}
        {accountNumber === null ? orDash(cells.account) : groupAccountNumber(accountNumber)}
      </span>
      {resolvedName === null || isNameFlagged ? null : (
        <span className={styles.account}>
          Name at the {namer}: {resolvedName}
        </span>
      )}
      {narration === null ? null : <span className={styles.account}>Narration: {narration}</span>}
      <Reference row={row} />
      {isAsked ? <span className={styles.account}>Asking the {namer} for the name …</span> : null}
      {errors.map(({ field, message }) => (
        <span key={`${field} ${message}`} className={styles.wrong}>
          {message}
        </span>
      ))}
      {flags.map(({ kind, says }) => (
        <span key={`${kind} ${says}`} className={styles.flag}>
          {says}
        </span>
      ))}
      {refusal === null ? null : <span className={styles.wrong}>{refusal}</span>}
    </div>
  )
}
