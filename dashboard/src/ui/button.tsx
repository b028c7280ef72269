// A button. One that may not be pressed stays where it is, can be reached by keyboard, and says why.

import { lazy, Suspense, type ComponentProps, type ReactNode } from 'react'
import styles from './button.module.css'

// Loaded when the first reason is to be shown: the pages that a stranger sees first do without it.
const Tooltip = lazy(async () => ({ default: (await import('./tooltip.tsx')).Tooltip }))

type ButtonTone = 'primary' | 'plain' | 'quiet' | 'danger'
type ButtonLook = { tone?: ButtonTone; isSmall?: boolean; isIcon?: boolean }

export type ButtonProps = Omit<ComponentProps<'button'>, 'className' | 'disabled'> &
  ButtonLook & {
    /** Said in place of the action; undefined where the action is free. */
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
  const button = (
    <button
      type="button"
      {...rest}
      className={look}
      aria-disabled={isOff ? true : undefined}
      aria-busy={isBusy ? true : undefined}
      onClick={(event) => {
        if (isOff) event.preventDefault()
        else onClick?.(event)
      }}
    />
  )
  if (disabledReason === undefined) return button
  return (
    <Suspense fallback={button}>
      <Tooltip says={disabledReason}>{button}</Tooltip>
    </Suspense>
  )
}
