// The buttons that pause, resume, skip and end an approved schedule.

import { useState } from 'react'
import type { DraftDetail } from '#api/drafts.ts'
import { actOnSchedule, sayRunTime, type ScheduleAct } from '#api/schedules.ts'
import { formatMoney } from '#format/money.ts'
import { dayMs } from '#format/time.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { Button } from '#ui/button.tsx'
import { Confirm } from '#ui/confirm.tsx'

type Question = {
  act: ScheduleAct
  verb: string
  says: string
  tone: 'primary' | 'danger'
  /** The run that the question names. Null: it is about the schedule. */
  runAt: string | null
}
export type ShownSchedule = NonNullable<DraftDetail['schedule']>

export function ScheduleActions({ draft, schedule }: { draft: DraftDetail; schedule: ShownSchedule }) {
  const place = usePlace()
  const refresh = useRefresh()
  const refusal = useRefusal('payouts.propose')
  const [asked, setAsked] = useState<Question>()
  return (
    <>
      {questionsOf(draft, schedule).map((question) => (
        <Button
          key={question.act}
          tone={question.act === 'run' ? 'primary' : 'plain'}
          disabledReason={refusal}
          onClick={() => setAsked(question)}
        >
          {question.verb}
        </Button>
      ))}
      {asked === undefined ? null : (
        <Confirm
          title={`${asked.verb}?`}
          verb={asked.verb}
          tone={asked.tone}
          isStaging={place.environment === 'staging'}
          onConfirm={async () => {
            await actOnSchedule(place, draft.id, asked.act, asked.runAt)
            await refresh()
          }}
          onClose={() => setAsked(undefined)}
        >
          <p>{asked.says}</p>
        </Confirm>
      )}
    </>
  )
}

function questionsOf({ total, currency }: DraftDetail, schedule: ShownSchedule): Question[] {
  const { state, nextAt, skipAt } = schedule
  const [next = '', skipped = ''] = [nextAt, skipAt].map((at) => (at === null ? '' : `${sayRunTime(at)} in Lagos`))
  const end = ask('end', 'End schedule', 'No further run is paid. Payments that were made stay.', 'danger')
  const skip = ask('skip', 'Skip next run', `The run of ${skipped} is not paid. Later runs are.`, 'danger', skipAt)
  switch (state) {
    case 'active':
      return [end, skip, ask('pause', 'Pause schedule', 'No run is paid until a person resumes it.', 'primary')]
    case 'paused':
      return [end, skip, ask('resume', 'Resume schedule', sayResumed(schedule, next), 'primary')]
    case 'late':
      return [
        end,
        ask('skip', 'Skip late run', `The run of ${skipped} is not paid.`, 'danger', skipAt),
        ask('run', 'Send late run', `The run of ${next} pays ${formatMoney(total, currency)} now.`, 'primary', nextAt),
      ]
    case 'unreadable':
      return [end]
    case 'waiting':
    case 'ended':
    case 'rejected':
    case 'expired':
      return []
  }
}

/** The run of a schedule that was paused at its time is made at once, and one that is a day late waits for a person. */
function sayResumed({ nextAt, approval }: ShownSchedule, next: string): string {
  const lateMs = nextAt === null ? 0 : Date.now() - Date.parse(nextAt)
  if (lateMs < 0) return `The next run is at ${next}.`
  if (lateMs > dayMs)
    return `The run of ${next} is more than a day late. After you resume the schedule, you can send it or skip it.`
  const follows = approval === 'each' ? 'needs approval' : 'is sent'
  return `The run of ${next} is due. It ${follows} as soon as you resume the schedule.`
}

function ask(
  act: ScheduleAct,
  verb: string,
  says: string,
  tone: Question['tone'],
  runAt: string | null = null,
): Question {
  return { act, verb, says, tone, runAt }
}
