// How a statement is rewritten for Citus. tests/citus/ tests what Citus does with it.

import { glob } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { distributedText } from '#platform/db/distributed.ts'
import { statementTexts } from '#platform/db/statement.ts'

describe('a statement for Citus', () => {
  it('names the lane of a row that is found by its ctid in the form that Citus sees', () => {
    expect(
      distributedText('update a set b = v.b from v where a.lane is not distinct from $1 and a.ctid = v.place'),
    ).toBe(
      'update a set b = v.b from v where a.lane = $1 and a.ctid = any(array(select place from v)) and a.ctid = v.place',
    )
    expect(distributedText('select b from a where lane is not distinct from $1 and ctid = any(array(select c))')).toBe(
      'select b from a where lane = $1 and ctid = any(array(select c))',
    )
  })

  it('joins rows that come as parameters to the row of their lane', () => {
    const home = '(select lane from citus_lane where lane = $1) as home'
    expect(distributedText('insert into a\n (lane, b) select $1, v.* from unnest($2::text[]) as v')).toBe(
      `insert into a\n (lane, b) select home.lane, v.* from ${home} cross join unnest($2::text[]) as v`,
    )
    expect(
      distributedText('insert into a (lane, b) select $1, max(b) from unnest($2::text[]) as v (b) group by b'),
    ).toBe(
      `insert into a (lane, b) select home.lane, max(b) from ${home} cross join unnest($2::text[]) as v (b) group by home.lane, b`,
    )
  })

  it('adds the lane to the outermost group by, and not to that of a subquery', () => {
    const home = '(select lane from citus_lane where lane = $1) as home'
    const [inner, outer] = ['(select max(b) from c group by d) as e', 'group by f']
    expect(distributedText(`insert into a (lane, b) select $1, e.* from ${inner}`)).toBe(
      `insert into a (lane, b) select home.lane, e.* from ${home} cross join ${inner}`,
    )
    expect(distributedText(`insert into a (lane, b) select $1, max(b) from ${inner} ${outer}`)).toBe(
      `insert into a (lane, b) select home.lane, max(b) from ${home} cross join ${inner} group by home.lane, f`,
    )
  })

  it('is unchanged if it has no lane, or if Citus sees the lane', () => {
    for (const text of [
      'insert into provider_notice (lane, provider_id) select $1, v.* from unnest($2::text[]) as v',
      'insert into a (lane, b) values ($1, $2)',
      'select b from a where lane = $1 and b is not distinct from $2',
    ]) {
      expect(distributedText(text)).toBe(text)
    }
  })

  it('does not hide its lane, whichever of ours it is', async () => {
    const texts = await ourStatements()
    const hidden =
      /lane is not distinct from|insert into (?!provider_notice|virtual_account_number)\w+\s*\(lane,[^)]*\)\s*select \$1\b/
    const ofSteps = ['follow_payments', 'follow_deposits', 'add_words'].map((what) => `search.${what}`)
    expect(texts.filter(({ name, text }) => hidden.test(text) && !ofSteps.includes(name))).toEqual([])
  })

  it('writes no row with `case VALUE when`, which Citus sends to the machine in a form that PostgreSQL refuses', async () => {
    const refused = /\b(?:insert|update|delete)\b[\s\S]*\bcase (?!when\b)/
    expect((await ourStatements()).filter(({ text }) => refused.test(text))).toEqual([])
  })

  it('locks no row that is joined to values in a `with`, whose rows Citus writes as binary and reads as text', async () => {
    const refused = /\bwith\b[\s\S]*\bunnest\([^()]*\) as \w+ \([^()]*\) join \w+[^()]* for (?:no key )?update/
    expect((await ourStatements()).filter(({ text }) => refused.test(text))).toEqual([])
  })
})

async function ourStatements(): Promise<{ name: string; text: string }[]> {
  const root = path.join(import.meta.dirname, '../..')
  for await (const file of glob('src/*/**/*.ts', { cwd: root, exclude: ['src/bin/**'] }))
    await import(path.join(root, file))
  const texts = [...statementTexts()].map(([name, text]) => ({ name, text: distributedText(text) }))
  expect(texts.length).toBeGreaterThan(300)
  return texts
}
