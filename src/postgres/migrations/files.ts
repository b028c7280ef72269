// Reads migrations from a folder: numbered SQL files, each identified by its name and its SHA-256. Also runs a
// statement outside a transaction.

import { createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import type pg from 'pg'
import { OperatorError } from '#platform/errors.ts'
import { waitForBuilds } from './session.ts'

export type Migration = { name: string; checksum: string; text: string }

const ownFolder = new URL('../../../db/migrations/', import.meta.url)

/** `folder` must end in a slash. */
export async function readMigrations(folder: URL = ownFolder): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}-[a-z0-9-]+\.sql$/.test(name)).toSorted()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), 'utf8')
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

export function statementsOf(text: string): string[] {
  const statements = ['']
  for (const [piece] of text.matchAll(pieces)) {
    const last = statements.length - 1
    const isSpace = piece.startsWith('--') || piece.startsWith('/*') || piece.trim() === ''
    if (piece === ';') statements.push('')
    else if (!isSpace) statements[last] += piece
    else if (statements[last]?.endsWith(' ') === false) statements[last] += ' '
  }
  return statements.map((statement) => statement.trim()).filter((each) => each !== '')
}

const alterTable = /^alter table (?:only )?\w+ /i

/**
 * Citus accepts no constraint beside another action in one `alter table`. So each action becomes a statement of its own.
 */
export function stepsOf(text: string): string[] {
  return statementsOf(text).flatMap((statement) => {
    const [altering = ''] = alterTable.exec(statement) ?? []
    return altering === '' ? [statement] : actionsOf(statement).map((action) => altering + action)
  })
}

/** Splits what follows the name of the table in an `alter table` at the commas outside of brackets and quotes. */
export function actionsOf(statement: string): string[] {
  const actions = ['']
  let depth = 0
  for (const [piece] of statement.replace(alterTable, '').matchAll(/'(?:[^']|'')*'|[\s\S]/g)) {
    if (piece === '(' || piece === '[') depth++
    if (piece === ')' || piece === ']') depth--
    if (piece === ',' && depth === 0) actions.push('')
    else actions[actions.length - 1] += piece
  }
  return actions.map((action) => action.trim())
}

// A comment, a quoted text, white space or a semicolon; else a run of plain characters or a single special one.
const pieces =
  /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|\s+|;|[^\s;'"$/-]+|[\s\S]/g

const marker = '-- manilla: no transaction\n'

/** A statement that can be run again after an interruption, so it may run outside a transaction. */
type Concurrent =
  | { kind: 'create'; index: string; table: string; statement: string }
  | { kind: 'drop'; statement: string }

export function isOutsideTransaction({ text }: { text: string }): boolean {
  return text.startsWith(marker)
}

export function parseConcurrent({ text }: { text: string }): Concurrent | undefined {
  const [statement = '', ...more] = statementsOf(text)
  if (more.length > 0) return undefined
  // `if not exists` would keep the invalid index of a failed build.
  const created = /^create (?:unique )?index concurrently (?!if\b)(\w+) on (\w+) /i.exec(statement)
  const [, index, table] = created ?? []
  if (index !== undefined && table !== undefined) return { kind: 'create', index, table, statement }
  return /^drop index concurrently if exists \w+$/i.test(statement) ? { kind: 'drop', statement } : undefined
}

// Runs a statement outside a transaction so that it can be repeated after any interruption: a valid index stays, and an
// invalid one of an interrupted build is dropped and rebuilt.

export async function runConcurrent(
  session: pg.Client,
  change: Concurrent,
  tell: (who: string) => void,
): Promise<void> {
  if (change.kind === 'drop') {
    await session.query(change.statement)
    return
  }
  // Waits first, because an index is also invalid while a session builds it.
  await waitForBuilds(session, change.table, tell)
  const state = await stateOf(session, change)
  if (state === 'valid') return
  if (state === 'invalid') await drop(session, change)
  try {
    await session.query(change.statement)
  } catch (error) {
    // An invalid unique index refuses rows, so it must not stay. If it cannot be dropped now, the next run drops it.
    if ((await stateOf(session, change).catch(() => 'unknown')) === 'invalid') {
      await drop(session, change).catch(() => undefined)
    }
    throw error
  }
}

type ConcurrentCreate = Concurrent & { kind: 'create' }

async function stateOf(
  session: pg.Client,
  { index, table }: ConcurrentCreate,
): Promise<'absent' | 'invalid' | 'valid'> {
  const found = await session.query<{ valid: boolean; here: boolean }>(
    `select indisvalid as valid, indrelid = to_regclass($2) as here from pg_index where indexrelid = to_regclass($1)`,
    [index, table],
  )
  const [row] = found.rows
  if (row === undefined) return 'absent'
  if (!row.here) throw new OperatorError(`The index ${index} exists already, on another table than ${table}.`)
  return row.valid ? 'valid' : 'invalid'
}

async function drop(session: pg.Client, { index }: ConcurrentCreate): Promise<void> {
  await session.query(`drop index concurrently if exists ${index}`)
}
