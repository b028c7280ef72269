// The pages that every statement of this process reads, in its real plan: PostgreSQL explains each statement at its end
// (auto_explain), on the connection that ran it. A test need not name a statement to see it.

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { statementTexts } from '#platform/db/statement.ts'
import type { TestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'

export type Cost = {
  /** True for a connection that keeps its plans. */
  dedicated: boolean
  /** Pages of tables and indexes for each row that went in or came out; the maximum over all runs. */
  pages: number
  /** The plan of that run, one step in a line. */
  plan: string
}

export type Explained = {
  /** Returns the statements since the last call, by name. */
  take(): Map<string, Cost>
}

/** Call this before the service starts: only later connections are explained. */
export async function explainStatements(database: TestDatabase): Promise<Explained> {
  await switchOn(database)
  let costs = new Map<string, Cost>()

  function note(client: pg.Client, message: string): void {
    const at = message.indexOf('plan:\n')
    if (at === -1) return
    const { 'Query Text': text, Plan: plan } = JSON.parse(message.slice(at + 6)) as { 'Query Text': string; Plan: Step }
    const name = nameOf(text)
    if (name === undefined) return
    const pages = (plan['Shared Hit Blocks'] + plan['Shared Read Blocks']) / Math.max(1, mostRows(plan))
    const dedicated = applicationOf(client)?.startsWith('manilla ') === true
    const before = costs.get(name)
    if (before === undefined || before.pages < pages || (dedicated && !before.dedicated)) {
      costs.set(name, { dedicated: dedicated || before?.dedicated === true, pages, plan: stepsOf(plan) })
    }
  }

  const { connect } = pg.Client.prototype
  function listening(this: pg.Client, ...given: Parameters<typeof connect>): unknown {
    this.on('notice', ({ message }) => note(this, message ?? ''))
    return connect.apply(this, given)
  }
  pg.Client.prototype.connect = listening as typeof connect
  onTestFinished(() => void (pg.Client.prototype.connect = connect))

  return {
    take() {
      const taken = costs
      costs = new Map()
      return taken
    },
  }
}

/** Only PostgreSQL's superuser may switch it on. */
async function switchOn({ ownerUrl }: TestDatabase): Promise<void> {
  const file = path.join(inject('runFolder'), 'data', 'postgres', 'passwords.json')
  const { admin } = JSON.parse(await readFile(file, 'utf8')) as { admin: string }
  const asAdmin = { ownerUrl: ownerUrl.replace(/\/\/[^@]*@/, `//postgres:${admin}@`) }
  const name = /@[^/]*\/([^?]*)/.exec(ownerUrl)?.[1]
  const settings = {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_buffers': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_format': 'json',
    'auto_explain.log_level': 'notice',
    'auto_explain.log_parameter_max_length': '0',
  }
  for (const [setting, value] of Object.entries(settings)) {
    await asOwner(asAdmin, `alter database ${name} set ${setting} = '${value}'`)
  }
}

/** A step of a plan, as PostgreSQL reports it. */
type Step = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Step[]
}

/** The rows of the statement's input or output, whichever are more. */
function mostRows(plan: Step): number {
  const given = (step: Step): number[] => [
    ...(step['Node Type'] === 'Function Scan' ? [step['Actual Rows'] * step['Actual Loops']] : []),
    ...(step.Plans ?? []).flatMap(given),
  ]
  return Math.max(plan['Actual Rows'], ...given(plan))
}

function stepsOf(step: Step, depth = 0): string {
  const { 'Node Type': type, 'Relation Name': table = '', 'Index Name': index = '' } = step
  const line = `${'  '.repeat(depth)}${type} ${table} ${index} rows ${step['Actual Rows']} × ${step['Actual Loops']}`
  return [line, ...(step.Plans ?? []).map((one) => stepsOf(one, depth + 1))].join('\n')
}

function nameOf(text: string): string | undefined {
  for (const [name, known] of statementTexts()) if (known === text) return name
  return undefined
}

function applicationOf(client: pg.Client): string | undefined {
  return (client as unknown as { connectionParameters: { application_name?: string } }).connectionParameters
    .application_name
}
