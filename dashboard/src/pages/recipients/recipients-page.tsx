// The accounts that a business pays again and again.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { banksQuery, operatorsQuery } from '#api/directory.ts'
import { recipientsQuery, removeRecipient, type Recipient } from '#api/recipients.ts'
import { groupAccountNumber } from '#format/ids.ts'
import { paths } from '#shell/paths.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { textColumn, timeColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'
import { FilterBar } from '#table/filter-bar.tsx'
import { useFilters, type Filter } from '#table/filters.ts'
import type { Search } from '#table/search.ts'
import { Button, buttonLook } from '#ui/button.tsx'
import { Confirm } from '#ui/confirm.tsx'
import { PageHead, Row } from '#ui/layout.tsx'
import { EmptyState } from '#ui/states.tsx'
import { RecipientDialog } from './recipient-dialog.tsx'

const search: Filter = { kind: 'text', name: 'search', label: 'Search', placeholder: 'Name or account number' }
const paid: Filter = {
  kind: 'choice',
  name: 'paid',
  label: 'Last paid',
  choices: [
    { value: 'lately', label: 'In the last 90 days' },
    { value: 'not-lately', label: 'Longer ago' },
    { value: 'never', label: 'Never' },
  ],
}
const tagged: Filter = { kind: 'choice', name: 'tag', label: 'Tag', choices: [] }
const allFilters = [search, tagged, paid]

type Asked = { what: 'save'; recipient?: Recipient } | { what: 'remove'; recipient: Recipient }

export function RecipientsPage() {
  const place = usePlace()
  const state = useFilters(allFilters)
  const refusal = useRefusal('payouts.propose')
  const [asked, setAsked] = useState<Asked>()
  const { data, error, refetch } = useQuery(recipientsQuery(place, chosenOf(state.search)))
  const filters = [search, { ...tagged, choices: (data?.tags ?? []).map((tag) => ({ value: tag, label: tag })) }, paid]
  const close = (): void => setAsked(undefined)
  const add = (
    <>
      {refusal === undefined ? (
        <Link to={paths.importRecipients(place)} className={buttonLook()}>
          Import
        </Link>
      ) : null}
      <Button tone="primary" disabledReason={refusal} onClick={() => setAsked({ what: 'save' })}>
        Add recipient
      </Button>
    </>
  )
  return (
    <>
      <PageHead
        title="Recipients"
        says="Bank accounts and wallets that you pay again. A recipient with a new account is marked until a payout to it is approved."
        actions={add}
      />
      <FilterBar filters={filters} state={state} />
      <DataTable
        label="Recipients"
        columns={useColumns(setAsked, refusal)}
        rows={data?.recipients}
        failure={error}
        onRetry={() => void refetch()}
        keyOf={({ id }) => id}
        filters={state}
        empty={<EmptyState title="No recipients yet" says="Save the accounts that you pay often." children={add} />}
      />
      {asked?.what === 'save' ? (
        <RecipientDialog
          recipient={asked.recipient}
          onRemove={(recipient) => setAsked({ what: 'remove', recipient })}
          onClose={close}
        />
      ) : null}
      {asked?.what === 'remove' ? <Remove recipient={asked.recipient} onClose={close} /> : null}
    </>
  )
}

function chosenOf({ search: text, tag, paid: when }: Search): Parameters<typeof recipientsQuery>[1] {
  return {
    ...(text === undefined ? {} : { search: text }),
    ...(tag === undefined ? {} : { tag }),
    ...(when === undefined ? {} : { paid: when }),
  }
}

function useColumns(onAsk: (asked: Asked) => void, refusal: string | undefined): Column<Recipient>[] {
  const place = usePlace()
  const banks = useQuery(banksQuery(place)).data ?? []
  const operators = useQuery(operatorsQuery(place)).data ?? []
  const names = new Map([...banks, ...operators].map(({ slug, name }) => [slug, name]))
  return [
    textColumn('name', 'Name', ({ name }) => name, { isOnPhone: true }),
    textColumn('bank', 'Bank', ({ institution }) => names.get(institution) ?? institution),
    { id: 'account', head: 'Account', cell: ({ accountNumber }) => groupAccountNumber(accountNumber), isWhole: true },
    textColumn('accountName', 'Name at the bank', ({ accountName }) => accountName ?? 'Not confirmed'),
    textColumn('tags', 'Tags', ({ tags }) => tags.join(', ')),
    timeColumn('lastPaid', 'Last paid', ({ lastPaidAt }) => lastPaidAt),
    timeColumn('changed', 'Account changed', ({ changedAt }) => changedAt, { isOnLarge: true }),
    {
      id: 'actions',
      head: '',
      align: 'end',
      isOnPhone: true,
      cell: (recipient) => (
        <Row>
          <Link
            to={paths.newPayout(place)}
            search={{
              bank: recipient.institution,
              account: recipient.accountNumber,
              ...(recipient.kind === 'wallet' ? { kind: 'wallet' } : {}),
            }}
            className={buttonLook({ isSmall: true })}
            aria-label={`Pay ${recipient.name}`}
          >
            Pay
          </Link>
          <Button
            isSmall
            disabledReason={refusal}
            aria-label={`Edit ${recipient.name}`}
            onClick={() => onAsk({ what: 'save', recipient })}
          >
            Edit
          </Button>
        </Row>
      ),
    },
  ]
}

function Remove({ recipient, onClose }: { recipient: Recipient; onClose: () => void }) {
  const place = usePlace()
  const refresh = useRefresh()
  return (
    <Confirm
      title={`Remove ${recipient.name}?`}
      verb="Remove recipient"
      onConfirm={async () => {
        await removeRecipient(place, recipient)
        await refresh()
      }}
      onClose={onClose}
    >
      <p>Payments to this account stay as they are.</p>
    </Confirm>
  )
}
