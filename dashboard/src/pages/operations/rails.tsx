// The rails: purpose, state, and the balance at the provider.

import type { Operations } from '#api/operations.ts'
import { absent, formatMoney } from '#format/money.ts'
import { statusColumn, textColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'
import { Time } from '#ui/values.tsx'

type Rail = Operations['rails'][number]

const columns: Column<Rail>[] = [
  { id: 'name', head: 'Rail', cell: ({ name }) => name, isOnPhone: true },
  { id: 'kind', head: 'Kind', cell: ({ kind }) => kind },
  statusColumn(({ state }) => state),
  { id: 'environment', head: 'Environment', cell: ({ environment }) => environment },
  textColumn('ports', 'Serves', ({ ports }) => ports.map(sayPort).join(', ')),
  {
    id: 'noticed',
    head: 'Last callback',
    cell: ({ ports, noticedAt }) =>
      noticedAt === null ? ports.includes('inbound') ? 'None lately' : absent : <Time at={noticedAt} ago />,
  },
  textColumn('breakers', 'Circuit breakers', ({ breakers }) => sayBreakers(breakers)),
  {
    id: 'wallets',
    head: 'Balance',
    cell: ({ wallets }) => sayWallets(wallets),
    align: 'end',
    isOnPhone: true,
    isWrapped: true,
  },
]

const portNames = new Map([
  ['payout', 'bank transfers'],
  ['bankDirectory', 'bank account names'],
  ['momoPayout', 'mobile-money transfers'],
  ['momoDirectory', 'wallet names'],
  ['momoCollection', 'collections'],
  ['virtualAccounts', 'virtual accounts'],
  ['inbound', 'deposits'],
])

function sayPort(port: string): string {
  return portNames.get(port) ?? port
}

/** A closed breaker is normal and is not shown. */
function sayBreakers(breakers: Rail['breakers']): string {
  const notClosed = breakers.filter(({ state }) => state !== 'closed')
  return notClosed.length === 0
    ? 'All closed'
    : notClosed.map(({ port, state }) => `${sayPort(port)}: ${state}`).join(', ')
}

/** Names the country of each balance if the provider has one balance per country. */
function sayWallets(wallets: Rail['wallets']): string {
  if (wallets === null || wallets.length === 0) return absent
  return wallets
    .map(({ currency, country, amount }) => `${formatMoney(amount, currency)}${country === null ? '' : ` ${country}`}`)
    .join(', ')
}

export function Rails({ rails }: { rails: readonly Rail[] }) {
  return (
    <DataTable
      label="Rails"
      columns={columns}
      rows={rails}
      keyOf={({ name, environment }) => `${environment} ${name}`}
      empty={<p>No rail is configured.</p>}
    />
  )
}
