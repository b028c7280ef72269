// On staging: settles a pending deposit, as its bank would.

import { useState } from 'react'
import { failureOf } from '#api/failure.ts'
import { settleDeposit } from '#api/simulator.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { Button } from '#ui/button.tsx'
import { useSay } from '#ui/say.ts'

export function SettleButtons({ reference }: { reference: string }) {
  const place = usePlace()
  const refresh = useRefresh()
  const say = useSay()
  const refusal = useRefusal('simulator')
  const [isBusy, setBusy] = useState(false)
  async function settle(status: 'SUCCESSFUL' | 'FAILED'): Promise<void> {
    setBusy(true)
    try {
      await settleDeposit(place, reference, status)
      await refresh()
    } catch (error) {
      say(failureOf(error).message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Button isBusy={isBusy} disabledReason={refusal} onClick={() => void settle('SUCCESSFUL')}>
        Settle deposit
      </Button>
      <Button isBusy={isBusy} disabledReason={refusal} onClick={() => void settle('FAILED')}>
        Fail deposit
      </Button>
    </>
  )
}
