<?php

// The receiver in Laravel's own router and requests, as the README has it. Laravel comes from the include path or, as
// `php tests/laravel.php AUTOLOAD`, from a project of Composer.

declare(strict_types=1);

use Illuminate\Container\Container;
use Illuminate\Events\Dispatcher;
use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Illuminate\Routing\Router;
use Manilla\Webhook;

require __DIR__ . '/load.php';

// Older versions of Laravel use what newer ones of PHP deprecate.
restore_error_handler();
error_reporting(E_ALL & ~E_DEPRECATED);
$autoload = array_slice($argv, 1) ?: ['Illuminate/Events/autoload.php', 'Illuminate/Routing/autoload.php'];
foreach ($autoload as $file) {
    require $file;
}

$secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
$taken = new ArrayObject();
$container = new Container();
$router = new Router(new Dispatcher(), $container);
$router->post('/webhooks', fn (Request $request) => new Response('', Webhook::receive(
    $request->getContent(),
    $request->header(Webhook::SIGNATURE_HEADER),
    $secret,
    function (array $event) use ($taken): void {
        if ($event['reference'] === 'FAIL') {
            throw new RuntimeException('The queue is down.');
        }
        $taken[] = $event['id'];
    },
)));

$post = function (string $body, ?string $header) use ($container, $router): int {
    $server = ['CONTENT_TYPE' => 'application/json'];
    if ($header !== null) {
        $server['HTTP_X_WEBHOOK_SIGNATURE'] = $header;
    }
    $request = Request::create('/webhooks', 'POST', [], [], [], $server, $body);
    $container->instance(Request::class, $request); // As Laravel's kernel does.
    return $router->dispatch($request)->getStatusCode();
};
$body = '{"id":"evt_1","event":"transfer.success","reference":"PAYOUT-1","data":{}}';
same('signed', $post($body, Webhook::sign($body, $secret)), 200);
same('forged', $post($body, Webhook::sign($body, 'whsec_other')), 400);
same('changed', $post("$body ", Webhook::sign($body, $secret)), 400);
same('unsigned', $post($body, null), 400);
$failing = str_replace('PAYOUT-1', 'FAIL', $body);
try {
    same('an error of the receiver', $post($failing, Webhook::sign($failing, $secret)), 'thrown, so that Laravel answers 500');
} catch (RuntimeException $error) {
    same('an error of the receiver', $error->getMessage(), 'The queue is down.');
}
same('taken', $taken->getArrayCopy(), ['evt_1']);
finish();
