// A word about what was done, at the edge of the page. What went wrong is said where it went wrong, not here.

import { Toast as Base } from '@base-ui/react/toast'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icons.tsx'
import styles from './toast.module.css'

export function Toasts({ children }: { children: ReactNode }) {
  return (
    <Base.Provider timeout={6000}>
      {children}
      <Base.Portal>
        <Base.Viewport className={styles.viewport}>
          <List />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  )
}

function List() {
  const { toasts } = Base.useToastManager()
  return toasts.map((toast) => (
    <Base.Root key={toast.id} toast={toast} className={styles.toast}>
      <Base.Title className={styles.title} />
      <Base.Close render={<Button tone="quiet" isSmall aria-label="Close" children={<Icon name="close" />} />} />
    </Base.Root>
  ))
}

/** Says one sentence, such as "Key revoked". */
export function useSay(): (sentence: string) => void {
  const { add } = Base.useToastManager()
  return (sentence) => void add({ title: sentence })
}
