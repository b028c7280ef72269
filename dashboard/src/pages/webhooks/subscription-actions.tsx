// The actions on a subscription: test, edit, rotate its secret, disable, delete.

import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { WebhookSubscription } from '#api/schema.ts'
import { changeSubscription, deleteSubscription } from '#api/webhooks.ts'
import { paths } from '#shell/paths.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { Button } from '#ui/button.tsx'
import { Confirm } from '#ui/confirm.tsx'
import { Menu } from '#ui/menu.tsx'
import { EditSubscription } from './edit-subscription.tsx'
import { RotateSecret } from './rotate-secret.tsx'
import { TestSubscription } from './test-subscription.tsx'

type Open = 'test' | 'edit' | 'rotate' | 'disable' | 'delete'

export function SubscriptionActions({ subscription }: { subscription: WebhookSubscription }) {
  const [open, setOpen] = useState<Open>()
  const testing = useRefusal('webhooks.see', 'writes')
  const changing = useRefusal('webhooks.change')
  const close = (): void => setOpen(undefined)
  const action = (label: string, opens: Open) => ({ label, disabledReason: changing, onSelect: () => setOpen(opens) })
  return (
    <>
      <Button disabledReason={testing} onClick={() => setOpen('test')}>
        Send test event
      </Button>
      <Menu
        trigger={<Button>Change</Button>}
        groups={[
          { actions: [action('Edit address and events', 'edit'), action('Rotate secret', 'rotate')] },
          {
            actions: [
              ...(subscription.status === 'active' ? [action('Disable', 'disable')] : []),
              action('Delete', 'delete'),
            ],
          },
        ]}
      />
      {open === 'test' ? <TestSubscription subscription={subscription} onClose={close} /> : null}
      {open === 'edit' ? <EditSubscription subscription={subscription} onClose={close} /> : null}
      {open === 'rotate' ? <RotateSecret subscription={subscription} onClose={close} /> : null}
      {open === 'disable' ? <Disable subscription={subscription} onClose={close} /> : null}
      {open === 'delete' ? <Delete subscription={subscription} onClose={close} /> : null}
    </>
  )
}

type AskedProps = { subscription: WebhookSubscription; onClose: () => void }

function Disable({ subscription, onClose }: AskedProps) {
  const place = usePlace()
  const refresh = useRefresh()
  return (
    <Confirm
      title="Disable this subscription?"
      verb="Disable subscription"
      onConfirm={() => changeSubscription(place, subscription.id, { status: 'disabled' }).then(refresh)}
      onClose={onClose}
    >
      Nothing is sent to {subscription.url} until the subscription is enabled again. Events that occur meanwhile are
      recorded, and can be retried then.
    </Confirm>
  )
}

function Delete({ subscription, onClose }: AskedProps) {
  const place = usePlace()
  const refresh = useRefresh()
  const navigate = useNavigate()
  return (
    <Confirm
      title="Delete this subscription?"
      verb="Delete subscription"
      onConfirm={async () => {
        await deleteSubscription(place, subscription.id)
        await navigate({ to: paths.webhooks(place) })
        await refresh()
      }}
      onClose={onClose}
    >
      Nothing is sent to {subscription.url} any more, and its failed deliveries cannot be retried. The log of its
      deliveries stays.
    </Confirm>
  )
}
