// What a statement begins and ends with, and what lies between.

import type { Statement } from '#api/statement.ts'
import { Money } from '#ui/values.tsx'
import styles from './sums.module.css'

export function StatementSums({ statement }: { statement: Statement }) {
  const sums: [string, number][] = [
    ['Opening balance', statement.opening],
    ['In', statement.sumIn],
    ['Out', statement.sumOut],
    ['Closing balance', statement.closing],
  ]
  return (
    <dl className={styles.strip}>
      {sums.map(([name, kobo]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Money kobo={kobo} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
