// A short sentence beside what it explains, on hover and on focus. Nothing is said in a tooltip alone that a person must
// know on a phone.

import { Tooltip as Base } from '@base-ui/react/tooltip'
import type { ReactElement } from 'react'
import styles from './floating.module.css'

export function Tooltip({ says, children }: { says: string; children: ReactElement }) {
  return (
    <Base.Root>
      <Base.Trigger render={children} aria-description={says} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} className={styles.layer}>
          <Base.Popup className={styles.tooltip}>{says}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
