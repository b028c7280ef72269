<?php

// Runs sdk/vectors against the SDK: `php tests/vectors.php`, with Node to play the server. With the autoload file of Guzzle, as
// `php tests/vectors.php AUTOLOAD`, the requests go by that PSR-18 client.

declare(strict_types=1);

use Manilla\CallOptions;
use Manilla\Clock;
use Manilla\Manilla;
use Manilla\ManillaException;
use Manilla\Money;
use Manilla\PageList;
use Manilla\Psr18Transport;
use Manilla\Webhook;
use Manilla\WebhookException;

require __DIR__ . '/load.php';

$transport = null;
if (isset($argv[1])) {
    // Older versions of Guzzle use what newer ones of PHP deprecate.
    restore_error_handler();
    error_reporting(E_ALL & ~E_DEPRECATED);
    require $argv[1];
    $factory = new GuzzleHttp\Psr7\HttpFactory();
    $clientFor = fn (float $timeout) => new GuzzleHttp\Client(['timeout' => $timeout]);
    $transport = new Psr18Transport($clientFor, $factory, $factory);
}

const KEY = 'sk_test_0000000000000000000000000000000000000000';

function vectors(string $name): array
{
    return json_decode(file_get_contents(__DIR__ . "/../../vectors/$name.json"), true, 512, JSON_THROW_ON_ERROR);
}

$node = getenv('NODE') ?: 'node';
$server = proc_open([$node, __DIR__ . '/../../vectors/server.mjs', '--port', '0'], [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes);
$address = trim(fgets($pipes[1]));

function ask(string $method, string $path, ?string $body = null): array
{
    global $address;
    $http = ['method' => $method, 'header' => "Connection: close\r\nContent-Type: application/json", 'content' => $body ?? '', 'ignore_errors' => true];
    return json_decode(file_get_contents($address . $path, false, stream_context_create(['http' => $http])), true);
}

final class FakeClock implements Clock
{
    private float $at = 0;
    public array $waits = [];

    public function now(): float
    {
        return $this->at;
    }

    public function wait(float $seconds): void
    {
        $this->at += $seconds;
        $this->waits[] = (int) round($seconds * 1000);
    }
}

$methods = [
    'listDeposits' => fn ($c, $a, $o) => $c->deposits->list($a['query'], $o),
    'getDeposit' => fn ($c, $a, $o) => $c->deposits->get($a['path']['reference'], $o),
    'validateDeposit' => fn ($c, $a, $o) => $c->deposits->validate($a['path']['reference'], $o),
    'createCustomer' => fn ($c, $a, $o) => $c->customers->create($a['body'], $o),
    'listCustomers' => fn ($c, $a, $o) => $c->customers->list($a['query'], $o),
    'getCustomer' => fn ($c, $a, $o) => $c->customers->get($a['path']['reference'], $o),
    'updateCustomer' => fn ($c, $a, $o) => $c->customers->update($a['path']['reference'], $a['body'], $o),
    'openStaticAccount' => fn ($c, $a, $o) => $c->virtualAccounts->openStatic($a['body'], $o),
    'openDynamicAccount' => fn ($c, $a, $o) => $c->virtualAccounts->openDynamic($a['body'], $o),
    'listVirtualAccounts' => fn ($c, $a, $o) => $c->virtualAccounts->list($a['query'], $o),
    'getVirtualAccount' => fn ($c, $a, $o) => $c->virtualAccounts->get($a['path']['accountNumber'], $o),
    'closeVirtualAccount' => fn ($c, $a, $o) => $c->virtualAccounts->close($a['path']['accountNumber'], $o),
    'initiateTransfer' => fn ($c, $a, $o) => $c->transfers->initiate($a['body'], $o),
    'initiateTransfers' => fn ($c, $a, $o) => $c->transfers->initiateMany($a['body']['transfers'], $o),
    'listTransfers' => fn ($c, $a, $o) => $c->transfers->list($a['query'], $o),
    'getTransfer' => fn ($c, $a, $o) => $c->transfers->get($a['path']['reference'], $o),
    'initiateMomoTransfer' => fn ($c, $a, $o) => $c->momo->transfers->initiate($a['body'], $o),
    'listMomoTransfers' => fn ($c, $a, $o) => $c->momo->transfers->list($a['query'], $o),
    'getMomoTransfer' => fn ($c, $a, $o) => $c->momo->transfers->get($a['path']['reference'], $o),
    'initiateMomoCollection' => fn ($c, $a, $o) => $c->momo->collections->initiate($a['body'], $o),
    'listMomoCollections' => fn ($c, $a, $o) => $c->momo->collections->list($a['query'], $o),
    'verifyCollectionOtp' => fn ($c, $a, $o) => $c->momo->collections->verifyOtp($a['body'], $o),
    'getMomoCollection' => fn ($c, $a, $o) => $c->momo->collections->get($a['path']['reference'], $o),
    'listMomoOperators' => fn ($c, $a, $o) => $c->momo->operators($a['query'], $o),
    'resolvePhoneNumber' => fn ($c, $a, $o) => $c->momo->resolve($a['query'], $o),
    'listBanks' => fn ($c, $a, $o) => $c->banks->list($a['query'], $o),
    'resolveBankAccount' => fn ($c, $a, $o) => $c->banks->resolve($a['query'], $o),
    'getBalance' => fn ($c, $a, $o) => $c->balance->get($o),
    'listLedgerEntries' => fn ($c, $a, $o) => $c->balance->ledger($a['query'], $o),
    'getFee' => fn ($c, $a, $o) => $c->transfers->fee($a['query']['amount'], $a['query']['currency'] ?? null, $o),
    'createWebhook' => fn ($c, $a, $o) => $c->webhooks->create($a['body'], $o),
    'listWebhooks' => fn ($c, $a, $o) => $c->webhooks->list($a['query'], $o),
    'getWebhook' => fn ($c, $a, $o) => $c->webhooks->get($a['path']['id'], $o),
    'updateWebhook' => fn ($c, $a, $o) => $c->webhooks->update($a['path']['id'], $a['body'], $o),
    'deleteWebhook' => fn ($c, $a, $o) => $c->webhooks->delete($a['path']['id'], $o),
    'rotateWebhookSecret' => fn ($c, $a, $o) => $c->webhooks->rotateSecret($a['path']['id'], $a['body'], $o),
    'testWebhook' => fn ($c, $a, $o) => $c->webhooks->test($a['path']['id'], $o),
    'listEvents' => fn ($c, $a, $o) => $c->events->list($a['query'], $o),
    'listWebhookDeliveries' => fn ($c, $a, $o) => $c->webhooks->deliveries->list($a['query'], $o),
    'getWebhookDelivery' => fn ($c, $a, $o) => $c->webhooks->deliveries->get($a['path']['eventId'], $o),
    'retryWebhookDelivery' => fn ($c, $a, $o) => $c->webhooks->deliveries->retry($a['path']['eventId'], $a['body'], $o),
    'retryWebhookDeliveries' => fn ($c, $a, $o) => $c->webhooks->deliveries->retryMany($a['body'], $o),
    'simulateDeposit' => fn ($c, $a, $o) => $c->sandbox->deposit($a['body'], $o),
    'settleDeposit' => fn ($c, $a, $o) => $c->sandbox->settleDeposit($a['path']['reference'], $a['body'], $o),
    'completeTransfer' => fn ($c, $a, $o) => $c->sandbox->completeTransfer($a['path']['reference'], $a['body'], $o),
    'completeMomoTransfer' => fn ($c, $a, $o) => $c->sandbox->completeMomoTransfer($a['path']['reference'], $a['body'], $o),
    'completeMomoCollection' => fn ($c, $a, $o) => $c->sandbox->completeMomoCollection($a['path']['reference'], $a['body'], $o),
    'triggerWebhookEvent' => fn ($c, $a, $o) => $c->sandbox->triggerEvent($a['body']['event'], $o),
    'fundBalance' => fn ($c, $a, $o) => $c->sandbox->fund($a['body']['amount'], $a['body']['currency'] ?? null, $o),
    'iterateEvents' => fn ($c, $a, $o) => $c->events->iterate($a['query'], $o),
    'rawRequest' => fn ($c, $a, $o) => $c->rawRequest($a['method'], $a['rawPath'], $a['params'], $o),
    'waitForTransfer' => fn ($c, $a, $o) => $c->transfers->waitFor($a['reference'], $a['waitMs'] / 1000, $o),
    'waitForMomoTransfer' => fn ($c, $a, $o) => $c->momo->transfers->waitFor($a['reference'], $a['waitMs'] / 1000, $o),
    'waitForMomoCollection' => fn ($c, $a, $o) => $c->momo->collections->waitFor($a['reference'], $a['waitMs'] / 1000, $o),
];

function repeated(array $repeat): array
{
    $items = [];
    for ($at = 0; $at < $repeat['count']; $at++) {
        $item = [...$repeat['item'], 'reference' => str_replace('{i}', (string) $at, $repeat['item']['reference'])];
        for ($n = 0; $n < intdiv(($repeat['itemBytes'] ?? 0) - 300, 520); $n++) {
            $item['metadata']["filler-$n"] = str_repeat('x', 500);
        }
        $items[] = $item;
    }
    return $items;
}

function play(array $call, array $given, string $script): array
{
    global $methods, $transport;
    $call += ['path' => [], 'query' => [], 'body' => []];
    if (isset($call['repeat'])) {
        $call['body'] = ['transfers' => repeated($call['repeat'])];
    }
    $script = ask('POST', '/__scripts', $script);
    $clock = new FakeClock();
    $client = new Manilla(
        KEY,
        $script['baseUrl'],
        ($given['timeoutMs'] ?? 30_000) / 1000,
        ($given['totalTimeoutMs'] ?? 120_000) / 1000,
        transport: $transport,
        clock: $clock,
    );
    $result = $meta = $error = null;
    try {
        $result = $methods[$call['operation']]($client, $call, new CallOptions(requestId: $given['requestId'] ?? null));
        if (isset($call['iterate'])) {
            $items = [];
            foreach ($result as $item) {
                $items[] = $item[$call['collect']];
                if (count($items) === ($call['stopAfter'] ?? null)) {
                    break;
                }
            }
            $result = $items;
        } elseif ($result instanceof PageList) {
            $page = $result->page();
            [$result, $meta] = [$page->items, $page->lastResponse];
        } else {
            [$result, $meta] = [$result->data, $result->lastResponse];
        }
    } catch (ManillaException $thrown) {
        $error = $thrown;
    } catch (TypeError) {
        // A type that PHP itself refuses: an amount that is no integer.
        $error = ManillaException::argument('');
    }
    return [...ask('DELETE', "/__scripts/{$script['id']}"), 'result' => $result, 'meta' => $meta, 'error' => $error, 'waits' => $clock->waits];
}

function check(string $name, array $scenario, string $script): void
{
    [$expected, $call] = [$scenario['expected'], $scenario['call']];
    $ran = play($call, $scenario['options'] ?? [], $script);
    ['requests' => $requests, 'result' => $result, 'error' => $error] = $ran;
    same("$name: error", $error?->errorCode, $error === null || isset($expected['error']) ? $error?->errorCode : null);
    same("$name: fails", $error !== null, isset($expected['error']));
    same("$name: requests", array_column($requests, 'request'), $expected['requests']);
    same("$name: rest", [$ran['unexpected'], $ran['left']], [0, 0]);
    same("$name: waits", $ran['waits'], $expected['delaysMs'] ?? $ran['waits']);
    same("$name: queries", array_column($requests, 'query'), $expected['queries'] ?? array_column($requests, 'query'));
    $first = $requests[0] ?? null;
    if (isset($expected['query'])) {
        same("$name: query", $first['query'], $expected['query']);
    }
    foreach ($expected['headers'] ?? [] as $header => $value) {
        $pattern = is_array($value) ? $value['matches'] : preg_quote($value);
        same("$name: $header", preg_match("\x01$pattern\x01", $first['headers'][$header] ?? ''), 1);
    }
    if (array_key_exists('body', $expected)) {
        same("$name: body", $first['body'] === null ? null : json_decode($first['body'], true), $expected['body']);
    }
    $writes = array_filter($requests, fn (array $one) => !str_starts_with($one['request'], 'GET'));
    if (!isset($call['repeat'])) {
        same("$name: one body", count(array_unique(array_column($writes, 'body'))) <= 1, true);
    }
    if (!isset($call['repeat']) && !isset($call['iterate']) && !isset($call['waitMs'])) {
        $ids = array_map(fn (array $one) => $one['headers']['x-request-id'], $requests);
        same("$name: one id", count(array_unique($ids)) <= 1, true);
    }
    foreach ($expected['data'] ?? [] as $field => $value) {
        $isList = is_array($result) && array_is_list($result) && !isset($result[$field]);
        same("$name: $field", $isList ? $result : $result[$field] ?? null, $value);
    }
    foreach ($expected['meta'] ?? [] as $field => $value) {
        $told = $ran['meta']?->$field;
        same("$name: $field", $field === 'headers' ? array_intersect_key($told, $value) : $told, $value);
    }
    if (isset($expected['items'])) {
        same("$name: items", $result, $expected['items']);
    }
    foreach ($expected['error'] ?? [] as $field => $value) {
        match ($field) {
            'results' => same("$name: results", count($error->results), $value['count']),
            'kind' => same("$name: kind", in_array($error->kind, (array) $value, true), true),
            'headers' => same("$name: headers", array_intersect_key($error->headers, $value), $value),
            'code' => same("$name: code", $error->errorCode, $value),
            'message' => same("$name: message", $error->getMessage(), $value),
            default => same("$name: $field", $error->$field, $value),
        };
    }
    $bodies = array_column($requests, 'body');
    if (isset($expected['parts'])) {
        $sizes = array_map(fn (string $body) => count(json_decode($body, true)['transfers']), $bodies);
        same("$name: parts", $sizes, $expected['parts']);
    }
    if (isset($expected['maxBodyBytes'])) {
        same("$name: bytes", max(array_map(strlen(...), $bodies)) <= $expected['maxBodyBytes'], true);
    }
    if (isset($expected['results'])) {
        $wanted = $expected['results'];
        same("$name: indexes", array_column($result['results'], 'index'), range(0, $wanted['count'] - 1));
        $refused = array_filter($result['results'], fn (array $one) => $one['outcome'] === 'refused');
        same("$name: refused", array_column($refused, 'index'), $wanted['refusedIndexes'] ?? array_column($refused, 'index'));
        foreach (array_intersect_key($wanted, ['accepted' => 0, 'replayed' => 0, 'refused' => 0]) as $field => $value) {
            same("$name: $field", $result[$field], $value);
        }
    }
}

foreach (['requests', 'answers', 'retries', 'paging', 'bulk', 'waits'] as $file) {
    // The scripts are sent as they were read, for an empty object would become a list.
    $raw = json_decode(file_get_contents(__DIR__ . "/../../vectors/$file.json"))->scenarios;
    foreach (vectors($file)['scenarios'] as $at => $scenario) {
        $steps = json_encode(['steps' => $raw[$at]->script], JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION);
        check("$file/{$scenario['name']}", $scenario, $steps);
    }
}
foreach (vectors('webhooks')['vectors'] as $vector) {
    $body = isset($vector['bodyBase64']) ? base64_decode($vector['bodyBase64']) : $vector['body'];
    try {
        $event = Webhook::verify($body, $vector['header'] ?? null, $vector['secrets'], $vector['toleranceSeconds'] ?? 300, $vector['now']);
        $outcome = ['valid' => true, 'event' => $event['event'], 'id' => $event['id']];
    } catch (WebhookException $fault) {
        $outcome = ['valid' => false, 'reason' => $fault->reason];
    }
    same($vector['name'], $outcome, $vector['expected']);
}
$amounts = vectors('amounts');
foreach ($amounts['requests'] as $one) {
    $step = ['body' => ['success' => true, 'data' => ['amount' => 1]]];
    $call = ['operation' => 'fundBalance', 'body' => ['amount' => json_decode($one['json'])]];
    $ran = play($call, [], json_encode(['steps' => [$step]]));
    same("amount {$one['json']}", [$ran['error']?->kind, count($ran['requests'])], $one['accepted'] ? [null, 1] : ['argument', 0]);
}
foreach ($amounts['naira'] as $one) {
    try {
        $kobo = Money::naira($one['text']);
    } catch (ManillaException) {
        $kobo = null;
    }
    same("naira {$one['text']}", $kobo, $one['kobo']);
}
foreach ($amounts['format'] as $one) {
    same("format {$one['kobo']}", Money::format($one['kobo']), $one['text']);
}
foreach ($amounts['answers'] as $one) {
    $step = ['text' => '{"success":true,"data":{"reference":"A","amount":' . $one['json'] . '}}'];
    $ran = play(['operation' => 'getTransfer', 'path' => ['reference' => 'A']], [], json_encode(['steps' => [$step]]));
    same("answer {$one['json']}", (string) $ran['result']['amount'], $one['exact']);
}
foreach (vectors('client')['clients'] as $one) {
    putenv('MANILLA_BASE_URL' . (isset($one['variables']) ? '=' . $one['variables']['MANILLA_BASE_URL'] : ''));
    try {
        $client = new Manilla($one['apiKey'], $one['baseUrl'] ?? null);
        $made = ['environment' => $client->environment, 'baseUrl' => $client->baseUrl];
    } catch (ManillaException) {
        $made = null;
    }
    same($one['name'], $made, $one['expected']);
}
fclose($pipes[0]);
proc_close($server);
finish();
