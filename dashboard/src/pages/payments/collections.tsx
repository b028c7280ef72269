// The list of collections from wallets.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { collectionsQuery } from '#api/payments.ts'
import type { MomoCollection } from '#api/schema.ts'
import { OperatorName } from '#shell/operator-name.tsx'
import { paths } from '#shell/paths.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { moneyColumn, statusColumn, timeColumn, textColumn, type Column } from '#table/columns.tsx'
import { exportColumns } from '#table/export-columns.ts'
import { useFilters, type Filter } from '#table/filters.ts'
import { listed } from '#table/listed.ts'
import { buttonLook } from '#ui/button.tsx'
import { EmptyState } from '#ui/states.tsx'
import { PaymentList } from './payment-list.tsx'
import { useWalletFilters } from './use-deep-filters.ts'

const filters: Filter[] = [
  {
    kind: 'choice',
    name: 'status',
    label: 'Status',
    choices: [
      { value: 'PENDING', label: 'Pending' },
      { value: 'OTP_REQUIRED', label: 'Code needed' },
      { value: 'SUCCESS', label: 'Succeeded' },
      { value: 'FAILED', label: 'Failed' },
    ],
  },
  { kind: 'days' },
]

const columns: Column<MomoCollection>[] = [
  { id: 'reference', head: 'Reference', cell: ({ reference }) => reference, isOnPhone: true },
  { id: 'from', head: 'From', cell: ({ phoneNumber }) => phoneNumber },
  statusColumn(({ status }) => status),
  moneyColumn('amount', 'Amount', ({ amount }) => amount, { isOnPhone: true }),
  moneyColumn('fee', 'Fee', ({ fee }) => fee),
  { id: 'operator', head: 'Operator', cell: ({ operator }) => <OperatorName slug={operator} /> },
  textColumn('narration', 'Narration', ({ narration }) => narration, { isHiddenAtFirst: true }),
  textColumn('failure', 'Why it failed', ({ failureMessage }) => failureMessage, { isHiddenAtFirst: true }),
  timeColumn('createdAt', 'Created', ({ createdAt }) => createdAt),
  timeColumn('completedAt', 'Ended', ({ completedAt }) => completedAt, { isHiddenAtFirst: true }),
]

const exported = exportColumns(
  'id reference status amount fee currency phoneNumber operator ' +
    'operatorReference depositReference failureReason narration metadata createdAt updatedAt completedAt',
)

export function Collections() {
  const all = [...filters, ...useWalletFilters()]
  const state = useFilters(all)
  const usual = useQuery({ ...collectionsQuery(usePlace(), state.query), enabled: !state.isDeep })
  return (
    <PaymentList
      noun="collections"
      label="Collections"
      filters={all}
      state={state}
      columns={columns}
      exported={exported}
      list={listed(usual, ({ collections }) => collections)}
      empty={
        <EmptyState
          title="No collection yet"
          says="A collection asks a payer for money on their phone: POST /v1/momo/collection with a number and an amount."
        >
          <CollectByForm />
        </EmptyState>
      }
    />
  )
}

function CollectByForm() {
  const place = usePlace()
  if (useRefusal('payouts.propose') !== undefined) return null
  return (
    <Link to={paths.newCollection(place)} className={buttonLook()}>
      Collect by form
    </Link>
  )
}
