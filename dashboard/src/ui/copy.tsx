// A copyable value shows it on hover and focus, and confirms the copy.

import { useState, type ReactNode } from 'react'
import { Button } from './button.tsx'
import styles from './copy.module.css'
import { Icon } from './icons.tsx'

const copiedMs = 1500

/** Shows `children` and copies `text`, which may differ: a number without its spaces. */
export function Copyable({ text, what, children }: { text: string; what: string; children: ReactNode }) {
  const { isCopied, copy } = useCopy(text)
  return (
    <span className={styles.copyable}>
      <span title={text}>{children}</span>
      <button
        type="button"
        className={styles.button}
        data-copied={isCopied ? '' : undefined}
        aria-label={`Copy ${what}`}
        onClick={copy}
      >
        <Icon name={isCopied ? 'check' : 'copy'} size={14} />
      </button>
      <Said isCopied={isCopied} />
    </span>
  )
}

/** A complete secret, link or command with a copy button. */
export function CopyField({ text, label = 'Copy' }: { text: string; label?: string }) {
  const { isCopied, copy } = useCopy(text)
  return (
    <div className={styles.secret}>
      <code>{text}</code>
      <Button isSmall onClick={copy}>
        {isCopied ? 'Copied' : label}
      </Button>
      <Said isCopied={isCopied} />
    </div>
  )
}

/** A button that copies a text from elsewhere on the page, or a long one. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const { isCopied, copy } = useCopy(text)
  return (
    <>
      <Button onClick={copy}>{isCopied ? 'Copied' : label}</Button>
      <Said isCopied={isCopied} />
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

function useCopy(text: string): { isCopied: boolean; copy: () => void } {
  const [isCopied, setCopied] = useState(false)
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), copiedMs)
  }
  return { isCopied, copy: () => void copy() }
}
