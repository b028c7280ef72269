// The code in the guides runs as it is written, in every language, against a staging environment.

import { describe, expect, it } from 'vitest'
import { setCurrencies } from '#businesses/currencies.ts'
import { useService } from '#tests/support/service.ts'
import { blocksOf, languages, runShell } from './snippets.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '10' } })

/** The output of a guide's program if all of it worked; curl prints the answers. */
const guides: Record<string, { program: RegExp; curl: RegExp }> = {
  'quick-start': { program: /SUCCESS/, curl: /"reference":"PAYOUT-1001","status":"SUCCESS"/ },
  'receive-money': { program: /ship ORDER-1001\s+\d{10}/, curl: /"valid":true[^]*"type":"static"/ },
  'mobile-money': {
    program: /3 .+ mtn-gh\s+SUCCESS GHS SUCCESS/,
    curl: /"operator":"mtn-gh"[^]*"reference":"PAYOUT-GH-1"[^]*"reference":"ORDER-GH-1"[^]*"OTP_REQUIRED"[^]*"PENDING"/,
  },
  sdks: {
    program: /queued \S+ .*\S{36}\s+[A-Z_]+ bankSlug .+ \S{36}\s[^]*PAYOUT-3001 150000\s+1 1\s+INVALID_ACCOUNT/,
    curl: /^$/,
  },
  'pay-out': {
    program: /queued[^]*SALARY-1 accepted\s+SALARY-2 accepted[^]*SUCCESS/,
    curl: /"accepted":2[^]*"status":"SUCCESS"/,
  },
}

describe.each(Object.entries(guides))('docs/%s.md', (guide, expected) => {
  it('has the same story in five languages', async () => {
    const counts = await Promise.all(
      ['ts', 'python', 'php', 'go'].map(async (one) => (await blocksOf(guide, one)).length),
    )
    expect(counts[0]).toBeGreaterThan(0)
    expect(new Set(counts).size).toBe(1)
  })

  describe.each(Object.entries(languages))('in %s', (name, { missing, run }) => {
    it.skipIf(missing !== undefined)(`runs${missing === undefined ? '' : `: ${missing}`}`, async () => {
      const { testKey, business } = await service.addBusiness(`${guide} ${name}`)
      await setCurrencies(service.ctx, business.tenants.staging, { on: ['GHS', 'KES'], off: [] })
      const { code, text } = await run(await blocksOf(guide, name), { key: testKey, baseUrl: `${service.url}/staging` })
      expect(code, text).toBe(0)
      expect(text).toMatch(name === 'sh' ? expected.curl : expected.program)
    })
  })
})

/** Pages with curl alone, and what their answers contain. Tests of the CLI run the other commands of these pages. */
const withCurlAlone: Record<string, RegExp> = {
  'api-basics': /"balances"[^]*"pagination":\{"page":1,"limit":50/,
  webhooks: /"secret":"whsec_/,
  '../README': /"status":"queued"[^]*"reference":"PAYOUT-1001","status":"(queued|SUCCESS)"/,
}

describe.each(Object.entries(withCurlAlone))('docs/%s.md', (guide, expected) => {
  it.skipIf(languages['sh']?.missing !== undefined)('runs with curl', async () => {
    const { testKey } = await service.addBusiness(guide)
    const blocks = (await blocksOf(guide, 'sh')).filter((block) => /^curl /m.test(block))
    expect(blocks).not.toEqual([])
    const { code, text } = await runShell(blocks, { key: testKey, baseUrl: `${service.url}/staging` })
    expect(code, text).toBe(0)
    expect(text).toMatch(expected)
  })
})

/** The output of a README's blocks if all of them worked. */
const told = [
  /^SUCCESS/,
  /^1 200 \S{36} \d+$/m,
  /CONFLICT/,
  /^PAYOUT-1001$/m,
  /^2 0 accepted$/m,
  /^transfer\.success PAYOUT-1001$/m,
  /^transfer\.success$/m,
  /^INVALID_ACCOUNT$/m,
]

describe.each(Object.entries({ typescript: 'ts', python: 'python', php: 'php', go: 'go' }))(
  'sdk/%s/README.md',
  (sdk, language) => {
    const { missing, run } = languages[language] ?? { missing: 'unknown', run: undefined }
    it.skipIf(missing !== undefined)(`runs${missing === undefined ? '' : `: ${missing}`}`, async () => {
      const { testKey } = await service.addBusiness(sdk)
      const blocks = await blocksOf(`../sdk/${sdk}/README`, language)
      const outcome = await run?.(blocks, { key: testKey, baseUrl: `${service.url}/staging` })
      expect(outcome?.code, outcome?.text).toBe(0)
      for (const pattern of told) expect(outcome?.text).toMatch(pattern)
    })
  },
)
