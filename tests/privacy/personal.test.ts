// The personal fields of an event, compared with a sample of every event.

import { expect, it } from 'vitest'
import { eventNames } from '#events/catalogue.ts'
import { withoutPersonalData } from '#privacy/personal.ts'
import { sampleOf } from '#webhooks/samples.ts'

/** Retention erases every other field of an event. A new field counts as personal until it is in this list. */
const kept =
  'amount bankName bankSlug completedAt createdAt currency customer depositReference expiresAt failureMessage failureReason fee ' +
  'id isFinal operator operatorReference otpExpiresAt recipientAccountNumber recipientBankName reference requiresOtp ' +
  'senderBankName sessionId status totalDebit type updatedAt virtualAccount'

it.each(eventNames)('personal fields of %s are erased, and the others are unchanged', (name) => {
  const { data } = sampleOf(name, Date.parse('2026-01-15T09:30:00.000Z'))
  // Each field gets a text of its own, whatever the sample contains.
  const full = Object.fromEntries(fieldsOf(data).map((field) => [field, `${field} of somebody`]))
  const after = JSON.parse(withoutPersonalData(JSON.stringify({ nested: full })))
  const same = Object.keys(full).filter((field) => after.nested[field] === full[field])
  expect(same.toSorted()).toEqual(same.filter((field) => kept.split(' ').includes(field)).toSorted())
  const forgotten = Object.keys(full).filter((field) => !same.includes(field))
  expect(forgotten.filter((field) => kept.split(' ').includes(field))).toEqual([])
  for (const field of forgotten) expect([null, 'erased']).toContain(after.nested[field])
  expect(forgotten.length).toBeGreaterThan(2)
})

it('missing fields stay missing, and erasing twice changes nothing more', () => {
  const data =
    '{"id":"dep_1","senderAccountName":"","narration":null,"email":null,"customer":{"email":"a@b.c","firstName":"A"}}'
  const once = withoutPersonalData(data)
  expect(once).toBe(
    '{"id":"dep_1","senderAccountName":"","narration":null,"email":null,"customer":{"email":null,"firstName":"erased"}}',
  )
  expect(withoutPersonalData(once)).toBe(once)
})

function fieldsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => (name === 'metadata' ? [name] : [name, ...fieldsOf(inner)]))
}
