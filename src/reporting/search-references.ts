// How references are found by their parts, in any case. Most references of a business begin alike: `PAYOUT-0001`, `PAYOUT-0002`. The
// index of references finds such a one by a part if the search puts `PAYOUT-` before it, so the payment needs no row of its own in
// the search index. The beginnings that many payments share are kept with the progress of their list.

/** At most so many beginnings are kept of a list, since a search probes the index of references once or twice for each. */
const beginningsMax = 50
/** A beginning is kept if at least so many payments of one step share it. */
const sharingMin = 20
/** At most so many parts of a reference are found, the last ones. */
const partsMax = 3
const partLengthMin = 3

const uuidForm = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-(?=[0-9a-f]{12})/i
const [uuidLength, uuidTailLength] = [36, 12]

/** Only ASCII letters change their case, as in PostgreSQL under the collation C. */
export const inLowerCase = (text: string): string => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
const inUpperCase = (text: string): string => text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase())

type Split = { reference: string; /** Where its words begin. */ starts: number[] }

/**
 * Where the words of a reference begin: it as a whole, and its last parts. The inner groups of a UUID are no parts: they would be
 * most of the index, and a search for four digits finds anything.
 */
function startsOf(reference: string): number[] {
  const all = partStartsOf(reference)
  const uuid = reference.length < uuidLength ? null : uuidForm.exec(reference)
  if (uuid === null) return [0, ...all.slice(-partsMax)]
  const tail = uuid.index + uuid[0].length
  const starts = all.filter((at) => at <= uuid.index || at === tail || at >= tail + uuidTailLength)
  return [0, ...starts.slice(-partsMax)]
}

/** A part begins behind a separator, or where at least three digits follow letters. By characters, for it is asked for each payment. */
function partStartsOf(reference: string): number[] {
  const starts: number[] = []
  let isWord = false // All is letters since the last separator.
  let before: CharacterKind = 'other'
  for (let at = 0; at < reference.length; at++) {
    const kind = kindAt(reference, at)
    if (before === 'other') {
      if (kind !== 'other' && at > 0) starts.push(at)
      isWord = kind === 'letter'
    } else if (kind !== 'letter') {
      if (isWord && /^[0-9]{3}/.test(reference.slice(at, at + 3))) starts.push(at)
      isWord = false
    }
    before = kind
  }
  return starts
}

type CharacterKind = 'letter' | 'digit' | 'other'

function kindAt(text: string, at: number): CharacterKind {
  const code = text.charCodeAt(at)
  if (code >= 48 && code <= 57) return 'digit'
  const small = code | 32
  return small >= 97 && small <= 122 ? 'letter' : 'other'
}

/** A search tries small letters and capitals, so a rest that mixes them is not found behind a beginning. */
function hasOneCase(text: string): boolean {
  return !/[a-z]/.test(text) || !/[A-Z]/.test(text)
}

/**
 * The words of each reference, in lower case: it as a whole and its parts, each up to the end. Words that a search finds behind a
 * beginning are left out; the empty beginning stands for all references. Without any known one no beginning is used.
 */
export function wordsOf(
  references: readonly string[],
  known: ReadonlySet<string> | undefined,
): { words: string[][]; beginnings: ReadonlySet<string> } {
  const split = references.map((reference) => ({ reference, starts: startsOf(reference) }))
  const beginnings = known === undefined ? new Set<string>() : withShared(known, split)
  return { words: split.map((one) => ownWordsOf(one, beginnings)), beginnings }
}

function ownWordsOf({ reference, starts }: Split, beginnings: ReadonlySet<string>): string[] {
  const found = starts.findLast((at) => isFoundBehind(reference, at, beginnings)) ?? -1
  return starts
    .filter((at) => at > found && (at === 0 || reference.length - at >= partLengthMin))
    .map((at) => inLowerCase(reference.slice(at)))
}

function isFoundBehind(reference: string, at: number, beginnings: ReadonlySet<string>): boolean {
  return beginnings.has(reference.slice(0, at)) && hasOneCase(reference.slice(at))
}

/** Adds the beginnings that many references of a step share, the shortest first, because those with a date in them do not last. */
function withShared(known: ReadonlySet<string>, split: readonly Split[]): ReadonlySet<string> {
  if (known.size >= beginningsMax) return known
  const counts = new Map<string, number>()
  for (const { reference, starts } of split) {
    for (const at of starts.toReversed()) {
      if (isFoundBehind(reference, at, known)) break
      const beginning = reference.slice(0, at)
      if (hasOneCase(reference.slice(at))) counts.set(beginning, (counts.get(beginning) ?? 0) + 1)
    }
  }
  const shared = [...counts].filter(([beginning, count]) => beginning === '' || count >= sharingMin)
  if (shared.length === 0) return known
  const added = shared.map(([beginning]) => beginning).toSorted((left, right) => left.length - right.length)
  return new Set([...known, ...added].slice(0, beginningsMax))
}

/**
 * The prefixes of references in which a typed text may be a part: it behind each beginning, or it with the end of a beginning. Each
 * is in the case of the beginning, and the rest in small letters and in capitals.
 */
export function prefixesOf(typed: string, beginnings: readonly string[]): string[] {
  const text = inLowerCase(typed)
  const prefixes = new Set<string>()
  for (const beginning of beginnings) {
    for (const at of new Set([...startsOf(beginning), beginning.length])) {
      const end = inLowerCase(beginning.slice(at))
      const rest = text.slice(end.length)
      if (text.startsWith(end)) prefixes.add(beginning + rest).add(beginning + inUpperCase(rest))
      else if (end.startsWith(text)) prefixes.add(beginning)
    }
  }
  return [...prefixes]
}
