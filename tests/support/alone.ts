// Which test files have a process of their own, and which share one.

/** Tests of processes: what those leave behind must not meet the tests of others. */
export const aloneFolders = ['cli', 'deploy', 'embedded', 'faults', 'ha', 'install', 'processes', 'support']

/** They start processes too, or ask what their own process holds: its ids, its timers, connections and statements, its memory. */
export const aloneFiles = [
  'tests/archive/crash.test.ts',
  'tests/base/ids.test.ts',
  'tests/finder/finder.test.ts',
  'tests/flows/tracing.test.ts',
  'tests/http/dashboard-money.test.ts',
  'tests/http/dashboard-story.test.ts',
  'tests/http/departures.test.ts',
  'tests/payments/codes.test.ts',
  'tests/privacy/erase.test.ts',
  'tests/privacy/retain.test.ts',
  'tests/plans/bounded-analysed.test.ts',
  'tests/plans/bounded.test.ts',
  'tests/webhooks/receivers.test.ts',
]

/** They take long, so they begin early. */
export const browsers = ['tests/dashboard/**/*.test.ts']

/**
 * All others share a process with those before and after them, and so what they import: to import it anew for each of
 * them was half of their processor time. What a module remembers, the next file finds.
 */
export const alone = [`tests/{${aloneFolders.join(',')}}/**/*.test.ts`, ...aloneFiles]
