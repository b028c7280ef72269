// The history of a payment, and who reported each step.

import type { PaymentStory } from '#api/payments.ts'
import { sayCodes } from '#format/statuses.ts'
import { Time } from '#ui/values.tsx'
import styles from './timeline.module.css'

export function Timeline({ steps }: { steps: PaymentStory['timeline'] }) {
  return (
    <ol className={styles.timeline}>
      {steps.map(({ at, what, source, says }) => (
        <li key={`${at} ${what}`} className={styles.step}>
          <span className={styles.what}>{sayCodes(says)}</span>
          <Time at={at} />
          <span className={styles.source}>{source}</span>
        </li>
      ))}
    </ol>
  )
}
