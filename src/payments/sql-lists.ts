// The SQL behind lists. Each kind's payments of a tenant are numbered densely, and their times follow the numbers
// (accept.ts), so a page, a total and a range of time are ranges of numbers: they cost the same at any depth.

import { numberedList } from '#base/numbered-list.ts'
import type { Payment } from './payment.ts'
import { paymentColumnsOf } from './sql-rows.ts'

export const paymentList = numberedList<Payment>({
  name: 'payments',
  table: 'payment',
  list: 'kind',
  columns: paymentColumnsOf('r'),
})
