// For operators: rails, review items and pauses of all businesses.

import { useQuery } from '@tanstack/react-query'
import { operationsQuery } from '#api/operations.ts'
import { countOf } from '#format/ids.ts'
import { useMe } from '#shell/place.ts'
import { PageHead, Section, Stack } from '#ui/layout.tsx'
import { EmptyState, ErrorState, Notice, SkeletonLines } from '#ui/states.tsx'
import { Findings } from './findings.tsx'
import { Pauses } from './pauses.tsx'
import { Rails } from './rails.tsx'
import { DueWork, Throughput } from './workload.tsx'

export function OperationsPage() {
  const { isOperator } = useMe().person
  if (!isOperator) {
    return (
      <EmptyState
        isPage
        title="Only for operators"
        says="This page shows the whole installation. To make a person an operator, run: npx manilla people operator EMAIL on"
      />
    )
  }
  return (
    <>
      <PageHead title="Operations" says="This installation, over all its businesses." />
      <Overview />
    </>
  )
}

function Overview() {
  const { data, error, refetch } = useQuery(operationsQuery)
  if (data === undefined) {
    return error === null ? (
      <SkeletonLines lines={8} />
    ) : (
      <ErrorState isPage failure={error} onRetry={() => void refetch()} />
    )
  }
  const { backlog, ended, rails, exceptions, exceptionsTotal, breaks, notices, pauses } = data
  return (
    <Stack isWide>
      {notices.stuck === 0 ? null : (
        <Notice tone="asks">
          {countOf(notices.stuck, 'notification')} of providers could not be processed. To see why, run: npx manilla
          rails notices
        </Notice>
      )}
      <Section title="To review">
        <Findings list="exceptions" findings={exceptions} />
        {exceptionsTotal > exceptions.length ? (
          <p>{countOf(exceptionsTotal, 'item')} in all. These are the oldest.</p>
        ) : null}
      </Section>
      <Section title="Reconciliation mismatches">
        <Findings list="breaks" findings={breaks} />
      </Section>
      <Section title="Rails">
        <Rails rails={rails} />
      </Section>
      <Section title="Due work">
        <DueWork backlog={backlog} />
      </Section>
      <Section title="Throughput">
        <Throughput ended={ended} />
      </Section>
      <Section title="Paused payouts">
        <Pauses pauses={pauses} />
      </Section>
    </Stack>
  )
}
