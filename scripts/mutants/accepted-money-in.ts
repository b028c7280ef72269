// Mutants of the money that comes in which no test needs to notice (accepted.ts).

import type { Accepted } from './accepted.ts'

const lastFailedRange = 'and (d.account_number, d.ordinal) > ($3, 0) and d.ordinal > 0'
const pageOfStatus =
  'where d.lane = $1 and d.tenant_id = $2 and d.status = $3 and d.ordinal > 0 and d.ordinal > $4 and d.ordinal <= $5'
const hold = "where lane = $1 and tenant_id = $2 and deposit_id = $3 and status = 'ASKED' and due_at > $4`,"
const settled = "where d.tenant_id = k.tenant_id and d.id = k.id and d.status = 'PENDING')"
const page = (name: string): string => `const deposits = slice.offset < total ? await ${name}, range, slice) : []`

export const acceptedMoneyIn: Accepted[] = [
  {
    why: 'It tells the type checker what cannot be otherwise: whoever comes here has made sure of it.',
    mutants: [
      [
        'return deposit === undefined ? [] : [{ ...deposit, ordinal }]',
        'return false ? [] : [{ ...deposit, ordinal }]',
      ],
      ['if (paid === undefined) return deposit', 'if (false) return deposit'],
      [
        'const verdict = paid === undefined ? undefined : judge(paid.account, pending.amount, pending.paidAt)',
        'const verdict = false ? undefined : judge(paid.account, pending.amount, pending.paidAt)',
      ],
      ["if (outcome.kind !== 'ask' || port?.ask === undefined) return", "if ((outcome.kind !== 'ask')) return"],
      ['return Number(row?.total ?? 0n)', 'return Number(row?.total ?? 1n)'],
      [
        "const answer: Unknown = { kind: 'unknown', detail: error instanceof Error ? error.message : String(error) }",
        "const answer: Unknown = { kind: 'unknown', detail: true ? error.message : String(error) }",
      ],
      ["? `${provider} does not send it back: ${step.why ?? ''}`", "? `${provider} does not send it back: ${('')}`"],
    ],
  },
  {
    why: 'It is there for the planner, who takes the index that is meant: no row is let in or kept out by it alone.',
    mutants: [
      [
        "where d.lane = $1 and d.tenant_id = $2 and d.account_number = $3 and d.account_number <> '' and d.status = 'FAILED'",
        "where d.lane = $1 and d.tenant_id = $2 and d.account_number = $3 and true and d.status = 'FAILED'",
      ],
      [lastFailedRange, 'and true and d.ordinal > 0'],
      [lastFailedRange, 'and (d.account_number, d.ordinal) >= ($3, 0) and d.ordinal > 0'],
      [lastFailedRange, 'and (d.account_number, d.ordinal) > ($3, 0) and d.ordinal >= 0'],
      [
        `${lastFailedRange} order by d.account_number desc, d.ordinal desc limit 1\`,`,
        'and (d.account_number, d.ordinal) > ($3, 0) and true order by d.account_number desc, d.ordinal desc limit 1`,',
      ],
      [
        'order by d.account_number desc, d.ordinal desc limit 1`,',
        'order by d.account_number, d.ordinal desc limit 1`,',
      ],
      [pageOfStatus, pageOfStatus.replace('d.ordinal > 0', 'true')],
      [pageOfStatus, pageOfStatus.replace('d.ordinal > 0', 'd.ordinal >= 0')],
      [
        'const inOrder = (column: string): string => `order by d.${column} desc, d.ordinal desc`',
        'const inOrder = (column: string): string => `order by d.${column}, d.ordinal desc`',
      ],
    ],
  },
  {
    why: 'An id alone names its row: that of its tenant beside it makes the key of an index.',
    mutants: [
      [settled, settled.replace('d.tenant_id = k.tenant_id', 'true')],
      [
        'join deposit_refund r on r.lane = $1 and r.tenant_id = d.tenant_id and r.deposit_id = d.id',
        'join deposit_refund r on r.lane = $1 and true and r.deposit_id = d.id',
      ],
      [hold, hold.replace('tenant_id = $2', 'true')],
    ],
  },
  {
    why: 'The row of this key is there, and no other comes before it: it was read under the lock that is still held.',
    mutants: [[settled, settled.replace('d.id = k.id', 'true')]],
  },
  {
    why: 'It spares a question that would find nothing.',
    mutants: [
      [
        page('readPageOfPayee(db, tenant, payee, status'),
        page('readPageOfPayee(db, tenant, payee, status').replace('slice.offset < total', 'true'),
      ],
      [
        page('readPageOfPayee(db, tenant, payee, status'),
        page('readPageOfPayee(db, tenant, payee, status').replace('<', '<='),
      ],
      [
        page('readPageOfStatus(db, tenant, status'),
        page('readPageOfStatus(db, tenant, status').replace('slice.offset < total', 'true'),
      ],
      [page('readPageOfStatus(db, tenant, status'), page('readPageOfStatus(db, tenant, status').replace('<', '<=')],
      ['if (heard.length === 0) return new Map()', 'if (false) return new Map()'],
      [
        'const unheard = notices.filter(({ tenant, notice }) => !ids.has(noticeText({ ...notice, tenantId: tenant.id })))',
        'const unheard = notices',
      ],
    ],
  },
  {
    why: 'It has something read early, in a round trip that is made anyhow; what is not read by then is read later.',
    mutants: [['events.expect(tx, tenantIds)', '{}']],
  },
  {
    why: 'The same is asked for twice: whoever asks for a customer alone has named that one before.',
    mutants: [
      [
        'const other = accountNumber === undefined ? null : (customerReference ?? null)',
        'const other = false ? null : (customerReference ?? null)',
      ],
    ],
  },
  {
    why: 'What is so already is written once more.',
    mutants: [
      ['if (!known.held) {', 'if (true) {'],
      [hold, hold.replace('due_at >', 'due_at >=')],
    ],
  },
  {
    why: 'Only of an answer that says that nothing was sent it matters whether that was the request.',
    mutants: [
      ['return { answer, requested: true }', 'return { answer, requested: false }'],
      [
        "return { answer: { kind: 'failed', detail }, requested: true }",
        "return { answer: { kind: 'failed', detail }, requested: false }",
      ],
    ],
  },
  {
    why: 'A notice is adopted once: what says so is written with it.',
    mutants: [
      [
        'where environment = $1 and provider = $2 and provider_id = $3 and resolved_at is null`,',
        'where environment = $1 and provider = $2 and provider_id = $3 and true`,',
      ],
    ],
  },
  {
    why: 'Of made-up money nothing is ever booked at a rail, so that nothing of it is missed there.',
    mutants: [
      [
        "where page.provider not in ('momo', 'simulator') and page.status = 'SUCCESSFUL') as judged`,",
        "where true and page.status = 'SUCCESSFUL') as judged`,",
      ],
    ],
  },
  {
    why: 'A line for whoever reads the log; whoever must act is told elsewhere.',
    mutants: ['true', 'false', "(step.status === 'WAITING')", "(step.status === 'ASKED')"].map((condition) => [
      "if (step.status === 'WAITING' || step.status === 'ASKED') ctx.log.info(about, 'a refund is not with its payer yet')",
      `if (${condition}) ctx.log.info(about, 'a refund is not with its payer yet')`,
    ]),
  },
  {
    why: 'It is asked only whether it is there.',
    mutants: [
      [
        "return askTester(tenant, { kind: 'notice', tenant, notice, simulated: true, trace: traceOf(ctx) })",
        "return askTester(tenant, { kind: 'notice', tenant, notice, simulated: false, trace: traceOf(ctx) })",
      ],
    ],
  },
]
