// What conditions were: a mistake in one changes nothing for a test in which the condition would have been the same.

import type { Node } from 'oxc-parser'
import type { Mutant } from './mutant.ts'
import type { Insertion } from './reach.ts'
import { textOf, type Place, type Source } from './syntax.ts'

declare global {
  /** Both tell `globalThis.reached` what they see, and return what stood there. */
  var choice: <T>(id: string, value: T) => T
  var comparison: <T>(id: string, left: T, right: T, operator: string) => boolean
}

export function listenToChoices(reached: Set<string>): void {
  globalThis.choice = (id, value) => {
    reached.add(`${id}:${Boolean(value)}`)
    return value
  }
  globalThis.comparison = (id, left, right, operator) => {
    const [less, more] = [left < right, left > right]
    if (!less && !more) reached.add(`${id}:equal`)
    if (operator.length === 1) return operator === '<' ? less : more
    return operator === '<=' ? left <= right : left >= right
  }
}

const idOf = ({ file }: Source, { start, end }: Node): string => `${file}:${start}-${end}`

export function choicesIn(source: Source, place: Place, rank: number): Insertion[] {
  const { node } = place
  const { start, end } = node
  const id = idOf(source, node)
  const insertions: Insertion[] = []
  if (isOrder(node)) {
    const { at, operator } = operatorOf(source, node)
    insertions.push(
      { at: start, text: `globalThis.comparison('${id}', `, rank },
      { at, instead: operator.length, text: ',', rank },
      { at: end, text: `, '${operator}')`, rank: -rank },
    )
  }
  if (decides(place)) {
    insertions.push(
      { at: start, text: `globalThis.choice('${id}', `, rank: rank - 0.5 },
      { at: end, text: ')', rank: -rank + 0.5 },
    )
  }
  return insertions
}

/** Which choices a mutant changes; undefined: it is not a choice that it changes. */
export function choicesOf(source: Source, mutant: Mutant): string[] | undefined {
  for (const place of source.places) {
    const { node } = place
    const isWhole = node.start === mutant.start && node.end === mutant.end
    if (isWhole && isTest(place)) {
      if (mutant.text === 'true') return [`${idOf(source, node)}:false`]
      if (mutant.text === 'false') return [`${idOf(source, node)}:true`]
    }
    if (isWhole && node.type === 'LogicalExpression' && node.operator !== '??')
      return sidesOf(source, place, mutant.text)
    if (isOrder(node) && operatorOf(source, node).at === mutant.start) return [`${idOf(source, node)}:equal`]
  }
  return undefined
}

/** Of `a && b`, `a` alone is another value where `b` says no, and `b` alone may be where `a` does. */
function sidesOf(source: Source, place: Place, text: string): string[] {
  const { left, right, operator } = place.node as Extract<Node, { type: 'LogicalExpression' }>
  const decisive = operator === '||'
  const isLeft = [textOf(source, left), `(${textOf(source, left)})`].includes(text)
  if (!isLeft) return [`${idOf(source, left)}:${decisive}`]
  const rightId = idOf(source, right)
  return isCondition(place) ? [`${rightId}:${decisive}`] : [`${rightId}:true`, `${rightId}:false`]
}

function isTest({ node, around: [outer] }: Place): boolean {
  if (outer?.type !== 'IfStatement' && outer?.type !== 'ConditionalExpression') return false
  return outer.test === node
}

/** Its truth alone matters. */
function isCondition({ node, around }: Place): boolean {
  const [outer, ...others] = around
  if (outer?.type === 'LogicalExpression' || outer?.type === 'ParenthesizedExpression')
    return isCondition({ node: outer, around: others })
  return isTest({ node, around }) || (outer?.type === 'UnaryExpression' && outer.operator === '!')
}

function decides(place: Place): boolean {
  const [outer] = place.around
  return isTest(place) || (outer?.type === 'LogicalExpression' && outer.operator !== '??')
}

type Order = Extract<Node, { type: 'BinaryExpression' }>

function isOrder(node: Node): node is Order {
  return node.type === 'BinaryExpression' && ['<', '<=', '>', '>='].includes(node.operator)
}

function operatorOf({ text }: Source, { operator, left }: Order): { at: number; operator: string } {
  return { at: text.indexOf(operator, left.end), operator }
}
