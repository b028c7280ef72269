// The mistakes that are planted, and those that are not worth planting.

import { describe, expect, it } from 'vitest'
import { mutantsOf } from '#scripts/mutants/mutant.ts'
import { parseSource } from '#scripts/mutants/syntax.ts'

const afters = (text: string): string[] => mutantsOf(parseSource('sample.ts', text)).map(({ after }) => after)

describe('of a line of TypeScript', () => {
  it.each([
    ['if (left < rightMax) left += step', ['true', 'false', 'left <= rightMax']],
    ['const ok = ready && able', ['= ready', '= able']],
    ['const later = asked ?? usual', ['= usual']],
    ['const shown = !hidden', ['= hidden']],
    ['const total = price * count', ['price / count']],
    ['const earliestMs = Math.max(now, last)', ['Math.min(now, last)']],
    ['const waitingMax = 32', ['0', '(32 * 1_000)']],
    ['const next = last + 1n', ['last - 1n', 'last + 2n']],
    ['const fresh = rows.filter(isFresh)', ['rows']],
  ])('%s', (line, changed) => {
    const all = afters(line).join('\n')
    for (const text of changed) expect(all).toContain(text)
  })

  it('each step is left out once', () => {
    expect(afters('async function f() {\n  await locks.sent\n  send(tx)\n  row.at = at\n}')).toEqual(['{}', '{}', '{}'])
  })

  it('nothing that nobody tests: types, names, logs, metrics and what a bug says', () => {
    expect(afters("import { a } from './a.ts'\ntype Limit = 3 | 4\nconst name: 'a' | 1 = 'a'")).toEqual([])
    expect(afters('ctx.log.warn({ count: 3 }, `a < b`)\nmetrics.lanes.set(1)\nthis.#options.ctx.log.info(1)')).toEqual(
      [],
    )
    expect(afters('assert(left < 3, `it is ${left + 1}`)\nfail(new Unavailable({ seconds: 60 }))').join('')).toBe('{}')
  })

  it('nothing that cannot be told: which of two equals is sorted first', () => {
    expect(afters('const order = (rows) => rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))').join('')).not.toContain(
      '<=',
    )
  })

  it('nothing that only spares a statement about no rows, but that it is never made', () => {
    expect(afters('if (rows.length > 0) insert(tx, rows)')).toEqual([
      'if (false) insert(tx, rows)',
      'if (rows.length > 1) insert(tx, rows)',
      'if (rows.length > 0) {}',
    ])
    expect(afters('const found = keys.length === 0 ? [] : find(keys)')).not.toContain(
      'const found = false ? [] : find(keys)',
    )
    expect(afters('if (rows.length > 0) throw wrong')).toContain('if (true) throw wrong')
    expect(afters('const found = keys.length === 0 ? all : find(keys)')).toContain(
      'const found = false ? all : find(keys)',
    )
  })
})

describe('of a statement', () => {
  const statement = (sql: string): string[] => afters(`const text = \`${sql}\``).map((line) => line.slice(14, -1))

  it.each([
    ['where a = $1 and b > $2', ['where true and b > $2', 'where a = $1 and true', 'where a = $1 and b >= $2']],
    ['where a between $1 and $2 and b', ['where true and b', 'where a between $1 and $2 and true']],
    ['where (a or b = $1) limit 1', ['where true limit 1', 'where (a or false) limit 1']],
    ['select a from b order by a limit $1', ['select a from b order by a desc limit $1', 'select a from b order by a']],
    ['select a from b order by a desc', ['select a from b order by a']],
    ['select a from b for update skip locked', ['select a from b', 'select a from b for update']],
    ['update t set at = greatest(t.at, v.at + 1)', ['= t.at', '= v.at + 1', 'greatest(t.at, v.at + 2)']],
    ['select coalesce(max(n), 0) from t', ['select 0 from t', 'coalesce(min(n), 0)']],
  ])('%s', (sql, changed) => {
    const all = statement(sql)
    for (const text of changed) expect(all).toContainEqual(expect.stringContaining(text))
  })

  it('no condition on the lane, which keeps a query on one machine and nothing else', () => {
    expect(statement('select a from b where lane = $1')).toEqual([])
  })

  it('no condition that is there for the planner, beside a join that says the same', () => {
    expect(statement('where t.ctid = any(array(select place from v)) and t.ctid = v.place').join('\n')).not.toContain(
      'true and',
    )
  })

  it('leaves alone what TypeScript puts in', () => {
    expect(statement('select a from b where ${a < b ? `x > $1` : cond} > $1')).toContain(
      'select a from b where ${a < b ? `x > $1` : cond} >= $1',
    )
  })
})
