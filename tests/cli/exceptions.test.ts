// Runs the commands of docs/runbooks/incidents.md in the order in which an operator on call would paste them.

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { createRoom } from '#tests/deposits/room.ts'
import { createTenant, requestOf, startProcess } from '#tests/payments/process.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import type { Ended } from '#tests/support/launch.ts'
import { createScriptedPayout, unknown } from '#tests/support/scripted-rail.ts'
import { manilla, root } from './support.ts'

const database = await useTestDatabase()
const env = { DATABASE_URL: database.serviceUrl }
const room = createRoom(database)
const daysMs = 86_400_000
let runbook: string

beforeAll(async () => {
  runbook = await readFile(path.join(root, 'docs/runbooks/incidents.md'), 'utf8')
})

/** The commands below a heading, up to the next one, with the example's names replaced. */
function commandsOf(heading: string, names: Record<string, string>): string[][] {
  const [, section = ''] = new RegExp(`^#{2,3} ${heading}\\n([\\s\\S]*?)(?=^#)`, 'm').exec(runbook) ?? []
  const lines = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.trim().split('\n'))
  return lines.map((line) => {
    const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
    expect(words.slice(0, 2)).toEqual(['npx', 'manilla'])
    return words.slice(2).map((word) => names[word] ?? word)
  })
}

async function paste(commands: string[][]): Promise<Ended[]> {
  const ended: Ended[] = []
  for (const words of commands) ended.push(await manilla(words, { env }))
  return ended
}

type Listed = { id: string; kind: string; subject: string; reference: string; business: string | null }

async function listed(): Promise<Listed[]> {
  return JSON.parse((await manilla(['exceptions', 'list', '--json'], { env })).stdout).exceptions
}

/** A payment whose rail was unreachable for two days; the next question comes in an hour. */
async function stuckPayment(): Promise<Listed> {
  const clock = createFakeClock(Date.now() - 2 * daysMs)
  const rail = createScriptedPayout(clock)
  rail.onSubmit = () => ({ ...unknown, sent: false })
  const process = startProcess({ database, clock, rail, leasesNew: false })
  const tenant = await createTenant(process)
  const request = requestOf()
  await process.payments.initiate(tenant, request)
  for (const seconds of [0, 5, 30, 120, 600, 1_800]) {
    clock.advance(seconds * 1_000)
    await process.payments.work(tenant.lane)
  }
  clock.advance(Date.now() - clock.now())
  await process.payments.work(tenant.lane)
  await process.payments.raiseAlarms(tenant.lane)
  const found = (await listed()).find(({ reference }) => reference === request.reference)
  if (found === undefined) throw new Error('the payment waits for nobody')
  return found
}

describe('the runbook for exceptions', () => {
  it('lists what waits, and closes it with a note, once', async () => {
    const { id } = await stuckPayment()
    const commands = commandsOf('`manilla_exceptions_open` is above 0', { 'exc_…': id })
    const [list, close] = await paste(commands)
    expect(list?.stdout).toContain(`${id}  `)
    expect(list?.stdout).toContain('it has had no outcome for a day')
    expect([close?.stdout, close?.code]).toEqual([`Closed ${id}.\n`, 0])
    expect((await listed()).map((one) => one.id)).not.toContain(id)
    const [, again] = await paste(commands)
    expect([again?.code, again?.stdout]).toEqual([0, expect.stringContaining('was already closed')])
  })

  it('ends a payment by hand: the money is back, the exception is closed, and nothing is done twice', async () => {
    const { reference, business, kind } = await stuckPayment()
    expect(kind).toBe('payment-stuck')
    const commands = commandsOf('End a payment by hand', { 'PAYOUT-1001': reference, 'biz_…': business ?? '' })
    const [list, settle] = await paste(commands)
    expect(list?.stdout).toContain(reference)
    expect([settle?.stdout, settle?.code]).toEqual([
      `${reference} is now FAILED. Its business is notified as usual.\n`,
      0,
    ])
    expect((await listed()).map((one) => one.reference)).not.toContain(reference)
    const [, again] = await paste(commands)
    expect([again?.stdout, again?.code]).toEqual([`${reference} was already FAILED. Nothing was changed.\n`, 0])
  })

  it('gives money to its account, and proves the books and the acts after that', async () => {
    const number = await room.openStatic(await room.newTenant())
    const notice = room.notice({ provider: 'acme', providerId: 'N:88 42', accountNumber: '9999999999' })
    await room.deposits.receive('production', notice)
    const names = { 'production:acme:8842': 'production:acme:N:88 42', '0123456789': number }
    const [list, adopt, verify, audit] = await paste(commandsOf('Give money to its account', names))
    expect(list?.stdout).toContain('no customer owns the account 9999999999')
    expect([adopt?.stderr, adopt?.code]).toEqual(['', 0])
    expect(adopt?.stdout).toMatch(/^production:acme:N:88 42 is now the deposit DEP\w{26} of \d{10}\./)
    expect(verify?.stdout).toMatch(/^The books are right:/)
    expect(audit?.stdout).toContain('deposit.adopted')
    expect((await listed()).map((one) => one.subject)).not.toContain('production:acme:N:88 42')
  })
})

describe('text from a provider', () => {
  it('is shown, and obeyed by no terminal, whatever it is', async () => {
    const notice = room.notice({ provider: 'acme', providerId: 'N\u001b[2J', accountNumber: '9999999999' })
    await room.deposits.receive('production', { ...notice, amount: 9_007_199_254_740_993n as typeof notice.amount })
    const shown = await manilla(['exceptions', 'list'], { env })
    expect(shown.stdout).toContain('production:acme:N?[2J')
    expect(shown.stdout).not.toContain('\u001b')
    const list = JSON.parse((await manilla(['exceptions', 'list', '--json'], { env })).stdout).exceptions
    expect(list.map(({ amount }: { amount: unknown }) => amount)).toContain('9007199254740993')
  })
})

describe('a mistake', () => {
  it.each([
    [['exceptions', 'close', 'trf_1', '--note', 'x'], /is not the id of an exception/],
    [['exceptions', 'close', 'exc_01kf0fv2e0e03scdnf8qyb6afr', '--note', 'x'], /There is no exception/, 1],
    [['exceptions', 'close', 'exc_01kf0fv2e0e03scdnf8qyb6afr', '--note', ' '], /A note must have 1 to 500 characters/],
    [['deposits', 'adopt', '8842', '--account', '0123456789', '--note', 'x'], /ENVIRONMENT:PROVIDER:ID/],
    [['deposits', 'adopt', 'production:acme:1', '--account', '0123456789', '--note', 'x'], /no unclaimed notice/, 1],
  ])('%j gets one sentence', async (args, sentence, exitCode = 2) => {
    const { code, stdout, stderr } = await manilla(args, { env })
    expect([code, stdout]).toEqual([exitCode, ''])
    expect(stderr).toMatch(sentence)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  it('to end a payment whose rail may still act gets the reason and the next step', async () => {
    const { business } = await stuckPayment()
    const clock = createFakeClock(Date.now())
    const process = startProcess({ database, clock, rail: createScriptedPayout(clock), leasesNew: false })
    const tenant = await createTenant(process)
    const { reference } = requestOf()
    await process.payments.initiate(tenant, requestOf({ reference }))
    const where = ['--business', business ?? '', '--environment', 'production', '--as', 'success', '--note', 'x']
    expect((await manilla(['payments', 'settle', reference, ...where], { env })).stderr).toMatch(/There is no payment/)
    const list = await manilla(['businesses', 'list', '--json'], { env })
    const ids: string[] = JSON.parse(list.stdout).businesses.map(({ id }: { id: string }) => id)
    const answers = await Promise.all(
      ids.map((id) => manilla(['payments', 'settle', reference, ...where.with(1, id)], { env })),
    )
    const refused = answers.filter(({ stderr }) => !stderr.includes('There is no payment'))
    expect(refused).toHaveLength(1)
    expect(refused[0]?.stderr).toMatch(/was never sent to its rail.*--as failed/)
  })
})
