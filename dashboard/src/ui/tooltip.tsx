// A short explanation beside a control: on hover, on focus, and on a press of a disabled control, which is the only way
// on a phone. Only one is shown at a time, because pointer and focus may rest on two controls whose texts would
// overlap.

import { Tooltip as Base } from '@base-ui/react/tooltip'
import { useState, useSyncExternalStore, type ReactElement } from 'react'
import styles from './floating.module.css'

export function Tooltip({ says, children }: { says: string; children: ReactElement }) {
  const [isOpen, setOpen] = useOnlyOpen()
  return (
    <Base.Root open={isOpen} onOpenChange={setOpen}>
      <Base.Trigger render={children} aria-description={says} closeOnClick={false} onClick={() => setOpen(true)} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} className={styles.layer}>
          <Base.Popup className={styles.tooltip}>{says}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

let shown: symbol | undefined
const listeners = new Set<() => void>()

/** Open until it is closed or another one opens. */
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
