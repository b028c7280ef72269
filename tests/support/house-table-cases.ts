// Samples that break the rules of house-table.ts, for tests/tidy.test.ts.

import type { Case } from './house-rules.ts'
import * as table from './house-table.ts'

export const tableCases: Case[] = [
  [
    'every folder of src/ has the same row in the import table and in ARCHITECTURE.md',
    table.everyFolderHasItsRow,
    {
      'src/cellar/a.ts': '',
      'src/base/a.ts': '',
      'src/http/a.ts': '',
      'src/cli/a.ts': '',
      'oxlint.config.ts': tableOf("base: [],\n  http: ['base', ...domains, 'config.ts'],\n  cli: [...domains],"),
      'ARCHITECTURE.md':
        '| `base/` | Ground | nothing |\n| `http/` | Door | base, domains, config |\n| `cli/` | Door | base, domains |\n',
    },
    [
      'src/cellar/ has no row in oxlint.config.ts',
      'src/cellar/ has no row in ARCHITECTURE.md',
      'src/cli/ may import other folders in oxlint.config.ts than in ARCHITECTURE.md',
    ],
  ],
  [
    'every edge of the import table is used',
    table.everyEdgeIsUsed,
    {
      'src/cli/a.ts': "import { a } from '#base/a.ts'\nconst b = await import('#app.ts')\n",
      'src/base/a.ts': "import type pg from 'pg'\n",
      'oxlint.config.ts': tableOf("base: [],\n  cli: [\n    'base',\n    ...domains,\n    'app.ts',\n  ],"),
    },
    ['payments', 'deposits']
      .map((domain) => `cli → ${domain} stands in oxlint.config.ts and no import uses it`)
      .concat('embedded → pg stands in oxlint.config.ts and no import uses it'),
  ],
  [
    'every workspace stands under the same guards',
    table.everyWorkspaceIsGuarded,
    {
      'package.json': '{ "workspaces": ["sdk/a"], "scripts": { "types": "tsc && tsc -p sdk/a" } }',
      'knip.json': '{ "workspaces": { "sdk/a": {} } }',
      'oxlint.config.ts': "  restrict(['sdk/a/src/**'], []),\n",
      'ARCHITECTURE.md': '| `sdk/a/` | Client | nothing |\n',
      'sdk/a/package.json': '{ "peerDependencies": {} }',
      'web/package.json': '{ "dependencies": {} }',
    },
    [
      'sdk/a/ has a dependency; an sdk has none',
      'web/ is not in the workspaces of package.json',
      'web/ is not checked by npm run types',
      'web/ has no row in oxlint.config.ts',
      'web/ is not in knip.json',
      'web/ has no row in ARCHITECTURE.md',
    ],
  ],
]

function tableOf(rows: string): string {
  return (
    "\nconst domains = ['payments', 'deposits']\n" +
    `\nconst mayImport = {\n  ${rows}\n}\n\nconst outward = {\n  pg: ['base', 'embedded'],\n}\n`
  )
}
