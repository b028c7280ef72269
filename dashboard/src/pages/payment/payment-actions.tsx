// Sends the same payment again as a new one.

import { Link } from '@tanstack/react-router'
import type { Transfer } from '#api/schema.ts'
import { paths } from '#shell/paths.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { Button, buttonLook } from '#ui/button.tsx'

/**
 * Only these payments can be sent again without paying twice: a queued one may still succeed, also after a refusal of
 * its bank.
 */
export function hasFailedForGood({ status }: Transfer): boolean {
  return status === 'FAILED' || status === 'REVERSED'
}

/** The form opens filled in. It makes a reference of its own, so this is a second payment and says so there. */
export function SendAgain({ transfer }: { transfer: Transfer }) {
  const place = usePlace()
  const refusal = useRefusal('payouts.propose')
  if (refusal !== undefined) return <Button disabledReason={refusal}>Send again as new</Button>
  const filled = {
    again: transfer.reference,
    bank: transfer.bankSlug,
    account: transfer.accountNumber,
    amount: String(transfer.amount),
    ...(transfer.narration === null ? {} : { narration: transfer.narration }),
  }
  return (
    <Link to={paths.newPayout(place)} search={filled} className={buttonLook()}>
      Send again as new
    </Link>
  )
}
