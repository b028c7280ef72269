// Lines of a form that show facts about a payment before it is sent.

import type { ReactNode } from 'react'
import styles from './said-line.module.css'
import { Money } from './values.tsx'

export function SaidLine({ children }: { children: ReactNode }) {
  return (
    <p className={styles.line} role="status">
      {children}
    </p>
  )
}

export function HolderLine({ name }: { name: string }) {
  return (
    <SaidLine>
      Belongs to <span className={styles.name}>{name}</span>
    </SaidLine>
  )
}

/** `fee` and `total` are null until they are known. `label`: the name of the total. */
export function CostLine({ fee, label, total }: { fee: number | null; label: string; total: number | null }) {
  return (
    <SaidLine>
      <span>
        Fee <Money kobo={fee} />
      </span>
      <span>
        {label}:{' '}
        <span className={styles.name}>
          <Money kobo={total} />
        </span>
      </span>
    </SaidLine>
  )
}
