// Where a page stands in its list.

import type { Pagination } from './endpoint.ts'

export function paginationOf(page: number, limit: number, total: number): Pagination {
  const totalPage = Math.ceil(total / limit)
  return { page, limit, total, totalPage, hasNext: page < totalPage, hasPrev: page > 1 && total > 0 }
}
