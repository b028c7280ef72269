<?php

// Written by `npm run generate` from docs/openapi.json. Do not change it by hand.

declare(strict_types=1);

namespace Manilla;

/**
 * The records of the API, as arrays. Later versions may add fields and values.
 *
 * @phpstan-type AmountPolicy string
 * @phpstan-type AmountRange array{min: int, max: int, ...}
 * @phpstan-type Kobo int
 * @phpstan-type Balance array{currency: string, available: Kobo, reserved: Kobo, ledger: Kobo, ...}
 * @phpstan-type BalanceList array{balances: list<Balance>, ...}
 * @phpstan-type Bank array{name: string, slug: string, code: string, nipCode: string|null, type: string, country: 'NG', currency: 'NGN', active: bool, ...}
 * @phpstan-type BankAccount array{accountNumber: string, accountName: string, bankSlug: string, bankName: string, bankCode: string, ...}
 * @phpstan-type BankFailureReason string
 * @phpstan-type BankList array{banks: list<Bank>, ...}
 * @phpstan-type BulkTransferOutcome string
 * @phpstan-type TransferStatus string
 * @phpstan-type Time string
 * @phpstan-type Transfer array{id: string, reference: string, status: TransferStatus, isFinal: bool, amount: Kobo, fee: Kobo, totalDebit: Kobo, currency: string, bankSlug: string, bankName: string, accountNumber: string, accountName: string, narration: string|null, sessionId: string|null, failureReason: BankFailureReason|null, failureMessage: string|null, metadata: array<string, string>|null, createdAt: Time, updatedAt: Time, completedAt: Time|null, ...}
 * @phpstan-type ErrorCode string
 * @phpstan-type FieldErrorCode string
 * @phpstan-type Currency string
 * @phpstan-type FieldErrorParams array{min?: int, max?: int, ranges?: list<AmountRange>, step?: int, required?: int, available?: int, currency?: Currency, resetsAt?: Time, ...}
 * @phpstan-type FieldError array{field: string, message: string, code: FieldErrorCode, params?: FieldErrorParams, ...}
 * @phpstan-type ErrorDetail array{code: ErrorCode, message: string, details?: list<FieldError>, ...}
 * @phpstan-type BulkTransferResult array{index: int, reference: string|null, outcome: BulkTransferOutcome, transfer: Transfer|null, error: ErrorDetail|null, ...}
 * @phpstan-type MomoCompletion string
 * @phpstan-type MomoFailureReason string
 * @phpstan-type CompleteMomoCollectionRequest array{status: MomoCompletion, failureReason?: MomoFailureReason}
 * @phpstan-type CompleteMomoTransferRequest array{status: MomoCompletion, failureReason?: MomoFailureReason}
 * @phpstan-type TransferCompletion string
 * @phpstan-type CompleteTransferRequest array{status: TransferCompletion, failureReason?: BankFailureReason}
 * @phpstan-type Country string
 * @phpstan-type CreateCustomerRequest array{reference: string, firstName: string, lastName: string, email?: string|null, phoneNumber?: string|null, bvn?: string|null, metadata?: array<string, string>|null}
 * @phpstan-type EventName string
 * @phpstan-type Environment string
 * @phpstan-type CreateWebhookRequest array{url: string, events: list<EventName>, environment?: Environment}
 * @phpstan-type CustomerStatus string
 * @phpstan-type Customer array{id: string, reference: string, firstName: string, lastName: string, email: string|null, phoneNumber: string|null, status: CustomerStatus, bvnVerified: bool, metadata: array<string, string>|null, createdAt: Time, updatedAt: Time, ...}
 * @phpstan-type DepositStatus string
 * @phpstan-type VirtualAccountType string
 * @phpstan-type VirtualAccountMention array{id: string, type: VirtualAccountType, reference: string|null, accountNumber: string, ...}
 * @phpstan-type CustomerMention array{id: string, reference: string, firstName: string, lastName: string, email: string|null, ...}
 * @phpstan-type StaticAccountDeposit array{id: string, amount: Kobo, reference: string, status: DepositStatus, currency: string, senderAccountName: string, senderAccountNumber: string, senderBankName: string, recipientAccountName: string, recipientAccountNumber: string, recipientBankName: string, narration: string, fee: Kobo, createdAt: Time, updatedAt: Time, virtualAccount: VirtualAccountMention, customer: CustomerMention, ...}
 * @phpstan-type CustomerDepositSuccessEvent array{id: string, event: 'customer.deposit.success', type: 'customer.deposit.success', environment: Environment, createdAt: Time, timestamp: Time, reference: string, data: StaticAccountDeposit, ...}
 * @phpstan-type CustomerList array{customers: list<Customer>, ...}
 * @phpstan-type DeleteWebhookResult array{id: string, deleted: true, ...}
 * @phpstan-type DeliveryStatus string
 * @phpstan-type DeliveryTrigger string
 * @phpstan-type Deposit array{id: string, amount: Kobo, reference: string, status: DepositStatus, currency: string, senderAccountName: string, senderAccountNumber: string, senderBankName: string, recipientAccountName: string, recipientAccountNumber: string, recipientBankName: string, narration: string, fee: Kobo, createdAt: Time, updatedAt: Time, ...}
 * @phpstan-type DepositFailureReason string
 * @phpstan-type DepositFound array{exists: true, reference: string, status: DepositStatus, amount: Kobo, currency: string, valid: bool, ...}
 * @phpstan-type DepositList array{deposits: list<Deposit>, ...}
 * @phpstan-type DepositMissing array{exists: false, reference: string, message: string, ...}
 * @phpstan-type DepositSettlement string
 * @phpstan-type DynamicAccountDeposit array{id: string, amount: Kobo, reference: string, status: DepositStatus, currency: string, senderAccountName: string, senderAccountNumber: string, senderBankName: string, recipientAccountName: string, recipientAccountNumber: string, recipientBankName: string, narration: string, fee: Kobo, createdAt: Time, updatedAt: Time, virtualAccount: VirtualAccountMention, ...}
 * @phpstan-type DepositSuccessEvent array{id: string, event: 'deposit.success', type: 'deposit.success', environment: Environment, createdAt: Time, timestamp: Time, reference: string, data: DynamicAccountDeposit, ...}
 * @phpstan-type DepositValidation DepositFound|DepositMissing
 * @phpstan-type TransferSuccessEvent array{id: string, event: 'transfer.success', type: 'transfer.success', environment: Environment, createdAt: Time, timestamp: Time, reference: string, data: Transfer, ...}
 * @phpstan-type TransferFailedEvent array{id: string, event: 'transfer.failed', type: 'transfer.failed', environment: Environment, createdAt: Time, timestamp: Time, reference: string, data: Transfer, ...}
 * @phpstan-type TransferReversedEvent array{id: string, event: 'transfer.reversed', type: 'transfer.reversed', environment: Environment, createdAt: Time, timestamp: Time, reference: string, data: Transfer, ...}
 * @phpstan-type MomoTransfer array{id: string, reference: string, status: TransferStatus, isFinal: bool, amount: Kobo, fee: Kobo, totalDebit: Kobo, currency: string, phoneNumber: string|null, accountNumber: string|null, accountReference: string|null, operator: string, accountName: string|null, narration: string|null, operatorReference: string|null, failureReason: MomoFailureReason|null, failureMessage: string|null, metadata: array<string, string>|null, createdAt: Time, updatedAt: Time, completedAt: Time|null, ...}
 * @phpstan-type MomoTransferSuccessEvent array{id: string, event: 'momo.transfer.success', type: 'momo.transfer.success', environment: Environment, createdAt: Time, timestamp: Time, reference: string, data: MomoTransfer, ...}
 * @phpstan-type MomoTransferFailedEvent array{id: string, event: 'momo.transfer.failed', type: 'momo.transfer.failed', environment: Environment, createdAt: Time, timestamp: Time, reference: string, data: MomoTransfer, ...}
 * @phpstan-type MomoCollectionStatus string
 * @phpstan-type MomoCollection array{id: string, reference: string, status: MomoCollectionStatus, isFinal: bool, requiresOtp: bool, otpExpiresAt: Time|null, expiresAt: Time, amount: Kobo, fee: Kobo, currency: string, phoneNumber: string, operator: string, narration: string|null, operatorReference: string|null, depositReference: string|null, failureReason: MomoFailureReason|null, failureMessage: string|null, metadata: array<string, string>|null, createdAt: Time, updatedAt: Time, completedAt: Time|null, ...}
 * @phpstan-type MomoCollectionSuccessEvent array{id: string, event: 'momo.collection.success', type: 'momo.collection.success', environment: Environment, createdAt: Time, timestamp: Time, reference: string, data: MomoCollection, ...}
 * @phpstan-type MomoCollectionFailedEvent array{id: string, event: 'momo.collection.failed', type: 'momo.collection.failed', environment: Environment, createdAt: Time, timestamp: Time, reference: string, data: MomoCollection, ...}
 * @phpstan-type WebhookTest array{webhookId: string, message: string, ...}
 * @phpstan-type WebhookTestEvent array{id: string, event: 'webhook.test', type: 'webhook.test', environment: Environment, createdAt: Time, timestamp: Time, reference: string, data: WebhookTest, ...}
 * @phpstan-type WebhookEvent TransferSuccessEvent|TransferFailedEvent|DepositSuccessEvent|CustomerDepositSuccessEvent|TransferReversedEvent|MomoTransferSuccessEvent|MomoTransferFailedEvent|MomoCollectionSuccessEvent|MomoCollectionFailedEvent|WebhookTestEvent
 * @phpstan-type EventPage array{events: list<WebhookEvent>, cursor: string|null, hasMore: bool, ...}
 * @phpstan-type Fee array{amount: Kobo, fee: Kobo, totalDebit: Kobo, ...}
 * @phpstan-type FeeType string
 * @phpstan-type FundBalanceRequest array{amount: int, currency?: Currency}
 * @phpstan-type FundBalanceResult array{amount: Kobo, available: Kobo, currency: string, ...}
 * @phpstan-type InitiateMomoCollectionRequest array{reference: string, amount: int, phoneNumber: string, operator?: string|null, currency?: Currency|null, customerName?: string|null, narration?: string|null, metadata?: array<string, string>|null}
 * @phpstan-type InitiateMomoTransferRequest array{reference: string, amount: int, phoneNumber?: string|null, operator?: string|null, currency?: Currency|null, accountNumber?: string|null, accountReference?: string|null, accountName?: string|null, narration?: string|null, metadata?: array<string, string>|null}
 * @phpstan-type TransferRequest array{reference: string, amount: int, bankSlug: string, accountNumber: string, accountName: string, currency?: 'NGN', narration?: string|null, metadata?: array<string, string>|null}
 * @phpstan-type InitiateTransfersRequest array{transfers: list<TransferRequest>}
 * @phpstan-type InitiateTransfersResult array{results: list<BulkTransferResult>, accepted: int, replayed: int, refused: int, ...}
 * @phpstan-type SignedKobo int
 * @phpstan-type LedgerEntry array{id: string, type: string, reference: string, amount: SignedKobo, balanceAfter: Kobo, currency: string, createdAt: Time, ...}
 * @phpstan-type LedgerEntryList array{entries: list<LedgerEntry>, ...}
 * @phpstan-type LoggedEventName string
 * @phpstan-type MomoCollectionList array{collections: list<MomoCollection>, ...}
 * @phpstan-type MomoRecipient string
 * @phpstan-type MomoOperatorSupport array{transfer: bool, collection: bool, ...}
 * @phpstan-type MomoOperator array{name: string, slug: string, country: string, currency: string, decimals: int, prefixes: list<string>, recipient: MomoRecipient, supports: MomoOperatorSupport, requiresOtp: bool, minAmount: Kobo, maxAmount: Kobo, status: 'active', ...}
 * @phpstan-type MomoOperatorList array{operators: list<MomoOperator>, ...}
 * @phpstan-type MomoTransferList array{transfers: list<MomoTransfer>, ...}
 * @phpstan-type MomoWallet array{phoneNumber: string, operator: string, operatorName: string, accountName: string, currency: string, ...}
 * @phpstan-type WebhookStatus string
 * @phpstan-type NewWebhookSubscription array{id: string, url: string, events: list<EventName>, environment: Environment, status: WebhookStatus, secret: string, createdAt: Time, updatedAt: Time, ...}
 * @phpstan-type OpenDynamicAccountRequest array{amount: int, reference?: string|null, accountName?: string|null, expiresInMinutes?: int, amountPolicy?: AmountPolicy, narration?: string|null, metadata?: array<string, string>|null}
 * @phpstan-type OpenStaticAccountRequest array{customerReference: string, bankSlug?: string|null, accountName?: string|null}
 * @phpstan-type RetryWebhookDeliveriesRequest array{from: string, to: string, webhookId?: string, event?: LoggedEventName}
 * @phpstan-type RetryWebhookDeliveriesResult array{queued: int, ...}
 * @phpstan-type RetryWebhookDeliveryRequest array{force?: bool}
 * @phpstan-type RotateWebhookSecretRequest array{expireOldInHours?: int}
 * @phpstan-type RotatedWebhookSubscription array{id: string, url: string, events: list<EventName>, environment: Environment, status: WebhookStatus, secret: string, oldSecretExpiresAt: Time|null, createdAt: Time, updatedAt: Time, ...}
 * @phpstan-type SettleDepositRequest array{status: DepositSettlement}
 * @phpstan-type SimulateDepositRequest array{accountNumber: string, amount: int, status?: DepositStatus, senderAccountName?: string, senderAccountNumber?: string, senderBankName?: string, narration?: string}
 * @phpstan-type TransferList array{transfers: list<Transfer>, ...}
 * @phpstan-type TriggerWebhookEventRequest array{event: EventName}
 * @phpstan-type WebhookAttempt array{attempt: int, trigger: DeliveryTrigger, responseCode: int|null, error: string|null, durationMs: int, createdAt: Time, ...}
 * @phpstan-type WebhookDelivery array{id: string, event: string, reference: string, webhookId: string, url: string, environment: Environment, status: DeliveryStatus, attempts: int, maxAttempts: int, responseCode: int|null, lastError: string|null, lastAttemptAt: Time|null, nextAttemptAt: Time|null, deliveredAt: Time|null, createdAt: Time, updatedAt: Time, deliveryAttempts: list<WebhookAttempt>, ...}
 * @phpstan-type TriggerWebhookEventResult array{event: EventName, queued: int, events: list<WebhookDelivery>, ...}
 * @phpstan-type UpdateCustomerRequest array{firstName?: string, lastName?: string, email?: string|null, phoneNumber?: string|null, bvn?: string|null, metadata?: array<string, string>|null}
 * @phpstan-type UpdateWebhookRequest array{url?: string, events?: list<EventName>, status?: WebhookStatus}
 * @phpstan-type VerifyCollectionOtpRequest array{reference: string, otp: string}
 * @phpstan-type VirtualAccountStatus string
 * @phpstan-type VirtualAccountCustomer array{id: string, reference: string, ...}
 * @phpstan-type VirtualAccount array{id: string, type: VirtualAccountType, reference: string|null, accountNumber: string, accountName: string, bankName: string, bankSlug: string, currency: string, status: VirtualAccountStatus, amount: Kobo|null, amountPolicy: AmountPolicy|null, expiresAt: Time|null, customer: VirtualAccountCustomer|null, metadata: array<string, string>|null, createdAt: Time, updatedAt: Time, ...}
 * @phpstan-type VirtualAccountFailure array{reference: string, reason: DepositFailureReason, amount: Kobo, createdAt: Time, ...}
 * @phpstan-type VirtualAccountDetails array{id: string, type: VirtualAccountType, reference: string|null, accountNumber: string, accountName: string, bankName: string, bankSlug: string, currency: string, status: VirtualAccountStatus, amount: Kobo|null, amountPolicy: AmountPolicy|null, expiresAt: Time|null, customer: VirtualAccountCustomer|null, metadata: array<string, string>|null, createdAt: Time, updatedAt: Time, lastFailure: VirtualAccountFailure|null, ...}
 * @phpstan-type VirtualAccountList array{virtualAccounts: list<VirtualAccount>, ...}
 * @phpstan-type WebhookAttemptDetail array{attempt: int, trigger: DeliveryTrigger, responseCode: int|null, error: string|null, durationMs: int, createdAt: Time, responseBody: string|null, ...}
 * @phpstan-type WebhookDeliveryDetail array{id: string, event: string, reference: string, webhookId: string, url: string, environment: Environment, status: DeliveryStatus, attempts: int, maxAttempts: int, responseCode: int|null, lastError: string|null, lastAttemptAt: Time|null, nextAttemptAt: Time|null, deliveredAt: Time|null, createdAt: Time, updatedAt: Time, deliveryAttempts: list<WebhookAttemptDetail>, payload: WebhookEvent, ...}
 * @phpstan-type WebhookDeliveryList array{events: list<WebhookDelivery>, ...}
 * @phpstan-type WebhookDisabledReason string
 * @phpstan-type WebhookSubscription array{id: string, url: string, events: list<EventName>, environment: Environment, status: WebhookStatus, secretHint: string, disabledReason: WebhookDisabledReason|null, failingSince: Time|null, oldSecretExpiresAt: Time|null, createdAt: Time, updatedAt: Time, ...}
 * @phpstan-type WebhookSubscriptionList array{webhooks: list<WebhookSubscription>, ...}
 * @phpstan-type WebhookTestResult array{eventId: string, delivered: bool, attempt: int, trigger: DeliveryTrigger, responseCode: int|null, error: string|null, durationMs: int, createdAt: Time, responseBody: string|null, ...}
 * @phpstan-type Pagination array{page: int, limit: int, total: int, totalPage: int, hasNext: bool, hasPrev: bool, ...}
 */
final class Types {}
