// The parts of a query that a table needs: rows, pages and the error.

import type { UseQueryResult } from '@tanstack/react-query'
import type { Pages } from './pager.tsx'

type PageOfRows<Data> = { data: Data; pagination: Pages | undefined }

export function listed<Data, Row>(
  { data, error, refetch }: UseQueryResult<PageOfRows<Data>>,
  rowsOf: (data: Data) => readonly Row[],
) {
  return {
    rows: data === undefined ? undefined : rowsOf(data.data),
    pages: data?.pagination,
    failure: error,
    onRetry: () => void refetch(),
  }
}
