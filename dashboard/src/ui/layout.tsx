// The layout of the parts of a page. Lines separate, space groups; a panel contains no other panel.

import { Fragment, type ReactNode } from 'react'
import styles from './layout.module.css'

/** The head of a page: its only h1, one sentence if it needs one, its actions. */
export function PageHead({ title, says, actions }: { title: ReactNode; says?: ReactNode; actions?: ReactNode }) {
  return (
    <header className={styles.head}>
      <div>
        <h1>{title}</h1>
        {says === undefined ? null : <div className={styles.says}>{says}</div>}
      </div>
      {actions === undefined ? null : <div className={styles.actions}>{actions}</div>}
    </header>
  )
}

export function Section({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className={styles.section} aria-label={title}>
      <div className={styles.sectionHead}>
        <h2>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  )
}

export function Panel({ children }: { children: ReactNode }) {
  return <div className={styles.panel}>{children}</div>
}

export function Stack({ isWide = false, children }: { isWide?: boolean; children: ReactNode }) {
  return <div className={`${styles.stack} ${isWide ? styles.wide : ''}`}>{children}</div>
}

export function Row({ children }: { children: ReactNode }) {
  return <div className={styles.row}>{children}</div>
}

/** A record with its facts at the side. On a narrow screen the facts come first, because people look for them. */
export function Detail({ children, aside }: { children: ReactNode; aside: ReactNode }) {
  return (
    <div className={styles.detail}>
      <aside className={styles.stack}>{aside}</aside>
      <div className={`${styles.stack} ${styles.wide} ${styles.main}`}>{children}</div>
    </div>
  )
}

export type Fact = [name: string, value: ReactNode]

/** A fact that is undefined is left out. */
export function Facts({ facts }: { facts: readonly (Fact | undefined)[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map((fact) =>
        fact === undefined ? null : (
          <Fragment key={fact[0]}>
            <dt>{fact[0]}</dt>
            <dd>{fact[1]}</dd>
          </Fragment>
        ),
      )}
    </dl>
  )
}
