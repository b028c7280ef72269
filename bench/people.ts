// Creates people who are signed in, to measure requests of the dashboard.

import { createHash } from 'node:crypto'
import type { Uuid } from '#platform/ids.ts'
import { asOwner } from './owner.ts'
import type { Rig } from './scenario.ts'

/**
 * The dashboard's address. It is https, so that the session cookie has the name `__Host-manilla`. The load generator
 * does not use this address: it calls the service's port.
 */
export const dashboardSettings = { DASHBOARD_URL: 'https://bench.example/dashboard' }

/** Enough people that none of them sends more requests in a minute than the service allows a person. */
export const people = 2_000

/** Returns the headers with which a page of the dashboard sends its requests. */
export function pageHeaders(sequence: number): Record<string, string> {
  return {
    host: 'bench.example',
    'sec-fetch-site': 'same-origin',
    cookie: `__Host-manilla=${tokenOf(sequence % people)}`,
  }
}

function tokenOf(index: number): string {
  return String(index).padStart(43, '0')
}

/** Creates owners of this business, each with a session. */
export async function signPeopleIn({ ownerUrl }: Rig, business: Uuid): Promise<void> {
  const hashes = Array.from({ length: people }, (_, index) => createHash('sha256').update(tokenOf(index)).digest('hex'))
  await asOwner(ownerUrl, (owner) => owner.query(peopleSql, [hashes, business]))
}

const peopleSql = `
  with one as (select gen_random_uuid() as id, n, hash from unnest($1::text[]) with ordinality as v (hash, n)),
  person_of as (
    insert into person (id, email, name, password, created_at)
    select id, 'bench' || n || '@example.ng', 'Bench ' || n, '$argon2id$none', now() from one),
  member_of as (
    insert into membership (business_id, person_id, role, created_at) select $2, id, 'owner', now() from one)
  insert into sign_in (id, person_id, token_hash, level, address, device, created_at, proven_at, seen_at)
  select gen_random_uuid(), id, decode(hash, 'hex'), 'full', '127.0.0.1', 'bench', now(), now(), now() from one`
