// The SQL that writes new payments: a statement for bank transfers and one for mobile money, so that a bank transfer does not
// pay for the columns of wallets.

import { arrayOf, statement, type Tx } from '#base/db.ts'
import type { BankTransfer, MobileMoney, Payment } from './payment.ts'
import { collectionColumn, splitByPayee } from './sql-rows.ts'

export type NewPayment<P extends Payment = Payment> = { payment: P; ordinal: bigint; dueAt: Date }

export function insertPayments(tx: Tx, rows: NewPayment[]): void {
  const { toBanks, ofWallets } = splitByPayee(rows)
  if (toBanks.length > 0) insertBankTransfers(tx, toBanks)
  if (ofWallets.length > 0) insertMobileMoney(tx, ofWallets)
}

// What payments of all kinds have, as the parameters $2 to $14.
const common = `tenant_id, reference, id, ordinal, currency, amount, fee, narration, metadata, created_at, due_at, submitted_at, rail`
const commonTypes = `$2::uuid[], $3::text[], $4::uuid[], $5::bigint[], $6::text[], $7::bigint[], $8::bigint[], $9::text[],
       $10::text[], $11::timestamptz[], $12::timestamptz[], $13::timestamptz[], $14::text[]`

function commonColumns(rows: NewPayment[]): string[] {
  return [
    arrayOf(rows, ({ payment }) => payment.tenantId),
    arrayOf(rows, ({ payment }) => payment.reference),
    arrayOf(rows, ({ payment }) => payment.id),
    arrayOf(rows, ({ ordinal }) => ordinal),
    arrayOf(rows, ({ payment }) => payment.currency),
    arrayOf(rows, ({ payment }) => payment.amount),
    arrayOf(rows, ({ payment }) => payment.fee),
    arrayOf(rows, ({ payment }) => payment.narration),
    arrayOf(rows, ({ payment }) => payment.metadata),
    arrayOf(rows, ({ payment }) => payment.createdAt),
    arrayOf(rows, ({ dueAt }) => dueAt),
    arrayOf(rows, ({ payment }) => payment.submittedAt),
    arrayOf(rows, ({ payment }) => payment.rail),
  ]
}

const bankTransferColumns = `${common}, bank_slug, bank_name, account_number, account_name`

const insertToBanks = statement(
  'payments.insert',
  `insert into payment (lane, kind, status, updated_at, ${bankTransferColumns})
   select $1, 'bank_transfer', 'queued', v.created_at, v.*
     from unnest(${commonTypes}, $15::text[], $16::text[], $17::text[], $18::text[]) as v (${bankTransferColumns})`,
)

function insertBankTransfers(tx: Tx, rows: NewPayment<BankTransfer>[]): void {
  tx.send(insertToBanks, [
    tx.lane,
    ...commonColumns(rows),
    arrayOf(rows, ({ payment }) => payment.bankSlug),
    arrayOf(rows, ({ payment }) => payment.bankName),
    arrayOf(rows, ({ payment }) => payment.accountNumber),
    arrayOf(rows, ({ payment }) => payment.accountName),
  ])
}

const mobileMoneyColumns = `${common}, kind, status, phone_number, operator, account_name, customer_name, approval,
         otp_expires_at, otp_tries, otp_wrong, expires_at`

const insertOfWallets = statement(
  'payments.insert_mobile_money',
  `insert into payment (lane, updated_at, ${mobileMoneyColumns})
   select $1, v.created_at, v.*
     from unnest(${commonTypes}, $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[],
       $22::timestamptz[], $23::smallint[], $24::smallint[], $25::timestamptz[]) as v (${mobileMoneyColumns})`,
)

function insertMobileMoney(tx: Tx, rows: NewPayment<MobileMoney>[]): void {
  tx.send(insertOfWallets, [
    tx.lane,
    ...commonColumns(rows),
    arrayOf(rows, ({ payment }) => payment.kind),
    arrayOf(rows, ({ payment }) => payment.status),
    arrayOf(rows, ({ payment }) => payment.phoneNumber),
    arrayOf(rows, ({ payment }) => payment.operator),
    arrayOf(rows, ({ payment }) => (payment.kind === 'momo_transfer' ? payment.accountName : null)),
    collectionColumn(rows, ({ customerName }) => customerName),
    collectionColumn(rows, ({ approval }) => approval),
    collectionColumn(rows, ({ otpExpiresAt }) => otpExpiresAt),
    collectionColumn(rows, ({ otpTries }) => otpTries),
    collectionColumn(rows, ({ otpWrong }) => otpWrong),
    collectionColumn(rows, ({ expiresAt }) => expiresAt),
  ])
}
