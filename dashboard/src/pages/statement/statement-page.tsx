// The balance of the business, and its statement of a month or of any days: every movement, or one row for each payout.
// ← and → move a month.

import { useQuery } from '@tanstack/react-query'
import { isDay, isMonth, monthAt, nameMonth, rangeOf, stepMonth } from '#format/days.ts'
import { formatMoney } from '#format/money.ts'
import { FilterBar } from '#table/filter-bar.tsx'
import { formatDay } from '#format/time.ts'
import { CurrencySwitch, useChosenCurrency } from '#shell/currency-switch.tsx'
import { ListTools } from '#shell/list-tools.tsx'
import { usePlace } from '#shell/place.ts'
import { lowBalanceQuery } from '#api/home.ts'
import { balanceQuery, statementQuery, type Statement, type StatementEntry } from '#api/statement.ts'
import { moneyColumn, timeColumn, textColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'
import { exportColumns } from '#table/export-columns.ts'
import { useFilters, type Filter, type Filters } from '#table/filters.ts'
import { listed } from '#table/listed.ts'
import { Button } from '#ui/button.tsx'
import { Select } from '#ui/field.tsx'
import { Icon } from '#ui/icons.tsx'
import { useKeys } from '#ui/keys.ts'
import { PageHead, Row, Section, Stack } from '#ui/layout.tsx'
import { EmptyState, ErrorState, Notice, SkeletonLines } from '#ui/states.tsx'
import { CurrencyProvider, Money, useCurrency, useZone } from '#ui/values.tsx'
import { BankPayouts, bankPayouts, WalletPayouts, walletPayouts } from './payout-rows.tsx'
import { AsOnHome, StatementSums, type Range } from './statement-sums.tsx'
import { Sums } from './sums.tsx'
import { sayWhat } from './say-what.ts'

const filters: Filter[] = [{ kind: 'days' }]

const columns: Column<StatementEntry>[] = [
  timeColumn('at', 'Time', ({ at }) => at),
  { id: 'what', head: 'What', cell: ({ what }) => sayWhat(what), isOnPhone: true },
  textColumn('reference', 'Reference', ({ reference }) => reference),
  { id: 'in', head: 'In', cell: (row) => <Sum kobo={row.in} />, align: 'end' },
  { id: 'out', head: 'Out', cell: ({ out }) => <Sum kobo={out} />, align: 'end' },
  // A phone shows this column instead of In and Out, because two columns of billions do not fit.
  moneyColumn('moved', 'In or out', (row) => row.in - row.out, { isOnPhone: 'alone' }),
  moneyColumn('balanceAfter', 'Balance after', ({ balanceAfter }) => balanceAfter),
]

const movements = {
  noun: 'statement',
  columns,
  exported: {
    noun: 'statement',
    columns: exportColumns(
      'number createdAt what reference in out balanceAfter counterparty accountNumber institution sessionId',
    ),
  },
}

const views = [
  { value: 'movements', label: 'Every movement' },
  { value: 'transfers', label: 'Bank payouts' },
  { value: 'momo-transfers', label: 'Wallet payouts' },
] as const

type View = (typeof views)[number]['value']

/** An amount of zero is left empty: each entry is either In or Out. */
function Sum({ kobo }: { kobo: number }) {
  return kobo === 0 ? null : <Money kobo={kobo} />
}

export function StatementPage() {
  return (
    <CurrencyProvider currency={useChosenCurrency()}>
      <PageHead title="Balance" actions={<CurrencySwitch />} />
      <Stack isWide>
        <BelowAlert />
        <Balances />
        <StatementOfDays />
      </Stack>
    </CurrencyProvider>
  )
}

function BelowAlert() {
  const currency = useCurrency()
  const { data } = useQuery(lowBalanceQuery(usePlace(), currency))
  if (data === undefined || !data.isLow) return null
  return <Notice tone="asks">The available balance is below your alert of {formatMoney(data.amount, currency)}.</Notice>
}

function Balances() {
  const { data, error, refetch } = useQuery(balanceQuery(usePlace()))
  const shown = useCurrency()
  const balance = data?.find(({ currency }) => currency === shown)
  if (balance !== undefined) return <Sums balance={balance} />
  return error === null ? <SkeletonLines lines={2} /> : <ErrorState failure={error} onRetry={() => void refetch()} />
}

/** The statement of the chosen days, or of a month if no days are chosen. */
function StatementOfDays() {
  const place = usePlace()
  const zone = useZone()
  const currency = useCurrency()
  const state = useFilters(filters)
  const thisMonth = monthAt(new Date().getTime(), zone)
  const asked = state.search['month'] ?? ''
  const month = isMonth(asked) ? asked : thisMonth
  const hasDays = isDay(state.search['from'] ?? '') || isDay(state.search['to'] ?? '')
  const { from = rangeOf(month, zone).from, to = rangeOf(thisMonth, zone).to } = state.query
  const range = hasDays ? { from, to } : rangeOf(month, zone)
  const name = hasDays ? nameDays(range, zone) : nameMonth(month)
  const view = views.find(({ value }) => value === state.search['view'])?.value ?? 'movements'
  const result = useQuery(statementQuery(place, { ...state.query, ...range, currency }))
  return (
    <Section
      title="Statement"
      actions={
        <Row>
          <MonthPicker month={monthAt(Date.parse(range.from), zone)} thisMonth={thisMonth} name={name} state={state} />
          <ViewPicker view={view} state={state} />
          <Tools view={view} range={range} name={name} state={state} />
        </Row>
      }
    >
      <FilterBar filters={filters} state={state} />
      {result.data === undefined ? null : <Added statement={result.data.data} range={range} />}
      {view === 'movements' ? (
        <DataTable
          label={`Statement of ${name}`}
          columns={columns}
          {...listed(result, ({ entries }) => entries)}
          filters={{ ...state, active: [] }}
          keyOf={({ number }) => String(number)}
          empty={<NoMovements name={name} />}
        />
      ) : view === 'transfers' ? (
        <BankPayouts state={state} range={range} name={name} />
      ) : (
        <WalletPayouts state={state} range={range} name={name} />
      )}
    </Section>
  )
}

function NoMovements({ name }: { name: string }) {
  return <EmptyState title="No movements" says={`No money came in or went out (${name}).`} />
}

function nameDays({ from, to }: { from: string; to: string }, zone: string): string {
  const [first, last] = [formatDay(from, zone), formatDay(to, zone)]
  return first === last ? first : `${first} to ${last}`
}

/** Opening and closing balance, and the check that credits and debits explain the difference. */
function Added({ statement, range }: { statement: Statement; range: Range }) {
  return (
    <Stack>
      <StatementSums statement={statement} />
      <AsOnHome range={range} />
      {statement.adds ? null : (
        <Notice tone="failed">
          The opening and closing balance do not match the movements between them. Ask the operator of this service to
          run: manilla ledger verify
        </Notice>
      )}
    </Stack>
  )
}

type MonthPickerProps = {
  /** The month of the first day. */
  month: string
  thisMonth: string
  name: string
  state: Filters
}

function MonthPicker({ month, thisMonth, name, state }: MonthPickerProps) {
  const isLast = month >= thisMonth
  const go = (to: string): void =>
    state.change({ month: to === thisMonth ? undefined : to, from: undefined, to: undefined })
  const before = (): void => go(stepMonth(month, -1))
  const after = (): void => (isLast ? undefined : go(stepMonth(month, 1)))
  useKeys({ ArrowLeft: before, ArrowRight: after })
  return (
    <Row>
      <Button tone="quiet" isIcon aria-label="Month before" onClick={before}>
        <Icon name="chevronLeft" />
      </Button>
      <strong>{name}</strong>
      <Button
        tone="quiet"
        isIcon
        aria-label="Month after"
        disabledReason={isLast ? 'This is the current month.' : undefined}
        onClick={after}
      >
        <Icon name="chevronRight" />
      </Button>
    </Row>
  )
}

/** Another view has other columns, so the choice of columns and the page are cleared. */
function ViewPicker({ view, state }: { view: View; state: Filters }) {
  return (
    <Select
      isSmall
      aria-label="View"
      choices={views}
      value={view}
      onChange={({ target: { value } }) =>
        state.change({ view: value === 'movements' ? undefined : value, columns: undefined, page: undefined })
      }
    />
  )
}

type ToolsProps = { view: View; range: { from: string; to: string }; name: string; state: Filters }

function Tools({ view, range, name, state }: ToolsProps) {
  const currency = useCurrency()
  const query = { ...state.query, ...range, ...(currency === 'NGN' ? {} : { currency }) }
  const asked = { ...state, query }
  switch (view) {
    case 'movements':
      return <ListTools {...movements} exported={{ ...movements.exported, period: name }} state={asked} />
    case 'transfers':
      return <ListTools {...bankPayouts} exported={{ ...bankPayouts.exported, period: name }} state={asked} />
    case 'momo-transfers':
      return <ListTools {...walletPayouts} exported={{ ...walletPayouts.exported, period: name }} state={asked} />
  }
}
