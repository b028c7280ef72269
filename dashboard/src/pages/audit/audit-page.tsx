// The audit log. A click on a row opens the details of the change; the address names the open row.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { auditQuery, type AuditEntry } from '#api/audit.ts'
import { addressOf, underBusiness, type Place } from '#api/client.ts'
import { teamQuery } from '#api/team.ts'
import { nameDevice } from '#format/device.ts'
import { ListTools } from '#shell/list-tools.tsx'
import { useMembership, usePlace, useRefusal } from '#shell/place.ts'
import { statusColumn, timeColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'
import { FilterBar } from '#table/filter-bar.tsx'
import { useFilters, type Filter, type Filters } from '#table/filters.ts'
import { listed } from '#table/listed.ts'
import { Button, buttonLook } from '#ui/button.tsx'
import { PageHead } from '#ui/layout.tsx'
import { EmptyState } from '#ui/states.tsx'
import { AuditDialog } from './audit-dialog.tsx'
import { paymentOf, sayAct, sayActor, sayTarget, sayWords, withoutEndedStarts, type Names } from './say-act.ts'

const ownFilters: Filter[] = [
  { kind: 'text', name: 'act', label: 'Action code' },
  { kind: 'text', name: 'target', label: 'Target', placeholder: 'Target: a reference, an id, a request' },
  {
    kind: 'choice',
    name: 'outcome',
    label: 'Outcome',
    choices: [
      { value: 'asked', label: 'Started' },
      { value: 'done', label: 'Done' },
      { value: 'refused', label: 'Refused' },
      { value: 'failed', label: 'Failed' },
    ],
  },
  { kind: 'days' },
]

export function AuditPage() {
  const place = usePlace()
  const filters = useAuditFilters()
  const state = useFilters(filters)
  const result = useQuery(auditQuery(place.businessId, state.query))
  const names = useNames()
  const columns = columnsOf(place, names, (id) => state.change({ entry: id, page: state.search['page'] }))
  const open = result.data?.data.entries.find(({ id }) => id === state.search['entry'])
  return (
    <>
      <PageHead
        title="Audit log"
        says="Every action in this business. Entries cannot be changed or deleted."
        actions={<AuditCsv state={state} />}
      />
      <FilterBar filters={filters} state={state}>
        <ListTools noun="audit" columns={columns} state={state} />
      </FilterBar>
      <DataTable
        label="Audit log"
        columns={columns}
        {...listed(result, ({ entries }) => withoutEndedStarts(entries))}
        filters={state}
        keyOf={({ id }) => id}
        empty={<EmptyState title="No actions yet" says="Your actions in this business are listed here." />}
      />
      {open === undefined ? null : (
        <AuditDialog
          entry={open}
          names={names}
          onClose={() => state.change({ entry: undefined, page: state.search['page'] })}
        />
      )}
    </>
  )
}

function useAuditFilters(): Filter[] {
  const { data } = useQuery({ ...teamQuery(usePlace().businessId), retry: false })
  const choices = (data?.people ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return choices.length < 2 ? ownFilters : [{ kind: 'choice', name: 'person', label: 'Person', choices }, ...ownFilters]
}

/** The log stores ids of people and of the business. The page shows their names. */
function useNames(): Names {
  const { id, name } = useMembership()
  const { data } = useQuery({ ...teamQuery(usePlace().businessId), retry: false })
  return new Map([[id, name], ...(data?.people ?? []).map((one): [string, string] => [one.id, one.name])])
}

function columnsOf(place: Place, names: Names, onOpen: (id: string) => void): Column<AuditEntry>[] {
  return [
    {
      id: 'act',
      head: 'Action',
      cell: (entry) => (
        <Button tone="quiet" isSmall aria-haspopup="dialog" onClick={() => onOpen(entry.id)}>
          {sayAct(entry)}
        </Button>
      ),
      isOnPhone: true,
    },
    { id: 'who', head: 'Who', cell: (entry) => sayActor(entry, names), isOnPhone: true },
    statusColumn(({ outcome }) => outcome),
    { id: 'subject', head: 'Target', cell: (entry) => <Target entry={entry} place={place} names={names} /> },
    { id: 'environment', head: 'Environment', cell: ({ environment }) => environment ?? '–' },
    { id: 'role', head: 'Role', cell: ({ role }) => (role === null ? '–' : sayWords(role)) },
    { id: 'address', head: 'Address', cell: ({ address }) => address ?? '–', isHiddenAtFirst: true },
    {
      id: 'device',
      head: 'Device',
      cell: ({ device }) => (device === null ? '–' : nameDevice(device)),
      isHiddenAtFirst: true,
    },
    timeColumn('at', 'Time', ({ at }) => at),
  ]
}

function Target({ entry, place, names }: { entry: AuditEntry; place: Place; names: Names }) {
  const to = paymentOf(entry, place)
  return to === undefined ? sayTarget(entry, names) : <Link to={to}>{entry.subject}</Link>
}

function AuditCsv({ state }: { state: Filters }) {
  const { businessId } = usePlace()
  const refusal = useRefusal('audit.all')
  if (refusal !== undefined) return <Button disabledReason={refusal}>Export CSV</Button>
  const { page: _page, limit: _limit, ...asked } = state.query
  return (
    <a className={buttonLook()} href={addressOf(underBusiness(businessId, 'audit.csv'), asked)} download>
      Export CSV
    </a>
  )
}
