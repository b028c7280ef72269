// A counter that is born with its first event hides that event: Prometheus sees no increase. So every count of requests
// that can come to be exists from the start.

import { errorStatus } from '#base/error.ts'
import type { Metrics } from '#base/metrics.ts'
import type { Endpoint } from './endpoint.ts'
import type { Page } from './exchange.ts'
import { noticesRoute } from './notices-door.ts'
import { hungUpStatus } from './record.ts'

/** What every route behind a key can answer. */
const statusesOfAll = [200, 400, 401, 403, 429, hungUpStatus, 500, 503]
const statusesOfPages = [200, 405, hungUpStatus, 500, 503]
const statusesOfNone = [204, 400, 401, 404, 405, 429, hungUpStatus, 500, 503]
const statusesOfNotices = [200, 400, 401, 405, 413, 429, hungUpStatus, 500, 503]
const tooLarge = 413

export function countFromZero({ httpRequests }: Metrics, endpoints: Endpoint[], pages: Iterable<Page>): void {
  const begin = (route: string, statuses: number[]): void => {
    for (const status of statuses) httpRequests.inc({ route, status }, 0)
  }
  begin('none', statusesOfNone)
  begin(noticesRoute, statusesOfNotices)
  for (const { path } of pages) begin(path, statusesOfPages)
  for (const { path, errors, body } of endpoints) {
    begin(path, statusesOfAll)
    begin(
      path,
      errors.map((code) => errorStatus[code]),
    )
    if (body !== undefined) begin(path, [tooLarge])
  }
}
