import { describeMomoList } from './momo-lists.ts'

await describeMomoList({
  operation: 'collection',
  rows: 'collections',
  statuses: ['PENDING', 'OTP_REQUIRED', 'SUCCESS', 'FAILED'],
})
