// The function by which any component shows a toast. It has a file of its own to avoid a circular import: a toast draws
// buttons, and the tooltip of a button shows a toast if its code does not load.

import { createContext, use } from 'react'

export const Say = createContext<(sentence: string) => void>(() => undefined)

/** Returns a function that shows one sentence, such as "Key revoked". */
export function useSay(): (sentence: string) => void {
  return use(Say)
}
