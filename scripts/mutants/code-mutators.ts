// The ways in which a line of TypeScript may be wrong. Each is a mistake that somebody could make: a limit that is off
// by one, a condition that is forgotten, a step that is left out.

import type { CallExpression, ConditionalExpression, IfStatement, Node } from 'oxc-parser'
import type { Edit } from './edit.ts'
import { textOf, type Place, type Source } from './syntax.ts'

const swaps: Record<string, string> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '+=': '-=',
  '-=': '+=',
  '++': '--',
  '--': '++',
  max: 'min',
  min: 'max',
  some: 'every',
  every: 'some',
}

/** Calls without which a list is still a list. */
const listCalls = ['filter', 'slice', 'toSorted', 'toReversed', 'reverse', 'sort']

type Mutators = {
  [Type in Node['type']]?: (node: Extract<Node, { type: Type }>, source: Source, place: Place) => Edit[]
}

const mutators: Mutators = {
  BinaryExpression: (node, source, place) =>
    isText(node.left) ||
    isText(node.right) ||
    orders(source, place) ||
    isWholeCondition(place) ||
    isConditionThatSpares(source, place)
      ? []
      : swapped(source, node.operator, node.left.end),
  LogicalExpression(node, source) {
    const right = replaced(node, textOf(source, node.right))
    return node.operator === '??' ? [right] : [replaced(node, textOf(source, node.left)), right]
  },
  IfStatement: (node, source) =>
    sparesStep(source, node)
      ? [replaced(node.test, 'false')]
      : [replaced(node.test, 'true'), replaced(node.test, 'false')],
  ConditionalExpression: (node, source) =>
    sparesQuestion(source, node)
      ? [replaced(node.test, 'true')]
      : [replaced(node.test, 'true'), replaced(node.test, 'false')],
  WhileStatement: ({ test }) => [replaced(test, 'false')],
  UnaryExpression: (node, source) => (node.operator === '!' ? [replaced(node, textOf(source, node.argument))] : []),
  UpdateExpression: ({ operator, start }, source, { around: [outer] }) =>
    outer?.type === 'ForStatement' ? [] : swapped(source, operator, start),
  AssignmentExpression: ({ operator, left }, source) => swapped(source, operator, left.end),
  Literal: (_node, source, place) => otherValues(source, place),
  ExpressionStatement: (node) => (isStep(node.expression) ? [replaced(node, '{}')] : []),
  CallExpression: (node, source) => otherCalls(source, node),
}

export function codeEdits(source: Source, place: Place): Edit[] {
  // The mutator of a type takes nodes of that type.
  const mutator = mutators[place.node.type] as ((node: Node, source: Source, place: Place) => Edit[]) | undefined
  return mutator?.(place.node, source, place) ?? []
}

function replaced({ start, end }: Node, text: string): Edit {
  return { start, end, text: `(${text})`.replace(/^\((true|false|\{\}|[\w.]+)\)$/, '$1') }
}

function swapped({ text }: Source, operator: string, from: number): Edit[] {
  const other = swaps[operator]
  const start = text.indexOf(operator, from)
  return other === undefined ? [] : [{ start, end: start + operator.length, text: other }]
}

function isText(node: Node): boolean {
  return (
    node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string' && node.value !== '')
  )
}

/** In what sorts, `<` and `<=` are the same: no two are equal. */
function orders(source: Source, { around }: Place): boolean {
  return around.some((node) => node.type === 'CallExpression' && /\.(toSorted|sort)$/.test(textOf(source, node.callee)))
}

/** Of an equality that alone is a condition, `true` and `false` say as much as its opposite. */
function isWholeCondition({ node, around: [outer] }: Place): boolean {
  const decides = outer?.type === 'IfStatement' || outer?.type === 'ConditionalExpression'
  return decides && outer.test === node && node.type === 'BinaryExpression' && /^[!=]==$/.test(node.operator)
}

// What is done for each of a list is nothing for none of them: whether it is begun at all saves a statement, and is not told.

/** `if (rows.length > 0) insert(tx, rows)`, with nothing after `else`. */
function sparesStep(source: Source, { test, consequent, alternate }: IfStatement): boolean {
  if (alternate !== null || !/\.(length|size) > 0$/.test(textOf(source, test))) return false
  return consequent.type === 'ExpressionStatement' && isStep(consequent.expression)
}

function isConditionThatSpares(source: Source, { node, around: [outer] }: Place): boolean {
  return outer?.type === 'IfStatement' && outer.test === node && sparesStep(source, outer)
}

/** `rows.length === 0 ? [] : find(tx, rows)`. */
function sparesQuestion(source: Source, { test, consequent }: ConditionalExpression): boolean {
  const isNothing = /^(\[\]|undefined|new (Map|Set)\b.*\(\))$/.test(textOf(source, consequent))
  return isNothing && /^[\w.]+\.(length|size) === 0$/.test(textOf(source, test))
}

/** From here on a number is a limit: off by one it is seldom told from the right one, but no limit at all must be. */
const limitMin = 10

function otherValues(source: Source, { node, around: [outer] }: Place): Edit[] {
  if (node.type !== 'Literal' || outer === undefined) return []
  if (outer.type === 'MemberExpression' || (outer.type === 'Property' && outer.key === node)) return []
  if (typeof node.value === 'boolean') return [replaced(node, String(!node.value))]
  if (typeof node.value === 'bigint') return [replaced(node, `${node.value + 1n}n`)]
  if (typeof node.value !== 'number') return []
  if (node.value < limitMin) return [replaced(node, String(node.value + 1))]
  return [replaced(node, '0'), replaced(node, `${textOf(source, node)} * 1_000`)]
}

function isStep(node: Node): boolean {
  const inner = node.type === 'UnaryExpression' && node.operator === 'void' ? node.argument : node
  return ['AwaitExpression', 'CallExpression', 'AssignmentExpression'].includes(inner.type)
}

function otherCalls(source: Source, { callee, end }: CallExpression): Edit[] {
  if (callee.type !== 'MemberExpression' || callee.computed) return []
  const { property, object } = callee
  const name = textOf(source, property)
  if (listCalls.includes(name)) return [{ start: object.end, end, text: '' }]
  const known = ['max', 'min'].includes(name) ? textOf(source, object) === 'Math' : name in swaps
  const other = swaps[name]
  return known && other !== undefined ? [{ start: property.start, end: property.end, text: other }] : []
}
