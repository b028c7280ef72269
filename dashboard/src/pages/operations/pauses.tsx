// Payouts that are paused, and by whom.

import type { Operations } from '#api/operations.ts'
import { timeColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'

type Pause = Operations['pauses'][number]

const columns: Column<Pause>[] = [
  { id: 'whose', head: 'Whose', cell: ({ business }) => business ?? 'Everybody’s', isOnPhone: true },
  { id: 'environment', head: 'Environment', cell: ({ environment }) => environment, isOnPhone: true },
  { id: 'by', head: 'By', cell: ({ by }) => by ?? '–' },
  { id: 'reason', head: 'Reason', cell: ({ reason }) => reason ?? '–' },
  timeColumn('since', 'Since', ({ since }) => since),
]

export function Pauses({ pauses }: { pauses: readonly Pause[] }) {
  return (
    <DataTable
      label="Paused payouts"
      columns={columns}
      rows={pauses}
      keyOf={({ business, environment }) => `${business ?? ''} ${environment}`}
      empty={<p>Nothing is paused.</p>}
    />
  )
}
