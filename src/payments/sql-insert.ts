// The SQL that writes new payments: a statement for bank transfers and one for mobile money, so that a bank transfer does not
// pay for the columns of wallets.

import { arrayOf, arraysOf, statement, type Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import type { BankTransfer, MobileMoney, Payment } from './payment.ts'
import { collectionColumns, splitByPayee } from './sql-rows.ts'

export type NewPayment<P extends Payment = Payment> = {
  payment: P
  ordinal: bigint
  dueAt: Date
  keyId: Uuid | null
  /** Null: nobody will ask for it by that. */
  railReference: string | null
}

export function insertPayments(tx: Tx, rows: NewPayment[]): void {
  const { toBanks, ofWallets } = splitByPayee(rows)
  if (toBanks.length > 0) insertBankTransfers(tx, toBanks)
  if (ofWallets.length > 0) insertMobileMoney(tx, ofWallets)
}

// What payments of all kinds have, as the parameters $2 to $17.
const common = `tenant_id, reference, id, ordinal, currency, amount, fee, narration, metadata, created_at, due_at, submitted_at, rail, trace,
       key_id, rail_reference`
const commonTypes = `$2::uuid[], $3::text[], $4::uuid[], $5::bigint[], $6::text[], $7::bigint[], $8::bigint[], $9::text[],
       $10::text[], $11::timestamptz[], $12::timestamptz[], $13::timestamptz[], $14::text[], $15::text[], $16::uuid[], $17::uuid[]`

function commonColumns(rows: NewPayment[]): string[] {
  const payments = rows.map(({ payment }) => payment)
  return [
    ...arraysOf(payments, 'tenantId', 'reference', 'id'),
    arrayOf(rows, ({ ordinal }) => ordinal),
    ...arraysOf(payments, 'currency', 'amount', 'fee', 'narration', 'metadata', 'createdAt'),
    arrayOf(rows, ({ dueAt }) => dueAt),
    ...arraysOf(payments, 'submittedAt', 'rail', 'trace'),
    ...arraysOf(rows, 'keyId', 'railReference'),
  ]
}

const bankTransferColumns = `${common}, bank_slug, bank_name, account_number, account_name`

const insertToBanks = statement(
  'payments.insert',
  `insert into payment (lane, kind, status, updated_at, ${bankTransferColumns})
   select $1, 'bank_transfer', 'queued', v.created_at, v.*
     from unnest(${commonTypes}, $18::text[], $19::text[], $20::text[], $21::text[]) as v (${bankTransferColumns})`,
)

function insertBankTransfers(tx: Tx, rows: NewPayment<BankTransfer>[]): void {
  const payments = rows.map(({ payment }) => payment)
  tx.send(insertToBanks, [
    tx.lane,
    ...commonColumns(rows),
    ...arraysOf(payments, 'bankSlug', 'bankName', 'accountNumber', 'accountName'),
  ])
}

const mobileMoneyColumns = `${common}, kind, status, phone_number, operator, account_name, customer_name, approval,
         otp_expires_at, otp_tries, otp_wrong, expires_at`

const insertOfWallets = statement(
  'payments.insert_mobile_money',
  `insert into payment (lane, updated_at, ${mobileMoneyColumns})
   select $1, v.created_at, v.*
     from unnest(${commonTypes}, $18::text[], $19::text[], $20::text[], $21::text[], $22::text[], $23::text[], $24::text[],
       $25::timestamptz[], $26::smallint[], $27::smallint[], $28::timestamptz[]) as v (${mobileMoneyColumns})`,
)

function insertMobileMoney(tx: Tx, rows: NewPayment<MobileMoney>[]): void {
  const payments = rows.map(({ payment }) => payment)
  tx.send(insertOfWallets, [
    tx.lane,
    ...commonColumns(rows),
    ...arraysOf(payments, 'kind', 'status', 'phoneNumber', 'operator'),
    arrayOf(rows, ({ payment }) => (payment.kind === 'momo_transfer' ? payment.accountName : null)),
    ...collectionColumns(rows, 'customerName', 'approval', 'otpExpiresAt', 'otpTries', 'otpWrong', 'expiresAt'),
  ])
}
