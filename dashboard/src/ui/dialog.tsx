// A dialog over the page, in the middle or at the side. It takes the focus and gives it back.

import { Dialog as Base } from '@base-ui/react/dialog'
import type { ReactNode, RefObject } from 'react'
import { Button } from './button.tsx'
import styles from './dialog.module.css'
import { Icon } from './icons.tsx'

export type DialogProps = {
  title: string
  /** One sentence below the title. */
  says?: ReactNode
  /** Undefined where it cannot be closed before its work is done. */
  onClose?: (() => void) | undefined
  shape?: 'middle' | 'wide' | 'side'
  /** Moves money of staging: it wears the edge of that environment. */
  isStaging?: boolean
  /** What takes the focus, where it is not the first control. A field that took it by itself would be given it back. */
  first?: RefObject<HTMLElement | null>
  children: ReactNode
}

/** Drawn while it is open: whoever shows it decides when it is there. */
export function Dialog({ title, says, onClose, shape = 'middle', isStaging = false, first, children }: DialogProps) {
  const look = shape === 'side' ? styles.side : `${styles.middle} ${shape === 'wide' ? styles.wide : ''}`
  return (
    <Base.Root open onOpenChange={(open) => (open ? undefined : onClose?.())} disablePointerDismissal>
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Popup
          className={`${styles.popup} ${look} ${isStaging ? styles.staging : ''}`}
          {...(first === undefined ? {} : { initialFocus: first })}
        >
          <div className={styles.head}>
            <Base.Title className={styles.title}>{title}</Base.Title>
            {onClose === undefined ? null : (
              <Button tone="quiet" isIcon aria-label="Close" onClick={onClose}>
                <Icon name="close" />
              </Button>
            )}
          </div>
          {says === undefined ? null : <Base.Description className={styles.says}>{says}</Base.Description>}
          <div className={styles.body}>{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
