// Sends the selected deliveries again, one after the other, except delivered ones: their receivers would get them
// twice, so only the page of a delivery offers that.

import { useState } from 'react'
import { retryDelivery, type Delivery } from '#api/deliveries.ts'
import { failureOf } from '#api/failure.ts'
import { countOf } from '#format/ids.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { Button } from '#ui/button.tsx'
import { useSay } from '#ui/say.ts'

export function RetrySelected({ deliveries }: { deliveries: readonly Delivery[] }) {
  const place = usePlace()
  const refresh = useRefresh()
  const say = useSay()
  const refusal = useRefusal('webhooks.see', 'writes')
  const [isBusy, setBusy] = useState(false)
  const missed = deliveries.filter(({ status }) => status !== 'delivered')
  const nothing = missed.length === 0 ? 'All of these were delivered.' : undefined

  async function retry(): Promise<void> {
    setBusy(true)
    let sent = 0
    try {
      for (const { eventId } of missed) {
        await retryDelivery(place, eventId, false)
        sent += 1
      }
      say(`${countOf(sent, 'delivery', 'deliveries')} will be sent again`)
    } catch (error) {
      say(
        `${sent} of ${countOf(missed.length, 'delivery', 'deliveries')} will be sent again. ${failureOf(error).message}`,
      )
    }
    setBusy(false)
    await refresh()
  }

  return (
    <Button isSmall isBusy={isBusy} disabledReason={refusal ?? nothing} onClick={() => void retry()}>
      Retry {countOf(missed.length, 'delivery', 'deliveries')}
    </Button>
  )
}
