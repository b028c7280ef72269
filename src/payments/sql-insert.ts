// The SQL that writes new payments. A statement for each kind of payee: a bank transfer costs what it did before wallets
// were known.

import { arrayOf, type Statement, statement, type Tx } from '#base/db.ts'
import type { BankTransfer, MomoCollection, MomoTransfer, Payment } from './payment.ts'

export type NewPayment = { payment: Payment; ordinal: bigint; dueAt: Date }

type New<P extends Payment> = { payment: P; ordinal: bigint; dueAt: Date }

export function insertPayments(tx: Tx, rows: NewPayment[]): void {
  const toBanks = rows.filter((row): row is New<BankTransfer> => row.payment.kind === 'bank_transfer')
  if (toBanks.length > 0) insertBankTransfers(tx, toBanks)
  if (toBanks.length === rows.length) return
  const ofWallets = rows.filter(
    (row): row is New<MomoTransfer | MomoCollection> => row.payment.kind !== 'bank_transfer',
  )
  insertMobileMoney(tx, ofWallets)
}

const insertToBanks = statement(
  'payments.insert',
  `insert into payment
     (lane, kind, status, tenant_id, reference, id, ordinal, currency, amount, fee, bank_slug, bank_name, account_number,
      account_name, narration, metadata, created_at, updated_at, due_at, submitted_at)
   select $1, 'bank_transfer', 'queued', v.tenant_id, v.reference, v.id, v.ordinal, v.currency, v.amount, v.fee, v.bank_slug,
          v.bank_name, v.account_number, v.account_name, v.narration, v.metadata, v.created_at, v.created_at, v.due_at, v.submitted_at
     from unnest($2::uuid[], $3::text[], $4::uuid[], $5::bigint[], $6::text[], $7::bigint[], $8::bigint[], $9::text[],
       $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::timestamptz[], $16::timestamptz[], $17::timestamptz[])
       as v (tenant_id, reference, id, ordinal, currency, amount, fee, bank_slug, bank_name, account_number,
             account_name, narration, metadata, created_at, due_at, submitted_at)`,
)

function insertBankTransfers(tx: Tx, rows: New<BankTransfer>[]): void {
  send(tx, insertToBanks, rows, [
    ({ payment }) => payment.tenantId,
    ({ payment }) => payment.reference,
    ({ payment }) => payment.id,
    ({ ordinal }) => ordinal,
    ({ payment }) => payment.currency,
    ({ payment }) => payment.amount,
    ({ payment }) => payment.fee,
    ({ payment }) => payment.bankSlug,
    ({ payment }) => payment.bankName,
    ({ payment }) => payment.accountNumber,
    ({ payment }) => payment.accountName,
    ({ payment }) => payment.narration,
    ({ payment }) => payment.metadata,
    ({ payment }) => payment.createdAt,
    ({ dueAt }) => dueAt,
    ({ payment }) => payment.submittedAt,
  ])
}

const insertOfWallets = statement(
  'payments.insert_mobile_money',
  `insert into payment
     (lane, kind, status, tenant_id, reference, id, ordinal, currency, amount, fee, phone_number, operator, account_name,
      customer_name, approval, otp_expires_at, otp_tries, otp_wrong, expires_at, narration, metadata, created_at, updated_at,
      due_at, submitted_at)
   select $1, v.kind, v.status, v.tenant_id, v.reference, v.id, v.ordinal, v.currency, v.amount, v.fee, v.phone_number, v.operator,
          v.account_name, v.customer_name, v.approval, v.otp_expires_at, v.otp_tries, v.otp_tries, v.expires_at, v.narration,
          v.metadata, v.created_at, v.created_at, v.due_at, v.submitted_at
     from unnest($2::text[], $3::text[], $4::uuid[], $5::text[], $6::uuid[], $7::bigint[], $8::text[], $9::bigint[], $10::bigint[],
       $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::timestamptz[], $17::smallint[], $18::timestamptz[],
       $19::text[], $20::text[], $21::timestamptz[], $22::timestamptz[], $23::timestamptz[])
       as v (kind, status, tenant_id, reference, id, ordinal, currency, amount, fee, phone_number, operator, account_name,
             customer_name, approval, otp_expires_at, otp_tries, expires_at, narration, metadata, created_at, due_at, submitted_at)`,
)

function insertMobileMoney(tx: Tx, rows: New<MomoTransfer | MomoCollection>[]): void {
  const ofCollection =
    (column: (collection: MomoCollection) => Value) =>
    ({ payment }: New<MomoTransfer | MomoCollection>): Value =>
      payment.kind === 'momo_collection' ? column(payment) : null
  send(tx, insertOfWallets, rows, [
    ({ payment }) => payment.kind,
    ({ payment }) => payment.status,
    ({ payment }) => payment.tenantId,
    ({ payment }) => payment.reference,
    ({ payment }) => payment.id,
    ({ ordinal }) => ordinal,
    ({ payment }) => payment.currency,
    ({ payment }) => payment.amount,
    ({ payment }) => payment.fee,
    ({ payment }) => payment.phoneNumber,
    ({ payment }) => payment.operator,
    ({ payment }) => (payment.kind === 'momo_transfer' ? payment.accountName : null),
    ofCollection(({ customerName }) => customerName),
    ofCollection(({ approval }) => approval),
    ofCollection(({ otpExpiresAt }) => otpExpiresAt),
    ofCollection(({ otpTries }) => otpTries),
    ofCollection(({ expiresAt }) => expiresAt),
    ({ payment }) => payment.narration,
    ({ payment }) => payment.metadata,
    ({ payment }) => payment.createdAt,
    ({ dueAt }) => dueAt,
    ({ payment }) => payment.submittedAt,
  ])
}

type Value = string | number | bigint | Date | null

function send<R>(tx: Tx, what: Statement, rows: R[], columns: ((row: R) => Value)[]): void {
  tx.send(what, [tx.lane, ...columns.map((column) => arrayOf(rows, column))])
}
