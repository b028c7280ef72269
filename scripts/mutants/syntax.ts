// A source file as the mutators see it: its nodes in order, each with what is around it.

import { readFileSync } from 'node:fs'
import { parseSync, visitorKeys, type Node } from 'oxc-parser'

export type Place = {
  node: Node
  /** The innermost first; the last one is the program. */
  around: readonly Node[]
}

export type Source = { file: string; text: string; places: Place[] }

export function readSource(file: string): Source {
  return parseSource(file, readFileSync(file, 'utf8'))
}

export function parseSource(file: string, text: string): Source {
  const { program, errors } = parseSync(file, text)
  const [error] = errors
  if (error !== undefined) throw new Error(`${file} cannot be parsed: ${error.message}`)
  const places: Place[] = []
  collect(program, [], places)
  return { file, text, places }
}

/** A file that says nothing at all fails every test, and proves nothing. */
export function canParse(file: string, text: string): boolean {
  return parseSync(file, text).errors.length === 0
}

function collect(node: Node, around: readonly Node[], places: Place[]): void {
  if (isType(node)) return
  places.push({ node, around })
  const inside = [node, ...around]
  for (const key of visitorKeys[node.type] ?? []) {
    const value: unknown = (node as unknown as Record<string, unknown>)[key]
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (isNode(child)) collect(child, inside, places)
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}

const expressionsOfTypeScript = ['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression']

/** What type stripping removes, and imports: there is nothing to break. */
function isType({ type }: Node): boolean {
  return (type.startsWith('TS') && !expressionsOfTypeScript.includes(type)) || type === 'ImportDeclaration'
}

export function textOf({ text }: Source, { start, end }: { start: number; end: number }): string {
  return text.slice(start, end)
}

export function lineAt({ text }: Source, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
