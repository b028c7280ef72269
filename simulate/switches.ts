// Faults and databases that can be switched on and off: `--with rail-change`, `--without clocks`. A fault that finds a known bug
// is off by default and says so; the commit that fixes the bug switches it on.

export type Switch = { byDefault: boolean; what: string }

export const switches = {
  deadlocks: { byDefault: true, what: 'a deadlock in PostgreSQL is a failure, and not only counted' },
  'rail-change': { byDefault: true, what: 'instances are started again with another bank behind them' },
  clocks: { byDefault: true, what: 'clocks are wrong by minutes and up to an hour, not by less than a second' },
  'hanging-rail': { byDefault: true, what: 'calls of a bank never come back' },
  'notice-to-two': {
    byDefault: true,
    what: 'a provider reports one payment twice, the second time for another account',
  },
  'lanes-while-serving': { byDefault: true, what: 'lanes are added without a restart' },
  'huge-amounts': {
    byDefault: true,
    what: 'some collections, fundings and payouts have the largest amount that a field takes',
  },
  crashes: { byDefault: true, what: 'instances die at any moment, and others are started' },
  'kill-postgres': { byDefault: true, what: 'PostgreSQL is killed with signal 9' },
  cuts: { byDefault: true, what: 'connections are cut, also around a COMMIT' },
  stalls: { byDefault: true, what: 'an instance or its connections stand still for up to a minute' },
  corrections: {
    byDefault: true,
    what: 'a person ends, returns and adjusts by hand, adopts money, closes what is open, pauses and resumes',
  },
  'database-clock': { byDefault: true, what: 'the clock of PostgreSQL steps back by an hour' },
  'rail-names': {
    byDefault: true,
    what: 'with real-rails: entries of RAILS_FILE are renamed one instance after the other, rightly and wrongly',
  },
  contradictions: {
    byDefault: true,
    what: 'a provider in production says that a payout succeeded and then that it failed, or the other way round, or nothing',
  },
  pooler: { byDefault: false, what: 'instances reach PostgreSQL through PgBouncer, which the machine must have' },
  patroni: {
    byDefault: false,
    what: 'three machines under Patroni replace the one PostgreSQL; the primary dies five times',
  },
  citus: { byDefault: false, what: 'the workers of a Citus store the lanes; one of them dies five times' },
  'untrue-refusals': {
    byDefault: true,
    what: 'providers refuse transfers that they make, with unknown codes, and do not show them at once',
  },
  'late-showing': {
    byDefault: true,
    what: 'providers hide payments for up to 40 minutes, or say first that they have one and then that they do not',
  },
  'refused-repeats': {
    byDefault: true,
    what: 'a provider loses its answer to a transfer, hides it for an hour, refuses it when it is sent again, and pays it',
  },
  'early-failures': { byDefault: true, what: 'Monnify and pawaPay report FAILED before they report the true status' },
  'odd-lists': {
    byDefault: true,
    what: 'lists of Paystack and Monnify have odd names and ends, and repeat pages for a while',
  },
  'real-rails': { byDefault: false, what: 'bank transfers go to Paystack and Monnify, by weight, over their adapters' },
  pawapay: {
    byDefault: false,
    what: 'with real-rails, which it switches on: wallets in cedis, Ugandan shillings and CFA francs at pawaPay',
  },
} as const satisfies Record<string, Switch>

export type SwitchName = keyof typeof switches

export type Switched = (name: SwitchName) => boolean

export const switchNames = Object.keys(switches) as SwitchName[]

/**
 * Switches for another database than the embedded one, or for another way to it. A world has at most one of them. They
 * need programs that a machine may lack, so `--with all` leaves them out.
 */
export const grounds: SwitchName[] = ['pooler', 'patroni', 'citus']

/** Adds the switches that the given ones need to have an effect. */
export function withImplied(names: readonly SwitchName[]): SwitchName[] {
  return names.includes('pawapay') ? [...names, 'real-rails'] : [...names]
}

export function isSwitchName(text: string): text is SwitchName {
  return Object.hasOwn(switches, text)
}
