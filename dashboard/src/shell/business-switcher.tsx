// The businesses of a person, and the way to a further one for who owns one already.

import { useQueryClient } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { meQuery } from '#api/me.ts'
import { createBusiness } from '#api/settings.ts'
import { TextField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Icon } from '#ui/icons.tsx'
import { Menu } from '#ui/menu.tsx'
import styles from './frame.module.css'
import { movePath, paths } from './paths.ts'
import { useMe, useMembership, usePlace } from './place.ts'

export function BusinessSwitcher() {
  const { businesses } = useMe()
  const { id, name } = useMembership()
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const [isMaking, setMaking] = useState(false)
  const owns = businesses.some(({ role }) => role === 'owner')
  const making = { label: 'New business', onSelect: () => setMaking(true) }
  return (
    <>
      <Menu
        trigger={
          <button type="button" className={styles.business} aria-label={`Business: ${name}`}>
            <span>{name}</span> <Icon name="chevronDown" />
          </button>
        }
        groups={[
          {
            heading: 'Businesses',
            actions: businesses.map((business) => ({
              label: business.name,
              hint: business.id === id ? 'open' : business.role,
              onSelect: () => void navigate({ to: movePath(pathname, { businessId: business.id }) }),
            })),
          },
          ...(owns ? [{ actions: [making] }] : []),
        ]}
      />
      {isMaking ? <NewBusiness onClose={() => setMaking(false)} /> : null}
    </>
  )
}

function NewBusiness({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { environment } = usePlace()
  return (
    <Dialog
      title="New business"
      says="It has its own money, keys, customers and people. You will be its owner."
      onClose={onClose}
    >
      <Form
        submit="Create business"
        onCancel={onClose}
        onSubmit={async ({ name = '' }) => {
          const { id } = await createBusiness(name)
          await queries.invalidateQueries({ queryKey: meQuery.queryKey })
          onClose()
          void navigate({ to: paths.home({ businessId: id, environment }) })
        }}
      >
        <TextField name="name" label="Name" autoComplete="organization" />
      </Form>
    </Dialog>
  )
}
