// The keys that work on every page.

import { useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent } from 'react'
import { useChords, useKeys } from '#ui/keys.ts'
import { usePlace } from './place.ts'
import { sectionGroups } from './sections.ts'

type Shortcuts = { openPalette: () => void; openHelp: () => void }

export function useShortcuts({ openPalette, openHelp }: Shortcuts): void {
  const navigate = useNavigate()
  const place = usePlace()
  const sections = sectionGroups.flatMap((group) => group.sections)
  const ways = sections.flatMap(({ letter, path }) =>
    letter === undefined ? [] : [[letter, () => void navigate({ to: path(place) })] as const],
  )
  useKeys({ '?': openHelp, '/': openPalette })
  useChords('g', Object.fromEntries(ways))
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'k' || !(event.metaKey || event.ctrlKey)) return
    event.preventDefault()
    openPalette()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => press(event)
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
}
