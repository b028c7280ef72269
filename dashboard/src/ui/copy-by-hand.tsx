// Shown if the browser does not let the page copy: the permission is missing, or the origin is not secure.

import { useRef } from 'react'
import { Dialog } from './dialog.tsx'
import { Field, Textarea } from './field.tsx'

const rowsMax = 10

export function CopyByHand({ text, onClose }: { text: string; onClose: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null)
  return (
    <Dialog
      title="Copy the text yourself"
      says="Your browser did not let this page copy. The text is selected: press Ctrl+C (⌘C on a Mac), or use the menu of your phone."
      first={field}
      onClose={onClose}
    >
      <Field label="Text">
        {(ties) => (
          <Textarea
            {...ties}
            ref={field}
            readOnly
            rows={Math.min(text.split('\n').length, rowsMax)}
            value={text}
            onFocus={({ currentTarget }) => currentTarget.select()}
          />
        )}
      </Field>
    </Dialog>
  )
}
