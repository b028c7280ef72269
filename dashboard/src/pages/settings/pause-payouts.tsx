// Pauses payouts: the service accepts no new ones and sends none that wait.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { pauseQuery, setPause } from '#api/home.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { useRefreshOf } from '#shell/refresh.ts'
import { Button } from '#ui/button.tsx'
import { TextField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Section, Stack } from '#ui/layout.tsx'
import { ErrorState, Notice, SkeletonLines } from '#ui/states.tsx'
import { Time } from '#ui/values.tsx'

export function PausePayouts() {
  const place = usePlace()
  const refusal = useRefusal('payouts.pause')
  // The dialog keeps the question with which it was opened, even if another person pauses or resumes payouts meanwhile.
  const [asked, setAsked] = useState<{ isPaused: boolean; verb: string }>()
  const { data, error, refetch } = useQuery(pauseQuery(place))
  if (data === undefined) {
    return (
      <Section title="Payouts">
        {error === null ? <SkeletonLines lines={2} /> : <ErrorState failure={error} onRetry={() => void refetch()} />}
      </Section>
    )
  }
  const whyNot = data.isByOperator
    ? 'The operator of this service paused them, and only the operator can resume them.'
    : refusal
  const verb = data.isPaused ? 'Resume payouts' : 'Pause payouts'
  return (
    <Section title="Payouts">
      <Stack>
        {data.isPaused ? (
          <Notice tone="asks">
            Payouts are paused in {place.environment} since <Time at={data.since} />
            {data.isByOperator ? ', by the operator of this service' : ''}.
            {data.reason === null ? '' : ` Reason: ${data.reason}`}
          </Notice>
        ) : (
          <p>Payouts go out in {place.environment}. Pausing stops new ones, and those that wait, at once.</p>
        )}
        <div>
          <Button
            tone={data.isPaused ? 'primary' : 'danger'}
            disabledReason={whyNot}
            onClick={() => setAsked({ isPaused: data.isPaused, verb })}
          >
            {verb}
          </Button>
        </div>
      </Stack>
      {asked === undefined ? null : <PauseDialog {...asked} onClose={() => setAsked(undefined)} />}
    </Section>
  )
}

type PauseDialogProps = { isPaused: boolean; verb: string; onClose: () => void }

function PauseDialog({ isPaused, verb, onClose }: PauseDialogProps) {
  const place = usePlace()
  const refreshOf = useRefreshOf()
  return (
    <Dialog title={verb} isStaging={place.environment === 'staging'} onClose={onClose}>
      <Form
        submit={verb}
        tone={isPaused ? 'primary' : 'danger'}
        onCancel={onClose}
        onSubmit={async ({ reason = '' }) => {
          await setPause(place, !isPaused, reason.trim())
          await refreshOf(pauseQuery(place).queryKey)
          onClose()
        }}
      >
        <p>
          {isPaused
            ? 'Payouts that were held are sent now, and new ones are accepted again.'
            : 'New payouts are refused, and those that wait are held. Payouts that were already sent will complete.'}
        </p>
        <TextField
          name="reason"
          label="Reason"
          hint={`The audit log keeps it${place.environment === 'staging' ? '. Optional in staging' : ''}.`}
          autoComplete="off"
          autoFocus
        />
      </Form>
    </Dialog>
  )
}
