// Filters of transfers, to banks and to wallets alike.

import type { Filter } from '#table/filters.ts'

export const transferFilters: Filter[] = [
  {
    kind: 'choice',
    name: 'status',
    label: 'Status',
    choices: [
      { value: 'queued', label: 'Queued' },
      { value: 'SUCCESS', label: 'Succeeded' },
      { value: 'FAILED', label: 'Failed' },
      { value: 'REVERSED', label: 'Returned' },
    ],
  },
  { kind: 'days' },
]
