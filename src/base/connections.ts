// How many connections to PostgreSQL one process holds at most, and for what. PostgreSQL allows 100 unless told otherwise:
// four processes fit, whatever the number of lanes, and leave some for whoever looks after the database.

export const connectionBudget = {
  /** Lists, look-ups beside the loaders, claims of the loops, rare writes. */
  pool: 10,
  /** All loaders together: a look-up by key is short, and one connection answers tens of thousands a second. */
  readers: 1,
  /** All lanes together: a lane keeps to one of them, and shares it with others when there are more lanes. */
  lanes: 6,
  /** The same for the lanes in which attempts at deliveries are recorded. */
  records: 4,
} as const

export const connectionsPerProcessMax = Object.values(connectionBudget).reduce((sum, count) => sum + count, 0)
