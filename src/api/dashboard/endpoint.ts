// Defines an endpoint of the dashboard as one value, like those of /v1. Its path determines its subject: one business
// below /dashboard/api/b/:business, one tenant below …/:environment. The pipeline looks up the business and the tenant,
// checks the permission and passes them to `handle`.

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
 * Who may call an endpoint. `public`: anyone. `half`: a user whose password was right, even if the second factor is still
 * due. `signed-in`: any user, for their own data. `operator`: a user who operates the installation. Otherwise: a user
 * whose role has this permission.
 */
export type Admission = 'public' | 'half' | 'signed-in' | 'operator' | Permission

/** Where a request comes from, and the session token in its cookie, valid or not. */
export type Visitor = Visit & {
  token: string | undefined
  /** The reference of an earlier payout, if the user confirmed that they want a second one like it. */
  confirmed: string | null
}

/** A file that is generated while it is sent, so that a file of any length needs little memory. */
export type Download = { name: string; type: string; pieces: AsyncIterable<string | Uint8Array> }

export type DashboardReply = Reply & {
  /** The cookies of a new session. Null clears the session cookie, because the user signed out. */
  cookie?: { token: string; deviceToken?: string } | null
  download?: Download
  /** Sends the response itself, in place of the data, as the live stream does. */
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
  /** Returns the user as the audit log names them, or the service if no user is signed in. */
  by: () => Actor
  /**
   * Throws unless the second factor was checked recently. Endpoints that need the check only for some bodies or records
   * call this; endpoints that always need it set `stepUp`.
   */
  requireStepUp: () => void
}

/**
 * The input of any endpoint. `dashboardEndpoint` gives `handle` a narrower type: the path and the permission decide
 * which fields are present.
 */
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
  /** True if the endpoint may change more than the user's own view. In production, it then needs a second factor. */
  writes: boolean
  /** Returns the number of requests that a call counts as in the user's quota. Default: one. */
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
  /** Asks for a recent second factor also where the permissions table does not: in production, or always. */
  stepUp?: 'production' | 'always'
  /** False if the endpoint changes only the user's own view; production then needs no second factor. Default: true. */
  changesBusiness?: boolean
  /** The parameters of the path except business and environment. */
  params?: Params
  query?: Query
  /** Absent if the endpoint takes no body. A body that is sent is then ignored. */
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
