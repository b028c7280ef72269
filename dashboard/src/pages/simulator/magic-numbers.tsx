// The account and phone numbers whose outcome is known beforehand.

import { Link } from '@tanstack/react-router'
import numbers from '#api/magic-numbers.json' with { type: 'json' }
import { groupAccountNumber } from '#format/ids.ts'
import { sayCodes } from '#format/statuses.ts'
import { paths } from '#shell/paths.ts'
import { usePlace } from '#shell/place.ts'
import type { Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'
import { Copyable } from '#ui/copy.tsx'
import styles from './simulator.module.css'

type Magic = { number: string; happens: string }

const happens: Column<Magic> = {
  id: 'happens',
  head: 'What happens',
  cell: (row) => sayOutcome(row.happens),
  isWrapped: true,
  isOnPhone: true,
}

const phoneColumns: Column<Magic>[] = [
  { id: 'number', head: 'Phone', cell: ({ number }) => <Number number={number} />, isOnPhone: true, isWhole: true },
  happens,
]

const accountColumns: Column<Magic>[] = [
  {
    id: 'number',
    head: 'Account number',
    cell: ({ number }) => <Number number={number} />,
    isOnPhone: true,
    isWhole: true,
  },
  happens,
  { id: 'use', head: 'Use', cell: ({ number }) => <UseAccount number={number} />, align: 'end', isOnPhone: true },
]

const outcomes: [code: RegExp, words: string][] = [
  [/\bFAILED (?=[A-Z])/g, 'Fails: '],
  [/\bFAILED\b/g, 'Fails'],
  [/\bSUCCESS, REVERSED\b/g, 'Succeeds, is returned'],
  [/\bSUCCESS\b/g, 'Succeeds'],
  [/\bEXPIRED\b/g, 'expired'],
]

/** Translates an outcome as the documentation lists it: words replace the codes. */
function sayOutcome(listed: string): string {
  const said = outcomes.reduce((text, [code, words]) => text.replaceAll(code, words), listed)
  const words = sayCodes(said).replace('a code is needed', 'Needs a code')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export function MagicNumbers() {
  return (
    <div className={styles.numbers}>
      <Numbers label="Account numbers" columns={accountColumns} rows={numbers.accounts} />
      <Numbers label="Phones" columns={phoneColumns} rows={numbers.phones} />
    </div>
  )
}

function Numbers({ label, columns, rows }: { label: string; columns: Column<Magic>[]; rows: Magic[] }) {
  return <DataTable label={label} columns={columns} rows={rows} keyOf={({ number }) => number} empty={null} />
}

function Number({ number }: { number: string }) {
  if (!/^\d+$/.test(number)) return number
  return <Copyable text={number} what="the number" children={groupAccountNumber(number)} />
}

/** The form of a payout opens with the number filled in. */
function UseAccount({ number }: { number: string }) {
  const place = usePlace()
  if (!/^\d+$/.test(number)) return null
  return (
    <Link to={paths.newPayout(place)} search={{ account: number }} aria-label={`Use ${number}`}>
      Use
    </Link>
  )
}
