// On staging: ends a payment by hand, as its bank or operator would.

import { useState } from 'react'
import { failureOf } from '#api/failure.ts'
import type { Payment } from '#api/payments.ts'
import { completePayment, type Outcome } from '#api/simulator.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { Button } from '#ui/button.tsx'
import { Menu, type MenuAction } from '#ui/menu.tsx'
import { useSay } from '#ui/say.ts'

export function CompleteMenu({ payment }: { payment: Payment }) {
  const place = usePlace()
  const refresh = useRefresh()
  const say = useSay()
  const refusal = useRefusal('simulator')
  const [isBusy, setBusy] = useState(false)
  const outcomes = outcomesOf(payment)
  if (outcomes.length === 0) return null

  async function complete(status: Outcome['status']): Promise<void> {
    setBusy(true)
    try {
      await completePayment(place, payment.kind, payment.reference, { status })
      await refresh()
    } catch (error) {
      say(failureOf(error).message)
    } finally {
      setBusy(false)
    }
  }

  if (refusal !== undefined) return <Button disabledReason={refusal}>Complete as …</Button>
  const actions: MenuAction[] = outcomes.map(([status, label]) => ({ label, onSelect: () => void complete(status) }))
  return <Menu trigger={<Button isBusy={isBusy}>Complete as …</Button>} groups={[{ heading: 'Simulator', actions }]} />
}

/** The outcomes that the simulator can still give the payment. A failed or returned payment is final. */
function outcomesOf({ kind, status }: Payment): [Outcome['status'], string][] {
  if (status === 'SUCCESS') return kind === 'transfer' ? [['REVERSED', 'Returned by the bank']] : []
  if (status === 'FAILED' || status === 'REVERSED') return []
  return [
    ['SUCCESS', 'Succeeded'],
    ['FAILED', 'Failed'],
  ]
}
