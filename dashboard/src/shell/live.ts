// The stream of hints. A browser has six connections to a host, so one tab of a business and environment leads: it holds
// the stream and tells the others. When it is closed, the next one leads.

import { addressOf, under, type Place } from '#api/client.ts'

export type Hint = { noun: string; reference: string; status: string | null }
/** `polling`: the stream is not there, and the page asks every ten seconds in its place. */
export type LiveState = 'connecting' | 'live' | 'polling'

type Listener = { onHint: (hint: Hint) => void; onState: (state: LiveState) => void }
type Message = { hint: Hint } | { state: LiveState }

const reconnectMs = 10_000

/** Listens until what it returns is called. */
export function listenTo(place: Place, { onHint, onState }: Listener): () => void {
  const name = `manilla.live.${place.businessId}.${place.environment}`
  const channel = new BroadcastChannel(name)
  const end = new AbortController()
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if ('hint' in data) onHint(data.hint)
    else onState(data.state)
  })
  const tell = (message: Message): void => {
    if (end.signal.aborted) return
    channel.postMessage(message)
    if ('hint' in message) onHint(message.hint)
    else onState(message.state)
  }
  void navigator.locks
    .request(name, { signal: end.signal }, () => lead(addressOf(under(place, 'live')), tell, end.signal))
    .catch(() => undefined) // Aborted while it waited to lead.
  return () => {
    end.abort()
    channel.close()
  }
}

/** Holds the stream until the tab leaves. The lock is held for as long. */
function lead(address: string, tell: (message: Message) => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let source: EventSource | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    function open(): void {
      source = new EventSource(address)
      source.addEventListener('open', () => tell({ state: 'live' }))
      source.addEventListener('message', ({ data }: MessageEvent<string>) => tell({ hint: JSON.parse(data) as Hint }))
      source.addEventListener('error', () => {
        tell({ state: 'polling' })
        source?.close()
        timer = setTimeout(open, reconnectMs)
      })
    }
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      source?.close()
      resolve()
    })
    open()
  })
}
