// Letters reach a mail server, and each way in which a server can refuse or fail has its own outcome.

import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { parseConfig, mailSettingsOf } from '#config.ts'
import { createMailTransport, type MailTransport, type TransportOptions } from '#mail/transport.ts'
import { makeTestCertificate } from '#tests/platform/fixtures/test-certificate.ts'
import { startFakeSmtp, type FakeSmtp } from '#tests/support/fakes/smtp-server.ts'

const certificate = makeTestCertificate(['localhost', '127.0.0.1'])
const letter = { subject: 'Hello', text: 'Line one\n', html: '<p>Line one</p>' }
/** All that comes before the silence must fit in it, also on a busy machine. */
const silenceMs = 2_000
const from = 'Manilla <no-reply@pay.example>'

const plainServer = await startFakeSmtp()
afterAll(() => plainServer.close())

function open(
  smtp: FakeSmtp,
  options: Partial<TransportOptions> & { login?: { user: string; password: string } } = {},
): MailTransport {
  smtp.mischief = undefined
  const { login, ...rest } = options
  const settings = mailSettingsOf(parseConfig({ SMTP_URL: smtp.url(login), MAIL_FROM: from }))
  if (settings === undefined) throw new Error('both are set')
  const transport = createMailTransport({ ...settings, ...rest })
  onTestFinished(() => transport.close())
  return transport
}

const send = (transport: MailTransport, to = 'ada@shop.example') => transport.send(to, 'letter-1', letter)

describe('a mail server', () => {
  it('gets the letter with both parts, its sender, and an id', async () => {
    expect(await send(open(plainServer))).toEqual({ kind: 'sent' })
    const mail = plainServer.mails.at(-1)
    expect(mail).toMatchObject({ from: 'no-reply@pay.example', to: 'ada@shop.example', text: 'Line one\n' })
    expect(mail?.headers.get('message-id')).toBe('<letter-1@pay.example>')
    expect(mail?.headers.get('auto-submitted')).toBe('auto-generated')
    expect(mail?.raw).toContain('<p>Line one</p>')
  })

  it.each([
    ['refuses the address', { at: 'RCPT', answer: '550 no such mailbox' }, 'refused', /550 to RCPT TO/],
    ['refuses the letter', { at: 'BODY', answer: '554 not wanted' }, 'refused', /554/],
    ['is busy', { at: 'RCPT', answer: '451 try later' }, 'later', /451 to RCPT TO/],
    ['is busy after the letter', { at: 'BODY', answer: '452 disk is full' }, 'later', /452/],
    ['refuses the sender', { at: 'MAIL', answer: '550 sender not allowed' }, 'later', /550 to MAIL FROM/],
    ['closes for maintenance', { at: 'MAIL', answer: '421 closing' }, 'unreachable', /421/],
    ['cuts the connection in the middle of a letter', { at: 'DATA', cut: true }, 'unreachable', /ECONNECTION/],
    ['cuts the connection after a letter', { at: 'BODY', cut: true }, 'later', /ECONNECTION/],
    ['is silent', { at: 'EHLO', silent: true }, 'unreachable', /ETIMEDOUT/],
    ['is silent after a letter', { at: 'BODY', silent: true }, 'later', /ETIMEDOUT/],
    ['greets with a refusal', { at: 'CONNECT', answer: '554 go away' }, 'unreachable', /554/],
  ] as const)('that %s', async (_what, mischief, kind, why) => {
    const transport = open(plainServer, 'silent' in mischief ? { limitMs: silenceMs } : {})
    plainServer.mischief = () => mischief
    const outcome = await send(transport)
    expect(outcome).toMatchObject({ kind, why: expect.stringMatching(why) as string })
  })

  it('that nothing listens on is unreachable', async () => {
    const gone = await startFakeSmtp()
    const transport = open(gone)
    await gone.close()
    expect(await send(transport)).toMatchObject({ kind: 'unreachable' })
    expect(await transport.check()).toMatch(/ESOCKET|ECONN/)
  })

  it('gets no recipient whose address contains more than an address', async () => {
    const before = plainServer.lines.length
    const outcome = await send(open(plainServer), 'ada@shop.example>\r\nRCPT TO:<eve@evil.example')
    expect(outcome.kind).not.toBe('unreachable')
    expect(plainServer.lines.slice(before).filter((line) => line.startsWith('RCPT'))).not.toContain(
      'RCPT TO:<eve@evil.example>',
    )
  })
})

describe('a login', () => {
  const login = { user: 'mailer@pay.example', password: 'p@ss/word:1' }

  it('is made over STARTTLS', async () => {
    const smtp = await startFakeSmtp({ tls: certificate, login })
    onTestFinished(() => smtp.close())
    const transport = open(smtp, { login, certificateAuthority: certificate.cert })
    expect(await transport.check()).toBeUndefined()
    expect(await send(transport)).toEqual({ kind: 'sent' })
    expect(smtp.mails[0]?.isEncrypted).toBe(true)
  })

  it('fails if the certificate is not trusted', async () => {
    const smtp = await startFakeSmtp({ tls: certificate, login })
    onTestFinished(() => smtp.close())
    expect(await open(smtp, { login }).check()).toMatch(/ETLS|ESOCKET/)
    expect(smtp.lines.some((line) => line.startsWith('AUTH'))).toBe(false)
  })

  it('that is refused says so and shows no password', async () => {
    const smtp = await startFakeSmtp({ login })
    onTestFinished(() => smtp.close())
    const transport = open(smtp, { login: { ...login, password: 'wrong-Secret' } })
    const wrong = await transport.check()
    expect(wrong).toMatch(/refused the login.*535/)
    expect(await send(transport)).toEqual({ kind: 'unreachable', why: wrong })
    expect(wrong).not.toContain('wrong-Secret')
  })

  it('is not sent in clear text to another machine', async () => {
    const smtp = await startFakeSmtp({ login })
    onTestFinished(() => smtp.close())
    const settings = mailSettingsOf(parseConfig({ SMTP_URL: smtp.url(login), MAIL_FROM: from }))
    if (settings === undefined) throw new Error('both are set')
    // 127.0.0.1 by a name that does not look like this machine.
    const transport = createMailTransport({ ...settings, server: { ...settings.server, host: '0.0.0.0' } })
    onTestFinished(() => transport.close())
    expect(await transport.check()).toBeDefined()
    expect(smtp.lines.some((line) => line.startsWith('AUTH'))).toBe(false)
  })
})
