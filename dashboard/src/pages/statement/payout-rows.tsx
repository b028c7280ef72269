// The payouts that were accepted on the days of the statement, one per row, to compare with the statement of a bank.

import { useQuery } from '@tanstack/react-query'
import { momoTransfersQuery, transfersQuery } from '#api/payments.ts'
import type { MomoTransfer, Transfer } from '#api/schema.ts'
import { absent } from '#format/money.ts'
import { payeeNumberOf } from '#shell/momo-payee.ts'
import { OperatorName } from '#shell/operator-name.tsx'
import { paths } from '#shell/paths.ts'
import { usePlace } from '#shell/place.ts'
import { moneyColumn, statusColumn, textColumn, timeColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'
import { exportColumns } from '#table/export-columns.ts'
import type { Filters } from '#table/filters.ts'
import { listed } from '#table/listed.ts'
import { Copyable } from '#ui/copy.tsx'
import { EmptyState } from '#ui/states.tsx'
import styles from './sums.module.css'

type Payout = Transfer | MomoTransfer

/** The reference is first, because it leads to the payout. */
function columnsOf<Row extends Payout>(recipient: Column<Row>[]): Column<Row>[] {
  return [
    { id: 'reference', head: 'Reference', cell: ({ reference }) => reference, isOnPhone: true },
    ...recipient,
    statusColumn(({ status }) => status),
    moneyColumn('amount', 'Net', ({ amount }) => amount, { isOnPhone: true }),
    moneyColumn('fee', 'Fee', ({ fee }) => fee),
    timeColumn('createdAt', 'Time', ({ createdAt }) => createdAt),
  ]
}

const bankColumns = columnsOf<Transfer>([
  textColumn('to', 'Recipient', ({ accountName }) => accountName),
  textColumn('bank', 'Bank', ({ bankName }) => bankName),
  { id: 'sessionId', head: 'Session ID', cell: ({ sessionId }) => <SessionId id={sessionId} /> },
])

const walletColumns = columnsOf<MomoTransfer>([
  textColumn('to', 'Recipient', (payment) => payment.accountName ?? payeeNumberOf(payment)),
  { id: 'operator', head: 'Operator', cell: ({ operator }) => <OperatorName slug={operator} /> },
  textColumn('operatorReference', 'Operator reference', ({ operatorReference }) => operatorReference),
])

const sums = 'createdAt completedAt reference status amount fee totalDebit currency accountName '

export const bankPayouts = {
  noun: 'transfers',
  columns: bankColumns,
  exported: { noun: 'transfers', columns: exportColumns(`${sums}accountNumber bankName sessionId narration`) },
}

export const walletPayouts = {
  noun: 'momo-transfers',
  columns: walletColumns,
  exported: {
    noun: 'momo-transfers',
    columns: exportColumns(`${sums}phoneNumber accountNumber accountReference operator operatorReference narration`),
  },
}

/** Shows only the end of the id, which tells payouts apart; the whole id would leave no room for names. */
function SessionId({ id }: { id: string | null }) {
  return id === null ? absent : <Copyable text={id} what="the session id" children={`…${id.slice(-12)}`} />
}

type PayoutRowsProps = { state: Filters; range: { from: string; to: string }; name: string }

export function BankPayouts({ state, range, name }: PayoutRowsProps) {
  const place = usePlace()
  const result = useQuery(transfersQuery(place, { ...state.query, ...range }))
  return (
    <>
      <Accepted />
      <DataTable
        label={`Bank payouts of ${name}`}
        columns={bankColumns}
        {...listed(result, ({ transfers }) => transfers)}
        {...tableOf(state, place, name)}
      />
    </>
  )
}

export function WalletPayouts({ state, range, name }: PayoutRowsProps) {
  const place = usePlace()
  const result = useQuery(momoTransfersQuery(place, { ...state.query, ...range }))
  return (
    <>
      <Accepted />
      <DataTable
        label={`Wallet payouts of ${name}`}
        columns={walletColumns}
        {...listed(result, ({ transfers }) => transfers)}
        {...tableOf(state, place, name)}
      />
    </>
  )
}

function Accepted() {
  return <p className={styles.says}>Payouts that were accepted on these days, whatever their outcome.</p>
}

function tableOf(state: Filters, place: ReturnType<typeof usePlace>, name: string) {
  return {
    filters: { ...state, active: [] },
    keyOf: ({ id }: Payout) => id,
    linkOf: ({ reference }: Payout) => paths.payment(place, reference),
    empty: <EmptyState title="No payouts" says={`No payout was accepted (${name}).`} />,
  }
}
