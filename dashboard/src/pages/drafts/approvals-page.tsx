// Payouts that people proposed: waiting for approval, your own, and decided ones.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { draftsQuery, shownStatus, type Draft, type DraftView } from '#api/drafts.ts'
import { paths } from '#shell/paths.ts'
import { usePlace } from '#shell/place.ts'
import { moneyColumn, statusColumn, textColumn, timeColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'
import { useSearchState } from '#table/filters.ts'
import { buttonLook } from '#ui/button.tsx'
import { PageHead } from '#ui/layout.tsx'
import { EmptyState } from '#ui/states.tsx'
import { Tabs } from '#ui/tabs.tsx'
import { Schedules } from './schedules.tsx'

const tabs = [
  { value: 'waiting', label: 'Waiting', panel: <Drafts view="waiting" /> },
  { value: 'mine', label: 'Yours', panel: <Drafts view="mine" /> },
  { value: 'decided', label: 'Decided', panel: <Drafts view="decided" /> },
  { value: 'scheduled', label: 'Scheduled', panel: <Schedules /> },
]

export function ApprovalsPage() {
  const [search, change] = useSearchState()
  const place = usePlace()
  const tab = tabs.find(({ value }) => value === search['tab'])?.value ?? 'waiting'
  return (
    <>
      <PageHead
        title="Approvals"
        says="Payouts that a person proposed. Another person approves them before they are sent."
        actions={
          <>
            <Link to={paths.upload(place)} className={buttonLook()}>
              Payouts from a file
            </Link>
            <Link to={paths.newPayout(place)} className={buttonLook()}>
              New payout
            </Link>
          </>
        }
      />
      <Tabs
        label="Which payouts"
        value={tab}
        onChange={(value) => change({ tab: value === 'waiting' ? undefined : value })}
        tabs={tabs}
      />
    </>
  )
}

const columns: Column<Draft>[] = [
  textColumn('title', 'Payout', ({ title }) => title, { isOnPhone: true }),
  statusColumn((draft) => shownStatus(draft, Date.now())),
  moneyColumn('total', 'Total', ({ total }) => total, { isOnPhone: true }),
  { id: 'rows', head: 'Recipients', cell: ({ rows }) => rows.toLocaleString('en-NG'), align: 'end' },
  textColumn('maker', 'Made by', ({ maker, isYours }) => (isYours ? 'You' : maker)),
  {
    id: 'approvals',
    head: 'Approvals',
    cell: ({ approvals, approvalsNeeded }) =>
      approvalsNeeded === null || approvalsNeeded === 0 ? '–' : `${approvals.length} of ${approvalsNeeded}`,
  },
  timeColumn('createdAt', 'Created', ({ createdAt }) => createdAt),
]

/** A phone has room for the title but not for the status, which is the same in every row. */
const columnsOfWaiting = columns.map((column) => (column.id === 'status' ? { ...column, isOnPhone: false } : column))

function Drafts({ view }: { view: DraftView }) {
  const place = usePlace()
  const { data, error, refetch } = useQuery(draftsQuery(place, view))
  return (
    <DataTable
      label="Payouts"
      columns={view === 'waiting' ? columnsOfWaiting : columns}
      rows={data}
      failure={error}
      onRetry={() => void refetch()}
      keyOf={({ id }) => id}
      linkOf={({ id }) => paths.draft(place, id)}
      empty={<EmptyState title={empty[view].title} says={empty[view].says} />}
    />
  )
}

const empty: Record<DraftView, { title: string; says: string }> = {
  waiting: { title: 'Nothing to approve', says: 'Payouts that need approval appear here when a person submits them.' },
  mine: {
    title: 'No drafts of yours',
    says: 'Payouts that you submit for approval or prepare from a file appear here.',
  },
  decided: { title: 'Nothing decided yet', says: 'Payouts that were approved or rejected appear here.' },
}
