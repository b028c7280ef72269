// On a record that was opened from a list, [ and ] go to the previous and the next record of that list, and Esc goes
// back. A link of a list carries its list (table/data-table.tsx), and the history stores it, so a reload keeps it.

import { useCanGoBack, useLocation, useNavigate } from '@tanstack/react-router'
import { useKeys, type Keys } from '#ui/keys.ts'

declare module '@tanstack/react-router' {
  interface HistoryState {
    among?: readonly string[]
  }
}

const noKeys: Keys = {}

export function useNeighbors(): void {
  const { pathname, state } = useLocation()
  const navigate = useNavigate()
  const canGoBack = useCanGoBack()
  const among = state.among ?? []
  // The router leaves the colons of a reference as they are; a link encodes them.
  const at = among.findIndex((address) => decodeURIComponent(address) === decodeURIComponent(pathname))
  const goTo = (place: number): void => {
    const to = among[place]
    // Replaces the history entry, so that the way back still leads to the list.
    if (to !== undefined) void navigate({ to, state: { among }, replace: true })
  }
  const keys: Keys = {
    '[': () => goTo(at - 1),
    ']': () => goTo(at + 1),
    Escape: () => {
      if (canGoBack) globalThis.history.back()
    },
  }
  // Other pages may use these keys for themselves.
  useKeys(at === -1 ? noKeys : keys)
}
