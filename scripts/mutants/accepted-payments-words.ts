// Mutants of src/payments/ that no test needs to notice, of what is said about payments, by rails and payers, and of what is
// looked through (see accepted.ts).

import type { Accepted } from './accepted.ts'

export const acceptedPaymentsWords: Accepted[] = [
  {
    why: 'Whether it was sent before is asked only of a rail that cannot tell, and this one has been sent away by then.',
    mutants: [
      [
        'const step = follow(payment, state, ctx.clock.now(), true)',
        'const step = follow(payment, state, ctx.clock.now(), false)',
      ],
    ],
  },
  {
    why: 'It tells the type checker what is so by now: a failure that is not settled rests, and what is wanted is at least one.',
    mutants: [
      ["if (step.kind === 'rest' && state.kind === 'failed')", "if ((state.kind === 'failed'))"],
      [
        'at = found.length === wanted && last !== undefined ? last.number - 1n : low',
        'at = (found.length === wanted) ? last.number - 1n : low',
      ],
    ],
  },
  {
    why: 'A payment for which there is no rail is not accepted, whatever else is said of its way.',
    mutants: [
      [
        "const way = { kind: draft.kind, rail: rail.kind === 'served' ? rail.rail : null }",
        'const way = { kind: draft.kind, rail: true ? rail.rail : null }',
      ],
      [
        'const isToldOf = way.rail !== null && rails.tellsOfPayments(way.rail)',
        'const isToldOf = (rails.tellsOfPayments(way.rail))',
      ],
    ],
  },
  {
    why: 'Whatever is no end of a collection is no word that settling knows: it moves nothing, and is told to nobody.',
    mutants: [
      [
        "if (state.kind === 'succeeded' || state.kind === 'failed') results.push(state)",
        'if (true) results.push(state)',
      ],
    ],
  },
  {
    why: 'In the first minute of a collection it is always as long until it is asked about.',
    mutants: [
      [
        "const results: Result[] = [{ kind: 'otp-accepted', hash, lookAgainMs: advisedMs ?? nextCollectionAskMs(0) }]",
        "const results: Result[] = [{ kind: 'otp-accepted', hash, lookAgainMs: advisedMs ?? nextCollectionAskMs(1) }]",
      ],
    ],
  },
  {
    why: 'A payment at its first rail has left none: asked all the same, the answer is the same.',
    mutants: [
      ['attempts === 1 ? [] : readRailsLeft(db, payment),', 'false ? [] : readRailsLeft(db, payment),'],
      [
        'const left = payment.attempts === 1 ? [] : await readRailsLeft(means.ctx.db, payment)',
        'const left = false ? [] : await readRailsLeft(means.ctx.db, payment)',
      ],
    ],
  },
  {
    why: 'How much is looked through at once: a measure of what it costs, and nobody is promised that it is not one more.',
    mutants: [
      [
        'const usual: Bounds = { pieceRows: 2_000n, questionRows: 100_000n }',
        'const usual: Bounds = { pieceRows: 2001n, questionRows: 100_000n }',
      ],
      [
        'const usual: Bounds = { pieceRows: 2_000n, questionRows: 100_000n }',
        'const usual: Bounds = { pieceRows: 2_000n, questionRows: 100001n }',
      ],
      ['const pieceOfFile = 500n', 'const pieceOfFile = 501n'],
    ],
  },
  {
    why: 'Both sides are the same where it matters: from one behind the last, and at the end of a range.',
    mutants: [
      [
        'const high = behind !== undefined && behind - 1n < range.high ? behind - 1n : range.high',
        'const high = behind !== undefined && behind - 2n < range.high ? behind - 1n : range.high',
      ],
      [
        'const high = behind !== undefined && behind - 1n < range.high ? behind - 1n : range.high',
        'const high = behind !== undefined && behind - 1n <= range.high ? behind - 1n : range.high',
      ],
      [
        'const end = high - questionRows > range.low ? high - questionRows : range.low',
        'const end = high - questionRows >= range.low ? high - questionRows : range.low',
      ],
      [
        'const low = at - pieceRows > end ? at - pieceRows : end',
        'const low = at - pieceRows >= end ? at - pieceRows : end',
      ],
    ],
  },
  {
    why: 'What is behind the last one that was found in a piece is looked through either way: in one question more, or in the next.',
    mutants: [
      [
        'at = found.length === wanted && last !== undefined ? last.number - 1n : low',
        'at = (last !== undefined) ? last.number - 1n : low',
      ],
    ],
  },
  {
    why: 'It spares a question about nothing: a page that is not full is the last one, and what is in no file is missing in none.',
    mutants: [
      ['if (last === undefined || page.length < check.rowsPerPage) return', 'if ((last === undefined)) return'],
      ['if ((await sealedUntil(check.lane)) === undefined) return', 'if (false) return'],
    ],
  },
  {
    why: 'It tells the type checker what the other half says too: a page of none is not full.',
    mutants: [
      [
        'if (last === undefined || page.length < check.rowsPerPage) return',
        'if ((page.length < check.rowsPerPage)) return',
      ],
    ],
  },
]
