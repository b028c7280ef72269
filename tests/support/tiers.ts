// Which tests `npm test` runs, and which only `npm run test:all` does. A folder or the name of a file decides:
//
//   *.alone.test.ts   needs a process of its own, because it asks what its process holds: ids, timers, connections, memory
//   *.slow.test.ts    takes longer than a developer waits
//   the list `long`   takes many seconds on an idle machine, or asks for proofs that daily work rarely breaks
//   the folders below start processes, drive a browser, grow tables or simulate worlds

/** These files start real processes, from the bundle that their project builds. */
export const processFolders = ['cli', 'deploy', 'faults', 'ha', 'install', 'postgres/embedded', 'processes', 'support']

/** These files grow large tables, or run whole worlds and clusters. */
const slowFolders = ['citus', 'plans', 'simulate']

const inFolders = (folders: string[]): string => `tests/{${folders.join(',')}}/**/*.test.ts`

export const isolated = ['tests/**/*.alone.test.ts']
export const processes = [inFolders(processFolders)]
/** These files could share the processes of other tests. Remove a file here when it becomes fast. */
export const long = [
  'tests/{archive,examples,reconciliation}/**/*.test.ts',
  'tests/guards.test.ts',
  'tests/**/*no-statistics*.test.ts',
  'tests/api/{dashboard-abuse,framing,half-closed,malformed,pipelining,slow-clients,webhook-events-list}.test.ts',
  'tests/corrections/property.test.ts',
  'tests/deposits/{receive-property,send-back,verify}.test.ts',
  'tests/flows/{amounts,deposits}.test.ts',
  'tests/ledger/{book-property,verify-sealed}.test.ts',
  'tests/openapi/refusals.test.ts',
  'tests/payments/{accept-settle,alarms,at-once,bulk-at-once,bulk-property,full-lane,hear,kinds-property,neighbours,never-left,rail-change,rails-apart}.test.ts',
  'tests/payments/verify*.test.ts',
  'tests/payouts/schedules.test.ts',
  'tests/platform/{connections,db-faults}.test.ts',
  'tests/postgres/migrations/{locks,migrate,traffic}.test.ts',
  'tests/rail-notices/{one-account,pawapay,paystack,work}.test.ts',
  'tests/rails/{conformance,misbehaviour,processes,refunds}.test.ts',
  'tests/sdk/{python,typescript/package}.test.ts',
  'tests/stats/counted.test.ts',
  'tests/webhooks/log.test.ts',
]

export const browser = ['tests/dashboard/**/*.test.ts']
export const slow = ['tests/**/*.slow.test.ts', inFolders(slowFolders)]

/** These take a minute or more each, so they begin before all others. */
export const longest = [
  'tests/docs/snippets.slow.test.ts',
  'tests/openapi/generators.slow.test.ts',
  'tests/plans/bounded-analysed.alone.test.ts',
  'tests/plans/bounded.alone.test.ts',
  'tests/sdk/packages.slow.test.ts',
  'tests/sdk/python.slow.test.ts',
  'tests/sdk/typescript/frameworks.slow.test.ts',
]
