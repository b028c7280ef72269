<?php

declare(strict_types=1);

namespace Manilla;

/**
 * One kind of payment. Each can be sent again under its reference without paying twice, and read until it is final.
 *
 * @template Request of array<array-key, mixed>
 * @template Payment of array<array-key, mixed>
 */
class Payments
{
    /**
     * @internal
     * @param list<string> $path
     * @param list<string> $initiatePath
     */
    final public function __construct(
        protected readonly Sender $sender,
        private readonly array $path,
        private readonly array $initiatePath,
        private readonly string $name,
    ) {}

    /**
     * Sends the payment. If the answer is lost, reads the payment by its reference, and sends it again only if it does not
     * exist. If this throws an error that is unclear, read the payment before you pay in another way.
     *
     * @param Request $request
     * @return Answer<Payment>
     */
    public function initiate(array $request, ?CallOptions $options = null): Answer
    {
        Money::checkAmountOf($request);
        $reference = Sender::stringIn($request, 'reference') ?? '';
        $ask = new Ask(
            'POST',
            $this->initiatePath,
            body: $request,
            lookUpPath: [...$this->path, $reference],
            isSame: fn (array $record): bool => self::isSame($request, $record),
        );
        /** @var Answer<Payment> */
        return $this->sender->call($ask, $options);
    }

    /** @return Answer<Payment> */
    public function get(string $reference, ?CallOptions $options = null): Answer
    {
        /** @var Answer<Payment> */
        return $this->sender->call(new Ask('GET', [...$this->path, $reference]), $options);
    }

    /**
     * Lists payments, newest first.
     *
     * @param array<string, mixed> $query
     * @return PageList<Payment>
     */
    public function list(array $query = [], ?CallOptions $options = null): PageList
    {
        /** @var PageList<Payment> */
        return new PageList($this->sender, $this->path, $this->name, $query, $options);
    }

    /**
     * Reads it until it is final: at once, then after 1, 2, 4, 8, 16, 30, 30 … seconds. A webhook arrives sooner.
     *
     * @return Answer<Payment>
     */
    public function waitFor(string $reference, float $wait = 600, ?CallOptions $options = null): Answer
    {
        $clock = $this->sender->clock;
        $deadline = $clock->now() + $wait;
        for ($turn = 0; ; $turn++) {
            $payment = $this->get($reference, $options);
            if ($payment['isFinal'] === true) {
                return $payment;
            }
            $seconds = Sender::delayAfter($turn);
            if ($clock->now() + $seconds >= $deadline) {
                $status = is_string($payment['status']) ? $payment['status'] : 'pending';
                $message = "$reference is still $status. It has not failed: ask again later, or wait for its event.";
                throw ManillaException::of('timeout', 'STILL_PENDING', $message, requestId: $payment->lastResponse->requestId);
            }
            $clock->wait($seconds);
        }
    }

    /**
     * Returns whether a record has the values that were requested. Fields that were not requested are not compared.
     *
     * @param array<array-key, mixed> $request
     * @param array<string, mixed> $record
     */
    private static function isSame(array $request, array $record): bool
    {
        foreach (['amount', 'bankSlug', 'accountNumber', 'accountReference', 'operator'] as $name) {
            if (isset($request[$name]) && $request[$name] !== ($record[$name] ?? null)) {
                return false;
            }
        }
        $sent = $request['phoneNumber'] ?? null;
        $shown = $record['phoneNumber'] ?? null;
        return !is_string($sent) || is_string($shown) && self::isSamePhone($sent, $shown);
    }

    /** 08030000000, 2348030000000 and +2348030000000 are the same number. */
    private static function isSamePhone(string $sent, string $shown): bool
    {
        $digits = ltrim((string) preg_replace('/[^0-9]/', '', $sent), '0');
        return str_ends_with((string) preg_replace('/[^0-9]/', '', $shown), $digits);
    }
}

/**
 * Payouts to bank accounts.
 *
 * @phpstan-import-type TransferRequest from Types
 * @phpstan-import-type Transfer from Types
 * @phpstan-import-type InitiateTransfersResult from Types
 * @phpstan-import-type Fee from Types
 * @extends Payments<TransferRequest, Transfer>
 */
final class Transfers extends Payments
{
    private const ITEMS_MAX = 1000;
    private const BYTES_MAX = 1_000_000;

    /**
     * Sends any number of transfers, up to a thousand in each request. A refused transfer does not stop the others.
     * Results have the index in the whole list. If a part fails, the error has the results of the earlier parts, and
     * sending the same list again is safe.
     *
     * @param list<TransferRequest> $transfers
     * @return Answer<InitiateTransfersResult> its metadata is that of the last part
     */
    public function initiateMany(array $transfers, ?CallOptions $options = null): Answer
    {
        if ($transfers === []) {
            throw ManillaException::argument('There is no transfer to send.');
        }
        foreach ($transfers as $transfer) {
            Money::checkAmountOf($transfer);
        }
        $results = [];
        $accepted = $replayed = $refused = 0;
        $meta = new Meta('', 0, [], false, false, 0);
        foreach (self::partsOf($transfers) as $part) {
            $start = count($results);
            try {
                /** @var Answer<InitiateTransfersResult> $sent */
                $sent = $this->sender->call(
                    new Ask('POST', ['transfers', 'bulk'], body: ['transfers' => $part], replays: true),
                    $options,
                );
            } catch (ManillaException $error) {
                $error->results = $results;
                throw $error;
            }
            foreach ($sent->data['results'] as $result) {
                $result['index'] += $start;
                $results[] = $result;
            }
            $accepted += $sent->data['accepted'];
            $replayed += $sent->data['replayed'];
            $refused += $sent->data['refused'];
            $meta = $sent->lastResponse;
        }
        $whole = ['results' => $results, 'accepted' => $accepted, 'replayed' => $replayed, 'refused' => $refused];
        return new Answer($whole, $meta);
    }

    /**
     * Returns the fee of a transfer. The currency is naira unless another one is named.
     *
     * @return Answer<Fee>
     */
    public function fee(int $amount, ?string $currency = null, ?CallOptions $options = null): Answer
    {
        Money::check($amount);
        $query = ['type' => 'transfer', 'amount' => $amount, 'currency' => $currency];
        /** @var Answer<Fee> */
        return $this->sender->call(new Ask('GET', ['fees'], $query), $options);
    }

    /**
     * Splits the transfers so that each part fits into one request.
     *
     * @param list<TransferRequest> $transfers
     * @return \Generator<list<TransferRequest>>
     */
    private static function partsOf(array $transfers): \Generator
    {
        $part = [];
        $size = 0;
        foreach ($transfers as $transfer) {
            $more = strlen(Sender::bytesOf($transfer)) + 1;
            if (count($part) === self::ITEMS_MAX || ($part !== [] && $size + $more > self::BYTES_MAX - 20)) {
                yield $part;
                [$part, $size] = [[], 0];
            }
            $part[] = $transfer;
            $size += $more;
        }
        yield $part;
    }
}

/**
 * Collections of money from wallets.
 *
 * @phpstan-import-type InitiateMomoCollectionRequest from Types
 * @phpstan-import-type VerifyCollectionOtpRequest from Types
 * @phpstan-import-type MomoCollection from Types
 * @extends Payments<InitiateMomoCollectionRequest, MomoCollection>
 */
final class MomoCollections extends Payments
{
    /**
     * Sends the code with which a payer agrees. It is never retried, because a wrong code uses up an attempt.
     *
     * @param VerifyCollectionOtpRequest $body
     * @return Answer<MomoCollection>
     */
    public function verifyOtp(array $body, ?CallOptions $options = null): Answer
    {
        /** @var Answer<MomoCollection> */
        return $this->sender->call(new Ask('POST', ['momo', 'collection', 'verify-otp'], body: $body), $options);
    }
}
