<?php

declare(strict_types=1);

namespace Manilla;

/** @internal */
abstract class Group
{
    public function __construct(protected readonly Sender $sender) {}
}

/**
 * Money that was paid to you.
 *
 * @phpstan-import-type Deposit from Types
 * @phpstan-import-type DepositValidation from Types
 */
final class Deposits extends Group
{
    /**
     * @param array<string, mixed> $query
     * @return PageList<Deposit>
     */
    public function list(array $query = [], ?CallOptions $options = null): PageList
    {
        /** @var PageList<Deposit> */
        return new PageList($this->sender, ['deposits'], 'deposits', $query, $options);
    }

    /**
     * Reads a deposit by the reference that the service gave it: DEP….
     *
     * @return Answer<Deposit>
     */
    public function get(string $reference, ?CallOptions $options = null): Answer
    {
        /** @var Answer<Deposit> */
        return $this->sender->call(new Ask('GET', ['deposits', $reference]), $options);
    }

    /**
     * Ship an order only if valid is true. A missing deposit is not an error: its answer has exists false.
     *
     * @return Answer<DepositValidation>
     */
    public function validate(string $reference, ?CallOptions $options = null): Answer
    {
        /** @var Answer<DepositValidation> */
        return $this->sender->call(new Ask('GET', ['deposits', 'validate', $reference]), $options);
    }
}

/**
 * @phpstan-import-type CreateCustomerRequest from Types
 * @phpstan-import-type Customer from Types
 * @phpstan-import-type UpdateCustomerRequest from Types
 */
final class Customers extends Group
{
    /**
     * @param CreateCustomerRequest $body
     * @return Answer<Customer>
     */
    public function create(array $body, ?CallOptions $options = null): Answer
    {
        /** @var Answer<Customer> */
        return $this->sender->call(new Ask('POST', ['customers'], body: $body), $options);
    }

    /**
     * @param array<string, mixed> $query
     * @return PageList<Customer>
     */
    public function list(array $query = [], ?CallOptions $options = null): PageList
    {
        /** @var PageList<Customer> */
        return new PageList($this->sender, ['customers'], 'customers', $query, $options);
    }

    /** @return Answer<Customer> */
    public function get(string $reference, ?CallOptions $options = null): Answer
    {
        /** @var Answer<Customer> */
        return $this->sender->call(new Ask('GET', ['customers', $reference]), $options);
    }

    /**
     * @param UpdateCustomerRequest $body
     * @return Answer<Customer>
     */
    public function update(string $reference, array $body, ?CallOptions $options = null): Answer
    {
        /** @var Answer<Customer> */
        return $this->sender->call(new Ask('PATCH', ['customers', $reference], body: $body), $options);
    }
}

/**
 * @phpstan-import-type OpenDynamicAccountRequest from Types
 * @phpstan-import-type OpenStaticAccountRequest from Types
 * @phpstan-import-type VirtualAccount from Types
 * @phpstan-import-type VirtualAccountDetails from Types
 */
final class VirtualAccounts extends Group
{
    /**
     * @param OpenStaticAccountRequest $body
     * @return Answer<VirtualAccount>
     */
    public function openStatic(array $body, ?CallOptions $options = null): Answer
    {
        /** @var Answer<VirtualAccount> */
        return $this->sender->call(new Ask('POST', ['virtual-accounts', 'static'], body: $body), $options);
    }

    /**
     * @param OpenDynamicAccountRequest $body
     * @return Answer<VirtualAccount>
     */
    public function openDynamic(array $body, ?CallOptions $options = null): Answer
    {
        Money::checkAmountOf($body);
        /** @var Answer<VirtualAccount> */
        return $this->sender->call(new Ask('POST', ['virtual-accounts', 'dynamic'], body: $body), $options);
    }

    /**
     * @param array<string, mixed> $query
     * @return PageList<VirtualAccount>
     */
    public function list(array $query = [], ?CallOptions $options = null): PageList
    {
        /** @var PageList<VirtualAccount> */
        return new PageList($this->sender, ['virtual-accounts'], 'virtualAccounts', $query, $options);
    }

    /** @return Answer<VirtualAccountDetails> */
    public function get(string $accountNumber, ?CallOptions $options = null): Answer
    {
        /** @var Answer<VirtualAccountDetails> */
        return $this->sender->call(new Ask('GET', ['virtual-accounts', $accountNumber]), $options);
    }

    /** @return Answer<VirtualAccount> */
    public function close(string $accountNumber, ?CallOptions $options = null): Answer
    {
        /** @var Answer<VirtualAccount> */
        return $this->sender->call(new Ask('DELETE', ['virtual-accounts', $accountNumber]), $options);
    }
}

/**
 * @phpstan-import-type BankAccount from Types
 * @phpstan-import-type BankList from Types
 */
final class Banks extends Group
{
    /**
     * @param array<string, mixed> $query
     * @return Answer<BankList>
     */
    public function list(array $query = [], ?CallOptions $options = null): Answer
    {
        /** @var Answer<BankList> */
        return $this->sender->call(new Ask('GET', ['banks'], $query), $options);
    }

    /**
     * Returns the name of an account's owner. Check it before a transfer.
     *
     * @param array<string, mixed> $query
     * @return Answer<BankAccount>
     */
    public function resolve(array $query, ?CallOptions $options = null): Answer
    {
        /** @var Answer<BankAccount> */
        return $this->sender->call(new Ask('GET', ['bank', 'resolve'], $query), $options);
    }
}

/**
 * @phpstan-import-type BalanceList from Types
 * @phpstan-import-type LedgerEntry from Types
 */
final class Balance extends Group
{
    /** @return Answer<BalanceList> */
    public function get(?CallOptions $options = null): Answer
    {
        /** @var Answer<BalanceList> */
        return $this->sender->call(new Ask('GET', ['balance']), $options);
    }

    /**
     * Lists every movement of the available balance, newest first.
     *
     * @param array<string, mixed> $query
     * @return PageList<LedgerEntry>
     */
    public function ledger(array $query = [], ?CallOptions $options = null): PageList
    {
        /** @var PageList<LedgerEntry> */
        return new PageList($this->sender, ['balance', 'ledger'], 'entries', $query, $options);
    }
}

/**
 * @phpstan-import-type RetryWebhookDeliveriesRequest from Types
 * @phpstan-import-type RetryWebhookDeliveriesResult from Types
 * @phpstan-import-type RetryWebhookDeliveryRequest from Types
 * @phpstan-import-type WebhookDelivery from Types
 * @phpstan-import-type WebhookDeliveryDetail from Types
 */
final class WebhookDeliveries extends Group
{
    /**
     * @param array<string, mixed> $query
     * @return PageList<WebhookDelivery>
     */
    public function list(array $query = [], ?CallOptions $options = null): PageList
    {
        /** @var PageList<WebhookDelivery> */
        return new PageList($this->sender, ['webhooks', 'events'], 'events', $query, $options);
    }

    /** @return Answer<WebhookDeliveryDetail> */
    public function get(string $eventId, ?CallOptions $options = null): Answer
    {
        /** @var Answer<WebhookDeliveryDetail> */
        return $this->sender->call(new Ask('GET', ['webhooks', 'events', $eventId]), $options);
    }

    /**
     * @param RetryWebhookDeliveryRequest $body
     * @return Answer<WebhookDelivery>
     */
    public function retry(string $eventId, array $body = [], ?CallOptions $options = null): Answer
    {
        /** @var Answer<WebhookDelivery> */
        return $this->sender->call(new Ask('POST', ['webhooks', 'events', $eventId, 'retry'], body: $body), $options);
    }

    /**
     * Sends the failed deliveries of a period again, at most 10,000 a call.
     *
     * @param RetryWebhookDeliveriesRequest $body
     * @return Answer<RetryWebhookDeliveriesResult>
     */
    public function retryMany(array $body, ?CallOptions $options = null): Answer
    {
        /** @var Answer<RetryWebhookDeliveriesResult> */
        return $this->sender->call(new Ask('POST', ['webhooks', 'events', 'retry'], body: $body), $options);
    }
}

/**
 * @phpstan-import-type EventPage from Types
 * @phpstan-import-type WebhookEvent from Types
 */
final class Events extends Group
{
    /**
     * Reads one page of all events, oldest first. Pass its `cursor` as `after` to read the next page.
     *
     * @param array<string, mixed> $query
     * @return Answer<EventPage>
     */
    public function list(array $query = [], ?CallOptions $options = null): Answer
    {
        /** @var Answer<EventPage> */
        return $this->sender->call(new Ask('GET', ['events'], $query), $options);
    }

    /**
     * Reads all events, oldest first, page by page. It ends with the newest event.
     *
     * @param array<string, mixed> $query
     * @return \Generator<int, WebhookEvent>
     */
    public function iterate(array $query = [], ?CallOptions $options = null): \Generator
    {
        $place = $query + ['limit' => PageList::LIMIT];
        do {
            ['events' => $events, 'cursor' => $cursor, 'hasMore' => $hasMore] = $this->list($place, $options)->data;
            foreach ($events as $event) {
                yield $event;
            }
            $place = ['limit' => $place['limit'], 'after' => $cursor];
        } while ($hasMore && $events !== [] && $cursor !== null);
    }
}

/**
 * Webhook subscriptions.
 *
 * @phpstan-import-type CreateWebhookRequest from Types
 * @phpstan-import-type DeleteWebhookResult from Types
 * @phpstan-import-type NewWebhookSubscription from Types
 * @phpstan-import-type RotateWebhookSecretRequest from Types
 * @phpstan-import-type RotatedWebhookSubscription from Types
 * @phpstan-import-type UpdateWebhookRequest from Types
 * @phpstan-import-type WebhookSubscription from Types
 * @phpstan-import-type WebhookTestResult from Types
 */
final class Subscriptions extends Group
{
    public readonly WebhookDeliveries $deliveries;

    public function __construct(Sender $sender)
    {
        parent::__construct($sender);
        $this->deliveries = new WebhookDeliveries($sender);
    }

    /**
     * Only this answer contains the secret.
     *
     * @param CreateWebhookRequest $body
     * @return Answer<NewWebhookSubscription>
     */
    public function create(array $body, ?CallOptions $options = null): Answer
    {
        /** @var Answer<NewWebhookSubscription> */
        return $this->sender->call(new Ask('POST', ['webhooks'], body: $body), $options);
    }

    /**
     * @param array<string, mixed> $query
     * @return PageList<WebhookSubscription>
     */
    public function list(array $query = [], ?CallOptions $options = null): PageList
    {
        /** @var PageList<WebhookSubscription> */
        return new PageList($this->sender, ['webhooks'], 'webhooks', $query, $options);
    }

    /** @return Answer<WebhookSubscription> */
    public function get(string $id, ?CallOptions $options = null): Answer
    {
        /** @var Answer<WebhookSubscription> */
        return $this->sender->call(new Ask('GET', ['webhooks', $id]), $options);
    }

    /**
     * @param UpdateWebhookRequest $body
     * @return Answer<WebhookSubscription>
     */
    public function update(string $id, array $body, ?CallOptions $options = null): Answer
    {
        /** @var Answer<WebhookSubscription> */
        return $this->sender->call(new Ask('PATCH', ['webhooks', $id], body: $body), $options);
    }

    /** @return Answer<DeleteWebhookResult> */
    public function delete(string $id, ?CallOptions $options = null): Answer
    {
        /** @var Answer<DeleteWebhookResult> */
        return $this->sender->call(new Ask('DELETE', ['webhooks', $id]), $options);
    }

    /**
     * Only this answer contains the new secret. Until the old one expires, deliveries are signed with both.
     *
     * @param RotateWebhookSecretRequest $body
     * @return Answer<RotatedWebhookSubscription>
     */
    public function rotateSecret(string $id, array $body = [], ?CallOptions $options = null): Answer
    {
        /** @var Answer<RotatedWebhookSubscription> */
        return $this->sender->call(new Ask('POST', ['webhooks', $id, 'rotate-secret'], body: $body), $options);
    }

    /** @return Answer<WebhookTestResult> */
    public function test(string $id, ?CallOptions $options = null): Answer
    {
        /** @var Answer<WebhookTestResult> */
        return $this->sender->call(new Ask('POST', ['webhooks', $id, 'test']), $options);
    }
}

/**
 * Controls the simulated banks, operators and payers, in staging only.
 *
 * @phpstan-import-type CompleteMomoCollectionRequest from Types
 * @phpstan-import-type CompleteMomoTransferRequest from Types
 * @phpstan-import-type CompleteTransferRequest from Types
 * @phpstan-import-type Deposit from Types
 * @phpstan-import-type FundBalanceResult from Types
 * @phpstan-import-type MomoCollection from Types
 * @phpstan-import-type MomoTransfer from Types
 * @phpstan-import-type SettleDepositRequest from Types
 * @phpstan-import-type SimulateDepositRequest from Types
 * @phpstan-import-type Transfer from Types
 * @phpstan-import-type TriggerWebhookEventResult from Types
 */
final class Sandbox extends Group
{
    /**
     * Pays into a virtual account.
     *
     * @param SimulateDepositRequest $body
     * @return Answer<Deposit>
     */
    public function deposit(array $body, ?CallOptions $options = null): Answer
    {
        Money::checkAmountOf($body);
        /** @var Answer<Deposit> */
        return $this->sender->call(new Ask('POST', ['sandbox', 'deposits'], body: $body), $options);
    }

    /**
     * @param SettleDepositRequest $body
     * @return Answer<Deposit>
     */
    public function settleDeposit(string $reference, array $body, ?CallOptions $options = null): Answer
    {
        /** @var Answer<Deposit> */
        return $this->sender->call(new Ask('POST', ['sandbox', 'deposits', $reference, 'settle'], body: $body), $options);
    }

    /**
     * @param CompleteTransferRequest $body
     * @return Answer<Transfer>
     */
    public function completeTransfer(string $reference, array $body, ?CallOptions $options = null): Answer
    {
        /** @var Answer<Transfer> */
        return $this->sender->call(new Ask('POST', ['sandbox', 'transfers', $reference, 'complete'], body: $body), $options);
    }

    /**
     * @param CompleteMomoTransferRequest $body
     * @return Answer<MomoTransfer>
     */
    public function completeMomoTransfer(string $reference, array $body, ?CallOptions $options = null): Answer
    {
        /** @var Answer<MomoTransfer> */
        return $this->sender->call(new Ask('POST', ['sandbox', 'momo', 'transfer', $reference, 'complete'], body: $body), $options);
    }

    /**
     * @param CompleteMomoCollectionRequest $body
     * @return Answer<MomoCollection>
     */
    public function completeMomoCollection(string $reference, array $body, ?CallOptions $options = null): Answer
    {
        /** @var Answer<MomoCollection> */
        return $this->sender->call(new Ask('POST', ['sandbox', 'momo', 'collection', $reference, 'complete'], body: $body), $options);
    }

    /**
     * Adds money to a balance. The currency is naira unless another one is named.
     *
     * @return Answer<FundBalanceResult>
     */
    public function fund(int $amount, ?string $currency = null, ?CallOptions $options = null): Answer
    {
        Money::check($amount);
        $body = $currency === null ? ['amount' => $amount] : ['amount' => $amount, 'currency' => $currency];
        /** @var Answer<FundBalanceResult> */
        return $this->sender->call(new Ask('POST', ['sandbox', 'balance', 'fund'], body: $body), $options);
    }

    /**
     * Sends a sample of an event to the subscriptions that include it.
     *
     * @return Answer<TriggerWebhookEventResult>
     */
    public function triggerEvent(string $event, ?CallOptions $options = null): Answer
    {
        /** @var Answer<TriggerWebhookEventResult> */
        return $this->sender->call(new Ask('POST', ['sandbox', 'webhooks', 'trigger'], body: ['event' => $event]), $options);
    }
}

/**
 * Mobile money.
 *
 * @phpstan-import-type InitiateMomoTransferRequest from Types
 * @phpstan-import-type MomoOperatorList from Types
 * @phpstan-import-type MomoTransfer from Types
 * @phpstan-import-type MomoWallet from Types
 */
final class Momo extends Group
{
    /** @var Payments<InitiateMomoTransferRequest, MomoTransfer> */
    public readonly Payments $transfers;
    public readonly MomoCollections $collections;

    public function __construct(Sender $sender)
    {
        parent::__construct($sender);
        /** @var Payments<InitiateMomoTransferRequest, MomoTransfer> $transfers */
        $transfers = new Payments($sender, ['momo', 'transfer'], ['momo', 'transfer'], 'transfers');
        $this->transfers = $transfers;
        $this->collections = new MomoCollections($sender, ['momo', 'collection'], ['momo', 'collection'], 'collections');
    }

    /**
     * @param array<string, mixed> $query
     * @return Answer<MomoOperatorList>
     */
    public function operators(array $query = [], ?CallOptions $options = null): Answer
    {
        /** @var Answer<MomoOperatorList> */
        return $this->sender->call(new Ask('GET', ['momo', 'operators'], $query), $options);
    }

    /**
     * Returns the name of a wallet's owner. Check it before a transfer.
     *
     * @param array<string, mixed> $query
     * @return Answer<MomoWallet>
     */
    public function resolve(array $query, ?CallOptions $options = null): Answer
    {
        /** @var Answer<MomoWallet> */
        return $this->sender->call(new Ask('GET', ['momo', 'resolve'], $query), $options);
    }
}
