// Texts of a page without content: nothing yet, nothing that matches, not allowed, or an error.

import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Copyable } from './copy.tsx'
import styles from './states.module.css'

type EmptyStateProps = {
  title: string
  says: ReactNode
  /** The state is the whole page, so its title is the page's title. */
  isPage?: boolean
  children?: ReactNode
}

export function EmptyState({ title, says, isPage = false, children }: EmptyStateProps) {
  const Title = isPage ? 'h1' : 'h2'
  return (
    <div className={styles.state}>
      <Title className={styles.title}>{title}</Title>
      <div className={styles.says}>{says}</div>
      {children === undefined ? null : <div className={styles.row}>{children}</div>}
    </div>
  )
}

export type Failure = { message: string; requestId?: string | undefined }

type ErrorStateProps = { failure: Failure; isPage?: boolean; onRetry?: (() => void) | undefined }

export function ErrorState({ failure, isPage = false, onRetry }: ErrorStateProps) {
  const Title = isPage ? 'h1' : 'h2'
  const { message, requestId } = failure
  return (
    <div className={styles.state} role="alert">
      <Title className={styles.title}>This could not be loaded</Title>
      <p className={styles.says}>{message}</p>
      <div className={styles.row}>
        {onRetry === undefined ? null : <Button onClick={onRetry}>Try again</Button>}
        {requestId === undefined ? null : (
          <span className={styles.request}>
            Request <Copyable text={requestId} what="the request id" children={requestId} />
          </span>
        )}
      </div>
    </div>
  )
}

/** A gray line of the height of text; it shows itself after 200 ms. */
export function Skeleton({ width = '100%' }: { width?: string }) {
  return <span className={styles.bone} style={{ width }} />
}

/** For a block that loads: this many lines, and a text for screen readers. */
export function SkeletonLines({ lines = 4 }: { lines?: number }) {
  return (
    <div className={styles.state}>
      <span className="only-read" role="status">
        Loading
      </span>
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} width={`${90 - ((line * 23) % 40)}%`} />
      ))}
    </div>
  )
}

type NoticeProps = { tone?: 'plain' | 'asks' | 'failed' | 'done'; children: ReactNode; action?: ReactNode }

export function Notice({ tone = 'plain', children, action }: NoticeProps) {
  return (
    <div className={`${styles.notice} ${styles[tone] ?? ''}`} role={tone === 'failed' ? 'alert' : undefined}>
      <div>{children}</div>
      {action}
    </div>
  )
}
