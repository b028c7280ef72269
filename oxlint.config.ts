// The checks that read code. The first part is the one table that states which folder of src/ may import which: the
// house, as ARCHITECTURE.md draws it, and what the workspaces beside it may import. Changing it is an architecture
// decision: add a decision record under docs/adr/ and update ARCHITECTURE.md in the same commit. An edge that no import
// uses is refused by tests/tidy.test.ts; tests/guards.test.ts proves that each boundary holds.

import { defineConfig, type OxlintOverride } from 'oxlint'

// The modules with endpoints.
const domains = ['payments', 'payouts', 'deposits', 'virtual-accounts', 'directory', 'businesses', 'webhooks', 'users']

// A folder may always import itself. src/bin, src/app.ts, src/wiring.ts and src/config.ts wire everything and are exempt.
const mayImport: Record<string, string[]> = {
  platform: [],
  postgres: ['platform'],
  ledger: ['platform'],
  events: ['platform'],
  stats: ['platform'],
  rails: ['platform'],
  audit: ['platform'],
  mail: ['platform'], // It reads people and their memberships, and writes letters alone.
  review: ['platform', 'audit'],
  // Domain modules: never each other, except the edges written here.
  businesses: ['platform', 'audit', 'ledger', 'mail'], // A new tenant's opening balance.
  directory: ['platform', 'rails'],
  'virtual-accounts': ['platform', 'ledger', 'rails'],
  deposits: ['platform', 'audit', 'events', 'ledger', 'rails', 'review', 'stats', 'virtual-accounts'],
  payments: ['platform', 'audit', 'deposits', 'directory', 'events', 'ledger', 'rails', 'review', 'stats'], // A collection is a deposit too.
  'rail-notices': ['platform', 'audit', 'deposits', 'payments', 'rails', 'review'], // A notice is about one of these.
  webhooks: ['platform', 'audit', 'events', 'ledger', 'rails'], // A sample looks like what a rail's answer becomes.
  users: ['platform', 'audit', 'mail'],
  payouts: ['platform', 'audit', 'directory', 'mail', 'payments', 'users'], // An approved draft becomes payments.
  reconciliation: ['platform', 'audit', 'deposits', 'ledger', 'payments', 'rails'],
  corrections: ['platform', 'audit', 'ledger', 'payments', 'reconciliation', 'review'],
  // It reads those modules for the dashboard, and writes its search index alone.
  reporting: [
    'platform',
    'directory',
    'ledger',
    'mail',
    'payments',
    'payouts',
    'rail-notices',
    'rails',
    'reconciliation',
    'review',
    'stats',
    'virtual-accounts',
    'webhooks',
  ],
  archive: ['platform', 'audit', 'events', 'ledger'],
  privacy: ['platform', 'audit', 'deposits', 'ledger', 'virtual-accounts'],
  // Entry points.
  api: ['platform', 'audit', 'corrections', 'ledger', 'mail', 'rail-notices', 'reporting', ...domains, 'config.ts'], // The configuration says which environment an address belongs to.
  worker: [
    'platform',
    'deposits',
    'mail',
    'payments',
    'payouts',
    'privacy',
    'rail-notices',
    'reconciliation',
    'reporting',
    'virtual-accounts',
    'webhooks',
  ],
  cli: [
    'platform',
    'archive',
    'audit',
    'businesses',
    'corrections',
    'deposits',
    'directory',
    'events',
    'ledger',
    'mail',
    'payments',
    'postgres',
    'privacy',
    'rail-notices',
    'rails',
    'reconciliation',
    'review',
    'users',
    'webhooks',
    'config.ts',
    'app.ts',
  ],
}

// Packages that reach out of the process, and the only folders that may use them.
const outward: Record<string, string[]> = {
  pg: ['platform', 'postgres', 'cli'], // The doctor asks a server that the service may not be able to use.
  undici: ['platform'],
  nodemailer: ['mail'],
}

const folders = Object.keys(mayImport)
const everything = ['bin', 'app.ts', 'wiring.ts', 'config.ts', ...folders]

type Ban = { group: string[]; message: string } | { regex: string; message: string }

const climbing: Ban = { regex: '(^|/)\\.\\.(/|$)', message: 'Import across folders with #folder/file.ts.' }
const sqlOfOthers = (folder: string): Ban => ({
  group: ['#*/queries.ts', '#*/*-queries.ts', `!#${folder}/queries.ts`, `!#${folder}/*-queries.ts`],
  message: 'SQL is private to its folder.',
})
const simulator: Ban = { group: ['#rails/simulator/**'], message: 'The simulator is a rail: ask for its ports.' }
const beside: Ban = {
  group: ['#tests/**', '#bench/**', '#dashboard/**', '#sdk/**', '@manilla/**'],
  message: 'The service imports no test, no measurement and no workspace.',
}

function packagesClosedTo(folder: string): Ban[] {
  return Object.entries(outward)
    .filter(([, users]) => !users.includes(folder))
    .map(([name, users]) => ({ regex: `^${name}(/|$)`, message: `Only ${users.join(', ')} may use ${name}.` }))
}

function restrict(files: string[], patterns: Ban[]): OxlintOverride {
  return { files, rules: { 'no-restricted-imports': ['error', { patterns }] } }
}

function filesOf(names: string[]): string[] {
  return names.map((name) => (name.endsWith('.ts') ? `#${name}` : `#${name}/**`))
}

function boundary(folder: string): OxlintOverride {
  const allowed = mayImport[folder] ?? []
  const others = {
    group: filesOf(everything.filter((name) => name !== folder && !allowed.includes(name))),
    message: `${folder}/ may import only: ${allowed.join(', ') || 'nothing'}. See ARCHITECTURE.md.`,
  }
  const windows = folder === 'rails' ? [] : [simulator]
  return restrict(
    [`src/${folder}/**`],
    [climbing, sqlOfOthers(folder), beside, others, ...windows, ...packagesClosedTo(folder)],
  )
}

// The delivery of webhooks meets the subscriptions in rows alone (ADR 14).
const delivery = restrict(
  ['src/webhooks/delivery/**'],
  [
    climbing,
    sqlOfOthers('webhooks'),
    beside,
    simulator,
    {
      group: filesOf(everything.filter((name) => !['platform', 'events'].includes(name))),
      message: 'webhooks/delivery/ may import only: platform, events.',
    },
    ...packagesClosedTo('webhooks'),
  ],
)

// Commands for integrators are a client of the API (ADR 38): the SDK, and none of the service's modules.
const remote = restrict(
  ['src/cli/remote/**'],
  [
    climbing,
    {
      group: [
        '#tests/**',
        '#bench/**',
        '#dashboard/**',
        '@manilla/**',
        ...filesOf(everything.filter((name) => !['platform', 'cli'].includes(name))),
      ],
      message: 'cli/remote/ may import only: platform, cli, sdk/typescript.',
    },
    ...packagesClosedTo('remote'),
  ],
)

// What wires the house may import all of it, but for what is private.
const wiring = restrict(
  ['src/*', 'src/bin/**'],
  [climbing, sqlOfOthers('bin'), beside, simulator, ...packagesClosedTo('bin')],
)

// Within the dashboard: what is drawn everywhere knows less than what is drawn once. A page may import all but other pages.
const dashboardMayImport: Record<string, string[]> = {
  format: [],
  ui: ['format'],
  table: ['format', 'ui'],
  form: ['format', 'ui'],
  api: ['format'],
  shell: ['format', 'ui', 'table', 'form', 'api'],
}

// The workspaces are clients of the API, which others could have written. What they ship is held more narrowly than
// their tests and configurations.
const service: Ban = {
  // The dashboard has an api/ of its own, and its import of that name leads nowhere else.
  group: [...filesOf(everything.filter((name) => name !== 'api')), '#tests/**', '#bench/**', 'manilla', 'manilla/**'],
  message: 'A workspace is a client of the API and imports nothing of the service.',
}
const client = [climbing, service, ...packagesClosedTo('workspaces')]
const inBrowser = [...client, { regex: '^node:', message: 'A browser has no Node.' }]
const workspaces: OxlintOverride[] = [
  restrict(['sdk/**', 'dashboard/**'], client),
  restrict(
    ['sdk/typescript/src/**'],
    [climbing, { regex: '^[^.]', message: 'The sdk has no dependency: web standards and its own files alone.' }],
  ),
  restrict(['dashboard/src/**'], inBrowser),
  ...Object.entries(dashboardMayImport).map(([folder, allowed]) => {
    const others = [...Object.keys(dashboardMayImport), 'pages'].filter((name) => ![folder, ...allowed].includes(name))
    const message = `${folder}/ of the dashboard may import only: ${allowed.join(', ') || 'nothing'}.`
    return restrict([`dashboard/src/${folder}/**`], [...inBrowser, { group: filesOf(others), message }])
  }),
  restrict(
    ['dashboard/src/pages/**'],
    [...inBrowser, { group: ['#pages/**'], message: 'A page imports no other page.' }],
  ),
  {
    // They are handed no clock and no network: the platform's are the only ones they have.
    files: ['sdk/**', 'dashboard/**'],
    rules: {
      'no-restricted-globals': 'off',
      'no-restricted-properties': ['error', { object: 'Math', property: 'random', message: 'Use crypto.' }],
      'unicorn/require-post-message-target-origin': 'off', // A channel between tabs has no target.
      'import/no-unassigned-import': ['error', { allow: ['**/*.css'] }],
    },
  },
  {
    files: ['dashboard/src/**'],
    excludeFiles: ['dashboard/src/api/**'],
    rules: { 'no-restricted-globals': ['error', { name: 'fetch', message: 'Ask through dashboard/src/api/.' }] },
  },
]

// Programs that a reader copies: they know the SDK and Node, and nothing else of this repository.
const examples = restrict(
  ['examples/**'],
  [
    climbing,
    {
      regex: '^([^.n@]|n[^o]|no[^d]|nod[^e]|node[^:]|@[^m])',
      message: 'An example imports the SDK, Node and its own files.',
    },
  ],
)

export default defineConfig({
  plugins: ['eslint', 'typescript', 'import', 'promise', 'unicorn', 'oxc', 'node'],
  categories: { correctness: 'error', suspicious: 'error' },
  options: { typeAware: true, reportUnusedDisableDirectives: 'error' },
  ignorePatterns: ['docs/**'],
  rules: {
    'import/no-cycle': 'error',
    'import/no-default-export': 'error',
    'typescript/no-floating-promises': 'error', // A dropped promise is a lost payment.
    'typescript/no-misused-promises': 'error',
    'typescript/switch-exhaustiveness-check': 'error', // A new state must be handled everywhere.
    'typescript/strict-boolean-expressions': 'error', // 0n and '' are values, not absence.
    'typescript/no-explicit-any': 'error',
    'typescript/no-unsafe-argument': 'error', // The four of no-unsafe: an `any` of a package must not spread.
    'typescript/no-unsafe-assignment': 'error',
    'typescript/no-unsafe-call': 'error',
    'typescript/no-unsafe-member-access': 'error',
    'typescript/no-unsafe-return': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/only-throw-error': ['error', { allowThrowingUnknown: true }], // What was caught is passed on as it is.
    'typescript/consistent-type-imports': 'error', // Type stripping removes only what says that it is a type.
    eqeqeq: 'error',
    'no-restricted-imports': ['error', { patterns: [climbing] }],
    'no-console': 'error', // The service logs through #platform/observability/log.ts; commands print through cli/output.ts.
    'node/no-process-env': 'error', // config.ts is its only reader.
    'no-restricted-globals': ['error', { name: 'fetch', message: 'Use #platform/http-client/client.ts.' }],
    'no-restricted-properties': [
      'error',
      { object: 'Date', property: 'now', message: 'Take the time from the clock of the context.' },
      {
        object: 'Math',
        property: 'random',
        message: 'Secrets come from #platform/secrets.ts, jitter from the schedule.',
      },
    ],
    'max-lines': ['error', 500],
    'max-lines-per-function': ['error', 60],

    // Switched off, each with its reason.
    'typescript/no-unsafe-type-assertion': 'off', // Brands, database rows and checked JSON are born by an assertion.
    'typescript/no-unsafe-unary-minus': 'off', // It does not know that a branded bigint is a bigint.
    'typescript/unbound-method': 'off', // Our values are closures and know no `this`; classes are the rare exception.
    'typescript/consistent-return': 'off', // noImplicitReturns and exhaustive switches say it better.
    'unicorn/consistent-function-scoping': 'off', // A helper stands beside what it serves, also inside of it.
    'import/no-named-as-default-member': 'off', // `pg.Client` tells more than `Client`.
    'no-unmodified-loop-condition': 'off', // A closure's state changes while a loop awaits; the rule does not see it.
    'no-underscore-dangle': ['error', { allow: ['_httpMessage'] }], // Node's own name.
  },
  overrides: [
    wiring,
    ...folders.map(boundary),
    delivery,
    remote,
    ...workspaces,
    examples,
    { files: ['src/config.ts'], rules: { 'node/no-process-env': 'off' } }, // It is the reader.
    // A client of the API: it reads no setting of the service, and asks as every other client does.
    { files: ['src/cli/remote/**'], rules: { 'node/no-process-env': 'off', 'no-restricted-globals': 'off' } },
    { files: ['src/platform/clock.ts'], rules: { 'no-restricted-properties': 'off' } }, // It is the clock.
    {
      // Tests take the real clock only to bound a wait, and reach freely into answers: their shape is what is tested.
      files: ['tests/**'],
      plugins: ['eslint', 'typescript', 'import', 'promise', 'unicorn', 'oxc', 'node', 'vitest'],
      rules: {
        'vitest/expect-expect': ['error', { assertFunctionNames: ['expect*'] }],
        'vitest/no-conditional-expect': 'error',
        'vitest/no-disabled-tests': 'error',
        'vitest/no-focused-tests': 'error',
        'vitest/no-identical-title': 'error',
        'vitest/no-standalone-expect': 'error',
        'vitest/valid-expect': ['error', { maxArgs: 2 }], // The second one is the sentence of a failure.
        'vitest/valid-title': 'error',
        'max-lines-per-function': 'off', // A `describe` is a list of tests.
        'no-restricted-globals': 'off', // A test may call the service however its users do.
        'no-restricted-properties': 'off',
        'node/no-process-env': 'off',
        'typescript/no-unsafe-argument': 'off',
        'typescript/no-unsafe-assignment': 'off',
        'typescript/no-unsafe-call': 'off',
        'typescript/no-unsafe-member-access': 'off',
        'typescript/no-unsafe-return': 'off',
        'typescript/require-array-sort-compare': 'off',
      },
    },
    {
      // Programs beside the service: they talk to a terminal and measure real time.
      files: ['bin/**', 'scripts/**', 'bench/**', 'simulate/**', 'examples/**'],
      rules: { 'no-console': 'off', 'no-restricted-properties': 'off', 'node/no-process-env': 'off' },
    },
    {
      // Plain JavaScript runs before anything is installed, on any Node; tsc does not see it, so it has no types.
      files: ['bin/*.js', 'scripts/*.js', 'sdk/vectors/*.mjs', 'src/api/docs/assets/*.js'],
      rules: {
        'typescript/no-unsafe-argument': 'off',
        'typescript/no-unsafe-assignment': 'off',
        'typescript/no-unsafe-call': 'off',
        'typescript/no-unsafe-member-access': 'off',
        'typescript/no-unsafe-return': 'off',
        'typescript/strict-boolean-expressions': 'off',
      },
    },
    // Tools and the test runner find these by their default export.
    { files: ['*.config.ts', 'tests/support/global-setup.ts'], rules: { 'import/no-default-export': 'off' } },
  ],
})
