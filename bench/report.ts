// Reports the results of a run: a table on the terminal, a JSON file with everything, and a page with the latest result of each
// scenario.

import { readFile, readdir, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, totalmem } from 'node:os'
import path from 'node:path'
import { inEchoes, ratio } from './figures.ts'
import type { Settings } from './bench.ts'
import type { Measured } from './measure.ts'
import type { Scenario, Target } from './scenario.ts'
import { verdicts } from './targets.ts'

const folder = path.join(import.meta.dirname, 'results')

type Result = {
  scenario: string
  title: string
  date: string
  machine: { processor: string; processors: number; memoryGigabytes: number; node: string }
  seconds: number
  rounds: number
  targets: Target[]
  measured: Measured[]
}

const head = [
  'connections',
  'server',
  'requests/s',
  'of echo',
  'median',
  'p99',
  'memory',
  'CPU/request',
  'database',
  'in echoes',
  'WAL',
  'failed',
]

function rowsOf(measured: Measured[]): string[][] {
  return measured.flatMap(({ connections, figures }) =>
    Object.entries(figures).map(([name, figure]) => [
      String(connections),
      name,
      Math.round(figure.requestsPerSecond).toLocaleString('en'),
      ratio(figure, figures['echo']).toFixed(2),
      `${figure.medianMs} ms`,
      `${figure.p99Ms} ms`,
      `${Math.round(figure.rssMegabytes)} MB`,
      microsText(figure.cpuMicrosPerRequest),
      microsText(figure.databaseMicrosPerRequest),
      inEchoes(figure, figures['echo'])?.toFixed(1) ?? '–',
      bytesText(figure.walBytesPerRequest),
      String(figure.failures),
    ]),
  )
}

function microsText(micros: number | null | undefined): string {
  return micros === null || micros === undefined ? '–' : `${Math.round(micros)} µs`
}

function bytesText(bytes: number | null | undefined): string {
  return bytes === null || bytes === undefined ? '–' : `${Math.round(bytes).toLocaleString('en')} B`
}

export function printTable(measured: Measured[]): void {
  const all = [head, ...rowsOf(measured)]
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  for (const row of all) console.log(row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  '))
}

export async function write(
  name: string,
  { title, targets }: Scenario,
  measured: Measured[],
  { seconds, rounds }: Settings,
): Promise<string> {
  const date = new Date().toISOString().slice(0, 10)
  const machine = {
    processor: cpus()[0]?.model ?? 'unknown',
    processors: availableParallelism(),
    memoryGigabytes: Math.round(totalmem() / 1024 ** 3),
    node: process.versions.node,
  }
  const result: Result = { scenario: name, title, date, machine, seconds, rounds, targets, measured }
  const file = path.join(folder, `${date}-${name}.json`)
  await writeFile(file, `${JSON.stringify(result, null, 2)}\n`)
  await writeFile(path.join(folder, 'README.md'), await summary())
  return path.relative(process.cwd(), file)
}

async function summary(): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).toSorted()
  const latest = new Map<string, Result>()
  for (const name of names) {
    const result = JSON.parse(await readFile(path.join(folder, name), 'utf8')) as Result
    latest.set(result.scenario, result)
  }
  const intro =
    '# Results\n\nThe latest run of each scenario, written by `npm run bench`. What the figures mean: [../README.md](../README.md).\n'
  return [intro, ...[...latest.values()].map(section)].join('\n')
}

function section({ scenario, title, date, machine, seconds, rounds, targets, measured }: Result): string {
  const table = [head, head.map(() => '---:'), ...rowsOf(measured)].map((row) => `| ${row.join(' | ')} |`).join('\n')
  const where = `${machine.processors} × ${machine.processor}, ${machine.memoryGigabytes} GB, Node ${machine.node}`
  const judged = verdicts(targets, measured).map(
    ({ reached, sentence }) => `- ${reached ? 'reached' : 'MISSED'}: ${sentence}`,
  )
  const about = `${title}. ${date}, ${where}; medians of ${rounds} rounds of ${seconds} s.`
  return `## ${scenario}\n\n${about}\n\n${table}\n\n${judged.join('\n')}\n`
}
