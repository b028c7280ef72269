<?php

declare(strict_types=1);

namespace Manilla;

/**
 * A fake of the service in memory, for tests of programs that use the SDK. It stores payments as the service does (one for
 * each reference, replays, conflicts). The test sets all other answers. Waits return at once, and no server is needed.
 */
final class FakeManilla implements Transport
{
    private const KINDS = [
        '/v1/transfers' => [
            'initiate' => '/v1/transfers/initiate',
            'list' => 'transfers',
            'material' => ['amount', 'bankSlug', 'accountNumber'],
            'first' => ['status' => 'queued', 'sessionId' => null, 'bankName' => 'A bank'],
            'unknown' => 'TRANSFER_NOT_FOUND',
        ],
        '/v1/momo/transfer' => [
            'initiate' => '/v1/momo/transfer',
            'list' => 'transfers',
            'material' => ['amount', 'phoneNumber', 'accountNumber', 'accountReference'],
            'first' => ['status' => 'queued', 'operator' => 'mtn-momo', 'operatorReference' => null],
            'unknown' => 'TRANSFER_NOT_FOUND',
        ],
        '/v1/momo/collection' => [
            'initiate' => '/v1/momo/collection',
            'list' => 'collections',
            'material' => ['amount', 'phoneNumber'],
            'first' => ['status' => 'PENDING', 'operator' => 'mtn-momo', 'requiresOtp' => false],
            'unknown' => 'COLLECTION_NOT_FOUND',
        ],
    ];

    public readonly Manilla $client;

    /**
     * The requests in order, such as ['POST /v1/transfers/initiate', $body].
     *
     * @var list<array{string, ?array<string, mixed>}>
     */
    public array $requests = [];

    /** @var list<string|array{int, string, ?int}> */
    private array $troubles = [];

    /** @var array<string, array<string, mixed>|callable(?array<string, mixed>): array<string, mixed>> */
    private array $answers = [];

    /**
     * The key is the reference, which identifies one payment of any kind. `place`: its kind. `asked`: the request.
     * `accepted`: the first record, which a replay returns. `record`: the current one.
     *
     * @var array<string, array{place: string, asked: array<string, mixed>, accepted: array<string, mixed>, record: array<string, mixed>}>
     */
    private array $payments = [];

    public function __construct()
    {
        $clock = new class implements Clock {
            private float $seconds = 0;

            public function now(): float
            {
                return $this->seconds;
            }

            /** It returns at once and moves the clock, so that waitFor ends even if nothing settles the payment. */
            public function wait(float $seconds): void
            {
                $this->seconds += $seconds;
            }
        };
        $this->client = new Manilla('sk_test_fake', 'http://fake.invalid', transport: $this, clock: $clock);
    }

    /** The next request takes effect, and its answer is lost. */
    public function loseAnswer(): void
    {
        $this->troubles[] = 'lost';
    }

    /** The next request fails with an error, without any effect. */
    public function refuse(int $status, string $code, ?int $retryAfterSeconds = null): void
    {
        $this->troubles[] = [$status, $code, $retryAfterSeconds];
    }

    /**
     * Sets the data that any other operation returns: answer('GET /v1/banks', ['banks' => []]). It may be a function of the
     * body.
     *
     * @param array<string, mixed>|callable(?array<string, mixed>): array<string, mixed> $data
     */
    public function answer(string $request, array|callable $data): void
    {
        $this->answers[$request] = $data;
    }

    /** Sets the status of a payment: settle('PAYOUT-1001', 'FAILED', 'INVALID_ACCOUNT'). */
    public function settle(string $reference, string $status, ?string $failureReason = null): void
    {
        if (!isset($this->payments[$reference])) {
            throw new \OutOfBoundsException("There is no payment $reference.");
        }
        $this->payments[$reference]['record'] = [
            ...$this->payments[$reference]['record'],
            'status' => $status,
            'isFinal' => in_array($status, ['SUCCESS', 'FAILED', 'REVERSED'], true),
            'failureReason' => $failureReason,
        ];
    }

    public function send(HttpRequest $request): HttpResponse
    {
        $path = rawurldecode((string) parse_url($request->url, PHP_URL_PATH));
        $body = $request->body === null ? null : Sender::fieldsOf($request->body);
        $this->requests[] = ["$request->method $path", $body];
        $trouble = array_shift($this->troubles);
        if (is_array($trouble)) {
            return self::refusal(...$trouble);
        }
        $response = $this->respond("$request->method $path", $path, $body);
        if ($trouble === 'lost') {
            throw new \RuntimeException('The answer is lost.');
        }
        return $response;
    }

    /** @param ?array<string, mixed> $body */
    private function respond(string $name, string $path, ?array $body): HttpResponse
    {
        foreach (self::KINDS as $place => $kind) {
            if ($name === "POST {$kind['initiate']}") {
                return $this->initiate($place, $body ?? []);
            }
            if ($name === "GET $place") {
                $own = array_filter($this->payments, fn (array $one) => $one['place'] === $place);
                $records = array_reverse(array_column($own, 'record'));
                return self::success([$kind['list'] => $records], ['pagination' => ['hasNext' => false]]);
            }
            if (str_starts_with($name, 'GET ') && dirname($path) === $place) {
                $found = $this->payments[basename($path)] ?? null;
                return $found === null || $found['place'] !== $place
                    ? self::refusal(400, $kind['unknown'])
                    : self::success($found['record']);
            }
        }
        if ($name === 'POST /v1/transfers/bulk') {
            /** @var list<array<string, mixed>> $transfers */
            $transfers = $body['transfers'] ?? [];
            return $this->bulk($transfers);
        }
        $data = $this->answers[$name] ?? null;
        if ($data === null) {
            return self::refusal(404, 'ROUTE_NOT_FOUND');
        }
        return self::success(is_callable($data) ? $data($body) : $data);
    }

    /** @param array<string, mixed> $body */
    private function initiate(string $place, array $body): HttpResponse
    {
        $kind = self::KINDS[$place];
        $reference = Sender::stringIn($body, 'reference') ?? '';
        $known = $this->payments[$reference] ?? null;
        if ($known !== null) {
            $differs = $known['place'] !== $place;
            foreach ($kind['material'] as $field) {
                $differs = $differs || ($known['asked'][$field] ?? null) !== ($body[$field] ?? null);
            }
            if ($differs) {
                return self::refusal(409, 'CONFLICT');
            }
            return self::success($known['accepted'], replayed: true);
        }
        $usual = ['failureReason' => null, 'isFinal' => false, 'fee' => 0, 'currency' => 'NGN'];
        $record = [...$usual, ...$kind['first'], ...$body];
        $this->payments[$reference] = ['place' => $place, 'asked' => $body, 'accepted' => $record, 'record' => $record];
        return self::success($record);
    }

    /** @param list<array<string, mixed>> $transfers */
    private function bulk(array $transfers): HttpResponse
    {
        $results = [];
        $counts = ['accepted' => 0, 'replayed' => 0, 'refused' => 0];
        foreach ($transfers as $index => $transfer) {
            $response = $this->initiate('/v1/transfers', $transfer);
            $told = Sender::fieldsOf($response->body);
            $isReplay = isset($response->headers['idempotent-replayed']);
            $outcome = $response->status !== 200 ? 'refused' : ($isReplay ? 'replayed' : 'accepted');
            $counts[$outcome]++;
            $results[] = [
                'index' => $index,
                'reference' => $transfer['reference'],
                'outcome' => $outcome,
                'transfer' => $told['data'] ?? null,
                'error' => $told['error'] ?? null,
            ];
        }
        return self::success(['results' => $results, ...$counts]);
    }

    /**
     * @param array<string, mixed> $data
     * @param array<string, mixed> $meta
     */
    private static function success(array $data, array $meta = [], bool $replayed = false): HttpResponse
    {
        $body = ['success' => true, 'data' => (object) $data, 'meta' => (object) $meta, 'requestId' => 'fake'];
        $headers = $replayed ? ['idempotent-replayed' => 'true'] : [];
        return new HttpResponse(200, $headers, json_encode($body, JSON_THROW_ON_ERROR));
    }

    private static function refusal(int $status, string $code, ?int $retryAfterSeconds = null): HttpResponse
    {
        $error = ['code' => $code, 'message' => "The fake answers $code."];
        $body = ['success' => false, 'error' => $error, 'requestId' => 'fake'];
        $headers = $retryAfterSeconds === null ? [] : ['retry-after' => (string) $retryAfterSeconds];
        return new HttpResponse($status, $headers, json_encode($body, JSON_THROW_ON_ERROR));
    }
}
