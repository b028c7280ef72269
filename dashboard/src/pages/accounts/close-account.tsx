// Closing is final, and payers may have the number, so the person must type its last four digits.

import { closeAccount } from '#api/accounts.ts'
import type { VirtualAccount } from '#api/schema.ts'
import { groupAccountNumber } from '#format/ids.ts'
import { usePlace } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { Confirm } from '#ui/confirm.tsx'

export function CloseAccount({ account, onClose }: { account: VirtualAccount; onClose: () => void }) {
  const place = usePlace()
  const refresh = useRefresh()
  const { accountNumber } = account
  return (
    <Confirm
      title={`Close ${groupAccountNumber(accountNumber)}?`}
      verb="Close account"
      typed={{ label: 'The last four digits of the number', word: accountNumber.slice(-4) }}
      isStaging={place.environment === 'staging'}
      onConfirm={async () => {
        await closeAccount(place, accountNumber)
        await refresh()
      }}
      onClose={onClose}
    >
      Money that is paid into it afterwards goes back to its sender. It cannot be opened again.
    </Confirm>
  )
}
