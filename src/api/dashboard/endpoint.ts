// What an endpoint of the dashboard is: one value, as those of /v1 are. Its path says whom it concerns: below
// /dashboard/api/b/:business one business, below …/:environment one tenant; the door looks both up, judges the permission
// by them, and hands them to `handle`.

import type { z } from 'zod'
import type { Actor, Tenant } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import { bodyBytesMax } from '#api/server/input.ts'
import type { Endpoint, Method, Reply } from '#api/server/endpoint.ts'
import type { Exchange } from '#api/server/exchange.ts'
import { noParams, noQuery } from '#api/server/fields.ts'
import type { Role, SignedIn, Visit } from '#users/service.ts'
import type { Permission } from './admit.ts'

/**
 * `public`: whoever comes. `half`: the password was right, the second factor may still be due. `signed-in`: a person, for
 * what is their own. `operator`: a person who looks after the installation. All others stand in the table of permissions.
 */
export type Admission = 'public' | 'half' | 'signed-in' | 'operator' | Permission

/** Where a person calls from, and what their cookie held, right or wrong. */
export type Visitor = Visit & {
  token: string | undefined
  /** The reference of the payout that they confirmed to send a second one like. */
  confirmed: string | null
}

/** A file that is made while it is sent: however long it is, little of it is in memory. */
export type Download = { name: string; type: string; lines: AsyncIterable<string> }

export type DashboardReply = Reply & {
  /** Put into the cookies: a person signed in, or their sign-in became stronger. Null: they signed out. */
  cookie?: { token: string; deviceToken?: string } | null
  /** In place of the data. */
  download?: Download
  /** In place of an answer: the connection is kept, and whoever takes it answers. */
  takeOver?: (exchange: Exchange) => void
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

export type DashboardEndpoint = Pick<
  Endpoint,
  'method' | 'path' | 'emptyReference' | 'params' | 'query' | 'body' | 'bodyOptional' | 'bodyBytesMax' | 'items'
> & {
  permission: Admission
  stepUp: 'production' | 'always' | undefined
  /** Whether it changes anything: what does not, asks no second factor of its own. */
  writes: boolean
  /** As how many requests it counts against the person's quota; as one when absent. */
  countsAs?: ((body: unknown) => number) | undefined
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
  /** False: it is a person's own way of looking, for which production wants no second factor. */
  changesBusiness?: boolean
  /** What the path names beside business and environment. */
  params?: Params
  query?: Query
  /** Absent on reads. Of a write without one the body is not looked at. */
  body?: Body
  bodyBytesMax?: number
  handle: (input: Common<Params, Query, Body> & Who<A> & Place<Path>) => Promise<DashboardReply>
}): DashboardEndpoint {
  return {
    params: noParams,
    query: noQuery,
    body: undefined,
    bodyBytesMax,
    bodyOptional: false,
    items: undefined,
    emptyReference: false,
    ...options,
    stepUp: options.stepUp,
    writes: options.method !== 'GET' && options.changesBusiness !== false,
    handle: options.handle as unknown as DashboardEndpoint['handle'],
  }
}
