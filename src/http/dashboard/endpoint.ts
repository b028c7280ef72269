// What an endpoint of the dashboard is: one value, as those of /v1 are. Its path says whom it concerns: below
// /dashboard/api/b/:business one business, below …/:environment one tenant; the door looks both up, judges the permission
// by them, and hands them to `handle`.

import type { z } from 'zod'
import type { Actor, Tenant } from '#base/context.ts'
import type { Uuid } from '#base/ids.ts'
import { bodyBytesMax } from '#http/body.ts'
import type { Method, Reply } from '#http/endpoint.ts'
import { noParams, noQuery } from '#http/fields.ts'
import type { Role, SignedIn } from '#people/people.ts'
import type { Permission } from './permissions.ts'

/**
 * `public`: whoever comes. `half`: the password was right, the second factor may still be due. `signed-in`: a person, for
 * what is their own. `operator`: a person who looks after the installation. All others stand in the table of permissions.
 */
export type Admission = 'public' | 'half' | 'signed-in' | 'operator' | Permission

/** Where a sign-in comes from, as the person will recognise it. */
export type Visitor = {
  address: string
  /** User-Agent, as it was sent; at most 300 characters. */
  device: string
  /** What the cookie held, right or wrong. */
  token: string | undefined
}

/** A file that is made while it is sent: however long it is, little of it is in memory. */
export type Download = { name: string; type: string; lines: AsyncIterable<string> }

export type DashboardReply = Reply & {
  /** Put into the cookie: a person signed in, or their sign-in became stronger. Null: the cookie goes. */
  cookie?: { token: string } | null
  /** In place of the data. */
  download?: Download
}

type Who<A extends Admission> = A extends 'public' ? { person: SignedIn | undefined } : { person: SignedIn }

type Place<Path extends string> = Path extends `/dashboard/api/b/:business/:environment/${string}`
  ? { business: Uuid; role: Role; tenant: Tenant }
  : Path extends `/dashboard/api/b/:business/${string}`
    ? { business: Uuid; role: Role }
    : unknown

type Common<Params, Query, Body> = {
  params: z.output<Params>
  query: z.output<Query>
  body: z.output<Body>
  requestId: string
  visitor: Visitor
  /** The person, as the audit log names it. Of somebody who is not signed in, the service. */
  by: () => Actor
  /** Throws unless the second factor was asked a moment ago: for what only the body or the data shows to need it. */
  requireStepUp: () => void
}

/** What every path of a place and every admission has in common; which of it is there, `dashboardEndpoint` checks. */
export type AnyInput = Common<z.ZodType, z.ZodType, z.ZodType> & {
  person: SignedIn | undefined
  business: Uuid | undefined
  role: Role | undefined
  tenant: Tenant | undefined
}

export type DashboardEndpoint = {
  method: Method
  path: string
  permission: Admission
  stepUp: 'production' | 'always' | undefined
  params: z.ZodType
  query: z.ZodType
  body: z.ZodType | undefined
  bodyBytesMax: number
  handle: (input: AnyInput) => Promise<DashboardReply>
}

export function dashboardEndpoint<
  const Path extends `/dashboard/api/${string}`,
  const A extends Admission,
  Params extends z.ZodType = typeof noParams,
  Query extends z.ZodType = typeof noQuery,
  Body extends z.ZodType = typeof noParams,
>(options: {
  method: Method
  path: Path
  permission: A
  /** Beyond what the table of permissions wants of writes in production. */
  stepUp?: 'production' | 'always'
  /** What the path names beside business and environment. */
  params?: Params
  query?: Query
  /** Absent on reads. A write without one takes `{}`. */
  body?: Body
  bodyBytesMax?: number
  handle: (input: Common<Params, Query, Body> & Who<A> & Place<Path>) => Promise<DashboardReply>
}): DashboardEndpoint {
  return {
    params: noParams,
    query: noQuery,
    body: options.method === 'GET' ? undefined : noParams,
    bodyBytesMax,
    ...options,
    stepUp: options.stepUp,
    handle: options.handle as unknown as DashboardEndpoint['handle'],
  }
}
