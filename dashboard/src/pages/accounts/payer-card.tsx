// The details that a payer needs, to read aloud or to copy into a message.

import type { VirtualAccount } from '#api/schema.ts'
import { groupAccountNumber } from '#format/ids.ts'
import { CopyButton } from '#ui/copy.tsx'
import { Row } from '#ui/layout.tsx'
import { Money, useZone } from '#ui/values.tsx'
import { textForPayer } from './for-the-payer.ts'
import styles from './payer-card.module.css'

export function PayerCard({ account }: { account: VirtualAccount }) {
  const zone = useZone()
  const { accountNumber, accountName, bankName, amount } = account
  return (
    <div className={styles.card}>
      <span className={styles.number}>{groupAccountNumber(accountNumber)}</span>
      <span>{bankName}</span>
      <span className={styles.name}>{accountName}</span>
      {amount === null ? null : <Money kobo={amount} />}
      <Row>
        <CopyButton text={accountNumber} label="Copy number" />
        <CopyButton text={textForPayer(account, zone, new Date().getTime())} label="Copy for the payer" />
      </Row>
    </div>
  )
}
