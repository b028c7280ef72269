// One end of a range of amounts. The filter applies on blur or Enter, and only if the text is an amount.

import { useState } from 'react'
import { parseMoney } from '#format/money.ts'
import { Input } from '#ui/field.tsx'
import { currencyIn, type Filters } from './filters.ts'
import styles from './table.module.css'

type AmountFilterProps = { name: 'amountFrom' | 'amountTo'; state: Filters }

export function AmountFilter({ name, state }: AmountFilterProps) {
  const currency = currencyIn(state.search)
  const label = name === 'amountFrom' ? 'From' : 'To'
  const set = state.search[name] ?? ''
  const [typed, setTyped] = useState(set)
  const [shownFor, setShownFor] = useState(set)
  if (shownFor !== set) {
    setShownFor(set)
    setTyped(set)
  }
  const read = parseMoney(typed, currency)
  const wrong = typed.trim() !== '' && 'wrong' in read ? read.wrong : undefined
  const apply = (): void => {
    if (typed.trim() !== set && wrong === undefined) state.change({ [name]: typed.trim() })
  }
  return (
    <label className={styles.filter}>
      {label} {currency === 'NGN' ? '₦' : currency}
      <Input
        isSmall
        size={12}
        inputMode="decimal"
        aria-label={`Amount ${label.toLowerCase()}, in ${currency === 'NGN' ? 'naira' : currency}`}
        aria-invalid={wrong === undefined ? undefined : true}
        title={wrong}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={apply}
        onKeyDown={(event) => (event.key === 'Enter' ? apply() : undefined)}
      />
    </label>
  )
}
