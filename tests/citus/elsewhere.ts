// The statements that Citus does not send to the one machine of a lane, and why. All others go to one machine.

import type { Exempt } from '#tests/plans/exempt.ts'

/** Statements that concern no lane: their tables are at the coordinator, or they read no table. */
export const ofNoLane: Exempt[] = [
  {
    names: [
      ...['allow_sorts', 'connections', 'is_distributed', 'limit_statements', 'time'].map((what) => `base.${what}`),
      'migrations.applied',
    ],
    because: 'is about PostgreSQL itself',
  },
  {
    names: [
      'businesses.add_quota_uses',
      'businesses.forget_quota_minute',
      'businesses.lane_count',
      'businesses.lock_installation',
      'people.lock_installation',
      'people.password_salt',
      'people.set_password_salt',
      'secrets.add_key',
      'secrets.keep_key',
      'secrets.keys',
    ],
    because: 'is of the installation, at the coordinator',
  },
  {
    names: [
      'count_guess',
      'forget_challenges',
      'forget_guesses',
      'insert_challenge',
      'lock_guess_buckets',
      'make_guess_buckets',
      'take_challenge',
    ].map((what) => `people.${what}`),
    because: 'guesses at passwords and challenges to passkeys are at the coordinator, beside the people',
  },
  {
    names: [
      ...'claim end postpone delete delete_forgotten waiting sealed reseal'.split(' ').map((what) => `mail.${what}`),
      ...['drop_reset_request', 'insert_reset_request', 'take_reset_requests'].map((what) => `people.${what}`),
    ],
    because: 'letters belong to people and to the installation, at the coordinator',
  },
  {
    names: [
      ...[
        'claim',
        'delete',
        'drop_bodies',
        'finish',
        'insert',
        'latest',
        'list_open',
        'oldest',
        'postpone',
        'reseal',
        'retry',
        'sealed',
      ].map((what) => `notices.${what}`),
      ...[
        'all_checks',
        'ask_for_day',
        'begin_checks',
        'claim_check',
        'find_check',
        'last_settlement',
        'save_check',
      ].map((what) => `reconcile.${what}`),
      ...['claim_lines', 'delete_lines', 'finish_lines', 'keep_lines', 'payout_line', 'payout_lines'].map(
        (what) => `reconcile.${what}`,
      ),
      'reconcile.open_breaks',
      ...['costs', 'first_change', 'last_change'].map((what) => `reconcile.${what}`),
      ...['float_totals', 'float_totals_of', 'total_float'].map((what) => `ledger.${what}`),
      'payments.note_resumption',
      ...'breaker_reports claim_offers count_processes offers remove_process renew_process store_offers'
        .split(' ')
        .map((what) => `rails.${what}`),
    ],
    because: 'is about a provider, whose lists and notices are of the company as a whole, at the coordinator',
  },
  {
    names: ['keep_lane_count', 'lock_lane_count', 'share_lane_count'].map((what) => `businesses.${what}`),
    because: 'is about the number of lanes, which the coordinator alone keeps',
  },
  {
    names: ['events.archive_digests', 'ledger.archive_digests'],
    because: 'adds up the lines of a file, which come with the question',
  },
]

/** Statements of several steps or for several machines. */
export const inSteps: Exempt[] = [
  {
    names: [
      'accounts.reserve_numbers',
      'deposits.take_notices',
      'ledger.insert_float',
      'exceptions.insert',
      'audit.insert',
      'mail.insert',
    ],
    because:
      'rows that belong to no lane are put into a table at the coordinator, and committed with those of the lane',
  },
  {
    names: [
      'payments.brake',
      'payments.note_provider_account',
      'people.insert_recovery_codes',
      'privacy.forget_old_notices',
    ],
    because: 'what is copied to each machine, or lies at the coordinator, is written now and then',
  },
  {
    names: ['follow_payments', 'follow_deposits', 'add_words'].map((what) => `search.${what}`),
    because: 'the loop that fills the finder behind the writes: each step goes to the machine of its lane',
  },
  {
    names: ['payments.verify_float', 'deposits.verify_float'],
    because: '`ledger verify` holds payments against the books of their rails, which are at the coordinator',
  },
  { names: ['ledger.verify_next_lane'], because: '`ledger verify` asks once for each lane which one is next' },
]
