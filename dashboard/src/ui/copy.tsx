// Buttons that copy a text, and confirm it. If the browser refuses, a dialog shows the text to copy by hand.

import { useState, type ReactNode } from 'react'
import { Button } from './button.tsx'
import styles from './copy.module.css'
import { Icon } from './icons.tsx'
import { later } from './later.ts'

const CopyByHand = later(async () => (await import('./copy-by-hand.tsx')).CopyByHand)

const copiedMs = 1500

/** Shows `children` and copies `text`, which may differ: a number without its spaces. */
export function Copyable({ text, what, children }: { text: string; what: string; children: ReactNode }) {
  const { isCopied, copy, byHand } = useCopy()
  return (
    <span className={styles.copyable}>
      <span title={text}>{children}</span>
      <button
        type="button"
        className={styles.button}
        data-copied={isCopied ? '' : undefined}
        aria-label={`Copy ${what}`}
        onClick={() => void copy(text)}
      >
        <Icon name={isCopied ? 'check' : 'copy'} size={14} />
      </button>
      <Said isCopied={isCopied} />
      {byHand}
    </span>
  )
}

/** A complete secret, link or command with a copy button. */
export function CopyField({ text, label = 'Copy' }: { text: string; label?: string }) {
  const { isCopied, copy, byHand } = useCopy()
  return (
    <div className={styles.secret}>
      <code>{text}</code>
      <Button isSmall onClick={() => void copy(text)}>
        {isCopied ? 'Copied' : label}
      </Button>
      <Said isCopied={isCopied} />
      {byHand}
    </div>
  )
}

/** A button that copies a text from elsewhere on the page, or a long one. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const { isCopied, copy, byHand } = useCopy()
  return (
    <>
      <Button onClick={() => void copy(text)}>{isCopied ? 'Copied' : label}</Button>
      <Said isCopied={isCopied} />
      {byHand}
    </>
  )
}

function Said({ isCopied }: { isCopied: boolean }) {
  return (
    <span role="status" className="only-read">
      {isCopied ? 'Copied' : ''}
    </span>
  )
}

type Copy = {
  isCopied: boolean
  /** Resolves with false if the browser refused. */
  copy: (text: string) => Promise<boolean>
  byHand: ReactNode
}

export function useCopy(): Copy {
  const [isCopied, setCopied] = useState(false)
  const [refused, setRefused] = useState<string>()
  return {
    isCopied,
    async copy(text) {
      try {
        // `clipboard` is undefined at an insecure origin.
        await navigator.clipboard.writeText(text)
      } catch {
        setRefused(text)
        return false
      }
      setCopied(true)
      setTimeout(() => setCopied(false), copiedMs)
      return true
    },
    byHand: refused === undefined ? null : <CopyByHand text={refused} onClose={() => setRefused(undefined)} />,
  }
}
