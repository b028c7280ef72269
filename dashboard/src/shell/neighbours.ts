// From a record that was opened in a list, [ and ] go to the one before and behind it there, and Esc goes back. A link of a
// list says among which it stood (table/data-table.tsx), and the history keeps that: a reload forgets nothing.

import { useCanGoBack, useLocation, useNavigate } from '@tanstack/react-router'
import { useKeys, type Keys } from '#ui/keys.ts'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The addresses of the list, in its order. */
    among?: readonly string[]
  }
}

const noKeys: Keys = {}

export function useNeighbours(): void {
  const { pathname, state } = useLocation()
  const navigate = useNavigate()
  const canGoBack = useCanGoBack()
  const among = state.among ?? []
  // The router writes a reference's colons as they are, a link does not.
  const at = among.findIndex((address) => decodeURIComponent(address) === decodeURIComponent(pathname))
  const goTo = (place: number): void => {
    const to = among[place]
    // In place of the one that is left, so that the way back still leads to the list.
    if (to !== undefined) void navigate({ to, state: { among }, replace: true })
  }
  const keys: Keys = {
    '[': () => goTo(at - 1),
    ']': () => goTo(at + 1),
    Escape: () => {
      if (canGoBack) globalThis.history.back()
    },
  }
  // On other pages the keys are free for other uses.
  useKeys(at === -1 ? noKeys : keys)
}
