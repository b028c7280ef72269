// Statements that need not cost the same every day, each with the reason.

export type Exempt = { names: string[]; because: string }

/** Statements of a day, which run on the pool alone. */
export const costsMore: Exempt[] = [
  {
    names: ['events.oldest', 'ledger.oldest_movement'],
    because: 'probes each tenant of a lane, once an hour, where no month of the lane is sealed',
  },
  {
    names: ['search.active', 'search.behind', 'search.last_of_next'],
    because: 'probes four lists of each tenant that was active in the last two hours, or, once an hour, of 500 tenants',
  },
  {
    names: ['figures.ended'],
    because:
      'an operator looks: two hours of a lane, which a planner that knows only young rows takes for the whole table',
  },
  {
    names: ['payments.old_unfinished', 'exceptions.lacking'],
    because: 'once a minute, at most 500 payments that have waited for five minutes: tests/payments/alarms.test.ts',
  },
  {
    names: ['payments.page_of_few', 'payments.page_of_success'],
    because: 'a list of one status counts what has it, or what SUCCESS leaves: sql-status-lists.ts measures that',
  },
  {
    names: ['deposits.count_unsettled', 'accounts.count_filtered'],
    because: 'counts what has this status, through the index of it',
  },
  {
    names: ['tenant', 'subscription', 'open'].flatMap((path) => [
      `webhooks.count_by_${path}`,
      `webhooks.page_by_${path}`,
    ]),
    because: 'a filter that has no index walks down its list, and its total counts all of it',
  },
  {
    names: ['webhooks.open_piece', 'webhooks.request_retries'],
    because: 'looks at a piece of what is open in the range that a person asks for: 5,000 rows, however many there are',
  },
  {
    names: ['payments.matching', 'payments.matching_of_status', 'payments.piece_of_status', 'deposits.matching'],
    because: 'looks through a piece of a list: 2,000 rows, however many there are (payments/list.ts)',
  },
  {
    names: ['customers', 'notices', 'people', 'webhooks'].map((room) => `${room}.sealed`),
    because: 'a portion at a time: a change of SECRET_KEY, and one portion at the first start on a database',
  },
]

/** Statements that are not part of every day. */
export const notEveryDay: Exempt[] = [
  {
    names: ['base.begin', 'base.commit', 'base.snapshot', 'base.allow_sorts', 'base.limit_statements'],
    because: 'begins, ends or sets up a transaction, and reads no table',
  },
  {
    names: ['corrections.verify_adjustments', 'corrections.closed_items'],
    because: '`ledger verify` proves adjustments by the index of them, which are few',
  },
  {
    names: ['begin_finder', 'lock_finder', 'erase_terms', 'erase_names'].map((what) => `privacy.${what}`),
    because: 'erasure, on the pool: a look-up in the index of terms for each deposit of the customer',
  },
  {
    names: ['payments.twin'],
    because: 'people send payouts by hand: one scan for a batch, of the latest 20,000 of a list, under the tenant lock',
  },
  {
    names: [
      'insert_draft draft_by_key draft lock_draft count_open change_draft delete_draft release_retried rows',
      'insert_rows clear_references change_rows delete_rows mark_retried approve void_approvals progress',
      'twins_in_drafts resolve put_down_resolving note_outcomes renew_lease put_off finish stop forget policy set_policy',
      'recipient count_recipients insert_recipient change_recipient delete_recipient changed_recipients',
      'approve_recipients put_schedule mark_schedule delete_schedule schedule change_schedule mark_run',
      'count_schedules take_back_runs finish_schedule hold begin_held_run insert_receipt_link receipt_links',
      'delete_receipt_link receipt_link_by_token recipient_tags import_recipients note_verified first_run_to_take_back',
    ]
      .flatMap((names) => names.split(' ').map((what) => `payouts.${what}`))
      .concat('reporting.earlier_payouts'),
    because: 'people propose and approve payouts: at most 10,000 rows of one draft, on the pool',
  },
  {
    names: ['payments.note_shown'],
    because: 'one payment by its key, when its rail told of it: on the pool',
  },
  {
    names: ['people.is_operator', 'people.delete_links_by'],
    because: 'tables of people, of whom there are few',
  },
  {
    names: ['payments.note_provider_account', 'payments.provider_accounts'],
    because: 'one row for each account at a provider',
  },
  {
    names: ['rails.renew_process', 'rails.count_processes', 'rails.remove_process', 'rails.breaker_reports'],
    because: 'one row for each process',
  },
  {
    names: ['rails.claim_offers', 'rails.store_offers', 'rails.offers'],
    because: 'one row for each rail',
  },
  {
    names: ['payments.clear_figures', 'payments.fill_figures'],
    because: '`figures rebuild` reads all that a business has, in one statement, on the pool',
  },
  {
    names: ['webhooks.store_probe'],
    because: 'one subscription by its key, when a person has it tried: on the pool',
  },
  {
    names: ['ledger.sum_entries'],
    because: 'adds up the period that a person asks for, at most 1,000,000 entries (ledger/statement.ts)',
  },
  {
    names: [
      ...['deposits', 'accounts', 'bank_transfer', 'momo_transfer', 'momo_collection'].flatMap((list) => [
        `privacy.old_${list}`,
        `privacy.forget_${list}`,
      ]),
      ...['next_events', 'rewrite_events', 'add_progress', 'lock_progress', 'move_progress'].map(
        (what) => `privacy.${what}`,
      ),
      ...['events_of_sources', 'forget_old_notices', 'open_notices', 'named_notices', 'forget_notices'].map(
        (what) => `privacy.${what}`,
      ),
      ...['customer', 'accounts', 'openings', 'deposits', 'events', 'notices'].map((what) => `privacy.held_${what}`),
      ...[
        'lock_customer',
        'under_way',
        'erase_customer',
        'erase_accounts',
        'deposits_of_customer',
        'erase_deposits',
      ].map((what) => `privacy.${what}`),
      ...['unname_accounts_of_deposits', 'lock_deliveries', 'erase_answers'].map((what) => `privacy.${what}`),
    ],
    because: 'retention and erasure, on the pool: tests/privacy/no-statistics.test.ts counts the rows that they read',
  },
  {
    names: [
      'ledger.verify_next_lane',
      ...['accounts', 'sums', 'entries'].map((what) => `ledger.verify_${what}`),
      ...['reserved', 'incoming', 'collections', 'inflows', 'strays', 'events', 'event_sources', 'ordinals'].map(
        (what) => `payments.verify_${what}`,
      ),
      ...['wanted', 'culprits', 'limited', 'day'].map((what) => `payments.verify_${what}`),
      ...['deposits', 'culprits', 'float'].map((what) => `deposits.verify_${what}`),
      ...['verify_float', 'verify_float_page', 'verify_float_causes'].map((what) => `payments.${what}`),
      ...['float_totals', 'verify_float'].map((what) => `ledger.${what}`),
      'reconcile.verify_lines',
      ...['verify_figures', 'verify_figures_wanted', 'verify_figures_deposits', 'figure_culprits'].map(
        (what) => `payments.${what}`,
      ),
    ],
    because: '`ledger verify` reads everything, a portion at a time, on the pool',
  },
  {
    names: [
      ...['after', 'latest', 'latest_of_business', 'number_before'].map((what) => `audit.${what}`),
      ...['list', 'lock_installation', 'lock_key', 'keys_of_business'].map((what) => `businesses.${what}`),
      ...['insert_revocation', 'revoke_key', 'expire_key'].map((what) => `businesses.${what}`),
      ...['lock', 'close'].map((what) => `exceptions.${what}`),
      'listen.newest',
      ...['note_resumption'].map((what) => `payments.${what}`),
      ...['ask_for_day', 'find_check', 'list_breaks', 'lock_break', 'close_break'].map((what) => `reconcile.${what}`),
    ],
    because: 'the command line asks it, on the pool',
  },
  {
    names: ['listen.keys_after', 'listen.texts'],
    because: 'a program that follows events, on the pool: tests/webhooks/listen-no-statistics.test.ts counts the rows',
  },
  {
    names: [...['customers', 'notices', 'people', 'webhooks'].map((room) => `${room}.reseal`), 'secrets.keep_key'],
    because: 'a change of SECRET_KEY, a portion at a time, on the pool',
  },
  {
    names: [
      'any',
      'begin_totp',
      'by_email',
      'confirm_totp',
      'count_guess',
      'count_recovery_codes',
      'count_wrong_code',
      'delete_expired_links',
      'delete_invitation',
      'delete_invitations_by',
      'delete_links',
      'delete_membership',
      'delete_passkey',
      'rename_passkey',
      'delete_passkeys',
      'delete_recovery_codes',
      'end_old_sign_ins',
      'end_sign_in',
      'end_sign_ins',
      'factor_businesses',
      'first_business',
      'forget_challenges',
      'forget_guesses',
      'forget_old_devices',
      'insert',
      'insert_challenge',
      'insert_invitation',
      'insert_link',
      'insert_membership',
      'insert_passkey',
      'insert_recovery_codes',
      'insert_sign_in',
      'invitation',
      'invitations_of',
      'know_device',
      'link',
      'list',
      'lock',
      'lock_guess_buckets',
      'lock_installation',
      'lock_invitation',
      'lock_invitation_by_token',
      'lock_memberships',
      'lock_sign_in',
      'make_guess_buckets',
      'member_by_email',
      'memberships_of',
      'passkey',
      'passkeys_of',
      'password_salt',
      'remove_totp',
      'renew_sign_in',
      'set_has_passkey',
      'set_name',
      'set_operator',
      'set_password',
      'set_password_salt',
      'set_role',
      'sign_ins_of',
      'take_challenge',
      'take_link',
      'take_recovery_code',
      'take_step',
      'touch_sign_in',
      'use_passkey',
    ].map((what) => `people.${what}`),
    because: 'the people of businesses are few, and each of them is found by a key: on the pool',
  },
  {
    names: ['accounts_to_reset', 'drop_reset_request', 'insert_reset_request', 'is_new_device'].map(
      (what) => `people.${what}`,
    ),
    because:
      'the people of businesses are few, and a request of a new password is answered within seconds: on the pool',
  },
  {
    names: [
      'insert claim end postpone waiting members operators person business',
      'business_of_tenant choices put_choice reseal',
    ].flatMap((names) => names.split(' ').map((what) => `mail.${what}`)),
    because:
      'letters are few, each is found by a key or the index of what is due, and they go after a month: on the pool',
  },
  {
    names: ['failed_payouts', 'failing_webhooks', 'low_balances']
      .map((what) => `letters.${what}`)
      .concat('reconcile.summarize_open'),
    because:
      'once a minute for each lane, in pages of 1,000 rows: one hour of figures, webhooks that fail, and one balance for each alert',
  },
  {
    names: ['lock_settings', 'update_settings', 'logo', 'lock_logo', 'update_logo', 'waivers', 'insert_waiver'].map(
      (what) => `businesses.${what}`,
    ),
    because: 'one row of a business, or the handful of points that its owner waived, found by a key: on the pool',
  },
  {
    names: ['piece_end', 'page'].map((what) => `requests.${what}`),
    because: 'the log of API requests, on the pool: a page looks through a piece of 5,000 rows',
  },
  {
    names: ['views', 'count_views', 'insert_view', 'delete_view'].map((what) => `businesses.${what}`),
    because: 'each member of a business has at most 500 views: they are counted before one is added',
  },
  {
    names: ['audit.page_of_business', 'audit.count_of_business'],
    because: 'a person looks: merged from three indexes, of each at most the latest 20,000 entries of the range',
  },
  {
    names: [
      ...['begin_checks', 'claim_check', 'save_check', 'all_checks'].map((what) => `reconcile.${what}`),
      ...['keep_lines', 'claim_lines', 'finish_lines', 'payout_lines', 'payout_line', 'delete_lines'].map(
        (what) => `reconcile.${what}`,
      ),
      ...['open_breaks', 'heal_breaks', 'open_of_kind', 'known_breaks', 'count_open'].map(
        (what) => `reconcile.${what}`,
      ),
      ...[
        'missing_there',
        'fresh_volume',
        'last_settlement',
        'unsettled',
        'settlement_named',
        'received',
        'costs',
        'first_change',
        'last_change',
        'open_payouts',
      ].map((what) => `reconcile.${what}`),
      ...['float_balances', 'float_openings', 'float_totals_of', 'float_unowned', 'total_float'].map(
        (what) => `ledger.${what}`,
      ),
      ...['of_provider', 'kept_ids'].map((what) => `deposits.${what}`),
      'payments.by_rail_references',
      'payments.under_way',
    ],
    because: 'reconciliation of rails that list, which the simulator does not, on the pool: tests/reconciliation/',
  },
  {
    names: ['add_terms', 'delete_open', 'put_off'].map((what) => `search.${what}`),
    because: 'a payment that has not ended after two minutes, on the pool: tests/reporting/search.alone.test.ts',
  },
  {
    names: ['lock_lane_count', 'keep_lane_count', 'last_lane'].map((what) => `businesses.${what}`),
    because: 'a start or the doctor asks it: one row, or the last one of an index',
  },
  {
    names: [
      ...['lines', 'digests', 'remove', 'bring_back', 'matching', 'last_entry', 'removed', 'lock_seal', 'drop'].map(
        (what) => `ledger.archive_${what}`,
      ),
      ...['seal', 'seal_sums', 'seal_digests', 'sums_of_seal', 'digests_of_seal', 'drop_sums', 'drop_digests'].map(
        (what) => `ledger.archive_${what}`,
      ),
      ...[
        'lines',
        'digests',
        'remove',
        'bring_back',
        'matching',
        'removed',
        'lock_seal',
        'drop',
        'seal',
        'seal_digests',
      ].map((what) => `events.archive_${what}`),
      'events.archive_digests_of_seal',
      'events.archive_drop_digests',
      'base.archive_tenants',
      'archive.has_deliveries',
      'archive.has_unforgotten',
      'payments.verify_untold',
      'payments.verify_sealed_events',
      'payments.verify_stray_events',
      'payments.verify_untold_months',
      'payments.verify_months',
      'deposits.verify_months',
      ...['sealed_sums', 'sealed_digests', 'strays', 'moved_by_payments', 'moved_by_deposits'].map(
        (what) => `ledger.verify_${what}`,
      ),
    ],
    because: '`archive` and `ledger verify` work a portion at a time, on the pool: tests/archive/',
  },
  {
    names: ['webhooks.lock_old', 'webhooks.prune'],
    because: 'deletes a portion of what is too old: tests/webhooks/delivery/prune.test.ts',
  },
  { names: ['notices.retry'], because: 'a person asks for one, by its key: tests/cli/rail-notices.test.ts' },
  {
    names: ['refunds.place_of_money', 'refunds.of_money', 'refunds.hasten'],
    because: 'a provider tells of a refund, by its keys: tests/deposits/send-back.test.ts',
  },
  {
    names: [
      ...['find', 'list_all', 'find_open', 'lock', 'resolve'].map((what) => `refunds.${what}`),
      'exceptions.is_open',
    ],
    because: 'a person asks for a refund or resolves one, or a refund is refused or late: tests/cli/refunds.test.ts',
  },
  {
    names: ['openings.change', 'openings.delete'],
    because: 'a rail that does not answer: tests/virtual-accounts/no-statistics.test.ts',
  },
  {
    names: ['payments.keep_attempts', 'payments.change_rail', 'payments.rails_left'],
    because: 'a day has one rail, and this goes to another: tests/payments/no-statistics-claims.test.ts',
  },
  {
    names: ['payments.find_again'],
    because: 'a collection is paid after it expired: one payment by its key (tests/reconciliation/pawapay.test.ts)',
  },
  {
    names: ['payments.find_holds'],
    because: 'a person ends a payment, or it changes its rail: looked up as payments.find does',
  },
  {
    names: ['ledger.entries.last_of_tenants', 'ledger.entries.page_of_all'],
    because: 'comes with every numbered list, and nobody asks it of this one',
  },
]
