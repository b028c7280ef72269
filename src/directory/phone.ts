// Phone numbers as people write them → E.164, the one form that is stored, compared and shown.

import { parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { countries } from './operators.ts'

/** `08030000000`, `2348030000000` or `+2348030000000` → `+2348030000000`; undefined for anything else. */
export function parsePhoneNumber(unchecked: string): string | undefined {
  if (!/^\+?\d{1,15}$/.test(unchecked)) return undefined
  for (const { callingCode, nationalNumberLength, trunkPrefix } of countries) {
    const national = nationalNumber(unchecked, callingCode, trunkPrefix)
    if (national?.length !== nationalNumberLength || national.startsWith('0')) continue
    // The package alone would guess at what is missing or doubled, so it is asked about the one full form only.
    const found = parsePhoneNumberFromString(`+${callingCode}${national}`, { extract: false })
    if (found?.countryCallingCode === callingCode && found.nationalNumber === national && found.isPossible())
      return found.number
  }
  return undefined
}

function nationalNumber(digits: string, callingCode: string, trunkPrefix: string | null): string | undefined {
  for (const beginning of [`+${callingCode}`, callingCode, ...(trunkPrefix === null ? [] : [trunkPrefix])]) {
    if (digits.startsWith(beginning)) return digits.slice(beginning.length)
  }
  return undefined
}
