// What nothing needs to notice in src/ledger/ (accepted.ts says more of it).

import type { Accepted } from './accepted.ts'

export const acceptedLedger: Accepted[] = [
  {
    why: 'Where a list is sorted, one number above nothing is as good as another, and so is one below.',
    mutants: [
      [
        'for (const [, orphan] of [...orphans].toSorted(([left], [right]) => (left < right ? -1 : 1))) {',
        'for (const [, orphan] of [...orphans].toSorted(([left], [right]) => (left < right ? -1 : 2))) {',
      ],
      [
        'for (const [, orphan] of [...orphans].toSorted(([left], [right]) => (left < right ? -1 : 1))) {',
        'for (const [, orphan] of [...orphans].toSorted(([left], [right]) => (left < right ? -2 : 1))) {',
      ],
      [
        'movements: [...each.values()].toSorted((left, right) => (left.id < right.id ? -1 : 1)),',
        'movements: [...each.values()].toSorted((left, right) => (left.id < right.id ? -1 : 2)),',
      ],
      [
        'movements: [...each.values()].toSorted((left, right) => (left.id < right.id ? -1 : 1)),',
        'movements: [...each.values()].toSorted((left, right) => (left.id < right.id ? -2 : 1)),',
      ],
    ],
  },
  {
    why: 'It tells the type checker what cannot be otherwise: an aggregate is one row, and what is joined is there whole or not at all.',
    mutants: [
      [
        'account === null || amount === null ? [] : [{ account, amount: BigInt(amount) }],',
        '(account === null) ? [] : [{ account, amount: BigInt(amount) }],',
      ],
      [
        'account === null || amount === null ? [] : [{ account, amount: BigInt(amount) }],',
        '(amount === null) ? [] : [{ account, amount: BigInt(amount) }],',
      ],
      [
        "if (found.kind === 'archived' || found.archived === undefined) return found",
        'if ((found.archived === undefined)) return found',
      ],
      ['if (row === undefined || row.lane === null) return', 'if ((row.lane === null)) return'],
      ["if (since !== '-infinity' && since >= until) return", 'if ((since >= until)) return'],
    ],
  },
  {
    why: 'A time compared with one that is not there is neither before nor after it: the other half of the condition says the same.',
    mutants: [
      [
        "if (from !== undefined && from < until) return { kind: 'archived', until, field: 'from' }",
        "if ((from < until)) return { kind: 'archived', until, field: 'from' }",
      ],
      [
        "if (before !== undefined && before < until) return { kind: 'archived', until, field: 'to' }",
        "if ((before < until)) return { kind: 'archived', until, field: 'to' }",
      ],
      [
        'archivedUntil: sealed !== undefined && moved.some(({ at }) => at < sealed) ? sealed : null,',
        'archivedUntil: (moved.some(({ at }) => at < sealed)) ? sealed : null,',
      ],
    ],
  },
  {
    why: 'It saves a statement that finds nothing, or writes what stands there already.',
    mutants: [
      ["if (since !== '-infinity' && since >= until) return", "if (since !== '-infinity' && since > until) return"],
      ['if (last === undefined || rows.length < linesAtOnce) break', 'if ((last === undefined)) break'],
      ['if (last === undefined || rows.length < linesAtOnce) break', 'if ((rows.length < linesAtOnce)) break'],
      ['if (number === 0n) return zero', 'if (false) return zero'],
      ['if (until > after) {', 'if (true) {'],
      ['if (until > after) {', 'if (until >= after) {'],
      [
        'let after = sealed === undefined ? firstUuid : firstIdAt(sealed)',
        'let after = true ? firstUuid : firstIdAt(sealed)',
      ],
      ['if (Number(first.pageRows) < rowsPerPage) return', 'if (false) return'],
    ],
  },
  {
    why: 'No id is that of a moment and nothing else, or the last that there could be: each says of which version it is.',
    mutants: [
      [
        'where lane = $1 and tenant_id = $2 and id > $3 and id < $4 and created_at >= $5 and created_at < $6 order by id limit $7`,',
        'where lane = $1 and tenant_id = $2 and id > $3 and id <= $4 and created_at >= $5 and created_at < $6 order by id limit $7`,',
      ],
      [
        'where lane = $1 and tenant_id = $2 and id >= $3 and id < $4 and source_id = $5',
        'where lane = $1 and tenant_id = $2 and id >= $3 and id <= $4 and source_id = $5',
      ],
      [
        'where lane = $1 and tenant_id = $2 and id >= $3 and id < $4 and source_id = $5',
        'where lane = $1 and tenant_id = $2 and id > $3 and id < $4 and source_id = $5',
      ],
      ["where: 'id < $6',", "where: 'id <= $6',"],
    ],
  },
  {
    why: 'The planner learns from it which index has these rows, and how far it is to be read: the other conditions find the same.',
    mutants: [
      [
        'where lane = $1 and tenant_id = $2 and currency = $3 and entry is not null and entry > $4 and entry <= $5`,',
        'where lane = $1 and tenant_id = $2 and currency = $3 and true and entry > $4 and entry <= $5`,',
      ],
      [
        'where lane = $1 and ${isNumbered} and (tenant_id, ${list}, ${number}) >= ($2, $3, $4) and tenant_id <= $5',
        'where lane = $1 and true and (tenant_id, ${list}, ${number}) >= ($2, $3, $4) and tenant_id <= $5',
      ],
    ],
  },
  {
    why: 'Whoever locks several rows does so in one order: which one it is makes no difference.',
    mutants: [['order by v.currency', 'order by v.currency desc']],
  },
  {
    why: 'A walk begins before everything that there is, one step sooner or later: lanes and entries are numbered from 1.',
    mutants: [
      ['for (let after = -1; ;) {', 'for (let after = -2; ;) {'],
      ["let first: [Uuid, string, bigint] = [from, '', 0n]", "let first: [Uuid, string, bigint] = [from, '', 1n]"],
    ],
  },
  {
    why: 'It is a budget: how much of the time, how long or how much at once a proof works beside others. What it finds is the same, and only a clock would tell.',
    mutants: [
      ['export const usualRest = 6', 'export const usualRest = 7'],
      ['const restMsMax = 2_000', 'const restMsMax = (2_000 * 1_000)'],
      ['let restMs = 0', 'let restMs = 1'],
      ['if (restMs > 0) await delay(restMs)', 'if (restMs > 1) await delay(restMs)'],
      ['if (restMs > 0) await delay(restMs)', 'if (restMs >= 0) await delay(restMs)'],
      ['if (restMs > 0) await delay(restMs)', 'if (true) await delay(restMs)'],
      [
        'restMs = Math.min((performance.now() - startMs) * restsPerWork, restMsMax)',
        'restMs = Math.min((performance.now() + startMs) * restsPerWork, restMsMax)',
      ],
      ['const pace = createPace(options.restsPerWork ?? 0)', 'const pace = createPace(0)'],
      ['const snapshotMsMax = 30_000', 'const snapshotMsMax = (30_000 * 1_000)'],
      [
        '{ pace, ms = snapshotMsMax - statementMsMax }: { pace: Pace; ms?: number | undefined },',
        '{ pace, ms = snapshotMsMax + statementMsMax }: { pace: Pace; ms?: number | undefined },',
      ],
      [
        "if (performance.now() - startMs > ms) throw new SnapshotEnded('the snapshot is old')",
        "if (performance.now() - startMs >= ms) throw new SnapshotEnded('the snapshot is old')",
      ],
      [
        'const { invariants = ledgerInvariants, rowsPerPage = 20_000, rowsPerSnapshot = 200_000, snapshotMs: ms } = options',
        'const { invariants = ledgerInvariants, rowsPerPage = (20_000 * 1_000), rowsPerSnapshot = 200_000, snapshotMs: ms } = options',
      ],
      [
        'const { invariants = ledgerInvariants, rowsPerPage = 20_000, rowsPerSnapshot = 200_000, snapshotMs: ms } = options',
        'const { invariants = ledgerInvariants, rowsPerPage = 20_000, rowsPerSnapshot = (200_000 * 1_000), snapshotMs: ms } = options',
      ],
    ],
  },
  {
    why: 'It asks for as little as will do: all accounts of a tenant come together, and `reserved`, the last of them, is what stays.',
    mutants: [
      [
        'return lane.query<AccountTotals>(accountsOf, [lane.lane, tenantId, tenantId, 1])',
        'return lane.query<AccountTotals>(accountsOf, [lane.lane, tenantId, tenantId, 2])',
      ],
      [
        "where lane = $1 and tenant_id = any($2::uuid[]) and name in ('available', 'reserved') order by tenant_id, currency, name`,",
        'where lane = $1 and tenant_id = any($2::uuid[]) and true order by tenant_id, currency, name`,',
      ],
    ],
  },
  {
    why: 'It is nothing or a multiple of the reduction, and of nothing there is no difference to excuse.',
    mutants: [
      [
        'const isReduced = reduced > 0n && reduced % totalsReduction === 0n && sum.credits - account.credits === reduced',
        'const isReduced = reduced >= 0n && reduced % totalsReduction === 0n && sum.credits - account.credits === reduced',
      ],
      [
        'const isReduced = reduced > 0n && reduced % totalsReduction === 0n && sum.credits - account.credits === reduced',
        'const isReduced = reduced > 1n && reduced % totalsReduction === 0n && sum.credits - account.credits === reduced',
      ],
    ],
  },
]
