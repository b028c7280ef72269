// The house rules about names and words. Counts are limits that may only fall: lower them when the tree allows it.

import path from 'node:path'
import type { Rule } from './house-rules.ts'
import type { File, Tree } from './tree.ts'

/** Single words that are clear where the code uses them. */
const clearWords: Record<string, string> = {
  assert: 'the usual word',
  present: 'reads as a sentence with its argument',
  unreachable: 'the usual word',
  statement: 'a prepared statement of SQL',
  run: 'runs such a statement',
  add: 'arithmetic of kobo',
  negate: 'arithmetic of kobo',
  migrate: 'the command of the same name',
}
/** These files export builders that read as what they build: `endpoint`, `text`, `record`, `table`. */
const builders = ['src/api/', 'src/cli/']
const waits = (file: File): boolean => builders.some((folder) => file.path.startsWith(folder))
const isSource = (file: File): boolean => /^src\/.*\.ts$/.test(file.path)

export const functionsAreVerbAndObject: Rule = (tree) =>
  tree
    .filter((file) => isSource(file) && !waits(file))
    .flatMap((file) =>
      [...file.text.matchAll(/^export (?:async )?(?:function\*? |const (?=\w+ = (?:async )?(?:<.*>)?\())([a-z]+)\b/gm)]
        .map(([, name = '']) => name)
        .filter((name) => !(name in clearWords))
        .map((name) => `${file.path} exports ${name}; name a function by a verb and its object`),
    )

export const typesAreNouns: Rule = (tree) =>
  tree
    .filter((file) => isSource(file) && !waits(file))
    .flatMap((file) =>
      [...file.text.matchAll(/^export type ([A-Z][a-z]+ed|Told|Heard|Said|Found|Known|Kept|Held|Given|Taken)\b/gm)].map(
        ([, name]) => `${file.path} exports the type ${name}; name a type by a noun`,
      ),
    )

export function typeNamesDeclaredTwice(tree: Tree): string[] {
  const files = new Map<string, number>()
  for (const file of tree.filter(isSource))
    for (const [, name = ''] of file.text.matchAll(/^(?:export )?(?:type|interface) (\w+)/gm))
      files.set(name, (files.get(name) ?? 0) + 1)
  return [...files].filter(([, count]) => count > 1).map(([name]) => name)
}

const dialect =
  /^\s*(?:\/\/|\/?\*).*\b(whoever|somebody|nobody|anybody|anew|vault|cellar|tray|diary|finder|in hand|puts? down|chase|believes?)\b/i

export const commentsInDialect = (tree: Tree): string[] =>
  tree.filter(isSource).flatMap((file) => file.text.split('\n').filter((line) => dialect.test(line)))

/** Files under 80 lines that only one file imports, in the same folder. A helper lives with its caller. */
export function helpersWithOneCaller(tree: Tree): string[] {
  const importers = new Map<string, string[]>()
  for (const file of tree.filter(isSource))
    for (const [, target = ''] of file.text.matchAll(/(?:from|import\() ?'([.#][^']+)'/g)) {
      const folder = path.posix.dirname(file.path)
      const imported = target.startsWith('#') ? `src/${target.slice(1)}` : path.posix.join(folder, target)
      importers.set(imported, [...(importers.get(imported) ?? []), file.path])
    }
  return tree
    .filter((file) => isSource(file) && file.text.split('\n').length <= 80)
    .filter(({ path: name }) => {
      const [only, ...others] = importers.get(name) ?? []
      return only !== undefined && others.length === 0 && path.posix.dirname(only) === path.posix.dirname(name)
    })
    .map((file) => file.path)
}
