<?php

declare(strict_types=1);

namespace Manilla;

/** The clock that the client uses, in seconds. Tests can pass their own. */
interface Clock
{
    public function now(): float;

    public function wait(float $seconds): void;
}

final class SystemClock implements Clock
{
    public function now(): float
    {
        return (float) hrtime(true) / 1e9;
    }

    public function wait(float $seconds): void
    {
        usleep(max(0, (int) round($seconds * 1e6)));
    }
}

final class HttpRequest
{
    /** @param array<string, string> $headers */
    public function __construct(
        public readonly string $method,
        public readonly string $url,
        public readonly array $headers,
        public readonly ?string $body,
        /** The limit of the whole attempt, in seconds. */
        public readonly float $timeout,
    ) {}
}

final class HttpResponse
{
    /** @param array<string, string> $headers names in lower case */
    public function __construct(
        public readonly int $status,
        public readonly array $headers,
        public readonly string $body,
    ) {}
}

/** The time limit of an attempt is over. */
final class TransportTimeout extends \RuntimeException {}

/** Sends one request, without following redirects or retrying. */
interface Transport
{
    /** @throws TransportTimeout when the time limit is over; any other exception means that the connection failed */
    public function send(HttpRequest $request): HttpResponse;
}

/** Sends each attempt on a new connection of PHP's cURL. */
final class CurlTransport implements Transport
{
    public function send(HttpRequest $request): HttpResponse
    {
        $handle = curl_init($request->url);
        if ($handle === false) {
            throw new \RuntimeException('cURL cannot be started.');
        }
        $lines = ['Expect:'];
        foreach ($request->headers as $name => $value) {
            $lines[] = "$name: $value";
        }
        $headers = [];
        $milliseconds = max(1, (int) round($request->timeout * 1e3));
        curl_setopt_array($handle, [
            CURLOPT_CUSTOMREQUEST => $request->method,
            CURLOPT_HTTPHEADER => $lines,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_FRESH_CONNECT => true,
            CURLOPT_FORBID_REUSE => true,
            CURLOPT_NOSIGNAL => true,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_TIMEOUT_MS => $milliseconds,
            CURLOPT_CONNECTTIMEOUT_MS => $milliseconds,
            CURLOPT_HEADERFUNCTION => function (\CurlHandle $_, string $line) use (&$headers): int {
                $parts = explode(':', $line, 2);
                if (str_starts_with($line, 'HTTP/')) {
                    $headers = []; // The headers before belong to an interim answer.
                } elseif (isset($parts[1])) {
                    $headers[strtolower(trim($parts[0]))] = trim($parts[1]);
                }
                return strlen($line);
            },
        ]);
        if ($request->body !== null) {
            curl_setopt($handle, CURLOPT_POSTFIELDS, $request->body);
        }
        $body = curl_exec($handle);
        if (!is_string($body)) {
            $message = curl_error($handle);
            throw curl_errno($handle) === CURLE_OPERATION_TIMEDOUT
                ? new TransportTimeout($message)
                : new \RuntimeException($message);
        }
        /** @var array<string, string> $headers */
        return new HttpResponse((int) curl_getinfo($handle, CURLINFO_RESPONSE_CODE), $headers, $body);
    }
}
