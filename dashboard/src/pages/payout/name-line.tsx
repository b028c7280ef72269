// The holder of the account, as the bank names them. It is the last chance to notice a wrong account.

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
