// Shows why a control is disabled: on hover, on keyboard focus, and on a press, which is the only way on a phone. The
// control is the same element with and without a reason, also while the tooltip's code loads. If the element were
// replaced, it would lose the focus, and a press that has begun would not count. The code loads when the first reason
// is shown, because it is large and most pages have no reason to show.

import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { FocusEvent, PointerEvent, ReactNode, SyntheticEvent } from 'react'
import { later } from './later.ts'

const Tooltip = later(async () => (await import('./tooltip.tsx')).Tooltip)

type ReasonProps = {
  'aria-description': string | undefined
  onPointerEnter: (event: PointerEvent) => void
  onPointerLeave: () => void
  onFocus: (event: FocusEvent) => void
  onBlur: () => void
  onClick: (event: SyntheticEvent) => void
}

/** The reason opens when the pointer has rested on the control for this long. */
const restMs = 600
/** Time to move the pointer from the control to the tooltip, for example to select its text. */
const leaveMs = 150

/** `tooltip` is drawn beside the control, and `props` go to the control. Without `says` both do nothing. */
export function useReason(says: string | undefined): { props: ReasonProps; tooltip: ReactNode } {
  const [isOpen, setOpen] = useOnlyOpen()
  const [control, setControl] = useState<Element>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  function change(next: boolean, waitMs = 0): void {
    clearTimeout(timer.current)
    if (waitMs === 0) setOpen(next)
    else timer.current = setTimeout(() => setOpen(next), waitMs)
  }
  function explain(of: Element, waitMs?: number): void {
    if (says === undefined) return
    setControl(of)
    change(true, waitMs)
  }
  const props: ReasonProps = {
    'aria-description': says,
    onPointerEnter: ({ currentTarget, pointerType }) => {
      if (pointerType !== 'touch') explain(currentTarget, isOpen ? 0 : restMs)
    },
    onPointerLeave: () => change(false, leaveMs),
    onFocus: ({ currentTarget }) => {
      if (currentTarget.matches(':focus-visible')) explain(currentTarget)
    },
    onBlur: () => change(false),
    onClick: ({ currentTarget }) => explain(currentTarget),
  }
  const tooltip =
    says === undefined || !isOpen ? null : (
      <Tooltip
        {...{ says, control }}
        onClose={() => change(false)}
        onEnter={() => change(true)}
        onLeave={() => change(false, leaveMs)}
      />
    )
  return { props, tooltip }
}

let shown: symbol | undefined
const listeners = new Set<() => void>()

/** Only one tooltip is open at a time, because pointer and focus may rest on two controls whose texts would overlap. */
function useOnlyOpen(): [isOpen: boolean, setOpen: (isOpen: boolean) => void] {
  const [own] = useState(() => Symbol('tooltip'))
  const isOpen = useSyncExternalStore(subscribe, () => shown === own)
  return [isOpen, (open) => show(open ? own : undefined, own)]
}

function subscribe(onChange: () => void): () => void {
  listeners.add(onChange)
  return () => listeners.delete(onChange)
}

/** A tooltip that closes does not close another one that has opened since. */
function show(next: symbol | undefined, by: symbol): void {
  if (next === undefined && shown !== by) return
  shown = next
  for (const tell of listeners) tell()
}
