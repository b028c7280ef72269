// The list of keyboard shortcuts.

import { Fragment } from 'react'
import { Dialog } from '#ui/dialog.tsx'
import { Kbd } from '#ui/values.tsx'
import styles from './frame.module.css'
import { sectionGroups } from './sections.ts'

const everywhere: [keys: string[], what: string][] = [
  [['⌘', 'K'], 'Search and go anywhere (Ctrl K elsewhere)'],
  [['/'], 'Search'],
  [['?'], 'This list'],
  [['j'], 'Next row'],
  [['k'], 'Previous row'],
  [['Enter'], 'Open the row'],
  [['c'], 'Copy the reference of the row, or of all that are selected'],
  [['x'], 'Select the row, or no longer'],
  [['e'], 'Export the list'],
  [['['], 'Previous in the list, from one of its records'],
  [[']'], 'Next in the list, from one of its records'],
  [['Esc'], 'Close the open dialog; on a record, go back to its list'],
]

export function Help({ onClose }: { onClose: () => void }) {
  const ways = sectionGroups
    .flatMap(({ sections }) => sections)
    .flatMap(({ letter, name }): typeof everywhere => (letter === undefined ? [] : [[['g', letter], `Go to ${name}`]]))
  return (
    <Dialog
      title="Keyboard shortcuts"
      says="Single letters are silent while you type, and can be switched off in your profile."
      onClose={onClose}
    >
      <dl className={styles.keys}>
        {[...everywhere, ...ways].map(([keys, what]) => (
          <Fragment key={what}>
            <dt>
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </Fragment>
        ))}
      </dl>
    </Dialog>
  )
}
