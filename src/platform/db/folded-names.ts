// Names of people and firms as a search compares them: without case, accents and punctuation. The database folds what
// is stored, and this process folds what a user typed. Both must fold alike, so only ASCII letters change their case.

/** `customer_by_name` is an index on this expression, so a change needs a new index. */
export const foldedName = (sql: string): string =>
  `btrim(regexp_replace(lower(regexp_replace(normalize(${sql}, NFD) collate "C", '[\\u0300-\\u036f]+', '', 'g')), '[[:space:][:punct:]]+', ' ', 'g'))`

const punctuation = /[\t-\r !-/:-@[-`{-~]+/g
const outerSpace = /^ | $/g

export function foldName(text: string): string {
  // Most names are ASCII, which has nothing to decompose.
  const lower = /^[\0-\x7f]*$/.test(text)
    ? text.toLowerCase()
    : text
        .normalize('NFD')
        .replaceAll(/[\u0300-\u036f]+/g, '')
        .replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  return lower.replaceAll(punctuation, ' ').replaceAll(outerSpace, '')
}

const [keyLengthMax, keysMax] = [100, 5]

/**
 * SQL for a lateral join that makes the keys by which a name is found: the folded name, begun at each of its first
 * words, because banks write the surname first and people do not. `ada n obi` has the keys `ada n obi`, `n obi ada` and
 * `obi ada n`.
 */
export const nameKeys = (sql: string): string =>
  `(select string_to_array(left(${foldedName(sql)}, ${keyLengthMax}), ' ') as words) as w
   cross join lateral (
     select array_to_string(words[i:] || words[:i - 1], ' ') as name
       from generate_series(1, least(cardinality(words), ${keysMax})) as i) as n`

export function keysOfName(name: string): string[] {
  const folded = foldName(name)
  const words = (folded.length > keyLengthMax ? Array.from(folded).slice(0, keyLengthMax).join('') : folded).split(' ')
  const keys = words.slice(0, keysMax).map((_, at) => [...words.slice(at), ...words.slice(0, at)].join(' '))
  return [...new Set(keys)].filter((key) => key !== '')
}

export function endOfPrefix(prefix: string): string {
  return `${prefix}\u{10FFFF}`
}
