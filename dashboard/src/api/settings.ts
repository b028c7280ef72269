// Settings of a business, and the steps to go live.

import { queryOptions } from '@tanstack/react-query'
import { ask, underBusiness } from './client.ts'
import type { Role } from './me.ts'

export type Settings = {
  id: string
  name: string
  timeZone: string
  compulsoryFactorRoles: Role[]
  hasReceiptLinks: boolean
}

export function settingsQuery(businessId: string) {
  return queryOptions({
    queryKey: [businessId, 'settings'],
    queryFn: async () => (await ask<Settings>(underBusiness(businessId, 'settings'))).data,
  })
}

export async function changeSettings(businessId: string, changes: Partial<Omit<Settings, 'id'>>): Promise<void> {
  await ask(underBusiness(businessId, 'settings'), { method: 'PATCH', body: changes })
}

type Logo = {
  /** A data URL. */
  image: string | null
}

export function logoQuery(businessId: string) {
  return queryOptions({
    queryKey: [businessId, 'logo'],
    queryFn: async () => (await ask<Logo>(underBusiness(businessId, 'logo'))).data,
  })
}

/** `image`: the file in Base64; null removes the logo. */
export async function changeLogo(businessId: string, image: string | null): Promise<void> {
  const path = underBusiness(businessId, 'logo')
  await (image === null ? ask(path, { method: 'DELETE' }) : ask(path, { method: 'POST', body: { image } }))
}

export async function createBusiness(name: string): Promise<{ id: string; name: string }> {
  return (await ask<{ id: string; name: string }>('/dashboard/api/businesses', { method: 'POST', body: { name } })).data
}

export type GoLivePoint = {
  id: string
  title: string
  state: 'done' | 'open' | 'waived'
  says: string
  waivedBy: string | null
  reason: string | null
  href: string | null
}

export type GoLive = { points: GoLivePoint[]; isReady: boolean; hasLiveKey: boolean }

export function goLiveQuery(businessId: string) {
  return queryOptions({
    queryKey: [businessId, 'production', 'go-live'],
    queryFn: async () => (await ask<GoLive>(underBusiness(businessId, 'production/go-live'))).data,
  })
}

export async function waivePoint(businessId: string, id: string, reason: string): Promise<void> {
  await ask(underBusiness(businessId, 'production/go-live/waive'), { method: 'POST', body: { id, reason } })
}

export type ForgedAnswer = { url: string; verdict: 'refused' | 'taken' | 'unclear'; statusCode: number | null }

/** Sends each webhook of production a delivery with a wrong signature, which it should refuse. */
export async function sendForgeries(businessId: string): Promise<ForgedAnswer[]> {
  const path = underBusiness(businessId, 'production/forgeries')
  return (await ask<{ webhooks: ForgedAnswer[] }>(path, { method: 'POST' })).data.webhooks
}
