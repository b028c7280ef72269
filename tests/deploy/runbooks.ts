// The commands that stand in a runbook. What is in a fenced block of `sh` or `sql` is run by tests/deploy, in its order;
// a comment before a block says on what it runs, or why no test runs it:
//
//   <!-- not run: it stops the machine -->
//   <!-- on: the embedded database -->

export type Block = {
  line: number
  language: 'sh' | 'sql'
  text: string
  notRun: string | undefined
  on: string | undefined
}

export function blocksOf(page: string): Block[] {
  const lines = page.split('\n')
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; at++) {
    const [, language] = /^```(sh|sql)$/.exec(lines[at] ?? '') ?? []
    if (language !== 'sh' && language !== 'sql') continue
    const end = lines.indexOf('```', at)
    if (end === -1) throw new Error(`the block in line ${at + 1} does not end`)
    const before = lines.slice(0, at).findLast((line) => line.trim() !== '') ?? ''
    blocks.push({
      line: at + 1,
      language,
      text: lines.slice(at + 1, end).join('\n'),
      notRun: /^<!-- not run: (.{4,}) -->$/.exec(before)?.[1],
      on: /^<!-- on: (.+) -->$/.exec(before)?.[1],
    })
    at = end
  }
  return blocks
}

/** The words of every `npx manilla …` in the running text. */
export function mentionsOf(page: string): string[][] {
  const prose = page.replaceAll(/^```[^]*?^```$/gm, '')
  return [...prose.matchAll(/`npx manilla ([^`]+)`/g)].map(([, words = '']) => words.split(/\s+/))
}
