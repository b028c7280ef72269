// A list as a file: all of it that the page's filters leave, in the columns and the zone that were asked for. The range is
// fixed when it begins, so what arrives meanwhile is not in it, and nothing is in it twice.

import { z } from 'zod'
import { ApiError } from '#base/error.ts'
import { isTimeZone } from '#businesses/settings.ts'
import { csvLine, type Cell } from '#http/dashboard/csv.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#http/dashboard/endpoint.ts'
import { judge } from '#http/dashboard/permissions.ts'
import type { EndpointParts } from '#http/dashboard/routes.ts'
import { fromParameter, toParameter } from '#http/fields.ts'
import { validationError } from '#http/validate.ts'
import { exportFilters, exportNouns, type ColumnKind, type ExportNoun, type ExportRow } from './export-nouns.ts'

/** Who takes more than this out of production has proved a moment ago who they are. */
const rowsWithoutStepUp = 10_000

export function exportEndpoint({ ctx, rooms, acts }: EndpointParts): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'GET',
    path: '/dashboard/api/b/:business/:environment/export/:file',
    permission: 'export',
    params: z.object({ file: z.string() }),
    query: exportFilters.extend({
      from: fromParameter,
      to: toParameter,
      columns: z.string('must be given once').optional(),
      zone: z.string('must be given once').refine(isTimeZone, 'must be the zone of a place').default('Africa/Lagos'),
      // A page cannot be asked for a code by a file that the browser fetches: it asks first whether it may have it.
      check: z.literal('1', 'must be 1').optional(),
    }),
    handle: async ({ role, tenant, params: { file }, query, by, requireStepUp }) => {
      const { to: before, columns, zone, check, ...rest } = query
      const { name, noun } = nounOf(file)
      if (judge(noun.permission, role, tenant.environment) === 'no')
        throw new ApiError('FORBIDDEN', `Your role, ${role}, cannot export this.`)
      requireStatus(noun, rest.status)
      const chosen = columnsOf(noun, columns)
      const filters = { ...rest, before }
      const rows = await noun.count(rooms, tenant, filters)
      if (rows > rowsWithoutStepUp && tenant.environment === 'production') requireStepUp()
      if (check !== undefined) return { data: { rows } }
      const details = { noun: name, rows, columns: Object.keys(chosen), ...told(rest) }
      await acts.write({ by: by(), act: 'data.exported', tenantId: tenant.id, details })
      const lines = linesOf(noun.walk(ctx, tenant, filters), chosen, zone)
      return { data: {}, download: { name: file, type: 'text/csv; charset=utf-8', lines } }
    },
  })
}

function nounOf(file: string): { name: string; noun: ExportNoun } {
  const name = /^([a-z-]+)\.csv$/.exec(file)?.[1] ?? ''
  const noun = Object.hasOwn(exportNouns, name) ? exportNouns[name] : undefined
  if (noun === undefined)
    throw new ApiError(
      'NOT_FOUND',
      `There is no such file; there are ${Object.keys(exportNouns).join(', ')}, each .csv`,
    )
  return { name, noun }
}

function requireStatus({ statuses }: ExportNoun, status: string | undefined): void {
  if (status === undefined || statuses.includes(status)) return
  throw validationError([{ field: 'status', message: `status must be one of ${statuses.join(', ')}` }])
}

type Columns = Record<string, ColumnKind>

/** In the order in which they were asked for; all of them where nobody chose. */
function columnsOf({ columns: all }: ExportNoun, asked: string | undefined): Columns {
  if (asked === undefined) return all
  const names = asked.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !Object.hasOwn(all, name))
  if (unknown !== undefined)
    throw validationError([{ field: 'columns', message: `columns must be some of ${Object.keys(all).join(', ')}` }])
  return Object.fromEntries(names.map((name) => [name, all[name] ?? 'text']))
}

/** What was looked for in metadata may name somebody, and the log keeps its entries for ever. */
function told({ metadata, ...filters }: Record<string, string | bigint | Date | undefined>): Record<string, string> {
  const texts: Record<string, string> = metadata === undefined ? {} : { metadata: 'a text' }
  for (const [name, value] of Object.entries(filters))
    if (value !== undefined) texts[name] = value instanceof Date ? value.toISOString() : String(value)
  return texts
}

/** The last line counts the others, so that a file which was cut shows it. */
export async function* linesOf(
  pages: AsyncGenerator<ExportRow[]>,
  columns: Columns,
  zone: string,
): AsyncGenerator<string> {
  const local = localTimes(zone)
  const entries = Object.entries(columns)
  yield csvLine(entries.flatMap(([name, kind]) => headsOf(name, kind, zone)))
  let rows = 0
  for await (const page of pages) {
    rows += page.length
    for (const row of page) yield csvLine(entries.flatMap(([name, kind]) => cellsOf(row[name], kind, local)))
  }
  yield csvLine([`${rows} rows`])
}

function headsOf(name: string, kind: ColumnKind, zone: string): string[] {
  if (kind === 'time') return [`${name} (UTC)`, `${name} (${zone})`]
  return [kind === 'naira' ? `${name} (NGN)` : name]
}

function cellsOf(value: unknown, kind: ColumnKind, local: (time: string) => string): Cell[] {
  if (value === null || value === undefined) return kind === 'time' ? [null, null] : [null]
  switch (kind) {
    case 'time':
      return [value as string, local(value as string)]
    case 'naira':
      return [nairaOf(BigInt(value as number))]
    case 'number':
      return [value as number]
    case 'text':
      return [typeof value === 'string' ? value : JSON.stringify(value)]
  }
}

/** Never through a double. What is listed is not negative. */
function nairaOf(kobo: bigint): string {
  return `${kobo / 100n}.${String(kobo % 100n).padStart(2, '0')}`
}

/** As a spreadsheet reads it: `2026-01-31 13:00:00`. */
function localTimes(timeZone: string): (time: string) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  return (time) => format.format(new Date(time))
}
