// One delivery: every attempt with the receiver's response, the cause of a failure, and the exact body.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { deliveryQuery, statusOfDelivery, type DeliveryDetails } from '#api/deliveries.ts'
import { paths } from '#shell/paths.ts'
import { useParam, usePlace } from '#shell/place.ts'
import { RecordFailure } from '#shell/record-failure.tsx'
import { CopyButton } from '#ui/copy.tsx'
import { Detail, Facts, PageHead, Panel, Row, Section } from '#ui/layout.tsx'
import { useNow } from '#ui/now.ts'
import { Notice, SkeletonLines } from '#ui/states.tsx'
import { Status } from '#ui/status.tsx'
import { Code, Id, Json, Time } from '#ui/values.tsx'
import { Attempts } from './attempts.tsx'
import { RetryButton } from './retry-button.tsx'
import { refusesSignature, whyItFailed } from './why-failed.ts'

export function DeliveryPage() {
  const place = usePlace()
  const id = useParam('id')
  const { data, error, refetch } = useQuery(deliveryQuery(place, id))
  if (data !== undefined) return <OneDelivery delivery={data} />
  if (error === null) return <SkeletonLines lines={10} />
  return (
    <RecordFailure
      error={error}
      noun="delivery"
      reference={id}
      pathIn={(other) => paths.delivery(other, id)}
      onRetry={() => void refetch()}
    />
  )
}

function OneDelivery({ delivery }: { delivery: DeliveryDetails }) {
  const { eventType, status, url, attempts, body, headers, curl } = delivery
  return (
    <>
      <PageHead
        title={
          <Row>
            {eventType}
            <Status status={statusOfDelivery(delivery)} />
          </Row>
        }
        says={`To ${url}`}
        actions={
          <>
            {curl === null ? null : <CopyButton text={curl} label="Copy as curl" />}
            <RetryButton delivery={delivery} />
          </>
        }
      />
      <Detail aside={<DeliveryFacts delivery={delivery} />}>
        {status === 'delivered' ? null : <WhyItFailed delivery={delivery} />}
        <Section title="Attempts">
          <Attempts attempts={attempts} />
        </Section>
        <Section title="Body" actions={<CopyButton text={body} label="Copy body" />}>
          <Json label="Body as sent" text={body} />
        </Section>
        {headers === null ? null : (
          <Section title="Headers">
            <Code label="Headers as sent">
              {Object.entries(headers)
                .map(([name, value]) => `${name}: ${value}`)
                .join('\n')}
            </Code>
          </Section>
        )}
      </Detail>
    </>
  )
}

function WhyItFailed({ delivery: { attempts, secretHint } }: { delivery: DeliveryDetails }) {
  const last = attempts.findLast(({ statusCode, error }) => statusCode !== null || error !== null)
  const why = last === undefined ? undefined : whyItFailed(last)
  if (why === undefined) return null
  return (
    <Notice tone="asks">
      <strong>Why did it fail?</strong> {why}
      {secretHint === null || !refusesSignature.includes(last?.statusCode ?? 0) ? null : (
        <> Attempts are signed with the secret that ends in {secretHint.split('…')[1]}.</>
      )}
    </Notice>
  )
}

function DeliveryFacts({ delivery }: { delivery: DeliveryDetails }) {
  const place = usePlace()
  return (
    <Panel>
      <Facts
        facts={[
          [
            'Subscription',
            <Link key="to" to={paths.webhook(place, delivery.subscriptionId)}>
              {delivery.url}
            </Link>,
          ],
          ['Created', <Time key="created" at={delivery.createdAt} ago />],
          delivery.nextAttemptAt === null
            ? undefined
            : ['Next attempt', <NextAttempt key="next" at={delivery.nextAttemptAt} />],
          ['Event', <Id key="event" id={delivery.eventId} />],
        ]}
      />
    </Panel>
  )
}

/** A failing address gets few attempts at once, so its due deliveries wait for each other. */
function NextAttempt({ at }: { at: string }) {
  return Date.parse(at) > useNow() ? <Time at={at} ago /> : 'Due. It waits for other attempts at this address.'
}
