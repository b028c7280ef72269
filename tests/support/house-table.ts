// The house rules about the import table of oxlint.config.ts: it has a row for every folder, ARCHITECTURE.md draws it
// correctly, an import uses each edge, and the same guards cover every workspace. The linter enforces what the table
// forbids; tests/guards.test.ts proves that it does.

import { posix } from 'node:path'
import type { Rule } from './house-rules.ts'
import { textOf, type Tree } from './tree.ts'

const configuration = 'oxlint.config.ts'

export const everyFolderHasItsRow: Rule = (tree) => {
  const table = readTable(tree, 'mayImport')
  const page = textOf(tree, 'ARCHITECTURE.md')
  const drawn = new Map(
    [...page.matchAll(/^\| `([\w-]+)\/` \|.*\| ([^|]*) \|$/gm)].map(([, folder = '', list = '']) => [folder, list]),
  )
  const folders = new Set(tree.flatMap((file) => /^src\/([\w-]+)\//.exec(file.path)?.[1] ?? []))
  return [...folders].flatMap((folder) => {
    const row = table.get(folder)
    const list = drawn.get(folder)
    return [
      ...(folder === 'bin' || row !== undefined ? [] : [`src/${folder}/ has no row in ${configuration}`]),
      ...(list === undefined ? [`src/${folder}/ has no row in ARCHITECTURE.md`] : []),
      ...(row === undefined || list === undefined || sameNames(row, namesOf(tree, list))
        ? []
        : [`src/${folder}/ may import other folders in ${configuration} than in ARCHITECTURE.md`]),
    ]
  })
}

/** An edge is a permission to import. An unused one is removed. */
export const everyEdgeIsUsed: Rule = (tree) => {
  const [folders, packages] = [readTable(tree, 'mayImport'), readTable(tree, 'outward')]
  const imports = new Set(
    tree.flatMap((file) => {
      const [, folder] = /^src\/([\w-]+)\//.exec(file.path) ?? []
      return folder === undefined ? [] : targetsOf(file.text).map((target) => `${folder} ${target}`)
    }),
  )
  if (folders.size === 0 || packages.size === 0) return [`${configuration} has no import table that can be read`]
  return [
    ...[...folders].flatMap(([folder, targets]) =>
      targets.filter((target) => !imports.has(`${folder} #${target}`)).map((target) => `${folder} → ${target}`),
    ),
    ...[...packages].flatMap(([name, users]) =>
      users.filter((folder) => !imports.has(`${folder} ${name}`)).map((folder) => `${folder} → ${name}`),
    ),
  ].map((edge) => `${edge} stands in ${configuration} and no import uses it`)
}

/** A workspace is a folder with a package.json of its own. */
export const everyWorkspaceIsGuarded: Rule = (tree) => {
  const { workspaces, scripts } = parse(tree, 'package.json') as Manifest
  const knip = parse(tree, 'knip.json') as { workspaces?: Record<string, unknown> }
  const table = textOf(tree, configuration)
  const page = textOf(tree, 'ARCHITECTURE.md')
  return tree
    .filter((file) => file.path.endsWith('/package.json'))
    .flatMap((file) => {
      const folder = posix.dirname(file.path)
      const wanted: [boolean, string][] = [
        [workspaces?.includes(folder) === true, 'is not in the workspaces of package.json'],
        [scripts?.['types']?.split(' && ').includes(`tsc -p ${folder}`) === true, 'is not checked by npm run types'],
        [table.includes(`['${folder}/src/**']`), `has no row in ${configuration}`],
        [knip.workspaces?.[folder] !== undefined, 'is not in knip.json'],
        [page.includes(`| \`${folder}/\` |`), 'has no row in ARCHITECTURE.md'],
        [!folder.startsWith('sdk/') || !/ependencies"/.test(file.text), 'has a dependency; an sdk has none'],
      ]
      return wanted.filter(([holds]) => !holds).map(([, sentence]) => `${folder}/ ${sentence}`)
    })
}

type Manifest = { workspaces?: string[]; scripts?: Record<string, string> }

function parse(tree: Tree, name: string): unknown {
  const text = textOf(tree, name)
  return text === '' ? {} : JSON.parse(text)
}

/** The targets of a file's imports: `#folder` of the service, `#app.ts`, or the name of a package. */
function targetsOf(text: string): string[] {
  return [...text.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*'(#?[\w.-]+)/g)].map(([, target = '']) => target)
}

function readTable(tree: Tree, name: string): Map<string, string[]> {
  const text = new RegExp(`\\nconst ${name}\\b[^\\n]*\\{\\n([\\s\\S]*?)\\n\\}`).exec(textOf(tree, configuration))?.[1]
  const rows = [...(text ?? '').matchAll(/^ {2}'?([\w-]+)'?: \[([^\]]*)\]/gm)]
  return new Map(rows.map(([, row = '', list = '']) => [row, namesOf(tree, list)]))
}

/** Reads `'base', ...domains` of the table, or `base, domains, config` of the drawing. */
function namesOf(tree: Tree, list: string): string[] {
  const domains = /\nconst domains = \[([^\]]*)\]/.exec(textOf(tree, configuration))?.[1] ?? ''
  return [...list.replace(/\.\.\.domains\b|\bdomains\b/, domains).matchAll(/[\w.-]+/g)]
    .map(([name]) => (['config', 'app'].includes(name) ? `${name}.ts` : name))
    .filter((name) => name !== 'nothing')
}

function sameNames(left: string[], right: string[]): boolean {
  return left.toSorted().join() === right.toSorted().join()
}
