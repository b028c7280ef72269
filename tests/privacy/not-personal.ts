// The columns of db/schema.sql that say nothing about a person: states, amounts, times, our own ids, and names of
// banks, providers and operators. Every other column stands in docs/privacy.md. Before you add one, ask which person it
// could name.

export const notPersonal: Record<string, string> = {
  api_key:
    'id lane tenant_id hash prefix last_four created_at last_used_at expires_at revoked_at scopes made_to_expire_at',
  api_key_revocation: 'lane tenant_id key_id revoked_at',
  api_request: 'lane tenant_id id at key_id method route status error_code duration_ms agent request_id',
  audit_entry: 'number at actor_kind act tenant_id business_id person_id role request_id outcome hash',
  audit_lock: 'one',
  business: 'id time_zone is_compulsory_factor compulsory_factor_roles has_receipt_links logo created_at',
  customer: 'lane tenant_id id ordinal status created_at updated_at',
  deposit_refund: 'lane tenant_id deposit_id status asked_at asks due_at why refusal again created_at updated_at',
  deposit:
    'lane tenant_id id ordinal status currency amount fee provider provider_id bank_name sender_bank_name return_reason paid_at created_at updated_at due_at held',
  event: 'lane tenant_id source_id name id created_at sample trace',
  review_item: 'id environment kind lane tenant_id currency amount raised_at closed_at',
  hourly_stat:
    'lane tenant_id hour kind currency outcome reason count amount fees took_1s took_2s took_5s took_10s took_30s took_1m took_2m took_5m took_15m took_1h took_6h took_1d took_longer',
  search_term: 'lane tenant_id kind ordinal',
  search_word: 'lane tenant_id kind ordinal',
  search_name: 'lane tenant_id kind',
  search_pending: 'lane tenant_id kind ordinal due_at',
  search_progress: 'lane tenant_id kind ordinal ended worded beginnings',
  go_live_waiver: 'lane tenant_id point created_at',
  sign_in_failure: 'wrong last_at closed_until',
  letter: 'id kind person_id business_id token status attempts created_at expires_at due_at ended_at error',
  letter_choice: 'person_id business_id kind wants',
  reset_request: 'created_at',
  inbound_notice:
    'environment provider provider_id status currency amount sender_bank_name occurred_at received_at resolved_at',
  float_movement: 'environment rail currency kind subject lane reference debit credit amount at country fraction',
  float_total: 'environment rail currency until_at balance receivable bank cost tenants suspense',
  float_wallet_total:
    'environment rail currency country until_at balance receivable bank cost tenants suspense fraction',
  installation: 'id lanes password_salt secret_keys',
  invitation: 'id business_id role token_hash invited_by created_at expires_at',
  known_device: 'person_id token_hash seen_at',
  ledger_account: 'lane tenant_id currency name debits credits movements touched_at incoming limited switched_on',
  event_archive: 'lane until since rows removed digest previous sealed_at removed_at',
  event_archive_digest: 'lane tenant_id until count digest',
  ledger_archive: 'lane until since rows removed digest previous sealed_at removed_at',
  ledger_archive_digest: 'lane tenant_id cause until count digest',
  ledger_archive_sum: 'lane tenant_id currency name until debits credits movements last_entry balance_after',
  ledger_movement: 'lane tenant_id id currency debit credit amount kind source_id entry balance_after created_at',
  low_balance_alert: 'lane tenant_id amount',
  low_balance_alert_in_currency: 'lane tenant_id currency amount',
  membership: 'business_id person_id role created_at',
  migration: 'name checksum applied_at',
  one_time_link: 'token_hash kind person_id expires_at made_by business_id role',
  payment:
    'lane tenant_id id kind ordinal status currency amount fee bank_slug bank_name session_id failure_reason created_at updated_at completed_at succeeded_at due_at submitted_at asks operator operator_reference approval otp_expires_at otp_accepted_at otp_tries otp_wrong expires_at deposit_id rail key_id rail_word rail_reference trace parked_at attempts submission_answer expired_at expired_as',
  passkey: 'id person_id credential_id public_key sign_count transports created_at last_used_at',
  passkey_challenge: 'challenge_hash purpose asker_hash expires_at',
  person: 'id password totp_secret totp_pending totp_last_step has_passkey is_operator created_at',
  receipt_link: 'lane tenant_id id token_hash created_at',
  recipient: 'lane tenant_id id kind institution verified_at created_at changed_at approved_at due_at',
  recovery_code: 'person_id hash',
  saved_view: 'lane tenant_id id person_id noun is_shared created_at',
  sign_in:
    'id person_id token_hash previous_hash previous_until level stepped_up_until wrong_codes created_at proven_at seen_at',
  payout_approval: 'lane tenant_id draft_id person_id maker_id content_hash created_at',
  payout_draft:
    'lane tenant_id id key status maker_id created_at submitted_at expires_at content_hash approvals_needed rows currency total fees decided_at completed_at retry_of due_at schedule_id run_at held_since',
  payout_draft_row: 'lane tenant_id draft_id number kind amount institution resolution outcome retried_in',
  payout_schedule: 'lane tenant_id draft_id repeats month_day first_at approval state next_at due_at',
  payout_policy: 'lane tenant_id mode above above_in approvers changed_at proposed proposed_by proposed_at',
  payout_limit: 'lane tenant_id per_payment per_day day day_amount',
  payout_limit_in_currency: 'lane tenant_id currency per_payment per_day day day_amount',
  provider_account: 'environment mark rail known_since',
  provider_notice: 'environment provider provider_id lane tenant_id',
  quota_count: 'bucket minute used',
  rail_attempt: 'lane tenant_id payment_id rail attempt why left_at',
  rail_break: 'id environment rail kind amount currency about_at opened_at closed_at',
  rail_check:
    'environment rail loop due_at began_at from_at to_at step cursor pages marked_cursor cut proved_until why balance wallets',
  rail_line:
    'environment rail list line_id direction cause amount fee currency state at balance_after country fraction seen_at due_at reference',
  rail_notice: 'environment rail digest received_at state due_at tries',
  rail_try: 'lane tenant_id payment_id asked answered detail first_at last_at times milliseconds',
  rail_process: 'id alive_until breakers',
  rail_offers: 'environment rail offers read_at due_at',
  rail_resumption: 'environment rail resumed_at',
  brake: 'environment business_id rail reason since by_kind',
  retention_progress: 'lane tenant_id list ordinal at id',
  tenant: 'lane id business_id environment created_at',
  virtual_account:
    'lane tenant_id id ordinal type bank_name bank_slug currency status amount amount_policy expires_at customer_id created_at updated_at due_at rail handle opened_at',
  virtual_account_number: 'environment lane opened_at rail rail_reference tenant_id turn',
  virtual_account_opening:
    'lane tenant_id id type customer_id bank_slug amount amount_policy expires_at created_at given_up_at due_at rail',
  webhook_attempt: 'lane tenant_id delivery_id attempt trigger response_code duration_ms created_at',
  webhook_delivery:
    'lane tenant_id id subscription_id source_id event ordinal subscription_ordinal status attempts automatic_attempts response_code last_attempt_at next_attempt_at retry_requested delivered_at created_at updated_at due_at',
  webhook_subscription:
    'lane tenant_id id url events status disabled_because secret secret_hint old_secret old_secret_until failing_since forgery_refused_at created_at updated_at',
}
