// Sends a delivery again now. For a delivered one the button asks first, because its receiver will get it twice.

import { useState } from 'react'
import { retryDelivery, type DeliveryDetails } from '#api/deliveries.ts'
import { failureOf } from '#api/failure.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { Button } from '#ui/button.tsx'
import { Confirm } from '#ui/confirm.tsx'
import { useSay } from '#ui/say.ts'

export function RetryButton({ delivery }: { delivery: DeliveryDetails }) {
  const place = usePlace()
  const refresh = useRefresh()
  const say = useSay()
  const refusal = useRefusal('webhooks.see', 'writes')
  const [isAsking, setAsking] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const wasDelivered = delivery.status === 'delivered'

  async function retry(): Promise<void> {
    await retryDelivery(place, delivery.eventId, wasDelivered)
    say('It is sent again')
    await refresh()
  }

  async function retryAtOnce(): Promise<void> {
    setBusy(true)
    await retry().catch((error: unknown) => say(failureOf(error).message))
    setBusy(false)
  }

  return (
    <>
      <Button
        tone="primary"
        isBusy={isBusy}
        disabledReason={refusal}
        onClick={() => (wasDelivered ? setAsking(true) : void retryAtOnce())}
      >
        Retry delivery
      </Button>
      {isAsking ? (
        <Confirm
          title="Send it again?"
          verb="Send again"
          tone="primary"
          onConfirm={retry}
          onClose={() => setAsking(false)}
        >
          It was delivered. The receiver will see it a second time, with the same id.
        </Confirm>
      ) : null}
    </>
  )
}
