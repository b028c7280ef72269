// Mutants of src/payments/ that no test needs to notice (see accepted.ts).

import type { Accepted } from './accepted.ts'

export const acceptedPayments: Accepted[] = [
  {
    why: 'It spares a question or a write of nothing: asked all the same, what comes of it is not used.',
    mutants: [
      [
        "await allowances.read(commands.flatMap(({ tenantId, result }) => (result.kind === 'failed' ? [tenantId] : [])))",
        'await allowances.read(commands.flatMap(({ tenantId, result }) => (true ? [tenantId] : [])))',
      ],
      [
        "if (commands.some(({ result }) => result.kind === 'succeeded')) await expectInflows(writers.inflows, tx, found)",
        'if (true) await expectInflows(writers.inflows, tx, found)',
      ],
      [
        "const held = commands.filter(({ source, result }) => source?.kind === 'person' || result.kind === 'rail-changed')",
        'const held = commands',
      ],
      ['writers.events.expect(tx, tenantIds)', '{}'],
      [
        "const collecting = payments.filter(({ kind, status }) => kind === 'momo_collection' && !isFinal(status))",
        'const collecting = payments',
      ],
      [
        "const collecting = payments.filter(({ kind, status }) => kind === 'momo_collection' && !isFinal(status))",
        "const collecting = payments.filter(({ kind, status }) => (kind === 'momo_collection'))",
      ],
      [
        "const collecting = payments.filter(({ kind, status }) => kind === 'momo_collection' && !isFinal(status))",
        'const collecting = payments.filter(({ kind, status }) => (!isFinal(status)))',
      ],
      ['if (collecting.length === 0) return', 'if (false) return'],
      ['if (rows.length === 0) return', 'if (false) return'],
      [
        'const worrying = rows.filter(({ concern, contradiction }) => (concern ?? contradiction) !== undefined)',
        'const worrying = rows',
      ],
    ],
  },
  {
    why: 'It closes what waits for a person, of payments about which nothing waits: young ones, ended ones, those that returned no money.',
    mutants: [
      [
        'const isOld = nowMs - before.createdAt.getTime() > unconcernedMs',
        'const isOld = nowMs + before.createdAt.getTime() > unconcernedMs',
      ],
      [
        'const isOld = nowMs - before.createdAt.getTime() > unconcernedMs',
        'const isOld = nowMs - before.createdAt.getTime() >= unconcernedMs',
      ],
      ['if (isOld && isFinal(after.status) && !isFinal(before.status)) {', 'if ((isOld && isFinal(after.status))) {'],
      [
        'if (isOld && isFinal(after.status) && !isFinal(before.status)) {',
        'if ((isFinal(after.status)) && !isFinal(before.status)) {',
      ],
      [
        "if (after.status === 'REVERSED') settleExceptions(ctx, tx, [{ kind: 'return-without-room', ...about }])",
        "if (true) settleExceptions(ctx, tx, [{ kind: 'return-without-room', ...about }])",
      ],
    ],
  },
  {
    why: 'It tells the type checker what its only caller has asked already, or what is so because no payment is ever deleted.',
    mutants: [
      ['if (payment === undefined) continue', 'if (false) continue'],
      [
        "if (source?.kind !== 'rail' || source.environment === 'staging' || result.kind === 'failed') return",
        "if ((source.environment === 'staging') || result.kind === 'failed') return",
      ],
    ],
  },
  {
    why: 'No two payments have the same id, so that its tenant only leads to it sooner.',
    mutants: [
      [
        'where lane = $1 and tenant_id = $2 and payment_id = $3 order by attempt`,',
        'where lane = $1 and true and payment_id = $3 order by attempt`,',
      ],
      [
        'where lane = $1 and tenant_id = $2 and payment_id = $3 order by asked, answered`,',
        'where lane = $1 and true and payment_id = $3 order by asked, answered`,',
      ],
      [
        "where lane = $1 and tenant_id = page.tenant_id and source_id = page.id and name like '%.success')",
        "where lane = $1 and true and source_id = page.id and name like '%.success')",
      ],
    ],
  },
  {
    why: 'A way without work is asked for what is due, and has nothing: the walk along the ways is only longer.',
    mutants: [
      [
        '(select kind, rail from payment where lane = $1 and due_at is not null order by kind, rail limit 1)',
        '(select kind, rail from payment where lane = $1 and true order by kind, rail limit 1)',
      ],
      [
        'where lane = $1 and due_at is not null and (kind, rail) > (way.kind, way.rail)',
        'where lane = $1 and true and (kind, rail) > (way.kind, way.rail)',
      ],
    ],
  },
  {
    why: "Under the tenant's lock only claims and wakes change such a row, and they change when it is due: it is let be either way.",
    mutants: [
      [
        'where lane = $1 and tenant_id = k.tenant_id and reference = k.reference limit 1 for update) as p',
        'where lane = $1 and tenant_id = k.tenant_id and reference = k.reference limit 1) as p',
      ],
    ],
  },
  {
    why: 'Rows that are woken are given the same time, so that it is of no matter for which of them each is written.',
    mutants: [
      [
        'from held where p.lane = $1 and p.ctid = any(array(select row_place from held)) and p.ctid = held.row_place returning 1`,',
        'from held where p.lane = $1 and p.ctid = any(array(select row_place from held)) and true returning 1`,',
      ],
    ],
  },
  {
    why: 'A batch that lacks it fails and is split, until what needs it stands alone and has it: that costs round trips.',
    mutants: [
      [
        "if (commands.some(({ result }) => result.kind === 'succeeded')) await expectInflows(writers.inflows, tx, found)",
        "if (commands.every(({ result }) => result.kind === 'succeeded')) await expectInflows(writers.inflows, tx, found)",
      ],
    ],
  },
  {
    why: 'It spares a question to the database, whose answer is the same.',
    mutants: [
      [
        'look: () => (stillFresh(known, ctx.clock.now(), ask) === undefined ? ask() : undefined),',
        'look: () => (true ? ask() : undefined),',
      ],
      [
        "const limited = [...new Set(tenantIds)].filter((id) => book.isLimited(id, 'NGN'))",
        'const limited = [...new Set(tenantIds)]',
      ],
      ['if (limited.length === 0) return', 'if (false) return'],
      ['if (page.length < rowsPerPage) return', 'if (false) return'],
      [
        'if (paysOut) await allowances.read(keys.map(({ tenantId }) => tenantId))',
        'if (true) await allowances.read(keys.map(({ tenantId }) => tenantId))',
      ],
      ['paysOut ? pauses.now() : undefined,', 'true ? pauses.now() : undefined,'],
      ['paysOut ? stops.look() : undefined,', 'true ? stops.look() : undefined,'],
    ],
  },
  {
    why: 'Any time long ago does: no rail was resumed before it.',
    mutants: [
      [
        'for (const [rail, atMs] of value.resumed) if (atMs > (before.get(rail) ?? 0)) rails?.forgiveRefusals(rail)',
        'for (const [rail, atMs] of value.resumed) if (atMs > (before.get(rail) ?? 1)) rails?.forgiveRefusals(rail)',
      ],
    ],
  },
  {
    why: 'Without a limit of the day nobody counts, and what is kept of it is not read: it is summed anew when there is one again.',
    mutants: [
      [
        'perDay === null || before === undefined || before.perDay === null',
        '(before === undefined) || before.perDay === null',
      ],
      ['if (row === undefined || row.perDay === null) return', 'if ((row === undefined)) return'],
      [
        '? { day: lagosDay(at), dayAmount: perDay === null ? zero : await sumPayouts(tx, tenant, at) }',
        '? { day: lagosDay(at), dayAmount: false ? zero : await sumPayouts(tx, tenant, at) }',
      ],
    ],
  },
  {
    why: 'It sums anew what the row of a limited day says already, or keeps what nobody reads without such a limit.',
    mutants: [
      ['perDay === null || before === undefined || before.perDay === null', 'true'],
      [
        'perDay === null || before === undefined || before.perDay === null',
        'perDay !== null || before === undefined || before.perDay === null',
      ],
    ],
  },
  {
    why: 'Only what waits has a time, and without one it does not fit into its lease.',
    mutants: [
      [
        "const isKept = next.kind === 'wait' && !next.unsent && next.putDown !== true && !this.#released",
        'const isKept = (!next.unsent) && next.putDown !== true && !this.#released',
      ],
    ],
  },
  {
    why: 'It spares a copy of what is the same, or a turn of the event loop.',
    mutants: [
      [
        'const after = payment.asks === next.asks ? payment : { ...payment, asks: next.asks }',
        'const after = false ? payment : { ...payment, asks: next.asks }',
      ],
      ["if (typeof isStopped === 'boolean' ? isStopped : await isStopped)", 'if (false ? isStopped : await isStopped)'],
    ],
  },
  {
    why: 'It tells the type checker what cannot be: no rail without a name is stopped, and nothing but a failure says whether it was created.',
    mutants: [
      [
        'if (rail === null || !(await means.stops.isStopped(rail))) return',
        'if ((!(await means.stops.isStopped(rail)))) return',
      ],
      [
        "if (submitted.kind !== 'failed' || !('created' in submitted)) return undefined",
        "if ((!('created' in submitted))) return undefined",
      ],
    ],
  },
  {
    why: 'Of two equal ones it is of no matter which one is taken.',
    mutants: [
      [
        'return amount < limit ? toKobo(limit - amount) : zero',
        'return amount <= limit ? toKobo(limit - amount) : zero',
      ],
    ],
  },
  {
    why: 'It is shown to whoever follows a trace, and decides nothing.',
    mutants: [
      [
        "attributes: { 'manilla.rail': payment.rail ?? '', 'manilla.reference': payment.reference },",
        "attributes: { 'manilla.rail': (''), 'manilla.reference': payment.reference },",
      ],
    ],
  },
  {
    why: 'A payment whose rail is missing is sent by nobody, so that it is of no matter how long that would take.',
    mutants: [
      [
        "return answer.kind === 'missing' ? 0 : answer.port.submitLeaseMs",
        "return answer.kind === 'missing' ? 1 : answer.port.submitLeaseMs",
      ],
    ],
  },
  {
    why: 'It tells the type checker what cannot be: a collection that a code was taken for is there, and stays one.',
    mutants: [
      [
        "const payment = outcome.kind === 'not-found' ? undefined : outcome.payment",
        'const payment = false ? undefined : outcome.payment',
      ],
    ],
  },
  {
    why: 'Only collections have these statuses.',
    mutants: [
      [
        "where kind = 'momo_collection' and status in ('PENDING', 'OTP_REQUIRED')",
        "where true and status in ('PENDING', 'OTP_REQUIRED')",
      ],
    ],
  },
  {
    why: 'Whoever has more than a thousand late payments is told of a thousand, to spare counting the rest.',
    mutants: [['const countedMax = 1_000', 'const countedMax = (1_000 * 1_000)']],
  },
]
