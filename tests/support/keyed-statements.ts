// Every statement of the service, by how it is planned. The test of a room holds those that it names to what they cost on
// tables that grew (no-statistics.ts); tests/base/statement-plans.test.ts sees to it that none is in neither list.

/** Asked on the dedicated connections, where a plan is made once and kept. By the folder of tests that measures them. */
export const keyedStatements = {
  payments: [
    'payments.find',
    'payments.lock',
    'payments.insert',
    'payments.insert_mobile_money',
    'payments.end',
    'payments.change_mobile_money',
    'payments.last_of_tenants',
    'ledger.lock_accounts',
    'ledger.insert_movements',
    'ledger.update_accounts',
    'ledger.balances',
    'events.subscribers',
    'events.insert',
    'events.insert_deliveries',
  ],
  claims: ['payments.postpone'],
  deposits: [
    'deposits.find',
    'deposits.find_by_notice',
    'deposits.insert',
    'deposits.settle',
    'deposits.take_notices',
    'deposits.owners_of_notices',
    'deposits.last_of_tenants',
    'accounts.lock',
    'accounts.complete',
    'customers.of_accounts',
  ],
  customers: [
    'customers.find',
    'customers.insert',
    'customers.last_of_tenants',
    'accounts.insert',
    'accounts.owners',
    'accounts.rivals',
    'accounts.reserve_numbers',
    'accounts.last_of_tenants',
    'openings.lock',
    'openings.insert',
    'openings.change',
    'openings.delete_many',
  ],
  sending: [
    'webhooks.lock_for_record',
    'webhooks.record_deliveries',
    'webhooks.insert_attempts',
    'webhooks.health',
    'webhooks.write_health',
    'webhooks.give_back',
  ],
} satisfies Record<string, string[]>

/** The same, on tables that hold a few rows for each business, or by one whole key, as those above find theirs. */
export const keyedOnSmallTables = [
  'audit.insert',
  'audit.lock_head',
  'audit.move_head',
  'businesses.keys_by_hash',
  'deposits.resolve_notice',
  'exceptions.insert',
  'exceptions.close_settled',
  'payments.find_holds',
  'payments.limits',
  'payments.limit_days',
  'webhooks.insert_subscription',
  'webhooks.lock_subscriptions',
  'webhooks.update_subscription',
]

/** Asked on the pool: planned each time, with the values. */
export const plannedEachTime = [
  /^(base|listen|migrations|ledger\.entries)\./,
  /^businesses\.(?!keys_by_hash)/,
  /\.(verify_|page|count_|last_ordinal|before_by_|ends_by_)/,
  /^audit\.(head|after|latest|latest_of_business)$/,
  /^ledger\.(open_accounts|mark_limited)$/,
  /^payments\.(claim|due|put_limit|paid_out_after|pause|paused|pauses|resume|tenants_of|wake_held)$/,
  /\.(sealed|reseal)$/,
  /^secrets\./,
  /^deposits\.(keep_notice|find_kept_notices|find_due|last_failed)$/,
  /^exceptions\.(list_open|lock|close)$/,
  /^customers\.(update|business_name)$/,
  /^accounts\.(find|close|expire|due)$/,
  /^openings\.(claim|delete)$/,
  /^webhooks\.(waiting|due|claim|claim_requested|park|in_hand|old_logs|prune)$/,
  /^webhooks\.(delivery|event_data|attempts|attempts_with_bodies|subscription|subscriptions)$/,
  /^webhooks\.(lock_delivery|request_retry|request_retries)$/,
]
