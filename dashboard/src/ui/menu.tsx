// A menu of actions behind a button.

import { Menu as Base } from '@base-ui/react/menu'
import { Fragment, type ReactElement, type ReactNode } from 'react'
import styles from './floating.module.css'

export type MenuAction = {
  label: ReactNode
  hint?: string | undefined
  disabledReason?: string | undefined
  onSelect: () => void
}

export type MenuGroup = { heading?: string; actions: MenuAction[] }

export function Menu({ trigger, groups }: { trigger: ReactElement; groups: MenuGroup[] }) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="start" className={styles.layer}>
          <Base.Popup className={styles.popup}>
            {groups.map(({ heading, actions }, place) => (
              <Fragment key={heading ?? place}>
                {place === 0 ? null : <Base.Separator className={styles.separator} />}
                <Base.Group>
                  {heading === undefined ? null : (
                    <Base.GroupLabel className={styles.heading}>{heading}</Base.GroupLabel>
                  )}
                  {actions.map((action, index) => (
                    <Item key={index} {...action} />
                  ))}
                </Base.Group>
              </Fragment>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

function Item({ label, hint, disabledReason, onSelect }: MenuAction) {
  const said = disabledReason ?? hint
  return (
    <Base.Item className={styles.item} disabled={disabledReason !== undefined} onClick={onSelect}>
      {label}
      {said === undefined ? null : <span className={styles.hint}>{said}</span>}
    </Base.Item>
  )
}
