// SQL that the oldest supported PostgreSQL (15) refuses and the embedded one accepts, so that no other test would
// notice.

import { glob } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { statementTexts } from '#platform/db/statement.ts'

/** The few letters after each subquery of a `from` or `join`. */
function behindSubqueries(text: string): string[] {
  return [...text.matchAll(/(?<!distinct )\b(?:from|join|lateral)\s*\((?=\s*(?:select|values|with)\b)/g)].map(
    ({ index, 0: opening }) => {
      let depth = 1
      let at = index + opening.length
      for (; depth > 0 && at < text.length; at++) depth += text[at] === '(' ? 1 : text[at] === ')' ? -1 : 0
      return text.slice(at, at + 40)
    },
  )
}

const hasName = (behind: string): boolean =>
  /^\s+(?:as\s+)?(?!(?:where|group|order|cross|join|left|union|limit)\b)[a-z]/.test(behind)

async function namelessIn(): Promise<string[]> {
  const root = path.join(import.meta.dirname, '../..')
  for await (const file of glob('src/*/**/*.ts', { cwd: root, exclude: ['src/bin/**'] }))
    await import(path.join(root, file))
  return [...statementTexts()].filter(([, text]) => !behindSubqueries(text).every(hasName)).map(([name]) => name)
}

it('every subquery has a name', async () => {
  expect(behindSubqueries('select 1 from (select (2)) as two join (select 3) where').map(hasName)).toEqual([
    true,
    false,
  ])
  expect(await namelessIn()).toEqual([])
})
