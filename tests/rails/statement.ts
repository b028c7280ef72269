// The conformance suite of rails with statements.

import { expect, it } from 'vitest'
import type { RailLine, RailStatement, StatementList } from '#rails/statement.ts'

export const dayMs = 24 * 3_600_000

/** Reads all pages of a list. `onPage` is called after each page but the last, with its number from 1. */
export async function readList(
  statement: RailStatement,
  list: StatementList,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  onPage: (page: number) => void = () => undefined,
): Promise<{ lines: RailLine[]; pages: number }> {
  const lines: RailLine[] = []
  let cursor: string | null = null
  for (let pages = 1; ; pages += 1) {
    const page = await statement.page({ list, fromMs, toMs, cursor })
    if (page.kind !== 'page') throw new Error(page.detail)
    lines.push(...page.lines)
    if (page.next === null) return { lines, pages }
    onPage(pages)
    cursor = page.next
  }
}

type Suite = {
  statement: RailStatement
  now: () => number
  /** The next page is handled by this act. */
  script: (act: 'error-done' | 'half' | 'gateway-page' | 'too-many' | 'cut-before' | 'never') => void
}

export function describeStatement({ statement, now, script }: Suite): void {
  it.each(['error-done', 'half', 'gateway-page', 'too-many', 'cut-before', 'never'] as const)(
    'concludes nothing from a page that does not come whole: %s',
    async (act) => {
      script(act)
      const window = { fromMs: now() - dayMs, toMs: now() }
      const page = await statement.page({ list: 'payouts', cursor: null, ...window })
      expect(page).toMatchObject({ kind: 'unavailable', detail: expect.any(String) })
    },
  )
}
