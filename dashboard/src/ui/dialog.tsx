// A dialog over the page, in the middle or at the side. It takes the focus and gives it back. A dialog with unsaved
// input asks before it closes on Escape or by its cross. A dialog whose action is under way stays open, so that the
// person reads the outcome.

import { Dialog as Base } from '@base-ui/react/dialog'
import { createContext, use, useEffect, useRef, useState, type ReactNode, type RefObject } from 'react'
import { Button } from './button.tsx'
import styles from './dialog.module.css'
import { Icon } from './icons.tsx'
import { Row, Stack } from './layout.tsx'

type Held = { hasInput: () => boolean; isSending: () => boolean }
const HoldersContext = createContext<Set<Held> | undefined>(undefined)

/** Tells the dialog around a form the state of the form. `held` must be the same object at each render. */
export function useHolder(held: Held): void {
  const holders = use(HoldersContext)
  useEffect(() => {
    holders?.add(held)
    return () => void holders?.delete(held)
  }, [holders, held])
}

export type DialogProps = {
  title: string
  says?: ReactNode
  /** Undefined if the person must finish the dialog before it closes. */
  onClose?: (() => void) | undefined
  shape?: 'middle' | 'wide' | 'side'
  /** For an action in staging: draws the colored edge of staging. */
  isStaging?: boolean
  /**
   * The element that gets the focus, if it is not the first control. It must not use `autoFocus`: the dialog would take
   * it for the element that had the focus before, and give the focus back to it at the end.
   */
  first?: RefObject<HTMLElement | null>
  children: ReactNode
}

/** The parent renders the dialog only while it is open. */
export function Dialog({ title, says, onClose, shape = 'middle', isStaging = false, first, children }: DialogProps) {
  const [holders] = useState(() => new Set<Held>())
  const [isAsked, setAsked] = useState(false)
  function close(): void {
    const all = [...holders]
    if (all.some(({ isSending }) => isSending())) return
    if (all.some(({ hasInput }) => hasInput())) setAsked(true)
    else onClose?.()
  }
  const look = shape === 'side' ? styles.side : `${styles.middle} ${shape === 'wide' ? styles.wide : ''}`
  return (
    <Base.Root open onOpenChange={(open) => (open ? undefined : close())} disablePointerDismissal>
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Popup
          className={`${styles.popup} ${look} ${isStaging ? styles.staging : ''}`}
          {...(first === undefined ? {} : { initialFocus: first })}
        >
          <div className={styles.head}>
            <Base.Title className={styles.title}>{title}</Base.Title>
            {onClose === undefined ? null : (
              <Button tone="quiet" isIcon aria-label="Close" onClick={close}>
                <Icon name="close" />
              </Button>
            )}
          </div>
          {says === undefined ? null : <Base.Description className={styles.says}>{says}</Base.Description>}
          <HoldersContext value={holders}>
            <div className={styles.body}>{children}</div>
          </HoldersContext>
          {isAsked ? <AskToLeave onStay={() => setAsked(false)} onLeave={() => onClose?.()} /> : null}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

export function AskToLeave({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) {
  const stay = useRef<HTMLButtonElement>(null)
  return (
    <Dialog title="Leave without saving?" onClose={onStay} first={stay}>
      <Stack>
        <p>What you entered is not saved. If you leave, it is lost.</p>
        <Row>
          <Button ref={stay} tone="primary" onClick={onStay}>
            Stay
          </Button>
          <Button tone="quiet" onClick={onLeave}>
            Leave
          </Button>
        </Row>
      </Stack>
    </Dialog>
  )
}
