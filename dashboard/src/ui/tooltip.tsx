// A short text beside a control. ui/reason.tsx decides when it is open.

import { Tooltip as Base } from '@base-ui/react/tooltip'
import styles from './floating.module.css'

type TooltipProps = {
  says: string
  control: Element | undefined
  /** Called when the user presses Escape or another place of the page. */
  onClose: () => void
  /** Called when the pointer enters the text. */
  onEnter: () => void
  onLeave: () => void
}

export function Tooltip({ says, control, onClose, onEnter, onLeave }: TooltipProps) {
  function close(toOpen: boolean, { event }: Base.Root.ChangeEventDetails): void {
    const isOnControl = event.target instanceof Node && control?.contains(event.target) === true
    // A press on the control opens the tooltip (reason.tsx), so the same press must not close it.
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
