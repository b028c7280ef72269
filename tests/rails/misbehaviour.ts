// The faults of providers' servers, and for each the mutation of an adapter that it catches: each mutation was made
// once by hand, and the named test failed. `sweep`: misbehaviour.test.ts does it to every kind of call. The other
// faults only matter to some calls and are in their suites.

import type { Act } from '#tests/support/fakes/provider.ts'

export type Misbehaviour = {
  /** `answers`: the answer is right in the end. `nothing`: the answer proves nothing. */
  sweep?: 'answers' | 'nothing'
  kills: string
}

export const misbehaviours: Record<Exclude<Act, 'answer'>, Misbehaviour> = {
  late: { sweep: 'answers', kills: 'a limit of one second for every call' },
  twice: { sweep: 'answers', kills: 'none of ours was made: the HTTP client reads one answer' },
  never: { sweep: 'nothing', kills: 'sending again after a timeout' },
  'cut-before': { sweep: 'nothing', kills: 'taking a cut connection for a refusal' },
  'cut-after': { sweep: 'nothing', kills: 'taking a cut connection for `sent: false`' },
  'error-done': { sweep: 'nothing', kills: 'taking 5xx for failed' },
  'error-not-done': { sweep: 'nothing', kills: 'taking the envelope of a 5xx for a word' },
  half: { sweep: 'nothing', kills: 'taking what cannot be parsed for a refusal' },
  'wrong-length': { sweep: 'nothing', kills: 'none of ours was made: the HTTP client counts the bytes' },
  page: { sweep: 'nothing', kills: 'taking any 200 for done' },
  'forbidden-page': { sweep: 'nothing', kills: 'taking 403 without an envelope for our key, so for not sent' },
  'gateway-page': { sweep: 'nothing', kills: 'taking 502 for not sent' },
  'maintenance-page': { sweep: 'nothing', kills: 'taking 503 for not sent' },
  redirect: { sweep: 'nothing', kills: 'taking a status below 400 for done' },
  'missing-page': { sweep: 'nothing', kills: 'taking any 404 for not-found' },
  'too-many': { sweep: 'nothing', kills: 'taking 429 for a refusal' },
  'too-many-silent': { sweep: 'nothing', kills: 'waiting for no time where 429 names none' },
  'other-payment': { kills: 'not comparing reference and amount of an answer' },
  'other-amount': { kills: 'comparing the reference of an answer and not its amount' },
  'odd-word': { kills: 'taking a status word that is not known for failed' },
  duplicate: { kills: 'taking "reference exists" for failed; another reference on D05' },
  'duplicate-untrue': { kills: 'taking "reference exists" for proof that it is there' },
  missing: { kills: 'taking 404 at once for not-found' },
  'no-money': { kills: 'taking an empty balance for a failure of the payee' },
  'key-refused': { kills: 'taking 401 for a failed payment' },
}

/** Mutations of an adapter that no fault of a server catches, and the test that does: its file and title must exist. */
export const otherMutations: Record<string, { file: string; title: string }> = {
  'kobo by way of a double, read: `Math.trunc(Number(naira) * 100)`': {
    file: 'tests/rails/provider-pieces.test.ts',
    title: '%s kobo are %s naira, both ways',
  },
  'kobo by way of a double, written: `(Number(kobo) / 100).toFixed(2)`': {
    file: 'tests/rails/provider-pieces.test.ts',
    title: '%s kobo are %s naira, both ways',
  },
  'an amount as JSON writes a double: `amount: Number(naira)`': {
    file: 'tests/rails/monnify.test.ts',
    title: 'sends %s kobo as the number %s, digit by digit',
  },
  'the amount of a notice of Paystack’s': {
    file: 'tests/rails/paystack.test.ts',
    title: 'take the amount, id and account of a deposit from the transaction that Paystack returns',
  },
  'the amount of a notice of Monnify’s': {
    file: 'tests/rails/monnify-notices.test.ts',
    title: 'take the amount of a deposit from the transaction that Monnify returns',
  },
}

/** Faults of notices, and the test that covers each: its file and title must exist. */
export const noticeMisbehaviours: Record<string, { file: string; title: string }> = {
  'before the response of the submission': {
    file: 'tests/rail-notices/paystack.test.ts',
    title: 'before the answer to the transfer itself ends the payment once',
  },
  twice: { file: 'tests/rail-notices/work.test.ts', title: 'that comes again unchanged counts once' },
  'twice, in other bytes': { file: 'tests/rail-notices/paystack.test.ts', title: 'becomes one deposit' },
  'late by a day': { file: 'tests/rail-notices/work.test.ts', title: 'that rests is how a late return is learned' },
  'reversed before success': {
    file: 'tests/rail-notices/paystack.test.ts',
    title: 'of a return that overtakes that of the success',
  },
  'wrong signature, no header, header twice': {
    file: 'tests/rails/conformance.ts',
    title: 'refuses notices without a signature, or with another one',
  },
  'wrong key, signature over re-serialised JSON': { file: 'tests/rails/paystack.test.ts', title: '$name: forged' },
  'changed white space': { file: 'tests/rails/conformance.ts', title: 'refuses a body in which any byte was changed' },
  'the account of another tenant': { file: 'tests/deposits/one-notice.test.ts', title: 'credits the first one alone' },
  'an account without an owner': {
    file: 'tests/deposits/waiting.test.ts',
    title: 'waits for an operator, who gives it',
  },
  'an unknown event': { file: 'tests/rails/paystack.test.ts', title: 'of other kinds are stored under their names' },
  '900 KiB': { file: 'tests/api/rail-notices.test.ts', title: 'takes 900 KiB, of any type' },
  'a reference of another rail or environment': {
    file: 'tests/rail-notices/work.test.ts',
    title: 'from another rail has no effect',
  },
  'while the database is down': {
    file: 'tests/rail-notices/work.test.ts',
    title: 'is answered with 503 while the database is away',
  },
  never: { file: 'tests/rails/conformance.ts', title: 'says in the end what truly happened' },
  'another amount than the provider has': {
    file: 'tests/rails/paystack.test.ts',
    title: 'take the amount, id and account of a deposit from the transaction that Paystack returns',
  },
}
