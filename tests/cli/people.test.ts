// `manilla people` and the link of the first start, as an operator uses them.

import { randomBytes } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { createBusiness } from '#businesses/business.ts'
import { openBrowser, type Browser } from '#tests/users/browser.ts'
import { goodPassword } from '#tests/users/room.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import type { Ended } from '#tests/support/launch.ts'
import { useService } from '#tests/support/service.ts'
import { manilla, newMigratedDataDir, startServer } from './support.ts'

const secretKey = randomBytes(32)
const service = await useService({ secretKey, roles: ['api'] })
const env = { DATABASE_URL: service.database.serviceUrl, SECRET_KEY: secretKey.toString('base64') }
const business = formatId('business', service.business.id)

const people = (...words: string[]): Promise<Ended> => manilla(['people', ...words], { env })
const tokenIn = ({ stdout }: Ended): string => /#([\w-]{43})$/m.exec(stdout)?.[1] ?? ''

async function join(email: string, role: string): Promise<Browser> {
  const invited = await people('invite', '--business', business, '--role', role, '--email', email)
  expect(invited).toMatchObject({ code: 0, stderr: '' })
  const browser = openBrowser(service)
  const given = { token: tokenIn(invited), name: email, password: goodPassword }
  expectSuccess(await browser.post('/links/invitation', given))
  return browser
}

describe('manilla people', () => {
  it('shows no link of an invitation that is mailed', async () => {
    const words = ['people', 'invite', '--business', business, '--role', 'viewer', '--email', 'cy@example.com']
    const mail = {
      SMTP_URL: 'smtp://127.0.0.1:9',
      MAIL_FROM: 'no-reply@pay.example',
      DASHBOARD_URL: 'https://pay.example/dashboard',
    }
    const mailed = await manilla(words, { env: { ...env, ...mail } })
    expect(mailed).toMatchObject({ code: 0, stderr: '' })
    expect(mailed.stdout).toMatch(
      /^An invitation is sent to cy@example\.com by e-mail\. Its link works once, until .+\.\n$/,
    )
    const json = await manilla([...words, '--json'], { env: { ...env, ...mail } })
    expect(JSON.parse(json.stdout)).toMatchObject({ email: 'cy@example.com', role: 'viewer', link: null })
    const shown = await manilla(words, { env: { ...env, SMTP_URL: '', MAIL_FROM: '' } })
    expect(tokenIn(shown)).toHaveLength(43)
  })

  it('invites, lists, resets and removes, each as one document with --json', async () => {
    const ada = await join('ada@example.com', 'owner')
    const ben = await join('ben@example.com', 'viewer')
    const listed = await people('list', '--business', business, '--json')
    expect(JSON.parse(listed.stdout)).toMatchObject({
      people: [
        { email: 'ada@example.com', role: 'owner', business, hasSecondFactor: false, isOperator: false },
        { email: 'ben@example.com', role: 'viewer', business },
      ],
    })
    expect((await people('list')).stdout).toMatch(
      /^email +name +business +role +second factor +operator +last seen +id\nada@example\.com /,
    )
    const reset = await people('reset', 'Ben@example.com')
    expect(reset.stdout).toMatch(
      /^http:\/\/localhost:4000\/dashboard\/reset#[\w-]{43}\nIt sets a new password for ben@example\.com\. It works once, until .+\.\n$/,
    )
    expectSuccess(await ben.post('/links/reset', { token: tokenIn(reset), password: 'another sentence' }))
    const removed = await people('remove', 'ben@example.com', '--business', business, '--json')
    expect(JSON.parse(removed.stdout)).toEqual({ business, email: 'ben@example.com', removed: true })
    expectError(await ben.get('/me'), 401, 'UNAUTHORIZED')
    expectSuccess(await ada.get('/me'))
    const log = await manilla(['audit', 'list', '--business', business, '--json'], { env })
    const entries = JSON.parse(log.stdout).entries as { act: string; by: { kind: string }; person: string | null }[]
    expect(entries.slice(0, 2)).toMatchObject([
      { act: 'person.removed', by: { kind: 'terminal' }, business, person: null },
      {
        act: 'invitation.accepted',
        by: { kind: 'person', name: 'ben@example.com' },
        person: expect.stringMatching(/^per_/),
      },
    ])
  })

  it('makes and unmakes operators, who see what concerns the installation', async () => {
    const ada = await join('olu@example.com', 'viewer')
    const isOperator = async () =>
      (expectSuccess(await ada.get('/me')) as { person: { isOperator: boolean } }).person.isOperator
    expect(await isOperator()).toBe(false)
    expect((await people('operator', 'olu@example.com', 'on')).stdout).toBe(
      'olu@example.com is now an operator and can open the Operations page.\n',
    )
    expect(await isOperator()).toBe(true)
    expect((await people('operator', 'olu@example.com', 'off')).code).toBe(0)
    expect(await isOperator()).toBe(false)
  })

  it('asks which account is meant where several share an address, and takes a business or an id for an answer', async () => {
    const other = formatId('business', (await createBusiness(service.ctx, 'Squatters')).id)
    const arrive = async (id: string, password: string) => {
      const invited = await people('invite', '--business', id, '--role', 'viewer', '--email', 'shared@example.com')
      const given = { token: tokenIn(invited), name: 'Shared', password }
      expectSuccess(await openBrowser(service).post('/links/invitation', given))
    }
    await arrive(other, 'a sentence of a squatter')
    await arrive(business, goodPassword)
    for (const words of [
      ['reset', 'shared@example.com'],
      ['operator', 'shared@example.com', 'on'],
    ]) {
      const asked = await people(...words)
      expect(asked).toMatchObject({ code: 1, stdout: '' })
      expect(asked.stderr).toMatch(
        /^2 accounts have the address shared@example\.com\. .+\n( {2}per_\w{26} {2}Shared, viewer of biz_\w{26}\n){2}$/,
      )
      expect(asked.stderr).toContain(`viewer of ${other}\n`)
    }
    expect((await people('reset', 'shared@example.com', '--business', business)).code).toBe(0)
    expect((await people('remove', 'shared@example.com', '--business', other)).code).toBe(0)
    const [, orphan = ''] =
      /(per_\w{26}) {2}Shared, no business/.exec((await people('reset', 'shared@example.com')).stderr) ?? []
    expect((await people('reset', orphan, '--second-factor')).stdout).toContain('a new password for shared@example.com')
    expect((await people('operator', 'shared@example.com', 'on', '--business', other)).stderr).toMatch(
      /^shared@example\.com does not belong to this business\./,
    )
  })

  it.each([
    [['reset', 'nobody@example.com'], /^There is no user nobody@example\.com\. .+\n$/],
    [['reset', 'nobody'], /^nobody is not an email address\.\n$/],
    [['operator', 'nobody@example.com', 'on'], /^There is no user nobody@example/],
    [['operator', 'nobody@example.com', 'perhaps'], /on, off/],
    [
      ['remove', 'nobody@example.com', '--business', business],
      /^nobody@example\.com does not belong to this business\./,
    ],
    [['invite', '--business', business, '--role', 'king', '--email', 'a@example.com'], /owner, admin, developer/],
  ])('names the fault in one line: %j', async (words, sentence) => {
    const ended = await people(...words)
    expect(ended).toMatchObject({
      code: /perhaps|king|nobody$/.test(words.join(' ').replace(/ --email .*/, '')) ? 2 : 1,
      stdout: '',
    })
    expect(ended.stderr).toMatch(sentence)
    expect(ended.stderr.trim().split('\n')).toHaveLength(1)
  })

  it('leaves a business its last owner, and knows no business that is not there', async () => {
    const other = await createBusiness(service.ctx, 'Alone')
    const id = formatId('business', other.id)
    const invited = await people('invite', '--business', id, '--role', 'owner', '--email', 'one@example.com')
    const given = { token: tokenIn(invited), name: 'One', password: goodPassword }
    expectSuccess(await openBrowser(service).post('/links/invitation', given))
    const ended = await people('remove', 'one@example.com', '--business', id)
    expect(ended.stderr).toMatch(/^one@example\.com is the last owner of this business\. Invite another owner first/)
    const again = await people('invite', '--business', id, '--role', 'viewer', '--email', 'one@example.com')
    expect(again.stderr).toBe('one@example.com already belongs to this business.\n')
    const unknown = await people(
      'invite',
      '--business',
      'biz_00000000000000000000000000',
      '--role',
      'viewer',
      '--email',
      'x@example.com',
    )
    expect(unknown.stderr).toMatch(/^There is no business biz_0+\. /)
  })
})

describe('a start', () => {
  it('stores the link for the first person in a file of its user while there is no person, and says where', async () => {
    const dataDir = await newMigratedDataDir()
    const file = path.join(dataDir, 'welcome-link')
    const first = await startServer({ DATA_DIR: dataDir })
    await first.says(
      /^dashboard +http:\/\/localhost:\d+\/dashboard \(create the first user with the link in \S+welcome-link, or run: npx manilla people welcome\)$/m,
    )
    const link = (await readFile(file, 'utf8')).trim()
    expect(link).toMatch(new RegExp(`^http://localhost:${first.port}/dashboard/welcome#[\\w-]{43}$`))
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(first.stdout()).not.toContain(new URL(link).hash)
    const browser = openBrowser({ ...service, url: `http://127.0.0.1:${first.port}` })
    const given = { token: new URL(link).hash.slice(1), name: 'Ada', email: 'ada@example.com', password: goodPassword }
    expectSuccess(await browser.post('/links/welcome', given))
    expect(expectSuccess(await browser.get('/me'))).toMatchObject({
      businesses: [{ name: 'Demo Business', role: 'owner' }],
    })
    first.signal('SIGTERM')
    await first.ended
    const second = await startServer({ DATA_DIR: dataDir })
    await second.says(/^dashboard +http:\/\/localhost:\d+\/dashboard$/m)
    await expect(stat(file)).rejects.toThrow('ENOENT')
    second.signal('SIGTERM')
    await second.ended
  })

  it('people welcome prints a link that creates the first user, and refuses once there is one', async () => {
    const own = { DATA_DIR: await newMigratedDataDir(), DASHBOARD_URL: 'https://pay.example.com/dashboard' }
    await manilla(['businesses', 'create', '--name', 'Shop'], { env: own })
    const made = await manilla(['people', 'welcome', '--json'], { env: own })
    expect(made.code).toBe(0)
    const { link } = JSON.parse(made.stdout) as { link: string }
    expect(link).toMatch(/^https:\/\/pay\.example\.com\/dashboard\/welcome#[\w-]{43}$/)
    const server = await startServer({ DATA_DIR: own.DATA_DIR })
    const browser = openBrowser({ ...service, url: `http://127.0.0.1:${server.port}` })
    const given = { token: new URL(link).hash.slice(1), name: 'Ada', email: 'ada@example.com', password: goodPassword }
    expectSuccess(await browser.post('/links/welcome', given))
    server.signal('SIGTERM')
    await server.ended
    const again = await manilla(['people', 'welcome'], { env: own })
    expect(again).toMatchObject({ code: 1, stdout: '' })
    expect(again.stderr).toMatch(
      /The dashboard already has a user\. Invite others: npx manilla people invite --help\n$/,
    )
  })

  it('without a dashboard makes no link', async () => {
    const dataDir = await newMigratedDataDir()
    const server = await startServer({ DATA_DIR: dataDir, DASHBOARD: 'off' })
    await server.says(/Try it/)
    expect(server.stdout()).not.toMatch(/^dashboard/m)
    server.signal('SIGTERM')
    await server.ended
  })
})
