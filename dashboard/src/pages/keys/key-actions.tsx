// Rolling and revoking a key.

import { useState } from 'react'
import type { Key, NewKey } from '#api/keys.ts'
import { useRefusal } from '#shell/place.ts'
import { Button } from '#ui/button.tsx'
import { Icon } from '#ui/icons.tsx'
import { Menu } from '#ui/menu.tsx'
import { RevokeKey } from './revoke-key.tsx'
import { RollKey } from './roll-key.tsx'

type KeyActionsProps = { apiKey: Key; onRolled: (made: NewKey) => void }

export function KeyActions({ apiKey, onRolled }: KeyActionsProps) {
  const [open, setOpen] = useState<'roll' | 'revoke'>()
  const refusal = useRefusal('keys.change')
  const close = (): void => setOpen(undefined)
  if (apiKey.status !== 'active' && apiKey.status !== 'expiring') return null
  const roll = { label: 'Roll key', disabledReason: refusal, onSelect: () => setOpen('roll') }
  const revoke = { label: 'Revoke key', disabledReason: refusal, onSelect: () => setOpen('revoke') }
  return (
    <>
      <Menu
        trigger={
          <Button tone="quiet" isIcon aria-label={`Actions of ${apiKey.name}`}>
            <Icon name="more" />
          </Button>
        }
        // A key that is ending was rolled and has a successor, so it can only be revoked.
        groups={[{ actions: apiKey.status === 'active' ? [roll, revoke] : [revoke] }]}
      />
      {open === 'roll' ? <RollKey apiKey={apiKey} onRolled={onRolled} onClose={close} /> : null}
      {open === 'revoke' ? <RevokeKey apiKey={apiKey} onClose={close} /> : null}
    </>
  )
}
