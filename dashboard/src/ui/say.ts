// The function by which any component shows a toast. It has a file of its own because toasts are drawn with buttons, and
// the tooltip of a button says so when its code does not load.

import { createContext, use } from 'react'

export const Say = createContext<(sentence: string) => void>(() => undefined)

/** Returns a function that shows one sentence, such as "Key revoked". */
export function useSay(): (sentence: string) => void {
  return use(Say)
}
