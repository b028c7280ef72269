// The lists within a payment: its movements in the ledger, its deliveries, and the requests to its provider.

import { statusOfDelivery } from '#api/deliveries.ts'
import type { PaymentStory } from '#api/payments.ts'
import { formatDuration } from '#format/time.ts'
import { paths } from '#shell/paths.ts'
import { usePlace } from '#shell/place.ts'
import { moneyColumn, statusColumn, timeColumn, textColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'
import { Time } from '#ui/values.tsx'

type Movement = PaymentStory['movements'][number]
type Delivery = NonNullable<PaymentStory['deliveries']>[number]
type Try = PaymentStory['tries'][number]

const movementColumns: Column<Movement>[] = [
  timeColumn('at', 'Time', ({ at }) => at),
  { id: 'from', head: 'From', cell: ({ from }) => from, isOnPhone: true },
  { id: 'to', head: 'To', cell: ({ to }) => to, isOnPhone: true },
  moneyColumn('amount', 'Amount', ({ amount }) => amount, { isOnPhone: true }),
]

type Moved = Pick<PaymentStory, 'movements' | 'movementsArchivedUntil'>

export function PaymentMovements({ movements, movementsArchivedUntil }: Moved) {
  const archived =
    movementsArchivedUntil === null ? null : (
      <p>
        Movements before <Time at={movementsArchivedUntil} /> are in the archive. Ask the operator of this service.
      </p>
    )
  return (
    <>
      <DataTable
        label="Movements in the ledger"
        columns={movementColumns}
        rows={movements}
        keyOf={({ id }) => id}
        empty={archived ?? <p>No money has moved.</p>}
      />
      {movements.length === 0 ? null : archived}
    </>
  )
}

const deliveryColumns: Column<Delivery>[] = [
  { id: 'event', head: 'Event', cell: ({ eventType }) => eventType, isOnPhone: true },
  textColumn('to', 'To', ({ subscriptionUrl }) => subscriptionUrl),
  statusColumn(statusOfDelivery),
  { id: 'code', head: 'Code', cell: ({ lastStatusCode }) => lastStatusCode ?? '–' },
  { id: 'attempts', head: 'Attempts', cell: ({ attempts }) => attempts, align: 'end' },
  { id: 'next', head: 'Next', cell: ({ nextAttemptAt }) => <Time at={nextAttemptAt} />, isOnLarge: true },
]

export function PaymentDeliveries({ deliveries }: { deliveries: Delivery[] }) {
  const place = usePlace()
  return (
    <DataTable
      label="Deliveries of this payment"
      columns={deliveryColumns}
      rows={deliveries}
      keyOf={({ eventId }) => eventId}
      linkOf={({ eventId }) => paths.delivery(place, eventId)}
      empty={<p>No webhook was sent: no subscription names an event of this payment, or it has had none yet.</p>}
    />
  )
}

const tryColumns: Column<Try>[] = [
  timeColumn('at', 'Time', ({ at }) => at, { isOnPhone: true }),
  { id: 'asked', head: 'Request', cell: ({ asked }) => asked },
  { id: 'answered', head: 'Result', cell: ({ answered }) => answered, isOnPhone: true },
  textColumn('detail', 'Answer', ({ detail }) => detail),
  { id: 'times', head: 'Requests', cell: ({ times }) => times, align: 'end' },
  {
    id: 'after',
    head: 'Response time',
    cell: ({ milliseconds }) => formatDuration(milliseconds === null ? null : milliseconds / 1_000),
    align: 'end',
  },
]

export function PaymentTries({ tries }: Pick<PaymentStory, 'tries'>) {
  return (
    <DataTable
      label="Requests to the provider"
      columns={tryColumns}
      rows={tries}
      keyOf={({ at, asked }) => `${at} ${asked}`}
      empty={<p>Nothing unusual.</p>}
    />
  )
}
