// A short sentence beside what it explains: on hover, on focus, and when it is pressed all the same, which is the only way of
// asking for it on a phone.

import { Tooltip as Base } from '@base-ui/react/tooltip'
import { useState, type ReactElement } from 'react'
import styles from './floating.module.css'

export function Tooltip({ says, children }: { says: string; children: ReactElement }) {
  const [isOpen, setOpen] = useState(false)
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
