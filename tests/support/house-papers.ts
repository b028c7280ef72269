// The house rules about tests, documents and generated files: each must name what the code has.

import { posix } from 'node:path'
import { errorStatus } from '#platform/errors.ts'
import type { Rule } from './house-rules.ts'
import { textOf, type Tree } from './tree.ts'

const inFolder = (tree: Tree, folder: string): Tree => tree.filter((file) => file.path.startsWith(folder))
const textsOf = (tree: Tree): string => tree.map((file) => file.text).join('\n')

/** Every path that a file of api/v1/ states is routed, described, and called by a test. */
export const everyEndpointIsKnown: Rule = (tree) => {
  const routes = textOf(tree, 'src/api/server/routes.ts')
  const description = textOf(tree, 'docs/openapi.json')
  const tests = textsOf(inFolder(tree, 'tests/').filter((file) => file.path !== 'tests/tidy.test.ts'))
  return inFolder(tree, 'src/api/v1/').flatMap((file) => {
    const name = file.path.slice('src/api/v1/'.length)
    const paths = [...file.text.matchAll(/\bpath: '([^']+)'/g)].map(([, path = '']) => path)
    const isRouted = paths.length === 0 || routes.includes(`'#api/v1/${name}'`)
    return [
      ...(isRouted ? [] : [`${file.path} is not in src/api/server/routes.ts`]),
      ...paths.flatMap((path) => [
        ...(description.includes(`"${path.replaceAll(/:(\w+)/g, '{$1}')}": {`)
          ? []
          : [`${path} is not in docs/openapi.json`]),
        ...(calls(path).test(tests) ? [] : [`${path} is called by no test`]),
      ]),
    ]
  })
}

/** A test writes a value in the place of a path parameter. */
function calls(path: string): RegExp {
  return new RegExp(path.replaceAll(/:\w+/g, String.raw`[^\s/'?]+`))
}

/** An error code counts as used when code outside the catalogue and its documents names it. */
export const everyErrorIsExplainedAndTested: Rule = (tree) => {
  const explained = textOf(tree, 'docs/errors.md')
  const thrown = textsOf(
    inFolder(tree, 'src/').filter(
      (file) => file.path !== 'src/platform/errors.ts' && !file.path.startsWith('src/api/openapi/'),
    ),
  )
  const tested = textsOf(
    inFolder(tree, 'tests/').filter((file) => file.path.endsWith('.test.ts') && file.path !== 'tests/tidy.test.ts'),
  )
  return Object.keys(errorStatus).flatMap((code) => [
    ...(explained.includes(`\`${code}\``) ? [] : [`${code} is not in docs/errors.md`]),
    ...(thrown.includes(`'${code}'`) && !tested.includes(`'${code}'`) ? [`${code} is reached by no test`] : []),
  ])
}

/** Finds every list of statuses in the code (`export const transferStatuses = [ … ]`). */
export const everyStatusIsDrawnAndChecked: Rule = (tree) => {
  const drawn = textOf(tree, 'docs/states.md')
  const checks = [...textOf(tree, 'db/schema.sql').matchAll(/CHECK \(.*\bstatus\b.*/g)].join('\n')
  return inFolder(tree, 'src/').flatMap((file) =>
    [...file.text.matchAll(/export const \w*[sS]tatuses = \[([^\]]*)\]/g)]
      .flatMap(([, list = '']) => [...list.matchAll(/'([^']+)'/g)].map(([, status = '']) => status))
      .flatMap((status) => [
        ...(drawn.includes(status) ? [] : [`${file.path} status ${status} is not in docs/states.md`]),
        ...(checks.includes(`'${status}'`) ? [] : [`${file.path} status ${status} is in no CHECK of db/schema.sql`]),
      ]),
  )
}

export const everyEventIsDescribed: Rule = (tree) => {
  const described = textOf(tree, 'docs/events.md')
  const names = [...textOf(tree, 'src/events/catalogue.ts').matchAll(/'([a-z]+(?:\.[a-z]+)+)'/g)].map(
    ([, name = '']) => name,
  )
  return [...new Set(names)]
    .filter((name) => !described.includes(`\`${name}\``))
    .map((name) => `event ${name} is not in docs/events.md`)
}

/** A rail is a folder in rails/. */
export const everyRailConforms: Rule = (tree) => {
  const rails = new Set(tree.flatMap((file) => /^src\/rails\/([\w-]+)\//.exec(file.path)?.[1] ?? []))
  const suites = inFolder(tree, 'tests/rails/').filter((file) => file.text.includes("'./conformance.ts'"))
  return [...rails]
    .filter((rail) => !suites.some((suite) => suite.text.includes(`#rails/${rail}/`)))
    .map((rail) => `src/rails/${rail}/ runs through no conformance suite in tests/rails/`)
}

export const everySettingIsInTheReadme: Rule = (tree) =>
  [...textOf(tree, 'src/config.ts').matchAll(/^ {2}([A-Z][A-Z_]+):/gm)]
    .map(([, name = '']) => name)
    .filter((name) => !textOf(tree, 'README.md').includes(`\`${name}\``))
    .map((name) => `setting ${name} is not in README.md`)

export const everyLinkLeadsSomewhere: Rule = (tree) => {
  const places = new Set(tree.flatMap((file) => [file.path, posix.dirname(file.path)]))
  return tree
    .filter((file) => file.path.endsWith('.md'))
    .flatMap((file) =>
      [...file.text.matchAll(/\]\((?![a-z]+:|#)([^)#]+)(?:#[^)]*)?\)/g)]
        .map(([, link = '']) => posix.join(posix.dirname(file.path), link).replace(/\/$/, ''))
        .filter((target) => !places.has(target))
        .map((target) => `${file.path} links to ${target}, which is not there`),
    )
}

/**
 * Names in documents that are not files of this repository: a pattern, and files that the reader of a guide creates.
 */
const placeholders = new Set(['folder/file.ts', 'NNNN-what.sql', 'db/migrations/NNNN-what.sql', 'order.ts'])

/** A document or a comment may name a file by the end of its path: `pipeline.ts`, `api/server/pipeline.ts`. */
export const everyNamedFileExists: Rule = (tree) => {
  const ends = new Set(
    tree.flatMap(({ path }) => path.split('/').map((_, index, parts) => parts.slice(index).join('/'))),
  )
  const isNamed = (name: string): boolean => ends.has(name) || placeholders.has(name)
  return tree.flatMap((file) => {
    const isDocument = file.path.endsWith('.md')
    if (file.path === 'tests/tidy.test.ts' || !(isDocument || /\.[jt]sx?$/.test(file.path))) return []
    return file.text.split('\n').flatMap((line, at) =>
      isDocument || /^\s*(\/\/|\/?\*)/.test(line)
        ? [...line.matchAll(/(?<![\w./…#-])#?(\w[\w./-]*\.(?:tsx?|m?js|sql|sh))(?![\w-])/g)]
            .map(([, name = '']) => name)
            .filter((name) => !isNamed(name))
            .map((name) => `${file.path}:${at + 1} names ${name}, which is not there`)
        : [],
    )
  })
}

const sectionsOfDecision = ['## Context', '## Decision', '## Consequences']

export const decisionsHaveTheirShape: Rule = (tree) =>
  inFolder(tree, 'docs/adr/').flatMap((file, index) => {
    const number = String(index + 1).padStart(4, '0')
    const wanted: [boolean, string][] = [
      [
        new RegExp(`^docs/adr/${number}-[a-z0-9]+(-[a-z0-9]+)*\\.md$`).test(file.path),
        `is not called ${number}-what-it-decides.md`,
      ],
      [file.text.startsWith(`# ${index + 1}. `), `does not begin with # ${index + 1}. and a title`],
      [/^- Date: \d{4}-\d\d-\d\d$/m.test(file.text), 'has no date'],
      [/^- Status: (proposed|accepted|superseded by \d{4})$/m.test(file.text), 'has no status'],
      ...sectionsOfDecision.map((title): [boolean, string] => [
        file.text.includes(`\n${title}\n`),
        `has no section ${title}`,
      ]),
    ]
    return wanted.filter(([holds]) => !holds).map(([, sentence]) => `${file.path} ${sentence}`)
  })

const kindsOfChange = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']

export const changelogHasItsShape: Rule = (tree) => {
  const text = textOf(tree, 'CHANGELOG.md')
  const [first, ...versions] = [...text.matchAll(/^## (.*)$/gm)].map(([, title = '']) => title)
  // The first release is listed by area, because all of it was new.
  const [changes = ''] = text.split('\n## [0.1.0]')
  const kinds = [...changes.matchAll(/^### (.*)$/gm)].map(([, title = '']) => title)
  const dates = versions.map((title) => /^\[\d+\.\d+\.\d+\] - (\d{4}-\d\d-\d\d)$/.exec(title)?.[1])
  return [
    ...(text.startsWith('# Changelog\n') ? [] : ['CHANGELOG.md does not begin with # Changelog']),
    ...(first === '[Unreleased]' ? [] : ['CHANGELOG.md does not list [Unreleased] first']),
    ...versions
      .filter((_, index) => dates[index] === undefined)
      .map((title) => `CHANGELOG.md ${title} is not [x.y.z] - date`),
    ...(dates.every((date, index) => index === 0 || (date ?? '') <= (dates[index - 1] ?? ''))
      ? []
      : ['CHANGELOG.md is not newest first']),
    ...kinds
      .filter((kind) => !kindsOfChange.includes(kind))
      .map((kind) => `CHANGELOG.md ${kind} is not one of ${kindsOfChange.join(', ')}`),
  ]
}
