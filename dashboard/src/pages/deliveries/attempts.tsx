// The attempts of a delivery, the newest first: the time, the response, and its duration.

import type { DeliveryAttempt } from '#api/deliveries.ts'
import { formatDuration } from '#format/time.ts'
import { Code, Time } from '#ui/values.tsx'
import styles from './attempts.module.css'

export function Attempts({ attempts }: { attempts: readonly DeliveryAttempt[] }) {
  if (attempts.length === 0) return <p>It has not been sent yet.</p>
  return (
    <ol className={styles.attempts} reversed>
      {attempts
        .toSorted((one, other) => other.number - one.number)
        .map((attempt) => (
          <Attempt key={attempt.number} attempt={attempt} />
        ))}
    </ol>
  )
}

function Attempt({ attempt }: { attempt: DeliveryAttempt }) {
  const { number, at, statusCode, milliseconds, error, response, isCut } = attempt
  return (
    <li className={styles.attempt}>
      <div className={styles.line}>
        <span className={styles.number}>{number}</span>
        <Time at={at} ago />
        <span>
          <strong>{statusCode ?? 'No answer'}</strong> after {formatDuration(milliseconds / 1_000)}
        </span>
        {error === null ? null : <span className={styles.error}>{error}</span>}
      </div>
      {response === null ? null : <Code label={`Response to attempt ${number}`}>{response}</Code>}
      {isCut ? <span className={styles.cut}>The response was longer: this is its beginning.</span> : null}
    </li>
  )
}
