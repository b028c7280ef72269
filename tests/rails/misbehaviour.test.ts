// Every kind of call of the adapters meets every fault of a server and every false answer of its provider. A failed
// question answers nothing, and a failed request counts neither as failed nor as missing. After patient repetition,
// each request was done once.

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { acts, type Act } from '#tests/support/fakes/provider.ts'
import { callsOfMonnify } from './calls-of-monnify.ts'
import { callsOfPawapay } from './calls-of-pawapay.ts'
import { callsOfPaystack } from './calls-of-paystack.ts'
import { nothing, spokenActs, startBench, type Bench, type CallKind } from './calls.ts'
import { misbehaviours, noticeMisbehaviours, otherMutations } from './misbehaviour.ts'

/** Calls that move money. For them alone, "nothing was sent" allows the service to send the payment again. */
const moving = ['a transfer', 'a refund', 'a collection']
const notDone: Act[] = ['too-many', 'too-many-silent', 'no-money', 'key-refused']

const swept = acts.filter(
  (act): act is Exclude<Act, 'answer'> => act !== 'answer' && misbehaviours[act].sweep !== undefined,
)

type Meeting = { act: Act; expected: readonly string[] }

const meetingsOf = ({ right, words }: CallKind): Meeting[] => [
  ...swept.map((act) => ({ act, expected: misbehaviours[act].sweep === 'answers' ? right : nothing })),
  ...spokenActs.flatMap((act) => (words[act] === null ? [] : [{ act, expected: words[act] }])),
]

async function expectSafe(bench: Bench, { title, fake, call, prepare, right }: CallKind, meeting: Meeting) {
  const { act, expected } = meeting
  const about = `${title} that is answered with ${act}`
  bench.clock.advance(60_000)
  const { ask, made } = await prepare()
  fake.meet(call, act)
  const answer = await ask()
  expect(expected, about).toContain(answer.kind)
  expect(fake.met(), `${about}: was met`).toBe(true)
  const mayHaveLeft = moving.some((one) => title.endsWith(`: ${one}`)) && !notDone.includes(act)
  expect(mayHaveLeft && 'sent' in answer, `${about}: sent`).toBe(false)
  // A certain failure is final; a caller without an answer asks again, and the modules decide when.
  const isOver = answer.kind === 'failed'
  bench.clock.advance(60_000)
  const again = isOver ? answer : await ask()
  expect(isOver ? ['failed'] : [...right, 'pending', 'refunded'], `${about}, and asked again`).toContain(again.kind)
  const once = isOver ? 0 : 1
  expect(made?.() ?? once, about).toBe(once)
}

const kindsOf = (bench: Bench): CallKind[] => [
  ...callsOfPaystack(bench),
  ...callsOfMonnify(bench),
  ...callsOfPawapay(bench),
]
const first = await startBench()
const titles = kindsOf(first).map(({ title }) => title)
await first.close()

it.concurrent.each(titles)('%s', async (title) => {
  const bench = await startBench()
  const kind = kindsOf(bench).find((one) => one.title === title)
  if (kind === undefined) throw new Error(title)
  try {
    for (const meeting of meetingsOf(kind)) await expectSafe(bench, kind, meeting)
    expect(kind.fake.faults).toEqual([])
  } finally {
    await bench.close()
  }
})

it('knows for each act which mutation it kills', () => {
  expect(Object.keys(misbehaviours).toSorted()).toEqual(acts.filter((act) => act !== 'answer').toSorted())
  expect([...swept, ...spokenActs].toSorted()).toEqual(Object.keys(misbehaviours).toSorted())
})

it.each([...Object.entries(otherMutations), ...Object.entries(noticeMisbehaviours)])(
  'a mutation or a notice: %s',
  async (_act, { file, title }) => {
    expect(await readFile(path.join(import.meta.dirname, '../..', file), 'utf8')).toContain(title)
  },
)
