// The actions on a draft: its maker submits, withdraws and discards it; others approve and reject it.

import { useNavigate } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  approveDraft,
  discardDraft,
  duplicatesOf,
  needsApproval,
  policyQuery,
  rejectDraft,
  retryDraft,
  submitDraft,
  withdrawDraft,
  type DraftDetail,
} from '#api/drafts.ts'
import { sayRepeats, sayRunTime } from '#api/schedules.ts'
import { LongTextField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { countOf } from '#format/ids.ts'
import { formatMoney } from '#format/money.ts'
import { sayMoney } from '#format/money-words.ts'
import { paths } from '#shell/paths.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { useSearchState } from '#table/filters.ts'
import { Button } from '#ui/button.tsx'
import { Confirm } from '#ui/confirm.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { useKeys } from '#ui/keys.ts'
import { useSay } from '#ui/say.ts'
import { ScheduleActions, type ShownSchedule } from './schedule-actions.tsx'
import { ScheduleDialog } from './schedule-dialog.tsx'

type ActionProps = { draft: DraftDetail }

export function DraftActions({ draft }: ActionProps) {
  switch (draft.status) {
    case 'editing':
      return draft.isYours ? <MakerActions draft={draft} /> : null
    case 'waiting':
      return draft.isYours ? <TakeBack draft={draft} verb="Take back" /> : <Decision draft={draft} />
    case 'expired':
    case 'rejected':
      return draft.isYours ? <TakeBack draft={draft} verb="Edit again" /> : null
    case 'approved':
      return draft.schedule === null ? null : <OfSchedule draft={draft} schedule={draft.schedule} />
    case 'done':
      return <SendFailedAgain draft={draft} />
  }
}

function MakerActions({ draft }: ActionProps) {
  const place = usePlace()
  const navigate = useNavigate()
  const [asked, setAsked] = useState<'submit' | 'discard' | 'schedule' | undefined>(
    useSearchState()[0]['schedule'] === undefined ? undefined : 'schedule',
  )
  const refusal = useRefusal('payouts.propose')
  const { data } = useQuery(policyQuery(place))
  const isDraft = data !== undefined && needsApproval(data.policy, draft.total, draft.currency)
  // The terms of its schedule also decide if a run needs approval, so the button for a run says "Submit run".
  const unapproved = draft.scheduleId === null ? `Send ${formatMoney(draft.total, draft.currency)}` : 'Submit run'
  const verb = isDraft ? 'Submit for approval' : unapproved
  const wrong = draft.wrongRows === 0 ? undefined : 'Correct or remove the rows with errors first.'
  const empty = draft.rows === 0 ? 'There is no row.' : undefined
  return (
    <>
      <Button onClick={() => setAsked('discard')}>Discard</Button>
      {draft.scheduleId === null ? (
        <Button disabledReason={refusal ?? empty ?? wrong} onClick={() => setAsked('schedule')}>
          Schedule
        </Button>
      ) : null}
      <Button tone="primary" disabledReason={refusal ?? empty ?? wrong} onClick={() => setAsked('submit')}>
        {verb}
      </Button>
      {asked === 'submit' ? <Submit draft={draft} verb={verb} onClose={() => setAsked(undefined)} /> : null}
      {asked === 'schedule' ? <ScheduleDialog draft={draft} onClose={() => setAsked(undefined)} /> : null}
      {asked === 'discard' ? (
        <Confirm
          title="Discard this draft?"
          verb="Discard draft"
          onConfirm={async () => {
            await discardDraft(place, draft.id)
            await navigate({ to: paths.approvals(place), search: { tab: 'mine' } })
          }}
          onClose={() => setAsked(undefined)}
        >
          <p>The draft and its {countOf(draft.rows, 'row')} are deleted. Nothing was sent.</p>
        </Confirm>
      ) : null}
    </>
  )
}

/** The maker of the schedule can also withdraw it, which stops it. */
function OfSchedule({ draft, schedule }: ActionProps & { schedule: ShownSchedule }) {
  return (
    <>
      <ScheduleActions draft={draft} schedule={schedule} />
      {draft.isYours ? <TakeBack draft={draft} verb="Change schedule" /> : null}
    </>
  )
}

/** The server refuses rows that may pay an account twice until the person confirms how many there are. */
function Submit({ draft, verb, onClose }: ActionProps & { verb: string; onClose: () => void }) {
  const place = usePlace()
  const refresh = useRefresh()
  const [duplicates, setDuplicates] = useState(0)
  async function submit(): Promise<void> {
    try {
      await submitDraft(place, draft.id, duplicates)
    } catch (error) {
      const found = duplicatesOf(error)
      if (found !== undefined) setDuplicates(found)
      throw error
    }
    await refresh()
  }
  return (
    <Confirm
      key={duplicates}
      title={verb}
      verb={duplicates === 0 ? verb : `${verb}, ${countOf(duplicates, 'possible duplicate')} included`}
      tone="primary"
      isStaging={place.environment === 'staging'}
      onConfirm={submit}
      onClose={onClose}
    >
      <p>
        {formatMoney(draft.total, draft.currency)} to {countOf(draft.rows, 'recipient')}:{' '}
        {sayMoney(draft.total, draft.currency)}.
      </p>
      {duplicates === 0 ? null : (
        <p>
          {countOf(duplicates, 'row pays', 'rows pay')} an account that gets the same amount in another row, in another
          draft or within 24 hours. Choose “To check” in the list to see them.
        </p>
      )}
    </Confirm>
  )
}

function TakeBack({ draft, verb }: ActionProps & { verb: string }) {
  const place = usePlace()
  const refresh = useRefresh()
  const refusal = useRefusal('payouts.propose')
  const [isAsked, setAsked] = useState(false)
  return (
    <>
      <Button disabledReason={refusal} onClick={() => setAsked(true)}>
        {verb}
      </Button>
      {isAsked ? (
        <Confirm
          title={`${verb}?`}
          verb={verb}
          tone="primary"
          onConfirm={async () => {
            await withdrawDraft(place, draft.id)
            await refresh()
          }}
          onClose={() => setAsked(false)}
        >
          <p>
            You can change the draft and submit it again. Approvals that it has are void
            {draft.schedule === null ? '' : ', and no run is paid before you schedule it again'}.
          </p>
        </Confirm>
      ) : null}
    </>
  )
}

function Decision({ draft }: ActionProps) {
  const place = usePlace()
  const refresh = useRefresh()
  const refusal = useRefusal('payouts.approve')
  const [asked, setAsked] = useState<{ what: 'approve'; shown: DraftDetail } | { what: 'reject' }>()
  const isDone = draft.approvals.some(({ isYours }) => isYours)
  const whyNot = refusal ?? (isDone ? 'You approved it. Another person must approve it too.' : undefined)
  // Keeps the draft that the person sees now, because its maker may change it while the dialog is open.
  const askToApprove = (): void => setAsked({ what: 'approve', shown: draft })
  const askToReject = (): void => setAsked({ what: 'reject' })
  useKeys({
    a: () => (whyNot === undefined ? askToApprove() : undefined),
    r: () => (refusal === undefined ? askToReject() : undefined),
  })
  const close = (): void => setAsked(undefined)
  return (
    <>
      <Button disabledReason={refusal} onClick={askToReject}>
        Reject
      </Button>
      <Button tone="primary" disabledReason={whyNot} onClick={askToApprove}>
        Approve {formatMoney(draft.total, draft.currency)}
      </Button>
      {asked?.what === 'approve' ? <Approve draft={asked.shown} onClose={close} /> : null}
      {asked?.what === 'reject' ? (
        <Dialog title="Reject this payout" onClose={close}>
          <Form
            submit="Reject payout"
            tone="danger"
            onCancel={close}
            onSubmit={async ({ reason = '' }) => {
              await rejectDraft(place, draft.id, reason)
              await refresh()
              close()
            }}
          >
            <LongTextField name="reason" label="Reason" hint={`${draft.maker} reads this.`} autoComplete="off" />
          </Form>
        </Dialog>
      ) : null}
    </>
  )
}

/** The server refuses the approval if the draft has changed since it was shown. */
function Approve({ draft, onClose }: ActionProps & { onClose: () => void }) {
  const place = usePlace()
  const refresh = useRefresh()
  const say = useSay()
  async function approve(): Promise<void> {
    const { status } = await approveDraft(place, draft.id, draft.hash ?? '')
    say(`Approved. ${status === 'waiting' ? 'One more approval is needed' : whatFollows(draft)}`)
    await refresh()
  }
  return (
    <Confirm
      title="Approve this payout?"
      verb={`Approve ${formatMoney(draft.total, draft.currency)}`}
      tone="primary"
      isStaging={place.environment === 'staging'}
      onConfirm={approve}
      onClose={onClose}
    >
      <p>
        {formatMoney(draft.total, draft.currency)} to {countOf(draft.rows, 'recipient')}:{' '}
        {sayMoney(draft.total, draft.currency)}. Made by {draft.maker}.
        {draft.schedule === null ? '' : ` At each run: ${sayRepeats(draft.schedule)}.`}
      </p>
    </Confirm>
  )
}

function whatFollows({ schedule, runAt }: DraftDetail): string {
  if (schedule !== null) return 'The schedule is active'
  return runAt === null ? 'The payouts are being sent' : `The payouts are sent at ${sayRunTime(runAt)} in Lagos`
}

function SendFailedAgain({ draft }: ActionProps) {
  const place = usePlace()
  const navigate = useNavigate()
  const refusal = useRefusal('payouts.propose')
  const say = useSay()
  const [isBusy, setBusy] = useState(false)
  const hasFailed = draft.progress.some(({ outcome, status }) => outcome === 'refused' || status === 'FAILED')
  if (!hasFailed) return null
  async function retry(): Promise<void> {
    setBusy(true)
    try {
      const { id } = await retryDraft(place, draft.id)
      await navigate({ to: paths.draft(place, id) })
    } catch (error) {
      say(error instanceof Error ? error.message : String(error))
    }
    setBusy(false)
  }
  return (
    <Button isBusy={isBusy} disabledReason={refusal} onClick={() => void retry()}>
      Make a draft of the failed rows
    </Button>
  )
}
