<?php

// A webhook endpoint in plain PHP, for the journey: it keeps the kinds of events in EVENTS_FILE.

declare(strict_types=1);

use Manilla\Webhook;

require __DIR__ . '/load.php';

http_response_code(Webhook::receive(
    file_get_contents('php://input'),
    $_SERVER['HTTP_X_WEBHOOK_SIGNATURE'] ?? null,
    file_get_contents(getenv('SECRET_FILE')),
    fn (array $event) => file_put_contents(getenv('EVENTS_FILE'), "{$event['event']}\n", FILE_APPEND | LOCK_EX),
));
