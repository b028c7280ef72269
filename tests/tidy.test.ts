// The house rules as a test. Each rule is applied to the tree, and to a small sample that breaks it, because a rule
// that cannot fail protects nothing.

import { describe, expect, it } from 'vitest'
import * as names from '#tests/support/house-names.ts'
import * as papers from '#tests/support/house-papers.ts'
import { processCases } from '#tests/support/house-process.ts'
import * as rules from '#tests/support/house-rules.ts'
import { tableCases } from '#tests/support/house-table-cases.ts'
import { readTree, sampleTree } from '#tests/support/tree.ts'

const tree = await readTree()
const decision =
  '# 1. Title\n\n- Date: 2026-11-21\n- Status: accepted\n\n## Context\n\n## Decision\n\n## Consequences\n'

const cases: rules.Case[] = [
  ...tableCases,
  ...processCases,
  [
    'no import climbs out of its folder',
    rules.noParentImports,
    {
      'src/http/a.ts': "import { a } from './b.ts'\nimport { c } from '../base/c.ts'\n",
      'dashboard/src/a.tsx': "const a = import('./../../src/app.ts')\n",
    },
    [
      'src/http/a.ts:2 imports with ../; write #folder/file.ts',
      'dashboard/src/a.tsx:1 imports with ../; write #folder/file.ts',
    ],
  ],
  [
    'every TODO has a name',
    rules.noNamelessTodo,
    { 'src/http/a.ts': '// TODO(ada): later\n// TODO: later\n' },
    ['src/http/a.ts:2 has a TODO without a name; write TODO(name)'],
  ],
  [
    'all tests run',
    rules.everyTestRuns,
    { 'tests/a.test.ts': "it.only('works', () => undefined)\n", 'dashboard/src/a.test.tsx': '' },
    ['tests/a.test.ts:1 runs one test only', 'dashboard/src/a.test.tsx is not in tests/, where npm test looks'],
  ],
  [
    'no test sleeps for luck',
    rules.noSleep,
    { 'tests/a.test.ts': 'await sleep(50)\nawait new Promise((resolve) => setTimeout(resolve, 50))\n' },
    ['tests/a.test.ts:1 sleeps; wait for a condition', 'tests/a.test.ts:2 sleeps; wait for a condition'],
  ],
  [
    'all waits of tests have one limit',
    rules.oneLimitForAllWaits,
    {
      'tests/a.test.ts':
        "it('waits', { timeout: 60_000 }, work)\nawait vi.waitFor(look)\n}, 60_000)\nawait untilHolds(look)\n",
    },
    [1, 2, 3].map((line) => `tests/a.test.ts:${line} waits with a limit of its own; see tests/support/patience.ts`),
  ],
  [
    'no amount becomes a double',
    rules.noAmountAsDouble,
    {
      'src/payments/a.ts': 'const a = Number(row.amount)\nconst b = Number(page)\n',
      'src/platform/money.ts': 'Number(amount)\n',
    },
    ['src/payments/a.ts:1 turns an amount into a double; use toWire of #platform/money.ts'],
  ],
  [
    'no file is longer than 500 lines',
    rules.noLongFile,
    { 'src/a.ts': '\n'.repeat(501), 'src/b.ts': '\n'.repeat(500), 'sdk/c/d.tsx': '\n'.repeat(502) },
    [
      'src/a.ts has 501 lines of at most 500; it wants to be two files',
      'sdk/c/d.tsx has 502 lines of at most 500; it wants to be two files',
    ],
  ],
  [
    'every file begins with a comment that says what it is',
    rules.everyFileHasAHeader,
    {
      'src/a.ts': '// Reads pages.\n\nimport a\n',
      'src/b.ts': 'import b\n',
      'src/c.ts': '// The limit.\nconst c = 1\n',
      'tests/d.ts': 'import d\n',
    },
    [
      'src/b.ts does not begin with a comment that says what it is',
      'src/c.ts does not begin with a comment that says what it is',
    ],
  ],
  [
    'the architecture is at most 250 lines',
    rules.architectureIsShort,
    { 'ARCHITECTURE.md': '\n'.repeat(251), 'docs/a.md': '\n'.repeat(251) },
    ['ARCHITECTURE.md has more than 250 lines; move the longest part to where it belongs'],
  ],
  [
    'no binary is larger than 200 KB',
    rules.noLargeBinary,
    { 'docs/a.png': '\0'.repeat(204_801), 'docs/b.png': '\0'.repeat(204_800) },
    ['docs/a.png is a binary of 204801 bytes'],
  ],
  [
    'files are named in kebab-case',
    rules.kebabNames,
    { 'src/http/readBody.ts': '', 'dashboard/src/Page.tsx': '', 'dashboard/src/pay-page.tsx': '' },
    ['src/http/readBody.ts is not in kebab-case', 'dashboard/src/Page.tsx is not in kebab-case'],
  ],
  [
    'no path of a machine and no registry stands in a file',
    rules.noForeignWords,
    {
      'README.md': 'see /home/ada/manilla\n',
      'package-lock.json': '"resolved": "https://example.com/a.tgz"\n"resolved": "sdk/typescript"\n',
      'docs/a.md': 'GET /v1/work/1\n',
    },
    [
      'README.md:1 names a path of some machine or a package registry',
      'package-lock.json:1 names a path of some machine or a package registry',
    ],
  ],
  [
    'SQL is plain: time, ids and chance come from the application, and nothing is hidden in the database',
    rules.plainSql,
    {
      'src/a/queries.ts': "statement('a.add', 'insert into a values (now())')\n",
      'src/a/a.ts': "db.query('select clock_timestamp()')\n",
      'src/platform/db/database-clock.ts': "statement('base.time', 'select clock_timestamp()')\n",
      'db/migrations/0001-a.sql': 'create trigger a\n',
    },
    [
      'src/a/a.ts:1 asks the database for the time; only src/platform/db/database-clock.ts does',
      'src/a/queries.ts:1 takes time, chance or a number from the database; the application passes them',
      'db/migrations/0001-a.sql:1 hides work in the database: no trigger, function, merge, sequence or advisory lock',
    ],
  ],
  [
    'every statement about a tenant carries its lane',
    rules.everyStatementHasItsLane,
    {
      'src/a/queries.ts':
        "const where = `lane = $1`\nstatement('a.good', `select 1 from a where ${where}`)\n" +
        "statement(\n  'a.bad',\n  'select 1 from a',\n)\n",
    },
    ['src/a/queries.ts statement a.bad has no lane'],
  ],
  [
    'a row is found by its place only within its lane',
    rules.everyPlaceHasItsLane,
    {
      'src/a/queries.ts':
        "statement('a.find',\nwhere a.lane = $1 and a.id = 1 and a.ctid = v.place\nwhere a.ctid = v.place and a.lane = $1\n",
      'src/a/a.ts': "statement('a.a',\nwhere a.lane is not distinct from $1 and a.ctid = v.place\n",
      'src/a/b.ts': "statement('a.b', select ctid from a\nwhere ctid = any(array(select place from v))\n",
    },
    [
      'src/a/queries.ts:3 finds a row by its place alone; write lane = $1 and … before ctid = …',
      'src/a/b.ts:2 finds a row by its place alone; write lane = $1 and … before ctid = …',
    ],
  ],
  [
    'every table of a tenant and each of its keys begins with lane and tenant',
    rules.tablesLeadWithTheirTenant,
    {
      'db/schema.sql':
        'create table a (\n  id uuid not null,\n  lane smallint not null,\n  tenant_id uuid not null,\n  constraint a PRIMARY KEY (id)\n);\n' +
        'create table b (\n  lane smallint not null,\n  tenant_id uuid not null,\n  constraint b PRIMARY KEY (lane, tenant_id)\n);\n',
    },
    ['table a does not begin with lane, tenant_id', 'table a has a key (id) that does not begin with lane, tenant_id'],
  ],
  [
    'a released migration never changes',
    rules.migrationsStandFast,
    {
      'db/migrations/0001-a.sql': 'a',
      'db/migrations/0003-b.sql': 'b',
      'db/migrations/checksums.txt': `${'0'.repeat(64)}  0001-a.sql\n`,
    },
    [
      'db/migrations/0001-a.sql is not what its checksum says; write a new migration (before the first release: npm run generate)',
      'db/migrations/0003-b.sql is not called 0002-what-it-does.sql',
    ],
  ],
  [
    'every endpoint is routed, described and tested',
    papers.everyEndpointIsKnown,
    {
      'src/api/v1/a.ts': "path: '/v1/a/:id'\npath: '/v1/a'\n",
      'src/api/v1/a-fields.ts': 'export const a = 1\n',
      'tests/api/a.test.ts': "get('/v1/a')\n",
    },
    [
      'src/api/v1/a.ts is not in src/api/server/routes.ts',
      '/v1/a/:id is not in docs/openapi.json',
      '/v1/a/:id is called by no test',
      '/v1/a is not in docs/openapi.json',
    ],
  ],
  [
    'every status is drawn in docs/states.md and refused by a CHECK when it is none',
    papers.everyStatusIsDrawnAndChecked,
    {
      'src/payments/payment.ts': "export const transferStatuses = ['queued', 'LOST'] as const\n",
      'docs/states.md': 'queued\n',
      'db/schema.sql': "  constraint a CHECK (status = ANY (ARRAY['queued'::text])),\n",
    },
    [
      'src/payments/payment.ts status LOST is not in docs/states.md',
      'src/payments/payment.ts status LOST is in no CHECK of db/schema.sql',
    ],
  ],
  [
    'every event is described',
    papers.everyEventIsDescribed,
    { 'src/events/catalogue.ts': "['deposit.success', 'transfer.lost']\n", 'docs/events.md': '`deposit.success`\n' },
    ['event transfer.lost is not in docs/events.md'],
  ],
  [
    'every rail passes the conformance suite',
    papers.everyRailConforms,
    { 'src/rails/simulator/rail.ts': '', 'src/rails/rail.ts': '' },
    ['src/rails/simulator/ runs through no conformance suite in tests/rails/'],
  ],
  [
    'every setting is explained in the README',
    papers.everySettingIsInTheReadme,
    { 'src/config.ts': '  HOST: a,\n  PORT: b,\n', 'README.md': '`HOST`\n' },
    ['setting PORT is not in README.md'],
  ],
  [
    'every link of a document leads somewhere',
    papers.everyLinkLeadsSomewhere,
    { 'docs/a.md': '[b](b.md#top) [c](../c/) [d](https://example.com) [e](#e)\n', 'docs/b.md': '' },
    ['docs/a.md links to c, which is not there'],
  ],
  [
    'every file that a document or a comment names is there',
    papers.everyNamedFileExists,
    {
      'docs/a.md': 'see `b.ts`, `src/b.ts` and\n`lost.ts`, but not `#folder/file.ts` or https://example.com/c.js\n',
      'src/b.ts': "// Like d/b.ts; the rest is in a.ts.\nconst name = 'e.ts'\n",
    },
    [
      'docs/a.md:2 names lost.ts, which is not there',
      'src/b.ts:1 names d/b.ts, which is not there',
      'src/b.ts:1 names a.ts, which is not there',
    ],
  ],
  [
    'decision records have number, date, status and their three sections',
    papers.decisionsHaveTheirShape,
    {
      'docs/adr/0001-title.md': decision,
      'docs/adr/0002-other.md': decision.replace('# 1.', '# 2.').replace('2026-11-21', 'today'),
    },
    ['docs/adr/0002-other.md has no date'],
  ],
  [
    'the changelog lists what is unreleased first, then versions with their dates',
    papers.changelogHasItsShape,
    { 'CHANGELOG.md': '# Changelog\n\n## [1.0.0] - 2026-11-21\n\n### News\n' },
    [
      'CHANGELOG.md does not list [Unreleased] first',
      'CHANGELOG.md News is not one of Added, Changed, Deprecated, Removed, Fixed, Security',
    ],
  ],
  [
    'exported functions are named by a verb and its object',
    names.functionsAreVerbAndObject,
    { 'src/a/a.ts': 'export function hear(): void {}\nexport const tell = () => 1\nexport function assert() {}\n' },
    ['hear', 'tell'].map((name) => `src/a/a.ts exports ${name}; name a function by a verb and its object`),
  ],
  [
    'exported types are named by a noun',
    names.typesAreNouns,
    { 'src/a/a.ts': 'export type Told = 1\nexport type Ended = 1\nexport type EndedSession = 1\ntype Kept = 1\n' },
    ['Told', 'Ended'].map((name) => `src/a/a.ts exports the type ${name}; name a type by a noun`),
  ],
]

describe('the tree', () => {
  it.each(cases)('%s', (_guarantee, rule) => {
    expect(rule(tree)).toEqual([])
  })

  // The numbers may only fall.
  it.each<[string, (files: typeof tree) => string[], number]>([
    ['type names that are declared twice', names.typeNamesDeclaredTwice, 17],
    ['lines of comments in words that a newcomer does not know', names.commentsInDialect, 2],
    ['short files with one caller in their folder', names.helpersWithOneCaller, 3],
  ])('has no more %s', (_what, find, most) => {
    const found = find(tree)
    expect(found.length, found.join('\n')).toBeLessThanOrEqual(most)
  })

  it('has its platform as listed', () => {
    expect(rules.closedPlatform(tree)).toEqual([])
  })

  it('explains every error and reaches it in a test', () => {
    expect(papers.everyErrorIsExplainedAndTested(tree)).toEqual([])
  })
})

describe('a tree that breaks a rule', () => {
  it.each(cases)('is noticed: %s', (_guarantee, rule, sample, violations) => {
    expect(rule(sampleTree(sample))).toEqual(violations)
  })

  it('is noticed: names, words and short files', () => {
    const sample = sampleTree({
      'src/a/a.ts': "import { b } from './b.ts'\n// Whoever asks.\ntype Row = 1\n",
      'src/a/b.ts': 'export type Row = 1\n',
      'src/c/c.ts': "import { a } from '#a/a.ts'\n",
    })
    expect(names.typeNamesDeclaredTwice(sample)).toEqual(['Row'])
    expect(names.commentsInDialect(sample)).toEqual(['// Whoever asks.'])
    expect(names.helpersWithOneCaller(sample)).toEqual(['src/a/b.ts'])
  })

  it('is noticed: the platform', () => {
    const found = rules.closedPlatform(
      [...tree, ...sampleTree({ 'src/platform/utils.ts': '' })].filter(({ path }) => path !== 'src/platform/db/db.ts'),
    )
    expect(found).toEqual([
      'src/platform/utils.ts is not on the list of the platform',
      'src/platform/db/db.ts is missing',
    ])
  })

  it('is noticed: errors', () => {
    const sample = sampleTree({
      'src/http/a.ts': "new ApiError('CONFLICT')\n",
      'docs/errors.md': '`CONFLICT`\n',
      'tests/a.test.ts': '',
    })
    expect(papers.everyErrorIsExplainedAndTested(sample)).toContain('CONFLICT is reached by no test')
    expect(papers.everyErrorIsExplainedAndTested(sample)).toContain('NOT_FOUND is not in docs/errors.md')
  })
})
