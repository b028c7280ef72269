// A message about a finished action, at the edge of the page. Errors are shown where they happened, not here.

import { useCallback, useState, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icons.tsx'
import { Say } from './say.ts'
import styles from './toast.module.css'

const shownMs = 6_000

type Toast = { id: number; sentence: string }

export function Toasts({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([])
  const end = useCallback((ended: number) => setToasts((all) => all.filter(({ id }) => id !== ended)), [])
  const say = useCallback(
    (sentence: string) => {
      const id = performance.now()
      setToasts((all) => [...all, { id, sentence }])
      setTimeout(() => end(id), shownMs)
    },
    [end],
  )
  return (
    <Say value={say}>
      {children}
      {/* The element exists before it has a text, because a screen reader reports a change within it but not its arrival. */}
      <div className={styles.viewport} role="status">
        {toasts.map(({ id, sentence }) => (
          <div key={id} className={styles.toast}>
            <span className={styles.title}>{sentence}</span>
            <Button tone="quiet" isSmall aria-label="Close" onClick={() => end(id)}>
              <Icon name="close" />
            </Button>
          </div>
        ))}
      </div>
    </Say>
  )
}
