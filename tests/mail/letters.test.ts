// Letters are written once, sent at least once, retried for a day and then forgotten.

import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { mailSettingsOf, parseConfig } from '#config.ts'
import { queueLetters, type NewLetter, resealLetters } from '#mail/queue.ts'
import { createMail, pruneLetters, type Mail } from '#mail/send.ts'
import { createMailTransport } from '#mail/transport.ts'
import { createSecretBox } from '#platform/secrets.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { startFakeSmtp } from '#tests/support/fakes/smtp-server.ts'
import { asOwner } from '#tests/support/owner.ts'

const database = await useTestDatabase()
const smtp = await startFakeSmtp()
afterAll(() => smtp.close())
const ctx = { ...createTestContext(database.connect()), sendsMail: true }
const [oldKey, newKey] = [Buffer.alloc(32, 5), Buffer.alloc(32, 6)]
const box = createSecretBox(oldKey)
const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000]
const invited = { business: 'Ada Shop', role: 'finance', inviter: 'Ada Obi', timeZone: 'Africa/Lagos' }

function newProcess(): Mail {
  const settings = mailSettingsOf(parseConfig({ SMTP_URL: smtp.url(), MAIL_FROM: 'no-reply@pay.example' }))
  if (settings === undefined) throw new Error('both are set')
  const transport = createMailTransport(settings)
  const mail = createMail({ ctx, box, transport, dashboardUrl: 'https://pay.example/dashboard' })
  afterAll(() => mail.release())
  return mail
}

type Changes = Partial<NewLetter<'mismatches'>>

function queue(email: string, changes: Changes = {}): Promise<string[]> {
  const facts = { count: 1, sinceMs: ctx.clock.now() }
  const letter = { kind: 'mismatches' as const, facts, to: [{ email, personId: null }], ...changes }
  return ctx.db.transaction((tx) => queueLetters(ctx, tx, letter))
}

function queueInvitation(email: string, token = 'the-token', expiresInMs = 7 * dayMs): Promise<string[]> {
  const expiresAtMs = ctx.clock.now() + expiresInMs
  const facts = { ...invited, expiresAtMs }
  const link = { token, box, expiresAtMs }
  return ctx.db.transaction((tx) =>
    queueLetters(ctx, tx, { kind: 'invitation', facts, to: [{ email, personId: null }], link }),
  )
}

type Row = {
  status: string
  attempts: number
  due_at: Date | null
  facts: string | null
  token: Buffer | null
  error: string | null
}

async function rowOf(email: string): Promise<Row | undefined> {
  const [row] = await asOwner<Row>(
    database,
    `select status, attempts, due_at, facts, token, error from letter where recipient = '${email}'`,
  )
  return row
}

const sentTo = (email: string): number => smtp.mails.filter(({ to }) => to === email).length

beforeEach(async () => {
  smtp.mischief = undefined
  smtp.onMail = undefined
  ctx.clock.advance(2 * minuteMs) // The pause of the test before is over.
  await asOwner(database, 'delete from letter')
})

const mail = newProcess()

describe('a letter', () => {
  it('is not written while no mail server is set', async () => {
    const without = { ...ctx, sendsMail: false }
    const facts = { count: 1, sinceMs: 0 }
    const to = [{ email: 'none@shop.example', personId: null }]
    const written = await ctx.db.transaction((tx) => queueLetters(without, tx, { kind: 'mismatches', facts, to }))
    expect(written).toEqual([])
    expect(await rowOf('none@shop.example')).toBeUndefined()
  })

  it('is not written if its transaction fails', async () => {
    const to = [{ email: 'undone@shop.example', personId: null }]
    const work = ctx.db.transaction(async (tx) => {
      await queueLetters(ctx, tx, { kind: 'mismatches', facts: { count: 1, sinceMs: 0 }, to })
      throw new Error('undone')
    })
    await expect(work).rejects.toThrow('undone')
    expect(await rowOf('undone@shop.example')).toBeUndefined()
  })

  it('is sent once, and its contents are erased', async () => {
    await queueInvitation('ada@shop.example')
    const stored = await rowOf('ada@shop.example')
    expect(stored?.token?.toString()).not.toContain('the-token')
    expect(stored?.facts).not.toContain('the-token')
    expect(await mail.work()).toBe(1)
    expect(await mail.work()).toBe(0)
    expect(sentTo('ada@shop.example')).toBe(1)
    expect(smtp.mails.at(-1)?.text).toContain('https://pay.example/dashboard/invitation#the-token')
    expect(await rowOf('ada@shop.example')).toEqual({
      status: 'sent',
      attempts: 1,
      due_at: null,
      facts: null,
      token: null,
      error: null,
    })
  })

  it('with a key is written once', async () => {
    expect(await queue('twice@shop.example', { key: 'report-1' })).toEqual(['twice@shop.example'])
    expect(await queue('twice@shop.example', { key: 'report-1' })).toEqual([])
  })

  it('is refused when an address gets too many of a kind within a day', async () => {
    for (let count = 0; count < 5; count++) expect(await queueInvitation('flood@shop.example')).toHaveLength(1)
    expect(await queueInvitation('flood@shop.example')).toEqual([])
    expect(await queueInvitation('other@shop.example')).toHaveLength(1)
    ctx.clock.advance(dayMs + minuteMs)
    expect(await queueInvitation('flood@shop.example')).toHaveLength(1)
  })

  it('keeps names from adding headers or links', async () => {
    const name = 'Ada\r\nBcc: eve@evil.example\r\n\r\nhttps://evil.example <b>'
    const facts = { ...invited, business: name, inviter: name, expiresAtMs: ctx.clock.now() + dayMs }
    const link = { token: 't', box, expiresAtMs: ctx.clock.now() + dayMs }
    const to = [{ email: 'names@shop.example', personId: null }]
    await ctx.db.transaction((tx) => queueLetters(ctx, tx, { kind: 'invitation', facts, to, link }))
    await mail.work()
    const sent = smtp.mails.at(-1)
    expect(sent?.to).toBe('names@shop.example')
    expect(sent?.headers.has('bcc')).toBe(false)
    expect(sent?.headers.get('subject')).not.toMatch(/[\r\n]/)
    expect(sent?.text).not.toContain('evil.example')
    expect(sent?.raw).not.toMatch(/<b>|https:\/\/evil/)
  })
})

describe('a letter that cannot be sent', () => {
  it('is tried again after a temporary refusal, and others are not held up', async () => {
    smtp.mischief = ({ to }) => (to === 'busy@shop.example' ? { at: 'RCPT', answer: '451 later' } : undefined)
    await queue('busy@shop.example')
    await queue('free@shop.example')
    await mail.work()
    expect(sentTo('free@shop.example')).toBe(1)
    expect(await rowOf('busy@shop.example')).toMatchObject({ status: 'waiting', attempts: 1 })
    smtp.mischief = undefined
    ctx.clock.advance(minuteMs)
    await mail.work()
    expect(sentTo('busy@shop.example')).toBe(1)
  })

  it('is given up at once if its address does not exist', async () => {
    smtp.mischief = () => ({ at: 'RCPT', answer: '550 no such mailbox' })
    await queue('nobody@shop.example')
    await mail.work()
    expect(await rowOf('nobody@shop.example')).toMatchObject({ status: 'failed', facts: null })
  })

  it('is given up after a day', async () => {
    smtp.mischief = () => ({ at: 'RCPT', answer: '451 later' })
    await queue('late@shop.example')
    for (let hours = 0; hours < 26; hours++) {
      await mail.work()
      ctx.clock.advance(hourMs)
    }
    const row = await rowOf('late@shop.example')
    expect(row).toMatchObject({ status: 'failed' })
    expect(row?.attempts).toBeGreaterThan(20)
  })

  it('is given up when its link has expired', async () => {
    smtp.mischief = () => ({ at: 'MAIL', answer: '421 closing' })
    await queueInvitation('expired@shop.example', 'old-token', hourMs)
    await mail.work()
    ctx.clock.advance(hourMs)
    await mail.work()
    expect(await rowOf('expired@shop.example')).toMatchObject({ status: 'failed', token: null })
  })

  it('waits without counting attempts while the server refuses the login', async () => {
    smtp.mischief = () => ({ at: 'MAIL', answer: '421 closing' })
    for (let count = 0; count < 12; count++) await queue(`many${count}@shop.example`)
    for (let round = 0; round < 5; round++) {
      await mail.work()
      ctx.clock.advance(minuteMs + 1_000)
    }
    expect(await rowOf('many0@shop.example')).toMatchObject({ status: 'waiting', attempts: 0 })
    smtp.mischief = undefined
    for (let round = 0; round < 3; round++) {
      await mail.work()
      ctx.clock.advance(minuteMs + 1_000)
    }
    expect(smtp.mails.filter(({ to }) => to.startsWith('many'))).toHaveLength(12)
  })

  it('is sent again, with the same id, if the process dies before it records', async () => {
    await queue('again@shop.example')
    // The process died and left its lease.
    smtp.mischief = () => ({ at: 'BODY', cut: true })
    await mail.work()
    expect(await rowOf('again@shop.example')).toMatchObject({ status: 'waiting' })
    smtp.mischief = undefined
    ctx.clock.advance(5 * minuteMs)
    await mail.work()
    const ids = smtp.mails
      .filter(({ to }) => to === 'again@shop.example')
      .map(({ headers }) => headers.get('message-id'))
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(1)
  })
})

describe('several processes', () => {
  it('send each letter once between them', async () => {
    const other = newProcess()
    for (let count = 0; count < 40; count++) await queue(`shared${count}@shop.example`)
    const drain = async (process: Mail): Promise<void> => {
      while ((await process.work()) > 0);
    }
    await Promise.all([drain(mail), drain(other)])
    const sent = smtp.mails.map(({ to }) => to).filter((to) => to.startsWith('shared'))
    expect(sent).toHaveLength(40)
    expect(new Set(sent).size).toBe(40)
  })
})

describe('old letters', () => {
  it('are deleted after a month, and those that no process sends after two days', async () => {
    await queue('old@shop.example')
    await mail.work()
    await queue('left@shop.example')
    ctx.clock.advance(3 * dayMs)
    expect(await pruneLetters(ctx)).toBe(1)
    expect(await rowOf('left@shop.example')).toBeUndefined()
    ctx.clock.advance(30 * dayMs)
    expect(await pruneLetters(ctx)).toBe(1)
    expect(await rowOf('old@shop.example')).toBeUndefined()
  })
})

describe('a change of the secret key', () => {
  it('reseals the tokens of letters that wait', async () => {
    await queueInvitation('sealed@shop.example', 'kept-token')
    const changing = createSecretBox(newKey, [oldKey])
    expect(await resealLetters(ctx.db, changing, 'write')).toBe(1)
    expect(await resealLetters(ctx.db, changing, 'write')).toBe(0)
  })
})

describe('metrics', () => {
  it('show how many letters wait, for how long, and how they ended', async () => {
    await queue('counted@shop.example')
    ctx.clock.advance(90_000)
    const text = await ctx.metrics.text()
    expect(text).toMatch(/^manilla_mails_waiting 1$/m)
    expect(text).toMatch(/^manilla_oldest_mail_seconds 90$/m)
    expect(text).toMatch(/^manilla_mails_total\{outcome="sent"\} [1-9]/m)
  })
})
