<?php

// Money in, money out and a webhook, against a running staging server: MANILLA_API_KEY and MANILLA_BASE_URL name it.

declare(strict_types=1);

use Manilla\ConflictException;
use Manilla\Manilla;
use Manilla\Money;
use Manilla\NotFoundException;

require __DIR__ . '/load.php';

$client = new Manilla(getenv('MANILLA_API_KEY'));
$run = 'PHP-' . (int) (microtime(true) * 1000);
[$secretFile, $eventsFile] = [tempnam(sys_get_temp_dir(), 'secret'), tempnam(sys_get_temp_dir(), 'events')];
$probe = stream_socket_server('tcp://127.0.0.1:0');
$place = stream_socket_get_name($probe, false);
fclose($probe);
$variables = ['SECRET_FILE' => $secretFile, 'EVENTS_FILE' => $eventsFile, ...getenv()];
$quiet = ['file', '/dev/null', 'w'];
$receiver = proc_open([PHP_BINARY, '-S', $place, __DIR__ . '/endpoint.php'], [1 => $quiet, 2 => $quiet], $_, null, $variables);
register_shutdown_function(function () use ($receiver, $secretFile, $eventsFile): void {
    proc_terminate($receiver);
    array_map(unlink(...), [$secretFile, $eventsFile]);
});
$webhook = $client->webhooks->create(['url' => "http://$place/webhooks", 'events' => ['transfer.success', 'deposit.success']]);
file_put_contents($secretFile, $webhook['secret']);

$order = $client->virtualAccounts->openDynamic(['amount' => Money::naira('5,000.00'), 'reference' => "$run-ORDER"]);
$deposit = $client->sandbox->deposit(['accountNumber' => $order['accountNumber'], 'amount' => 500_000]);
same('valid', $client->deposits->validate($deposit['reference'])['valid'], true);

$request = [
    'reference' => "$run-PAYOUT",
    'amount' => Money::naira('1500.00'),
    'bankSlug' => 'guaranty-trust-bank',
    'accountNumber' => '0123456789',
    'accountName' => 'ADA OBI',
];
$sent = $client->transfers->initiate($request);
same('sent', [$sent['status'], $sent->lastResponse->replayed], ['queued', false]);
same('again', $client->transfers->initiate($request)->lastResponse->replayed, true);
try {
    $client->transfers->initiate([...$request, 'amount' => 1]);
    same('a second payment under the reference', 'accepted', 'refused');
} catch (ConflictException) {
}
same('ended', $client->transfers->waitFor($request['reference'])['status'], 'SUCCESS');

$bulk = array_map(fn (int $at) => [...$request, 'reference' => "$run-BULK-$at"], range(0, 2));
same('bulk', $client->transfers->initiateMany($bulk)['accepted'], 3);
$references = array_map(fn (array $one) => $one['reference'], iterator_to_array($client->transfers->list(['limit' => 2]), false));
same('list', $references, [...array_reverse(array_column($bulk, 'reference')), $request['reference']]);
try {
    $client->transfers->get('NO-SUCH');
    same('a transfer that is not there', 'found', 'not found');
} catch (NotFoundException $error) {
    same('request id', $error->requestId !== '', true);
}

$end = microtime(true) + 60;
do {
    usleep(50_000);
    $missing = array_diff(['transfer.success', 'deposit.success'], file($eventsFile, FILE_IGNORE_NEW_LINES));
} while ($missing !== [] && microtime(true) < $end);
same('events that never came', $missing, []);
finish();
