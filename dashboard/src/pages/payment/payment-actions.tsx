// Sends the same payment again as a new one.

import { Link } from '@tanstack/react-router'
import type { Transfer } from '#api/schema.ts'
import { paths } from '#shell/paths.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { Button, buttonLook } from '#ui/button.tsx'

/**
 * Only a payment that failed for good can be sent again without the risk of paying twice: a queued one may still
 * succeed, even after its bank refused it.
 */
export function hasFailedForGood({ status }: Transfer): boolean {
  return status === 'FAILED' || status === 'REVERSED'
}

/**
 * Opens the form with the same values. The form creates a new reference, so it sends a second payment, and it says so.
 */
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
