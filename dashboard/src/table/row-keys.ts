// j and k walk through the rows of all lists of a page. Enter opens the row's link, which has the focus. c copies the
// reference of the row, or those of all selected rows.

import type { ReactNode } from 'react'
import { useCopy } from '#ui/copy.tsx'
import { useKeys } from '#ui/keys.ts'
import { useSay } from '#ui/say.ts'

/** Returns the dialog to copy by hand if the browser refused a copy, else null. */
export function useRowKeys(): ReactNode {
  const { copyReferences, byHand } = useCopyReferences()
  function walk(by: number): void {
    const links = [...document.querySelectorAll<HTMLElement>('a[data-row]')]
    const at = links.findIndex((link) => link === document.activeElement)
    links[at === -1 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1)]?.focus()
  }
  useKeys({ j: () => walk(1), k: () => walk(-1), c: () => void copyReferences() })
  return byHand
}

/** Copies the references of the selected rows, one in each line. */
export function useCopyReferences(): { copyReferences: () => Promise<void>; byHand: ReactNode } {
  const say = useSay()
  const { copy, byHand } = useCopy()
  async function copyReferences(): Promise<void> {
    const selected = [...document.querySelectorAll<HTMLAnchorElement>('tr[data-selected] a[data-row]')]
    const links = selected.length === 0 ? [document.activeElement] : selected
    const references = links.flatMap((link) => referenceOf(link) ?? [])
    const [first] = references
    if (first === undefined || !(await copy(references.join('\n')))) return
    say(references.length === 1 ? `Copied ${first}` : `Copied ${references.length} references`)
  }
  return { copyReferences, byHand }
}

/** Reads the reference from the link's address, because the link's text is grouped or shortened. */
function referenceOf(link: Element | null): string | undefined {
  if (!(link instanceof HTMLAnchorElement) || !link.matches('a[data-row]')) return undefined
  return decodeURIComponent(link.pathname.split('/').at(-1) ?? '')
}
