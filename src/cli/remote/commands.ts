// Commands for integrators that end after a few calls of the API: `transfers list` and `get`, `trigger`, `open`,
// `login` and `logout`.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { text as readText } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type EventName,
  formatNaira,
  type ListTransfersQuery,
  type Transfer,
  type WebhookDelivery,
} from '#sdk/index.ts'
import { formatTime, type Output, table, UsageError } from '#cli/output.ts'
import { OperatorError } from '#platform/errors.ts'
import {
  connectApi,
  openApi,
  defaultProfile,
  type ProfileOption,
  profilesFile,
  removeProfile,
  storeProfile,
  variable,
} from './api.ts'

export type ListTransfersOptions = ProfileOption & Pick<ListTransfersQuery, 'status' | 'from' | 'to' | 'page' | 'limit'>

export async function listTransfersCommand(output: Output, options: ListTransfersOptions): Promise<void> {
  const { profile, ...query } = options
  const { manilla, call } = openApi(profile === undefined ? {} : { profile })
  const { items, pagination } = await call(() => manilla.transfers.list(query).page())
  const rows = items.map((transfer) => [
    transfer.reference,
    transfer.status,
    formatNaira(transfer.amount),
    transfer.bankName,
    transfer.accountNumber,
    formatTime(new Date(transfer.createdAt)),
  ])
  const shown = table(['REFERENCE', 'STATUS', 'AMOUNT', 'BANK', 'ACCOUNT', 'CREATED'], rows)
  const { page, totalPage, total } = pagination
  const text = total === 0 ? 'No transfers.' : `${shown}\n\nPage ${page} of ${totalPage}, ${total} in total.`
  output.result({ transfers: items, pagination }, text)
}

export async function getTransferCommand(output: Output, reference: string, options: ProfileOption): Promise<void> {
  const { manilla, call } = openApi(options)
  const transfer = await call(() => manilla.transfers.get(reference))
  output.result(transfer, describeTransfer(transfer))
}

function describeTransfer(transfer: Transfer): string {
  const { failureReason, failureMessage } = transfer
  const lines: [string, string | null][] = [
    ['Reference', transfer.reference],
    ['Status', transfer.status],
    ['Failure', failureReason === null ? null : [failureReason, failureMessage].filter(Boolean).join(': ')],
    ['Amount', formatNaira(transfer.amount)],
    ['Fee', formatNaira(transfer.fee)],
    ['Recipient', `${transfer.accountName}, ${transfer.bankName}, ${transfer.accountNumber}`],
    ['Session id', transfer.sessionId],
    ['Narration', transfer.narration],
    ['Created', formatTime(new Date(transfer.createdAt))],
    ['Completed', transfer.completedAt === null ? null : formatTime(new Date(transfer.completedAt))],
    ['Id', transfer.id],
  ]
  return lines
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name.padEnd(11)} ${value ?? ''}`)
    .join('\n')
}

/** Five seconds: the server sends the sample within a second, and most receivers answer within the rest. */
const pollsMax = 20
const pollEveryMs = 250

export async function triggerRemotely(output: Output, event: string, options: ProfileOption): Promise<void> {
  const { manilla, call } = openApi(options)
  const { events } = await call(() => manilla.sandbox.triggerEvent(event as EventName))
  let deliveries = events
  for (let polls = 0; polls < pollsMax && deliveries.some(isOpen); polls += 1) {
    await delay(pollEveryMs)
    const now = deliveries.map((one) => (isOpen(one) ? manilla.webhooks.deliveries.get(one.id) : Promise.resolve(one)))
    deliveries = await call(() => Promise.all(now))
  }
  const lines = deliveries.map((delivery) => `${delivery.webhookId} ${delivery.url} → ${answerOf(delivery)}`)
  const none = `No subscription includes ${event}, so only a running manilla listen receives it.`
  const text = deliveries.length === 0 ? none : [`A sample of ${event}:`, ...lines].join('\n')
  output.result({ event, deliveries }, text)
}

function isOpen({ attempts, nextAttemptAt }: WebhookDelivery): boolean {
  return attempts === 0 && nextAttemptAt !== null
}

function answerOf(delivery: WebhookDelivery): string {
  const [attempt] = delivery.deliveryAttempts
  if (attempt === undefined) return isOpen(delivery) ? 'no response yet' : 'not sent, because it is disabled'
  const what = attempt.responseCode === null ? 'failed' : String(attempt.responseCode)
  return `${what} in ${attempt.durationMs} ms${attempt.error === null ? '' : `: ${attempt.error}`}`
}

const pages = { dashboard: '/dashboard', docs: '/docs' }

export async function openCommand(output: Output, page: string, options: ProfileOption): Promise<void> {
  const { origin } = new URL(openApi(options).manilla.baseUrl)
  const url = origin + pages[page as keyof typeof pages]
  const isOpened = process.stdout.isTTY && (await openInBrowser(url))
  output.result({ url }, isOpened ? `Opened ${url}` : url)
}

async function openInBrowser(url: string): Promise<boolean> {
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open'
  const child = spawn(opener, [url], { stdio: 'ignore', detached: true })
  try {
    await once(child, 'spawn')
    child.unref()
    return true
  } catch {
    return false
  }
}

// `manilla login`: checks an API key and stores it. The key comes from MANILLA_API_KEY, from a terminal without echo or
// from standard input, never from an argument, which other users of the machine could read.

type LoginOptions = ProfileOption & { baseUrl?: string }

const environmentNames = { sandbox: 'staging', production: 'production' } as const

export async function loginCommand(output: Output, options: LoginOptions): Promise<void> {
  const name = profileNameOf(options)
  const apiKey = variable('MANILLA_API_KEY') ?? (await readKey())
  const baseUrl = options.baseUrl ?? variable('MANILLA_BASE_URL') ?? (await readBaseUrl(apiKey))
  const { manilla, call } = connectApi({ apiKey, baseUrl })
  // Every valid key may make this call, whatever its scopes.
  await call(() => manilla.transfers.fee(100))
  await storeProfile(name, { apiKey, baseUrl: manilla.baseUrl })
  const environment = environmentNames[manilla.environment as keyof typeof environmentNames]
  output.result(
    { profile: name, baseUrl: manilla.baseUrl, environment },
    `Logged in to ${manilla.baseUrl} (${environment}). The key is kept in ${profilesFile()}.`,
  )
}

export async function logoutCommand(output: Output, options: ProfileOption): Promise<void> {
  const name = profileNameOf(options)
  if (!(await removeProfile(name))) throw new OperatorError(`There is no profile ${name} in ${profilesFile()}.`)
  output.result({ profile: name }, `Removed the key of the profile ${name}. It still works until you revoke it.`)
}

function profileNameOf({ profile = defaultProfile }: ProfileOption): string {
  if (/^[a-z0-9][a-z0-9_-]{0,39}$/i.test(profile)) return profile
  throw new UsageError('A profile has a name of 1 to 40 letters, digits, - and _.')
}

async function readKey(): Promise<string> {
  if (!process.stdin.isTTY) return (await readText(process.stdin)).trim()
  return (await readWithoutEcho('API key (it is not shown): ')).trim()
}

/** Undefined means the default of the SDK: the server that `npm start` runs on this machine. */
async function readBaseUrl(apiKey: string): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined
  const local = connectApi({ apiKey, baseUrl: undefined }).manilla.baseUrl
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = (await terminal.question(`Base URL (default: ${local}): `)).trim()
    return answer === '' ? undefined : answer
  } finally {
    terminal.close()
  }
}

function readWithoutEcho(question: string): Promise<string> {
  const { stdin, stderr } = process
  stderr.write(question)
  stdin.setRawMode(true).setEncoding('utf8').resume()
  return new Promise((resolve, reject) => {
    let typed = ''
    const end = (): void => {
      stdin.off('data', read).setRawMode(false).pause()
      stderr.write('\n')
    }
    const read = (chunk: string): void => {
      for (const character of chunk) {
        if (character === '\r' || character === '\n') {
          end()
          return resolve(typed)
        }
        if (character === '\u0003' || character === '\u0004') {
          end()
          return reject(new OperatorError('Stopped. Nothing was stored.'))
        }
        typed = character === '\u007F' ? typed.slice(0, -1) : typed + character
      }
    }
    stdin.on('data', read)
  })
}
