// Sends a delivery with a wrong signature to each webhook of production, and shows the answers.

import { useState } from 'react'
import { failureOf } from '#api/failure.ts'
import { goLiveQuery, sendForgeries, type ForgedAnswer } from '#api/settings.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { useRefreshOf } from '#shell/refresh.ts'
import { Button } from '#ui/button.tsx'
import { useSay } from '#ui/say.ts'

export function SendForgeries() {
  const { businessId } = usePlace()
  const refreshOf = useRefreshOf()
  const say = useSay()
  const refusal = useRefusal('webhooks.see', 'writes')
  const [isBusy, setBusy] = useState(false)
  async function send(): Promise<void> {
    setBusy(true)
    try {
      const answers = await sendForgeries(businessId)
      say(answers.length === 0 ? 'There is no active webhook in production.' : answers.map(sayOf).join(' '))
      await refreshOf(goLiveQuery(businessId).queryKey)
    } catch (error) {
      say(failureOf(error).message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button isSmall isBusy={isBusy} disabledReason={refusal} onClick={() => void send()}>
      Send a wrong signature
    </Button>
  )
}

function sayOf({ url, verdict, statusCode }: ForgedAnswer): string {
  const answered = statusCode === null ? 'did not answer' : `answered ${statusCode}`
  if (verdict === 'refused') return `${url} refused it: it ${answered}.`
  if (verdict === 'taken') return `${url} accepted it: it ${answered}. It does not verify signatures.`
  return `${url} ${answered}, which does not show whether it verifies signatures.`
}
