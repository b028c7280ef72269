// Payouts that are paused: of all, or of one business.

import type { Operations } from '#api/operations.ts'
import { timeColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'
import { Id } from '#ui/values.tsx'

type Pause = Operations['pauses'][number]

const columns: Column<Pause>[] = [
  { id: 'whose', head: 'Whose', cell: ({ businessId }) => <Whose businessId={businessId} />, isOnPhone: true },
  { id: 'environment', head: 'Environment', cell: ({ environment }) => environment, isOnPhone: true },
  timeColumn('since', 'Since', ({ since }) => since, { isOnPhone: true }),
]

function Whose({ businessId }: { businessId: string | null }) {
  return businessId === null ? 'All businesses' : <Id id={businessId} />
}

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
