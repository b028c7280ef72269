// The brake: no new payouts, and none that waits is sent.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { pauseQuery, setPause } from '#api/home.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { Button } from '#ui/button.tsx'
import { Confirm } from '#ui/confirm.tsx'
import { Section, Stack } from '#ui/layout.tsx'
import { Notice } from '#ui/states.tsx'
import { Time } from '#ui/values.tsx'

export function PausePayouts() {
  const place = usePlace()
  const queries = useQueryClient()
  const refusal = useRefusal('payouts.pause')
  const [isAsked, setAsked] = useState(false)
  const { data } = useQuery(pauseQuery(place))
  if (data === undefined) return null
  const whyNot = data.isByOperator ? 'Whoever runs this service paused them, and alone can resume them.' : refusal
  const verb = data.isPaused ? 'Resume payouts' : 'Pause payouts'
  return (
    <Section title="Payouts">
      <Stack>
        {data.isPaused ? (
          <Notice tone="asks">
            Payouts are paused in {place.environment} since <Time at={data.since} />
            {data.isByOperator ? ', by whoever runs this service' : ''}.
          </Notice>
        ) : (
          <p>Payouts go out in {place.environment}. Pausing stops new ones, and those that wait, at once.</p>
        )}
        <div>
          <Button tone={data.isPaused ? 'primary' : 'danger'} disabledReason={whyNot} onClick={() => setAsked(true)}>
            {verb}
          </Button>
        </div>
      </Stack>
      {isAsked ? (
        <Confirm
          title={verb}
          verb={verb}
          tone={data.isPaused ? 'primary' : 'danger'}
          isStaging={place.environment === 'staging'}
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            await setPause(place, !data.isPaused)
            await queries.invalidateQueries({ queryKey: pauseQuery(place).queryKey })
          }}
        >
          {data.isPaused
            ? 'Payouts that were held are sent now, and new ones are taken again.'
            : 'The API answers that payouts are paused. What already left goes on to its end.'}
        </Confirm>
      ) : null}
    </Section>
  )
}
