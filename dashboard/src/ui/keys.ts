// Single letters and arrows as shortcuts. They do nothing while a person types, or a dialog or menu is open, or when a person
// switched them off.

import { useEffect, useEffectEvent } from 'react'

export type Keys = Readonly<Record<string, () => void>>

export function useKeys(keys: Keys): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const action = keys[event.key]
    if (action === undefined || !isFree(event)) return
    event.preventDefault()
    action()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => press(event)
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
}

/** `g` and then another letter, within a second. */
export function useChords(first: string, seconds: Keys): void {
  const press = useEffectEvent((event: KeyboardEvent, isSecond: boolean): boolean => {
    if (!isFree(event)) return false
    const action = isSecond ? seconds[event.key] : undefined
    if (action !== undefined) {
      event.preventDefault()
      action()
    }
    return action === undefined && event.key === first
  })
  useEffect(() => {
    let firstAt = Number.NEGATIVE_INFINITY
    const listen = (event: KeyboardEvent): void => {
      const isFirst = press(event, event.timeStamp - firstAt < chordMs)
      firstAt = isFirst ? event.timeStamp : Number.NEGATIVE_INFINITY
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [first])
}

const chordMs = 1000

/** True if a pressed key may act as a shortcut: no field, dialog or menu takes it, and it does not scroll a table. */
export function isFree(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return false
  if (document.documentElement.dataset['letters'] === 'off') return false
  const { target } = event
  const isTyping = target instanceof Element && target.closest('input, select, textarea, [role="dialog"]') !== null
  return !isTyping && !isScroll(event) && document.querySelector('[role="dialog"], [role="menu"]') === null
}

/** Left and right scroll the table that has the focus, if it is wider than its place. */
function isScroll({ key, target }: KeyboardEvent): boolean {
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return false
  const region = target instanceof Element ? target.closest('[tabindex]') : null
  return region !== null && region.scrollWidth > region.clientWidth
}
