// Mutants of the SQL of src/payments/ that no test needs to notice (see accepted.ts).

import type { Accepted } from './accepted.ts'

export const acceptedPaymentsSql: Accepted[] = [
  {
    why: 'It is there for the planner, who takes the index that is meant: no row is let in or kept out by it alone.',
    mutants: [
      [
        'where lane = $1 and tenant_id = $2 and kind = $3 and payment.ordinal > 0 and payment.ordinal > $4',
        'where lane = $1 and tenant_id = $2 and kind = $3 and true and payment.ordinal > $4',
      ],
      [
        'where lane = $1 and tenant_id = $2 and kind = $3 and payment.ordinal > 0 and payment.ordinal > $4',
        'where lane = $1 and tenant_id = $2 and kind = $3 and payment.ordinal >= 0 and payment.ordinal > $4',
      ],
      ['order by payment.ordinal desc offset 0) as p', 'order by payment.ordinal offset 0) as p'],
      [
        "where lane = $1 and tenant_id = $2 and kind = $3 and status <> 'SUCCESS' and status = s.status",
        'where lane = $1 and tenant_id = $2 and kind = $3 and true and status = s.status',
      ],
      [
        "where lane = $1 and tenant_id = $2 and kind = $3 and status <> 'SUCCESS' and status = s.status and (status, ordinal) > (s.status, $4) and (status, ordinal) <= (s.status, $5)",
        "where lane = $1 and tenant_id = $2 and kind = $3 and status <> 'SUCCESS' and true and (status, ordinal) > (s.status, $4) and (status, ordinal) <= (s.status, $5)",
      ],
      ['order by status desc, ordinal desc offset 0) as p)`', 'order by status, ordinal desc offset 0) as p)`'],
      ['order by status desc, ordinal desc offset 0) as p)`', 'order by status desc, ordinal offset 0) as p)`'],
      [
        'where lane = $1 and tenant_id = $2 and kind = $3 and payment.ordinal > 0 and payment.ordinal <= page.ordinal',
        'where lane = $1 and tenant_id = $2 and kind = $3 and true and payment.ordinal <= page.ordinal',
      ],
      [
        'where lane = $1 and tenant_id = $2 and kind = $3 and payment.ordinal > 0 and payment.ordinal <= page.ordinal',
        'where lane = $1 and tenant_id = $2 and kind = $3 and payment.ordinal >= 0 and payment.ordinal <= page.ordinal',
      ],
      [
        "where lane = $1 and tenant_id = $2 and kind = $3 and status = 'SUCCESS' and ordinal > 0 and ordinal > $4",
        "where lane = $1 and tenant_id = $2 and kind = $3 and status = 'SUCCESS' and true and ordinal > $4",
      ],
      [
        "where lane = $1 and tenant_id = $2 and kind = $3 and status = 'SUCCESS' and ordinal > 0 and ordinal > $4",
        "where lane = $1 and tenant_id = $2 and kind = $3 and status = 'SUCCESS' and ordinal >= 0 and ordinal > $4",
      ],
      [
        "where lane = $1 and tenant_id = $2 and kind = k.kind and status <> 'SUCCESS' and status = k.status",
        'where lane = $1 and tenant_id = $2 and kind = k.kind and true and status = k.status',
      ],
      [
        'select tenant_id, currency, kind, status, amount, fee from payment where lane = $1 and due_at is not null),',
        'select tenant_id, currency, kind, status, amount, fee from payment where lane = $1 and true),',
      ],
    ],
  },
  {
    why: 'What lies right where a page begins is of another status: passed over or not, the page begins with the next success.',
    mutants: [
      [
        'select count(*) as others, count(*) filter (where $5 - ordinal - (rank - 1) <= $7::bigint) as passed from ranked)',
        'select count(*) as others, count(*) filter (where $5 - ordinal - (rank - 2) <= $7::bigint) as passed from ranked)',
      ],
      [
        'select count(*) as others, count(*) filter (where $5 - ordinal - (rank - 1) <= $7::bigint) as passed from ranked)',
        'select count(*) as others, count(*) filter (where $5 - ordinal - (rank - 1) < $7::bigint) as passed from ranked)',
      ],
    ],
  },
  {
    why: 'No two of these rows are alike: each step goes on behind the one before, and a rail is stopped once and resumed once.',
    mutants: [
      ['union all select next.kind, next.rail', 'union select next.kind, next.rail'],
      [
        'union all select environment, rail, false, resumed_at from rail_resumption`,',
        'union select environment, rail, false, resumed_at from rail_resumption`,',
      ],
    ],
  },
  {
    why: 'It tells the type checker what cannot be otherwise: an aggregate is one row, a page has one at least, and so has a group.',
    mutants: [
      ['sum += row?.amount ?? 0n', 'sum += row?.amount ?? 1n'],
      [
        'return { payments, total: Number(rows[0]?.total ?? 0n) }',
        'return { payments, total: Number(rows[0]?.total ?? 1n) }',
      ],
      ['if (head === undefined) return', 'if (false) return'],
      ['if (first === undefined) return []', 'if (false) return []'],
    ],
  },
  {
    why: 'Of what came back before that moment all is settled, whenever it had succeeded: nobody asks for it.',
    mutants: [
      [
        "case when status = 'REVERSED' and updated_at >= $6::timestamptz then",
        "case when status = 'REVERSED' and true then",
      ],
    ],
  },
  {
    why: 'A payment has one event of its success: by its key, no name of an event is there twice.',
    mutants: [
      [
        '(select coalesce(page.succeeded_at, min(event.created_at),',
        '(select coalesce(page.succeeded_at, max(event.created_at),',
      ],
    ],
  },
  {
    why: 'Of made-up money nothing is ever booked at a rail, so that nothing of it is missed there.',
    mutants: [
      [
        "where page.rail not in ('', 'simulator') and page.status in ('SUCCESS', 'REVERSED')) as judged`,",
        "where true and page.status in ('SUCCESS', 'REVERSED')) as judged`,",
      ],
    ],
  },
  {
    why: 'Only payouts have this status.',
    mutants: [
      [
        "where status = 'queued' and kind in ('bank_transfer', 'momo_transfer')`,",
        "where status = 'queued' and true`,",
      ],
    ],
  },
]
