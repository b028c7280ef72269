// What a migration may do to a table in use, as two closed lists: of statements and of the actions of an `alter table`.
// An action that holds a strong lock for long, or takes away what the version before still needs, is on neither.
// CONTRIBUTING.md says what to write instead; tests/postgres/migrations/rules.test.ts proves that each rule can fail.

import { actionsOf, isOutsideTransaction, parseConcurrent, statementsOf } from '#postgres/migrations/files.ts'
import type { Rule } from './house-rules.ts'
import { textOf, type File, type Tree } from './tree.ts'

/** The baseline, which is applied to an empty database, beside no older version. */
const lastBeforeTheRule = '0012'

const folder = 'db/migrations/'

export const migrationsLetTheServiceWork: Rule = (tree) => {
  const files = tree.filter(({ path }) => path.startsWith(folder) && path.endsWith('.sql'))
  return files
    .filter(({ path }) => path.slice(folder.length, folder.length + 4) > lastBeforeTheRule)
    .flatMap((file) => {
      const earlier = files.filter(({ path }) => path < file.path)
      return breaches(file, { tree, earlier }).map((sentence) => `${file.path} ${sentence}`)
    })
}

type Surroundings = { tree: Tree; earlier: Tree }

function breaches(file: File, around: Surroundings): string[] {
  return [...refusals(file), ...aboutFile(file, around)]
}

/**
 * The version before goes on writing during the rollout. A program cannot read off the SQL whether its rows pass a new
 * constraint, so the file must say why they do, in a line that a reviewer can judge.
 */
function refusals({ text }: File): string[] {
  const statements = statementsOf(text)
  const own = new Set(statements.flatMap((statement) => namesIn(statement, /^create (?:unlogged )?table (\w+)/)))
  const refusing = statements.filter((statement) => {
    const [table = ''] = namesIn(statement, refusesRows)
    return table !== '' && !own.has(table)
  })
  if (refusing.length === 0 || /^-- suits the version before: \S.{20,}$/m.test(text)) return []
  return ['refuses rows that the version before may write, without a line "-- suits the version before: REASON"']
}

const refusesRows =
  /^(?:alter table (?:only )?(?=\w+ .*\badd constraint \w+ (?:check|foreign key)\b)|create unique index (?:concurrently )?\w+ on )(\w+)/

function aboutFile(file: File, around: Surroundings): string[] {
  if (isOutsideTransaction(file)) {
    const whole = parseConcurrent(file) !== undefined
    return whole ? [] : ['runs outside of a transaction, so it holds one index, created or dropped concurrently']
  }
  const statements = statementsOf(file.text)
  const own = new Set(statements.flatMap((statement) => namesIn(statement, /^create (?:unlogged )?table (\w+)/)))
  const locking = statements.map((statement) => lockedTables(statement).filter((table) => !own.has(table)))
  const locked = new Set(locking.flat())
  // Two tables are allowed where one statement needs both, as a foreign key does.
  const oneByOne = locked.size > 1 && locking.filter((tables) => tables.length > 0).length > 1
  return [
    ...statements.flatMap((statement) => aboutStatement(statement, own, file, around)),
    ...(oneByOne ? [`locks ${[...locked].join(' and ')}: one would stay locked while it waits for the other`] : []),
    ...(statements.some(validates) && !statements.every(validates)
      ? ['validates beside something else, whose lock would be held as long; a file of its own']
      : []),
  ]
}

function aboutStatement(statement: string, own: Set<string>, file: File, around: Surroundings): string[] {
  const [table = ''] = namesIn(statement, /^alter table (?:only )?(\w+)/)
  if (table !== '')
    return own.has(table) ? [] : actionsOf(statement).flatMap((action) => aboutAction(action, table, file, around))
  const [indexed = ''] = namesIn(statement, /^create (?:unique )?index \w+ on (\w+)/)
  if (indexed !== '')
    return own.has(indexed) ? [] : [`indexes ${indexed}: concurrently, in a file without a transaction`]
  const [changed = ''] = namesIn(statement, /^(?:update|delete from) (?:only )?(\w+)/)
  if (changed !== '')
    return own.has(changed) ? [] : [`rewrites rows of ${changed}: the service does that, batch by batch`]
  if (/^revoke\b/i.test(statement))
    return narrows(statement, file) ? [] : ['takes away a right without giving it back by columns']
  if (/^drop table \w+$/i.test(statement)) return leavesIfUnused(`drops a table`, file, around)
  return /^(create (unlogged )?table|grant|insert into)\b/i.test(statement)
    ? []
    : [`holds a statement that is not on the list: ${statement.slice(0, 40)}`]
}

/**
 * Allowed actions, by their first words. Other actions rewrite or read the whole table, or change something that the
 * version before relies on.
 */
function aboutAction(action: string, table: string, file: File, around: Surroundings): string[] {
  if (/^add (?:column )?(?!column|constraint|check|unique|primary|foreign|exclude)\w+ /i.test(action))
    return aboutColumn(action)
  if (/^add constraint \w+ (check|foreign key)\b/i.test(action)) {
    return / not valid$/i.test(action)
      ? []
      : [`checks all rows of ${table} under a lock: not valid, and validated later`]
  }
  if (/^add constraint \w+ (unique|primary key) using index \w+$/i.test(action)) return []
  const [required = ''] = namesIn(action, /^alter (?:column )?(\w+) set not null$/)
  if (required !== '') {
    return isProved(table, required, around.earlier)
      ? []
      : [`reads all of ${table} under a lock: ${required} is proved by no check that was validated before`]
  }
  if (/^drop column \w+$/i.test(action)) return leavesIfUnused(`drops a column of ${table}`, file, around)
  return allowedActions.test(action) ? [] : [`does to ${table} what is not on the list: ${action.slice(0, 40)}`]
}

const allowedActions =
  /^(validate constraint \w+|drop constraint \w+|alter (column )?\w+ (set default .*|drop default|drop not null)|(re)?set \(.*\))$/i

function aboutColumn(action: string): string[] {
  const constant = / default ('[^']*'(::\w+)?|-?\d+(\.\d+)?|true|false|null)(?= |$)/i
  const rest = action.replaceAll(/'[^']*'/g, "''")
  return [
    ...(/ default /i.test(action) && !constant.test(action)
      ? [`rewrites the table: the default is a constant (${action})`]
      : []),
    ...(/ not null\b/i.test(rest) && !/ default /i.test(rest)
      ? [`adds a column that older code leaves empty (${action})`]
      : []),
    ...(/ (check|references|unique|primary key|generated|constraint)\b/i.test(rest)
      ? [`checks all rows for a new column: as a constraint of its own, not valid (${action})`]
      : []),
  ]
}

/**
 * An earlier file added `check (COLUMN is not null)` and another one validated it, so PostgreSQL has nothing left to
 * read.
 */
function isProved(table: string, column: string, earlier: Tree): boolean {
  const statements = earlier.flatMap(({ text }) => statementsOf(text).map((statement) => statement.toLowerCase()))
  const adding = new RegExp(`\\badd constraint (\\w+) check \\(${column} is not null\\) not valid\\b`)
  const names = statements
    .filter((statement) => statement.startsWith(`alter table ${table} `))
    .flatMap((statement) => namesIn(statement, adding))
  return names.some((name) => statements.some((one) => one === `alter table ${table} validate constraint ${name}`))
}

/**
 * A right to a whole table becomes a right to some of its columns. A reviewer judges whether the service needs no
 * others.
 */
function narrows(statement: string, { text }: File): boolean {
  const [, right = '', table = ''] = /^revoke (\w+) on (\w+) from manilla_service$/i.exec(statement) ?? []
  const back = new RegExp(`^grant ${right} \\([\\w, ]+\\) on ${table} to manilla_service$`, 'i')
  return right !== '' && statementsOf(text).some((one) => back.test(one))
}

/** A version drops what an earlier released version no longer uses, and the file names that version. */
function leavesIfUnused(what: string, { text }: File, { tree }: Surroundings): string[] {
  const [, version = ''] = /^-- unused since (\d+\.\d+\.\d+)$/m.exec(text) ?? []
  if (version !== '' && textOf(tree, 'CHANGELOG.md').includes(`\n## [${version}]`)) return []
  return [`${what} without a line "-- unused since VERSION" that names a released version`]
}

const validates = (statement: string): boolean => /^alter table \w+ validate constraint \w+$/i.test(statement)

function lockedTables(statement: string): string[] {
  if (validates(statement)) return []
  return [
    ...namesIn(statement, /^alter table (?:only )?(\w+)/),
    ...namesIn(statement, /^drop table (\w+)/),
    ...[...statement.matchAll(/\breferences (\w+)/gi)].map(([, table = '']) => table.toLowerCase()),
  ]
}

function namesIn(statement: string, what: RegExp): string[] {
  const found = new RegExp(what.source, 'i').exec(statement)?.[1]
  return found === undefined ? [] : [found.toLowerCase()]
}
