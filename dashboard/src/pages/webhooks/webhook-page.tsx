// One subscription: its events, its health, and its actions.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiFailure, failureOf } from '#api/failure.ts'
import type { WebhookSubscription } from '#api/schema.ts'
import { changeSubscription, stateOf, subscriptionsQuery } from '#api/webhooks.ts'
import { LastDay } from './last-day.tsx'
import { paths } from '#shell/paths.ts'
import { useParam, usePlace, useRefusal } from '#shell/place.ts'
import { RecordFailure } from '#shell/record-failure.tsx'
import { useRefresh } from '#shell/refresh.ts'
import { Button } from '#ui/button.tsx'
import { Facts, PageHead, Row, Section, Stack } from '#ui/layout.tsx'
import { Notice, SkeletonLines } from '#ui/states.tsx'
import { Status } from '#ui/status.tsx'
import { useSay } from '#ui/say.ts'
import { Id, Time } from '#ui/values.tsx'
import { SubscriptionActions } from './subscription-actions.tsx'

export function WebhookPage() {
  const place = usePlace()
  const id = useParam('id')
  const { data, error, refetch } = useQuery(subscriptionsQuery(place))
  const subscription = data?.find((one) => one.id === id)
  if (subscription !== undefined) return <OneSubscription subscription={subscription} />
  if (data === undefined && error === null) return <SkeletonLines lines={8} />
  return (
    <RecordFailure
      error={error ?? new ApiFailure({ status: 404, code: 'NOT_FOUND', message: 'There is no such subscription.' })}
      noun="subscription"
      reference={id}
      pathIn={(other) => paths.webhook(other, id)}
      onRetry={() => void refetch()}
    />
  )
}

function OneSubscription({ subscription }: { subscription: WebhookSubscription }) {
  const place = usePlace()
  const { id, url, events, status, failingSince, oldSecretExpiresAt } = subscription
  return (
    <>
      <PageHead
        title={
          <Row>
            {url}
            <Status status={stateOf(subscription)} />
          </Row>
        }
        actions={<SubscriptionActions subscription={subscription} />}
      />
      <Stack isWide>
        {status === 'disabled' ? <Disabled subscription={subscription} /> : null}
        {failingSince === null || status === 'disabled' ? null : (
          <Notice tone="asks">
            All deliveries have failed since <Time at={failingSince} ago />. After five days it is disabled.
          </Notice>
        )}
        <Section title="Subscription">
          <Facts
            facts={[
              ['Secret', subscription.secretHint],
              oldSecretExpiresAt === null
                ? undefined
                : [
                    'Previous secret',
                    <span key="old">
                      Also signs until <Time at={oldSecretExpiresAt} ago />
                    </span>,
                  ],
              ['Created', <Time key="created" at={subscription.createdAt} ago />],
              ['Changed', <Time key="changed" at={subscription.updatedAt} ago />],
              ['Id', <Id key="id" id={id} />],
            ]}
          />
        </Section>
        <Section title="Events">
          <ul>
            {events.map((event) => (
              <li key={event}>{event}</li>
            ))}
          </ul>
        </Section>
        <Section
          title="Last 24 hours"
          actions={
            <Link to={paths.deliveries(place)} search={{ subscription: id }}>
              All deliveries
            </Link>
          }
        >
          <LastDay subscription={id} />
        </Section>
      </Stack>
    </>
  )
}

const reasons = {
  GONE: 'The receiver answered 410 Gone.',
  FAILING: 'All deliveries failed for five days.',
}

function Disabled({ subscription }: { subscription: WebhookSubscription }) {
  const place = usePlace()
  const refresh = useRefresh()
  const refusal = useRefusal('webhooks.change')
  const say = useSay()
  const [isBusy, setBusy] = useState(false)
  const { id, disabledReason } = subscription
  async function enable(): Promise<void> {
    setBusy(true)
    try {
      await changeSubscription(place, id, { status: 'active' })
      await refresh()
    } catch (error) {
      say(failureOf(error).message)
    } finally {
      setBusy(false)
    }
  }
  const says = disabledReason === null ? 'A user disabled it.' : reasons[disabledReason]
  return (
    <Notice
      tone="failed"
      action={
        <Button isBusy={isBusy} disabledReason={refusal} onClick={() => void enable()}>
          Enable subscription
        </Button>
      }
    >
      {says} Its events are still recorded. When it is enabled again, a retry sends the deliveries that it missed.
    </Notice>
  )
}
