// The frame around every page of a business: the business, the user, and the navigation.

import { Outlet, useMatches } from '@tanstack/react-router'
import { Fragment, useEffect, useRef, useState } from 'react'
import { Button } from '#ui/button.tsx'
import { holdKeys, type HeldKeys } from '#ui/held-keys.ts'
import { Icon } from '#ui/icons.tsx'
import { later } from '#ui/later.ts'
import { EmptyState } from '#ui/states.tsx'
import { Toasts } from '#ui/toast.tsx'
import { ZoneProvider } from '#ui/values.tsx'
import styles from './frame.module.css'
import { LiveProvider } from './live-provider.tsx'
import { Nav } from './nav.tsx'
import { useNeighbors } from './neighbors.ts'
import { Permitted } from './permitted.tsx'
import { findMembership, isFactorDue, useMe, usePlace } from './place.ts'
import { useShortcuts } from './shortcuts.ts'

const loadPalette = async () => (await import('./palette.tsx')).Palette
const Palette = later(loadPalette)
const Help = later(async () => (await import('./help.tsx')).Help)
const Drawer = later(async () => (await import('./drawer.tsx')).Drawer)

export function Frame() {
  const me = useMe()
  const place = usePlace()
  const membership = findMembership(me, place)
  if (membership === undefined) {
    return <EmptyState isPage title="You are not in this business" says="Ask one of its owners to invite you." />
  }
  const isStaging = place.environment === 'staging'
  // People who must set up a second factor first get no live stream, because the server refuses them all data of the
  // business.
  const Shell = isFactorDue(me, membership) ? Fragment : LiveProvider
  return (
    <ZoneProvider zone={membership.timeZone}>
      <Toasts>
        <Shell>
          {isStaging ? <div className={styles.bar} /> : null}
          <Inside isStaging={isStaging} />
        </Shell>
      </Toasts>
    </ZoneProvider>
  )
}

type Open = 'palette' | 'help' | 'drawer'

function Inside({ isStaging }: { isStaging: boolean }) {
  const [open, setOpen] = useState<Open>()
  const held = useRef<HeldKeys>(undefined)
  const releaseKeys = (): string => held.current?.release() ?? ''
  const openPalette = (): void => {
    if (open === 'palette') return
    releaseKeys()
    held.current = holdKeys()
    setOpen('palette')
  }
  const close = (): void => {
    releaseKeys()
    setOpen(undefined)
  }
  const { title } = usePageData()
  const { businessId, environment } = usePlace()
  // The palette loads ahead of time, so that it opens at once.
  useEffect(() => {
    const timer = setTimeout(() => void loadPalette().catch(() => undefined), 500)
    return () => clearTimeout(timer)
  }, [])
  useNeighbors()
  useShortcuts({ openPalette, openHelp: () => setOpen('help') })
  const nav = <Nav onSearch={openPalette} onHelp={() => setOpen('help')} />
  return (
    <>
      <title>{isStaging ? `Staging · ${title}` : title}</title>
      <a className={styles.skip} href="#main">
        Skip to the page
      </a>
      <div className={styles.frame}>
        {nav}
        <div>
          <header className={styles.top} data-screen-only>
            <Button tone="quiet" isIcon aria-label="Navigation" onClick={() => setOpen('drawer')}>
              <Icon name="menu" />
            </Button>
            <strong>{title}</strong>
            {isStaging ? <span className={styles.word}>Staging</span> : null}
            <Button tone="quiet" isIcon aria-label="Search" onClick={openPalette}>
              <Icon name="search" />
            </Button>
          </header>
          <main id="main" tabIndex={-1} className={styles.main}>
            {/* Rows, input and dialogs of one environment or business are never shown in another one. */}
            <Permitted key={`${businessId} ${environment}`}>
              <Outlet />
            </Permitted>
          </main>
        </div>
      </div>
      {open === 'palette' ? <Palette onClose={close} releaseKeys={releaseKeys} /> : null}
      {open === 'help' ? <Help onClose={close} /> : null}
      {open === 'drawer' ? <Drawer onClose={close}>{nav}</Drawer> : null}
    </>
  )
}

function usePageData(): { title: string } {
  const matches = useMatches()
  return {
    title: matches.map(({ staticData }) => staticData.title).findLast((title) => title !== undefined) ?? 'Manilla',
  }
}
