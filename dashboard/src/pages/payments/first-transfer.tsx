// Shown while there is no bank transfer: how to send the first one, by command and by form.

import { Link } from '@tanstack/react-router'
import { paths } from '#shell/paths.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { buttonLook } from '#ui/button.tsx'
import { CopyField } from '#ui/copy.tsx'
import { Stack } from '#ui/layout.tsx'
import { EmptyState } from '#ui/states.tsx'

export function FirstTransfer() {
  const place = usePlace()
  const refusal = useRefusal('payouts.propose')
  const request = {
    reference: 'PAYOUT-1001',
    amount: 150_000,
    bankSlug: 'access-bank',
    accountNumber: '0123456789',
    accountName: 'Ada Obi',
  }
  const command = `curl ${location.origin}/${place.environment}/v1/transfers/initiate -H "Authorization: Bearer $MANILLA_API_KEY" -H 'Content-Type: application/json' -d '${JSON.stringify(request)}'`
  return (
    <EmptyState
      title="No bank transfers yet"
      says={
        <Stack>
          <p>Send the first one with a key of yours. The amount is in kobo. You choose the reference.</p>
          <CopyField text={command} />
        </Stack>
      }
    >
      {refusal === undefined ? (
        <Link to={paths.newPayout(place)} className={buttonLook()}>
          Send one by form
        </Link>
      ) : null}
    </EmptyState>
  )
}
