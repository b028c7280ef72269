<?php

declare(strict_types=1);

namespace Manilla;

/** A client of the Manilla API. It has no state between calls. */
final class Manilla
{
    public const VERSION = '0.1.0';

    /** The environment of the key, named as in webhooks: sandbox means staging. */
    public readonly string $environment;
    public readonly string $baseUrl;
    public readonly Transfers $transfers;
    public readonly Momo $momo;
    public readonly Deposits $deposits;
    public readonly Customers $customers;
    public readonly VirtualAccounts $virtualAccounts;
    public readonly Banks $banks;
    public readonly Balance $balance;
    public readonly Subscriptions $webhooks;
    public readonly Events $events;
    /** Controls the simulated banks, operators and payers, in staging only. */
    public readonly Sandbox $sandbox;
    private readonly Sender $sender;

    /**
     * @param ?string $baseUrl the base address of the key's environment; by default MANILLA_BASE_URL, else the address of
     *     a service on this machine with default settings
     * @param float $timeout the limit of one attempt, in seconds
     * @param float $totalTimeout the limit of a call with all its attempts and waits, in seconds
     */
    public function __construct(
        #[\SensitiveParameter] string $apiKey,
        ?string $baseUrl = null,
        float $timeout = 30,
        float $totalTimeout = 120,
        ?Transport $transport = null,
        ?Clock $clock = null,
    ) {
        if (preg_match('/^sk_(test|live)_[!-~]+$/D', $apiKey, $match) !== 1) {
            throw ManillaException::argument('An API key begins with sk_test_ or sk_live_, and holds no white space.');
        }
        [$this->environment, $prefix] = $match[1] === 'live' ? ['production', 'production'] : ['sandbox', 'staging'];
        $variable = getenv('MANILLA_BASE_URL');
        $this->baseUrl = self::addressOf(
            $baseUrl ?? (is_string($variable) && $variable !== '' ? $variable : "http://127.0.0.1:4000/$prefix"),
        );
        $this->sender = $sender = new Sender(
            $apiKey,
            $this->baseUrl,
            $timeout,
            $totalTimeout,
            $transport ?? new CurlTransport(),
            $clock ?? new SystemClock(),
        );
        $this->transfers = new Transfers($sender, ['transfers'], ['transfers', 'initiate'], 'transfers');
        $this->momo = new Momo($sender);
        $this->deposits = new Deposits($sender);
        $this->customers = new Customers($sender);
        $this->virtualAccounts = new VirtualAccounts($sender);
        $this->banks = new Banks($sender);
        $this->balance = new Balance($sender);
        $this->webhooks = new Subscriptions($sender);
        $this->events = new Events($sender);
        $this->sandbox = new Sandbox($sender);
    }

    /**
     * Calls an operation for which this version has no method, and returns its whole answer:
     * rawRequest('GET', '/v1/things', ['page' => 2]). A GET or DELETE sends $params in the query, other methods send them
     * in the body. A GET is retried like other reads; other methods are sent once.
     *
     * @param array<string, mixed> $params
     * @return Answer<array<string, mixed>>
     */
    public function rawRequest(string $method, string $path, ?array $params = null, ?CallOptions $options = null): Answer
    {
        $parts = Sender::partsOfPath($path);
        $ask = $method === 'GET' || $method === 'DELETE'
            ? new Ask($method, $parts, $params ?? [])
            : new Ask($method, $parts, body: $params);
        $sent = $this->sender->send($ask, $options);
        return new Answer($sent->whole, $sent->meta);
    }

    private static function addressOf(string $text): string
    {
        $parts = parse_url($text);
        $isGood = is_array($parts)
            && in_array($parts['scheme'] ?? '', ['http', 'https'], true)
            && ($parts['host'] ?? '') !== ''
            && !isset($parts['user'])
            && preg_match('/[?#@\s]/', $text) !== 1;
        if (!$isGood) {
            throw ManillaException::argument("baseUrl is an address like https://pay.example.com/production, not $text.");
        }
        return rtrim($text, '/');
    }
}
