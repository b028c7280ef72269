// Defines an endpoint of the dashboard as one value, like those of /v1. Its path sets the scope: one business below
// /dashboard/api/b/:business, one tenant below …/:environment. The pipeline looks up both, checks the permission and
// passes them to `handle`.

import type { z } from 'zod'
import type { Actor, Tenant } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import { bodyBytesMax } from '#api/server/input.ts'
import type { Endpoint, Method, Reply } from '#api/server/endpoint.ts'
import type { Exchange } from '#api/server/exchange.ts'
import { noParams, noQuery } from '#api/server/fields.ts'
import type { UserRole, SignedIn, Visit } from '#users/service.ts'
import type { Permission } from './permissions.ts'

/**
 * `public`: no sign-in. `half`: the password was right, but the second factor may still be due. `signed-in`: any
 * user, for their own data. `operator`: a user who operates the installation. The others are in the permissions
 * table.
 */
export type Admission = 'public' | 'half' | 'signed-in' | 'operator' | Permission

/** Where a user calls from, and the session token in their cookie, whether valid or not. */
export type Visitor = Visit & {
  token: string | undefined
  /** The reference of an earlier payout, if the user confirmed that they want a second one like it. */
  confirmed: string | null
}

/** A file that is generated while it is sent, so that a file of any length needs little memory. */
export type Download = { name: string; type: string; pieces: AsyncIterable<string | Uint8Array> }

export type DashboardReply = Reply & {
  /** Sets the cookies after a sign-in or a step-up. Null: the user signed out, and the cookie is cleared. */
  cookie?: { token: string; deviceToken?: string } | null
  /** Sent in place of the data. */
  download?: Download
  /** Used in place of a response: this function keeps the connection and responds. */
  takeOver?: (exchange: Exchange) => void
}

type Who<A extends Admission> = A extends 'public' ? { person: SignedIn | undefined } : { person: SignedIn }

type Place<Path extends string> = Path extends `/dashboard/api/b/:business/:environment/${string}`
  ? { business: Uuid; role: UserRole; tenant: Tenant }
  : Path extends `/dashboard/api/b/:business/${string}`
    ? { business: Uuid; role: UserRole }
    : unknown

type Common<Params, Query, Body> = {
  params: z.output<Params>
  query: z.output<Query>
  body: z.output<Body>
  visitor: Visitor
  /** The user, as the audit log names them. If no user is signed in, the service. */
  by: () => Actor
  /**
   * Throws unless the second factor was checked recently. For endpoints where only the body or the data shows that it
   * is needed.
   */
  requireStepUp: () => void
}

/** The input of any endpoint. `dashboardEndpoint` checks by path and permission which of the fields are present. */
export type AnyInput = Common<z.ZodType, z.ZodType, z.ZodType> & {
  person: SignedIn | undefined
  business: Uuid | undefined
  role: UserRole | undefined
  tenant: Tenant | undefined
}

export type DashboardEndpoint = Pick<
  Endpoint,
  'method' | 'path' | 'emptyReference' | 'params' | 'query' | 'body' | 'bodyOptional' | 'bodyBytesMax' | 'items'
> & {
  permission: Admission
  stepUp: 'production' | 'always' | undefined
  /** True if it changes anything. Other endpoints need no second factor by themselves. */
  writes: boolean
  /** The number of requests that it counts as against the user's quota. Default: one. */
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
  /** Required in addition to the rules for writes in production in the permissions table. */
  stepUp?: 'production' | 'always'
  /** False: it only changes the user's own view, for which production needs no second factor. */
  changesBusiness?: boolean
  /** The parameters of the path except business and environment. */
  params?: Params
  query?: Query
  /** Absent on reads. If a write has none, its body is ignored. */
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
