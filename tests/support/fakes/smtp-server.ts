// A mail server on this machine that stores the mail that it receives. It is written over node:net, because the tests
// need the ways in which a server fails, which packages of servers do not offer.

import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { TLSSocket, createSecureContext } from 'node:tls'

export type ReceivedMail = {
  from: string
  to: string
  headers: Map<string, string>
  raw: string
  text: string
  isEncrypted: boolean
}

/** A fault in place of the usual answer. `at`: the command, or `BODY` for the end of a letter. */
export type Mischief =
  | { at: string; answer: string }
  /** Closes the connection without an answer. After `BODY` the letter is stored all the same. */
  | { at: string; cut: true }
  /** Never answers. */
  | { at: string; silent: true }

export type FakeSmtp = {
  port: number
  mails: ReceivedMail[]
  /** Every line that a client sent, without the letters. */
  lines: string[]
  /** Undefined: works as usual. */
  mischief: ((mail: { to: string }) => Mischief | undefined) | undefined
  /** Called when a letter was stored, before the server answers. */
  onMail: ((mail: ReceivedMail) => void) | undefined
  url(options?: { user?: string; password?: string }): string
  close(): Promise<void>
}

type Options = {
  /** Offers STARTTLS. */
  tls?: { key: string; cert: string }
  /** Requires this login. */
  login?: { user: string; password: string }
}

export async function startFakeSmtp(options: Options = {}): Promise<FakeSmtp> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    serve(fake, options, socket)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const fake: FakeSmtp = {
    port,
    mails: [],
    lines: [],
    mischief: undefined,
    onMail: undefined,
    url({ user, password } = {}) {
      const login = user === undefined ? '' : `${encodeURIComponent(user)}:${encodeURIComponent(password ?? '')}@`
      return `smtp://${login}127.0.0.1:${port}`
    },
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => {
        server.close(() => resolve())
      })
    },
  }
  return fake
}

type Session = { from: string; to: string; body: string[] | undefined; isIn: boolean }

function serve(fake: FakeSmtp, options: Options, plainSocket: Socket): void {
  let socket: Socket = plainSocket
  let rest = ''
  const session: Session = { from: '', to: '', body: undefined, isIn: options.login === undefined }
  const say = (line: string): void => void socket.write(`${line}\r\n`)

  /** Returns true if the usual answer is left out. */
  function misbehaves(at: string): boolean {
    const mischief = fake.mischief?.({ to: session.to })
    if (mischief?.at !== at) return false
    if ('answer' in mischief) say(mischief.answer)
    else if ('cut' in mischief) socket.destroy()
    return true
  }

  function startTls(): void {
    say('220 go ahead')
    plainSocket.removeAllListeners('data')
    socket = new TLSSocket(plainSocket, { isServer: true, secureContext: createSecureContext(options.tls) })
    socket.on('error', () => undefined)
    socket.on('data', read)
    rest = ''
  }

  function endBody(lines: string[]): void {
    const mail = mailOf(session, lines, socket instanceof TLSSocket)
    session.body = undefined
    if (fake.mischief?.({ to: session.to })?.at === 'BODY' && 'answer' in (fake.mischief({ to: session.to }) ?? {})) {
      misbehaves('BODY')
      return
    }
    fake.mails.push(mail)
    fake.onMail?.(mail)
    if (!misbehaves('BODY')) say('250 kept')
  }

  function take(line: string): void {
    if (session.body !== undefined) {
      if (line === '.') endBody(session.body)
      else session.body.push(line.replace(/^\./, ''))
      return
    }
    fake.lines.push(line)
    const [command = ''] = /^[A-Z]+/i.exec(line) ?? []
    const [, address = ''] = /<([^>]*)>/.exec(line) ?? []
    if (command === 'MAIL') session.from = address
    if (command === 'RCPT') session.to = address
    if (!misbehaves(command.toUpperCase())) answer(command.toUpperCase(), line)
  }

  function answer(command: string, line: string): void {
    switch (command) {
      case 'EHLO': {
        const isPlain = options.tls !== undefined && !(socket instanceof TLSSocket)
        const offers = [...(isPlain ? ['STARTTLS'] : []), ...(options.login === undefined ? [] : ['AUTH PLAIN'])]
        const all = ['fake', ...offers]
        all.forEach((text, index) => say(`250${index === all.length - 1 ? ' ' : '-'}${text}`))
        return
      }
      case 'STARTTLS':
        return startTls()
      case 'AUTH': {
        const [, , given = ''] = line.split(' ')
        const [, user, password] = Buffer.from(given, 'base64').toString().split('\0')
        session.isIn = user === options.login?.user && password === options.login?.password
        return say(session.isIn ? '235 welcome' : '535 wrong login')
      }
      case 'MAIL':
        return say(session.isIn ? '250 ok' : '530 sign in first')
      case 'DATA':
        session.body = []
        return say('354 go on')
      case 'QUIT':
        say('221 bye')
        return void socket.end()
      default:
        return say('250 ok')
    }
  }

  function read(data: Buffer): void {
    rest += data.toString('latin1')
    for (let end = rest.indexOf('\r\n'); end !== -1; end = rest.indexOf('\r\n')) {
      const line = rest.slice(0, end)
      rest = rest.slice(end + 2)
      take(line)
    }
  }

  socket.on('data', read)
  if (!misbehaves('CONNECT')) say('220 fake')
}

function mailOf({ from, to }: Session, lines: string[], isEncrypted: boolean): ReceivedMail {
  const raw = lines.join('\n')
  const end = lines.indexOf('')
  const unfolded = lines
    .slice(0, end)
    .join('\n')
    .replaceAll(/\n[ \t]+/g, ' ')
  const headers = new Map(
    unfolded.split('\n').map((line): [string, string] => {
      const [, name = '', value = ''] = /^([^:]*): ?(.*)$/.exec(line) ?? []
      return [name.toLowerCase(), decodeWords(value)]
    }),
  )
  return { from, to, headers, raw, text: textPartOf(raw), isEncrypted }
}

/** `=?UTF-8?Q?…?=` and `=?UTF-8?B?…?=`. */
function decodeWords(value: string): string {
  return value
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi, (_all, form: string, content: string) =>
      form.toUpperCase() === 'B' ? Buffer.from(content, 'base64').toString() : unquote(content.replaceAll('_', ' ')),
    )
}

function unquote(text: string): string {
  const bytes = text
    .replaceAll(/=\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/gi, (_all, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

function textPartOf(raw: string): string {
  const [, boundary = ''] = /boundary="([^"]+)"/.exec(raw) ?? []
  const part = raw.split(`--${boundary}`).find((one) => /content-type: text\/plain/i.test(one)) ?? raw
  const body = part.slice(part.indexOf('\n\n') + 2).replace(/\n$/, '')
  if (/transfer-encoding: base64/i.test(part)) return Buffer.from(body, 'base64').toString()
  return /transfer-encoding: quoted-printable/i.test(part) ? unquote(body) : body
}
