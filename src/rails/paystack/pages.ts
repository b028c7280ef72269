// Where a list of Paystack's goes on. Its documents know two ways, cursors and numbered pages, and its own description of the
// API asks for the first and shows answers of the second. Whichever an answer shows is followed, so that no list ends unread.

import { listMeta } from './answers.ts'

const pageRows = 100

/** Without a wish that it heeds, it lists so many at once. */
const usualRows = 50

type Query = Record<string, string>

const numbered = /^page (\d+)$/

/** `cursor` is Paystack's own, or the number of a page; '' is the beginning. */
export function pageQuery(cursor: string, first: Query = { use_cursor: 'true' }): Query {
  const [, page] = numbered.exec(cursor) ?? []
  const following = page === undefined ? { use_cursor: 'true', next: cursor } : { page }
  return { perPage: String(pageRows), ...(cursor === '' ? first : following) }
}

/** '': there is no further page. Undefined: the answer does not tell, and may have left something out. */
export function cursorAfter(cursor: string, uncheckedMeta: unknown, rows: number): string | undefined {
  const meta = listMeta.safeParse(uncheckedMeta ?? {}).data
  if (meta === undefined) return undefined
  const { pageCount } = meta
  // A published answer has the text "null" where there is no page.
  const next = meta.next === 'null' ? null : meta.next
  if (typeof next === 'string' && next !== '') return next
  const page = Number(numbered.exec(cursor)?.[1] ?? '1')
  if (pageCount !== undefined && pageCount !== null) return page < pageCount ? `page ${page + 1}` : ''
  return next !== undefined || rows < usualRows ? '' : undefined
}
