// A button. A disabled one stays in place, can be reached by keyboard, and shows the reason.

import { mergeProps } from '@base-ui/react/merge-props'
import type { ComponentProps, ReactNode } from 'react'
import styles from './button.module.css'
import { useReason } from './reason.tsx'

type ButtonTone = 'primary' | 'plain' | 'quiet' | 'danger'
type ButtonLook = { tone?: ButtonTone; isSmall?: boolean; isIcon?: boolean }

export type ButtonProps = Omit<ComponentProps<'button'>, 'className' | 'disabled'> &
  ButtonLook & {
    /** Shown in place of the action; undefined if the action is allowed. */
    disabledReason?: string | undefined
    isBusy?: boolean
    children: ReactNode
  }

/** For links that look like buttons. */
export function buttonLook({ tone = 'plain', isSmall = false, isIcon = false }: ButtonLook = {}): string {
  return [styles.button, styles[tone], isSmall ? styles.small : '', isIcon ? styles.icon : ''].join(' ')
}

export function Button({ tone, isSmall, isIcon, disabledReason, isBusy = false, onClick, ...rest }: ButtonProps) {
  const isOff = isBusy || disabledReason !== undefined
  const look = buttonLook({
    ...(tone === undefined ? {} : { tone }),
    ...(isSmall === undefined ? {} : { isSmall }),
    ...(isIcon === undefined ? {} : { isIcon }),
  })
  const { props, tooltip } = useReason(disabledReason)
  const own: ComponentProps<'button'> = {
    ...rest,
    onClick: (event) => {
      if (isOff) event.preventDefault()
      else onClick?.(event)
    },
  }
  return (
    <>
      <button
        type="button"
        {...mergeProps<'button'>(props, own)}
        className={look}
        aria-disabled={isOff ? true : undefined}
        aria-busy={isBusy ? true : undefined}
      />
      {tooltip}
    </>
  )
}
