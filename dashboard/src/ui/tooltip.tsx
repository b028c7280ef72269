// A short text beside a control. ui/reason.tsx decides when it is open.

import { Tooltip as Base } from '@base-ui/react/tooltip'
import styles from './floating.module.css'

type TooltipProps = {
  says: string
  control: Element | undefined
  /** The user pressed Escape or another place of the page. */
  onClose: () => void
  /** The pointer is on the text. */
  onEnter: () => void
  onLeave: () => void
}

export function Tooltip({ says, control, onClose, onEnter, onLeave }: TooltipProps) {
  function close(toOpen: boolean, { event }: Base.Root.ChangeEventDetails): void {
    const isOnControl = event.target instanceof Node && control?.contains(event.target) === true
    // A press of the control opens the text, so it must not close it first.
    if (!toOpen && !(isOnControl && event.type !== 'keydown')) onClose()
  }
  return (
    <Base.Root open onOpenChange={close}>
      <Base.Portal>
        <Base.Positioner anchor={control} sideOffset={6} className={styles.layer}>
          <Base.Popup className={styles.tooltip} onPointerEnter={onEnter} onPointerLeave={onLeave}>
            {says}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
