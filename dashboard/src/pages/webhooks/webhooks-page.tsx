// The list of webhook subscriptions.

import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { WebhookSubscription } from '#api/schema.ts'
import { stateOf, subscriptionsQuery } from '#api/webhooks.ts'
import { countOf } from '#format/ids.ts'
import { LastDayStrip } from './last-day.tsx'
import { paths } from '#shell/paths.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { statusColumn, timeColumn, textColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'
import { Button } from '#ui/button.tsx'
import { CopyField } from '#ui/copy.tsx'
import { PageHead, Stack } from '#ui/layout.tsx'
import { EmptyState } from '#ui/states.tsx'
import { NewSubscription } from './new-subscription.tsx'

const columns: Column<WebhookSubscription>[] = [
  textColumn('url', 'Address', ({ url }) => url, { isOnPhone: true }),
  statusColumn(stateOf),
  { id: 'events', head: 'Events', cell: ({ events }) => countOf(events.length, 'event') },
  { id: 'day', head: 'Last 24 hours', cell: ({ id }) => <LastDayStrip subscription={id} /> },
  timeColumn('failingSince', 'Failing since', ({ failingSince }) => failingSince),
  timeColumn('createdAt', 'Created', ({ createdAt }) => createdAt),
]

export function WebhooksPage() {
  const place = usePlace()
  const { data, error, refetch } = useQuery(subscriptionsQuery(place))
  const refusal = useRefusal('webhooks.change')
  const [isMaking, setMaking] = useState(false)
  const subscribe = (
    <Button tone="primary" disabledReason={refusal} onClick={() => setMaking(true)}>
      Add subscription
    </Button>
  )
  return (
    <>
      <PageHead
        title="Webhooks"
        says="We send a signed HTTP POST to each address when an event occurs."
        actions={subscribe}
      />
      <DataTable
        label="Subscriptions"
        columns={columns}
        rows={data}
        failure={error}
        onRetry={() => void refetch()}
        keyOf={({ id }) => id}
        linkOf={({ id }) => paths.webhook(place, id)}
        empty={<NoWebhooks>{subscribe}</NoWebhooks>}
      />
      {isMaking ? <NewSubscription onClose={() => setMaking(false)} /> : null}
    </>
  )
}

function NoWebhooks({ children }: { children: ReactNode }) {
  const { environment } = usePlace()
  return (
    <EmptyState
      title="No webhooks yet"
      says={
        <Stack>
          <p>Add the address of your server. It receives each event within seconds.</p>
          {environment === 'staging' ? (
            <>
              <p>To receive events on your laptop, no subscription is needed:</p>
              <CopyField text="npx manilla listen --forward-to http://localhost:3000/webhooks" />
            </>
          ) : null}
        </Stack>
      }
    >
      {children}
    </EmptyState>
  )
}
