<?php

// What the tests share: the sources, without Composer, and checks.

declare(strict_types=1);

error_reporting(E_ALL);
set_error_handler(function (int $level, string $message, string $file, int $line): never {
    throw new ErrorException($message, 0, $level, $file, $line);
});
foreach (['Errors', 'Money', 'Transport', 'Psr18Transport', 'Sender', 'PageList', 'Payments', 'Groups', 'Manilla', 'Webhook', 'FakeManilla', 'Types'] as $name) {
    require_once __DIR__ . "/../src/$name.php";
}

$checks = 0;
$faults = [];

function same(string $what, mixed $got, mixed $wanted): void
{
    global $checks, $faults;
    $checks++;
    if (normal($got) !== normal($wanted)) {
        $faults[] = "$what: got " . json_encode($got) . ', want ' . json_encode($wanted);
    }
}

/** The order of fields does not matter. */
function normal(mixed $value): mixed
{
    if (!is_array($value)) {
        return $value;
    }
    if (!array_is_list($value)) {
        ksort($value);
    }
    return array_map(normal(...), $value);
}

function finish(): never
{
    global $checks, $faults;
    echo implode("\n", array_slice($faults, 0, 40)), $faults === [] ? '' : "\n";
    echo "$checks checks, ", count($faults), " faults\n";
    exit($faults === [] && $checks > 0 ? 0 : 1);
}
