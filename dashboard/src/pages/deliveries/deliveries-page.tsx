// Every delivery of every subscription, with buttons to send failed ones again.

import { useQuery } from '@tanstack/react-query'
import { deliveriesQuery, statusOfDelivery, type Delivery } from '#api/deliveries.ts'
import { subscriptionsQuery } from '#api/webhooks.ts'
import events from '#api/events.json' with { type: 'json' }
import { ListTools } from '#shell/list-tools.tsx'
import { paths } from '#shell/paths.ts'
import { usePlace } from '#shell/place.ts'
import { statusColumn, timeColumn, textColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'
import { FilterBar } from '#table/filter-bar.tsx'
import { useFilters, type Filter } from '#table/filters.ts'
import { listed } from '#table/listed.ts'
import { PageHead } from '#ui/layout.tsx'
import { EmptyState } from '#ui/states.tsx'
import { Time } from '#ui/values.tsx'
import { RetryAll } from './retry-all.tsx'
import { RetrySelected } from './retry-selected.tsx'

const ownFilters: Filter[] = [
  {
    kind: 'choice',
    name: 'event',
    label: 'Event',
    choices: [...events.map(({ name }) => name), 'webhook.test'].map((name) => ({ value: name, label: name })),
  },
  {
    kind: 'choice',
    name: 'status',
    label: 'Status',
    choices: [
      { value: 'pending', label: 'Pending' },
      { value: 'delivered', label: 'Delivered' },
      { value: 'failed', label: 'Failed' },
    ],
  },
  {
    kind: 'choice',
    name: 'codeClass',
    label: 'Code',
    choices: [
      { value: '2xx', label: '2xx, accepted' },
      { value: '3xx', label: '3xx, a redirect' },
      { value: '4xx', label: '4xx, refused' },
      { value: '5xx', label: '5xx, failed' },
      { value: 'none', label: 'No answer' },
    ],
  },
  { kind: 'text', name: 'reference', label: 'Reference' },
  { kind: 'days' },
]

const columns: Column<Delivery>[] = [
  { id: 'event', head: 'Event', cell: ({ eventType }) => eventType, isOnPhone: true },
  textColumn('reference', 'Reference', ({ reference }) => reference, { isOnPhone: true }),
  textColumn('url', 'To', ({ url }) => url),
  statusColumn(statusOfDelivery),
  { id: 'code', head: 'Code', cell: ({ lastStatusCode }) => lastStatusCode ?? '–' },
  textColumn('error', 'Error', ({ lastError }) => lastError, { isOnLarge: true }),
  { id: 'attempts', head: 'Attempts', cell: ({ attempts }) => attempts, align: 'end' },
  { id: 'next', head: 'Next', cell: ({ nextAttemptAt }) => <Time at={nextAttemptAt} /> },
  timeColumn('createdAt', 'Created', ({ createdAt }) => createdAt),
]

export function DeliveriesPage() {
  const place = usePlace()
  const filters = useDeliveryFilters()
  const state = useFilters(filters)
  const list = listed(useQuery(deliveriesQuery(place, state.query)), ({ deliveries }) => deliveries)
  return (
    <>
      <PageHead
        title="Deliveries"
        says="Every webhook that was sent, with the answer of your receiver."
        actions={<RetryAll state={state} />}
      />
      <FilterBar filters={filters} state={state}>
        <ListTools noun="deliveries" columns={columns} state={state} />
      </FilterBar>
      <DataTable
        label="Deliveries"
        columns={columns}
        {...list}
        filters={state}
        keyOf={({ id }) => id}
        linkOf={({ id }) => paths.delivery(place, id)}
        actionsOf={(deliveries) => <RetrySelected deliveries={deliveries} />}
        empty={
          <EmptyState
            title="No deliveries yet"
            says="A delivery is created when an event occurs that one of your webhooks subscribes to."
          />
        }
      />
    </>
  )
}

function useDeliveryFilters(): Filter[] {
  const { data = [] } = useQuery(subscriptionsQuery(usePlace()))
  const choices = data.map(({ id, url }) => ({ value: id, label: url }))
  return [{ kind: 'choice', name: 'subscription', label: 'Subscription', choices }, ...ownFilters]
}
