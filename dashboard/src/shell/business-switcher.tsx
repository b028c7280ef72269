// The businesses of a person. Owners can also create another one.

import { useLocation, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Icon } from '#ui/icons.tsx'
import { later } from '#ui/later.ts'
import { Menu } from '#ui/menu.tsx'
import styles from './frame.module.css'
import { movePath } from './paths.ts'
import { useMe, useMembership } from './place.ts'

const NewBusiness = later(async () => (await import('./new-business.tsx')).NewBusiness)

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
