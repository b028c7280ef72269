// Schedules a draft: it is paid once at a time, or every week or month.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { duplicatesOf, needsApproval, policyQuery, type DraftDetail } from '#api/drafts.ts'
import { scheduleDraft, type Repeats } from '#api/schedules.ts'
import { DateField, dayOf, SelectField, TextField } from '#form/fields.tsx'
import { Form, unsent, type Values } from '#form/form.tsx'
import { countOf } from '#format/ids.ts'
import { formatMoney } from '#format/money.ts'
import { dateIn, stepDay } from '#format/time.ts'
import { usePlace } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { Dialog } from '#ui/dialog.tsx'
import { Checkbox } from '#ui/field.tsx'
import { Notice } from '#ui/states.tsx'

const lagos = 'Africa/Lagos'

const repeatsChoices = [
  { value: 'never', label: 'Once' },
  { value: 'weekly', label: 'Every week' },
  { value: 'monthly', label: 'Every month' },
]
const approvalChoices = [
  { value: 'once', label: 'Approve the schedule once' },
  { value: 'each', label: 'Approve each run' },
]

function isLastDay(date: string): boolean {
  return date !== '' && stepDay(date, 1).endsWith('-01')
}

export function ScheduleDialog({ draft, onClose }: { draft: DraftDetail; onClose: () => void }) {
  const place = usePlace()
  const refresh = useRefresh()
  const policy = useQuery(policyQuery(place)).data?.policy
  const asksApproval = policy !== undefined && needsApproval(policy, draft.total, draft.currency)
  const [days, setDays] = useState<DaysValue>(() => ({
    repeats: 'monthly',
    date: stepDay(dateIn(lagos, Date.now()), 1),
    isLast: true,
  }))
  const { repeats, date, isLast } = days
  const [duplicates, setDuplicates] = useState(0)

  async function send(values: Values): Promise<typeof unsent | undefined> {
    const { time = '', approval } = values
    const first = dayOf(values, 'date', lagos)
    const isLastOfMonth = repeats === 'monthly' && isLast && isLastDay(first)
    const asked = { repeats, date: first, time, isLastDay: isLastOfMonth, confirmedDuplicates: duplicates }
    try {
      await scheduleDraft(place, draft.id, { ...asked, approval: approval === 'each' ? 'each' : 'once' })
    } catch (error) {
      const found = duplicatesOf(error)
      if (found !== undefined) setDuplicates(found)
      // Zero: no row repeats an earlier payout any more. The message of the error says so.
      if (found === undefined || found === 0) throw error
      return unsent
    }
    await refresh()
    onClose()
    return undefined
  }

  const verb = asksApproval ? 'Submit schedule' : 'Schedule payout'
  return (
    <Dialog
      title="Schedule this payout"
      says={`${formatMoney(draft.total, draft.currency)} to ${countOf(draft.rows, 'recipient')} at each run.`}
      isStaging={place.environment === 'staging'}
      onClose={onClose}
    >
      <Form
        submit={duplicates === 0 ? verb : `${verb}, ${countOf(duplicates, 'possible duplicate')} included`}
        onSubmit={send}
        onCancel={onClose}
      >
        <Days repeats={repeats} date={date} isLast={isLast} onChange={(change) => setDays({ ...days, ...change })} />
        <TextField name="time" label="Time in Lagos" type="time" defaultValue="09:00" />
        {asksApproval ? <SelectField name="approval" label="Approval" choices={approvalChoices} /> : null}
        {duplicates === 0 ? null : (
          <Notice tone="asks">
            {countOf(duplicates, 'row pays', 'rows pay')} an account that gets the same amount in another row, in
            another draft or within 24 hours.
          </Notice>
        )}
      </Form>
    </Dialog>
  )
}

type DaysValue = { repeats: Repeats; date: string; isLast: boolean }

function Days({ repeats, date, isLast, onChange }: DaysValue & { onChange: (change: Partial<DaysValue>) => void }) {
  return (
    <>
      <SelectField
        name="repeats"
        label="Repeats"
        choices={repeatsChoices}
        value={repeats}
        onChange={({ target }) => onChange({ repeats: target.value as Repeats })}
      />
      <DateField
        name="date"
        label={repeats === 'never' ? 'Date' : 'First date'}
        value={date}
        zone={lagos}
        onDay={(day) => onChange({ date: day })}
        hint={sayDays(repeats, date)}
      />
      {repeats === 'monthly' && isLastDay(date) ? (
        <Checkbox checked={isLast} onChange={({ target }) => onChange({ isLast: target.checked })}>
          Always on the last day of the month
        </Checkbox>
      ) : null}
    </>
  )
}

function sayDays(repeats: string, date: string): string | undefined {
  if (repeats !== 'monthly' || Number(date.slice(8)) < 29) return undefined
  return 'In a shorter month it is paid on the last day.'
}
