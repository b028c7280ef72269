// The deliveries of a subscription in the last 24 hours: a strip in the list; on its page also a sentence and a table.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { hoursQuery, type HourOfDeliveries } from '#api/webhooks.ts'
import { absent } from '#format/money.ts'
import { usePlace } from '#shell/place.ts'
import { timeColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'
import { Button } from '#ui/button.tsx'
import { Stack } from '#ui/layout.tsx'
import { ErrorState, Skeleton } from '#ui/states.tsx'
import { sayCounts, sumOf } from './day.ts'
import { DeliveryStrip } from './delivery-strip.tsx'
import styles from './delivery-strip.module.css'

export function LastDayStrip({ subscription }: { subscription: string }) {
  const { data, error } = useQuery(hoursQuery(usePlace(), subscription))
  if (data === undefined)
    return error === null ? <Skeleton width="166px" /> : <span className={styles.none}>{absent}</span>
  return <DeliveryStrip hours={data} />
}

const columns: Column<HourOfDeliveries>[] = [
  timeColumn('at', 'From', ({ at }) => at, { isOnPhone: true }),
  { id: 'delivered', head: 'Delivered', cell: ({ delivered }) => delivered, align: 'end', isOnPhone: true },
  { id: 'failed', head: 'Failed', cell: ({ failed }) => failed, align: 'end', isOnPhone: true },
  { id: 'pending', head: 'Waiting', cell: ({ pending }) => pending, align: 'end' },
  { id: 'total', head: 'All', cell: ({ total }) => total.toLocaleString('en-NG'), align: 'end' },
]

export function LastDay({ subscription }: { subscription: string }) {
  const { data, error, refetch } = useQuery(hoursQuery(usePlace(), subscription))
  const [isTable, setTable] = useState(false)
  if (data === undefined && error !== null) return <ErrorState failure={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton width="100%" />
  const sum = sumOf(data)
  if (sum.total === 0) return <p className={styles.none}>Nothing was to be delivered in the last 24 hours.</p>
  return (
    <Stack>
      <p>{sayCounts(sum)}.</p>
      {isTable ? (
        <DataTable
          label="Last 24 hours"
          columns={columns}
          rows={data.filter(({ total }) => total > 0).toReversed()}
          keyOf={({ at }) => at}
          empty={null}
        />
      ) : (
        <DeliveryStrip hours={data} isLarge />
      )}
      <div>
        <Button isSmall tone="quiet" onClick={() => setTable(!isTable)}>
          {isTable ? 'Show strip' : 'Show as table'}
        </Button>
      </div>
    </Stack>
  )
}
