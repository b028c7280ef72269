// The ways in which a statement may be wrong. Most of what we promise is kept by a word of SQL: a condition, a lock, an
// order, a limit.

import type { Edit } from './edit.ts'

/** Statements, and the pieces that they are put together from. */
export function isSql(literal: string): boolean {
  const text = literal.slice(1).trimStart()
  return (
    /^(select|insert into|update|delete from|with|where|and|order by|for update|values)\s/.test(text) ||
    /\w+ (=|<|>|<=|>=) (\$\d|k\.)/.test(text)
  )
}

export function sqlEdits(literal: string): Edit[] {
  const text = withoutNested(literal)
  return [...conditionEdits(text), ...wordEdits(text), ...callEdits(text)]
}

/** What TypeScript puts in is mutated where it is made; here it is a word of the same length. */
function withoutNested(literal: string): string {
  return literal.replaceAll(/\$\{(?:[^{}`]|`[^`]*`|\{[^}]*\})*\}/g, (piece) => 'x'.repeat(piece.length))
}

type Swap = { pattern: RegExp; to: string }

const swaps: Swap[] = [
  { pattern: /(?<=\s)<=(?=\s)/g, to: '<' },
  { pattern: /(?<=\s)<(?=\s)/g, to: '<=' },
  { pattern: /(?<=\s)>=(?=\s)/g, to: '>' },
  { pattern: /(?<=\s)>(?=\s)/g, to: '>=' },
  { pattern: /(?<=\s)\+ 1\b/g, to: '+ 2' },
  { pattern: /(?<=\s)- 1\b/g, to: '- 2' },
  { pattern: /(?<=\s)\+(?= [a-z$(])/g, to: '-' },
  { pattern: /(?<=\s)-(?= [a-z$(])/g, to: '+' },
  { pattern: /\s+desc\b/g, to: '' },
  { pattern: /(?<=order by [\w.]+)(?=[\s)`]|$)(?! desc)/g, to: ' desc' },
  { pattern: /\s+for update( of \w+)?( skip locked)?/g, to: '' },
  { pattern: /\s+skip locked/g, to: '' },
  { pattern: /\s+(limit|offset) \$\d+/g, to: '' },
  { pattern: /\bdistinct /g, to: '' },
  { pattern: /\bis null\b/g, to: 'is not null' },
  { pattern: /\bis not null\b/g, to: 'is null' },
  { pattern: /\btrue\b/g, to: 'false' },
  { pattern: /\bfalse\b/g, to: 'true' },
  { pattern: /\bleft join\b/g, to: 'join' },
  { pattern: /\bunion all\b/g, to: 'union' },
  { pattern: /\bmin\(/g, to: 'max(' },
  { pattern: /\bmax\(/g, to: 'min(' },
]

function wordEdits(text: string): Edit[] {
  return swaps.flatMap(({ pattern, to }) =>
    [...text.matchAll(pattern)].map(({ index, 0: found }) => ({ start: index, end: index + found.length, text: to })),
  )
}

/** `greatest(a, b)` becomes `a`, and `b`; of `coalesce(a, b)` only what stands in is told from the whole. */
function callEdits(text: string): Edit[] {
  return [...text.matchAll(/\b(greatest|least|coalesce)\(/g)].flatMap(({ index, 0: call, 1: name }) => {
    const inside = index + call.length
    const end = endOf(text, inside)
    const comma = commaIn(text, inside, end)
    if (comma === undefined) return []
    const [first, second] = [text.slice(inside, comma).trim(), text.slice(comma + 1, end).trim()]
    return (name === 'coalesce' ? [second] : [first, second]).map((to) => ({ start: index, end: end + 1, text: to }))
  })
}

/** The end of a condition: a word that begins something else, at its own depth. */
const next =
  /^\s(and|or|group by|order by|limit|offset|for update|returning|union|cross|left|join|where|then|from|when|else)\b/

function conditionEdits(text: string): Edit[] {
  return [...text.matchAll(/\b(where|and|or|on|when)\s+/g)].flatMap(({ index, 0: found, 1: word }) => {
    const start = index + found.length
    const end = endOf(text, start, next)
    const condition = text.slice(start, end)
    // A condition on the lane keeps a query on one machine, not out of somebody else's rows. One on an array of places is
    // said again as a join, and is there for the planner. And `between a and b`.
    if (/^(\w+\.)?(lane = |ctid = any\()/.test(condition) || /\bbetween\s+\S+\s+$/.test(text.slice(0, index))) return []
    if (word === 'on' && !/ = /.test(condition)) return []
    return [word === 'or' ? { start: index, end, text: 'or false' } : { start, end, text: 'true' }]
  })
}

/** Where what begins at `from` ends: at the parenthesis that closes around it, at what `stop` finds, or with the text. */
function endOf(text: string, from: number, stop?: RegExp): number {
  let depth = 0
  let between = false
  for (let at = from; at < text.length; at++) {
    const character = text[at]
    if (character === '`' || (character === "'" && at === text.length - 1)) return at
    if (character === '(') depth++
    if (character === ')' && --depth < 0) return at
    if (character === ',' && depth === 0 && stop !== undefined) return at
    if (depth > 0 || stop === undefined) continue
    const rest = text.slice(at)
    if (/^\sbetween\b/.test(rest)) between = true
    const found = stop.exec(rest)
    if (found === null) continue
    if (found[1] === 'and' && between) between = false
    else return at
  }
  return text.length
}

function commaIn(text: string, from: number, end: number): number | undefined {
  let depth = 0
  for (let at = from; at < end; at++) {
    if (text[at] === '(') depth++
    if (text[at] === ')') depth--
    if (text[at] === ',' && depth === 0) return at
  }
  return undefined
}
