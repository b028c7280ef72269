// The API requests of the last days, with the errors of failed ones.

import { useQuery } from '@tanstack/react-query'
import { keysQuery } from '#api/keys.ts'
import { hasRefusedItems, requestsQuery, type ApiRequest, type RequestList } from '#api/requests.ts'
import { paths } from '#shell/paths.ts'
import { usePlace } from '#shell/place.ts'
import { textColumn, timeColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'
import { FilterBar } from '#table/filter-bar.tsx'
import { useFilters, type Filter } from '#table/filters.ts'
import { PageHead } from '#ui/layout.tsx'
import { EmptyState } from '#ui/states.tsx'
import { StatusCode } from './status-code.tsx'

export function RequestsPage() {
  const place = usePlace()
  const filters = useRequestFilters()
  const state = useFilters(filters)
  const { page: _page, ...asked } = state.query
  const { data, error, refetch } = useQuery(requestsQuery(place, asked))
  return (
    <>
      <PageHead title="Requests" says={saysOf(data)} />
      <FilterBar filters={filters} state={state} />
      <DataTable
        label="API requests"
        columns={columns}
        rows={data?.requests}
        failure={error}
        onRetry={() => void refetch()}
        further={
          data === undefined
            ? undefined
            : { looked: data.requests.length, next: data.next, lookedBackTo: data.lookedBackTo }
        }
        filters={state}
        keyOf={({ id }) => id}
        linkOf={({ requestId }) => paths.request(place, requestId)}
        empty={
          <EmptyState
            title="No requests yet"
            says="Requests that your programs send to the API with a key of this environment are listed here."
          />
        }
      />
    </>
  )
}

/** Says how far back the log goes and how much of a busy minute it keeps, because it is incomplete. */
function saysOf(data: RequestList | undefined): string {
  if (data === undefined) return 'Requests that your programs sent to the API.'
  const { keptDays, keptPerMinute } = data
  const { succeeded, failed } = keptPerMinute
  return `The last ${keptDays} days. A busy minute keeps at least ${succeeded} requests that succeeded and ${failed} that failed.`
}

const statusChoices = [
  { value: '2xx', label: 'Succeeded (2xx)' },
  { value: '4xx', label: 'Refused (4xx)' },
  { value: '5xx', label: 'Failed (5xx)' },
]

function useRequestFilters(): Filter[] {
  const place = usePlace()
  const { data: list } = useQuery(requestsQuery(place, {}))
  const { data: keys } = useQuery({ ...keysQuery(place), retry: false })
  return [
    { kind: 'choice', name: 'status', label: 'Status', choices: statusChoices },
    {
      kind: 'choice',
      name: 'route',
      label: 'Endpoint',
      choices: (list?.routes ?? []).map((route) => ({ value: route, label: route })),
    },
    {
      kind: 'choice',
      name: 'key',
      label: 'Key',
      choices: (keys ?? []).map(({ id, name }) => ({ value: id, label: name })),
    },
    { kind: 'days' },
  ]
}

const columns: Column<ApiRequest>[] = [
  { id: 'route', head: 'Request', cell: ({ method, route }) => `${method} ${route}`, isOnPhone: true },
  { id: 'status', head: 'Status', cell: ({ status }) => <StatusCode status={status} />, isOnPhone: true },
  textColumn('code', 'Error', (row) => (hasRefusedItems(row) ? 'Some items refused' : row.errorCode)),
  textColumn('reference', 'Reference', ({ reference }) => reference),
  { id: 'took', head: 'Took', cell: ({ durationMs }) => `${durationMs} ms`, align: 'end' },
  timeColumn('at', 'Time', ({ at }) => at),
]
