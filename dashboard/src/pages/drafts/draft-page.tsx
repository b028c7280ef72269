// One draft: payees and amounts, differences from earlier payouts, and the actions of this person.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { draftQuery, shownStatus, type DraftDetail } from '#api/drafts.ts'
import { sayNextRun, sayRepeats, sayRunTime } from '#api/schedules.ts'
import type { Place } from '#api/client.ts'
import { countOf } from '#format/ids.ts'
import { formatMoney } from '#format/money.ts'
import { sayMoney } from '#format/money-words.ts'
import { paths } from '#shell/paths.ts'
import { useParam, usePlace } from '#shell/place.ts'
import { RecordFailure } from '#shell/record-failure.tsx'
import { buttonLook } from '#ui/button.tsx'
import { Detail, Facts, PageHead, Panel, Row, Stack, type Fact } from '#ui/layout.tsx'
import { Notice, SkeletonLines } from '#ui/states.tsx'
import { Status } from '#ui/status.tsx'
import { CurrencyProvider, Id, Money, Time } from '#ui/values.tsx'
import { DraftActions } from './draft-actions.tsx'
import { DraftProgress } from './draft-progress.tsx'
import { DraftRows, flagsOf } from './draft-rows.tsx'
import { WrongRowsFile } from './wrong-rows-file.tsx'
import styles from './drafts.module.css'

/** The target of links to rows, on a page that is longer than a phone's screen. */
const rowsId = 'rows'

export function DraftPage() {
  const place = usePlace()
  const id = useParam('id')
  const { data, error, refetch } = useQuery(draftQuery(place, id))
  if (data !== undefined) return <Draft draft={data} />
  if (error === null) return <SkeletonLines lines={10} />
  return (
    <RecordFailure
      error={error}
      noun="draft"
      reference={id}
      pathIn={(other) => paths.draft(other, id)}
      onRetry={() => void refetch()}
    />
  )
}

function Draft({ draft }: { draft: DraftDetail }) {
  return (
    <CurrencyProvider currency={draft.currency}>
      <PageHead
        title={
          <Row>
            <span>{draft.title}</span>
            <Status status={draft.schedule?.state ?? shownStatus(draft, Date.now())} />
          </Row>
        }
        says={sayNext(draft)}
        actions={<DraftActions draft={draft} />}
      />
      <Detail aside={<DraftFacts draft={draft} />}>
        <Stack>
          <Warnings draft={draft} />
          <DraftProgress draft={draft} />
          <div id={rowsId} className={styles.rows}>
            <DraftRows draft={draft} />
          </div>
        </Stack>
      </Detail>
    </CurrencyProvider>
  )
}

/** Undefined: the status already says everything. */
function saySchedule({ status, schedule, runAt, heldSince }: DraftDetail): string | undefined {
  if (status === 'done')
    return schedule === null ? undefined : 'This schedule has ended. Its runs have their own pages.'
  if (status !== 'approved') return undefined
  if (heldSince !== null)
    return 'The balance does not cover this run. It is sent if the balance covers it within a day.'
  switch (schedule?.state) {
    case undefined:
      return runAt !== null && Date.parse(runAt) > Date.now()
        ? `It is sent at ${sayRunTime(runAt)} in Lagos.`
        : undefined
    case 'late':
      return 'A run is more than a day late. Send it or skip it.'
    case 'unreadable':
      return 'The rows cannot be paid as they were approved. Change them or end the schedule.'
    case 'paused':
      return 'No run is paid until a person resumes the schedule.'
    case 'active':
    case 'waiting':
    case 'ended':
    case 'rejected':
    case 'expired':
      return 'Each run is a payout of its own under Approvals.'
  }
}

/** The name under which the service rejects a draft. */
const serviceName = 'manilla'

function sayNext(draft: DraftDetail): string {
  const { status, isYours, maker, rejectedBy, reason, approvals, approvalsNeeded } = draft
  const ofSchedule = saySchedule(draft)
  if (ofSchedule !== undefined) return ofSchedule
  switch (status) {
    case 'editing':
      return isYours ? 'Check the rows, then send the draft.' : `${maker} is still preparing this draft.`
    case 'waiting': {
      const left = (approvalsNeeded ?? 1) - approvals.length
      return isYours
        ? `Waits for the approval of ${countOf(left, 'other person', 'other people')}.`
        : `${maker} asks for your approval. Nothing is sent before.`
    }
    case 'expired':
      return 'There was no decision within 72 hours. The person who made it can submit it again.'
    case 'approved':
      return 'The payouts are being sent. You can close this page.'
    case 'done':
      return 'All rows were processed.'
    case 'rejected':
      if (rejectedBy === serviceName)
        return `The service stopped it. ${reason ?? ''} ${isYours ? 'Choose “Edit again” to send it or to discard it.' : `${maker} can edit and submit it again.`}`
      return `${rejectedBy ?? 'A person'} rejected it: ${reason ?? ''}`
  }
}

function scheduleFacts({ schedule, scheduleId, id, runAt }: DraftDetail, place: Place): (Fact | undefined)[] {
  if (schedule !== null) {
    const next = sayNextRun(schedule)
    return [
      ['Repeats', sayRepeats(schedule)],
      next === undefined ? undefined : ['Next run in Lagos', next],
      ['Approval', schedule.approval === 'each' ? 'Before each run' : 'Once'],
    ]
  }
  if (scheduleId === null || scheduleId === id || runAt === null) return []
  return [
    ['To be paid', `${sayRunTime(runAt)} in Lagos`],
    [
      'Schedule',
      <Link key="schedule" to={paths.draft(place, scheduleId)}>
        View schedule
      </Link>,
    ],
  ]
}

function DraftFacts({ draft }: { draft: DraftDetail }) {
  const place = usePlace()
  const { total, fees, rows, largest, maker, isYours, submittedAt, expiresAt, approvals, approvalsNeeded } = draft
  const after = draft.available === null ? null : draft.available - total - fees
  const isOpen = draft.status === 'editing' || draft.status === 'waiting'
  return (
    <Panel>
      <Facts
        facts={[
          ['Total', <Money key="total" kobo={total} />],
          ['In words', sayMoney(total, draft.currency)],
          ['Fees', <Money key="fees" kobo={fees} />],
          isOpen && after !== null ? ['Balance after', <Money key="after" kobo={after} />] : undefined,
          ['Recipients', rows.toLocaleString('en-NG')],
          rows > 1 ? ['Largest', <Money key="largest" kobo={largest} />] : undefined,
          ...scheduleFacts(draft, place),
          ['Made by', isYours ? 'You' : maker],
          submittedAt === null ? undefined : ['Submitted', <Time key="submitted" at={submittedAt} ago />],
          draft.status === 'waiting' ? ['Expires', <Time key="expires" at={expiresAt} />] : undefined,
          approvalsNeeded === null || approvalsNeeded === 0
            ? undefined
            : ['Approvals', `${approvals.length} of ${approvalsNeeded}`],
          ...approvals.map(approvalFact),
          draft.completedAt === null ? undefined : ['Completed', <Time key="completed" at={draft.completedAt} ago />],
          ['Id', <Id key="id" id={draft.id} />],
        ]}
      />
    </Panel>
  )
}

function approvalFact({ name, at }: { name: string; at: string }, index: number): [string, ReactNode] {
  const said = (
    <>
      {name}, <Time at={at} />
    </>
  )
  return [index === 0 ? 'Approved by' : 'And by', said]
}

function Warnings({ draft }: { draft: DraftDetail }) {
  const { available, total, fees, rows, status, wrongRows, currency } = draft
  const say = (amount: number): string => formatMoney(amount, currency)
  const place = usePlace()
  if (status !== 'editing' && status !== 'waiting') return null
  const flags = flagsOf(draft)
  const short = available !== null && available < total + fees
  return (
    <>
      {rows < 2 ? null : (
        <p>
          {say(total)} to {countOf(rows, 'recipient')}, and {say(fees)} in fees.
          {available === null ? '' : ` The balance after is ${say(available - total - fees)}.`}
        </p>
      )}
      {wrongRows === 0 ? null : (
        <Notice tone="failed" action={<WrongRowsFile draft={draft} />}>
          {countOf(wrongRows, 'row has an error', 'rows have errors')}. Correct or remove{' '}
          {wrongRows === 1 ? 'it' : 'them'}.
        </Notice>
      )}
      {short ? (
        <Notice tone="asks">
          {say(available)} is available, which does not cover {say(total + fees)}. Rows that the balance does not cover
          would be refused.
        </Notice>
      ) : null}
      {flags.length === 0 ? null : (
        <Notice tone="asks">
          Check before you go on:
          <ul className={styles.flags}>
            {flags.map(({ value, label }) => (
              <li key={value}>
                <Row>
                  {label}
                  {rows < 2 ? null : (
                    <Link
                      to={paths.draft(place, draft.id)}
                      search={{ only: value }}
                      hash={rowsId}
                      className={buttonLook({ isSmall: true })}
                      aria-label={`View: ${label}`}
                    >
                      View
                    </Link>
                  )}
                </Row>
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  )
}
