// docs/privacy.md names every column of db/schema.sql, and no other.

import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { notPersonal } from './not-personal.ts'

const [schema, page] = await Promise.all(['db/schema.sql', 'docs/privacy.md'].map((name) => readFile(name, 'utf8')))

it('every column is on the page of personal data, or in the list of those that are not personal, and in one alone', () => {
  const personal = namedOn(page ?? '')
  expect(personal.length).toBeGreaterThan(40)
  expect(mistakesOf(columnsOf(schema ?? ''), personal, notPersonal)).toEqual([])
})

it('a new table, a new column, one that is gone and one that is in both are noticed', () => {
  const columns = columnsOf(
    'create table payer (\n  id uuid not null,\n  name text,\n  nick text,\n  constraint x\n);\n',
  )
  expect(columns).toEqual(['payer.id', 'payer.name', 'payer.nick'])
  expect(mistakesOf(columns, ['payer.name', 'payer.age'], { payer: 'id name', gone: 'id' })).toEqual([
    'payer.nick is neither in docs/privacy.md nor in tests/privacy/not-personal.ts',
    'payer.name is in both',
    'payer.age is not in db/schema.sql',
    'gone.id is not in db/schema.sql',
  ])
})

function columnsOf(sql: string): string[] {
  return [...sql.matchAll(/^create table (\w+) \(\n([\s\S]*?)\n\)/gm)].flatMap(([, table = '', body = '']) =>
    [...body.matchAll(/^ {2}(?!constraint )(\w+) /gm)].map(([, column = '']) => `${table}.${column}`),
  )
}

function namedOn(text: string): string[] {
  return [...text.matchAll(/`(\w+\.\w+)`/g)].map(([, column = '']) => column)
}

function mistakesOf(columns: string[], personal: string[], others: Record<string, string>): string[] {
  const listed = Object.entries(others).flatMap(([table, names]) => names.split(' ').map((name) => `${table}.${name}`))
  const both = personal.filter((column) => listed.includes(column))
  const unknown = [...personal, ...listed].filter((column) => !columns.includes(column))
  const forgotten = columns.filter((column) => !personal.includes(column) && !listed.includes(column))
  return [
    ...forgotten.map((column) => `${column} is neither in docs/privacy.md nor in tests/privacy/not-personal.ts`),
    ...both.map((column) => `${column} is in both`),
    ...unknown.map((column) => `${column} is not in db/schema.sql`),
  ]
}
