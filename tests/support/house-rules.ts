// The house rules that a machine can check. Each looks at the whole tree and returns what breaks it, by file and line.
// STYLE.md explains them; tests/tidy.test.ts applies them to the tree and proves that each can fail.

import { createHash } from 'node:crypto'
import { textOf, type File, type Tree } from './tree.ts'

export type Rule = (tree: Tree) => string[]

/** A case of a test: the guarantee, its rule, files that break it, and the rule's findings. */
export type Case = [string, Rule, Record<string, string>, string[]]

/** Matches at any depth, so that no new folder escapes. */
const isCode = (file: File): boolean => /\.[cm]?[jt]sx?$/.test(file.path)
/** SQL is in queries.ts or beside its only caller. */
const isSql = (file: File): boolean =>
  /^db\/migrations\/.*\.sql$/.test(file.path) ||
  (/^src\/(?!platform\/).*\.ts$/.test(file.path) && /\bstatement\(\s*'/.test(file.text))
const isTest = (file: File): boolean => /\.test\.tsx?$/.test(file.path)
/** These files quote the words that they forbid. */
const ruleBooks = ['tests/support/house-rules.ts', 'tests/tidy.test.ts', 'tests/guards.test.ts']

function lines(tree: Tree, where: (file: File) => boolean, what: RegExp, sentence: string): string[] {
  return tree
    .filter((file) => where(file) && !ruleBooks.includes(file.path))
    .flatMap((file) =>
      file.text.split('\n').flatMap((line, at) => (what.test(line) ? [`${file.path}:${at + 1} ${sentence}`] : [])),
    )
}

export const noParentImports: Rule = (tree) =>
  lines(tree, isCode, /(\bfrom|\bimport|\bimport\()\s*'(\.\/)*\.\.\//, 'imports with ../; write #folder/file.ts')

export const noNamelessTodo: Rule = (tree) =>
  lines(
    tree,
    (file) => isCode(file) || isSql(file),
    /\b(TODO|FIXME|XXX)\b(?!\([a-z][\w-]*\))/,
    'has a TODO without a name; write TODO(name)',
  )

export const everyTestRuns: Rule = (tree) => [
  ...lines(tree, isTest, /\b(it|test|describe)\.only\b/, 'runs one test only'),
  ...tree
    .filter((file) => isTest(file) && !file.path.startsWith('tests/'))
    .map((file) => `${file.path} is not in tests/, where npm test looks`),
]

export const noSleep: Rule = (tree) => [
  ...lines(tree, isCode, /\bsleep\(/, 'sleeps; wait for a condition'),
  ...lines(tree, isTest, /setTimeout\((resolve|done)\b|timers\/promises/, 'sleeps; wait for a condition'),
]

/**
 * A short limit of its own fails a test on a busy machine. So all waits share one limit, and a fake clock decides about
 * time.
 */
export const oneLimitForAllWaits: Rule = (tree) =>
  lines(
    tree,
    (file) => file.path.startsWith('tests/'),
    /\bvi\.waitFor\(|\btimeout: [\d_]+|^\s*\}, [\d_]+\)/,
    'waits with a limit of its own; see tests/support/patience.ts',
  )

export const noAmountAsDouble: Rule = (tree) =>
  lines(
    tree,
    (file) => file.path.startsWith('src/') && file.path !== 'src/platform/money.ts',
    /\b(Number|parseInt|parseFloat)\(\s*[\w.?]*(amount|kobo|fee|balance|available|reserved|debit|credit)/i,
    'turns an amount into a double; use toWire of #platform/money.ts',
  )

const linesMax = 500

export const noLongFile: Rule = (tree) =>
  tree
    .filter((file) => (isCode(file) || isSql(file)) && !file.text.startsWith('// Written by `npm run generate`'))
    .map((file) => ({ path: file.path, count: file.text.split('\n').length - 1 }))
    .filter(({ count }) => count > linesMax)
    .map(({ path, count }) => `${path} has ${count} lines of at most ${linesMax}; it wants to be two files`)

const architectureLinesMax = 250

export const architectureIsShort: Rule = (tree) =>
  tree
    .filter(({ path, text }) => path === 'ARCHITECTURE.md' && text.split('\n').length - 1 > architectureLinesMax)
    .map(({ path }) => `${path} has more than ${architectureLinesMax} lines; move the longest part to where it belongs`)

/** The comment that a file begins with describes the whole file. An empty line parts it from what follows. */
export const everyFileHasAHeader: Rule = (tree) =>
  tree
    .filter(({ path }) => /^(src|simulate|bench|dashboard\/src)\/.*\.tsx?$/.test(path))
    .filter(({ text }) => !/^(\/\/.*\n)+\n/.test(text))
    .map(({ path }) => `${path} does not begin with a comment that says what it is`)

const binaryBytesMax = 200 * 1024

export const noLargeBinary: Rule = (tree) =>
  tree
    .filter((file) => file.binary && file.bytes > binaryBytesMax)
    .map((file) => `${file.path} is a binary of ${file.bytes} bytes`)

export const kebabNames: Rule = (tree) =>
  tree
    .filter(
      (file) =>
        isCode(file) &&
        !/(^|\/)[a-z0-9]+(-[a-z0-9]+)*((\.alone|\.slow)?\.test|\.config|\.d)?\.(ts|tsx|js|mjs)$/.test(file.path),
    )
    .map((file) => `${file.path} is not in kebab-case`)

/** The platform is a closed list. What belongs to one noun of the business stands in that noun's module. */
const platform = [
  'assert',
  'cache',
  'clock',
  'concurrency',
  'context',
  'durations',
  'errors',
  'ids',
  'money',
  'secrets',
  'db/database-clock',
  'db/db',
  'db/distributed',
  'db/folded-names',
  'db/lane',
  'db/loader',
  'db/months',
  'db/numbered-list',
  'db/pooler',
  'db/postgres-errors',
  'db/round-trip',
  'db/sessions',
  'db/statement',
  'db/transaction',
  'db/values',
  'http-client/addresses',
  'http-client/client',
  'observability/log',
  'observability/metrics',
  'observability/tracing',
]

export const closedPlatform: Rule = (tree) => {
  const found = tree.flatMap((file) => /^src\/platform\/(.*)\.ts$/.exec(file.path)?.[1] ?? [])
  return [
    ...found
      .filter((name) => !platform.includes(name))
      .map((name) => `src/platform/${name}.ts is not on the list of the platform`),
    ...platform.filter((name) => !found.includes(name)).map((name) => `src/platform/${name}.ts is missing`),
  ]
}

const places = ['work', 'home', 'root', 'Users', 'workspace'].join('|')
const foreign = new RegExp(
  `(?<![\\w.)}:-])/(${places})/[\\w.-]|/tmp/bash_jobs|\\bregistry\\.(npm|yarn|[\\w-]+\\.(com|org|net|io|dev|local|internal)\\b)|verdaccio|artifactory|"resolved": "[a-z+]+:`,
)

export const noForeignWords: Rule = (tree) =>
  lines(tree, (file) => !file.binary, foreign, 'names a path of some machine or a package registry')

const timeOrChance =
  /(?<![.\w])(now|clock_timestamp|statement_timestamp|random|gen_random_uuid|uuidv[47]|nextval)\s*\((?!\)\s*[:{])|\bcurrent_timestamp\b/i
const hidden =
  /\bcreate\s+(or\s+replace\s+)?(constraint\s+)?(trigger|function|procedure|rule)\b|\bmerge\s+into\b|\b(small|big)?serial\b|\bas identity\b|\bpg_(try_)?advisory/i

const asksForTime = /\b(clock|statement|transaction)_timestamp\b|\bcurrent_timestamp\b/i
/** This file reads the database's time and hands it to the rest as a parameter. */
const theClock = 'src/platform/db/database-clock.ts'

export const plainSql: Rule = (tree) => [
  ...lines(
    tree,
    (file) => /^src\/.*\.ts$/.test(file.path) && !isSql(file) && file.path !== theClock,
    asksForTime,
    'asks the database for the time; only src/platform/db/database-clock.ts does',
  ),
  ...lines(tree, isSql, timeOrChance, 'takes time, chance or a number from the database; the application passes them'),
  ...lines(tree, isSql, hidden, 'hides work in the database: no trigger, function, merge, sequence or advisory lock'),
]

// Tables that are read before the tenant is known: by key, by account number, by notice, and the review queue, some of
// whose items belong to no tenant.
const lookUps = ['api_key', 'virtual_account_number', 'inbound_notice', 'provider_notice', 'rail_notice', 'review_item']
const asksWhose = new RegExp(`\\b(${lookUps.join('|')})\\b`)
// The audit log belongs to the whole installation; its entries name tenants, but no tenant owns them.
const ofInstallation = ['audit_entry']
// Small tables about businesses, which a Citus would copy to each worker, and tables about providers, whose lists and
// books belong to the company as a whole.
const withoutLane = [
  'src/businesses/',
  'src/audit/',
  'src/payments/brakes.ts',
  'src/payments/provider-accounts.ts',
  'src/rails/operator-offers.ts',
  'src/rails/processes.ts',
  'src/ledger/float.ts',
  'src/reconciliation/',
  'src/platform/',
  'src/postgres/',
]
// People belong to no tenant, because one person may be a member of several businesses.
const ofPeople = /^src\/(users|mail)\//

export const everyStatementHasItsLane: Rule = (tree) =>
  tree
    .filter((file) => file.path.startsWith('src/') && isSql(file))
    .filter((file) => !withoutLane.some((path) => file.path.startsWith(path)) && !ofPeople.test(file.path))
    .flatMap((file) =>
      [...file.text.matchAll(/\bstatement\(\s*'([^']+)',\s*([`'])([\s\S]*?)\2\s*,?\s*\)/g)]
        .map(([, name, , sql = '']) => ({ name, sql: withFragments(file.text, sql) }))
        .filter(({ sql }) => !/\blane\b/.test(sql) && !asksWhose.test(sql))
        .map(({ name }) => `${file.path} statement ${name} has no lane`),
    )

/**
 * A ctid identifies a row only within a lane, because the rows of a lane may lie in a table or on a machine of their
 * own.
 */
export const everyPlaceHasItsLane: Rule = (tree) =>
  tree
    .filter((file) => isSql(file) && file.path.startsWith('src/'))
    .flatMap((file) =>
      file.text
        .split('\n')
        .flatMap((line, at) =>
          /\bctid\s*(=|in\b)/.test(line.replace(/\blane (=|is not distinct from) \$1 and .*/, ''))
            ? [`${file.path}:${at + 1} finds a row by its place alone; write lane = $1 and … before ctid = …`]
            : [],
        ),
    )

/** Replaces `${…}` by the file's own constants, which may hold others in turn. */
function withFragments(text: string, sql: string, depth = 3): string {
  const filled = sql.replaceAll(
    /\$\{(\w+)\}/g,
    (_, name) => new RegExp(`\\bconst ${name} = ([\`'])([\\s\\S]*?)\\1`).exec(text)?.[2] ?? '',
  )
  return depth === 0 || filled === sql ? filled : withFragments(text, filled, depth - 1)
}

export const tablesLeadWithTheirTenant: Rule = (tree) =>
  [...textOf(tree, 'db/schema.sql').matchAll(/^create table (\w+) \(\n([\s\S]*?)\n\)/gm)].flatMap(
    ([, table = '', body = '']) => {
      if (!/^ {2}tenant_id uuid/m.test(body) || [...lookUps, ...ofInstallation].includes(table)) return []
      const keys = [...body.matchAll(/(?:PRIMARY KEY|UNIQUE) \(([^)]*)\)/g)].map(([, columns = '']) => columns)
      const indexes = [
        ...textOf(tree, 'db/schema.sql').matchAll(
          new RegExp(`UNIQUE INDEX \\w+ ON ${table} USING btree \\(([^)]*)\\)`, 'g'),
        ),
      ]
      const columns = /^ {2}lane smallint not null,\n {2}tenant_id uuid not null,\n/.test(body)
        ? []
        : [`table ${table} does not begin with lane, tenant_id`]
      const unled = [...keys, ...indexes.map(([, list = '']) => list)].filter(
        (list) => !/^lane, tenant_id\b/.test(list),
      )
      return [
        ...columns,
        ...unled.map((list) => `table ${table} has a key (${list}) that does not begin with lane, tenant_id`),
      ]
    },
  )

export const migrationsStandFast: Rule = (tree) => {
  const files = tree.filter((file) => /^db\/migrations\/.*\.sql$/.test(file.path))
  const sums = new Map(
    textOf(tree, 'db/migrations/checksums.txt')
      .split('\n')
      .map((line) => [line.slice(66), line.slice(0, 64)]),
  )
  return files.flatMap((file, index) => {
    const name = file.path.slice('db/migrations/'.length)
    const number = String(index + 1).padStart(4, '0')
    if (!new RegExp(`^${number}-[a-z0-9]+(-[a-z0-9]+)*\\.sql$`).test(name))
      return [`${file.path} is not called ${number}-what-it-does.sql`]
    const sum = sums.get(name)
    if (sum === undefined) return [`${file.path} has no checksum; run npm run generate`]
    return sum === createHash('sha256').update(file.text).digest('hex')
      ? []
      : [
          `${file.path} is not what its checksum says; write a new migration (before the first release: npm run generate)`,
        ]
  })
}
