// The server is killed before the mail server took an e-mail, and between that and the record of it. No e-mail is lost,
// and each arrives twice at most, with one id.

import { expect, it } from 'vitest'
import { openEmbeddedPostgres } from '#postgres/embedded/open.ts'
import type { Uuid } from '#platform/ids.ts'
import { newMigratedDataDir, startServer } from '#tests/cli/support.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { startFakeSmtp } from '#tests/support/fakes/smtp-server.ts'
import { freePort } from '#tests/support/launch.ts'
import { asOwner } from '#tests/support/owner.ts'
import { patienceMs, untilHolds } from '#tests/support/patience.ts'
import type { TestService } from '#tests/support/service.ts'

const kills = 2

it('an e-mail that is sent around kill -9 arrives, twice at most', { timeout: (1 + kills) * patienceMs }, async () => {
  const [dataDir, port, smtp] = [await newMigratedDataDir(), await freePort(), await startFakeSmtp()]
  const mail = { SMTP_URL: smtp.url(), MAIL_FROM: 'no-reply@pay.example' }
  const settings = { DATA_DIR: dataDir, PORT: String(port), ...mail }
  let server = await startServer(settings)
  const database = await openEmbeddedPostgres({ dataDir, use: 'command' })
  const [business] = await asOwner<{ id: Uuid }>(database, 'select id from business')
  const clock = { now: () => Date.now() }
  const service = { database, ctx: { clock }, business, url: `http://127.0.0.1:${port}` } as unknown as TestService
  const owner = await addPerson(service, { role: 'owner', hasFactor: true, steppedUp: true })
  const idsOf = (email: string) =>
    smtp.mails.filter(({ to }) => to === email).map(({ headers }) => headers.get('message-id'))

  async function inviteAndKill(email: string, killAt: (kill: () => void) => void): Promise<void> {
    const killed = new Promise<void>((resolve) => {
      killAt(() => {
        server.signal('SIGKILL')
        resolve()
      })
    })
    expectSuccess(await owner.post(`${below(service)}/invitations`, { email, role: 'viewer' }))
    await killed
    expect((await server.ended).signal).toBe('SIGKILL')
    smtp.onMail = undefined
    smtp.mischief = undefined
    server = await startServer(settings)
    // Ends the lease of the killed process.
    await asOwner(database, `update letter set due_at = now() where due_at is not null`)
    await untilHolds(async () => {
      const rows = await asOwner(database, `select status from letter where recipient = '${email}'`)
      expect(rows).toEqual([{ status: 'sent' }])
    })
  }

  await inviteAndKill('kept@shop.example', (kill) => {
    smtp.onMail = kill
  })
  expect(idsOf('kept@shop.example')).toHaveLength(2)
  expect(new Set(idsOf('kept@shop.example')).size).toBe(1)

  await inviteAndKill('unsent@shop.example', (kill) => {
    smtp.mischief = () => {
      kill()
      return { at: 'RCPT', silent: true }
    }
  })
  expect(idsOf('unsent@shop.example')).toHaveLength(1)

  await database.release()
  server.signal('SIGTERM')
  expect(await server.ended).toMatchObject({ code: 0 })
  await smtp.close()
})
