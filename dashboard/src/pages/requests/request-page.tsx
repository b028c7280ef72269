// One complete API request, with a link to the page of its error.

import { useQuery } from '@tanstack/react-query'
import { hasRefusedItems, requestQuery, type ApiRequest } from '#api/requests.ts'
import { paths } from '#shell/paths.ts'
import { useParam, usePlace } from '#shell/place.ts'
import { Way } from '#shell/way.tsx'
import { buttonLook } from '#ui/button.tsx'
import { Copyable } from '#ui/copy.tsx'
import { Facts, type Fact, PageHead, Row, Section, Stack } from '#ui/layout.tsx'
import { EmptyState, ErrorState, Notice, SkeletonLines } from '#ui/states.tsx'
import { Json, Time } from '#ui/values.tsx'
import { StatusCode } from './status-code.tsx'

export function RequestPage() {
  const requestId = useParam('requestId')
  const place = usePlace()
  const { data, error, refetch } = useQuery(requestQuery(place, requestId))
  if (data === undefined && error === null) return <SkeletonLines />
  if (data === undefined) return <ErrorState isPage failure={error} onRetry={() => void refetch()} />
  if (data.requests.length === 0) {
    return (
      <EmptyState
        isPage
        title="No such request"
        says={`No request of ${place.environment} has this id in the last ${data.keptDays} days. A busy minute keeps only some of its requests.`}
      />
    )
  }
  return (
    <>
      <PageHead title="Request" says={<Copyable text={requestId} what="the request id" children={requestId} />} />
      <Stack isWide>
        {data.requests.map((request) => (
          <OneRequest key={request.id} request={request} />
        ))}
      </Stack>
    </>
  )
}

function OneRequest({ request }: { request: ApiRequest }) {
  const { method, route, status, errorCode, reference, key, durationMs, at, address, agent, body, faults } = request
  return (
    <Section title={`${method} ${route}`}>
      <Stack>
        {errorCode === null ? null : (
          <Notice tone="asks" action={<ErrorLink code={errorCode} />}>
            The answer was {status} {errorCode}.
          </Notice>
        )}
        {hasRefusedItems(request) ? (
          <Notice tone="asks" action={<RefusedLinks faults={faults} />}>
            The answer was {status}, and some of its items were refused. Items are counted from 0.
          </Notice>
        ) : null}
        {faults.length === 0 ? null : <Facts facts={factsOf(faults)} />}
        <Facts
          facts={[
            ['Status', <StatusCode key="status" status={status} />],
            ['Time', <Time key="time" at={at} ago />],
            ['Took', `${durationMs} ms`],
            reference === null
              ? undefined
              : ['Reference', <Copyable key="reference" text={reference} what="the reference" children={reference} />],
            ['Key', <KeyLink key="key" id={key} />],
            ['Address', address],
            agent === '' ? undefined : ['Program', agent],
          ]}
        />
        {body === null ? null : <Json label="Body, with its values masked" text={JSON.stringify(body)} />}
      </Stack>
    </Section>
  )
}

/** A message begins with the name of its field, which the page already shows beside it. */
function factsOf(faults: ApiRequest['faults']): Fact[] {
  const reasonOf = ({ field, message, errorCode }: ApiRequest['faults'][number]): string => {
    const reason = message.startsWith(`${field} `) ? message.slice(field.length + 1) : message
    return errorCode === undefined ? reason : `${errorCode}: ${reason}`
  }
  return [...Map.groupBy(faults, ({ field }) => field)].map(([field, all]) => [field, all.map(reasonOf).join('; ')])
}

function RefusedLinks({ faults }: { faults: ApiRequest['faults'] }) {
  const codes = new Set(faults.map(({ errorCode }) => errorCode).filter((code) => code !== undefined))
  return (
    <Row>
      {[...codes].map((code) => (
        <ErrorLink key={code} code={code} says={code} />
      ))}
    </Row>
  )
}

function ErrorLink({ code, says = 'Read what it means' }: { code: string; says?: string }) {
  return (
    <a
      className={buttonLook({ isSmall: true })}
      href={`/docs/errors#${code.toLowerCase()}`}
      target="_blank"
      rel="noopener"
    >
      {says}
    </a>
  )
}

function KeyLink({ id }: { id: string }) {
  return <Way href={`/dashboard${paths.keys(usePlace())}`}>{id}</Way>
}
