import { describe, expect, it } from 'vitest'
import { newUuid } from '#platform/ids.ts'
import { createFindings } from '#ledger/verify.ts'

const tenantId = newUuid(1)
const findingsMax = 1_000

describe('the findings of a verifier', () => {
  it('with one tenant and one message are one, which lists the first hundred ids', () => {
    const findings = createFindings()
    findings.add({ tenantId, ids: ['a'], message: 'wrong' })
    findings.add({ tenantId, ids: Array.from({ length: 60 }, (_, index) => `b${index}`), count: 70, message: 'wrong' })
    expect(findings.breachesOf('all is well')).toEqual([
      {
        invariant: 'all is well',
        tenantId,
        ids: ['a', ...Array.from({ length: 60 }, (_, index) => `b${index}`)],
        message: 'wrong (71 in all, the first 61 are listed)',
      },
    ])
    findings.add({ tenantId, ids: Array.from({ length: 60 }, (_, index) => `c${index}`), message: 'wrong' })
    const [breach] = findings.breachesOf('all is well')
    expect(breach?.ids).toHaveLength(100)
    expect(breach?.message).toBe('wrong (131 in all, the first 100 are listed)')
  })

  it('are separate for each tenant and message; a finding without a tenant names none', () => {
    const findings = createFindings()
    findings.add({ ids: ['x'], message: 'wrong' })
    findings.add({ tenantId, ids: ['x'], message: 'wrong' })
    findings.add({ tenantId, ids: ['x'], message: 'other' })
    expect(findings.breachesOf('all is well')).toStrictEqual([
      { invariant: 'all is well', ids: ['x'], message: 'wrong' },
      { invariant: 'all is well', tenantId, ids: ['x'], message: 'wrong' },
      { invariant: 'all is well', tenantId, ids: ['x'], message: 'other' },
    ])
  })

  it('beyond a thousand are counted, and earlier ones go on gathering', () => {
    const findings = createFindings()
    for (let index = 0; index < findingsMax; index++) findings.add({ ids: ['x'], message: `wrong ${index}` })
    expect(findings.breachesOf('all is well')).toHaveLength(findingsMax)
    findings.add({ ids: ['y'], message: 'one more' })
    findings.add({ ids: ['z'], message: 'wrong 0' })
    const told = findings.breachesOf('all is well')
    expect(told[0]?.ids).toEqual(['x', 'z'])
    expect(told.slice(findingsMax)).toEqual([
      { invariant: 'all is well', ids: [], message: 'and 1 findings more, which are not listed' },
    ])
  })
})
