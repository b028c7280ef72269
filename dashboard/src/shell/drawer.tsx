// The navigation on a phone. It closes when the person opens a page.

import type { ReactNode } from 'react'
import { Dialog } from '#ui/dialog.tsx'
import styles from './frame.module.css'

export function Drawer({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  return (
    <Dialog title="Manilla" shape="side" onClose={onClose}>
      <div className={styles.drawer} onClick={(event) => closeOnLink(event.target, onClose)}>
        {children}
      </div>
    </Dialog>
  )
}

function closeOnLink(target: EventTarget, close: () => void): void {
  if (target instanceof Element && target.closest('a') !== null) close()
}
