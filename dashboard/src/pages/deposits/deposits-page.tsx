// Money that came in.

import { useQuery } from '@tanstack/react-query'
import { depositsQuery, endedDepositsQuery } from '#api/deposits.ts'
import type { Deposit } from '#api/schema.ts'
import { useCurrencyFilter } from '#shell/currency-switch.tsx'
import { paths } from '#shell/paths.ts'
import { usePlace } from '#shell/place.ts'
import { Link } from '@tanstack/react-router'
import { moneyColumn, statusColumn, timeColumn, textColumn, type Column } from '#table/columns.tsx'
import { exportColumns } from '#table/export-columns.ts'
import { useFilters, useSearchState, type Filter } from '#table/filters.ts'
import { listed } from '#table/listed.ts'
import { FilteredList } from '#shell/filtered-list.tsx'
import { buttonLook } from '#ui/button.tsx'
import { PageHead } from '#ui/layout.tsx'
import { EmptyState } from '#ui/states.tsx'
import { AccountNumber } from '#ui/values.tsx'

const ended = [
  { value: 'SUCCESSFUL', label: 'Succeeded' },
  { value: 'FAILED', label: 'Failed' },
]

const usualFilters: Filter[] = [
  { kind: 'choice', name: 'status', label: 'Status', choices: [{ value: 'PENDING', label: 'Pending' }, ...ended] },
  { kind: 'text', name: 'accountNumber', label: 'Account number' },
  { kind: 'text', name: 'customerReference', label: 'Customer' },
  { kind: 'days' },
]

/** A list by the day on which deposits ended has only the filters by status and currency. */
const endedFilters: Filter[] = [{ kind: 'choice', name: 'status', label: 'Status', choices: ended }]
const byEnd: Filter = { kind: 'ended', isDeep: true }

const columns: Column<Deposit>[] = [
  { id: 'reference', head: 'Reference', cell: ({ reference }) => reference, isOnPhone: true },
  textColumn('sender', 'Sender', ({ senderAccountName }) => senderAccountName),
  statusColumn(({ status }) => status),
  moneyColumn('amount', 'Amount', ({ amount }) => amount, { isOnPhone: true }),
  moneyColumn('fee', 'Fee', ({ fee }) => fee, { isOnLarge: true }),
  moneyColumn('credited', 'Credited', ({ status, amount, fee }) => (status === 'SUCCESSFUL' ? amount - fee : null)),
  {
    id: 'account',
    head: 'Into',
    isOnLarge: true,
    // A collection is paid into no account.
    cell: ({ recipientAccountNumber: into }) => (into === '' ? 'Collection' : <AccountNumber number={into} />),
  },
  textColumn('senderBank', 'Sender’s bank', ({ senderBankName }) => senderBankName, { isHiddenAtFirst: true }),
  textColumn('narration', 'Narration', ({ narration }) => narration, { isHiddenAtFirst: true }),
  timeColumn('createdAt', 'Received', ({ createdAt }) => createdAt),
]

const exported = exportColumns(
  'id reference status amount fee currency senderAccountName ' +
    'senderAccountNumber senderBankName recipientAccountName recipientAccountNumber recipientBankName narration createdAt updatedAt',
)

export function DepositsPage() {
  const place = usePlace()
  const [{ endedFrom, endedTo }] = useSearchState()
  const currency = useCurrencyFilter()
  const isEnded = endedFrom !== undefined || endedTo !== undefined
  const filters = isEnded ? [...endedFilters, byEnd, ...currency] : [...usualFilters, byEnd]
  const state = useFilters(filters)
  const usual = useQuery({ ...depositsQuery(place, state.query), enabled: !isEnded })
  const { data, error, refetch } = useQuery({ ...endedDepositsQuery(place, state.query), enabled: isEnded })
  const list = isEnded
    ? { rows: data?.deposits, failure: error, onRetry: () => void refetch(), further: data }
    : listed(usual, ({ deposits }) => deposits)
  return (
    <>
      <PageHead title="Deposits" />
      <FilteredList
        noun="deposits"
        label="Deposits"
        filters={filters}
        state={state}
        columns={columns}
        exported={exported}
        {...list}
        linkOf={({ reference }) => paths.deposit(place, reference)}
        referenceOf={({ reference }) => reference}
        empty={<NoDeposit />}
      />
    </>
  )
}

function NoDeposit() {
  const place = usePlace()
  return (
    <EmptyState
      title="No deposit yet"
      says="A deposit is money that was paid into a virtual account of yours, or by a collection."
    >
      <Link to={paths.accounts(place)} className={buttonLook()}>
        Open a virtual account
      </Link>
      {place.environment === 'staging' ? <Link to={paths.simulator(place)}>Pay into one in the simulator</Link> : null}
    </EmptyState>
  )
}
