// The three sums of a balance, each with a sentence that explains it.

import type { Balance } from '#api/schema.ts'
import { Figure } from '#ui/values.tsx'
import styles from './sums.module.css'

export function Sums({ balance }: { balance: Balance }) {
  return (
    <div className={styles.sums}>
      <Sum name="Available" kobo={balance.available} says="Can be paid out now." />
      <Sum name="Reserved" kobo={balance.reserved} says="Set aside for payments that are on their way." />
      <Sum name="Ledger" kobo={balance.ledger} says="Available and reserved together." />
    </div>
  )
}

function Sum({ name, kobo, says }: { name: string; kobo: number; says: string }) {
  return (
    <div>
      <h2 className={styles.name}>{name}</h2>
      <Figure kobo={kobo} />
      <p className={styles.says}>{says}</p>
    </div>
  )
}
