// A page of an attacker, open beside the dashboard in the browser of a signed-in person, can send, read and show
// nothing of it; tests/api/dashboard-door.test.ts tests the same without a browser. A script that got into a page of
// the dashboard cannot run code and finds no cookie.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { goodPassword } from '#tests/users/room.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { beFirst, firstEmail } from './first-person.ts'

describe.skipIf(chromiumFile === undefined)('a page of another origin', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ roles: ['api'] })
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true, steppedUp: true })
  const api = `${dashboard.address}/api`
  const fund = `${api}${below(dashboard, 'staging')}/v1/sandbox/balance/fund`
  const other = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html')
    response.end(`<!doctype html><title>Other</title><iframe src="${dashboard.address}/"></iframe>
      <form method="post" action="${fund}" enctype="text/plain"><input name='{"amount":100,"' value='":1}'><button>Win</button></form>`)
  })
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  afterAll(() => void other.close())
  const { port } = other.address() as AddressInfo
  const balance = async () => expectSuccess(await dashboard.staging.get('/v1/balance')).balances[0].available as number

  // By its number the address is another site, which gets no cookie. By our name only the port differs, and the browser
  // sends the cookie.
  it.each([`http://127.0.0.1:${port}`, `http://localhost:${port}`])('%s moves nothing', async (origin) => {
    const before = await balance()
    const { page } = await dashboard.visit({ as: owner })
    await page.goto(origin)
    const got = await page.evaluate(
      async ([address, body]) => {
        const send = async (options: RequestInit): Promise<string> =>
          fetch(address, { method: 'POST', credentials: 'include', body, ...options }).then(
            async (answer) => `${answer.type} ${answer.status} ${await answer.text()}`,
            (error: unknown) => String(error),
          )
        return [
          await send({ mode: 'no-cors', headers: { 'Content-Type': 'text/plain' } }),
          await send({ headers: { 'Content-Type': 'text/plain' } }),
          await send({ headers: { 'Content-Type': 'application/json', 'X-Manilla-Dashboard': '1' } }),
        ]
      },
      [fund, JSON.stringify({ amount: 100 })] as const,
    )
    for (const answer of got) expect(answer).toMatch(/^(opaque 0 $|TypeError: Failed to fetch)/)
    await page.getByRole('button', { name: 'Win' }).click()
    await page.waitForURL(fund)
    expect(await page.locator('body').textContent()).toMatch(/FORBIDDEN|UNAUTHORIZED/)
    expect(await balance()).toBe(before)
  })

  it.each([`http://127.0.0.1:${port}`, `http://localhost:${port}`])('%s reads and frames nothing', async (origin) => {
    const { page } = await dashboard.visit({ as: owner })
    const framed = page.waitForEvent('requestfailed', (request) => request.url() === `${dashboard.address}/`)
    await page.goto(origin)
    expect((await framed).failure()?.errorText).toMatch(/ERR_BLOCKED_BY_RESPONSE/)
    const read = await page.evaluate(
      (address) =>
        fetch(address, { credentials: 'include' }).then(
          (answer) => answer.text(),
          (error: unknown) => String(error),
        ),
      `${api}/me`,
    )
    expect(read).toBe('TypeError: Failed to fetch')
  })

  it('is read by who it is for, in the same browser', async () => {
    const { open, page } = await dashboard.visit({ as: owner })
    await open('/')
    expect(await page.evaluate((address) => fetch(address).then(({ status }) => status), `${api}/me`)).toBe(200)
  })
})

describe.skipIf(chromiumFile === undefined)('a page of ours', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ roles: ['api'] })
  const { page: first } = await beFirst(dashboard)

  it('into which a script came makes nothing of a text that runs, sends nothing elsewhere, and shows no cookie', async () => {
    expect(await first.evaluate(tryAll)).toEqual({
      markup: 'TypeError',
      code: 'EvalError',
      script: 'TypeError',
      elsewhere: 'TypeError',
      cookie: '',
      ran: false,
    })
  })

  it.each(['http://evil.example/', '//evil.example/', '/\\evil.example/', '/\t/evil.example/', 'javascript:alert(1)'])(
    'for signing in leads nowhere else, whatever its address says of the way on: %j',
    async (way) => {
      const visit = await dashboard.visit()
      await visit.open(`/sign-in?next=${encodeURIComponent(way)}`)
      await visit.page.getByLabel('E-mail address').fill(firstEmail)
      await visit.page.getByLabel('Password').fill(goodPassword)
      await visit.page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await visit.page.waitForURL((url) => !url.pathname.endsWith('/sign-in'))
      await visit.page.getByRole('heading', { level: 1 }).waitFor()
      expect(new URL(visit.page.url()).origin).toBe(new URL(dashboard.address).origin)
    },
  )
})

/** Runs in the page, and does what an injected script would try. */
async function tryAll(): Promise<Record<string, unknown>> {
  type Element = { innerHTML: string; textContent: string }
  type Document = { createElement: (tag: string) => Element; body: { append: (part: Element) => void }; cookie: string }
  const { document } = globalThis as unknown as { document: Document }
  const nameOf = async (act: () => unknown): Promise<string> => {
    try {
      await act()
      return 'done'
    } catch (error) {
      return error instanceof Error ? error.name : String(error)
    }
  }
  const ranBy = '<img src=x onerror="globalThis.ran = true">'
  return {
    markup: await nameOf(() => void (document.createElement('div').innerHTML = ranBy)),
    // Runs later, because the browser's driver may do more at once than a page may.
    code: await new Promise<string>((resolve) => {
      // oxlint-disable-next-line no-eval -- that it does nothing is what is asked
      setTimeout(() => void nameOf(() => globalThis.eval('globalThis.ran = true')).then(resolve))
    }),
    script: await nameOf(() => {
      const script = document.createElement('script')
      script.textContent = 'globalThis.ran = true'
      document.body.append(script)
    }),
    elsewhere: await nameOf(() => fetch('https://example.com/')),
    cookie: document.cookie,
    ran: 'ran' in globalThis,
  }
}
