// Every migration lets the service work while it is applied. The test applies the rules to the files of db/migrations,
// and each rule to a file that breaks it.

import { describe, expect, it } from 'vitest'
import { isOutsideTransaction, parseConcurrent, statementsOf, stepsOf } from '#postgres/migrations/files.ts'
import { migrationsLetTheServiceWork } from '#tests/support/migration-rules.ts'
import { readTree, sampleTree } from '#tests/support/tree.ts'

const outside = '-- manilla: no transaction\n'
const changelog = '# Changelog\n\n## [Unreleased]\n\n## [1.1.0] - 2026-12-01\n'

/** The findings of the rules about the last of these files, numbered in their order from 0013. */
function told(...texts: string[]): string[] {
  const files = texts.map((text, at): [string, string] => [
    `db/migrations/${String(13 + at).padStart(4, '0')}-a.sql`,
    `${text};\n${suits}`,
  ])
  const last = files.at(-1)?.[0] ?? ''
  return migrationsLetTheServiceWork(sampleTree({ ...Object.fromEntries(files), 'CHANGELOG.md': changelog })).map(
    (sentence) => sentence.replace(`${last} `, ''),
  )
}

/** The last tests below are about this line itself. */
const suits = '-- suits the version before: it writes no such row.\n'

const before = 'create table a (id int, name text); create table b (id int)'

describe('every migration', () => {
  it('lets the service work', async () => {
    const tree = await readTree()
    expect(tree.filter(({ path }) => /^db\/migrations\/.*\.sql$/.test(path)).length).toBeGreaterThanOrEqual(5)
    expect(migrationsLetTheServiceWork(tree)).toEqual([])
  })
})

describe('a migration that would stop the service is noticed when it', () => {
  it.each([
    [
      'adds a constraint that is checked at once',
      'alter table a add constraint positive check (id > 0)',
      'checks all rows of a under a lock: not valid, and validated later',
    ],
    [
      'adds a foreign key that is checked at once, among other things',
      'alter table a add column c text, add constraint f foreign key (id) references b (id)',
      'checks all rows of a under a lock: not valid, and validated later',
    ],
    [
      'adds a constraint without a name',
      'alter table a add check (id > 0) not valid',
      'does to a what is not on the list: add check (id > 0) not valid',
    ],
    [
      'takes a right away from the version before',
      'revoke update on a from manilla_service; grant select on a to manilla_service',
      'takes away a right without giving it back by columns',
    ],
    [
      'builds the index of a key',
      'alter table a add constraint k unique (id)',
      'does to a what is not on the list: add constraint k unique (id)',
    ],
    [
      'builds an index under a lock',
      'create index i on a (id)',
      'indexes a: concurrently, in a file without a transaction',
    ],
    [
      'builds an index concurrently, but in a transaction',
      'create index concurrently i on a (id)',
      'holds a statement that is not on the list: create index concurrently i on a (id)',
    ],
    [
      'requires a column that nothing proves',
      'alter table a alter column name set not null',
      'reads all of a under a lock: name is proved by no check that was validated before',
    ],
    [
      'changes a type',
      'alter table a alter column id type bigint',
      'does to a what is not on the list: alter column id type bigint',
    ],
    ['moves a table', 'alter table a set tablespace fast', 'does to a what is not on the list: set tablespace fast'],
    [
      'renames a column',
      'alter table a rename column name to title',
      'does to a what is not on the list: rename column name to title',
    ],
    ['renames a table', 'alter table a rename to c', 'does to a what is not on the list: rename to c'],
    [
      'adds a column with a check',
      `alter table a add column c text default 'check' check (c <> '')`,
      `checks all rows for a new column: as a constraint of its own, not valid (add column c text default 'check' check (c <> ''))`,
    ],
    [
      'adds a column with a default that is computed',
      'alter table a add c text default lower(current_user)',
      'rewrites the table: the default is a constant (add c text default lower(current_user))',
    ],
    [
      'adds a column that older code does not fill',
      'alter table a add column c text not null',
      'adds a column that older code leaves empty (add column c text not null)',
    ],
    [
      'locks a table by name',
      'lock table a in exclusive mode',
      'holds a statement that is not on the list: lock table a in exclusive mode',
    ],
    ['fills a column', `update a set name = ''`, 'rewrites rows of a: the service does that, batch by batch'],
    ['deletes rows', 'delete from a where id = 1', 'rewrites rows of a: the service does that, batch by batch'],
    [
      'has its own idea of time limits',
      'set lock_timeout = 0',
      'holds a statement that is not on the list: set lock_timeout = 0',
    ],
    ['ends the transaction that it runs in', 'commit', 'holds a statement that is not on the list: commit'],
    [
      'hides its work',
      'do $$ begin update a set id = 1; end $$',
      'holds a statement that is not on the list: do $$ begin update a set id = 1; end $$',
    ],
    [
      'locks two tables',
      'alter table a drop constraint k; alter table b drop constraint k',
      'locks a and b: one would stay locked while it waits for the other',
    ],
    [
      'validates under the lock of something else',
      'alter table a validate constraint k; alter table a drop constraint m',
      'validates beside something else, whose lock would be held as long; a file of its own',
    ],
    [
      'drops a column that is in use',
      'alter table a drop column name',
      'drops a column of a without a line "-- unused since VERSION" that names a released version',
    ],
    [
      'drops a column that no released version left alone',
      '-- unused since 1.2.0\nalter table a drop column name',
      'drops a column of a without a line "-- unused since VERSION" that names a released version',
    ],
    [
      'drops a table that is in use',
      'drop table a',
      'drops a table without a line "-- unused since VERSION" that names a released version',
    ],
    [
      'runs two statements outside of a transaction',
      `${outside}create index concurrently i on a (id); create index concurrently j on a (id)`,
      'runs outside of a transaction, so it holds one index, created or dropped concurrently',
    ],
    [
      'runs something outside of a transaction that cannot be run again',
      `${outside}drop index concurrently i`,
      'runs outside of a transaction, so it holds one index, created or dropped concurrently',
    ],
    [
      'takes the invalid index of a failed build for a good one',
      `${outside}create index concurrently if not exists i on a (id)`,
      'runs outside of a transaction, so it holds one index, created or dropped concurrently',
    ],
  ])('%s', (_what, text, sentence) => {
    expect(told(before, text)).toEqual([sentence])
  })

  it('requires a column of another table than the one that was checked', () => {
    const added = 'alter table b add constraint n check (name is not null) not valid'
    expect(told(before, added, 'alter table b validate constraint n', 'alter table a alter name set not null')).toEqual(
      ['reads all of a under a lock: name is proved by no check that was validated before'],
    )
  })

  it('requires a column whose check was never validated', () => {
    const added = 'alter table a add constraint n check (name is not null) not valid'
    expect(told(before, added, 'alter table a alter name set not null')).toHaveLength(1)
  })
})

describe('a migration that refuses rows that the table took before', () => {
  const refused = 'refuses rows that the version before may write, without a line "-- suits the version before: REASON"'
  const toldLately = (text: string): string[] =>
    migrationsLetTheServiceWork(
      sampleTree({ 'db/migrations/0013-a.sql': before, 'db/migrations/0091-a.sql': text, 'CHANGELOG.md': changelog }),
    ).map((sentence) => sentence.replace('db/migrations/0091-a.sql ', ''))

  it.each([
    ['by a narrower check', 'alter table a drop constraint k, add constraint k check (id in (1, 2)) not valid'],
    ['by a column that it requires', 'alter table a add constraint n check (name is not null) not valid'],
    ['by a foreign key', 'alter table a add constraint f foreign key (id) references b (id) not valid'],
    ['by a unique index', `${outside}create unique index concurrently i on a (id)`],
  ])('%s says why the version before writes none of them', (_what, text) => {
    expect(toldLately(text)).toEqual([refused])
    const reason = '-- suits the version before: it writes 1 and 2 alone, as its own list of kinds says.\n'
    const reasoned = text.startsWith(outside) ? text.replace(outside, outside + reason) : reason + text
    expect(toldLately(reasoned)).toEqual([])
    expect(toldLately(reasoned.replace(/before: .*/, 'before: yes'))).toEqual([refused])
  })

  it('may refuse them in a table of its own', () => {
    expect(toldLately('create table c (id int); alter table c add constraint k check (id > 0)')).toEqual([])
  })
})

describe('a migration that lets the service work may', () => {
  it.each([
    [
      'do what it likes to a table of its own',
      'create table c (id int); alter table c add check (id > 0); create index i on c (id); update c set id = 1',
    ],
    ['give rights and add rows', `grant select on a to manilla_service; insert into a values (1, 'a;b')`],
    [
      'add columns, with constants or nothing in them',
      `alter table a add column c text, add d text not null default '', add column e numeric(4, 2) default 1.5`,
    ],
    [
      'add a constraint that holds for new rows, in place of another',
      'ALTER TABLE a\n  drop constraint k, -- It was too narrow.\n  add constraint k check (id in (1, 2)) not valid',
    ],
    ['validate, also several tables', 'alter table a validate constraint k; alter table b validate constraint k'],
    ['make a key of an index', 'alter table a add constraint k primary key using index i'],
    [
      'relax',
      'alter table a alter column name drop not null, alter name drop default, alter name set default 1, set (fillfactor = 50)',
    ],
    ['refer to one table', 'create table c (id int references a (id))'],
    ['build an index', `${outside}-- For the list.\ncreate unique index concurrently i on a (id) where id > 0;\n`],
    ['drop an index', `${outside}drop index concurrently if exists i;\n`],
    ['drop what a released version left alone', '-- unused since 1.1.0\nalter table a drop column name;'],
  ])('%s', (_what, text) => {
    expect(told(before, text)).toEqual([])
  })

  it('require a column that a validated check proves', () => {
    const added = 'alter table a add constraint n check (name is not null) not valid'
    const validated = 'alter table a validate constraint n;'
    expect(told(before, added, validated, 'alter table a alter column name set not null')).toEqual([])
  })
})

describe('reading a migration', () => {
  it('finds its statements, whatever quotes and comments contain', () => {
    const text = `-- one; two\nselect 'a;--  b' /* c; */ , "d;e"\n  from f;;\nselect $x$ ; $x$, 4-2/1;`
    expect(statementsOf(text)).toEqual([`select 'a;--  b' , "d;e" from f`, 'select $x$ ; $x$, 4-2/1'])
  })

  it('makes each action of an alter table a statement of its own', () => {
    const text = `alter table a\n  add column b text[] default array['x,', 'y'],\n  add check (b in (1, 2));\ndrop table c, d;`
    expect(stepsOf(text)).toEqual([
      `alter table a add column b text[] default array['x,', 'y']`,
      'alter table a add check (b in (1, 2))',
      'drop table c, d',
    ])
  })

  it('knows from its first line that it runs outside of a transaction, and what it does there', () => {
    const text = `${outside}create index concurrently i on a (id);\n`
    expect([isOutsideTransaction({ text }), isOutsideTransaction({ text: `\n${text}` })]).toEqual([true, false])
    const statement = 'create index concurrently i on a (id)'
    expect(parseConcurrent({ text })).toEqual({ kind: 'create', index: 'i', table: 'a', statement })
  })
})
