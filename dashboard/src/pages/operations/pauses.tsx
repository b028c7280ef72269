// The pauses of payouts, each of all businesses or of one.

import type { Operations } from '#api/operations.ts'
import { timeColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'

type Pause = Operations['pauses'][number]

const columns: Column<Pause>[] = [
  { id: 'whose', head: 'Business', cell: ({ businessName }) => businessName ?? 'All businesses', isOnPhone: true },
  { id: 'environment', head: 'Environment', cell: ({ environment }) => environment, isOnPhone: true },
  timeColumn('since', 'Since', ({ since }) => since, { isOnPhone: true }),
]

export function Pauses({ pauses }: { pauses: readonly Pause[] }) {
  return (
    <DataTable
      label="Paused payouts"
      columns={columns}
      rows={pauses}
      keyOf={({ businessId, environment }) => `${businessId ?? ''} ${environment}`}
      empty={<p>Nothing is paused.</p>}
    />
  )
}
