// Who a person is and what they may be in a business. People belong to no tenant, so nothing of theirs has a lane.

import type { Uuid } from '#base/ids.ts'

/** The strongest first. */
export const roles = ['owner', 'admin', 'developer', 'finance', 'support', 'viewer'] as const
export type Role = (typeof roles)[number]

export type Person = {
  id: Uuid
  name: string
  email: string
  hasSecondFactor: boolean
  /** Looks after the installation, beside what they are in businesses. */
  isOperator: boolean
}

/**
 * An owner may do everything to everybody else, an admin to whom is neither. Nobody does anything to themselves: so there
 * is always an owner left, and nobody raises themselves.
 */
export function mayManage(actor: Role, other: Role): boolean {
  if (actor === 'owner') return true
  return actor === 'admin' && other !== 'owner' && other !== 'admin'
}

/** Of a link that lets its holder be this person: it is for people below, or an admin could become another one. */
export function isAbove(actor: Role, other: Role): boolean {
  return mayManage(actor, other) && actor !== other
}

const emailLengthMax = 200

/** One way of writing it, so that an account cannot be had twice. Undefined when it is no address. */
export function parseEmail(unchecked: string): string | undefined {
  const email = unchecked.trim().normalize('NFKC').toLowerCase()
  return email.length <= emailLengthMax && /^[^\s@\p{C}]+@[^\s@\p{C}]+\.[^\s@\p{C}.]+$/u.test(email) ? email : undefined
}

/** What one person is called by others. Undefined when it is empty, too long, or holds what cannot be seen. */
export function parseName(unchecked: string): string | undefined {
  const name = unchecked.trim().normalize('NFC')
  return name.length >= 1 && name.length <= 100 && !/\p{C}/u.test(name) ? name : undefined
}
