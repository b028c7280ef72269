// A mutant: one small change of one file that a test should notice.

import { readdirSync } from 'node:fs'
import { codeEdits } from './code-mutators.ts'
import { apply, type Edit } from './edit.ts'
import { mutatedPaths } from './scope.ts'
import { isSql, sqlEdits } from './sql-mutators.ts'
import { lineAt, readSource, textOf, type Place, type Source } from './syntax.ts'

export type Mutant = Edit & {
  file: string
  line: number
  /** The lines that it changes, as they are and as it makes them, each as one line: by these a mutant is known. */
  before: string
  after: string
}

export function mutatedSources(): Source[] {
  return mutatedPaths
    .flatMap((name) => (name.endsWith('.ts') ? [name] : readdirSync(name).map((file) => `${name}${file}`)))
    .filter((file) => file.endsWith('.ts'))
    .map(readSource)
}

export function mutantsOf(source: Source): Mutant[] {
  const edits = source.places.filter((place) => !isNoise(source, place)).flatMap((place) => editsOf(source, place))
  const byText = new Map<string, Mutant>()
  for (const edit of edits) {
    const mutant = describe(source, edit)
    if (mutant.before !== mutant.after) byText.set(`${edit.start} ${mutant.after}`, mutant)
  }
  return [...byText.values()].toSorted((left, right) => left.start - right.start)
}

function editsOf(source: Source, place: Place): Edit[] {
  const { node } = place
  if (node.type === 'TemplateLiteral' || node.type === 'Literal') {
    const text = textOf(source, node)
    if (isSql(text))
      return sqlEdits(text).map((edit) => ({ ...edit, start: edit.start + node.start, end: edit.end + node.start }))
  }
  return codeEdits(source, place)
}

/** Of what is logged, counted, or said when a bug shows itself, no test says how it must be. */
const noisyCalls = /(^|[.#])(log|metrics|assert|present|unreachable)\b|(Error|Unavailable)$/

function isNoise(source: Source, { node, around }: Place): boolean {
  return [node, ...around].some((outer) => {
    const inner = outer.type === 'ExpressionStatement' ? outer.expression : outer
    if (inner.type !== 'CallExpression' && inner.type !== 'NewExpression') return false
    return noisyCalls.test(textOf(source, inner.callee))
  })
}

function describe(source: Source, edit: Edit): Mutant {
  const { text, file } = source
  const from = text.lastIndexOf('\n', edit.start - 1) + 1
  const end = text.indexOf('\n', edit.end)
  const to = end === -1 ? text.length : end
  const before = text.slice(from, to)
  const after = apply(before, { start: edit.start - from, end: edit.end - from, text: edit.text })
  return { ...edit, file, line: lineAt(source, edit.start), before: inOneLine(before), after: inOneLine(after) }
}

function inOneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ')
}
