// Who the bank says that the account belongs to: the last chance to see that it is another person's.

import { HolderLine, SaidLine } from '#ui/said-line.tsx'
import styles from './payout.module.css'

export function NameLine({ name, error }: { name: string | undefined; error: Error | null }) {
  if (name !== undefined) return <HolderLine name={name} />
  if (error !== null) {
    return (
      <p className={styles.wrong} role="alert">
        {error.message}
      </p>
    )
  }
  return <SaidLine>Asking the bank whose account this is …</SaidLine>
}
