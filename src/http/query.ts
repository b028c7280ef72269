/** The query's parameters. One that is given twice becomes an array, which no field accepts. */
export function readQuery(rawQuery: string): Record<string, string | string[]> {
  // Without a prototype, so that a parameter called `__proto__` is a name like any other.
  const query = Object.create(null) as Record<string, string | string[]>
  if (rawQuery === '') return query
  for (const [name, value] of new URLSearchParams(rawQuery)) {
    const before = query[name]
    if (before === undefined) query[name] = value
    else if (typeof before === 'string') query[name] = [before, value]
    else before.push(value)
  }
  return query
}
