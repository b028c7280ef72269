// Mutants of the sending which no test needs to notice (accepted.ts).

import type { Accepted } from './accepted.ts'

export const acceptedSending: Accepted[] = [
  {
    why: 'Only the sign of what compares two is asked for.',
    mutants: [
      [
        'const ordered = keys.toSorted((left, right) => (left.id < right.id ? -1 : 1))',
        'const ordered = keys.toSorted((left, right) => (left.id < right.id ? -2 : 1))',
      ],
      [
        'const ordered = keys.toSorted((left, right) => (left.id < right.id ? -1 : 1))',
        'const ordered = keys.toSorted((left, right) => (left.id < right.id ? -1 : 2))',
      ],
      [
        'const ordered = changes.toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1))',
        'const ordered = changes.toSorted((left, right) => (keyOf(left) < keyOf(right) ? -2 : 1))',
      ],
      [
        'const ordered = changes.toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1))',
        'const ordered = changes.toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 2))',
      ],
    ],
  },
  {
    why: 'An id alone names its row: that of its tenant beside it makes the key of an index.',
    mutants: [
      [
        'select ctid from webhook_delivery where lane = $1 and tenant_id = k.tenant_id and id = k.id limit 1) as d)',
        'select ctid from webhook_delivery where lane = $1 and true and id = k.id limit 1) as d)',
      ],
      [
        'where lane = $1 and tenant_id = k.tenant_id and id = k.id limit 1) as s`,',
        'where lane = $1 and true and id = k.id limit 1) as s`,',
      ],
      [
        'where lane = $1 and tenant_id = k.tenant_id and id = k.id limit 1 for update) as s',
        'where lane = $1 and true and id = k.id limit 1 for update) as s',
      ],
      [
        'where lane = $1 and tenant_id = due.tenant_id and id = due.subscription_id and secret is not null limit 1) as s',
        'where lane = $1 and true and id = due.subscription_id and secret is not null limit 1) as s',
      ],
      [
        'where lane = $1 and tenant_id = k.tenant_id and subscription_id = k.subscription_id and due_at <= $5 ${which}',
        'where lane = $1 and true and subscription_id = k.subscription_id and due_at <= $5 ${which}',
      ],
      [
        'where lane = $1 and tenant_id = k.tenant_id and subscription_id = k.subscription_id and due_at <= $4',
        'where lane = $1 and true and subscription_id = k.subscription_id and due_at <= $4',
      ],
      [
        'where lane = $1 and tenant_id = step.tenant_id and id = step.subscription_id limit 1) as s on true',
        'where lane = $1 and true and id = step.subscription_id limit 1) as s on true',
      ],
      [
        'where lane = $1 and tenant_id = step.tenant_id and id = step.subscription_id',
        'where lane = $1 and true and id = step.subscription_id',
      ],
      [
        'where lane = $1 and tenant_id = waiting.tenant_id and subscription_id = waiting.subscription_id',
        'where lane = $1 and true and subscription_id = waiting.subscription_id',
      ],
      [
        'where lane = $1 and tenant_id = $2 and id = old.id limit 1 for update) as d),',
        'where lane = $1 and true and id = old.id limit 1 for update) as d),',
      ],
      [
        'where lane = $1 and tenant_id = $2 and delivery_id = gone.id offset 0) as a),',
        'where lane = $1 and true and delivery_id = gone.id offset 0) as a),',
      ],
      [
        'where lane = $1 and tenant_id = due.tenant_id and source_id = due.source_id and name = due.event limit 1) as e',
        'where lane = $1 and true and source_id = due.source_id and name = due.event limit 1) as e',
      ],
    ],
  },
  {
    why: 'It is there for the planner, who takes the index that is meant: no row is let in or kept out by it alone.',
    mutants: [
      [
        'where lane = $1 and tenant_id = t.id and ordinal > 0 order by ordinal limit 1) as first on true',
        'where lane = $1 and tenant_id = t.id and true order by ordinal limit 1) as first on true',
      ],
      [
        'where lane = $1 and tenant_id = t.id and ordinal > 0 order by ordinal limit 1) as first on true',
        'where lane = $1 and tenant_id = t.id and ordinal >= 0 order by ordinal limit 1) as first on true',
      ],
      [
        'where lane = $1 and tenant_id = $2 and ordinal > 0 order by ordinal limit $4),',
        'where lane = $1 and tenant_id = $2 and true order by ordinal limit $4),',
      ],
      [
        'where lane = $1 and tenant_id = $2 and ordinal > 0 order by ordinal limit $4),',
        'where lane = $1 and tenant_id = $2 and ordinal >= 0 order by ordinal limit $4),',
      ],
    ],
  },
  {
    why: 'It tells the type checker what cannot be otherwise: whoever comes here has made sure of it.',
    mutants: [
      [
        'return same || at === undefined ? [] : [{ tenantId, subscriptionId, before, after, at }]',
        'return same ? [] : [{ tenantId, subscriptionId, before, after, at }]',
      ],
      ['return Number(row?.count ?? 0n)', 'return Number(row?.count ?? 1n)'],
      ['return row ?? { count: 0, oldest: null }', 'return row ?? { count: 1, oldest: null }'],
    ],
  },
  {
    why: 'It spares a question that would find nothing, or something that nobody uses.',
    mutants: [
      ['commands .filter(isOfAttempt)', 'commands'],
      [
        'const parked = idle.length === 0 ? 0 : await parkDeliveries(db, idle, { now, limitEach })',
        'const parked = false ? 0 : await parkDeliveries(db, idle, { now, limitEach })',
      ],
      ["const disabled = idle.filter(({ status }) => status === 'disabled')", 'const disabled = idle'],
      [
        'return wished > 0 ? [{ tenantId, subscriptionId, room: wished }] : []',
        'return true ? [{ tenantId, subscriptionId, room: wished }] : []',
      ],
      [
        'return wished > 0 ? [{ tenantId, subscriptionId, room: wished }] : []',
        'return wished >= 0 ? [{ tenantId, subscriptionId, room: wished }] : []',
      ],
      ['`select t.id, first.created_at < $3 as old', '`select t.id, first.created_at <= $3 as old'],
      [
        'from (select id from tenant where lane = $1 and id > $2 order by id limit $4) as t',
        'from (select id from tenant where lane = $1 and id >= $2 order by id limit $4) as t',
      ],
      [
        'order by lane, tenant_id, subscription_id, due_at limit $6) as each',
        'order by lane, tenant_id, subscription_id, due_at) as each',
      ],
    ],
  },
  {
    why: 'How much is done or counted in one turn is a budget: the next turn goes on, and only the time of others tells.',
    mutants: [
      ['const looksPerTurnMax = 10', 'const looksPerTurnMax = (10 * 1_000)'],
      [
        'for (let look = 0; look < looksPerTurnMax && options.roomInAll() > 0; look++) {',
        'for (let look = 1; look < looksPerTurnMax && options.roomInAll() > 0; look++) {',
      ],
      [
        'for (let look = 0; look < looksPerTurnMax && options.roomInAll() > 0; look++) {',
        'for (let look = 0; (options.roomInAll() > 0); look++) {',
      ],
      [
        'for (let look = 0; look < looksPerTurnMax && options.roomInAll() > 0; look++) {',
        'for (let look = 0; look <= looksPerTurnMax && options.roomInAll() > 0; look++) {',
      ],
      [
        'const limitEach = Math.ceil(parkedPerLook / Math.max(1, idle.length))',
        'const limitEach = Math.ceil(parkedPerLook / Math.max(2, idle.length))',
      ],
      ['const rowsPerTransaction = 1_000', 'const rowsPerTransaction = (1_000 * 1_000)'],
      ['const transactionsPerTurnMax = 10', 'const transactionsPerTurnMax = (10 * 1_000)'],
      ['let transactions = 0', 'let transactions = 1'],
      ['transactions++', 'transactions--'],
      ['while (full && transactions < transactionsPerTurnMax) {', 'while (full) {'],
      [
        'while (full && transactions < transactionsPerTurnMax) {',
        'while (full && transactions <= transactionsPerTurnMax) {',
      ],
      ['while (full && transactions < transactionsPerTurnMax) {', 'while ((transactions < transactionsPerTurnMax)) {'],
      ['const countedMax = 10_000', 'const countedMax = (10_000 * 1_000)'],
      ['const subscriptionsMax = 1_000', 'const subscriptionsMax = (1_000 * 1_000)'],
    ],
  },
  {
    why: 'Any time long ago does: it is over.',
    mutants: [
      [
        'const round = rounds.get(lane) ?? { after: firstUuid, restsUntilMs: 0 }',
        'const round = rounds.get(lane) ?? { after: firstUuid, restsUntilMs: 1 }',
      ],
    ],
  },
  {
    why: 'It is written where it lay when it was read: one that somebody has changed since lies elsewhere, and is left alone.',
    mutants: [
      [
        'where lane = $1 and tenant_id = k.tenant_id and id = k.id limit 1 for update) as s',
        'where lane = $1 and tenant_id = k.tenant_id and id = k.id limit 1) as s',
      ],
    ],
  },
  {
    why: 'What is so already is written once more.',
    mutants: [
      [
        'return same || at === undefined ? [] : [{ tenantId, subscriptionId, before, after, at }]',
        'return (at === undefined) ? [] : [{ tenantId, subscriptionId, before, after, at }]',
      ],
    ],
  },
  {
    why: 'How often a database that is away is asked again is a budget of patience, which only it could tell.',
    mutants: [['const recordPauseMs = 1_000', 'const recordPauseMs = 0']],
  },
  {
    why: 'The loop looks once more than it must, and finds nothing.',
    mutants: [
      [
        'if (this.#released || this.#wakeTimer !== undefined || !this.#leftBehind.has(subscriptionId)) return',
        'if ((this.#released || this.#wakeTimer !== undefined)) return',
      ],
      ['if (!this.#admission.isHungry(subscriptionId)) return', 'if (false) return'],
    ],
  },
  {
    why: 'A word in a line of the log, for whoever reads it.',
    mutants: [
      ['delivery.leaseEnd === noLease', 'true'],
      ['delivery.leaseEnd === noLease', 'false'],
    ],
  },
]
