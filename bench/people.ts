// People who are signed in, to measure requests of the dashboard.

import { createHash } from 'node:crypto'
import type { Uuid } from '#platform/ids.ts'
import { asOwner } from './owner.ts'
import type { Rig } from './scenario.ts'

/**
 * The address of the scenario's dashboard, which gives its cookie a fixed name. The load generator calls another
 * address.
 */
export const dashboardSettings = { DASHBOARD_URL: 'https://bench.example/dashboard' }

/** Enough people for the load, because each has a quota for a minute. */
export const people = 2_000

/** The headers that a page of a person sends. */
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

/** Owners of this business, each with a sign-in. */
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
