// Faults with a name, so that each can be switched on and off: `--with rail-change`, `--without clocks`. One that finds a
// bug which is known and not mended yet is off by default, and says so; whoever mends the bug turns it on for good.

export type Switch = { byDefault: boolean; what: string }

export const switches = {
  deadlocks: { byDefault: true, what: 'a deadlock in PostgreSQL is a failure, in place of a figure' },
  // Off until the model knows that a payment waits for the rail that it went to, when that one is not configured any more.
  'rail-change': { byDefault: false, what: 'instances are started again with another bank behind them' },
  // Off until instances are given these clocks as those of their machines: today they are taken in place of the database's.
  clocks: { byDefault: false, what: 'clocks are wrong by minutes and up to an hour, in place of less than a second' },
  // Off until it was tried for long against the limits of time that calls of a rail have.
  'hanging-rail': { byDefault: false, what: 'calls of a bank never come back' },
  // Off until a provider's notice is one over all tenants: today each tenant that it names is credited.
  'notice-to-two': {
    byDefault: false,
    what: 'a provider tells one payment twice, the second time for another account',
  },
  // Off until it was tried for long: processes look for new lanes every second.
  'lanes-while-serving': { byDefault: false, what: 'lanes are added and nobody is started again' },
  'huge-amounts': { byDefault: true, what: 'testers collect, fund and pay in the largest amounts that a field takes' },
  crashes: { byDefault: true, what: 'instances die at any moment, and others are started' },
  'kill-postgres': { byDefault: true, what: 'PostgreSQL is killed with signal 9' },
  cuts: { byDefault: true, what: 'connections are cut, also around a COMMIT' },
  stalls: { byDefault: true, what: 'an instance or its connections stand still for up to a minute' },
} as const satisfies Record<string, Switch>

export type SwitchName = keyof typeof switches

export type Switched = (name: SwitchName) => boolean

export const switchNames = Object.keys(switches) as SwitchName[]

export function isSwitchName(text: string): text is SwitchName {
  return Object.hasOwn(switches, text)
}
