// Which tests `npm test` runs, and which only `npm run test:all` does. A folder or the name of a file decides:
//
//   *.alone.test.ts   needs a process of its own, because it asks what its process holds: ids, timers, connections, memory
//   *.slow.test.ts    takes longer than a developer waits
//   the folders below start processes, drive a browser, grow tables or simulate worlds

/** They start real processes, so each file has a process of its own. */
export const processFolders = ['cli', 'deploy', 'faults', 'ha', 'install', 'postgres/embedded', 'processes', 'support']

/** They grow tables, or play whole worlds and machines. */
const slowFolders = ['citus', 'plans', 'simulate']

const inFolders = (folders: string[]): string => `tests/{${folders.join(',')}}/**/*.test.ts`

export const isolated = ['tests/**/*.alone.test.ts']
export const processes = [inFolders(processFolders)]
export const browser = ['tests/dashboard/**/*.test.ts']
export const slow = ['tests/**/*.slow.test.ts', inFolders(slowFolders)]
