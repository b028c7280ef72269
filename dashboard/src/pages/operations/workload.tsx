// The work that waits for workers, and the work that they have done, over all businesses.

import type { Operations } from '#api/operations.ts'
import { absent } from '#format/money.ts'
import { formatDuration } from '#format/time.ts'
import { timeColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'

type Due = Operations['backlog'][number]
type Hour = Operations['ended'][number]

const queueNames = { payments: 'Payments', deliveries: 'Webhook deliveries', accounts: 'Virtual accounts' }

/** The service counts at most this many units of due work per lane. */
const countedMax = 10_000

const dueColumns: Column<Due>[] = [
  { id: 'queue', head: 'Queue', cell: ({ queue }) => queueNames[queue], isOnPhone: true },
  {
    id: 'count',
    head: 'Due now',
    cell: ({ count }) => `${count.toLocaleString('en-NG')}${count < countedMax ? '' : ' or more'}`,
    align: 'end',
    isOnPhone: true,
  },
  {
    id: 'oldest',
    head: 'Oldest due',
    cell: ({ count, oldestSeconds }) => (count === 0 ? absent : `${formatDuration(oldestSeconds)} ago`),
    align: 'end',
    isOnPhone: true,
  },
]

export function DueWork({ backlog }: { backlog: readonly Due[] }) {
  return <DataTable label="Due work" columns={dueColumns} rows={backlog} keyOf={({ queue }) => queue} empty={<></>} />
}

const hourColumns: Column<Hour>[] = [
  timeColumn('hour', 'Hour from', ({ hour }) => hour, { isOnPhone: true }),
  countColumn('succeeded', 'Succeeded', ({ succeeded }) => succeeded),
  countColumn('failed', 'Failed', ({ failed }) => failed),
  countColumn('deposits', 'Deposits', ({ deposits }) => deposits),
]

function countColumn(id: string, head: string, of: (hour: Hour) => number): Column<Hour> {
  return { id, head, cell: (hour) => of(hour).toLocaleString('en-NG'), align: 'end', isOnPhone: true }
}

export function Throughput({ ended }: { ended: readonly Hour[] }) {
  return <DataTable label="Throughput" columns={hourColumns} rows={ended} keyOf={({ hour }) => hour} empty={<></>} />
}
