// Search and the way to everywhere: pages by name, and whatever was pasted: a reference, an id, an account number, a
// session id, a phone number. A secret key is never sent anywhere.

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useDeferredValue, useId, useRef, useState, type KeyboardEvent } from 'react'
import type { Place } from '#api/client.ts'
import { findQuery, type Hit } from '#api/finder.ts'
import { formatNaira } from '#format/money.ts'
import { lookOf } from '#format/statuses.ts'
import { Dialog } from '#ui/dialog.tsx'
import { Input } from '#ui/field.tsx'
import { Notice } from '#ui/states.tsx'
import styles from './frame.module.css'
import { pathOfHit } from './hit-path.ts'
import type { Search } from '#table/search.ts'
import { paths } from './paths.ts'
import { useMe, usePlace } from './place.ts'
import { sectionGroups } from './sections.ts'

type Way = { key: string; name: string; hint: string; path: string; search?: Search }

/** As the server knows them (reporting/search.ts), which is asked last. */
const secretKey = /sk_(?:live|test)_|whsec_/i
const shortestSearch = 3

export function Palette({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const field = useRef<HTMLInputElement>(null)
  const list = useId()
  const navigate = useNavigate()
  const isSecret = secretKey.test(typed)
  const ways = useWays(typed.trim(), isSecret)
  const chosen = ways[Math.min(at, ways.length - 1)]

  function go(way: Way | undefined): void {
    if (way === undefined) return
    onClose()
    void navigate({ to: way.path, ...(way.search === undefined ? {} : { search: way.search }) })
  }

  function press(event: KeyboardEvent): void {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Enter') go(chosen)
    if (by === undefined) return
    event.preventDefault()
    setAt(Math.min(Math.max(at + by, 0), Math.max(ways.length - 1, 0)))
  }

  return (
    <Dialog title="Search" first={field} onClose={onClose}>
      <Input
        ref={field}
        role="combobox"
        aria-label="Search"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={chosen === undefined ? undefined : `${list}-${chosen.key}`}
        placeholder="A page, a reference, an account number, a phone number …"
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value)
          setAt(0)
        }}
        onKeyDown={press}
      />
      {isSecret ? <Notice tone="failed">This is a secret key. Do not paste it; it was not sent.</Notice> : null}
      <Ways list={list} ways={ways} chosen={chosen} onGo={go} />
    </Dialog>
  )
}

type WaysProps = { list: string; ways: Way[]; chosen: Way | undefined; onGo: (way: Way) => void }

function Ways({ list, ways, chosen, onGo }: WaysProps) {
  return (
    <>
      <div id={list} role="listbox" aria-label="What was found" className={styles.hits}>
        {ways.map((way) => (
          <div
            key={way.key}
            id={`${list}-${way.key}`}
            role="option"
            aria-selected={way === chosen}
            className={styles.hit}
            onClick={() => onGo(way)}
          >
            <span>{way.name}</span>
            <span>{way.hint}</span>
          </div>
        ))}
      </div>
      <p className="only-read" role="status">
        {ways.length === 0 ? 'Nothing was found' : `${ways.length} found`}
      </p>
    </>
  )
}

/** What was found in the records comes first, then pages of that name. */
function useWays(typed: string, isSecret: boolean): Way[] {
  const place = usePlace()
  const { person } = useMe()
  const q = useDeferredValue(typed)
  const isAsked = q.length >= shortestSearch && !isSecret && !secretKey.test(q)
  const { data } = useQuery({
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
  if (!isAsked || data === undefined) return pages
  const here = data.hits.map((hit) => wayTo(hit, place.businessId, ''))
  const elsewhere = data.elsewhere.map((hit) => wayTo(hit, place.businessId, `in ${hit.environment}`))
  return [...here, ...elsewhere, ...pages, ...(here.length + elsewhere.length === 0 ? unknownWays(q, place) : [])]
}

const requestForm = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
const kindsOfPayments: [tab: string | undefined, name: string][] = [
  [undefined, 'Bank transfers'],
  ['momo-transfers', 'Mobile-money transfers'],
  ['collections', 'Collections'],
]

/** What the finder does not know may be the id of a request, or a business's own word for a payment. */
function unknownWays(text: string, place: Place): Way[] {
  if (requestForm.test(text)) {
    const name = `What was done by the request ${text.slice(0, 8)}…`
    return [{ key: 'request', name, hint: 'Audit log', path: paths.audit(place), search: { target: text } }]
  }
  return kindsOfPayments.map(([tab, kind]) => ({
    key: `metadata-${tab ?? 'transfers'}`,
    name: `${kind} with “${text}” in their metadata`,
    hint: 'Look through',
    path: paths.payments(place),
    search: { ...(tab === undefined ? {} : { tab }), metadata: text },
  }))
}

function wayTo(hit: Hit, businessId: string, where: string): Way {
  const { kind, reference, title, status, amount, environment } = hit
  const hint = [amount === null ? '' : formatNaira(amount), status === null ? '' : lookOf(status).words, where]
  return {
    key: `${environment}-${kind}-${reference}`,
    name: title === '' ? reference : title,
    hint: hint.filter((part) => part !== '').join(' · '),
    path: pathOfHit(hit, { businessId, environment }),
  }
}
