// Mobile-money transfers: to wallets, tills and paybills.

import { useQuery } from '@tanstack/react-query'
import { momoTransfersQuery } from '#api/payments.ts'
import type { MomoTransfer } from '#api/schema.ts'
import { payeeNumberOf } from '#shell/momo-payee.ts'
import { OperatorName } from '#shell/operator-name.tsx'
import { usePlace } from '#shell/place.ts'
import { moneyColumn, statusColumn, timeColumn, textColumn, type Column } from '#table/columns.tsx'
import { exportColumns } from '#table/export-columns.ts'
import { useFilters } from '#table/filters.ts'
import { listed } from '#table/listed.ts'
import { EmptyState } from '#ui/states.tsx'
import { PaymentList } from './payment-list.tsx'
import { transferFilters } from './transfer-filters.ts'
import { useWalletFilters } from './use-deep-filters.ts'

const columns: Column<MomoTransfer>[] = [
  { id: 'reference', head: 'Reference', cell: ({ reference }) => reference, isOnPhone: true },
  textColumn('to', 'To', (payment) => payment.accountName ?? payeeNumberOf(payment)),
  statusColumn(({ status }) => status),
  moneyColumn('amount', 'Amount', ({ amount }) => amount, { isOnPhone: true }),
  moneyColumn('fee', 'Fee', ({ fee }) => fee),
  { id: 'operator', head: 'Operator', cell: ({ operator }) => <OperatorName slug={operator} /> },
  textColumn('phone', 'Phone', ({ phoneNumber }) => phoneNumber, { isHiddenAtFirst: true }),
  textColumn('business', 'Till or paybill', ({ accountNumber }) => accountNumber, { isHiddenAtFirst: true }),
  textColumn('account', 'Account at the paybill', ({ accountReference }) => accountReference, {
    isHiddenAtFirst: true,
  }),
  textColumn('narration', 'Narration', ({ narration }) => narration, { isHiddenAtFirst: true }),
  textColumn('failure', 'Why it failed', ({ failureMessage }) => failureMessage, { isHiddenAtFirst: true }),
  timeColumn('createdAt', 'Created', ({ createdAt }) => createdAt),
  timeColumn('completedAt', 'Ended', ({ completedAt }) => completedAt, { isHiddenAtFirst: true }),
]

const exported = exportColumns(
  'id reference status amount fee totalDebit currency phoneNumber accountNumber accountReference ' +
    'operator accountName operatorReference failureReason narration metadata createdAt updatedAt completedAt',
)

export function MomoTransfers() {
  const all = [...transferFilters, ...useWalletFilters()]
  const state = useFilters(all)
  const usual = useQuery({ ...momoTransfersQuery(usePlace(), state.query), enabled: !state.isDeep })
  return (
    <PaymentList
      noun="momo-transfers"
      label="Mobile-money transfers"
      filters={all}
      state={state}
      columns={columns}
      exported={exported}
      list={listed(usual, ({ transfers }) => transfers)}
      empty={
        <EmptyState
          title="No mobile-money transfer yet"
          says="A transfer to a wallet is made with POST /v1/momo/transfer: a phone number and an amount are enough."
        />
      }
    />
  )
}
