// j and k walk the rows; Enter opens the row's link, because the link has the focus; c copies what it names.

import { useRef, type RefObject } from 'react'
import { useKeys } from '#ui/keys.ts'

export function useRowKeys(): RefObject<HTMLTableSectionElement | null> {
  const body = useRef<HTMLTableSectionElement>(null)
  function walk(by: number): void {
    const links = [...(body.current?.querySelectorAll<HTMLElement>('a[data-row]') ?? [])]
    const at = links.findIndex((link) => link === document.activeElement)
    links[at === -1 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1)]?.focus()
  }
  function copy(): void {
    const { activeElement } = document
    if (activeElement?.matches('a[data-row]') !== true) return
    void navigator.clipboard.writeText(activeElement.textContent)
  }
  useKeys({ j: () => walk(1), k: () => walk(-1), c: copy })
  return body
}
