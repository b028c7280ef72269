// Chooses the events of a subscription, in groups. Each event has a text that says when it occurs.

import events from '#api/events.json' with { type: 'json' }
import { Checkbox } from '#ui/field.tsx'
import styles from './events-field.module.css'
import { useFault, type Values } from '#form/form.tsx'

type Named = (typeof events)[number]

const groups: [string, Named[]][] = [
  ['Bank transfers', named('transfer.')],
  ['Deposits', events.filter(({ name }) => name.includes('deposit.'))],
  ['Mobile money', named('momo.')],
]

function named(start: string): Named[] {
  return events.filter(({ name }) => name.startsWith(start))
}

const prefix = 'event:'

export function EventsField({ chosen = [] }: { chosen?: readonly string[] }) {
  const { wrong, forgive } = useFault('events')
  return (
    <fieldset className={styles.groups} name="events" onChange={forgive}>
      {groups.map(([title, members]) => (
        <div key={title} className={styles.group}>
          <h3>{title}</h3>
          {members.map(({ name, when }) => (
            <Checkbox key={name} name={`${prefix}${name}`} defaultChecked={chosen.includes(name)}>
              {name}
              <span className={styles.when}>{when}</span>
            </Checkbox>
          ))}
        </div>
      ))}
      {wrong === undefined ? null : <p className={styles.wrong}>{wrong}</p>}
    </fieldset>
  )
}

export function eventsOf(values: Values): string[] {
  return Object.keys(values)
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
}
