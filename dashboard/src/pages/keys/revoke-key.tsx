// Revoking ends a key at once and cannot be undone, so the person must type its name, and the dialog shows when it was
// last used.

import { revokeKey, type Key } from '#api/keys.ts'
import { usePlace } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { Confirm } from '#ui/confirm.tsx'
import { sayLastUsed } from './last-used.ts'

export function RevokeKey({ apiKey, onClose }: { apiKey: Key; onClose: () => void }) {
  const place = usePlace()
  const refresh = useRefresh()
  return (
    <Confirm
      title={`Revoke “${apiKey.name}”?`}
      verb="Revoke key"
      typed={{ label: 'The name of the key', word: apiKey.name }}
      isStaging={place.environment === 'staging'}
      onConfirm={() => revokeKey(place, apiKey.id).then(refresh)}
      onClose={onClose}
    >
      {sayLastUsed(apiKey.lastUsedAt, new Date().getTime())}. Programs that still use it are refused from now on. To
      replace it first, roll it.
    </Confirm>
  )
}
