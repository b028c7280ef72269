// The layout of the pages that are shown without sign-in.

import type { ReactNode } from 'react'
import styles from './outside.module.css'

export function Outside({ title, says, children }: { title: string; says?: ReactNode; children: ReactNode }) {
  return (
    <>
      <title>{`${title} · Manilla`}</title>
      <main className={styles.page}>
        <div className={styles.column}>
          <div className={styles.name}>
            <svg className={styles.mark} viewBox="0 0 32 32" aria-hidden>
              <path d="M9 23V9l7 9 7-9v14" fill="none" stroke="currentColor" strokeWidth="3" />
            </svg>
            Manilla
          </div>
          <div>
            <h1>{title}</h1>
            {says === undefined ? null : <div className={styles.says}>{says}</div>}
          </div>
          {children}
        </div>
      </main>
    </>
  )
}
