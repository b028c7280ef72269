// Which tests reach which part of a file: each block tells when it is entered, each condition what it was. So a mutant is
// shown to those tests alone that run what it changes, and for which it may change something.

import type { Node } from 'oxc-parser'
import { choicesIn, choicesOf } from './choices.ts'
import type { Mutant } from './mutant.ts'
import { textOf, type Place, type Source } from './syntax.ts'

/** Of a file and where a block begins in it; 0 is the file itself. */
export type BlockId = string

const idOf = (file: string, start: number): BlockId => `${file}:${start}`

/** Instead of so many characters at a place. Of what ends at one place the innermost comes first: its rank is negative. */
export type Insertion = { at: number; instead?: number; text: string; rank: number }

/** The file, telling `globalThis.reached` what is entered. No line moves. */
export function telling(source: Source): string {
  const insertions: Insertion[] = [{ at: 0, text: `${call(source, 0)};`, rank: 0 }]
  for (const [index, place] of source.places.entries()) {
    const { node } = place
    if (isExpressionArrow(node)) {
      insertions.push(
        { at: node.body.start, text: `(${call(source, node.start)}, `, rank: index },
        { at: node.body.end, text: ')', rank: -index },
      )
    } else if (node.type === 'BlockStatement') {
      insertions.push({ at: node.start + 1, text: `${call(source, node.start)};`, rank: index })
    }
    insertions.push(...choicesIn(source, place, index))
  }
  let { text } = source
  for (const { at, instead = 0, text: told } of insertions.toSorted(inOrder).toReversed())
    text = text.slice(0, at) + told + text.slice(at + instead)
  return text
}

const inOrder = (left: Insertion, right: Insertion): number => left.at - right.at || left.rank - right.rank

function call({ file }: Source, start: number): string {
  return `globalThis.reached?.add('${idOf(file, start)}')`
}

/** Of these a test must tell one to notice the mutant. */
export function cluesOf(source: Source, mutant: Mutant): string[] {
  return choicesOf(source, mutant) ?? blocksOf(source, mutant)
}

/** The blocks of which a test must enter one. */
function blocksOf(source: Source, mutant: Mutant): BlockId[] {
  const innermost = source.places.findLast(({ node }) => node.start <= mutant.start && node.end >= mutant.end)
  const starts = innermost === undefined ? [] : blocksAround(source, innermost)
  return (starts.length === 0 ? [0] : starts).map((start) => idOf(source.file, start))
}

/** What stands outside of every function, such as a statement, matters where its name is used. */
function blocksAround(source: Source, { node, around }: Place, seen: string[] = []): number[] {
  const inside = [node, ...around]
  const block = inside.find((outer) => outer.type === 'BlockStatement' || isExpressionArrow(outer))
  if (block !== undefined) return [block.start]
  const declared = inside.find((outer) => outer.type === 'VariableDeclarator')
  const name = declared === undefined ? undefined : textOf(source, declared.id).replace(/:.*/s, '')
  if (name === undefined || seen.includes(name)) return []
  // Somebody else's use of what is exported is not seen from here.
  if (inside.some(({ type }) => type === 'ExportNamedDeclaration')) return []
  const uses = source.places.filter(
    (place) => place.node.type === 'Identifier' && place.node.name === name && !place.around.includes(declared as Node),
  )
  return uses.flatMap((use) => blocksAround(source, use, [...seen, name]))
}

function isExpressionArrow(node: Node): node is Node & { type: 'ArrowFunctionExpression'; body: Node } {
  return node.type === 'ArrowFunctionExpression' && node.body.type !== 'BlockStatement'
}
