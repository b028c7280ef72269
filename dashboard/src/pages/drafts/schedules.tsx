// The schedules of a business, with their next run.

import { useQuery } from '@tanstack/react-query'
import { sayNextRun, sayRepeats, schedulesQuery, type Schedule } from '#api/schedules.ts'
import { paths } from '#shell/paths.ts'
import { usePlace } from '#shell/place.ts'
import { moneyColumn, statusColumn, textColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'
import { EmptyState } from '#ui/states.tsx'

const columns: Column<Schedule>[] = [
  textColumn('title', 'Schedule', ({ title }) => title, { isOnPhone: true }),
  statusColumn(({ state }) => state),
  moneyColumn('total', 'Each run', ({ total }) => total, { isOnPhone: true }),
  textColumn('repeats', 'Repeats', sayRepeats),
  textColumn('next', 'Next run in Lagos', (schedule) => sayNextRun(schedule) ?? '–', { isOnPhone: true }),
  textColumn('maker', 'Made by', ({ maker }) => maker),
]

export function Schedules() {
  const place = usePlace()
  const { data, error, refetch } = useQuery(schedulesQuery(place))
  return (
    <DataTable
      label="Schedules"
      columns={columns}
      rows={data}
      failure={error}
      onRetry={() => void refetch()}
      keyOf={({ id }) => id}
      linkOf={({ id }) => paths.draft(place, id)}
      empty={
        <EmptyState
          title="No schedule yet"
          says="Prepare a payout or a file of payouts, then choose “Schedule” on its page."
        />
      }
    />
  )
}
