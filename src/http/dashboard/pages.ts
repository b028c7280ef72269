// Addresses of pages of the dashboard, for answers that lead to one.

import type { Environment } from '#base/context.ts'
import { formatId, type Uuid } from '#base/ids.ts'
import { dashboardPath } from '#config.ts'

type Page = { business: Uuid; environment: Environment; path: string; search?: Record<string, string> }

/** As a link in a page has it: `/dashboard/b/biz_…/staging/payments?status=queued`. */
export function hrefOf({ business, environment, path, search = {} }: Page): string {
  const query = new URLSearchParams(search).toString()
  const below = `${dashboardPath}/b/${formatId('business', business)}/${environment}/${path}`
  return query === '' ? below : `${below}?${query}`
}
