// A form. The browser keeps the input, the server validates it, and each fault is shown beside its field. If the
// submission needs a second factor, a dialog over the form asks for it and the submission then continues. A form with
// unsaved input asks before the person leaves it.

import { useBlocker } from '@tanstack/react-router'
import {
  createContext,
  use,
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
  type FormEvent,
  type ReactNode,
} from 'react'
import { sayFault, type Fault } from '#format/amount-faults.ts'
import { Button } from '#ui/button.tsx'
import { waitForAnswer } from '#ui/confirm.tsx'
import { AskToLeave, useHolder } from '#ui/dialog.tsx'
import { Notice } from '#ui/states.tsx'
import styles from './form.module.css'

export type { Fault }
export type Values = Readonly<Record<string, string>>
/** The errors of the API client have this shape. Forms do not import the client. */
type Refused = { message: string; details?: readonly Fault[] }

type Faults = { wrongOf: (name: string) => string | undefined; forgive: (name: string) => void }
const FaultsContext = createContext<Faults>({ wrongOf: () => undefined, forgive: () => undefined })

/** The error of the field of this name; it disappears when the field changes. */
export function useFault(name: string): { wrong: string | undefined; forgive: () => void } {
  const { wrongOf, forgive } = use(FaultsContext)
  return { wrong: wrongOf(name), forgive: () => forgive(name) }
}

/**
 * `onSubmit` resolves with this if it sent nothing, because a dialog asks the person first. The input of the form stays
 * unsaved.
 */
export const unsent = Symbol('unsent')

export type FormProps = {
  submit: string
  onSubmit: (values: Values) => Promise<unknown>
  onCancel?: () => void
  tone?: 'primary' | 'plain' | 'danger'
  disabledReason?: string | undefined
  /**
   * Asks before the person leaves unsaved input. False for a form that saves nothing, such as a sign-in or an export.
   */
  asksToLeave?: boolean
  children?: ReactNode
}

export function Form({
  submit,
  onSubmit,
  onCancel,
  tone = 'primary',
  disabledReason,
  asksToLeave = true,
  children,
}: FormProps) {
  const { isUnsaved, hold, release, question } = useUnsavedInput(asksToLeave)
  const { isBusy, isSending, general, faults, send } = useSubmission(async (values) => {
    // If `onSubmit` opens another page, the person is not asked whether to leave this one.
    const hadInput = release()
    const isSent = await onSubmit(values).then(
      (answer) => answer !== unsent,
      (error: unknown) => {
        if (hadInput) hold()
        throw error
      },
    )
    if (!isSent && hadInput) hold()
  }, hold)
  useHolder(useMemo(() => ({ hasInput: isUnsaved, isSending }), [isUnsaved, isSending]))
  return (
    <FaultsContext value={faults}>
      <form className={styles.form} noValidate onSubmit={send} onInput={hold} onReset={release}>
        {children}
        {general === undefined ? null : <Notice tone="failed">{general}</Notice>}
        <div className={styles.actions}>
          <Button type="submit" tone={tone} isBusy={isBusy} disabledReason={disabledReason}>
            {submit}
          </Button>
          {onCancel === undefined ? null : (
            <Button
              tone="quiet"
              disabledReason={isBusy ? waitForAnswer : undefined}
              onClick={() => {
                release()
                onCancel()
              }}
            >
              Cancel
            </Button>
          )}
        </div>
      </form>
      {question}
    </FaultsContext>
  )
}

/** The forms with unsaved input, by id. A person who leaves is asked once, however many forms the page has. */
const unsaved = new Set<string>()

/** Asks before a person leaves the application without following a link, for example by signing out. */
export function useAskToLeave(): { ask: (leave: () => void) => void; question: ReactNode } {
  const [leaving, setLeaving] = useState<() => void>()
  return {
    ask: (leave) => (unsaved.size === 0 ? leave() : setLeaving(() => leave)),
    question:
      leaving === undefined ? null : (
        <AskToLeave
          onStay={() => setLeaving(undefined)}
          onLeave={() => {
            unsaved.clear()
            setLeaving(undefined)
            leaving()
          }}
        />
      ),
  }
}

type UnsavedInput = {
  isUnsaved: () => boolean
  hold: () => void
  /** There is no unsaved input any more. Returns true if there was. */
  release: () => boolean
  question: ReactNode
}

function useUnsavedInput(asksToLeave: boolean): UnsavedInput {
  const id = useId()
  const isUnsaved = useCallback(() => unsaved.has(id), [id])
  const isLeft = useCallback(
    ({ current, next }: { current: { pathname: string }; next: { pathname: string } }) =>
      isUnsaved() && current.pathname !== next.pathname,
    [isUnsaved],
  )
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: isLeft,
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  })
  useEffect(() => () => void unsaved.delete(id), [id])
  function leave(): void {
    unsaved.clear()
    proceed?.()
  }
  return {
    isUnsaved,
    hold: () => (asksToLeave ? void unsaved.add(id) : undefined),
    release: () => unsaved.delete(id),
    question: status === 'blocked' ? <AskToLeave onStay={reset} onLeave={leave} /> : null,
  }
}

function useSubmission(onSubmit: FormProps['onSubmit'], onChange: () => void) {
  const [isBusy, setBusy] = useState(false)
  const [found, setFound] = useState<readonly Fault[]>([])
  const [general, setGeneral] = useState<string>()
  const sending = useRef(false)
  const isSending = useCallback(() => sending.current, [])

  async function submit(form: HTMLFormElement): Promise<void> {
    setBusy(true)
    setGeneral(undefined)
    setFound([])
    try {
      await onSubmit(valuesOf(form))
    } catch (error) {
      const { known, rest } = sortFaults(error as Refused, form)
      setFound(known)
      setGeneral(rest)
      focusFirst(form, known)
    } finally {
      sending.current = false
      setBusy(false)
    }
  }

  return {
    isBusy,
    isSending,
    general,
    faults: {
      wrongOf: (name: string) => found.find(({ field }) => field === name)?.message,
      forgive(name: string): void {
        onChange()
        setFound((all) => all.filter(({ field }) => field !== name))
      },
    },
    send(event: FormEvent<HTMLFormElement>): void {
      event.preventDefault()
      if (sending.current) return // A second Enter while the first is on its way.
      sending.current = true
      void submit(event.currentTarget)
    },
  }
}

function valuesOf(form: HTMLFormElement): Values {
  const pairs = [...new FormData(form)].filter((pair): pair is [string, string] => typeof pair[1] === 'string')
  return Object.fromEntries(pairs)
}

/** Faults of fields that this form does not have are shown above its buttons. */
function sortFaults(error: Refused, form: HTMLFormElement): { known: readonly Fault[]; rest: string | undefined } {
  const details = error.details ?? []
  const known: Fault[] = []
  const unknown: string[] = []
  for (const fault of details) {
    const { field } = fault
    const label = labelOf(form, field)
    if (label === undefined) unknown.push(sayFault(fault))
    else known.push({ field, message: withLabel(sayFault(fault), field, label) })
  }
  if (details.length === 0) return { known, rest: error.message }
  return { known, rest: unknown.length === 0 ? undefined : unknown.join(' ') }
}

function labelOf(form: HTMLFormElement, field: string): string | undefined {
  // `namedItem` also finds a group of checkboxes, which has no label of its own.
  const control = form.elements.namedItem(field) as Partial<Pick<HTMLInputElement, 'labels'>> | null
  return control === null ? undefined : (control.labels?.[0]?.textContent.trim() ?? '')
}

/** "narration must have at most 100 characters" → "Narration must have at most 100 characters". */
function withLabel(message: string, field: string, label: string): string {
  if (message.startsWith(`${field}: `)) return message.slice(field.length + 2)
  if (label === '' || !message.startsWith(`${field} `)) return message
  return `${label}${message.slice(field.length)}`
}

function focusFirst(form: HTMLFormElement, faults: readonly Fault[]): void {
  const wrong = new Set(faults.map(({ field }) => field))
  const first = [...form.elements].find((element) => wrong.has(element.getAttribute('name') ?? ''))
  if (first instanceof HTMLElement) first.focus()
}

/** A fault that the page finds itself; `onSubmit` throws it before it sends a request. */
export function faultIn(field: string, message: string): Error & Refused {
  return faultsIn([{ field, message }])
}

export function faultsIn(details: readonly Fault[]): Error & Refused {
  return Object.assign(new Error(details.map(({ message }) => message).join(' ')), { details })
}
