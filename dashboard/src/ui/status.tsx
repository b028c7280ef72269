// A status: a shape and a word, in the color of its meaning.

import { lookOf, type Tone } from '#format/statuses.ts'
import styles from './status.module.css'

export function Status({ status }: { status: string }) {
  const { tone, words } = lookOf(status)
  return <Chip tone={tone}>{words}</Chip>
}

export function Chip({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className={`${styles.chip} ${styles[tone]}`}>
      <Shape tone={tone} />
      {children}
    </span>
  )
}

const paths: Record<Exclude<Tone, 'done' | 'asks' | 'moving'>, string> = {
  failed: 'M1.5 1.5l5 5M6.5 1.5l-5 5',
  back: 'M7 2.5v3H1.5M3.5 3L1.3 5.5 3.5 8',
  idle: 'M1 4h6',
}

function Shape({ tone }: { tone: Tone }) {
  const frame = { className: styles.shape, viewBox: '0 0 8 8', 'aria-hidden': true } as const
  const line = { fill: 'none', stroke: 'currentColor', strokeWidth: 1.5 } as const
  if (tone === 'done') return <svg {...frame} children={<circle cx="4" cy="4" r="3.5" fill="currentColor" />} />
  if (tone === 'asks') return <svg {...frame} children={<circle cx="4" cy="4" r="3" {...line} />} />
  if (tone === 'moving') {
    return (
      <svg {...frame}>
        <circle cx="4" cy="4" r="3" {...line} />
        <path d="M4 1a3 3 0 0 1 0 6z" fill="currentColor" />
      </svg>
    )
  }
  return <svg {...frame} children={<path d={paths[tone]} {...line} />} />
}
