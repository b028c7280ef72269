<?php

declare(strict_types=1);

namespace Manilla;

use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\StreamFactoryInterface;

/** Sends through a PSR-18 client of your own, such as Guzzle's. It needs psr/http-client and psr/http-factory. */
final class Psr18Transport implements Transport
{
    /**
     * PSR-18 has no timeout, so a function creates the client with the limit of an attempt, in seconds. The client must not
     * retry requests or follow redirects.
     *
     * @param \Closure(float): ClientInterface $clientFor
     */
    public function __construct(
        private readonly \Closure $clientFor,
        private readonly RequestFactoryInterface $requests,
        private readonly StreamFactoryInterface $streams,
    ) {}

    public function send(HttpRequest $request): HttpResponse
    {
        $message = $this->requests->createRequest($request->method, $request->url);
        foreach ($request->headers as $name => $value) {
            $message = $message->withHeader($name, $value);
        }
        if ($request->body !== null) {
            $message = $message->withBody($this->streams->createStream($request->body));
        }
        $clock = new SystemClock();
        // cURL cuts a limit down to whole milliseconds, so its timeout can come one millisecond early.
        $end = $clock->now() + $request->timeout - 0.001;
        try {
            $response = ($this->clientFor)($request->timeout)->sendRequest($message);
        } catch (ClientExceptionInterface $cause) {
            // The interface does not say whether it was a timeout, so the clock decides.
            throw $clock->now() >= $end ? new TransportTimeout($cause->getMessage(), 0, $cause) : $cause;
        }
        $headers = [];
        foreach (array_keys($response->getHeaders()) as $name) {
            $headers[strtolower((string) $name)] = $response->getHeaderLine((string) $name);
        }
        return new HttpResponse($response->getStatusCode(), $headers, (string) $response->getBody());
    }
}
