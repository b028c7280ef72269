// Search for pages by name, and for records by a reference, a name, an amount, an account number, a session id, a phone number
// or an id. A text that looks like a secret key is not sent.

import { Autocomplete } from '@base-ui/react/autocomplete'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useDeferredValue, useRef, useState, type MouseEvent } from 'react'
import type { Place } from '#api/client.ts'
import { findQuery, type Hit, type HitKind } from '#api/finder.ts'
import { formatMoney } from '#format/money.ts'
import { lookOf } from '#format/statuses.ts'
import { formatTime } from '#format/time.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import fieldStyles from '#ui/field.module.css'
import { Notice } from '#ui/states.tsx'
import { useZone } from '#ui/values.tsx'
import styles from './frame.module.css'
import { pathOfHit } from './hit-path.ts'
import type { Search } from '#table/search.ts'
import { paths } from './paths.ts'
import { useMe, usePlace } from './place.ts'
import { sectionGroups } from './sections.ts'

type Way = {
  key: string
  name: string
  hint: string
  path: string
  search?: Search
  /** A result of the text that was typed before. It stays on screen until the next answer. */
  isEarlier?: boolean
}

/** Secrets, in the forms that the server also recognizes (reporting/search.ts). They are not searched for. */
const secretKey = /sk_(?:live|test)_|whsec_/i
const shortestSearch = 3

type PaletteProps = {
  onClose: () => void
  /** Returns the keys that were typed before the field had the focus. */
  releaseKeys: () => string
}

export function Palette({ onClose, releaseKeys }: PaletteProps) {
  const [typed, setTyped] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const isSecret = secretKey.test(typed)
  const { ways, state, error, retry } = useWays(typed.trim(), isSecret)
  return (
    <Dialog title="Search" first={field} onClose={onClose}>
      <Autocomplete.Root
        inline
        open
        mode="none"
        items={ways}
        itemToStringValue={({ name }) => name}
        autoHighlight="always"
        keepHighlight
        value={typed}
        // The typed text stays if a result is opened in another tab.
        onValueChange={(value, { reason }) => (reason === 'item-press' ? undefined : setTyped(value))}
      >
        <Autocomplete.Input
          ref={field}
          className={fieldStyles.input}
          aria-label="Search"
          placeholder="A page, a name, a reference, an amount, an account number …"
          spellCheck={false}
          onFocus={() => {
            const held = releaseKeys()
            if (held !== '') setTyped((text) => text + held)
          }}
        />
        {isSecret ? <Notice tone="failed">This is a secret key. Do not paste it; it was not sent.</Notice> : null}
        {error === undefined ? null : (
          <Notice tone="failed" action={<Button onClick={retry}>Try again</Button>}>
            The search failed: {error} This does not mean that the record does not exist.
          </Notice>
        )}
        <Autocomplete.List aria-label="Results" className={styles.hits}>
          {(way: Way) => <WayItem key={way.key} way={way} onClose={onClose} />}
        </Autocomplete.List>
      </Autocomplete.Root>
      <p className={state === 'searching' || state === 'nothing' ? styles.searchState : 'only-read'} role="status">
        {sayState(state, ways.length)}
      </p>
    </Dialog>
  )
}

function WayItem({ way, onClose }: { way: Way; onClose: () => void }) {
  const leave = (event: MouseEvent): void => {
    // When Enter chooses the first result, the click has no pointer, so `detail` is 0. Enter must not open a result of
    // an earlier text: a person who pastes a reference means the result of that reference.
    if (way.isEarlier === true && event.detail === 0) return event.preventDefault()
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) onClose()
  }
  return (
    <Autocomplete.Item
      value={way}
      className={styles.hit}
      onClick={leave}
      render={<Link to={way.path} {...(way.search === undefined ? {} : { search: way.search })} />}
    >
      <span>{way.name}</span>
      <span>{way.hint}</span>
    </Autocomplete.Item>
  )
}

type SearchState = 'idle' | 'searching' | 'found' | 'nothing' | 'failed'

function sayState(state: SearchState, count: number): string {
  if (state === 'searching') return 'Searching …'
  if (state === 'failed') return 'The search failed'
  if (state === 'nothing')
    return 'No record matches. Search by a reference or its beginning, a name, an amount, an account number, a phone number, an e-mail address, a session id or an id.'
  return `${count} found`
}

type SearchResult = { ways: Way[]; state: SearchState; error: string | undefined; retry: () => void }

/** Records come first, then pages whose name matches. */
function useWays(typed: string, isSecret: boolean): SearchResult {
  const place = usePlace()
  const { person } = useMe()
  const zone = useZone()
  const q = useDeferredValue(typed)
  const isAsked = q.length >= shortestSearch && !isSecret && !secretKey.test(q)
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    ...findQuery(place, q),
    enabled: isAsked,
    placeholderData: keepPreviousData,
    retry: false,
  })
  const word = typed.toLowerCase()
  const pages = sectionGroups
    .flatMap(({ sections }) => sections)
    .filter(({ name }) => name.toLowerCase().includes(word))
    .filter(({ isOfStaging }) => isOfStaging !== true || place.environment === 'staging')
    .filter(({ isForOperators }) => isForOperators !== true || person.isOperator)
    .map(({ name, path }) => ({ key: name, name, hint: 'Page', path: path(place) }))
  const failure = isAsked && !isFetching ? error : null
  const found = isAsked && failure === null ? data : undefined
  const hits = [
    ...(found?.hits ?? []).map((hit) => wayTo(hit, place.businessId, zone, '')),
    ...(found?.elsewhere ?? []).map((hit) => wayTo(hit, place.businessId, zone, `in ${hit.environment}`)),
  ]
  const isEarlier = isPlaceholderData || q !== typed
  const unknown = found !== undefined && hits.length === 0 ? unknownWays(q, place) : []
  return {
    ways: [...hits.map((hit) => ({ ...hit, isEarlier })), ...pages, ...unknown],
    state: stateOf({ isAsked, isSearching: isFetching || q !== typed, failed: failure !== null, count: hits.length }),
    error: failure?.message,
    retry: () => void refetch(),
  }
}

type Lookup = { isAsked: boolean; isSearching: boolean; failed: boolean; count: number }

function stateOf({ isAsked, isSearching, failed, count }: Lookup): SearchState {
  if (!isAsked) return 'idle'
  if (isSearching) return 'searching'
  if (failed) return 'failed'
  return count === 0 ? 'nothing' : 'found'
}

const requestForm = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
const kindsOfPayments: [tab: string | undefined, name: string][] = [
  [undefined, 'Bank transfers'],
  ['momo-transfers', 'Mobile-money transfers'],
  ['collections', 'Collections'],
]

/** An unknown text may be a request id, or the business's own reference of a payment. */
function unknownWays(text: string, place: Place): Way[] {
  if (requestForm.test(text)) {
    const name = `Actions of the request ${text.slice(0, 8)}…`
    return [{ key: 'request', name, hint: 'Audit log', path: paths.audit(place), search: { target: text } }]
  }
  return kindsOfPayments.map(([tab, kind]) => ({
    key: `metadata-${tab ?? 'transfers'}`,
    name: `${kind} with “${text}” in the metadata`,
    hint: 'Search all',
    path: paths.payments(place),
    search: { ...(tab === undefined ? {} : { tab }), metadata: text },
  }))
}

const kindNames: Record<HitKind, string> = {
  transfer: 'Bank transfer',
  'momo-transfer': 'Mobile-money transfer',
  collection: 'Collection',
  deposit: 'Deposit',
  customer: 'Customer',
  account: 'Virtual account',
  event: 'Webhook delivery',
  key: 'API key',
  recipient: 'Recipient',
  request: 'API request',
  subscription: 'Webhook',
}

function wayTo(hit: Hit, businessId: string, zone: string, where: string): Way {
  const { kind, reference, title, status, amount, currency, environment, at } = hit
  const hint = [
    kindNames[kind],
    title === '' ? '' : reference,
    amount === null ? '' : formatMoney(amount, currency ?? 'NGN'),
    status === null ? '' : lookOf(status).words,
    formatTime(at, zone, Date.now()),
    where,
  ]
  return {
    key: `${environment}-${kind}-${reference}`,
    name: title === '' ? reference : title,
    hint: hint.filter((part) => part !== '').join(' · '),
    path: pathOfHit(hit, { businessId, environment }),
    ...(kind === 'recipient' ? { search: { search: reference } } : {}),
  }
}
