// The navigation: the business, its two environments, search, the sections, and the person.

import { Link, useLocation, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Environment } from '#api/client.ts'
import { failureOf } from '#api/failure.ts'
import { signOut } from '#api/sign-in.ts'
import { useAskToLeave } from '#form/form.tsx'
import { nameZone } from '#format/time.ts'
import { Icon } from '#ui/icons.tsx'
import { Menu } from '#ui/menu.tsx'
import { useReason } from '#ui/reason.tsx'
import { useSay } from '#ui/say.ts'
import { Kbd, useZone } from '#ui/values.tsx'
import { BusinessSwitcher } from './business-switcher.tsx'
import styles from './frame.module.css'
import { useLiveState } from './live-provider.tsx'
import { movePath, paths } from './paths.ts'
import { useMe, useMembership, usePlace } from './place.ts'
import { sectionGroups, type Section } from './sections.ts'

export function Nav({ onSearch, onHelp }: { onSearch: () => void; onHelp: () => void }) {
  const { person } = useMe()
  const { environment } = usePlace()
  const isShown = (section: Section): boolean =>
    !(section.isOfStaging === true && environment === 'production') &&
    !(section.isOfProduction === true && environment === 'staging') &&
    !(section.isForOperators === true && !person.isOperator)
  return (
    <nav className={styles.nav} aria-label="Sections">
      <BusinessSwitcher />
      <Environments />
      <button type="button" className={styles.search} onClick={onSearch}>
        <Icon name="search" /> Search <Kbd>{navigator.userAgent.includes('Mac') ? '⌘K' : 'Ctrl K'}</Kbd>
      </button>
      {sectionGroups.map(({ heading, sections }, index) => (
        <div key={heading ?? index} className={styles.group}>
          {heading === undefined ? null : <div className={styles.heading}>{heading}</div>}
          {sections.filter(isShown).map((section) => (
            <NavItem key={section.name} section={section} />
          ))}
        </div>
      ))}
      <Bottom onHelp={onHelp} />
    </nav>
  )
}

function Environments() {
  const { environment } = usePlace()
  const { pathname } = useLocation()
  const link = (to: Environment, name: string) => (
    <Link
      to={movePath(pathname, { environment: to })}
      className={styles.environment ?? ''}
      aria-current={environment === to ? 'true' : undefined}
      data-staging={to === 'staging' ? '' : undefined}
    >
      {name}
    </Link>
  )
  return (
    <div className={styles.environments} role="group" aria-label="Environment">
      {link('staging', 'Staging')}
      {link('production', 'Production')}
    </div>
  )
}

function NavItem({ section }: { section: Section }) {
  const place = usePlace()
  const { role, permissions } = useMembership()
  const to = section.path(place)
  const inside = (
    <>
      <Icon name={section.icon} /> {section.name}
    </>
  )
  const { permission } = section
  if (permission !== undefined && !permissions[place.environment].includes(permission)) {
    return <ClosedItem says={`Your role, ${role}, does not see this.`}>{inside}</ClosedItem>
  }
  return (
    <Link
      to={to}
      className={styles.item ?? ''}
      activeOptions={{ exact: section.name === 'Home', includeSearch: false }}
    >
      {inside}
    </Link>
  )
}

function ClosedItem({ says, children }: { says: string; children: ReactNode }) {
  const { props, tooltip } = useReason(says)
  return (
    <>
      <a className={styles.item} role="link" aria-disabled tabIndex={0} {...props}>
        {children}
      </a>
      {tooltip}
    </>
  )
}

function Bottom({ onHelp }: { onHelp: () => void }) {
  const me = useMe()
  const place = usePlace()
  const navigate = useNavigate()
  const zone = useZone()
  const live = useLiveState()
  const say = useSay()
  const { ask, question } = useAskToLeave()
  async function leave(everywhere: boolean): Promise<void> {
    try {
      await signOut(everywhere)
    } catch (error) {
      return say(`You may still be signed in. ${failureOf(error).message}`)
    }
    location.assign(`/dashboard${paths.signIn}`) // Loads a new page, so that no data of the session stays in memory.
  }
  return (
    <div className={styles.bottom}>
      <p className={styles.status}>
        Times in {nameZone(zone, new Date().getTime())}
        {live === 'polling' ? ' · Updates every 10 s' : ''}
      </p>
      <Menu
        trigger={
          <button type="button" className={styles.person}>
            <Icon name="user" /> <span>{me.person.name}</span>
          </button>
        }
        groups={[
          {
            heading: me.person.email,
            actions: [
              { label: 'My profile', onSelect: () => void navigate({ to: paths.profile(place) }) },
              { label: 'Documentation', onSelect: () => void window.open('/docs', '_blank', 'noopener') },
              { label: 'Keyboard shortcuts', hint: '?', onSelect: onHelp },
            ],
          },
          {
            actions: [
              { label: 'Sign out', onSelect: () => ask(() => void leave(false)) },
              { label: 'Sign out everywhere', onSelect: () => ask(() => void leave(true)) },
            ],
          },
        ]}
      />
      {question}
    </div>
  )
}
