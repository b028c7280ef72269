import { describeMomoList } from './momo-lists.ts'

await describeMomoList({
  operation: 'transfer',
  rows: 'transfers',
  statuses: ['queued', 'SUCCESS', 'FAILED', 'REVERSED'],
})
