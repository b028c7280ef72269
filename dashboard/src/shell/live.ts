// The stream of hints that records have changed. A browser allows six connections to a host, so one tab of a business
// and environment leads: it keeps the stream open and passes hints to the others. When it closes, the next one leads.
// Each tab says which records it shows, and the address of the stream names the records of all tabs.

import { addressOf, under, type Place } from '#api/client.ts'
import { namesOf } from './shown.ts'

export type Hint = { noun: string; reference: string; status: string | null }
/** `polling`: the stream is not open, so the page reads its data again every ten seconds. */
export type LiveState = 'connecting' | 'live' | 'polling'

type Listener = { onHint: (hint: Hint) => void; onState: (state: LiveState) => void }
export type Listening = {
  show: (references: readonly string[]) => void
  stop: () => void
}

type Told = { hint: Hint } | { state: LiveState }
/** `isNew`: a tab that was just opened; the others answer with the records that they show. */
type Message = Told | { tab: string; shows: readonly string[]; isNew: boolean }

const reconnectMs = 10_000
/**
 * When a person changes the page, the old page removes its records and the new one adds its own a moment later. The
 * wait makes one reconnect of the two changes.
 */
const gatherMs = 300

export function listenTo(place: Place, { onHint, onState }: Listener): Listening {
  const name = `manilla.live.${place.businessId}.${place.environment}`
  const channel = new BroadcastChannel(name)
  const end = new AbortController()
  const tab = crypto.randomUUID()
  const shown = new Map<string, readonly string[]>([[tab, []]])
  let latest: LiveState = 'connecting'
  const stream = createStream((names) => addressOf(under(place, 'live'), { names }), tell)

  function hear(message: Message): void {
    if ('hint' in message) onHint(message.hint)
    else if ('state' in message) onState((latest = message.state))
    else note(message.tab, message.shows)
  }
  function tell(message: Told): void {
    if (end.signal.aborted) return
    channel.postMessage(message)
    hear(message)
  }
  function note(whose: string, references: readonly string[]): void {
    shown.set(whose, references)
    stream.name([...shown.values()].flat())
  }
  function show(shows: readonly string[], isNew = false): void {
    note(tab, shows)
    channel.postMessage({ tab, shows, isNew } satisfies Message)
  }

  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    hear(data)
    if (!('isNew' in data) || !data.isNew) return
    show(shown.get(tab) ?? [])
    if (latest !== 'connecting') channel.postMessage({ state: latest } satisfies Message)
  })
  // A tab that is closed or left runs no cleanup. Without this message the stream would go on naming the records of
  // that tab. The stream names a limited number of records, so some of the other tabs could be left out.
  const leave = (): void => channel.postMessage({ tab, shows: [], isNew: false } satisfies Message)
  addEventListener('pagehide', leave, { signal: end.signal })
  show([], true)
  void navigator.locks.request(name, { signal: end.signal }, () => stream.hold(end.signal)).catch(() => undefined) // Aborted while it waited to lead.
  return {
    show: (references) => show(references),
    stop() {
      show([])
      end.abort()
      channel.close()
    },
  }
}

type Stream = {
  /** Opens the stream again if it must name other records. */
  name: (references: readonly string[]) => void
  /** Keeps the stream open and the lock held until the tab leaves. */
  hold: (signal: AbortSignal) => Promise<void>
}

function createStream(addressOfNames: (names: string | undefined) => string, tell: (told: Told) => void): Stream {
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let [isHeld, names, opened] = [false, '', '']

  function open(): void {
    const [before, next] = [source, new EventSource(addressOfNames(names === '' ? undefined : names))]
    source = next
    opened = names
    next.addEventListener('open', () => {
      before?.close()
      tell({ state: 'live' })
    })
    next.addEventListener('message', ({ data }: MessageEvent<string>) => tell({ hint: JSON.parse(data) as Hint }))
    next.addEventListener('error', () => {
      next.close()
      before?.close()
      if (next !== source) return
      tell({ state: 'polling' })
      openIn(reconnectMs)
    })
  }
  function openIn(ms: number): void {
    clearTimeout(timer)
    timer = setTimeout(open, ms)
  }

  return {
    name(references) {
      names = namesOf(references)
      if (isHeld && names !== opened && source?.readyState !== EventSource.CLOSED) openIn(gatherMs)
    },
    hold: (signal) =>
      new Promise((resolve) => {
        isHeld = true
        open()
        signal.addEventListener('abort', () => {
          isHeld = false
          clearTimeout(timer)
          source?.close()
          resolve()
        })
      }),
  }
}
