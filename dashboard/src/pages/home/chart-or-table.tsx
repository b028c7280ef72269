// Money in, out and returned over time, as a chart and, behind a button, as a table.

import { useState } from 'react'
import type { FigurePoint } from '#api/home.ts'
import { formatDay, formatTime } from '#format/time.ts'
import { moneyColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'
import { Button } from '#ui/button.tsx'
import { useZone } from '#ui/values.tsx'
import { Chart } from './chart.tsx'
import styles from './home.module.css'

export function ChartOrTable({ series, by }: { series: FigurePoint[]; by: 'hour' | 'day' }) {
  const [isTable, setTable] = useState(false)
  const zone = useZone()
  const nowMs = new Date().getTime()
  const label = (at: string): string => (by === 'day' ? formatDay(at, zone) : formatTime(at, zone, nowMs).slice(0, -3))
  const columns: Column<FigurePoint>[] = [
    { id: 'at', head: by === 'day' ? 'Day' : 'Hour', cell: ({ at }) => label(at), isOnPhone: true },
    moneyColumn('in', 'In', (point) => point.in, { isOnPhone: true }),
    moneyColumn('out', 'Out', (point) => point.out, { isOnPhone: true }),
    moneyColumn('returned', 'Returned', (point) => point.returned),
    { id: 'succeeded', head: 'Succeeded', cell: ({ succeeded }) => succeeded, align: 'end' },
    { id: 'failed', head: 'Failed', cell: ({ failed }) => failed, align: 'end' },
  ]
  if (series.every((point) => point.in === 0 && point.out === 0 && point.returned === 0)) {
    return <p className={styles.quiet}>No money has moved in this time.</p>
  }
  return (
    <>
      {isTable ? (
        <div className={styles.scroll} tabIndex={0} role="region" aria-label="Money in and out">
          <DataTable label="Money in and out" columns={columns} rows={series} keyOf={({ at }) => at} empty={null} />
        </div>
      ) : (
        <Chart series={series} label={label} />
      )}
      <Button isSmall tone="quiet" onClick={() => setTable(!isTable)}>
        {isTable ? 'Show chart' : 'Show as table'}
      </Button>
    </>
  )
}
