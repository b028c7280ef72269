// Who the bank says that the account belongs to: the last chance to see that it is somebody else's.

import styles from './payout.module.css'

export function NameLine({ name, error }: { name: string | undefined; error: Error | null }) {
  if (name !== undefined) {
    return (
      <p className={styles.line} role="status">
        Belongs to <span className={styles.name}>{name}</span>
      </p>
    )
  }
  if (error !== null) {
    return (
      <p className={styles.wrong} role="alert">
        {error.message}
      </p>
    )
  }
  return (
    <p className={styles.line} role="status">
      Asking the bank whose account this is …
    </p>
  )
}
