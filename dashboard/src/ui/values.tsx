// Money, times, ids and code as they are drawn everywhere.

import { createContext, use, type ReactNode } from 'react'
import { groupAccountNumber } from '#format/ids.ts'
import { absent, formatMoney, splitMoney, type Currency } from '#format/money.ts'
import { formatAgo, formatTime } from '#format/time.ts'
import { Copyable } from './copy.tsx'
import styles from './values.module.css'

const PageCurrency = createContext<Currency>('NGN')

/** The currency of the amounts in `children` that state none. */
export function CurrencyProvider({ currency, children }: { currency: Currency; children: ReactNode }) {
  return <PageCurrency value={currency}>{children}</PageCurrency>
}

export function useCurrency(): Currency {
  return use(PageCurrency)
}

/** `₦1,500.00` that never wraps; `kobo` is the minor unit of any currency. */
export function Money({ kobo, currency }: { kobo: number | null | undefined; currency?: Currency | undefined }) {
  const own = useCurrency()
  return <span className={styles.number}>{formatMoney(kobo, currency ?? own)}</span>
}

export function Figure({ kobo }: { kobo: number }) {
  const { sign, symbol, whole, fraction } = splitMoney(kobo, useCurrency())
  return (
    <span className={`${styles.figure} ${styles.number}`}>
      {sign}
      {symbol}
      {whole}
      <span className={styles.fraction}>{fraction}</span>
    </span>
  )
}

const Zone = createContext('Africa/Lagos')

export function ZoneProvider({ zone, children }: { zone: string; children: ReactNode }) {
  return <Zone value={zone}>{children}</Zone>
}

export function useZone(): string {
  return use(Zone)
}

/** A time in the zone of the screen; its title is the time in UTC. `ago` adds how long ago it is. */
export function Time({ at, ago = false }: { at: string | null | undefined; ago?: boolean }) {
  const zone = useZone()
  if (at === null || at === undefined) return <span className={styles.muted}>{absent}</span>
  const nowMs = new Date().getTime()
  return (
    <time dateTime={at} title={at}>
      <span className={styles.number}>{formatTime(at, zone, nowMs)}</span>
      {ago ? <span className={styles.muted}> · {formatAgo(at, nowMs)}</span> : null}
    </time>
  )
}

/** A complete id, because search does not find a part of one. */
export function Id({ id, what = 'the id' }: { id: string; what?: string }) {
  return <Copyable text={id} what={what} children={id} />
}

export function AccountNumber({ number }: { number: string }) {
  return <Copyable text={number} what="the account number" children={groupAccountNumber(number)} />
}

export function Code({ label, children }: { label: string; children: string }) {
  return (
    <pre className={styles.code} tabIndex={0} role="region" aria-label={label}>
      <code>{children}</code>
    </pre>
  )
}

/** JSON with line breaks; a text that is no JSON stays unchanged. */
export function Json({ label, text }: { label: string; text: string }) {
  return <Code label={label}>{indent(text)}</Code>
}

function indent(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

export function Kbd({ children }: { children: string }) {
  return <kbd className={styles.kbd}>{children}</kbd>
}

/** `modules`: the rows of dots that uqr returns; true is dark. */
export function QrCode({ modules, says }: { modules: readonly (readonly boolean[])[]; says: string }) {
  const path = modules.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <svg className={styles.qr} viewBox={`0 0 ${modules.length} ${modules.length}`} role="img" aria-label={says}>
      <path d={path} fill="#000" shapeRendering="crispEdges" />
    </svg>
  )
}
