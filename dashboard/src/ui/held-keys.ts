// Keeps the keys and pasted text that come between the shortcut that opens a dialog and the focus of its field. Otherwise the
// first letters of a quick typist are lost, and a search goes out for the rest.

export type HeldKeys = {
  /** Returns the keys typed so far and stops collecting. */
  release: () => string
}

export function holdKeys(): HeldKeys {
  let text = ''
  const press = (event: KeyboardEvent): void => {
    const { key } = event
    if (event.ctrlKey || event.metaKey || event.altKey || (key.length !== 1 && key !== 'Backspace')) return
    event.preventDefault()
    event.stopPropagation()
    text = key === 'Backspace' ? text.slice(0, -1) : text + key
  }
  const paste = (event: ClipboardEvent): void => {
    text += event.clipboardData?.getData('text') ?? ''
  }
  document.addEventListener('keydown', press, { capture: true })
  document.addEventListener('paste', paste, { capture: true })
  return {
    release: () => {
      document.removeEventListener('keydown', press, { capture: true })
      document.removeEventListener('paste', paste, { capture: true })
      const held = text
      text = ''
      return held
    },
  }
}
