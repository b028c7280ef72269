<?php

// Nothing runs this file. Type checkers read it: a caller's array is checked field by field, and so is what comes back.

declare(strict_types=1);

use Manilla\Manilla;
use Manilla\ManillaException;

function pay(Manilla $client): string
{
    $transfer = $client->transfers->initiate([
        'reference' => 'PAYOUT-1001',
        'amount' => 150_000,
        'bankSlug' => 'guaranty-trust-bank',
        'accountNumber' => '0123456789',
        'accountName' => 'ADA OBI',
    ]);
    return "{$transfer->data['reference']} {$transfer['status']} {$transfer->lastResponse->requestId}";
}

/** @return array<string, int> */
function refusals(Manilla $client): array
{
    $amounts = [];
    foreach ($client->transfers->list(['status' => 'FAILED']) as $transfer) {
        $amounts[$transfer['failureReason'] ?? ''] = $transfer['amount'];
    }
    return $amounts;
}

function isPaid(Manilla $client, string $reference): bool
{
    $found = $client->deposits->validate($reference)->data;
    return $found['exists'] && ($found['valid'] ?? false) === true;
}

function wrong(Manilla $client): void
{
    try {
        /** @psalm-suppress InvalidArgument the amount is missing */
        $client->transfers->initiate(['reference' => 'PAYOUT-1001']); // @phpstan-ignore argument.type
    } catch (ManillaException $error) {
        echo $error->requestId;
    }
}
