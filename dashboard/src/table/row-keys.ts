// j and k walk the rows of all lists of a page; Enter opens the row's link, because the link has the focus; c copies the
// reference of what it opens.

import { useKeys } from '#ui/keys.ts'
import { useSay } from '#ui/toast.tsx'

export function useRowKeys(): void {
  const say = useSay()
  function walk(by: number): void {
    const links = [...document.querySelectorAll<HTMLElement>('a[data-row]')]
    const at = links.findIndex((link) => link === document.activeElement)
    links[at === -1 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1)]?.focus()
  }
  async function copy(): Promise<void> {
    const { activeElement } = document
    if (!(activeElement instanceof HTMLAnchorElement) || !activeElement.matches('a[data-row]')) return
    // Not what it shows, which is grouped or shortened for the eye.
    const reference = decodeURIComponent(activeElement.pathname.split('/').at(-1) ?? '')
    await navigator.clipboard.writeText(reference)
    say(`Copied ${reference}`)
  }
  useKeys({ j: () => walk(1), k: () => walk(-1), c: () => void copy() })
}
