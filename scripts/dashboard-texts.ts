// Writes the parts of the documents that the dashboard shows: code that receives webhooks in five programming
// languages, the events, and the account and phone numbers of the simulator. Also writes the other names of banks, by
// which people search for a bank. Tests run the code of these documents, so a developer copies only code that was
// tested.

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

export async function receiversFile(): Promise<string> {
  const [, text = ''] = (await page('webhooks.md')).split('## Verify without an SDK')
  const blocks = text.matchAll(/^```(\w+)\n(.+?)^```$/gms)
  return file([...blocks].map(([, fence = '', code = '']) => ({ language: languages[fence], code })))
}

const languages: Record<string, string> = { ts: 'TypeScript', python: 'Python', go: 'Go', php: 'PHP', java: 'Java' }

export async function eventsFile(): Promise<string> {
  return file(rowsOf(await page('events.md'), 'Event').map(([name, when]) => ({ name, when })))
}

export async function magicNumbersFile(): Promise<string> {
  const text = await page('simulator.md')
  const numbersOf = (head: string) => rowsOf(text, head).map(([number, happens]) => ({ number, happens }))
  return file({ accounts: numbersOf('Account number'), phones: numbersOf('Phone') })
}

/** Returns other names of banks by slug, for the search of a bank in the dashboard. */
export function bankAliasesFile(): Promise<string> {
  return readFile(fileURLToPath(new URL('../src/directory/data/bank-aliases.json', import.meta.url)), 'utf8')
}

function page(name: string): Promise<string> {
  return readFile(fileURLToPath(new URL(`../docs/${name}`, import.meta.url)), 'utf8')
}

/** Returns the rows of the table whose first column has this heading, as plain text. */
function rowsOf(text: string, head: string): string[][] {
  const table = new RegExp(`^\\| ${head} \\|.+\\n\\| --- .+\\n((?:\\|.+\\n)+)`, 'm').exec(text)?.[1]
  if (table === undefined) throw new Error(`no table begins with ${head}`)
  const lines = table.trimEnd().split('\n')
  return lines.map((line) => line.slice(2, -2).replaceAll('`', '').split(' | '))
}

function file(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
